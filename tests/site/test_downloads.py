"""The buttons at the head of a chapter, and the site's icon."""

import json
from urllib.parse import urlsplit

import pytest
import yaml
from built_site import CHAPTERS, PAGES, REDIRECT, ROOT, SITE, soup

LAUNCHERS = ("mybinder.org", "colab.research.google.com", "jupyterhub", "thebe")


def resolved(name, address):
    return ((SITE / name).parent / urlsplit(address).path).resolve()


@pytest.mark.parametrize("name", CHAPTERS)
def test_the_notebook_can_be_downloaded_and_launched_if_it_has_an_address(name):
    page = name.rpartition("/")[2].removesuffix(".html")
    (link,) = soup(name).select("a[href$='.ipynb']")
    assert link["href"].endswith(f"/{page}.ipynb")
    notebook = json.loads(resolved(name, link["href"]).read_text(encoding="utf-8"))
    assert any(cell["cell_type"] == "code" for cell in notebook["cells"])
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    links = [e["href"] for e in soup(name).select("a[href]")]
    launchers = [to for to in links if any(host in to for host in LAUNCHERS)]
    assert bool(launchers) == bool(config["repository"]["url"]), launchers


def test_the_icon_is_named_and_served_as_a_picture(visit):
    for name in PAGES:
        (icon,) = soup(name).select("link[rel~=icon]")
        assert "<svg" in resolved(name, icon["href"]).read_text(encoding="utf-8")
    assert [e["href"] for e in soup(REDIRECT).select("link[rel~=icon]")] == ["data:,"]
    opened = visit(PAGES[0])
    address = opened.page.locator("link[rel~=icon]").evaluate("e => e.href")
    reply = opened.page.request.get(address)
    assert (reply.status, reply.headers["content-type"]) == (200, "image/svg+xml")
