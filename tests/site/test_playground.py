"""The softmax playground: its arithmetic against attn_helpers, its controls, its address."""

import numpy as np
import pytest
from built_site import FRONT, SITE, chapter_page
from test_exercise_keyboard import tab_to

import attn_helpers as ah
from why_sqrt_d.pictures.playground import PRESETS

TAG = "softmax-playground"
COMPUTED = """states => states.map(state => {
  const p = window.whySqrtDPlayground, z = p.logits(state), w = p.softmax(z);
  return [z, w, p.entropy(w), p.effectiveKeys(w), p.jacobian(w)];
})"""


@pytest.fixture
def page(visit):
    opened = visit(FRONT)
    yield opened.page
    assert opened.troubles == []


def random_states(number, rng):
    """States with 2 to 8 keys; a third have huge scores, a tenth hold equal ones."""
    for case in range(number):
        n, d = int(rng.integers(2, 9)), int(2 ** rng.integers(0, 11))
        scores = rng.normal(0, (3, 30, 3000)[case % 3], n)
        if case % 10 == 0:
            scores[:] = scores[0]
        scale = ("none", "sqrt", float(2.0 ** rng.uniform(-6, 3)))[int(rng.integers(3))]
        yield {"scores": scores.tolist(), "d": d, "scale": scale}


def test_arithmetic_agrees_with_attn_helpers_on_a_thousand_states(page):
    states = list(random_states(1000, np.random.default_rng(20)))
    worst = 0.0
    for state, found in zip(states, page.evaluate(COMPUTED, states), strict=True):
        rule = {"none": 1.0, "sqrt": 1 / np.sqrt(state["d"])}
        beta = rule.get(state["scale"], state["scale"])
        weights = ah.softmax(beta * np.array(state["scores"]))
        expected = [
            beta * np.array(state["scores"]),
            weights,
            ah.entropy(weights),
            ah.effective_keys(weights),
            ah.softmax_jacobian(weights),
        ]
        for ours, theirs in zip(found, expected, strict=True):
            assert np.all(np.isfinite(ours))
            worst = max(worst, np.max(np.abs(np.array(ours) - theirs) / (1 + np.abs(theirs))))
    print(f"largest difference {worst:.1e}")
    assert worst <= 1e-12


SHOWN = """() => {
  const texts = css => [...document.querySelectorAll(css)].map(e => e.textContent);
  return {
    weights: texts(".playground-weight"),
    cells: texts(".playground-jacobian td"),
    measures: texts(".playground-measures")[0],
  };
}"""


def shown(page):
    return page.evaluate(SHOWN)


def test_each_example_shows_what_attn_helpers_computes(page):
    for preset in PRESETS:
        page.get_by_label("Example").select_option(preset["name"])
        beta = 1 if preset["state"]["scale"] == "none" else preset["state"]["d"] ** -0.5
        weights = ah.softmax(beta * np.array(preset["state"]["scores"], dtype=float))
        found = shown(page)
        assert found["weights"] == [f"{weight:.3f}" for weight in weights]
        assert f"Entropy {ah.entropy(weights):.2f} of at most" in found["measures"]
        assert (
            f"Effective keys {ah.effective_keys(weights):.2f} of {len(weights)}"
            in found["measures"]
        )
        cells = [float(cell.replace("−", "-")) for cell in found["cells"]]
        assert cells == pytest.approx(ah.softmax_jacobian(weights).ravel(), abs=0.0051)
        assert page.locator(".playground-note").inner_text() == preset["note"]


def test_a_score_is_dragged_by_keyboard_and_heard(page):
    tab_to(page, "#playground-key-2")
    page.keyboard.press("End")
    slider = page.locator("#playground-key-2")
    assert slider.get_attribute("aria-valuetext") == "score 20.0, weight 1.000"
    status = page.locator(TAG).get_by_role("status")
    page.wait_for_function("document.querySelector('.playground-status').textContent !== ''")
    assert status.text_content().startswith("Largest weight 1.000 on key 2. Entropy 0.00")
    assert page.get_by_label("Example").evaluate("s => s.selectedOptions[0].text") == (
        "your own scores"
    )


def test_every_control_is_reached_by_tab_and_turned(page):
    tab_to(page, "#playground-preset")
    page.keyboard.press("ArrowDown")
    assert shown(page)["weights"][0] == "0.371"
    tab_to(page, "input[name=playground-scale]:checked")
    page.keyboard.press("ArrowUp")
    assert shown(page)["weights"][0] == "0.599"
    tab_to(page, "#playground-d")
    page.keyboard.press("ArrowRight")
    assert page.locator("[data-for=playground-d]").inner_text() == "128"
    assert page.locator("#playground-d").get_attribute("aria-valuetext") == "128"
    tab_to(page, "#playground-beta")
    page.keyboard.press("Home")
    assert page.locator("#playground-beta").get_attribute("aria-valuetext") == "0.0156"
    assert page.get_by_label("β as turned").is_checked()
    tab_to(page, f"{TAG} button")
    page.keyboard.press("Enter")
    assert len(shown(page)["weights"]) == 6
    assert len(shown(page)["cells"]) == 36


def test_turning_d_changes_nothing_with_the_scale_and_saturates_without(page):
    page.get_by_label("Example").select_option(PRESETS[1]["name"])
    before = shown(page)["weights"]
    page.locator("#playground-d").press("End")
    assert shown(page)["weights"] == before
    page.get_by_label("none, β = 1").check()
    assert float(shown(page)["weights"][0]) > 0.8


