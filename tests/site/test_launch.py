"""Launch buttons turn on when the repository's address is set, in one place."""

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from tools.paths import BOOK, CONFIG

sys.path.insert(0, str(BOOK / "_ext"))

from course_site import launch


@pytest.mark.parametrize("url", ["", "https://github.com/someone/why-sqrt-d"])
def test_the_address_decides(tmp_path: Path, url: str) -> None:
    text = CONFIG.read_text().replace('  url: ""', f'  url: "{url}"')
    (tmp_path / "_config.yml").write_text(text)
    config = SimpleNamespace(html_theme_options={"use_download_button": True})
    launch.settle(SimpleNamespace(srcdir=tmp_path), config)
    options = config.html_theme_options
    assert options["use_download_button"]
    assert options.get("repository_url", "") == url
    assert ("launch_buttons" in options) == bool(url)
    if url:
        assert {"binderhub_url", "colab_url"} <= set(options["launch_buttons"])
