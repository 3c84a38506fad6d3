"""Whole notebooks in the browser: what `make lite` writes, and what it asks for when opened."""

import nbformat
import pytest
from built_site import SITE
from local_site import serving

from attn_helpers import __version__
from tools import lite
from tools.paths import notebooks
from tools.pyodide import fetched_version
from why_sqrt_d.pyodide import PUBLISHED


def test_notebooks_install_the_package_and_keep_their_names(tmp_path):
    lite.write_notebooks(tmp_path)
    for path in notebooks():
        first, *_ = nbformat.read(tmp_path / __version__ / path.name, as_version=4).cells
        assert first.source.endswith("%pip install -q attn-helpers[course]")


def test_what_grading_installs_is_not_published(tmp_path, monkeypatch):
    for name in ("@jupyter/nbgrader", "anywidget"):
        (tmp_path / "share/jupyter/labextensions" / name).mkdir(parents=True)
    monkeypatch.setattr("sys.prefix", str(tmp_path))
    lite.copy_extensions(tmp_path)
    assert (tmp_path / "lab" / "anywidget").exists()
    assert not list((tmp_path / "lab").rglob("nbgrader"))


@pytest.mark.skipif(not (SITE / "lite" / "index.html").exists(), reason="give `make lite`")
def test_an_opened_notebook_asks_pyodides_distribution_and_nobody_else(browser):
    published, asked = PUBLISHED.format(fetched_version()), []
    with serving(SITE) as base:
        context = browser.new_context()
        context.route(
            lambda url: not url.startswith((base, "data:", "blob:")),
            lambda route: (asked.append(route.request.url), route.abort()),
        )
        page = context.new_page()
        page.goto(f"{base}lite/notebooks/index.html?path={__version__}/01-dot-products-grow.ipynb")
        page.get_by_text("%pip install").first.wait_for(timeout=60_000)
        for _ in range(90):  # the kernel starts by itself
            page.wait_for_timeout(0 if asked else 1_000)
        context.close()
    assert asked
    assert all(url.startswith(published) for url in asked), asked
