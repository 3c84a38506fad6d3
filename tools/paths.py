"""Where things are in this repository."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BOOK = ROOT / "book"
BUILD = ROOT / "_build"
HTML = BUILD / "html"
CONFIG = ROOT / "_config.yml"


def pages() -> list[Path]:
    """Return the pages that are plain Markdown."""
    return sorted([*BOOK.glob("*.md"), *(BOOK / "api").glob("*.md")])


def notebooks() -> list[Path]:
    """Return the chapters' notebooks in reading order."""
    return sorted(BOOK.glob("*.ipynb"))
