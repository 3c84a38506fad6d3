"""How a page arrives: one stylesheet, no script in the way, no text that jumps, whole fonts."""

import io
import re
import sys

import pytest
import yaml
from bs4 import BeautifulSoup
from built_site import CHAPTERS, PAGES, ROOT, SITE, soup
from fontTools.ttLib import TTFont
from pygments.styles import get_style_by_name
from pygments.token import STANDARD_TYPES, Token

sys.path.insert(0, str(ROOT / "book" / "_ext"))
from course_site.code import PLAIN
from course_site.fonts import AT_ONCE

ORIGINALS = (
    "basic.css",
    "styles/pydata-sphinx-theme.css",
    "pygments.css",
    "styles/sphinx-book-theme.css",
    "copybutton.css",
    "sphinx-design.min.css",
    "katex/katex.min.css",
    "katex-math.css",
    "moving/moving.css",
    "playground/playground.css",
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
  const lost = [];
  let asked = 0;
  for (const [name, text] of texts) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    for (const rule of rules(sheet)) for (const selector of alone(rule)) {
      let found = null;
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
  .map(f => [f.family.replaceAll('"', ""), f.weight])"""
SCRIPTED = {(family, kind.get("weight", "normal")) for family, kind in AT_ONCE.values()}

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


@pytest.mark.parametrize("name", PAGES)
def test_nothing_stands_before_the_first_paint_but_one_stylesheet_and_fonts(name):
    sheets = [e["href"] for e in soup(name).select("link[rel~=stylesheet]")]
    assert len(sheets) == 1, sheets
    assert re.search(r"_static/site\.css\?v=[0-9a-f]{8}$", sheets[0])
    scripts = soup(name).select("script[src]")
    assert scripts
    early = [e["src"] for e in scripts if not (e.has_attr("defer") or e.get("type") == "module")]
    fonts, *moving = [e["src"] for e in scripts if e.has_attr("async")]
    assert re.search(r"_static/fonts\.js\?v=[0-9a-f]{8}$", fonts)
    assert ["/moving/figure.js" in src for src in moving] == [True] * len(moving)
    assert len(moving) == bool(soup(name).select("moving-figure"))
    searching = [src for src in early if "search" in src]
    assert bool(set(early) - {fonts, *moving}) == bool(searching) == (name == "search.html"), early
    in_head = [e["src"] for e in soup(name).select("head script[src]")]
    assert in_head == [fonts, *moving] or name == "search.html"


@pytest.mark.parametrize("name", PAGES)
def test_the_stylesheet_has_every_rule_that_matches(visit, name):
    static = SITE / "_static"
    files = [*ORIGINALS, *(path.name for path in static.glob("mystnb.*.css"))]
    texts = [(file, (static / file).read_text("utf-8")) for file in files]
    asked, lost = visit(name).page.evaluate(LOST, texts)
    assert asked > 200
    assert lost == []


@pytest.mark.parametrize("name", PAGES)
def test_the_fonts_come_in_a_script_and_only_there(visit, name):
    """A font that came later would have the browser set the whole page again."""
    opened = visit(name)
    script = opened.page.locator("script[src*='fonts.js']")
    assert script.get_attribute("blocking") == "render"
    assert {tuple(face) for face in opened.page.evaluate(LOADED)} == SCRIPTED
    opened.page.wait_for_load_state("networkidle")
    assert [url for url in opened.requests if "woff" in url] == []


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


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("name", PAGES)
def test_code_far_from_the_view_has_the_size_that_it_will_have(visit, name, width):
    page = visit(name, width=width).page
    auto = "a => a.every(e => getComputedStyle(e).contentVisibility === 'auto')"
    assert page.locator(".katex-mathml").evaluate_all(auto)
    blocks = page.evaluate(BLOCKS)
    assert len(blocks) == len(soup(name).select(".highlight pre"))
    for waits, stops, height, wider, true_height, truly_wider in blocks:
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


@pytest.mark.parametrize("name", [n for n in PAGES if soup(n).select_one(".katex-html")])
def test_the_fonts_have_every_character_of_the_formulas(visit, name):
    fonts = SITE / "_static" / "katex" / "fonts"
    missing, seen = [], 0
    for key, text in visit(name).page.evaluate(LETTERS).items():
        if not key.startswith("KaTeX"):
            continue
        found = TTFont(io.BytesIO((fonts / face(key)).read_bytes())).getBestCmap()
        whole = TTFont(ROOT / "book/assets/katex/fonts" / face(key)).getBestCmap()
        missing += [(key, c) for c in set(text) if ord(c) in whole and ord(c) not in found]
        seen += len(text)
    assert seen
    assert missing == []


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


@pytest.mark.parametrize("name", CHAPTERS)
def test_pictures_have_their_size_and_wait_until_they_are_near(visit, name):
    figures = soup(name).select(".bd-article img")
    still = [e for e in figures if not e.find_parent(["moving-figure", "softmax-playground"])]
    assert [e.get("loading") for e in still] == [None] + ["lazy"] * (len(still) - 1)
    sizes = (
        visit(name)
        .page.locator(".bd-article img")
        .evaluate_all(
            "async a => { for (const i of a) { i.loading = 'eager'; await i.decode(); } return "
            "a.filter(i => i.naturalWidth).map(i => [i.getAttribute('width') / "
            "i.getAttribute('height'), i.naturalWidth / i.naturalHeight]); }"
        )
    )
    assert sizes
    assert all(abs(said - true) < 0.01 * true for said, true in sizes)


@pytest.mark.parametrize("width", [360, 412, 600, 768, 1280])
@pytest.mark.parametrize("name", ["book/index.html", *CHAPTERS])
def test_what_scripts_show_has_its_place_before_they_run(visit, browser, address, name, width):
    """The text below stands where it will stand, before any script file has come."""
    first = "() => document.querySelector('.bd-article section section h2').offsetTop"
    with browser.new_context(viewport={"width": width, "height": 800}) as context:
        page = context.new_page()
        page.route("**/*.js*", lambda route: route.abort())
        page.goto(address + name)
        page.evaluate("document.fonts.ready")
        before = page.evaluate(first)
    after = visit(name, width=width).page.evaluate(first)
    assert abs(after - before) <= 40  # the playground's lines wrap at some widths


@pytest.mark.parametrize("name", ["book/index.html", *CHAPTERS])
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
    opened = visit("book/index.html", javascript=False)
    place = BeautifulSoup(opened.page.content(), "html.parser").select_one("softmax-playground")
    assert place.select_one(".playground-still img")
    heights = [
        opened.page.locator(selector).bounding_box()["height"]
        for selector in ("softmax-playground", ".playground-still")
    ]
    assert heights[0] == pytest.approx(heights[1], abs=40)
