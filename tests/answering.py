"""Gives answers: on a built page with the form's own controls, and as a notebook's cell."""

import json
import re

from tools.student import answer_name
from why_sqrt_d.exercises import Choice, Function, Order, all_exercises

EXERCISES = {exercise.id: exercise for exercise in all_exercises()}
UNFOLD = """form => [form.closest("details"), ...form.querySelectorAll("details")].forEach(
  fold => fold?.setAttribute("open", ""))"""


def first_of(kind, chapter=""):
    """Return the first exercise of a kind."""
    mine = (e for e in EXERCISES.values() if chapter in ("", e.chapter))
    return next(e for e in mine if type(e.kind) is kind)


def form_id(exercise):
    return f"exercise-{exercise.id.replace('.', '-')}"


def form_of(page, exercise):
    return page.locator(f"form#{form_id(exercise)}")


def status_of(page, exercise):
    return form_of(page, exercise).get_by_role("status").inner_text()


def asked(exercise):
    """Return what the page asks for and its wrong answers; of a function, its result."""
    return exercise.kind.asked(exercise.wrong)


def right_answer(exercise):
    """Return a right answer as it is given on the page."""
    return _given(asked(exercise)[0].right_answers()[0])


def wrong_answers(exercise):
    """Return each known wrong answer as given on the page, with its sentence."""
    return [(_given(w.answer), w.say) for w in asked(exercise)[1]]


def _given(answer):
    if isinstance(answer, str):
        return answer
    return json.dumps(answer.tolist() if hasattr(answer, "tolist") else answer)


def letters_shown(form):
    return "".join(form.locator("li").evaluate_all("a => a.map(x => x.dataset.letter)"))


def answer_on(page, exercise, answer):
    """Answer with the form's own controls and return what it says."""
    form = form_of(page, exercise)
    form.evaluate(UNFOLD)
    if isinstance(asked(exercise)[0], Choice):
        form.locator(f"input[value='{answer}']").check()
    elif isinstance(exercise.kind, Order):
        for place, letter in enumerate(answer):
            while letters_shown(form).index(letter) > place:
                form.get_by_role("button", name=f"Up: step {letter}").click()
    else:
        form.locator("input[name=answer]").fill(answer)
    form.get_by_role("button", name="Check").click()
    return status_of(page, exercise)


def reference_source(found):
    """Return the source of a cell with the right answer; a function's needs `np` and `ah`."""
    if isinstance(found.kind, Function):
        return re.search(r"```python\n(.*?)```", found.solution, re.S)[1]
    right = found.kind.right_answers()[0]
    return f"{answer_name(found)} = {right.tolist() if hasattr(right, 'tolist') else right!r}"
