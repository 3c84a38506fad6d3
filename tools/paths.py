"""Where things are in this repository."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BOOK = ROOT / "book"
BUILD = ROOT / "_build"
HTML = BUILD / "html"
CONFIG = ROOT / "_config.yml"


def pages() -> list[Path]:
    """Return the pages that are plain Markdown."""
    return sorted([*BOOK.glob("*.md"), *(BOOK / "api").glob("*.md")])


def chapter_of(path: Path) -> tuple[int, str]:
    """Return a notebook's chapter, and the letter of a deeper page of it ("" for the chapter).

    >>> chapter_of(Path("03-softmax.ipynb")), chapter_of(Path("3b-order.ipynb"))
    ((3, ''), (3, 'b'))
    """
    found = re.match(r"(\d+)([a-z]?)-", path.name)
    if not found:
        raise ValueError(f"{path.name} should begin with its chapter, as 03-… or 3b-…")
    return int(found[1]), found[2]


def notebooks() -> list[Path]:
    """Return the notebooks in reading order: each chapter, and its deeper pages behind it."""
    return sorted(BOOK.glob("*.ipynb"), key=chapter_of)


def chapters() -> list[Path]:
    """Return the chapters' notebooks, without the deeper pages."""
    return [path for path in notebooks() if not chapter_of(path)[1]]