def test_two_to_eight_keys(page):
    for _ in range(9):
        page.get_by_role("button", name="Add a key").press("Enter")
    assert len(shown(page)["weights"]) == 8
    assert page.get_by_role("button", name="Add a key").get_attribute("aria-disabled") == "true"
    for _ in range(9):
        page.get_by_role("button", name="Remove a key").press("Enter")
    assert len(shown(page)["weights"]) == 2


def test_the_address_leads_back_to_the_state(visit):
    page = visit(FRONT).page
    page.get_by_label("Example").select_option(PRESETS[3]["name"])
    page.get_by_label("β = 1/√d").check()
    page.wait_for_function("location.hash !== ''")
    assert page.url.endswith("#softmax-playground?scores=14,10&d=4&scale=sqrt")
    opened = visit(f"{FRONT}#{page.url.partition('#')[2]}")
    assert shown(opened.page) == shown(page)
    assert opened.page.locator(TAG).evaluate("e => e.getBoundingClientRect().top") < 400
    opened.page.evaluate("location.hash = '#softmax-playground?scores=1,1,1&d=1&scale=0.5'")
    opened.page.wait_for_function("document.querySelectorAll('.playground-key').length === 3")
    assert shown(opened.page)["weights"] == ["0.333"] * 3
    assert opened.troubles == []


NO_STATES = [
    "scores=1",
    "scores=1,2,3,4,5,6,7,8,9",
    "scores=1,x",
    "scores=1,1e9",
    "scores=1,NaN",
    "scores=1,Infinity",
    "scores=1,2&d=3",
    "scores=1,2&d=0",
    "scores=1,2&d=4096",
    "scores=1,2&scale=0",
    "scores=1,2&scale=-1",
    "scores=1,2&scale=big",
    "",
    "scores=<img src=x onerror=alert(1)>,2",
]


def test_an_address_that_names_no_state_is_ignored(page):
    found = page.evaluate(
        "a => a.map(h => window.whySqrtDPlayground.fromHash(h))",
        [f"#{TAG}?{hash}" for hash in NO_STATES],
    )
    assert found == [None] * len(NO_STATES)


def test_every_state_survives_its_address(page):
    states = [
        {**s, "scores": [float(f"{x:.6g}") for x in s["scores"]]}
        for s in random_states(60, np.random.default_rng(21))
        if max(map(abs, s["scores"])) <= 1e4
    ]
    for state in states:
        if isinstance(state["scale"], float):
            state["scale"] = float(f"{state['scale']:.6g}")
    found = page.evaluate(
        "a => a.map(s => whySqrtDPlayground.fromHash(whySqrtDPlayground.toHash(s)))", states
    )
    assert found == states


def test_keys_stay_inside_and_nothing_moves_by_itself(page):
    page.evaluate("window.heard = 0; document.addEventListener('keydown', () => window.heard++)")
    page.locator("#playground-key-1").press("ArrowLeft")
    assert page.evaluate("window.heard") == 0
    durations = page.locator(TAG).evaluate(
        "e => [...e.querySelectorAll('*')].map(x => getComputedStyle(x).transitionDuration)"
    )
    assert set(durations) == {"0s"}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_eight_keys_fit_a_phone_and_axe_is_content(visit, theme):
    from page_checks import all_troubles

    scores = ",".join(str(-9 + 2.5 * i) for i in range(8))
    opened = visit(f"{FRONT}#{TAG}?scores={scores}&d=64&scale=sqrt", width=360, theme=theme)
    assert len(shown(opened.page)["weights"]) == 8
    assert all_troubles(opened, theme) == []


def test_it_works_from_the_file_system(visit):
    opened = visit(FRONT, source="file")
    opened.page.locator("#playground-key-1").press("Home")
    opened.page.wait_for_function("location.hash.includes('scores=-20')")
    assert opened.troubles == []


def test_without_javascript_a_picture_and_a_sentence_stay(visit):
    page = visit(FRONT, javascript=False).page
    image = page.locator(f"{TAG} img")
    assert image.is_visible()
    assert image.evaluate("i => i.naturalWidth") > 0
    assert "0.60, 0.00, 0.40" in image.get_attribute("alt")
    assert "With JavaScript you can drag" in page.locator(TAG).inner_text()


def test_chapter_3_starts_with_its_own_example_and_keeps_its_address(visit):
    name = chapter_page("3")
    opened = visit(name, width=360)
    page = opened.page
    chosen = page.get_by_label("Example").evaluate("s => s.selectedOptions[0].text")
    assert chosen == "One score against seven zeros"
    weights = ah.softmax(np.array([5.0] + [0.0] * 7))
    assert shown(page)["weights"] == [f"{weight:.3f}" for weight in weights]
    page.locator("#playground-key-1").press("ArrowRight")
    page.wait_for_function("location.hash !== ''")
    again = visit(f"{name}#{page.url.partition('#')[2]}").page
    assert shown(again) == shown(page)
    assert again.locator(TAG).evaluate("e => e.getBoundingClientRect().top") < 400
    assert opened.troubles == []


def test_only_its_page_loads_its_scripts():
    with_scripts = {
        page.name
        for page in SITE.glob("book/*.html")
        if "playground/playground.js" in page.read_text("utf-8")
    }
    assert with_scripts == {
        page.name for page in SITE.glob("book/*.html") if f"<{TAG}" in page.read_text("utf-8")
    }
