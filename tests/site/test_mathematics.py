"""Formulas are rendered and readable aloud; no source text is left standing on a page."""

import re

import pytest
from built_site import CHAPTERS, PAGES, soup, visible_text

from tools.chromium import FLAGS, find_shell

LEFT_OVER = {
    "a TeX command": r"\\[A-Za-z]{2,}",
    "a formula between dollars": r"\$[^$]{1,200}\$",
    "an unread role": r"\{(glue|claim|ref|cite|doc|eq|numref|term|prf)[}:]",
    "a mark": r"<!--|-->",
    "a reference that was not found": r"\?\?\?",
    "a missing value": r"\bundefined\b(?<!is undefined)|\bNaN\b|\[object Object\]",
    "a NumPy scalar": r"np\.float64\(",
    "Markdown": r"\*\*[^*\s][^*]*\*\*|```",
}
# The package's reference speaks of NaN, and of arguments such as **options.
SPOKEN_OF = ("a missing value", "Markdown")


@pytest.mark.parametrize("name", PAGES)
def test_every_formula_has_mathml(name):
    formulas = soup(name).select(".katex")
    bare = [f.get_text()[:60] for f in formulas if f.find("math") is None]
    assert not bare, f"{name}: no MathML in {bare}"


@pytest.fixture(scope="module")
def heard(browser):
    """A browser that works for a screen reader, which takes in what it has not laid out, too."""
    path = find_shell(browser.browser_type.executable_path)
    flags = [*FLAGS, "--force-renderer-accessibility"]
    started = browser.browser_type.launch(executable_path=path, args=flags)
    yield started
    started.close()


@pytest.mark.parametrize("name", CHAPTERS[2:3])
def test_a_screen_reader_finds_every_formula_near_the_view_or_far(heard, address, name):
    with heard.new_page() as page:
        page.goto(address + name)
        formulas = page.locator(".katex")
        shown = formulas.evaluate_all("a => a.filter(e => e.checkVisibility()).length")
        session = page.context.new_cdp_session(page)
        nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    roles = [node["role"]["value"] for node in nodes if not node["ignored"]]
    assert roles.count("MathMLMath") == shown > 20
    assert roles.count("MathMLIdentifier") > shown / 2


@pytest.mark.parametrize("name", CHAPTERS)
def test_chapters_have_formulas(name):
    assert len(soup(name).select(".katex")) > 20, f"{name}: was the mathematics rendered?"


@pytest.mark.parametrize("name", PAGES)
def test_no_formula_failed(name):
    page = soup(name)
    errors = [e.get("title") or e.get_text() for e in page.select(".katex-error, merror")]
    assert not errors, f"{name}: {errors}"
    unrendered = [
        e.get_text()[:80]
        for e in page.select(".math")
        if e.select_one(".katex") is None and not e.find_parent(class_="katex")
    ]
    assert not unrendered, f"{name}: not rendered: {unrendered}"


@pytest.mark.parametrize("name", PAGES)
def test_no_source_is_left_in_the_text(name):
    text = visible_text(name)
    found = {
        what: [text[max(0, m.start() - 30) : m.end() + 30] for m in re.finditer(pattern, text)]
        for what, pattern in LEFT_OVER.items()
        if not (name.startswith("book/api/") and what in SPOKEN_OF)
    }
    found = {what: places for what, places in found.items() if places}
    assert not found, f"{name}: {found}"
