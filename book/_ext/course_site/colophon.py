"""What every page says of itself: the footer, and what search engines and shared links show.

Authors, version and addresses come from `_config.yml`, the licences stand in the template. A
shared link shows the page's title, its sentence (descriptions.yml), and a card with a picture. A
card's address has to be absolute, so it is named only when the site's own address is known. The
picture is there either way, `_static/card.png`.
"""

import re
from functools import cache
from html import unescape
from pathlib import Path
from typing import Any

import yaml
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

from why_sqrt_d.about import About
from why_sqrt_d.pictures.card import card_png

from .reading import chapter_of

CARD = "card.png"
LONGEST = 160  # characters of a sentence; search engines cut what is longer
logger = logging.getLogger(__name__)


@cache
def read_descriptions(folder: Path) -> dict[str, str]:
    """Return the sentence of each page."""
    return dict(yaml.safe_load((folder / "book" / "descriptions.yml").read_text("utf-8")))


def describe(page: str, folder: Path) -> str:
    """Return a page's sentence; one that lacks, or is too long, stops the build."""
    text = read_descriptions(folder).get(page, "")
    if not 50 <= len(text) <= LONGEST:
        logger.warning("book/descriptions.yml has %d characters for %s", len(text), page)
    return text


def add_to_page(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: nodes.Node
) -> None:
    """Hand a page's template what it says."""
    about = About.read(Path(app.srcdir))
    chapter = chapter_of(pagename)
    heading = unescape(re.sub(r"<[^>]*>", "", context.get("title", "")))
    title = re.sub(r"^[\d.]+\s", "", heading) if chapter else ""
    context["about"], context["chapter"], context["page_title"] = about, chapter, title
    context["bibtex"] = about.bibtex(chapter, title)
    context["card"] = f"{about.site}/_static/{CARD}" if about.site else ""
    uri = app.builder.get_target_uri(pagename)
    if doctree is not None:  # the search page is none of ours
        context["description"] = describe(pagename, Path(app.srcdir))
    context["own_address"] = f"{about.site}/{uri}" if about.site else ""


def write_card(app: Sphinx) -> None:
    """Draw the card where the site's other files are taken from."""
    path = Path(app.outdir).parent / "generated" / CARD
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(card_png())


def setup(app: Sphinx) -> None:
    """Draw before the build begins; say when a page is handed to its template."""
    app.connect("builder-inited", write_card)
    app.connect("html-page-context", add_to_page)
