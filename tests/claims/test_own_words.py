"""What the course says of its sources it says in its own words, or in quotation marks."""

import re
from itertools import pairwise

import nbformat
import pytest

from tools.paths import ROOT

SOURCES = sorted((ROOT.parent / "shared" / "seeds").glob("*.txt"))
RUN = 8  # words in a row that two people do not write by chance
QUOTED = re.compile(r"“[^”]*”")
DROPPED = re.compile(r"```.*?```|<!--.*?-->|\$[^$]*\$|\]\([^)]*\)", re.S)


def runs(text: str) -> set[tuple[str, ...]]:
    """Return every run of so many words."""
    words = re.findall(r"[^\W\d_]+", DROPPED.sub(" ", text).lower())
    return {tuple(words[i : i + RUN]) for i in range(len(words) - RUN + 1)}


def pages() -> dict[str, str]:
    """Return the prose of every page by the file's name, and that of the exercises and claims."""
    found = {}
    for path in sorted((ROOT / "book").glob("*.ipynb")):
        cells = nbformat.read(path, as_version=4).cells
        found[path.name] = "\n\n".join(c.source for c in cells if c.cell_type == "markdown")
    for pattern in (
        "book/*.md",
        "book/*.yml",
        "why_sqrt_d/ch*/*.md",
        "why_sqrt_d/ch*/questions.py",
    ):
        found |= {str(p.relative_to(ROOT)): p.read_text() for p in sorted(ROOT.glob(pattern))}
    return found


def test_a_run_is_found_and_a_quotation_is_none() -> None:
    said = "as a rule the long sentence of a source is its own"
    assert runs(said) & runs(f"We write: {said}!")
    assert not runs(said) & runs(QUOTED.sub(" ", f"We quote: “{said}”."))
    assert all(a != b for a, b in pairwise(sorted(runs(said))))


@pytest.mark.skipif(not SOURCES, reason="the sources' texts are not beside the course")
def test_no_page_copies_eight_words() -> None:
    theirs = set().union(*(runs(path.read_text()) for path in SOURCES))
    copied = {
        name: sorted(" ".join(run) for run in runs(QUOTED.sub(" ", text)) & theirs)
        for name, text in pages().items()
    }
    assert {name: found for name, found in copied.items() if found} == {}
