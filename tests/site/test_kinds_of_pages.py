"""A page of each kind, wide and light, narrow and dark: console, fonts, width, and axe-core.

All pages have one template and the same style sheets; `test_delivery.py` measures all of them.
"""

import pytest
from built_site import CHAPTERS, DECKS, DEEPER, FRONT, LEDGER, LISTINGS, PAGES, REFERENCE
from page_checks import all_troubles

OTHERS = ("7a-models", "bibliography", "changelog", "glossary", "notation", "teaching", "text-a")
KINDS = [FRONT, CHAPTERS[0], CHAPTERS[3], DEEPER[0], LEDGER, REFERENCE, "search.html"]
KINDS += [f"book/{name}.html" for name in OTHERS] + ["book/api/scores.html", LISTINGS[0]]


@pytest.mark.parametrize(("width", "theme"), [(1280, "light"), (360, "dark")])
@pytest.mark.parametrize("name", KINDS)
def test_nothing_is_wrong_with_the_page(visit, name, width, theme):
    troubles = all_troubles(visit(name, width=width, theme=theme), theme)
    assert not troubles, "\n".join(troubles)


def test_the_kinds_are_pages():
    assert set(KINDS) <= {*PAGES, *DECKS, *LISTINGS}
