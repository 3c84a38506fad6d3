"""What must not be on a page, at no width and in no theme; each check returns lines."""

import re
from functools import cache

from built_site import SITE
from fontTools.ttLib import TTFont
from visiting import SETTLED

#: What a browser says of fonts that it does not load ahead from a folder.
NO_FONTS_AHEAD = "CORS|ERR_FAILED|preload"

# A family that ends in Fallback is the reader's own font, where there is one.
FONTS = """() => {
  const faces = Array.from(document.fonts);
  const lines = faces.filter(f => f.status === "error" && !/Fallback"?$/.test(f.family))
    .map(f => `font failed: ${f.family}`);
  const katex = faces.some(f => f.family.startsWith("KaTeX_Main") && f.status === "loaded");
  if (document.querySelector(".katex") && !katex) lines.push("KaTeX_Main is not loaded");
  return lines;
}"""

# A page is as wide as its widest element that no ancestor scrolls or clips.
FAULTS = """theme => {
  const all = selector => Array.from(document.querySelectorAll(selector));
  const lines = [];
  const say = (what, found) => found.slice(0, 8).forEach(
    e => lines.push(`${what}: ${e.outerHTML.replace(/\\s+/g, " ").slice(0, 120)}`));
  const { dataset, scrollWidth } = document.documentElement;
  if (dataset.theme !== theme) lines.push(`the theme is ${dataset.theme}, the reader's ${theme}`);
  if (scrollWidth > innerWidth) {
    lines.push(`the page is ${scrollWidth} px wide at ${innerWidth}`);
    const contained = e => e !== document.body
      && (getComputedStyle(e).overflowX !== "visible" || contained(e.parentElement));
    say("too wide", all("body *").filter(
      e => e.getBoundingClientRect().right > innerWidth + 0.5 && !contained(e.parentElement)));
  }
  say("cut off", all(".bd-article :is(pre, .katex-display .katex-html)").filter(
    e => e.checkVisibility() && e.scrollWidth > e.clientWidth + 1
      && getComputedStyle(e).overflowX !== "auto"));
  say("torn from its comma", all("article .kept").filter(kept => {
    const bases = kept.querySelectorAll(".katex-html > .base, .verdict");
    const after = document.createRange();
    after.selectNodeContents(kept.lastChild);
    const [mine, its] = [after, bases[bases.length - 1]].map(e => e?.getBoundingClientRect());
    return its && mine.width && (mine.bottom < its.top || mine.top > its.bottom);
  }));
  const fields = "input:is([type=search], [type=text])[name=q]";
  const ways = all(`button.search-button__button, ${fields}`).filter(e => e.checkVisibility());
  if (ways.length !== 1) lines.push(`${ways.length} ways to search`);
  say("not rendered", all(".katex-error, merror, .math:not(.katex *):not(:has(.katex))"));
  say("not read aloud", all(".katex:not(:has(math))"));
  return lines;
}"""

# What is to be read, without code; and the letters of the formulas.
TEXT = """() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), texts = [];
  while (walker.nextNode())
    if (!walker.currentNode.parentElement.closest("script, style, noscript, code, pre, .katex"))
      texts.push(walker.currentNode.data);
  return texts.join(" ").replace(/\\s+/g, " ");
}"""
LETTERS = "[...document.querySelectorAll('.katex-html')].map(e => e.textContent).join('')"
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
FACES = ("Main-Regular", "Math-Italic", "AMS-Regular", *(f"Size{n}-Regular" for n in (1, 2, 3, 4)))


@cache
def known_letters():
    """Return the characters of the cut fonts; those of others belong into `tools.fonts`."""
    folder = SITE / "_static" / "katex" / "fonts"
    fonts = [TTFont(folder / f"KaTeX_{face}.woff2").getBestCmap() for face in FACES]
    return {chr(code) for font in fonts for code in font} | {"\u200b"}


def bad_fonts(page):
    """Say which fonts did not load."""
    return page.evaluate(FONTS)


def faults(page, theme):
    """Say what is wrong with how a page is laid out."""
    return [f"{line} ({theme})" for line in page.evaluate(FAULTS, theme)]


def jumps(page):
    """Say which live figures do not fill the place that was kept for them."""
    lines = []
    for figure in page.locator("live-figure").all():
        figure.scroll_into_view_if_needed()  # a phone lays out what is near
        page.evaluate(SETTLED)
        off = figure.evaluate(
            "e => parseFloat(getComputedStyle(e).minHeight)"
            " - e.querySelector('.live').getBoundingClientRect().height"
        )
        lines += (
            [f"{figure.get_attribute('id')} is {off} px out of its place"] if abs(off) > 60 else []
        )
    return lines


def left_over(page, name):
    """Say what source text is left standing, and which letters no font of formulas has."""
    text, lines = page.evaluate(TEXT), []
    for what, pattern in LEFT_OVER.items():
        if not (name.startswith(("book/api/", "_modules")) and what in SPOKEN_OF):
            found = re.finditer(pattern, text)
            lines += [f"{what}: {text[max(0, m.start() - 30) : m.end() + 30]}" for m in found]
    unknown = sorted(set(page.evaluate(LETTERS)) - known_letters())
    return lines + [f"no font of formulas has {letter!r}" for letter in unknown]


def open_details(page):
    """Open every folded hint, solution and cell, and what a bet covers: they are looked at too."""
    page.evaluate("document.querySelectorAll('.exercise-cover button').forEach(b => b.click())")
    every = "document.querySelectorAll('details:not(live-figure *)')"
    page.evaluate(f"{every}.forEach(d => {{ d.open = true; }})")
