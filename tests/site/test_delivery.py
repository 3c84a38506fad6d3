"""How a page arrives: small, described, nothing wider than the view, nothing asked of others."""

import gzip
import re
from urllib.parse import unquote, urlsplit

import numpy as np
import pytest
import yaml
from built_site import CHAPTERS, DEEPER, FRONT, PAGES, ROOT, SITE, soup
from page_checks import open_details, too_wide
from PIL import Image
from waiting import wait_until

LIMIT = 300_000  # bytes that a first visit transfers, with the pictures that are near the view
PACKED = (".html", ".js", ".css", ".svg", ".json")

# Every picture of the article, fetched: its stated shape and its own, and its file.
PICTURES = """async () => {
  const all = [...document.querySelectorAll(".bd-article img")];
  for (const image of all) { image.loading = "eager"; await image.decode().catch(() => {}); }
  return all.filter(e => e.checkVisibility()).map(e => {
    const drawings = [...e.parentElement.children]; // the last one is for every screen
    const said = drawings.find(drawing => !drawing.media || matchMedia(drawing.media).matches);
    return [said.getAttribute("width") / said.getAttribute("height"),
      e.naturalWidth / e.naturalHeight, e.currentSrc];
  });
}"""


def transferred(requests, base):
    """Return how many bytes each file takes that was asked for, packed as web servers do it."""
    sizes = {}
    for url in requests:
        path = SITE / unquote(urlsplit(url.removeprefix(base)).path)
        if url.startswith(base):
            content = path.read_bytes()
            packed = gzip.compress(content, 6) if path.suffix in PACKED else content
            sizes[path.relative_to(SITE).as_posix()] = len(packed)
    return sizes


@pytest.mark.parametrize("name", PAGES)
def test_the_first_visit_is_small_and_no_width_is_too_small(visit, name):
    opened = visit(name)
    opened.page.wait_for_load_state("networkidle")
    sizes = transferred(opened.requests, opened.base)
    assert name in sizes
    assert sum(sizes.values()) <= LIMIT, sizes
    for width in (1280, 360):
        opened.page.set_viewport_size({"width": width, "height": 800})
        assert too_wide(opened.page) == []
    open_details(opened.page)
    assert too_wide(opened.page) == []
    for said, own, file in opened.page.evaluate(PICTURES):
        assert said == pytest.approx(own, rel=0.01), file  # else the text below it jumps
    assert opened.troubles == []


# What is wider than its box, whether it scrolls, and whether a shadow at its edge says so.
SCROLLING = """() => {
  const boxes = [...document.querySelectorAll(".bd-article :is(pre, .katex-display .katex-html)")];
  const wide = boxes.filter(e => e.checkVisibility() && e.scrollWidth > e.clientWidth + 1);
  return wide.map(e => {
    const { overflowX, backgroundImage } = getComputedStyle(e);
    return [overflowX, backgroundImage.split("linear-gradient").length - 1];
  });
}"""


def test_a_wide_formula_or_code_scrolls_and_is_seen_to(visit):
    found = visit(CHAPTERS[1], width=360).page.evaluate(SCROLLING)
    assert found
    assert {tuple(one) for one in found} == {("auto", 4)}


# Texts of which a browser has put the comma on another line than the formula before it.
PARTED = """() => [...document.querySelectorAll("article .kept")].filter(kept => {
  const parts = kept.querySelectorAll(".katex-html > .base, .verdict");
  const after = kept.lastChild;
  if (!parts.length || after.nodeType !== Node.TEXT_NODE || !after.data) return false;
  const range = document.createRange();
  range.selectNodeContents(after);
  const [mine, its] = [range, parts[parts.length - 1]].map(e => e.getBoundingClientRect());
  return mine.width && (mine.bottom < its.top || mine.top > its.bottom);
}).map(kept => kept.textContent)"""


def test_no_comma_stands_on_another_line_than_its_formula(visit):
    page = visit(CHAPTERS[1], width=360).page
    open_details(page)
    assert page.locator("article .kept").count() > 50
    assert page.evaluate(PARTED) == []


def test_pages_are_described_in_a_sentence_each():
    wanted = yaml.safe_load((ROOT / "book" / "descriptions.yml").read_text("utf-8"))
    said = {}
    for name in PAGES:
        found = [e["content"] for e in soup(name).select("meta[name=description]")]
        if name != "search.html":
            (said[name.removesuffix(".html")],) = found
    assert said == wanted
    assert len(set(said.values())) == len(said)


def test_every_figure_has_a_caption_and_is_described():
    for name in (FRONT, *CHAPTERS, *DEEPER):
        for picture in soup(name).select("article img"):
            assert len(picture.get("alt", "")) >= 40, picture.get("src")
        for drawn in soup(name).select("article .cell_output picture"):
            figure = drawn.find_parent("figure", "numbered")
            assert figure.select_one("figcaption strong").get_text().startswith("Figure ")


def test_a_phone_is_given_a_drawing_of_its_own(visit):
    narrow, wide = (visit(CHAPTERS[0], width=w).page.evaluate(PICTURES) for w in (360, 1280))
    assert len(narrow) == len(wide) >= 4
    for (*_, shape, file), (*_, wider, other) in zip(narrow, wide, strict=True):
        assert file != other
        assert shape < 0.8 * wider  # as high, so that the letters can be as large


def test_no_figure_is_cut_at_its_edge():
    """What is too long for a figure, a legend or a label, runs into its edge."""
    cut, drawings = [], set()
    for name in (FRONT, *CHAPTERS, *DEEPER):
        for drawing in soup(name).select(".bd-article picture > *"):
            drawings.add((SITE / name).parent / (drawing.get("src") or drawing["srcset"]))
    for path in drawings:
        with Image.open(path) as image:
            dots = np.asarray(image.convert("L"))
        if np.concatenate([dots[0], dots[-1], dots[:, 0], dots[:, -1]]).min() < 250:
            cut.append(path.name)
    assert len(drawings) > 100
    assert not cut


def test_figures_follow_the_theme(visit):
    for theme in ("light", "dark"):
        figures = visit(CHAPTERS[0], theme=theme).page.locator(".bd-article .cell_output img")
        filters = figures.evaluate_all("a => a.map(i => getComputedStyle(i).filter)")
        assert {"invert" in applied for applied in filters} == {theme == "dark"}


def test_the_fonts_are_the_sites_own(visit):
    opened = visit(CHAPTERS[1])
    families = "[...document.fonts].filter(f => f.status === 'loaded').map(f => f.family)"
    wait_until(opened.page, f"{families}.join().includes('KaTeX_Main')")
    asked = {url for url in opened.requests if re.search(r"\.(woff2?|ttf)\b", url)}
    assert len(asked) > 4
    assert all(url.startswith(opened.base) for url in asked)


def test_on_a_phone_a_link_leads_to_its_place(visit):
    for anchor in ("figure-1-4", "more-exercises"):
        page = visit(f"{CHAPTERS[0]}#{anchor}", width=360).page
        place = f"document.getElementById('{anchor}').getBoundingClientRect().top"
        wait_until(page, f"Math.abs({place} - 64) < 40")


def test_a_reader_without_scripts_has_no_empty_places(visit):
    page = visit(FRONT, javascript=False).page
    whole, still = (
        page.locator(f"live-figure{part}").bounding_box()["height"] for part in ("", " img")
    )
    assert whole == pytest.approx(still, abs=40)
