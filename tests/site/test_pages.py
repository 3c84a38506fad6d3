"""Every page, visited once: small, nothing asked of others, nothing wrong narrow or wide.

A page of each kind is looked at by axe-core besides; all pages share one template and its styles.
"""

import pytest
from axe import violations
from built_site import CHAPTERS, DEEPER, FRONT, PAGES, SITE, soup
from live_page import all_started
from page_checks import bad_fonts, faults, jumps, left_over, open_details
from PIL import Image
from visiting import PATIENCE, SETTLED, Visit
from waiting import wait_until

LIMIT = 320_000  # bytes that a first visit transfers, with the pictures that are near the view
SEARCHED = 170_000  # and all texts, on the search page alone
CHAPTER = CHAPTERS[2]  # it has forms with every kind of control and a live figure
LISTING = "_modules/attn_helpers/scores.html"
DARK = {CHAPTER, "book/api/weights.html"}
KINDS = {*DARK, FRONT, "search.html", "book/bibliography.html", "book/claims.html", LISTING}
NARROW = {"width": 360, "height": 800}
# What another width or the dark may break, of axe's rules.
SEEN = ["color-contrast", "link-in-text-block", "scrollable-region-focusable", "target-size"]

# What has been fetched, and how many bytes it takes packed.
SIZES = """() => ["navigation", "resource"].flatMap(kind => performance.getEntriesByType(kind))
  .map(entry => [entry.name, entry.encodedBodySize])"""

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


@pytest.fixture(scope="module")
def phone(browser, address):
    """One page for all pages of the site: a narrow one, in the dark."""
    how = {"color_scheme": "dark", "reduced_motion": "reduce"}
    with browser.new_context(viewport=NARROW, **how) as context:
        context.set_default_timeout(PATIENCE)
        yield Visit(context.new_page(), address)


@pytest.mark.parametrize("name", [*PAGES, LISTING])
def test_nothing_is_wrong_with_a_page(phone, name):
    page = phone.page
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size(NARROW)
    phone.troubles.clear()
    phone.go(name)
    lines, sizes = left_over(page, name), dict(page.evaluate(SIZES))
    assert sizes[phone.base + name] > 0
    assert sum(sizes.values()) <= LIMIT + SEARCHED * (name == "search.html"), sizes
    open_details(page)
    all_started(page)
    lines += bad_fonts(page) + faults(page, "dark") + jumps(page)
    if name in DARK:
        for _ in range(40):  # after 300 ms the theme lets keys reach what scrolls now
            page.wait_for_timeout(400)
            if not (seen := violations(page, rules=SEEN)):
                break
        lines += seen
    if name in KINDS:
        page.emulate_media(color_scheme="light")
        page.set_viewport_size({"width": 1280, "height": 800})
        page.evaluate(SETTLED)  # what listens to the theme and the width has heard of them
        lines += faults(page, "light") + jumps(page) + violations(page)
    assert lines + phone.troubles == []


def test_every_figure_has_a_caption_and_is_described():
    for name in (FRONT, *CHAPTERS, *DEEPER):
        for picture in soup(name).select("article img"):
            assert len(picture.get("alt", "")) >= 40, picture.get("src")
        for drawn in soup(name).select("article .cell_output picture"):
            figure = drawn.find_parent("figure", "numbered")
            assert figure.select_one("figcaption strong").get_text().startswith("Figure ")


def test_no_figure_is_cut_at_its_edge_and_each_has_the_shape_that_its_page_says():
    """What is too long for a figure, a legend or a label, runs into its edge."""
    wrong, drawings = [], {}
    for name in (FRONT, *CHAPTERS, *DEEPER):
        for drawing in soup(name).select(".bd-article picture > *"):
            path = (SITE / name).parent / (drawing.get("src") or drawing["srcset"])
            drawings[path.resolve()] = int(drawing["width"]) / int(drawing["height"])
    for path, shape in drawings.items():
        with Image.open(path) as image:
            inner = image.convert("L")
        if shape != pytest.approx(inner.width / inner.height, rel=0.01):
            wrong.append(f"{path.name} has another shape: the text below it would jump")
        inner.paste(255, (1, 1, inner.width - 1, inner.height - 1))
        if inner.getextrema()[0] < 250:
            wrong.append(f"{path.name} is cut")
    assert len(drawings) > 100
    assert not wrong


def test_a_phone_is_given_a_drawing_of_its_own_and_figures_follow_the_theme(visit):
    page, shown = visit(CHAPTERS[0]).page, []
    open_details(page)  # a box covers one of them
    for theme, width in (("light", 1280), ("dark", 360)):
        page.emulate_media(color_scheme=theme)
        page.set_viewport_size({"width": width, "height": 800})
        page.evaluate(SETTLED)
        figures = page.locator(".bd-article .cell_output img")
        filters = figures.evaluate_all("a => a.map(i => getComputedStyle(i).filter)")
        assert {"invert" in applied for applied in filters} == {theme == "dark"}
        shown.append(page.evaluate(PICTURES))
    assert len(shown[0]) == len(shown[1]) >= 3
    for (*_, wider, other), (*_, shape, file) in zip(*shown, strict=True):
        assert file != other
        assert shape < 0.8 * wider  # as high, so that the letters can be as large


def test_on_a_phone_a_link_leads_to_its_place(visit):
    page = visit(f"{CHAPTERS[0]}#more-exercises", width=360).page
    for anchor in ("more-exercises", "figure-1-4"):
        page.evaluate("to => { location.hash = to; }", anchor)
        place = f"document.getElementById('{anchor}').getBoundingClientRect().top"
        wait_until(page, f"Math.abs({place} - 64) < 40")
    page.locator(".secondary-toggle").click()
    panel = page.locator("dialog#pst-secondary-sidebar-modal")
    panel.locator(".page-toc a").first.click()
    assert not panel.evaluate("e => e.open")
    wait_until(page, "location.hash !== '#figure-1-4'")
