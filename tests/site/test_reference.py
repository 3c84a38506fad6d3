"""The package's reference on the built site: every name has its place and its words."""

import re

import pytest
from built_site import CHAPTERS, PAGES, ROOT, soup

DIRECTIVE = re.compile(
    r"^\.\. (currentmodule|(?:auto)?(?:function|class|data)):: (\S+?)(?:\(\))?$", re.M
)
REFERENCE = [name for name in PAGES if name.startswith("book/api/") and "index" not in name]


def listed(page):
    """The full names that a page's source lists."""
    module = ""
    source = (ROOT / page).with_suffix(".md").read_text(encoding="utf-8")
    for kind, name in DIRECTIVE.findall(source):
        if kind == "currentmodule":
            module = name
        else:
            yield f"{module}.{name}"


@pytest.mark.parametrize("name", REFERENCE)
def test_every_name_is_there_with_a_description(name):
    found = list(listed(name))
    assert found
    for full in found:
        signature = soup(name).find(id=full)
        assert signature is not None, full
        words = signature.find_next_sibling("dd").get_text(" ").split()
        assert len(words) >= 5, full


@pytest.mark.parametrize("name", REFERENCE)
def test_no_markup_is_left_in_the_words(name):
    text = soup(name).find("article").get_text(" ")
    for sign in ("``", ":ref:", ":attr:", "Alias for field number", "dict() ->", "{ref}", "{doc}"):
        assert sign not in text, sign


@pytest.mark.parametrize("name", [page for page in CHAPTERS if "06" not in page])
def test_chapters_link_to_the_glossary(name):
    links = soup(name).select("article a[href^='glossary.html#term-']")
    assert len(links) >= 8


def test_a_card_of_the_first_page_leads_to_every_chapter():
    links = soup("book/index.html").select("ul.cards a[href]")
    assert [f"book/{link['href']}" for link in links] == list(CHAPTERS)


@pytest.mark.parametrize("name", REFERENCE)
def test_each_function_and_class_leads_to_its_lines(name):
    for full in listed(name):
        signature = soup(name).find(id=full)
        link = signature.select_one("a[href*='_modules/']")
        short = full.rpartition(".")[2]
        if link is None:
            assert short.isupper(), full  # a table, not code
            continue
        page, _, anchor = link["href"].partition("#")
        listing = soup(str((ROOT / name).parent.joinpath(page).resolve().relative_to(ROOT)))
        code = listing.find(id=anchor).get_text()
        assert re.search(rf"(def|class) {short}\b", code), full


def test_a_protocol_has_no_arguments():
    signature = soup("book/api/scores.html").find(id="attn_helpers.laws.ScoreLaw")
    assert "args" not in signature.get_text()
