"""Figures that move: by keyboard, by mouse, aloud, without a script, on a failing network."""

import hashlib
import re

import pytest
from built_site import SITE, chapter_page, soup
from local_server import serving_half
from test_exercise_keyboard import tab_to
from turning import MOVING, figure_of, frame_at, places_of, settled, spec_of, state_of
from visiting import Visit

NAME, PLACE = MOVING[0]
FIRST_SLIDER = "input[type=range]"


CHAPTERS_THAT_MOVE = ("4", "5", "6", "7")


def frame_at_home(page, spec):
    """Return the file that the Home key on the first slider asks for; the others stay."""
    figure = figure_of(page, PLACE)
    kinds = figure.locator("input, select").evaluate_all("a => a.map(i => i.type)")
    places = places_of(figure)
    places[kinds.index("range")] = 0
    return frame_at(spec, places)[0].rpartition("/")[2]


@pytest.mark.parametrize("chapter", CHAPTERS_THAT_MOVE)
def test_each_chapter_has_two_figures_that_move_and_says_what_to_try(chapter):
    name = chapter_page(chapter)
    figures = [place for page, place in MOVING if page == name]
    assert len(figures) >= 2
    for place in figures:
        cell = soup(name).select_one(f"#moving-{place}").find_parent("div", class_="cell")
        after = cell.find_next_sibling("p")
        assert after.get_text().startswith("Try this: "), (name, place, after)


@pytest.mark.parametrize("chapter", CHAPTERS_THAT_MOVE)
def test_every_control_is_named_large_enough_and_turned_by_keyboard(visit, chapter):
    name = chapter_page(chapter)
    opened = visit(name, width=360)
    page = opened.page
    for place in (place for where, place in MOVING if where == name):
        figure, spec = figure_of(page, place), spec_of(name, place)
        figure.locator("input, select").first.focus()
        for i, control in enumerate(spec["controls"]):
            tab_to(page, f"#moving-{place}-{i}")
            turn_by_keyboard(page, figure, spec, place, i)
            has_a_name_and_room_for_a_finger(figure, place, i, control)
    assert opened.troubles == []


def turn_by_keyboard(page, figure, spec, place, i):
    """Press one key on a control that has the focus: it alone moves, and says where it stands."""
    before, texts = places_of(figure), spec["controls"][i]["texts"]
    kind = page.evaluate("document.activeElement.type")
    last = before[i] == len(texts) - 1
    page.keyboard.press(
        "Space" if kind == "checkbox" else "ArrowUp" if kind != "range" and last
        else "ArrowDown" if kind != "range" else "ArrowLeft" if last else "ArrowRight"
    )  # fmt: skip
    after = settled(page, figure, spec)
    assert [a != b for a, b in zip(before, after, strict=True)].count(True) == 1
    assert after[i] != before[i]
    if kind == "range":
        focused = page.locator(f"#moving-{place}-{i}")
        shown = figure.locator(f"[data-for=moving-{place}-{i}]").inner_text()
        assert focused.get_attribute("aria-valuetext") == shown == texts[after[i]]


def has_a_name_and_room_for_a_finger(figure, place, i, control):
    roles = {"range": "slider", "select-one": "combobox", "checkbox": "checkbox"}
    found = figure.locator(f"#moving-{place}-{i}")
    role = roles[found.evaluate("e => e.type")]
    assert figure.get_by_role(role, name=control["label"], exact=True).count() == 1
    target = found.locator("xpath=..") if role == "checkbox" else found
    assert target.bounding_box()["height"] >= 44


def test_a_figure_is_reached_from_the_top_of_the_page_by_tab(visit):
    tab_to(visit(NAME).page, f"#moving-{PLACE}-0")


@pytest.mark.parametrize(("name", "place"), MOVING)
def test_every_frame_is_a_file_named_by_its_content(name, place):
    spec = spec_of(name, place)
    number = 1
    for control in spec["controls"]:
        number *= len(control["texts"])
    assert len(spec["frames"]) == len(spec["texts"]) == number
    assert min(map(len, spec["texts"])) >= 40
    for address in set(spec["frames"]):
        path = (SITE / name).parent / address
        assert hashlib.sha256(path.read_bytes()).hexdigest()[:16] in path.name
        assert path.stat().st_size < 40_000, address


def test_no_frame_lies_about_unused():
    used = set()
    for page in SITE.rglob("*.html"):
        used |= set(re.findall(r"picture-[0-9a-f]{16}\.\w+", page.read_text("utf-8")))
    assert {path.name for path in (SITE / "_images").glob("*")} == used


@pytest.mark.parametrize("source", ["http", "file"])
def test_a_slider_is_dragged_by_mouse(visit, source):
    opened = visit(NAME, source=source)
    page, spec = opened.page, spec_of(NAME, PLACE)
    figure = figure_of(page, PLACE)
    slider = figure.locator(FIRST_SLIDER).first
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 2, middle)
    page.mouse.down()
    for share in (0.3, 0.6, 1):
        page.mouse.move(box["x"] + share * box["width"] - 1, middle)
    page.mouse.up()
    assert settled(page, figure, spec)[0] == len(spec["controls"][0]["texts"]) - 1
    assert opened.troubles == []


