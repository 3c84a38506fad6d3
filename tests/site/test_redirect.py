"""The site's root leads to the front page, on a server and on the file system."""

import re

import pytest
from built_site import FRONT, REDIRECT


@pytest.mark.parametrize("source", ["http", "file"])
def test_the_root_leads_to_the_front_page(visit, source):
    opened = visit(FRONT, source=source)
    opened.page.goto(opened.base + REDIRECT)
    opened.page.wait_for_url(opened.base + FRONT)
    assert opened.page.title().startswith("Why √d?")
    # A browser does not load fonts ahead from a folder, and says so.
    assert [t for t in opened.troubles if not re.search("CORS|ERR_FAILED|preload", t)] == []
