"""Launch buttons appear when the repository's address is set, and only then.

The address stands in one place, `repository.url` in `_config.yml`; Jupyter Book does not pass it
on when a site sets theme options of its own, so it is read here.
"""

from pathlib import Path

import yaml
from sphinx.application import Sphinx
from sphinx.config import Config


def settle(app: Sphinx, config: Config) -> None:
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


def setup(app: Sphinx) -> None:
    """Run once the configuration is read, before the theme looks at it."""
    app.connect("config-inited", settle, priority=100)
