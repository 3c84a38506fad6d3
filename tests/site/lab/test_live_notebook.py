"""Figures that move and exercises in JupyterLab, over a live kernel, by keyboard.

Arrow keys and letters belong to the control that has the focus: the notebook keeps its active
cell, its selection, its mode and its cells.
"""

from urllib.parse import urlsplit

import nbformat
import pytest
from axe import violations
from live_notebook import CONTROLS, SHOWN

from tools.paths import notebooks
from why_sqrt_d.exercises import Choice, all_exercises

FIGURE = """
from why_sqrt_d.exercises import check, exercise
from why_sqrt_d.pictures import new_figure, picture
from why_sqrt_d.pictures import explore
from why_sqrt_d.pictures import choice, slider, switch


@picture
def line(slope, kind, thick):
    figure, axis = new_figure(height=1.6)
    axis.set_ylim(0, 4)
    axis.plot([0, 1], [0, slope], {"solid": "-", "dotted": ":", "dashed": "--"}[kind],
              lw=6 if thick else 1)
    width = "thick" if thick else "thin"
    return figure, f"A line from the origin <to & with> slope {slope}, {kind} and {width}."


explore(
    line,
    slope=slider([0, 1, 2, 3], start=1, label="slope <m>"),
    kind=choice(["solid", "dotted", "dashed"], label="kind of line"),
    thick=switch(label="thick line"),
)
"""
EXERCISE = next(e for e in all_exercises() if isinstance(e.kind, Choice))
ANSWERS = [EXERCISE.wrong[0].answer, EXERCISE.kind.right_answers()[0]]
CELLS = [
    "before = 1",
    FIGURE,
    "after = 2",
    "from why_sqrt_d.front.live import sampler\nsampler(d=16)",
    f"exercise({EXERCISE.id!r})",
    *(f"check({EXERCISE.id!r}, {answer!r})" for answer in ANSWERS),
]
OWN, LIVE = 1, 3  # the cells of the figures
SLIDER, CHOICE, SWITCH = range(3)
NAMES = [("slider", "slope <m>"), ("combobox", "kind of line"), ("checkbox", "thick line")]
# Figures that ask for nothing that is computed before them but their chapter's first lines.
CHAPTERS = {
    "2a-exact-law": [("slider", "dimension d"), ("combobox", "look")],
}
KEYS = {"slider": "ArrowRight", "combobox": "ArrowDown"}


@pytest.fixture(scope="module")
def notebook(open_notebook):
    return open_notebook("figure", CELLS)


@pytest.fixture
def calm(notebook):
    """The notebook with its controls at slope 1, solid and thin, and nothing on its way.

    The kernel answers in order, and a control keeps back what it has to say until its last
    message is answered: two turns of the switch come after all that was said before.
    """
    notebook.focus(CHOICE)
    notebook.press("Home")
    notebook.focus(SLIDER)
    notebook.press("Home", "ArrowRight")
    switch, turns = notebook.focus(SWITCH), 0
    while turns < 2 or switch.is_checked():
        notebook.press("Space")
        notebook.wait_for_alternative("and thick." if switch.is_checked() else "and thin.")
        turns += 1
    notebook.wait_for_alternative("slope 1, solid and thin.")
    notebook.enter(OWN)
    return notebook


@pytest.fixture(params=["command", "edit"])
def started(calm, request):
    """The same, coming from either mode."""
    calm.enter(OWN, request.param)
    return calm


def turned(notebook, control, key, alternative):
    """Press a key on a control: the picture follows and the notebook stays as it is."""
    focused = notebook.focus(control)
    (bytes_before, _), before = notebook.picture(), notebook.state()
    notebook.press(key)
    notebook.wait_for_alternative(alternative)
    assert notebook.picture()[0] != bytes_before
    assert notebook.state() == before
    assert before["active"] == OWN
    assert before["selected"] == [OWN]
    assert focused.evaluate("e => document.activeElement === e")
    return focused


def test_a_slider_is_turned_by_arrow_keys(started):
    for key, slope in (
        ("ArrowRight", 2),
        ("ArrowUp", 3),
        ("ArrowLeft", 2),
        ("ArrowDown", 1),
        ("Home", 0),
        ("End", 3),
    ):
        handle = turned(started, SLIDER, key, f"slope {slope}, solid and thin.")
        assert handle.get_attribute("aria-valuetext") == str(slope)
        assert started.page.locator(".widget-readout").inner_text() == str(slope)


def test_a_choice_is_turned_by_arrow_keys(started):
    for key, kind in (
        ("ArrowDown", "dotted"),
        ("ArrowDown", "dashed"),
        ("ArrowUp", "dotted"),
        ("Home", "solid"),
        ("End", "dashed"),
    ):
        chosen = turned(started, CHOICE, key, f"slope 1, {kind} and thin.")
        assert chosen.evaluate("e => e.selectedOptions[0].text") == kind


def test_a_switch_is_turned_by_the_space_bar(started):
    for on, width in ((True, "thick"), (False, "thin")):
        box = turned(started, SWITCH, "Space", f"slope 1, solid and {width}.")
        assert box.is_checked() == on


@pytest.mark.parametrize("control", [SLIDER, CHOICE, SWITCH])
def test_no_plain_key_reaches_the_notebook(calm, control):
    """Left alone these would select, scroll, edit, insert, delete, cut, merge or run cells."""
    calm.focus(control)
    before = calm.state()
    keys = ["ArrowDown", "ArrowUp", "ArrowUp", "Shift+ArrowDown", "j", "k", "a", "b", "x", "m"]
    calm.press(*keys, "Shift+M", "d", "d", "0", "0", "1")
    if control != CHOICE:  # there it opens the list
        calm.press("Enter")
    assert calm.state() == before


