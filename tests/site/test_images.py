"""Figures: described in words, loaded, and fit for the dark."""

import pytest
from built_site import CHAPTERS, PAGES, soup

FIGURES = ".bd-article .cell_output img"


@pytest.mark.parametrize("name", PAGES)
def test_every_image_is_described(name):
    bare = [i.get("src") for i in soup(name).find_all("img") if not i.get("alt", "").strip()]
    assert not bare, f"{name}: {bare}"


@pytest.mark.parametrize("name", CHAPTERS)
def test_figures_are_described_at_length(name):
    figures = soup(name).select(FIGURES)
    assert figures, f"{name} has no figure"
    short = [i["alt"] for i in figures if len(i["alt"]) < 40 or i["alt"].startswith("<")]
    assert not short, f"{name}: {short}"
    texts = [i["alt"] for i in figures]
    assert len(set(texts)) == len(texts), f"{name}: two figures with the same words"


@pytest.mark.parametrize(("theme", "filtered"), [("light", False), ("dark", True)])
@pytest.mark.parametrize("name", CHAPTERS)
def test_figures_are_shown_and_follow_the_theme(visit, name, theme, filtered):
    figures = visit(name, theme=theme).page.locator(FIGURES)
    found = figures.evaluate_all(  # far down they would load only when they come near
        "async a => { for (const i of a) { i.loading = 'eager'; await i.decode(); } return "
        "a.map(i => [i.naturalWidth > 0, getComputedStyle(i).filter.includes('invert')]); }"
    )
    assert found
    assert found == [[True, filtered]] * len(found)
