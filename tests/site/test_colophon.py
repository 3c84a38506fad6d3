"""What every page says of itself: version, licences, how to cite; what a shared link shows."""

import sys
from io import BytesIO
from types import SimpleNamespace

import pytest
import yaml
from built_site import CHAPTERS, FRONT, PAGES, ROOT, SITE, soup
from PIL import Image

sys.path.insert(0, str(ROOT / "book" / "_ext"))
from course_site.colophon import add_to_page, read_about

from why_sqrt_d.pictures.card import card_png

ABOUT = read_about(ROOT)


@pytest.mark.parametrize("name", PAGES)
def test_the_footer_says_version_licences_and_how_to_cite(name):
    footer = soup(name).select_one("footer .colophon")
    text = " ".join(footer.get_text(" ").split())
    for said in (f"Version {ABOUT.version}", "CC BY 4.0", "BSD 3-Clause", "How to cite"):
        assert said in text
    assert ABOUT.title in text
    assert ABOUT.people in text
    links = {link["href"] for link in footer.select("a[href]")}
    assert {ABOUT.repository, ABOUT.address} - {""} <= links
    assert links.isdisjoint({"", "https://doi.org/"})


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_chapter_says_how_it_is_cited(name):
    title = soup(name).select_one("article h1").get_text().removesuffix("#").strip()
    entry = soup(name).select_one("footer .colophon pre").get_text()
    assert f"chapter = {{{name[6]}}}" in entry
    assert f"title = {{{{{title}}}}}" in entry or "√" in title


@pytest.mark.parametrize("name", [FRONT, *CHAPTERS])
def test_a_shared_link_shows_title_and_sentence(name):
    said = {e["property"]: e["content"] for e in soup(name).select("meta[property]")}
    assert said["og:site_name"] == "Why √d?"
    assert said["og:type"] == ("website" if name == FRONT else "article")
    heading = soup(name).select_one("article h1")
    assert said["og:title"] in heading.get_text() or "√" in said["og:title"]
    assert said["og:description"] == soup(name).select_one("meta[name=description]")["content"]


def test_a_card_is_named_only_with_an_absolute_address():
    config = yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))
    base = config["html"].get("baseurl", "")
    assert bool(soup(FRONT).select("meta[property='og:image']")) == bool(base)
    for base, card in (("https://a.example/b/", "https://a.example/b/_static/card.png"), ("", "")):
        builder = SimpleNamespace(get_target_uri=lambda page: f"{page}.html")
        config = SimpleNamespace(html_baseurl=base)
        context = {}
        app = SimpleNamespace(config=config, builder=builder, srcdir=ROOT)
        add_to_page(app, "book/index", "page.html", context, None)
        assert context["card"] == card
        assert context["own_address"].startswith(base)


def test_the_card_has_the_size_that_links_are_shown_with():
    assert (SITE / "_static" / "card.png").read_bytes()[:4] == b"\x89PNG"
    with Image.open(BytesIO(card_png())) as card:
        assert card.size == (1200, 630)


def test_the_contents_panel_closes_when_a_link_of_it_is_tapped(visit):
    page = visit(CHAPTERS[0], width=360).page
    page.locator(".secondary-toggle").click()
    panel = page.locator("dialog#pst-secondary-sidebar-modal")
    assert panel.evaluate("e => e.open")
    panel.locator(".page-toc a").last.click()
    assert not panel.evaluate("e => e.open")
    assert page.url.rpartition("#")[2]


@pytest.mark.parametrize("name", CHAPTERS)
def test_cells_that_hold_the_numbers_of_the_text_stay_in_the_notebook(name):
    codes = [e.get_text().lstrip() for e in soup(name).select("article .cell_input pre")]
    assert codes
    assert not [code for code in codes if code.startswith("numbers(")]
