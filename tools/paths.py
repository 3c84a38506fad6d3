"""Where things are in this repository."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BOOK = ROOT / "book"
BUILD = ROOT / "_build"
HTML = BUILD / "html"
LITE = BUILD / "lite"  # what `make lite` has made
CONFIG = ROOT / "_config.yml"


def pages() -> list[Path]:
    """Return the pages that are plain Markdown."""
    return sorted([*BOOK.glob("*.md"), *(BOOK / "api").glob("*.md")])


def notebooks() -> list[Path]:
    """Return every notebook in reading order: the first page, and deeper pages after theirs.

    Chapter 1 is ``01-….ipynb``, its deeper pages are ``1a-….ipynb``, ``1b-….ipynb``.
    """
    return sorted(
        BOOK.glob("*.ipynb"), key=lambda path: path.name.lstrip("0").replace("index", "0")
    )
