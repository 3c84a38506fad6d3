"""The site's root leads to the front page, on a server and on the file system."""

import re

import pytest
from built_site import FRONT, REDIRECT
from page_checks import NO_FONTS_AHEAD


@pytest.mark.parametrize("source", ["http", "file"])
def test_the_root_leads_to_the_front_page(visit, source):
    opened = visit(FRONT, source=source)
    opened.page.goto(opened.base + REDIRECT)
    opened.page.wait_for_url(opened.base + FRONT)
    assert opened.page.title().startswith("Why √d?")
    assert [t for t in opened.troubles if not re.search(NO_FONTS_AHEAD, t)] == []
