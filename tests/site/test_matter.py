"""Front and back matter: the glossary, the notation, the bibliography, the changelog."""

import re
from pathlib import Path

import nbformat
import pytest
from pybtex.database import parse_file

from tools.paths import BOOK, notebooks, pages
from why_sqrt_d.ch7 import models
from why_sqrt_d.exercises import all_exercises

TERM = re.compile(r"\]\(glossary\.md#(term-[\w-]+)\)")
ENTRY = re.compile(r'^- <a id="(term-[\w-]+)"></a>\*\*(.+?)\*\*: ', re.M)
LINK = re.compile(r"\[([^\[\]]+)\]\([^()#]*#([\w-]+)\)")
SOURCES = parse_file(BOOK / "references.bib").entries


def chapter(path: Path) -> list[str]:
    """Return the Markdown cells of a notebook."""
    cells = nbformat.read(path, as_version=4).cells
    return [cell.source for cell in cells if cell.cell_type == "markdown"]


def glossary() -> list[str]:
    """Return the anchors of the glossary's terms, in its order."""
    return [anchor for anchor, _ in ENTRY.findall((BOOK / "glossary.md").read_text("utf-8"))]


LINKED = {path.name: TERM.findall("\n".join(chapter(path))) for path in notebooks()}


def test_the_glossary_is_in_the_order_of_the_alphabet_and_names_nothing_twice() -> None:
    entries = ENTRY.findall((BOOK / "glossary.md").read_text(encoding="utf-8"))
    terms = [term.lower() for _, term in entries]
    assert terms == sorted(set(terms))
    assert len(terms) > 40
    for anchor, term in entries:
        assert anchor == "term-" + re.sub(r"[^A-Za-z0-9]+", "-", term).strip("-")


@pytest.mark.parametrize("term", glossary())
def test_a_chapter_links_to_the_term(term: str) -> None:
    assert any(term in linked for linked in LINKED.values())


@pytest.mark.parametrize("name", LINKED)
def test_links_lead_to_terms_and_stand_at_the_first_use_only(name: str) -> None:
    linked = LINKED[name]
    assert set(linked) <= set(glossary())
    assert len(linked) == len(set(linked))


def test_every_section_and_name_in_the_notation_table_has_a_link() -> None:
    rows = [
        line
        for line in (BOOK / "notation.md").read_text(encoding="utf-8").splitlines()
        if line.startswith("| $")
    ]
    assert len(rows) > 40
    for row in rows:
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]]
        assert len(cells) == 5, row
        assert re.search(r"\[chapter (\d)\]\(0?\1[a-z]?-[\w-]+\.ipynb#ch\1", cells[3]), row
        assert "`" in cells[4], row


def citations() -> list[tuple[str, str, str]]:
    """Return what stands before a link to a source, the link's text and the source's key."""
    texts = [text for path in notebooks() for text in chapter(path)]
    texts += [path.read_text(encoding="utf-8") for path in pages()]
    texts += [found.statement for found in all_exercises()]
    found = [
        (text[: link.start()], link[1], link[2]) for text in texts for link in LINK.finditer(text)
    ]
    return [citation for citation in found if citation[2] in SOURCES]


def test_every_entry_of_the_bibliography_is_cited() -> None:
    cited = {model.paper for model in models.read().values() if model.paper}
    assert set(SOURCES) == cited | {key for _, _, key in citations()}


def test_a_source_is_named_by_its_authors_and_year() -> None:
    """As "[A and B, 2017]" or "A *et al.* [2017]", where what is linked has the year."""
    found = citations()
    assert len(found) > 100
    for before, text, key in found:
        people = [str(person.rich_last_names[0]) for person in SOURCES[key].persons["author"]]
        names = f"{people[0]} *et al.*" if len(people) > 2 else " and ".join(people)
        year = SOURCES[key].fields.get("year", "n.d.")
        named = f"{before.removesuffix('[').rstrip()}, {text}" if text == year else text
        assert named.endswith(f"{names}, {year}"), (text, key)
