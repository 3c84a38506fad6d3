"""Formulas are rendered and readable aloud; no source text is left standing on a page."""

import re

from built_site import PAGES, SITE, soup, visible_text
from fontTools.ttLib import TTFont

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


def letters_of(path):
    return {chr(code) for code in TTFont(path).getBestCmap()}


def test_the_cut_fonts_have_every_character_of_the_formulas():
    """Else a formula shows a letter of another face: it belongs into `tools.fonts`."""
    faces = ["Main-Regular", "Math-Italic", "AMS-Regular"]
    faces += [f"Size{n}-Regular" for n in (1, 2, 3, 4)]
    fonts = SITE / "_static" / "katex" / "fonts"
    known = set().union(*(letters_of(fonts / f"KaTeX_{face}.woff2") for face in faces))
    shown = {c for name in PAGES for e in soup(name).select(".katex-html") for c in e.get_text()}
    assert len(shown) > 80
    assert sorted(shown - known - {"\u200b"}) == []


def test_every_formula_is_rendered_and_has_mathml():
    for name in PAGES:
        page = soup(name)
        assert page.select(".katex-error, merror") == [], name
        assert [f.get_text()[:60] for f in page.select(".katex") if not f.math] == [], name
        formulas = [f for f in page.select(".math") if not f.find_parent(class_="katex")]
        assert [f.get_text()[:80] for f in formulas if not f.select_one(".katex")] == [], name


def test_no_source_is_left_in_the_text():
    for name in PAGES:
        text = visible_text(name)
        for what, pattern in LEFT_OVER.items():
            if not (name.startswith("book/api/") and what in SPOKEN_OF):
                found = [text[max(0, m.start() - 30) : m.end() + 30]
                         for m in re.finditer(pattern, text)]  # fmt: skip
                assert not found, f"{name}: {what}"
