"""The built site as files: which pages there are, and what is in them."""

import gc
import os
import re
from functools import cache
from pathlib import Path

from bs4 import BeautifulSoup

from tools.print_book import SPOKEN
from why_sqrt_d.exercises.registry import asked_on

# What has no element of its own in `soup`: the letters of a formula, the words of code.
LETTERS = re.compile(
    r'<span class="(?:[a-z]\w?|m(?:ord|rel|bin|open|close|punct|space)\b[^"]*|p?strut|vlist-s)"'
    r"[^>]*>([^<]*)</span>"
)
ROOT = Path(__file__).resolve().parents[2]
SITE = Path(os.environ.get("COURSE_SITE") or ROOT / "_build" / "html").resolve()
FRONT = "book/index.html"
LEDGER = "book/claims.html"
REDIRECT = "index.html"
MISSING = "404.html"
SOURCES = sorted(
    path for kind in ("*.ipynb", "*.md", "api/*.md") for path in ROOT.glob(f"book/{kind}")
)
REQUIRED = (
    "search.html",
    *(source.relative_to(ROOT).with_suffix(".html").as_posix() for source in SOURCES),
)


def _pages() -> tuple[str, ...]:
    found = {path.relative_to(SITE).as_posix() for path in SITE.rglob("*.html")}
    # Not ours: the theme's fragments, the listings of code, JupyterLite.
    foreign = ("_static/", "_modules/", "lite/")
    parts = {name for name in found if name.startswith(foreign)}
    return tuple(sorted((found - parts - {REDIRECT, MISSING}) | set(REQUIRED)))


PAGES = _pages()
CHAPTERS = tuple(name for name in PAGES if re.match(r"book/0\d-", name))
ASKED_ON = {name: f"book/{page}.html" for name, page in asked_on(ROOT / "book").items()}
DEEPER = tuple(name for name in PAGES if re.match(r"book/\d[a-z]-", name))


def place_of(exercise: str) -> str:
    """Return where an exercise is asked; a visit there unfolds it."""
    return f"{ASKED_ON[exercise]}#asked-{exercise.replace('.', '-')}"


def chapter_page(chapter: str) -> str:
    """Return the page of a chapter, "2" for example."""
    return next(name for name in CHAPTERS if name.startswith(f"book/{chapter:0>2}-"))


def count_of(name: str, mark: str) -> int:
    """Count a mark on a page without parsing it: cheap enough for collecting tests."""
    return (SITE / name).read_text(encoding="utf-8").count(mark)


@cache
def soup(name: str) -> BeautifulSoup:
    """Parse a page once for all tests, without what SPOKEN and LETTERS say; do not change it."""
    gc.disable()  # the collector would look at each of a million objects, again and again
    text = LETTERS.sub(r"\1", SPOKEN.sub("", (SITE / name).read_text(encoding="utf-8")))
    parsed = BeautifulSoup(text, "html.parser")
    gc.freeze()
    gc.enable()
    return parsed
