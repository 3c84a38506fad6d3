"""What a page may run: scripts of the site's own files, and WebAssembly. Nothing inline."""

import re

import pytest
from built_site import CHAPTERS, FRONT, PAGES, REDIRECT, SITE, soup

POLICY = "script-src 'self' 'wasm-unsafe-eval'"
DATA = {"application/json"}  # what a browser does not run
INLINE = "const s = document.createElement('script'); s.text = 'window.ran = true';"


def test_every_page_has_the_policy_and_no_script_stands_in_it():
    for name in (*PAGES, REDIRECT):
        text, page = (SITE / name).read_text("utf-8"), soup(name)
        policy = re.search(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', text)
        assert policy, name
        assert policy[1].removesuffix(" file:") == POLICY  # Firefox needs that for a download
        first = text.find("<script")
        assert first < 0 or policy.start() < first
        inline = [s for s in page.select("script:not([src])") if s.get("type") not in DATA]
        handlers = [key for e in page.find_all(True) for key in e.attrs if key.startswith("on")]
        assert inline == handlers == page.select("[href^='javascript:']") == [], name


@pytest.mark.parametrize("name", [FRONT, CHAPTERS[0], "search.html"])
def test_a_page_works_under_its_policy(visit, name):
    opened = visit(name)
    opened.page.wait_for_load_state("networkidle")
    assert opened.troubles == []
    assert opened.page.evaluate(f"{INLINE} document.head.append(s); window.ran") is None
    assert any("Content Security Policy" in trouble for trouble in opened.troubles)


def test_what_the_theme_wrote_into_pages_still_works(visit):
    search = visit("search.html").page
    assert search.evaluate("document.activeElement.name") == "q"
    page = visit(CHAPTERS[0]).page
    page.evaluate("() => { window.print = () => { window.printed = true; }; }")
    page.evaluate("document.querySelector('.btn-download-pdf-button').click()")
    assert page.evaluate("window.printed")
    page.evaluate("localStorage.setItem('mode', localStorage.theme = 'dark')")
    page.reload()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
