"""Figures that move: controls, frames, the page's HTML, the widgets, and what they refuse."""

import base64
import html
import io
import json
import re
from html.parser import HTMLParser
from threading import Event, Thread

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from PIL import Image

from why_sqrt_d.pictures import (
    MAX_FRAMES,
    choice,
    explore,
    frames,
    live,
    new_figure,
    picture,
    slider,
    switch,
)
from why_sqrt_d.pictures.frames import FRAMES
from why_sqrt_d.pictures.page import render_moving_figure

CALLS: list[tuple] = []


@picture
def line(slope, kind, thick=False):
    """A line; thick changes nothing on purpose where the slope is zero."""
    CALLS.append((slope, kind, thick))
    figure, axis = new_figure(height=1.2)
    axis.set_ylim(-1, 4)
    axis.plot([0, 1], [0, slope], kind, lw=4 if thick and slope else 1)
    return figure, f"A line from the origin <to & with> slope {slope}, drawn {kind}, {thick}."


def lines(**changes):
    controls = {
        "slope": slider([0, 1, 2], start=1, label="slope <m>"),
        "kind": choice({"solid": "-", "dotted": ":"}),
        "thick": switch(),
    }
    return explore(line, **(controls | changes))


def bundle(explored, monkeypatch, drawn=True):
    monkeypatch.setenv(FRAMES, "1" if drawn else "")
    return explored._repr_mimebundle_()[0]


def same_but_for_edges(before, after):
    """Say whether nine pixels in ten are the same, and no channel of the rest moved far."""
    moved = np.abs(before.astype(int) - after.astype(int)).max(axis=2)
    return moved.max() <= 8 and np.mean(moved == 0) > 0.9


def film_of(png):
    with Image.open(io.BytesIO(png)) as image:
        return frames.open_film(image)


@pytest.fixture(scope="module")
def shot():
    return frames.film(lines())


# -------------------------------------------------------------------------------- controls


def test_what_a_control_is():
    for made, kind, texts, start in (
        (slider([1, 2.5]), "slider", ("1", "2.5"), 0),
        (slider(np.linspace(0, 1, 3), start=0.5), "slider", ("0", "0.5", "1"), 1),
        (slider([0.5, 1], format="{:.0%}"), "slider", ("50%", "100%"), 0),
        (slider([4, 8], format=lambda n: f"2^{n.bit_length() - 1}"), "slider", ("2^2", "2^3"), 0),
        (choice(["a", "b"]), "choice", ("a", "b"), 0),
        (choice({"a": 1, "b": [2]}, start="b"), "choice", ("a", "b"), 1),
        (switch(), "switch", ("off", "on"), 0),
        (switch(np.True_), "switch", ("off", "on"), 1),
    ):
        assert (made.kind, made.texts, made.start, made.label) == (kind, texts, start, "")
        assert all(type(value) is not np.float64 for value in made.values)
        assert explore(lambda some_name: None, some_name=made).controls["some_name"].label == (
            "some name"
        )


def test_bad_controls_are_named():
    for make, error, said in (
        (lambda: slider([]), ValueError, "slider: at least two settings are needed, got []"),
        (lambda: slider([1]), ValueError, "at least two settings are needed, got ['1']"),
        (lambda: slider([1, 1]), ValueError, "values must increase, got [1, 1]"),
        (lambda: slider([2, 1]), ValueError, "values must increase, got [2, 1]"),
        (lambda: slider([1, float("nan")]), ValueError, "values must be finite"),
        (lambda: slider([1, "a"]), TypeError, "values must be real numbers, got 'a'"),
        (lambda: slider([True, 2]), TypeError, "values must be real numbers, got True"),
        (lambda: slider([1.0000001, 1.0000002]), ValueError, "settings look alike in ['1', '1']"),
        (lambda: slider([1, 2], start=3), ValueError, "start 3 is none of [1, 2]"),
        (lambda: choice(["a"]), ValueError, "choice: at least two settings are needed"),
        (lambda: choice(["a", "a"]), ValueError, "two settings look alike"),
        (lambda: choice(["a", " "]), ValueError, "an option has the empty name ' '"),
        (lambda: choice({1: "a", 2: "b"}), TypeError, "named with text, got 1"),
        (lambda: choice(["a", "b"], start="c"), ValueError, "start 'c' is none of ['a', 'b']"),
        (lambda: switch(1), TypeError, "on must be True or False, got 1"),
    ):
        with pytest.raises(error, match=re.escape(said)):
            make()


