"""The trained model in the browser against the one in NumPy, and how a reader comes by it."""

import json
import re

import numpy as np
import pytest
from axe import violations
from live_page import BASE, MODEL, import_all, open_live
from waiting import wait_until

import attn_helpers as ah
from why_sqrt_d import stories
from why_sqrt_d.front.live import BEGINNINGS, LONGER, STORY, packed_model, told_stories

FIGURE = "#fig-storyteller"
SAYS = f"document.querySelector('{FIGURE} .live-say').textContent"
TELL = """([b, m, n]) => { const t = model.encode(b), more = model.tell(t, n, m).told;
  return [t, model.decode(t).trim(), model.decode(more)]; }"""


@pytest.fixture(scope="module")
def live(browser):
    """Open the page with the model at hand for the tests, not for the figure."""
    context = browser.new_context(reduced_motion="reduce")
    opened = open_live(context, FIGURE)
    opened.page.locator(f"{FIGURE} .live-say").wait_for()
    import_all(opened.page)
    opened.page.evaluate(
        "packed => { window.model = new modules.stories.Stories(packed); }", packed_model()
    )
    yield opened
    assert opened.troubles == []
    context.close()


@pytest.fixture
def rounded(monkeypatch):
    """Give Python the weights that the page has: float16."""
    halves = {k: a.astype("<f2").astype("<f4") for k, a in stories.parameters().items()}
    monkeypatch.setattr(stories, "parameters", lambda: halves)


@pytest.mark.parametrize("multiplier", [0, 1, 8**0.5])
def test_the_logits_are_those_of_numpy(live, rounded, multiplier):
    for tokens in (stories.ours()[i][:80] for i in (0, 11)):
        told = live.page.evaluate(  # as text: Playwright takes seconds for so many numbers
            "([text, m]) => { const t = model.encode(text);"
            " return JSON.stringify([t, model.forward(t, m).map(row => [...row])]); }",
            [stories.decode(tokens), multiplier],
        )
        read, found = json.loads(told)
        assert read == tokens.tolist()
        wanted = stories.forward(tokens, multiplier)
        assert np.abs(found - wanted).max() < 1e-3 * wanted.std()


@pytest.mark.parametrize("beginning", [BEGINNINGS[2], "Zoë 🐸 said:\n“Hi!”"])
def test_the_same_story_is_told_word_for_word(live, rounded, beginning):
    tokens, words, told = live.page.evaluate(TELL, [beginning, 1, LONGER])
    assert tokens == stories.encode(beginning).tolist()
    assert words + told == stories.tell(beginning, LONGER)


def test_what_was_told_with_the_whole_weights_is_what_the_rounded_ones_tell(live):
    for multiplier, told in told_stories().items():
        assert live.page.evaluate(TELL, [BEGINNINGS[0], multiplier, LONGER])[2] == told


def test_the_model_comes_when_it_is_asked_for_and_then_answers(live, rounded):
    page, figure, asked = live.page, live.page.locator(FIGURE), []
    page.on("request", lambda request: asked.append(request.url))
    slider = figure.get_by_role("slider", name="multiplier")
    slider.press("ArrowRight")
    wait_until(page, f"{SAYS}.includes('This needs the model itself')")
    assert figure.locator(".live-curve").get_attribute("d") == ""
    assert asked == []
    figure.get_by_role("button", name=re.compile("0.5 MB")).click()
    wait_until(page, f"{SAYS}.includes('without the division')")
    assert asked == [f"{BASE}_static/live/{MODEL}"]
    assert "The least is 1.88, at 0.8" in figure.locator(".live-reply").inner_text()
    assert figure.locator(".live-curve").get_attribute("d") != ""
    figure.get_by_role("spinbutton", name="multiplier, typed").fill("6")
    page.keyboard.press("Enter")
    wait_until(page, f"{SAYS}.startsWith('At 6, ')")
    loss = stories.loss(stories.ours()[STORY], 6).mean()
    seen: list[stories.Seen] = []
    stories.forward(stories.encode(BEGINNINGS[0]), 6, seen)
    logits = seen[2].key[6] @ seen[2].query[6, -1] / np.sqrt(8)
    said = figure.locator(".live-say").inner_text()
    assert f"our story is {loss:.2f} nats" in said
    assert f"spreads its logits by {logits.std():.1f};" in said
    assert f"{100 * ah.softmax(logits).max():.1f}\u202f%, goes to “Tim”" in said
    slider.press("Home")
    wait_until(page, f"{SAYS}.startsWith('At 0, where all tokens weigh alike')")
    assert told_stories()[0].strip() in figure.locator(".live-passage").inner_text()
    wait_until(page, f"document.querySelector('{FIGURE} .live-status').textContent.includes('as')")
    assert violations(page, FIGURE) == []


def test_where_it_cannot_be_fetched_the_figure_says_so_and_keeps_what_was_stored(browser):
    context = browser.new_context(reduced_motion="reduce")
    page = open_live(context, f"{FIGURE}?m=2.83", missing=MODEL).page
    figure = page.locator(FIGURE)
    figure.get_by_role("button", name=re.compile("0.5 MB")).click()
    figure.locator(".live-reply").filter(has_text="could not be fetched").wait_for()
    assert told_stories()[8**0.5].strip() in figure.locator(".live-passage").inner_text()
    context.close()
