"""Print the whole course as one PDF: `python -m tools.print_book`, after `make book`.

Chromium prints twice. The first printing shows on which page every heading came to stand; these
numbers go into the table of contents, and the second printing is the book. It lands in
`_build/pdf` and beside the site's pages, whose first page then links to it.
"""

import re
import shutil
import sys
import time
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from pypdf import PdfReader, PdfWriter
from pypdf.generic import NameObject, TextStringObject

from tools.chromium import FLAGS, find_chromium
from tools.paths import BUILD, HTML
from tools.print_fonts import write_fonts
from tools.print_pages import Printed

NAME = "why-sqrt-d.pdf"
FOLDER = BUILD / "pdf"
FRONT = HTML / "book" / "index.html"
PLACE = re.compile(r'<span class="printed-edition">.*?</span>', re.S)
DOUBLE = re.compile(r"(.+?)\1")
DOUBLED = re.compile(r"(?:(.+?)\1)+")  # piece by piece, if a heading is made of several
PATIENCE = 300_000  # milliseconds for one printing
PASSES = 4


def destinations(reader: PdfReader) -> dict[str, int]:
    """Return the page, from 1 up, on which each named anchor stands."""
    found = reader.named_destinations.items()
    pages = {name: reader.get_destination_page_number(place) for name, place in found}
    known = {name: page + 1 for name, page in pages.items() if page is not None}
    return {unquote(name.removeprefix("/")): page for name, page in known.items()}


def print_once(browser: Any, html: Path) -> bytes:
    """Print one HTML file; a file that it names and that is not there stops everything."""
    page = browser.new_page()
    missing: list[str] = []
    page.on("requestfailed", lambda request: missing.append(request.url))
    try:
        page.set_default_timeout(PATIENCE)
        page.goto(html.as_uri(), timeout=PATIENCE)
        page.evaluate("document.fonts.ready")
        if missing:
            raise RuntimeError(f"the page names files that are not there: {missing[:3]}")
        options = {"prefer_css_page_size": True, "print_background": True}
        return bytes(page.pdf(**options, outline=True, tagged=True))
    finally:
        page.close()


def bookmarked(pdf: bytes) -> bytes:
    """Mend the bookmarks: Chromium says twice what stands at the top of a page, "KeysKeys"."""
    writer = PdfWriter(clone_from=BytesIO(pdf))
    for mark in _bookmarks(writer.root_object["/Outlines"].get_object()):
        title = str(mark.get("/Title", ""))
        if DOUBLED.fullmatch(title):
            mark[NameObject("/Title")] = TextStringObject(DOUBLE.sub(r"\1", title))
    mended = BytesIO()
    writer.write(mended)
    return mended.getvalue()


def _bookmarks(above: Any) -> Iterator[Any]:
    mark = above.get("/First")
    while mark is not None:
        mark = mark.get_object()
        yield mark
        yield from _bookmarks(mark)
        mark = mark.get("/Next")


def print_book(browser: Any, folder: Path, site: Path = HTML) -> Path:
    """Print the built site until its table of contents agrees with the pages; return the PDF.

    `folder` gets the PDF and the HTML that it is printed from.
    """
    folder.mkdir(parents=True, exist_ok=True)
    book, html, numbers = Printed(site), folder / "book.html", dict[str, int]()
    fonts = write_fonts(site, folder)
    for _ in range(PASSES):
        html.write_text(book.html(numbers, fonts), encoding="utf-8")
        pdf = print_once(browser, html)
        found = destinations(PdfReader(BytesIO(pdf)))
        if lost := sorted(book.referred() - set(found)):
            raise RuntimeError(f"no page is known for {lost[:3]}")
        if found == numbers:
            part = folder / f"{NAME}.part"
            part.write_bytes(bookmarked(pdf))
            part.replace(folder / NAME)
            return folder / NAME
        numbers = found
    raise RuntimeError(f"the page numbers still change after {PASSES} printings")


def publish(pdf: Path) -> int:
    """Put the PDF beside the site's pages and link it from the first; return its pages."""
    shutil.copyfile(pdf, HTML / NAME)
    pages = len(PdfReader(pdf).pages)
    count = f"{pages} page" + ("s" if pages != 1 else "")
    size = pdf.stat().st_size / 1e6
    link = f'<a href="../{NAME}">the whole course as one PDF</a> ({count}, {size:.1f} MB)'
    text = FRONT.read_text(encoding="utf-8")
    said = f'<span class="printed-edition">{link}</span>'
    changed, places = PLACE.subn(said, text)
    if places != 1:
        raise RuntimeError(f"{FRONT} has {places} places for the link to the printed edition")
    part = FRONT.with_suffix(".part")
    part.write_text(changed, encoding="utf-8")
    part.replace(FRONT)
    return pages


def main() -> int:
    """Print, publish, and say where it is."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        print("Playwright is missing: `make pdf` installs it.", file=sys.stderr)
        return 1
    start = time.monotonic()
    with sync_playwright() as playwright:
        path = find_chromium(playwright.chromium.executable_path)
        if path is None:
            print("No Chromium: install one (Debian: apt install chromium).", file=sys.stderr)
            return 1
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        pdf = print_book(browser, FOLDER)
        browser.close()
    pages = publish(pdf)
    print(f"{pages} pages in {time.monotonic() - start:.0f} s: {pdf}, linked from {FRONT}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