def test_a_mapping_keeps_values_that_cannot_be_compared():
    made = choice({"a": np.zeros(3), "b": np.ones(3)}, start="b")
    assert made.start == 1
    assert made.values[1].sum() == 3


# --------------------------------------------------------------------------------- explore


def test_the_bound_names_the_count():
    with pytest.raises(ValueError, match=rf"5 × 13 = 65 frames; at most {MAX_FRAMES}"):
        explore(lambda a, b: None, a=slider(range(5)), b=slider(range(13)))


def test_one_to_three_controls():
    for number in (0, 4):
        with pytest.raises(ValueError, match=f"one to 3 controls, got {number}"):
            explore(lambda **_: None, **{f"c{i}": switch() for i in range(number)})


def test_what_cannot_be_explored_is_refused():
    with pytest.raises(TypeError, match="render cannot take wrong: missing a required"):
        explore(line, wrong=switch())
    with pytest.raises(TypeError, match="must be a function that draws, got 3"):
        explore(3, x=switch())
    with pytest.raises(TypeError, match=r"x must be a slider, a choice or a switch, got \[1, 2"):
        explore(lambda x: None, x=[1, 2])


@pytest.mark.parametrize("drawn", [True, False])
def test_a_failing_frame_is_named_with_its_settings(monkeypatch, drawn):
    def fails(x, recipe):
        if x == 2:
            raise ZeroDivisionError("by nothing")
        return line(x, "-")

    explored = explore(
        fails, x=slider([1, 2], start=None if drawn else 2), recipe=choice(["a", "b"])
    )
    with pytest.raises(RuntimeError, match="with x: 2, recipe: a failed: ZeroDivisionError: by"):
        bundle(explored, monkeypatch, drawn)


def test_a_function_that_returns_no_picture_is_told_how(monkeypatch):
    with pytest.raises(RuntimeError, match=r"x: 1 is no Picture but int: decorate .* @picture"):
        bundle(explore(lambda x: 3, x=slider([1, 2])), monkeypatch)


def test_frames_of_different_sizes_are_refused(monkeypatch):
    @picture
    def grows(x):
        return new_figure(height=x)[0], "a figure whose height depends on its control, sadly"

    with pytest.raises(RuntimeError, match=r"x: 2 has \(1190, 384\) pixels.*\(1190, 192\)"):
        bundle(explore(grows, x=slider([1, 2])), monkeypatch)


# ---------------------------------------------------------------------------------- frames


def test_every_setting_is_drawn_once_the_last_control_turning_fastest():
    CALLS.clear()
    frames.film(lines())
    wanted = [(m, k, t) for m in (0, 1, 2) for k in "-:" for t in (False, True)]
    assert wanted == CALLS


def test_equal_frames_are_stored_once(shot):
    found = film_of(shot)
    assert found.order == [0, 0, 1, 1, *range(2, 10)]
    assert len(found.images) == len(set(found.images)) == 10
    assert found.texts[0].endswith("slope 0, drawn -, False.")
    assert found.texts[-1].endswith("slope 2, drawn :, True.")


def test_a_frame_that_comes_back_later_is_shared_too():
    @picture
    def alternates(x):
        figure, axis = new_figure(height=1)
        axis.plot([0, 1], [x % 2, 0])
        return figure, f"A line that starts at the height {x % 2} and comes down to zero."

    found = film_of(frames.film(explore(alternates, x=slider(range(5)))))
    assert found.order == [0, 1, 0, 1, 0]
    assert len(found.images) == 2


