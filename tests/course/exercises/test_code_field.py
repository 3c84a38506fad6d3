"""Code that is typed on a page: what stands in the field, what is judged, what is printed."""

import json
import re
from html import unescape

import demo
import nbformat
import pytest

from tools.paths import notebooks
from why_sqrt_d.exercises import PagePython, TriedNumber, all_exercises, check_code, render_form
from why_sqrt_d.exercises.code_field import starter
from why_sqrt_d.exercises.in_browser import LONGEST, judged

PYTHON = PagePython("worker.js", "pyodide/", "course.zip", "https://there/", 5, "It loads <5> MB.")
SOFTMAX = """
def softmax_rows(scores):
    print("called")
    e = np.exp(scores - scores.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)
"""
TRIES = "print(trial({0}).held)\nanswer = {0}"


def test_a_functions_field_begins_with_its_stub_and_a_number_has_none():
    html = render_form(demo.FUNCTION.id, PYTHON)
    assert "\n" not in html
    area = re.search(r"<textarea[^>]*>(.*?)</textarea>", html)[1]
    assert unescape(area) == starter(demo.FUNCTION.kind) == "def softmax_rows(scores):\n    ...\n"
    assert "It loads &lt;5&gt; MB." in html
    told = json.loads(unescape(re.search(r'data-python="([^"]*)"', html)[1]))
    assert told["packages"] == "https://there/"
    assert "textarea" not in render_form(demo.FUNCTION.id)
    assert render_form(demo.NUMBER.id, PYTHON) == render_form(demo.NUMBER.id)


@pytest.mark.parametrize("with_python", [None, PYTHON])
@pytest.mark.parametrize("exercise", demo.EXERCISES, ids=lambda e: e.id)
def test_a_form_has_one_button_that_checks(exercise, with_python):
    html = render_form(exercise.id, with_python)
    assert html.count('type="submit"') == 1
    assert html.count('class="exercise-solved"') == 1


def test_an_experiments_field_tries_values_and_leaves_an_answer():
    kind = demo.TRIAL.kind
    text = starter(kind)
    reply = json.loads(judged(demo.TRIAL.id, text))
    assert reply["blank"]  # nothing is in `answer` yet
    tried = [float(x) for x in re.search(r"\((.*?)\)", text)[1].split(", ")]
    assert all(kind.span[0] < x < kind.span[1] for x in tried)
    assert reply["printed"].splitlines() == [f"{x:.4g} {kind.trial(x).say}" for x in tried]
    right = json.loads(judged(demo.TRIAL.id, TRIES.format(kind.value)))
    assert right["passed"]
    assert right["printed"] == "True\n"
    assert "into answer" in check_code(demo.TRIAL.id, "x = 1").message


def test_what_is_printed_comes_back_but_not_without_end():
    reply = json.loads(judged(demo.FUNCTION.id, f"print('once'){SOFTMAX}"))
    assert reply["passed"]
    assert reply["printed"].startswith("once\ncalled\ncalled\n")
    much = json.loads(judged(demo.FUNCTION.id, f"print('x' * 10_000){SOFTMAX}"))["printed"]
    assert much.startswith("x" * LONGEST)
    assert len(much) < LONGEST + 50


def test_numbers_say_with_which_an_exercise_was_asked():
    value = demo.TRIAL.kind.value
    assert "should be" in json.loads(judged(demo.TRIAL.id, f"answer = {value}", 99))["message"]


@pytest.mark.parametrize(
    ("cell", "printed", "said"),
    [
        ("x = 2\nprint('seen')\nx * np.ones(2)", "seen\narray([2., 2.])\n", "Done."),
        ("print(len(ah.softmax(rng.normal(size=3))))", "3\n", "Done."),
        ("ch1.__name__", "'why_sqrt_d.ch1'\n", "Done."),
        ("1\n\nnope", "", "Line 3 raised NameError: name 'nope' is not defined."),
        ("x = ", "", "Line 1: invalid syntax."),
        ("", "", "Done."),
    ],
)
def test_a_cell_is_run_and_its_last_value_printed(cell, printed, said):
    reply = json.loads(judged("ch1", cell))
    assert (reply["printed"], reply["message"]) == (printed, said)


def cells_to_try():
    """Yield each cell that has a field on its page, with its chapter."""
    for path in notebooks():
        for cell in nbformat.read(path, as_version=4).cells:
            if "try-it" in cell.metadata.get("tags", ()):
                yield f"ch{int(path.name[:2])}", cell.source


@pytest.mark.parametrize(("chapter", "source"), list(cells_to_try()))
def test_a_cell_runs_by_itself(chapter, source):
    reply = json.loads(judged(chapter, source))
    assert reply["message"] == "Done."
    assert reply["printed"]


def test_each_chapter_has_something_to_change_and_run():
    tried = {e.chapter for e in all_exercises() if isinstance(e.kind, TriedNumber)}
    tried |= {chapter.removeprefix("ch") for chapter, _ in cells_to_try()}
    assert set("1234567") <= tried