def test_the_status_speaks_once_after_a_pause(visit):
    page = visit(NAME).page
    figure = figure_of(page, PLACE)
    figure.evaluate(
        "e => { window.said = []; new MutationObserver(() => window.said.push("
        "e.querySelector('[role=status]').textContent)).observe("
        "e.querySelector('[role=status]'), { childList: true }); }"
    )
    figure.locator(FIRST_SLIDER).first.focus()
    for key in ("Home", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    page.wait_for_function("window.said.length > 0")
    page.wait_for_timeout(900)
    control = spec_of(NAME, PLACE)["controls"][0]
    said = page.evaluate("window.said")
    assert len(said) == 1
    assert said[0].startswith(f"The figure shows {control['label']}: {control['texts'][2]}")


def test_frames_are_fetched_only_when_the_figure_comes_near(visit):
    name, place = MOVING[-1]
    opened = visit(name)
    spec, page = spec_of(name, place), opened.page
    shown = state_of(figure_of(page, place))["src"]

    def fetched():
        names = {url.rpartition("/")[2] for url in opened.requests}
        return {a for a in set(spec["frames"]) - {shown} if a.rpartition("/")[2] in names}

    assert fetched() == set()
    figure_of(page, place).scroll_into_view_if_needed()
    page.wait_for_function(
        "names => performance.getEntriesByType('resource')"
        ".filter(e => names.includes(e.name.split('/').pop())).length >= 4",
        arg=[address.rpartition("/")[2] for address in spec["frames"]],
    )
    assert 0 < len(fetched()) < len(set(spec["frames"])) - 1


def test_figures_far_down_the_page_are_not_fetched_at_first(visit):
    name, place = MOVING[-1]
    opened = visit(name)
    image = figure_of(opened.page, place).locator("img")
    address = image.get_attribute("src").rpartition("/")[2]
    assert not any(url.endswith(address) for url in opened.requests)
    image.scroll_into_view_if_needed()
    opened.page.wait_for_function(
        "([id]) => document.querySelector(`#${id} img`).naturalWidth > 0", arg=[f"moving-{place}"]
    )


@pytest.mark.parametrize("chapter", ["4", "5"])
def test_the_first_figure_answers_while_the_page_is_still_read(browser, chapter):
    name = chapter_page(chapter)
    spec, page = spec_of(name, 1), browser.new_page(viewport={"width": 360, "height": 800})
    with serving_half(SITE, "/* Waits for the stylesheet. */</script>") as (base, go_on):
        opened = Visit(page, base)
        page.goto(base + name, wait_until="commit")
        figure = figure_of(page, 1)
        slider = figure.locator(FIRST_SLIDER).first
        page.wait_for_selector("#moving-1 .moving-controls", state="visible", timeout=10_000)
        slider.focus()
        for key, end in (("Home", "min"), ("End", "max")):
            page.keyboard.press(key)
            assert slider.input_value() == slider.get_attribute(end)
            settled(page, figure, spec)
        assert page.evaluate("document.readyState") == "loading"
        assert page.locator("moving-figure").count() == 1
        go_on.set()
        page.wait_for_function("document.readyState === 'complete'")
        second = figure_of(page, 2)
        second.locator("input, select").first.focus()
        assert second.locator(".moving-controls").is_visible()
        page.wait_for_load_state("networkidle")
        # A picture may be given up for the next one, as the figure has been turned twice.
        given_up = {
            f"failed request: {base}{frame.removeprefix('../')} (net::ERR_ABORTED)"
            for frame in spec["frames"]
        }
        assert set(opened.troubles) <= given_up
        page.close()  # pictures for later turns may still be on their way


def test_the_picture_that_is_wanted_has_the_line_for_itself(visit):
    opened = visit(NAME)
    page, spec = opened.page, spec_of(NAME, PLACE)
    names = {address.rpartition("/")[2] for address in spec["frames"]}
    known = {url.rpartition("/")[2] for url in opened.requests} & names
    wanted = frame_at_home(page, spec)
    assert wanted not in known
    held, asked = [], []
    page.on("request", lambda r: asked.append(r.url.rpartition("/")[2]))
    page.route(f"**/{wanted}", lambda route: held.append(route))
    figure = figure_of(page, PLACE)
    figure.evaluate(  # a finger that comes down and moves
        "e => { e.dispatchEvent(new PointerEvent('pointerenter')); "
        "const i = e.querySelector('input[type=range]'); i.value = i.min; "
        "i.dispatchEvent(new Event('input', { bubbles: true })); }"
    )
    page.wait_for_timeout(600)
    assert [a for a in asked if a in names] == [wanted]
    held[0].continue_()
    settled(page, figure, spec)
    rest = names - known - {spec["frames"][spec["start"]].rpartition("/")[2]}
    for _ in range(50):
        if rest <= set(asked):
            break
        page.wait_for_timeout(100)
    assert rest <= set(asked)


def test_the_last_turn_wins_on_a_slow_network(visit, browser):
    opened = visit(NAME)
    page, spec = opened.page, spec_of(NAME, PLACE)
    last = len(spec["controls"][0]["texts"]) - 1
    held = frame_at_home(page, spec)
    waiting = []
    page.route(f"**/{held}", lambda route: waiting.append(route))
    figure = figure_of(page, PLACE)
    figure.locator(FIRST_SLIDER).first.focus()
    page.keyboard.press("Home")
    page.wait_for_function("document.querySelector('[data-stale]')")
    before = state_of(figure)
    assert not before["src"].endswith(held)
    start = dict(zip(spec["frames"], spec["texts"], strict=True))[before["src"]]
    assert before["alt"] == start
    assert figure.get_by_role("status").inner_text() == "Fetching the picture."
    page.keyboard.press("End")
    assert settled(page, figure, spec)[0] == last
    waiting[0].continue_()
    page.wait_for_timeout(300)
    assert settled(page, figure, spec)[0] == last


def test_the_first_picture_counts_as_there_only_when_it_is(visit, browser, address):
    name, place = MOVING[-1]
    spec, held = spec_of(name, place), []
    with browser.new_page() as page:
        first = spec["frames"][spec["start"]].rpartition("/")[2]
        page.route(f"**/{first}", lambda route: held.append(route))
        page.goto(address + name, wait_until="domcontentloaded")
        figure = figure_of(page, place)
        page.wait_for_selector(f"#moving-{place} .moving-controls", state="visible")
        slider = figure.locator(FIRST_SLIDER).first
        slider.focus()
        start = int(slider.input_value())
        away, back = ("ArrowLeft", "ArrowRight") if start else ("ArrowRight", "ArrowLeft")
        page.keyboard.press(away)
        settled(page, figure, spec)
        shown = state_of(figure)
        page.keyboard.press(back)
        page.wait_for_selector(f"#moving-{place} [data-stale]")
        assert state_of(figure) == shown
        for route in held:
            route.continue_()
        settled(page, figure, spec)


def test_a_frame_that_cannot_be_fetched_is_said_and_tried_again(visit):
    opened = visit(NAME)
    page, spec = opened.page, spec_of(NAME, PLACE)
    gone = frame_at_home(page, spec)
    page.route(f"**/{gone}", lambda route: route.abort())
    figure = figure_of(page, PLACE)
    figure.locator(FIRST_SLIDER).first.focus()
    page.keyboard.press("Home")
    status = figure.get_by_role("status")
    page.wait_for_function("document.querySelector('.moving-status').textContent.includes('not')")
    assert status.inner_text().startswith("This picture could not be fetched")
    assert page.locator("[data-stale]").count() == 1
    page.unroute(f"**/{gone}")
    page.keyboard.press("ArrowRight")
    settled(page, figure, spec)
    page.keyboard.press("ArrowLeft")
    assert settled(page, figure, spec)[0] == 0
    assert page.locator("[data-stale]").count() == 0


def test_keys_stay_inside(visit):
    page = visit(NAME).page
    page.evaluate(
        "window.heard = 0; document.addEventListener('keydown', () => { window.heard += 1; })"
    )
    figure_of(page, PLACE).locator(FIRST_SLIDER).first.press("ArrowLeft")
    assert page.evaluate("window.heard") == 0
    assert figure_of(page, PLACE).get_attribute("data-lm-suppress-shortcuts") == "true"


def test_nothing_moves_by_itself(visit):
    page = visit(NAME).page
    figure = figure_of(page, PLACE)
    before = state_of(figure)
    page.wait_for_timeout(1000)
    assert state_of(figure) == before
    durations = figure.evaluate(
        "e => [e, ...e.querySelectorAll('*')].map(x => getComputedStyle(x))"
        ".map(s => s.transitionDuration + ' ' + s.animationName)"
    )
    assert set(durations) == {"0s none"}


def test_print_shows_the_current_frame(visit):
    page, spec = (visit(NAME)).page, spec_of(NAME, PLACE)
    figure = figure_of(page, PLACE)
    figure.locator(FIRST_SLIDER).first.focus()
    page.keyboard.press("End")
    settled(page, figure, spec)
    page.emulate_media(media="print")
    assert figure.locator("img").is_visible()
    assert figure.locator("img").get_attribute("src") == frame_at(spec, places_of(figure))[0]


def test_pages_without_moving_figures_do_not_load_their_script():
    for page in SITE.glob("book/*.html"):
        found = soup(page.relative_to(SITE).as_posix())
        assert bool(found.select("script[src*='moving/figure.js']")) == bool(
            found.select("moving-figure")
        )