def test_the_file_is_the_starting_picture_and_stays_the_same(shot):
    assert frames.open_film(Image.new("RGB", (2, 2))) is None
    assert frames.film(lines()) == shot
    with Image.open(io.BytesIO(shot)) as image:
        assert image.text["Description"].startswith("A line from the origin")
        first = np.asarray(image.convert("RGB"))
        found = frames.open_film(image)
    frame = np.asarray(Image.open(io.BytesIO(found.images[found.order[4]])).convert("RGB"))
    assert same_but_for_edges(first, frame)  # slope 1, solid, thin
    assert found.size == (first.shape[1], first.shape[0])
    assert found.width == 595


def test_frames_are_what_the_notebook_shows(shot):
    shown = line(2, "-")
    data = base64.b64decode(shown._repr_mimebundle_()[0]["image/png"])
    assert film_of(data) is None
    alone = np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))
    found = film_of(shot)
    frame = np.asarray(Image.open(io.BytesIO(found.images[found.order[8]])).convert("RGB"))
    assert same_but_for_edges(alone, frame)


@given(
    hnp.arrays(np.uint8, hnp.array_shapes(min_dims=2, max_dims=2, min_side=2, max_side=9)),
    st.integers(0, 255),
)
def test_edges_have_few_shades_and_areas_their_colours(values, area):
    pixels = np.full((80, 80, 3), area, np.uint8)  # four of a colour make an area
    pixels[: values.shape[0], : values.shape[1], 1] = values
    thinned = np.asarray(frames.edges_simplified(Image.fromarray(pixels)))
    assert same_but_for_edges(pixels, thinned)
    colours, counts = np.unique(pixels.reshape(-1, 3), axis=0, return_counts=True)
    for colour, count in zip(colours, counts, strict=True):
        found = thinned[(pixels == colour).all(axis=2)]
        wanted = colour if count > 3 else np.minimum(255, (colour / 16 + 0.5).astype(int) * 16)
        assert (found == wanted).all()


def test_without_webp_the_frames_are_png(monkeypatch):
    monkeypatch.setattr(frames.features, "check", lambda name: False)
    found = film_of(frames.film(explore(line, slope=slider([1, 2]), kind=choice(["-", ":"]))))
    assert all(image.startswith(b"\x89PNG") for image in found.images)


def test_what_is_stored_does_not_depend_on_the_mode(monkeypatch):
    built, running = (bundle(lines(), monkeypatch, drawn) for drawn in (True, False))
    assert built["text/plain"] == running["text/plain"]
    assert "Controls: slope <m> (0, 1, 2); kind (solid, dotted)" in built["text/plain"]
    assert set(built) == {"text/plain", "image/png"}


# ------------------------------------------------------------------------------------ page


KNOWN = {"class", "id", "src", "alt", "width", "height", "decoding", "role", "hidden", "for"}
KNOWN |= {"aria-label", "aria-live", "data-lm-suppress-shortcuts", "autocomplete", "value"}
KNOWN |= {"selected", "type", "loading"}


class _Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.data = [], []

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_data(self, data):
        self.data.append(data)


@pytest.fixture(scope="module")
def page(shot):
    found = film_of(shot)
    made = _Page()
    made.feed(render_moving_figure(found, [f"f{i}.webp" for i in range(10)], 3))
    return made


def test_the_page_shows_the_starting_frame_with_its_alternative(page, shot):
    attributes = next(a for tag, a in page.tags if tag == "img")
    assert attributes["src"] == "f2.webp"
    assert attributes["alt"] == film_of(shot).texts[4]
    assert attributes["width"] == "595"


def test_every_control_of_the_page_is_native_and_labelled(page):
    inputs = {a["id"]: a for tag, a in page.tags if tag in ("input", "select")}
    labels = {a["for"] for tag, a in page.tags if tag == "label"}
    assert labels == set(inputs) == {"moving-3-0", "moving-3-1", "moving-3-2"}
    assert inputs["moving-3-0"]["aria-valuetext"] == "1"
    assert (inputs["moving-3-0"]["type"], inputs["moving-3-0"]["max"]) == ("range", "2")
    assert "checked" not in inputs["moving-3-2"]


