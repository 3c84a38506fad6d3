"""Pages opened from the file system, as after downloading the site."""

import re

import pytest
from built_site import CHAPTERS, FRONT, LEDGER, REDIRECT
from page_checks import NO_FONTS_AHEAD, bad_fonts

LOADED = """async () => {
  const images = Array.from(document.images);
  for (const image of images) {
    image.loading = "eager";  // far down they would load only when they come near
    await image.decode().catch(() => {});
  }
  return {
    styled: Array.from(document.querySelectorAll("link[rel=stylesheet]")).every(l => l.sheet),
    exercises: typeof window.whySqrtDExercises,
    images: images.filter(i => !i.naturalWidth).map(i => i.src),
  };
}"""


@pytest.mark.parametrize("name", [FRONT, CHAPTERS[5], LEDGER])
def test_page_works_from_the_file_system(visit, name):
    opened = visit(name, source="file")
    assert [t for t in opened.troubles if not re.search(NO_FONTS_AHEAD, t)] == []
    assert bad_fonts(opened.page) == []
    state = opened.page.evaluate(LOADED)
    assert state == {"styled": True, "exercises": "object", "images": []}


@pytest.mark.parametrize("source", ["http", "file"])
def test_the_root_leads_to_the_front_page(visit, source):
    opened = visit(FRONT, source=source)
    opened.page.goto(opened.base + REDIRECT)
    opened.page.wait_for_url(opened.base + FRONT)
    assert [t for t in opened.troubles if not re.search(NO_FONTS_AHEAD, t)] == []
