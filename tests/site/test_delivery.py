"""How a page arrives: one stylesheet, no script in the way, no text that jumps, whole fonts.

Each page is visited once; what the browser found there is recorded, and the tests read the record.
"""

import gzip
import re
import sys
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit

import numpy as np
import pytest
import yaml
from bs4 import BeautifulSoup
from built_site import CHAPTERS, DEEPER, FRONT, PAGES, ROOT, SITE, soup
from fontTools.ttLib import TTFont
from PIL import Image
from pygments.styles import get_style_by_name
from pygments.token import STANDARD_TYPES, Token
from visiting import Visit

from tools.fonts import FONTS, WHOLE

sys.path.insert(0, str(ROOT / "book" / "_ext"))
from course_site.code import PLAIN
from page_checks import bad_fonts, open_details, too_wide

ORIGINALS = (
    "basic.css",
    "styles/pydata-sphinx-theme.css",
    "pygments.css",
    "styles/sphinx-book-theme.css",
    "copybutton.css",
    "katex/katex.min.css",
    "katex-math.css",
    "live/live.css",
    "look.css",
    "course.css",
    "reference.css",
    "exercises/exercises.css",
)

# The browser's own view: what rules of the files as their makers wrote them say of an element
# here, states and pseudo-elements aside, and the joined stylesheet does not. A custom property
# counts if something reads it.
LOST = r"""texts => {
  const bare = s => s
    .replace(/::?(before|after|marker|placeholder|-[\w-]+|first-l\w+|selection)/g, "")
    .replace(/:(hover|focus(-\w+)?|active|visited|checked|disabled|target|open|link)\b/g, "");
  const rules = sheet => {
    const all = list => [...list].flatMap(r => r.selectorText !== undefined ? [r]
      : r.cssRules ? all(r.cssRules) : []);
    return all(sheet.cssRules);
  };
  const alone = rule => rule.selectorText.split(/,(?![^(]*\))/).map(s => s.trim());
  const ours = [...document.styleSheets].find(s => s.href && s.href.includes("site.css"));
  const read = new Set([...rules(ours).map(r => r.cssText), document.documentElement.outerHTML]
    .flatMap(text => [...text.matchAll(/var\(\s*(--[\w-]+)/g)].map(found => found[1])));
  const kept = new Map();
  for (const rule of rules(ours)) {
    for (const s of alone(rule)) kept.set(s, new Set([...kept.get(s) || [], ...rule.style]));
  }
  // What names a class that nothing here has need not be looked for.
  const here = new Set([...document.querySelectorAll("[class]")].flatMap(e => [...e.classList]));
  const absent = selector => !/[[(\\]/.test(selector)
    && [...selector.matchAll(/\.([\w-]+)/g)].some(([, name]) => !here.has(name));
  const lost = [];
  let asked = 0;
  for (const [name, text] of texts) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    for (const rule of rules(sheet)) for (const selector of alone(rule)) {
      let found = null;
      if (absent(bare(selector))) continue;
      try { found = document.querySelector(bare(selector) || "*"); } catch { continue; }
      if (!found) continue;
      asked += 1;
      const has = kept.get(selector) || new Set();
      for (const property of rule.style) {
        const wanted = !property.startsWith("--") || read.has(property);
        if (wanted && !has.has(property)) lost.push(`${name}: ${selector} { ${property} }`);
      }
    }
  }
  return [asked, lost];
}"""

# Per block of code: what waits for the view, its height before and after the browser lays all of
# it out, how far it scrolls then, and whether the theme's script made it a stop of the Tab key.
BLOCKS = """() => {
  const found = [...document.querySelectorAll(".highlight pre")];
  const waits = e => getComputedStyle(e.firstElementChild.nextElementSibling).contentVisibility;
  const size = e => [e.getBoundingClientRect().height, e.scrollWidth - e.clientWidth];
  const before = found.map(e => [waits(e), e.tabIndex == 0, ...size(e)]);
  for (const e of document.querySelectorAll(".highlight pre > code"))
    e.style.contentVisibility = "visible";
  return found.map((e, i) => [...before[i], ...size(e)]);
}"""

