"""Front and back matter: the glossary, the notation, the bibliography, the changelog."""

import importlib
import inspect
import pkgutil
import re
import sys
from pathlib import Path

import nbformat
from pybtex.database import parse_file

import attn_helpers
from tools.paths import BOOK, notebooks, pages
from why_sqrt_d.ch7 import real_models as models
from why_sqrt_d.exercises import all_exercises

sys.path.insert(0, str(BOOK / "_ext"))
from course_site import api

TERM = re.compile(r"\]\(glossary\.md#(term-[\w-]+)\)")
ENTRY = re.compile(
    r'^- <a id="(term-[\w-]+)"></a>\*\*(.+?)\*\*(?:<!-- also [^<>]+ -->)?: [A-Zμ$1]', re.M
)
LINK = re.compile(r"\[([^\[\]]+)\]\([^()#]*#([\w-]+)\)")
ENTRIES = ENTRY.findall((BOOK / "glossary.md").read_text("utf-8"))
SOURCES = parse_file(BOOK / "references.bib").entries


def chapter(path: Path) -> list[str]:
    """Return the Markdown cells of a notebook."""
    cells = nbformat.read(path, as_version=4).cells
    return [cell.source for cell in cells if cell.cell_type == "markdown"]


def test_the_glossary_is_in_the_order_of_the_alphabet_and_names_nothing_twice() -> None:
    terms = [term.lower() for _, term in ENTRIES]
    assert terms == sorted(set(terms))
    assert len(terms) > 40
    for anchor, term in ENTRIES:
        assert anchor == "term-" + re.sub(r"[^A-Za-z0-9]+", "-", term).strip("-")


def test_links_lead_to_terms_at_their_first_use_and_every_term_has_one() -> None:
    linked = [TERM.findall("\n".join(chapter(path))) for path in notebooks()]
    assert {term for terms in linked for term in terms} == {anchor for anchor, _ in ENTRIES}
    assert all(len(terms) == len(set(terms)) for terms in linked)


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


def docstrings() -> list[str]:
    """Return what the reference is made of, without the examples."""
    modules = pkgutil.walk_packages(attn_helpers.__path__, "attn_helpers.")
    texts = [inspect.getsource(importlib.import_module(module.name)) for module in modules]
    found = [text for source in texts for text in re.findall(r'"""(.+?)"""', source, re.S)]
    return [text.partition(">>>")[0] for text in found]


def test_every_entry_of_the_bibliography_is_cited() -> None:
    cited = {model.paper for model in models.read().values() if model.paper}
    named = api.sources(BOOK / "references.bib").items()
    cited |= {key for key, name in named if any(map(name.search, docstrings()))}
    assert set(SOURCES) == cited | {key for _, _, key in citations()}


def test_what_the_docstrings_cite_is_in_the_bibliography() -> None:
    """A name and a year, as in "Dao et al. (2022)", is cited and becomes a link."""
    known = api.sources(BOOK / "references.bib").values()
    years = 0
    for text in docstrings():
        linked = {found.start(2) for name in known for found in name.finditer(text)}
        for found in re.finditer(r"[A-Z][\w.]+,? \(?((?:1[89]|20)\d\d)\b", text):
            assert found.start(1) in linked, found[0]
            years += 1
    assert years > 20


def test_authors_are_named_in_full_and_sources_have_an_address() -> None:
    lasting = {"doi", "eprint", "url", "isbn"}
    for key, source in SOURCES.items():
        assert "others" not in map(str, source.persons["author"]), key
        assert lasting & set(source.fields) or "no lasting address" in source.fields["note"], key


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
