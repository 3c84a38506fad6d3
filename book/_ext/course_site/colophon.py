"""What every page says of itself: the footer, and what a shared link shows.

Authors, version and licence come from `CITATION.cff`. A shared link shows the page's title, its
sentence (descriptions.yml), and a card with the course's picture. A card's address has to be
absolute, so it is named only when the site's own address is known: `html.baseurl` in
`_config.yml`. The picture is there either way, `_static/card.png`.
"""

from pathlib import Path
from typing import Any

import yaml
from docutils import nodes
from sphinx.application import Sphinx

from why_sqrt_d.pictures.card import card_png

CARD = "card.png"


def read_citation(folder: Path) -> dict[str, str]:
    """Return what the footer says of the course."""
    found = yaml.safe_load((folder / "CITATION.cff").read_text("utf-8"))
    return {
        "title": found["title"].partition("?")[0] + "?",
        "full_title": found["title"],
        "version": str(found["version"]),
        "date": str(found["date-released"]),
        "authors": ", ".join(_name(person) for person in found["authors"]),
        "url": str(found.get("url", "")),
    }


def _name(person: dict[str, str]) -> str:
    if "name" in person:
        return person["name"]
    return f"{person.get('given-names', '')} {person['family-names']}".strip()


def add_to_page(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: nodes.Node
) -> None:
    """Hand a page's template what it says."""
    base = app.config.html_baseurl.rstrip("/")
    context["colophon"] = read_citation(Path(app.srcdir))
    context["card"] = f"{base}/_static/{CARD}" if base else ""
    context["own_address"] = f"{base}/{app.builder.get_target_uri(pagename)}" if base else ""


def write_card(app: Sphinx) -> None:
    """Draw the card where the site's other files are taken from."""
    path = Path(app.outdir).parent / "generated" / CARD
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(card_png())


def setup(app: Sphinx) -> None:
    """Draw before the build begins; say when a page is handed to its template."""
    app.connect("builder-inited", write_card)
    app.connect("html-page-context", add_to_page)
