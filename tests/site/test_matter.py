"""Front and back matter: the glossary, the notation, the bibliography, the changelog."""

import re
import tomllib
from pathlib import Path

import nbformat
import pytest
import yaml

import attn_helpers
from tools.paths import BOOK, ROOT, notebooks, pages

TERM = re.compile(r"\{term\}`(?:[^`<]*<)?([^`<>]+)>?`")
CITED = re.compile(r"\{cite(?::\w+)?\}`([^`]+)`")


def chapter(path: Path) -> list[str]:
    """Return the Markdown cells of a notebook."""
    cells = nbformat.read(path, as_version=4).cells
    return [cell.source for cell in cells if cell.cell_type == "markdown"]


def glossary() -> list[str]:
    """Return the terms of the glossary, in its order."""
    text = (BOOK / "glossary.md").read_text(encoding="utf-8")
    block = text.split("```{glossary}\n")[1].split("```")[0]
    return [line for line in block.splitlines() if line and not line.startswith(" ")]


LINKED = {path.name: TERM.findall("\n".join(chapter(path))) for path in notebooks()}


def test_the_glossary_is_in_the_order_of_the_alphabet_and_names_nothing_twice() -> None:
    terms = [term.lower() for term in glossary()]
    assert terms == sorted(set(terms))


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
        assert re.search(r"\{ref\}`chapter (\d) <ch\1-", cells[3]), row
        assert "`" in cells[4], row


def test_every_entry_of_the_bibliography_is_cited() -> None:
    entries = re.findall(r"^@\w+\{([^,]+),", (BOOK / "references.bib").read_text(), flags=re.M)
    assert len(entries) == len(set(entries))
    texts = ["\n".join(chapter(path)) for path in notebooks()]
    texts += [path.read_text(encoding="utf-8") for path in (*pages(), *BOOK.glob("*.yml"))]
    cited = {key.strip() for found in CITED.findall("\n".join(texts)) for key in found.split(",")}
    assert set(entries) == cited


def test_one_version_everywhere() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    newest = re.search(r"^## (\S+)", (BOOK / "changelog.md").read_text(), flags=re.M)
    assert newest
    versions = {project["version"], citation["version"], attn_helpers.__version__}
    assert len(versions) == 1
    assert newest[1] in {*versions, "Unreleased"}


MINUTES = re.compile(r"\*\*Time:\*\* about (\d+) minutes")


@pytest.mark.parametrize("path", notebooks(), ids=lambda path: path.name)
def test_the_map_says_how_long_a_chapter_takes(path: Path) -> None:
    text = (BOOK / "index.md").read_text(encoding="utf-8")
    found = MINUTES.search("\n".join(chapter(path)))
    assert found
    (row,) = [line for line in text.splitlines() if f"<{path.stem}>" in line]
    assert row.endswith(f"| {found[1]} min |")
    assert f'href="{path.stem}.html"' in text