# The fonts that are there, and those that should be.
LOADED = """() => [...document.fonts].filter(f => f.status === "loaded")
  .filter(f => !f.family.includes("Fallback"))  // the reader's own, measured for ours
  .map(f => [f.family.replaceAll('"', ""), f.weight.replace("normal", "400")])"""
SCRIPTED = {(family, kind.get("weight", "400")) for family, kind, _ in FONTS.values()}
SCRIPTED |= {("Course Signs", weight) for family, weight in SCRIPTED if family == "KaTeX_Main"}

# The sum of all layout shifts, as the browser scores them.
SHIFTS = """window.shifted = 0;
new PerformanceObserver(list => {
  for (const shift of list.getEntries()) window.shifted += shift.value;
}).observe({ type: "layout-shift", buffered: true });
"""

# Every character of a formula with the family, weight and style that the browser draws it in.
LETTERS = """() => {
  const found = {};
  for (const root of document.querySelectorAll(".katex-html")) {
    const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
      const style = getComputedStyle(walk.currentNode.parentElement);
      const family = style.fontFamily.split(",")[0].replaceAll('"', "");
      const bold = Number(style.fontWeight) >= 600, italic = style.fontStyle === "italic";
      const key = [family, bold, italic].join("|");
      found[key] = (found[key] || "") + walk.currentNode.data;
    }
  }
  return found;
}"""


# Every picture of the article, fetched: its stated shape and its own.
PICTURES = """async () => {
  const all = [...document.querySelectorAll(".bd-article img")];
  for (const image of all) { image.loading = "eager"; await image.decode().catch(() => {}); }
  return all.filter(e => e.checkVisibility()).map(e => {
    const drawings = [...e.closest("picture").children]; // the last one is for every screen
    const said = drawings.find(drawing => !drawing.media || matchMedia(drawing.media).matches);
    return [said.getAttribute("width") / said.getAttribute("height"),
      e.naturalWidth / e.naturalHeight];
  });
}"""
AUTO = "a => a.every(e => getComputedStyle(e).contentVisibility === 'auto')"
LIMIT = 300_000  # bytes that a first visit transfers, with the pictures that are near the view
LEVEL = 6  # what web servers usually compress with


@dataclass
class Arrival:
    """What one visit to a page found."""

    name: str
    troubles: list[str]
    asked_at_first: list[str]  # paths below the site's root
    asked_at_rest: list[str]
    wide: list[str]
    fonts_missing: list[str]
    fonts_loaded: set[tuple[str, str]]
    rules: list[Any]  # how many of the original files' rules match, and which are lost
    letters: dict[str, str]
    blocks: list[list[Any]]
    pictures: list[list[float]]
    formulas_wait: bool  # whether formulas for screen readers are laid out near the view only


@pytest.fixture(scope="module", params=PAGES)
def arrived(request, browser, address):
    name = request.param
    static = SITE / "_static"
    files = [*ORIGINALS, *(path.name for path in static.glob("mystnb.*.css"))]
    texts = [(file, (static / file).read_text("utf-8")) for file in files]
    with browser.new_context(viewport={"width": 1280, "height": 800}) as context:
        context.set_default_timeout(10_000)
        visit = Visit(context.new_page(), address)
        visit.go(name)
        page, at_first = visit.page, list(visit.requests)
        fonts, loaded = bad_fonts(page), {tuple(face) for face in page.evaluate(LOADED)}
        blocks, rules, letters = (
            page.evaluate(BLOCKS), page.evaluate(LOST, texts), page.evaluate(LETTERS)
        )  # fmt: skip
        page.wait_for_load_state("networkidle")
        at_rest = list(visit.requests)
        wide = []
        for width in (1280, 360):
            page.set_viewport_size({"width": width, "height": 800})
            wide += too_wide(page)
        open_details(page)
        wide += [f"with all details open: {line}" for line in too_wide(page)]
        pictures = page.evaluate(PICTURES)
        yield Arrival(
            name, visit.troubles, _paths(at_first, address), _paths(at_rest, address), wide,
            fonts, loaded, rules, letters, blocks, pictures,
            page.locator(".katex-mathml").evaluate_all(AUTO),
        )  # fmt: skip


