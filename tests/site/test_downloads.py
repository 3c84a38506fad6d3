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
def test_the_notebook_can_be_downloaded(name):
    links = soup(name).select("a[href$='.ipynb']")
    assert len(links) == 1, links
    notebook = json.loads(resolved(name, links[0]["href"]).read_text(encoding="utf-8"))
    assert any(cell["cell_type"] == "code" for cell in notebook["cells"])
    page = name.rpartition("/")[2].removesuffix(".html")
    assert links[0]["href"].endswith(f"/{page}.ipynb")


@pytest.mark.parametrize("name", CHAPTERS)
def test_launch_buttons_appear_only_with_an_address(name):
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    links = [e["href"] for e in soup(name).select("a[href]")]
    launchers = [link for link in links if any(host in link for host in LAUNCHERS)]
    assert bool(launchers) == bool(config["repository"]["url"]), launchers


@pytest.mark.parametrize("name", PAGES)
def test_the_icon_is_named_and_there(name):
    icons = soup(name).select("link[rel~=icon]")
    assert len(icons) == 1, icons
    assert "<svg" in resolved(name, icons[0]["href"]).read_text(encoding="utf-8")


def test_the_root_that_leads_on_asks_for_no_icon():
    assert [e["href"] for e in soup(REDIRECT).select("link[rel~=icon]")] == ["data:,"]


def test_the_icon_is_served_as_a_picture(visit):
    opened = visit(PAGES[0])
    address = opened.page.locator("link[rel~=icon]").evaluate("e => e.href")
    reply = opened.page.request.get(address)
    assert reply.status == 200
    assert reply.headers["content-type"] == "image/svg+xml"
