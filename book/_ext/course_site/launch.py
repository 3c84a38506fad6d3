"""Launch buttons appear when the repository's address is set, and only then."""

from sphinx.application import Sphinx
from sphinx.config import Config


def settle(app: Sphinx, config: Config) -> None:
    """Take the address from `_config.yml`'s `repository`, or take the buttons away."""
    options = config.html_theme_options
    if not options.get("repository_url"):
        options.pop("repository_url", None)
        options.pop("launch_buttons", None)


def setup(app: Sphinx) -> None:
    """Run once the configuration is read."""
    app.connect("config-inited", settle, priority=100)
