"""Print the whole course as one PDF: `python -m tools.print_book`, after `make book`.

`tools.print_pages` joins the built pages into one file, and Chromium prints it twice: the first
printing shows on which page every heading came to stand, for the table of contents of the second.
The PDF lands in `_build/pdf` and beside the site's pages, whose first page then links to it.
"""

import re
import shutil
import sys
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from playwright.sync_api import sync_playwright
from pypdf import PdfReader, PdfWriter
from pypdf.generic import NameObject, TextStringObject

from tools.chromium import FLAGS, find_chromium
from tools.paths import BUILD, HTML
from tools.print_pages import joined

NAME = "why-sqrt-d.pdf"
FOLDER = BUILD / "pdf"
FRONT = HTML / "book" / "index.html"
PLACE = re.compile(r'<span class="printed-edition">.*?</span>', re.S)
NUMBER = re.compile("data-to='([^']+)'>")  # of a page, in the contents
DOUBLED = re.compile(r"(?:(.+?)\1)+")
PATIENCE = 300_000  # milliseconds for one printing


def printing(browser: Any, html: Path) -> bytes:
    """Print one HTML file; a file that it names and that is not there stops everything."""
    page = browser.new_page()
    missing: list[str] = []
    page.on("requestfailed", lambda request: missing.append(request.url))
    page.set_default_timeout(PATIENCE)
    page.goto(html.as_uri(), timeout=PATIENCE)
    page.evaluate("document.fonts.ready")
    if missing:
        raise RuntimeError(f"the page names files that are not there: {missing[:3]}")
    pdf = page.pdf(prefer_css_page_size=True, print_background=True, outline=True, tagged=True)
    page.close()
    return bytes(pdf)


def destinations(pdf: bytes) -> dict[str, int]:
    """Return the page, from 1 up, on which each named anchor stands."""
    reader = PdfReader(BytesIO(pdf))
    places = reader.named_destinations.items()
    found = {name: reader.get_destination_page_number(place) for name, place in places}
    return {unquote(name.removeprefix("/")): n + 1 for name, n in found.items() if n is not None}


def bookmarked(pdf: bytes) -> bytes:
    """Mend the bookmarks: Chromium says twice what stands at the top of a page, "KeysKeys"."""
    writer = PdfWriter(clone_from=BytesIO(pdf))
    for mark in writer._objects:
        title = str(mark.get("/Title", "")) if isinstance(mark, dict) else ""
        if isinstance(mark, dict) and DOUBLED.fullmatch(title):
            mark[NameObject("/Title")] = TextStringObject(re.sub(r"(.+?)\1", r"\1", title))
    mended = BytesIO()
    writer.write(mended)
    return mended.getvalue()


def print_book(browser: Any, folder: Path, site: Path = HTML) -> Path:
    """Print the built site into a folder, beside the HTML that it is printed from."""
    folder.mkdir(parents=True, exist_ok=True)
    html, text = folder / "book.html", joined(site)
    html.write_text(text, encoding="utf-8")
    numbers = destinations(printing(browser, html))
    html.write_text(NUMBER.sub(lambda at: f"{at[0]}{numbers[at[1]]}", text), encoding="utf-8")
    (folder / NAME).write_bytes(bookmarked(printing(browser, html)))
    return folder / NAME


def publish(pdf: Path) -> None:
    """Put the PDF beside the site's pages and link it from the first."""
    shutil.copyfile(pdf, HTML / NAME)
    pages, size = len(PdfReader(pdf).pages), pdf.stat().st_size / 1e6
    link = f'<a href="../{NAME}">the whole course as one PDF</a> ({pages} pages, {size:.1f} MB)'
    said = f'<span class="printed-edition">{link}</span>'
    FRONT.write_text(PLACE.sub(said, FRONT.read_text("utf-8")), "utf-8")
    print(f"{pages} pages: {pdf}, linked from {FRONT}")


def main() -> int:
    """Print and publish."""
    with sync_playwright() as playwright:
        path = find_chromium(playwright.chromium.executable_path)
        if path is None:
            print("No Chromium: install one (Debian: apt install chromium).", file=sys.stderr)
            return 1
        with playwright.chromium.launch(executable_path=path, args=FLAGS) as browser:
            publish(print_book(browser, FOLDER))
    return 0


if __name__ == "__main__":
    sys.exit(main())
