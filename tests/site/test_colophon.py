"""What every page says of itself: version, licences, how to cite; what a shared link shows."""

import sys
from dataclasses import replace
from types import SimpleNamespace

import pytest
from bs4 import BeautifulSoup
from built_site import CHAPTERS, FRONT, PAGES, ROOT, SITE, soup
from jinja2 import Template
from PIL import Image

sys.path.insert(0, str(ROOT / "book" / "_ext"))
from course_site import colophon
from course_site.colophon import add_to_page, read_about

ABOUT = read_about(ROOT)


def test_the_footer_says_version_licences_and_how_to_cite():
    for name in PAGES:
        footer = soup(name).select_one("footer .colophon")
        text = " ".join(footer.get_text(" ").split())
        licences = ("CC BY 4.0", "BSD 3-Clause")
        for said in (ABOUT.title, ABOUT.people, f"Version {ABOUT.version}", *licences):
            assert said in text, name
        links = {link["href"] for link in footer.select("a[href]")}
        assert {ABOUT.repository, ABOUT.address} - {""} <= links
        if name in CHAPTERS:
            heading = soup(name).select_one("article h1").get_text().removesuffix("#")
            entry = footer.select_one("pre").get_text()
            assert f"chapter = {{{name[6]}}}" in entry
            assert f"title = {{{{{heading.partition('. ')[2]}}}}}" in entry


@pytest.mark.parametrize("name", [FRONT, CHAPTERS[0]])
def test_a_shared_link_shows_title_and_sentence(name):
    said = {e["property"]: e["content"] for e in soup(name).select("meta[property]")}
    assert said["og:site_name"] == "Why √d?"
    assert said["og:type"] == ("website" if name == FRONT else "article")
    assert said["og:title"]
    assert said["og:description"] == soup(name).select_one("meta[name=description]")["content"]


def test_a_card_is_named_only_with_an_absolute_address(monkeypatch):
    assert bool(soup(FRONT).select("meta[property='og:image']")) == bool(ABOUT.site)
    builder = SimpleNamespace(get_target_uri=lambda page: f"{page}.html")
    for base, card in (("https://a.example/b", "https://a.example/b/_static/card.png"), ("", "")):
        monkeypatch.setattr(colophon, "read_about", lambda _, at=base: replace(ABOUT, site=at))
        context = {}
        add_to_page(SimpleNamespace(builder=builder, srcdir=ROOT), "book/index", "", context, None)
        assert context["card"] == card
        assert context["own_address"].startswith(base)
        assert base in context["bibtex"]


@pytest.mark.parametrize(("known", "chapter"), [(True, ""), (False, "3")])
def test_what_is_not_known_is_not_said(known, chapter):
    values = {
        "authors": (("Ada", "Byron"),),
        "doi": "10.1/2",
        "repository": "https://r.example",
    }
    about = replace(ABOUT, **values if known else dict.fromkeys(values, "") | {"authors": ()})
    text = (ROOT / "book" / "_templates" / "colophon.html").read_text("utf-8")
    page = {"about": about, "chapter": chapter, "page_title": "T", "bibtex": about.bibtex(chapter)}
    made = BeautifulSoup(Template(text).render(page), "html.parser")
    links = {link["href"] for link in made.select("a") if "licens" not in link["href"]}
    assert links == ({"https://r.example", "https://doi.org/10.1/2"} if known else set())
    assert ("Ada Byron" in made.get_text()) == known
    assert ("(chapter 3)" in made.get_text()) == bool(chapter)


def test_the_card_has_the_size_that_links_are_shown_with():
    with Image.open(SITE / "_static" / "card.png") as card:
        assert card.format == "PNG"
        assert card.size == (1200, 630)


def test_the_contents_panel_closes_when_a_link_of_it_is_tapped(visit):
    page = visit(CHAPTERS[0], width=360).page
    page.locator(".secondary-toggle").click()
    panel = page.locator("dialog#pst-secondary-sidebar-modal")
    assert panel.evaluate("e => e.open")
    panel.locator(".page-toc a").last.click()
    assert not panel.evaluate("e => e.open")
    assert page.url.rpartition("#")[2]