def test_commands_still_reach_jupyterlab(calm):
    dirty = "() => jupyterapp.shell.currentWidget.context.model.dirty"
    calm.page.evaluate("jupyterapp.shell.currentWidget.context.model.dirty = true")
    calm.focus(SLIDER)
    assert calm.page.evaluate(dirty)
    calm.press("ControlOrMeta+s")
    calm.page.wait_for_function(f"() => !({dirty})()")


def test_the_tab_key_goes_from_control_to_control(calm):
    calm.focus(SLIDER)
    for control in (CHOICE, SWITCH):
        calm.press("Tab")
        found = calm.page.locator(CONTROLS).nth(control)
        assert found.evaluate("e => document.activeElement === e")
    calm.press("Shift+Tab", "Shift+Tab")
    handle = calm.page.locator(CONTROLS).nth(SLIDER)
    assert handle.evaluate("e => document.activeElement === e")


def test_the_last_of_many_turns_is_what_the_picture_shows(calm):
    """One control's callback may run in another thread than the next one's."""
    calm.focus(SWITCH)
    calm.press("Space")
    calm.focus(SLIDER)
    calm.press("ArrowRight", "ArrowRight", "ArrowLeft")
    calm.focus(CHOICE)
    calm.press("ArrowDown")
    calm.wait_for_alternative("slope 2, dotted and thick.")


def test_picture_and_controls_have_names(calm):
    page = calm.page
    for role, name in NAMES:
        assert page.get_by_role(role, name=name, exact=True).count() == 1
    shown = page.get_by_role("img", name="A line from the origin <to & with> slope 1, solid")
    assert shown.count() == 1
    panel = page.locator(".widget-vbox")
    assert panel.locator("img:not([alt]), img[alt='']").count() == 0
    assert violations(page, ".widget-vbox") == []


def test_an_exercise_is_answered_and_its_hint_unfolds_by_keyboard(calm):
    page = calm.page
    hint = page.locator("details.exercise-hint").first
    for key, unfolded in (("Enter", True), ("Space", False)):
        hint.locator("summary").focus()
        before = calm.state()
        calm.press(key)
        page.wait_for_function(
            "open => document.querySelector('details.exercise-hint').open === open", arg=unfolded
        )
        assert calm.state() == before
    outputs = page.locator(".jp-OutputArea-executeResult").all_inner_texts()
    asked = page.locator(".jp-OutputArea .exercise-form")
    assert all(text in asked.inner_text() for text in EXERCISE.kind.options.values())
    wrong, right = (f"✗ {EXERCISE.id}", EXERCISE.wrong[0].say), (f"✓ {EXERCISE.id}", "")
    for said, (start, reason) in zip(outputs[-2:], (wrong, right), strict=True):
        assert said.split("]:")[-1].strip().startswith(start)
        assert reason in said


def test_a_live_figure_computes_and_keeps_its_keys(calm):
    page = calm.page
    page.wait_for_selector(".live .live-say")
    slider = page.locator(".live").get_by_role("slider", name="dimension d")
    assert "exactly √16 = 4.0" in page.locator(".live-say").inner_text()
    calm.enter(LIVE)
    before = calm.state()
    slider.focus()
    calm.press("ArrowRight", "j", "d", "d")
    page.wait_for_function(
        "document.querySelector('.live-say').textContent.includes('exactly √32 = 5.7')"
    )
    assert slider.evaluate("e => document.activeElement === e")
    assert calm.state() == before
    assert violations(page, ".live") == []


def chapter_cells(name):
    """Return a chapter's imports and its first figure that moves."""
    path = next(path for path in notebooks() if path.stem == name)
    code = [c.source for c in nbformat.read(path, as_version=4).cells if c.cell_type == "code"]
    figure = next(i for i, source in enumerate(code) if "explore(\n" in source)
    return [source for source in code[:figure] if "import attn_helpers" in source] + [code[figure]]


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_chapters_figure_is_turned_by_keyboard(open_notebook, name):
    cells = chapter_cells(name)
    own, chapter = len(cells) - 1, open_notebook(name, cells)
    chapter.enter(own)
    for control, (role, label) in enumerate(CHAPTERS[name]):
        named = chapter.page.locator(".widget-vbox").get_by_role(role, name=label, exact=True)
        assert named.count() == 1
        focused = chapter.focus(control)
        assert named.evaluate("e => document.activeElement === e")
        (picture, alternative), before = chapter.picture(), chapter.state()
        chapter.press(KEYS[role])
        chapter.wait_for_picture(picture)
        assert len(chapter.picture()[1]) >= 40
        assert chapter.picture()[1] != alternative
        assert chapter.state() == before
        assert before["selected"] == [own]
        assert focused.evaluate("e => document.activeElement === e")
    assert_undisturbed(chapter)


def assert_undisturbed(notebook):
    """No request left this machine, and the browser had nothing to report."""
    hosts = {urlsplit(url).hostname for url in notebook.visit.requests}
    assert hosts <= {"127.0.0.1", None}, hosts  # None: data: and blob:
    assert [t for t in notebook.visit.troubles if not t.startswith("console warning")] == []


def test_nothing_was_asked_of_others_and_nothing_went_wrong(notebook):
    """The last test with this notebook: all of the above has happened."""
    assert notebook.page.locator(SHOWN).count() == 1
    assert_undisturbed(notebook)