def _paths(addresses, base):
    """Return the files that were asked for, each once."""
    inside = [url for url in dict.fromkeys(addresses) if not url.startswith("data:")]
    return [unquote(urlsplit(url.removeprefix(base)).path) for url in inside]


def test_nothing_is_wrong_and_nothing_is_wider_than_the_view(arrived):
    assert arrived.troubles == []
    assert arrived.fonts_missing == []
    assert arrived.wide == []


def test_the_first_transfer_is_small(arrived):
    sizes = {
        name: len(gzip.compress((SITE / name).read_bytes(), LEVEL))
        for name in arrived.asked_at_first
    }
    assert arrived.name in sizes
    rows = "\n".join(f"{size:>9} B  {name}" for name, size in sizes.items())
    assert sum(sizes.values()) <= LIMIT, rows


@pytest.mark.parametrize("name", PAGES)
def test_nothing_stands_before_the_first_paint_but_one_stylesheet_and_fonts(name):
    sheets = [e["href"] for e in soup(name).select("link[rel~=stylesheet]")]
    assert len(sheets) == 1, sheets
    assert re.search(r"_static/site\.css\?v=[0-9a-f]{8}$", sheets[0])
    scripts = soup(name).select("script[src]")
    assert scripts
    early = [e["src"] for e in scripts if not (e.has_attr("defer") or e.get("type") == "module")]
    fonts, *live = [e["src"] for e in scripts if e.has_attr("async")]
    assert re.search(r"_static/fonts\.js\?v=[0-9a-f]{8}$", fonts)
    assert len(live) == bool(soup(name).select("live-figure"))
    assert all("/live/engine.js" in src for src in live), live
    searching = [src for src in early if "search" in src]
    first = next(src for src in early if "/first.js" in src)  # light or dark
    others = set(early) - {fonts, first, *live}
    assert bool(others) == bool(searching) == (name == "search.html"), early
    in_head = [e["src"] for e in soup(name).select("head script[src]")]
    assert in_head == [fonts, *live, first] or name == "search.html"


def test_the_stylesheet_has_every_rule_that_matches(arrived):
    asked, lost = arrived.rules
    assert asked > 200
    assert lost == []


def test_the_fonts_come_in_a_script_and_only_there(arrived):
    """A font that came later would have the browser set the whole page again."""
    script = soup(arrived.name).select_one("script[src*='fonts.js']")
    assert script["blocking"] == "render"
    assert arrived.fonts_loaded == SCRIPTED
    assert [name for name in arrived.asked_at_rest if "woff" in name] == []


def test_the_fonts_come_in_a_script_from_files_too(visit):
    opened = visit(CHAPTERS[1], source="file")
    assert {tuple(face) for face in opened.page.evaluate(LOADED)} >= SCRIPTED


def test_without_scripts_the_fonts_of_formulas_come_with_the_stylesheet(visit):
    opened = visit(CHAPTERS[1], javascript=False)
    opened.page.wait_for_load_state("networkidle")
    fetched = {url.rpartition("/")[2].partition("?")[0] for url in opened.requests}
    assert {"KaTeX_Main-Regular.woff2", "KaTeX_Math-Italic.woff2"} <= fetched


def test_the_stylesheet_leaves_out_most_of_what_the_theme_brings():
    whole = sum((SITE / "_static" / file).stat().st_size for file in ORIGINALS)
    rules = re.sub(r"base64,[^\"]+", "", (SITE / "_static" / "site.css").read_text("utf-8"))
    assert len(rules) < 0.4 * whole
    assert ".carousel" not in rules
    assert ".fa-magnifying-glass" in rules


