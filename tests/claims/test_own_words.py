"""What the course says of its sources it says in its own words, or in quotation marks.

The four texts are not the course's to give away. `sources.runs` holds five bytes of a hash of each
of their runs of eight words, one after the other; it was made, where the texts lie in a folder, by
`python tests/claims/test_own_words.py FOLDER`.
"""

import re
import sys
from hashlib import blake2b
from pathlib import Path

import nbformat

from tools.paths import ROOT

HASHES = Path(__file__).with_name("sources.runs")
RUN = 8  # words in a row that two people do not write by chance
SIZE = 5  # bytes: among 200 000 runs of ours and 5000 of theirs, one in a thousand meets by chance
QUOTED = re.compile(r"“[^”]*”")
DROPPED = re.compile(r"```.*?```|<!--.*?-->|\$[^$]*\$|\]\([^)]*\)", re.S)


def runs(text: str) -> dict[bytes, str]:
    """Return every run of so many words, by its hash."""
    words = re.findall(r"[^\W\d_]+", DROPPED.sub(" ", text).lower())
    found = (" ".join(words[i : i + RUN]) for i in range(len(words) - RUN + 1))
    return {blake2b(run.encode(), digest_size=SIZE).digest(): run for run in found}


def copied(text: str, theirs: set[bytes]) -> list[str]:
    """Return the runs of a text that are theirs, quotations left out."""
    ours = runs(QUOTED.sub(" ", text))
    return sorted(ours[key] for key in ours.keys() & theirs)


def pages() -> dict[str, str]:
    """Return the prose of every page by the file's name, and that of the exercises and claims."""
    found = {}
    for path in sorted((ROOT / "book").glob("*.ipynb")):
        cells = nbformat.read(path, as_version=4).cells
        found[path.name] = "\n\n".join(c.source for c in cells if c.cell_type == "markdown")
    for pattern in ("book/*.md", "book/*.yml", "why_sqrt_d/ch*/questions.*"):
        found |= {str(p.relative_to(ROOT)): p.read_text() for p in sorted(ROOT.glob(pattern))}
    return found


def test_no_page_copies_eight_words() -> None:
    stored = HASHES.read_bytes()
    theirs = {stored[i : i + SIZE] for i in range(0, len(stored), SIZE)}
    found = {name: copied(text, theirs) for name, text in pages().items()}
    assert {name: lines for name, lines in found.items() if lines} == {}


if __name__ == "__main__":
    texts = [path.read_text() for path in Path(sys.argv[1]).glob("*.txt")]
    HASHES.write_bytes(b"".join(sorted(set().union(*map(runs, texts)))))