def test_the_page_knows_every_frame(page, shot):
    text = next(data for data in page.data if data.startswith("{"))
    spec = json.loads(text)
    assert len(spec["frames"]) == len(spec["texts"]) == 12
    assert spec["frames"][:3] == ["f0.webp", "f0.webp", "f1.webp"]
    assert spec["start"] == 4
    assert spec["controls"][0] == {"label": "slope <m>", "texts": ["0", "1", "2"]}


@given(st.text(min_size=1), st.text())
@example("</script>", "</script><script>alert(1)</script>")
@example('" onload="alert(1)', "<!-- '\" & -->")
def test_no_text_escapes_from_its_place(label, text):
    control = {"kind": "choice", "label": label, "texts": [text, "b"], "start": 0}
    found = frames.Film([control], [0, 1], [text, "second"], (10, 5), 10, [b"", b""])
    written = render_moving_figure(found, ["a", "b"], 1)
    assert written.count("<script") == written.count("</script") == 1
    assert written.count("<option") == 2
    made = _Page()
    made.feed(written)
    assert next(a for tag, a in made.tags if tag == "img")["alt"] == text
    assert {name for _, attributes in made.tags for name in attributes} <= KNOWN


# ------------------------------------------------------------------------------------ live


def test_the_widgets_draw_with_live_python():
    explored = lines()
    box = live.panel(explored, explored.draw(explored.start))
    shown, *knobs = box.children
    assert [knob.description for knob in knobs] == ["slope <m>", "kind", "thick"]
    assert [knob.value for knob in knobs] == [1, 0, False]
    CALLS.clear()
    knobs[0].value, knobs[2].value = 2, True
    assert CALLS == [(2, "-", False), (2, "-", True)]
    assert "slope 2, drawn -, True." in html.unescape(shown.value)


def test_a_failure_in_a_widget_is_said_where_the_picture_stands():
    def fails(x):
        return line(x, "-") if x < 2 else line()

    explored = explore(fails, x=slider([1, 2]))
    box = live.panel(explored, explored.draw(explored.start))
    box.children[1].value = 1
    assert 'role="alert"' in box.children[0].value
    assert "the frame with x: 2 failed: TypeError" in box.children[0].value
    box.children[1].value = 0
    assert "<img" in box.children[0].value


def test_the_slower_of_two_threads_does_not_overwrite_the_later_picture():
    """JupyterLab may run one control's callback in another thread than the next one's."""
    drawing, go_on = Event(), Event()

    def waits(slope, thick):
        if slope == 2 and not thick:
            drawing.set()
            assert go_on.wait(60)
        return line(slope, "-", thick)

    explored = explore(waits, slope=slider([1, 2]), thick=switch())
    shown, slope, thick = live.panel(explored, explored.draw(explored.start)).children
    first = Thread(target=setattr, args=(slope, "value", 1))
    first.start()
    assert drawing.wait(60)
    second = Thread(target=setattr, args=(thick, "value", True))
    second.start()
    second.join(0.3)  # it has to wait; if it does not, its picture is there by now
    go_on.set()
    first.join(60)
    second.join(60)
    assert "slope 2, drawn -, True." in html.unescape(shown.value)


def test_the_script_in_the_page_stays_inside_its_attribute():
    explored = lines()
    made = _Page()
    made.feed(live.panel(explored, explored.draw(explored.start)).children[0].value)
    ((tag, attributes),) = made.tags
    assert (tag, attributes["data-controls"], made.data) == ("img", "3", [])
    assert attributes["onload"].endswith("})(this, 200)")


def test_a_running_notebook_gets_widgets_and_a_picture(monkeypatch):
    shown = bundle(lines(), monkeypatch, drawn=False)
    assert set(shown) == {"text/plain", "image/png", live.VIEW}
    assert film_of(base64.b64decode(shown["image/png"])) is None