def test_code_far_from_the_view_has_the_size_that_it_will_have(arrived):
    assert arrived.formulas_wait
    assert len(arrived.blocks) == len(soup(arrived.name).select(".highlight pre"))
    for waits, stops, height, wider, true_height, truly_wider in arrived.blocks:
        assert waits == "auto"
        assert height == pytest.approx(true_height, abs=0.6)
        assert wider == pytest.approx(truly_wider, abs=8)
        assert stops == (truly_wider > 0)


@pytest.mark.parametrize("style", ["a11y-high-contrast-light", "a11y-high-contrast-dark"])
def test_plain_words_of_code_need_no_element(style):
    colours = get_style_by_name(style)
    plain = colours.style_for_token(Token.Text)
    assert style in (ROOT / "_config.yml").read_text("utf-8")
    assert all(colours.style_for_token(kind) == plain for kind in PLAIN)
    for name in CHAPTERS:
        classes = {e["class"][0] for e in soup(name).select(".highlight span[class]")}
        assert classes.isdisjoint(STANDARD_TYPES[kind] for kind in PLAIN), name
        assert {"k", "mi"} <= classes, name


def face(key):
    """Return the file of a font that the browser names."""
    family, bold, italic = key.split("|")
    style = {"truefalse": "Bold", "falsetrue": "Italic", "truetrue": "BoldItalic"}
    return f"{family}-{style.get(bold + italic, 'Regular')}.woff2"


def test_the_fonts_have_every_character_of_the_formulas(arrived):
    fonts = SITE / "_static" / "katex" / "fonts"
    missing, seen = [], 0
    for key, text in arrived.letters.items():
        if not key.startswith("KaTeX"):
            continue
        if key.split("|")[0] in {family for family, _ in SCRIPTED}:
            assert face(key) in {path.rpartition("/")[2] for path in FONTS}, text
        found = TTFont(fonts / face(key)).getBestCmap()
        if (WHOLE / face(key)).exists():  # others are not cut
            whole = TTFont(WHOLE / face(key)).getBestCmap()
            missing += [(key, c) for c in set(text) if ord(c) in whole and ord(c) not in found]
        seen += len(text)
    assert bool(seen) == bool(soup(arrived.name).select(".katex-html"))
    assert missing == [], "add them to the lists in tools/fonts.py and run `python -m tools.fonts`"


def test_pages_are_described_in_a_sentence_each():
    wanted = yaml.safe_load((ROOT / "book" / "descriptions.yml").read_text("utf-8"))
    said = {}
    for name in PAGES:
        found = [e["content"] for e in soup(name).select("meta[name=description]")]
        if name != "search.html":
            assert len(found) == 1, name
            said[name.removesuffix(".html")] = found[0]
    assert said == wanted
    assert len(set(said.values())) == len(said)
    assert all(50 <= len(text) <= 160 for text in said.values())


def test_pictures_are_described_have_their_size_and_wait_until_they_are_near(arrived):
    assert all(len(e.get("alt", "").strip()) > 0 for e in soup(arrived.name).find_all("img"))
    assert all(abs(said - true) < 0.01 * true for said, true in arrived.pictures)
    if arrived.name not in CHAPTERS:
        return
    figures = soup(arrived.name).select(".bd-article img")
    still = [e for e in figures if not e.find_parent("live-figure")]
    assert [e.get("loading") for e in still] == [None] + ["lazy"] * (len(still) - 1)
    assert len(arrived.pictures) >= len(still) > 0
    for figure in soup(arrived.name).select(".bd-article .cell_output img"):
        assert len(figure["alt"]) >= 40
        assert not figure["alt"].startswith("<")


