"""Where a page's notebook can be run: Binder and Colab, and JupyterLite on the site itself.

Binder and Colab need the repository's address. It stands in one place, `repository.url` in
`_config.yml`, and Jupyter Book does not pass it on when a site sets theme options of its own.
JupyterLite's notebooks are what `make lite` has made.
"""

import shutil
from pathlib import Path
from typing import Any

import yaml
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config

MADE = Path("_build", "lite", "site")  # below the root
PLACE = "lite"  # below the site
BUTTON = {
    "type": "link",
    "text": "Run in your browser",
    "tooltip": "Nothing to install; Python, NumPy and Matplotlib are loaded then",
    "icon": "fas fa-play",
    "label": "lite-button",
}


def set_repository(app: Sphinx, config: Config) -> None:
    """Hand the repository and the launch buttons to the theme if there is an address."""
    settings = yaml.safe_load(Path(app.srcdir, "_config.yml").read_text(encoding="utf-8"))
    repository = settings.get("repository") or {}
    if repository.get("url"):
        config.html_theme_options |= {
            "repository_url": repository["url"],
            "repository_branch": repository.get("branch", "main"),
            "path_to_docs": "",
            "launch_buttons": settings.get("launch_buttons", {}),
        }


def add_button(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: nodes.Node
) -> None:
    """Put JupyterLite's button beside Binder's and Colab's, if it has the page's notebook."""
    made = Path(app.srcdir, MADE, "files")
    found = [path.relative_to(made) for path in made.glob(f"*/{Path(pagename).name}.ipynb")]
    if not found or "header_buttons" not in context:
        return
    up = "../" * pagename.count("/")
    button = BUTTON | {"url": f"{up}{PLACE}/notebooks/index.html?path={found[0].as_posix()}"}
    groups = [b for b in context["header_buttons"] if b.get("label") == "launch-buttons"]
    if groups:
        groups[0]["buttons"].append(button)
    else:
        context["header_buttons"].insert(0, button)


def copy_site(app: Sphinx, error: Exception | None) -> None:
    """Copy what `make lite` has made, when the course's own pages are done."""
    made = Path(app.srcdir, MADE)
    if error is None and app.builder.format == "html" and made.exists():
        shutil.copytree(made, Path(app.outdir, PLACE), dirs_exist_ok=True)


def setup(app: Sphinx) -> None:
    """Run before the theme reads its settings, after it has made its buttons, and last."""
    app.connect("config-inited", set_repository, priority=100)
    app.connect("html-page-context", add_button, priority=600)
    app.connect("build-finished", copy_site, priority=990)
