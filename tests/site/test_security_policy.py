"""What a page may run: scripts of the site's own files, and WebAssembly. Nothing inline."""

import re

from built_site import PAGES, REDIRECT, SITE

POLICY = "script-src 'self' 'wasm-unsafe-eval'"
INLINE = "const s = document.createElement('script'); s.text = 'window.ran = true';"


def test_every_page_has_the_policy_before_its_first_script():
    for name in (*PAGES, REDIRECT):
        text = (SITE / name).read_text("utf-8")
        policy = re.search(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', text)
        assert policy, name
        assert policy[1].removesuffix(" file:") == POLICY  # Firefox needs that for a download
        assert "<script" not in text[: policy.start()]
        # An inline script would be told when the page is visited, these only when they are used.
        assert not re.search(r"""<[a-z][^<>]* (on[a-z]+=|href=["']javascript:)""", text), name


def test_a_page_runs_nothing_inline_and_what_the_theme_wrote_inline_still_works(visit):
    assert visit("search.html").page.evaluate("document.activeElement.name") == "q"
    opened = visit("book/glossary.html")
    page = opened.page
    page.evaluate("() => { window.print = () => { window.printed = true; }; }")
    page.evaluate("document.querySelector('.btn-download-pdf-button').click()")
    assert page.evaluate("window.printed")
    assert page.evaluate(f"{INLINE} document.head.append(s); window.ran") is None
    assert any("Content Security Policy" in trouble for trouble in opened.troubles)
    page.evaluate("localStorage.setItem('mode', localStorage.theme = 'dark')")
    page.reload()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