# The pictures in the text, fetched: their files, how wide they stand, their shapes there and in
# the file.
DRAWINGS = """async () => {
  const all = [...document.querySelectorAll(".bd-article .cell_output img")];
  for (const image of all) { image.loading = "eager"; await image.decode(); }
  return all.map(e => [e.currentSrc, e.clientWidth, e.clientWidth / e.clientHeight,
    e.naturalWidth / e.naturalHeight]);
}"""


def test_a_phone_is_given_a_drawing_of_its_own(visit):
    narrow, wide = (visit(CHAPTERS[0], width=w).page.evaluate(DRAWINGS) for w in (360, 1280))
    assert len(narrow) == len(wide) >= 4
    for (file, width, place, shape), (other, *_, wider) in zip(narrow, wide, strict=True):
        assert (file != other, width) == (True, 360)
        assert place == pytest.approx(shape, rel=0.01)
        assert shape < 0.8 * wider  # as high, so that the letters can be as large


def test_no_figure_is_cut_at_its_edge():
    """What is too long for a figure, a legend or a label, runs into its edge."""
    cut = []
    drawings = {
        (SITE / name).parent / (image.get("src") or image["srcset"])
        for name in (FRONT, *CHAPTERS, *DEEPER)
        for image in soup(name).select(".bd-article picture > *")
    }
    for path in drawings:
        with Image.open(path) as image:
            dots = np.asarray(image.convert("L"))
        edge = np.concatenate([dots[0], dots[-1], dots[:, 0], dots[:, -1]])
        if edge.min() < 250:
            cut.append(path.name)
    assert len(drawings) > 100
    assert not cut


@pytest.mark.parametrize(("theme", "filtered"), [("light", False), ("dark", True)])
def test_figures_follow_the_theme(visit, theme, filtered):
    figures = visit(CHAPTERS[0], theme=theme).page.locator(".bd-article .cell_output img")
    inverted = figures.evaluate_all(
        "a => a.map(i => getComputedStyle(i).filter.includes('invert'))"
    )
    assert inverted == [filtered] * figures.count()
    assert inverted


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("name", [FRONT, CHAPTERS[2]])
def test_what_scripts_show_has_its_place_before_they_run(visit, browser, address, name, width):
    """The text below stands where it will stand, before any script file has come."""
    first = "() => document.querySelector('.bd-article section section h2').offsetTop"
    with browser.new_context(viewport={"width": width, "height": 800}) as context:
        page = context.new_page()
        page.route(re.compile(r"(?<!fonts)\.js"), lambda route: route.abort())
        page.goto(address + name)
        page.evaluate("document.fonts.ready")
        before = page.evaluate(first)
    after = visit(name, width=width).page.evaluate(first)
    assert abs(after - before) <= 40  # a live figure's lines wrap at some widths


@pytest.mark.parametrize("name", [FRONT, CHAPTERS[1], CHAPTERS[5]])
def test_nothing_jumps_while_a_page_comes_over_a_slow_line(browser, address, name):
    line = {"latency": 150, "downloadThroughput": 2e5, "uploadThroughput": 2e5, "offline": False}
    with browser.new_context(viewport={"width": 412, "height": 823}) as context:
        page = context.new_page()
        page.add_init_script(SHIFTS)
        session = context.new_cdp_session(page)
        session.send("Network.enable")
        session.send("Network.emulateNetworkConditions", line)
        page.goto(address + name, wait_until="networkidle")
        assert page.evaluate("performance.getEntriesByName('first-contentful-paint').length")
        assert page.evaluate("window.shifted") < 0.02  # from 0.1 on a page is said to jump


def test_a_reader_without_scripts_has_no_empty_places(visit):
    opened = visit(FRONT, javascript=False)
    place = BeautifulSoup(opened.page.content(), "html.parser").select_one("live-figure")
    assert place.select_one("noscript img")
    heights = [
        opened.page.locator(selector).bounding_box()["height"]
        for selector in ("live-figure", "live-figure img")
    ]
    assert heights[0] == pytest.approx(heights[1], abs=40)
