"""Live figures and exercises in JupyterLab, over a live kernel, by keyboard; every figure draws.

Arrow keys and letters belong to the control that has the focus: the notebook keeps its active
cell, its selection, its mode and its cells.
"""

from urllib.parse import urlsplit

import pytest
from axe import violations
from live_page import FIGURES
from waiting import wait_until

from why_sqrt_d.exercises import Choice, all_exercises

EXERCISE = next(e for e in all_exercises() if type(e.kind) is Choice)
ANSWERS = [EXERCISE.wrong[0].answer, EXERCISE.kind.right_answers()[0]]
CELLS = [
    "from why_sqrt_d.exercises import check, exercise",
    "from why_sqrt_d.front.live import sampler\nfigure = sampler(d=16)\nfigure",
    f"exercise({EXERCISE.id!r})",
    *(f"check({EXERCISE.id!r}, {answer!r})" for answer in ANSWERS),
]
OTHERS = [figure.split("/") for figure in FIGURES if figure != "front/sampler"]
CELLS[2:2] = [f"from why_sqrt_d.{room} import live\nlive.{name}()" for room, name in OTHERS]
LIVE = 1  # the cell of the figure


@pytest.fixture(scope="module")
def notebook(open_notebook):
    return open_notebook("figure", CELLS)


@pytest.fixture(params=["command", "edit"])
def started(notebook, request):
    """The notebook with the focus on the figure's cell, or in it."""
    notebook.enter(LIVE, request.param)
    return notebook


def slider_of(notebook):
    return notebook.page.locator(".live").first.get_by_role("slider", name="dimension d")


def test_every_figure_draws(notebook):
    drawn = """n => [...document.querySelectorAll(".live")].filter(e =>
      e.querySelector(".live-say")?.textContent && e.querySelector("svg :is(path, rect, circle)")
    ).length === n"""
    wait_until(notebook.page, drawn, len(FIGURES))
    assert violations(notebook.page, ".live") == []


# What is drawn as a line, as large as a figure, and yet filled with black.
BLACK = """() => [...document.querySelectorAll(".live-plot path")].filter(path =>
  path.getBoundingClientRect().width > 100
  && getComputedStyle(path).fill === "rgb(0, 0, 0)").map(path => path.outerHTML.slice(0, 80))"""


def test_the_figures_have_their_style(notebook):
    paths = notebook.page.locator(".live-plot path")
    assert paths.count() > len(FIGURES)
    assert notebook.page.evaluate(BLACK) == []
    panels = notebook.page.locator(".live").evaluate_all(
        "a => a.map(e => getComputedStyle(e).backgroundColor)"
    )
    assert set(panels) == {"rgb(245, 242, 234)"}


def test_a_live_figure_computes_and_keeps_its_keys(started):
    page, slider = started.page, slider_of(started)
    slider.focus()
    started.press("Home")
    page.wait_for_function(
        "document.querySelector('.live-say').textContent.includes('exactly √4 = 2')"
    )
    before = started.state()
    started.press("ArrowRight", "j", "d", "d")
    page.wait_for_function(
        "document.querySelector('.live-say').textContent.includes('exactly √8 = 2.8')"
    )
    assert slider.evaluate("e => document.activeElement === e")
    assert started.state() == before


def test_commands_still_reach_jupyterlab(notebook):
    notebook.page.evaluate("""() => {
      window.done = [];
      jupyterapp.commands.commandExecuted.connect((_, { id }) => window.done.push(id));
    }""")
    slider_of(notebook).focus()
    notebook.press("ControlOrMeta+s")
    notebook.page.wait_for_function("window.done.includes('docmanager:save')")


def test_an_exercise_is_answered_and_its_hint_unfolds_by_keyboard(notebook):
    page = notebook.page
    hint = page.locator("details.exercise-hint").first
    for key, unfolded in (("Enter", True), ("Space", False)):
        hint.locator("summary").focus()
        before = notebook.state()
        notebook.press(key)
        page.wait_for_function(
            "open => document.querySelector('details.exercise-hint').open === open", arg=unfolded
        )
        assert notebook.state() == before
    outputs = page.locator(".jp-OutputArea-executeResult").all_inner_texts()
    asked = page.locator(".jp-OutputArea .exercise-form")
    assert all(text in asked.inner_text() for text in EXERCISE.kind.options.values())
    wrong, right = (f"✗ {EXERCISE.id}", EXERCISE.wrong[0].say), (f"✓ {EXERCISE.id}", "")
    for said, (start, reason) in zip(outputs[-2:], (wrong, right), strict=True):
        assert said.split("]:")[-1].strip().startswith(start)
        assert reason in said


def test_nothing_was_asked_of_others_and_nothing_went_wrong(notebook):
    """The last test with this notebook: no request left this machine, no script failed."""
    hosts = {urlsplit(url).hostname for url in notebook.visit.requests}
    assert hosts <= {"127.0.0.1", None}, hosts  # None: data: and blob:
    assert [t for t in notebook.visit.troubles if not t.startswith("console warning")] == []
