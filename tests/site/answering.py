"""What to answer to each exercise, what the page should say, and how to answer on a page."""

import json

from why_sqrt_d.exercises import Choice, Function, Order, all_exercises, check

EXERCISES = {exercise.id: exercise for exercise in all_exercises()}
UNFOLD = "form => form.querySelectorAll('details').forEach(fold => { fold.open = true; })"


def first_of(kind):
    """Return the first exercise of a kind."""
    return next(e for e in EXERCISES.values() if type(e.kind) is kind)


def form_id(exercise):
    return f"exercise-{exercise.id.replace('.', '-')}"


def form_of(page, exercise):
    return page.locator(f"form#{form_id(exercise)}")


def status_of(page, exercise):
    return form_of(page, exercise).get_by_role("status").inner_text()


def asked(exercise):
    """Return the kind of answer that the page asks for; a function is asked for its result."""
    kind = exercise.kind
    return kind.probe_kind(exercise.wrong)[0] if isinstance(kind, Function) else kind


def right_answer(exercise):
    """Return a right answer as it is given on the page."""
    if isinstance(exercise.kind, Choice):
        return exercise.kind.right
    if isinstance(exercise.kind, Order):
        return exercise.kind.letters([key for key, _ in exercise.kind.steps])
    if isinstance(exercise.kind, Function):
        return _text(asked(exercise).right_answers()[0])
    return _text(exercise.kind.value)


def wrong_answers(exercise):
    """Return each known wrong answer as given on the page, with the sentence that meets it."""
    if isinstance(exercise.kind, Function):  # the page asks for what the function gives
        kind, known = exercise.kind.probe_kind(exercise.wrong)
        return [(_text(w.answer), f"✗ {kind.judge(w.answer, known).message}") for w in known]
    said = [(w.answer, check(exercise.id, w.answer)) for w in exercise.wrong]
    mark = {verdict.message: "→" if verdict.guess else "✗" for _, verdict in said}
    return [(_given(exercise, a), f"{mark[v.message]} {v.message}") for a, v in said]


def _given(exercise, answer):
    if isinstance(exercise.kind, Order):
        return exercise.kind.letters(answer)
    return answer if isinstance(exercise.kind, Choice) else _text(answer)


def _text(value):
    """Write a number or an array as a learner types it."""
    if isinstance(value, str):
        return value
    return json.dumps(value.tolist() if hasattr(value, "tolist") else value)


def letters_shown(form):
    return "".join(form.locator("li").evaluate_all("a => a.map(x => x.dataset.letter)"))


def answer_on(page, exercise, answer):
    """Answer with the form's own controls and return what it says."""
    form = form_of(page, exercise)
    form.evaluate(UNFOLD)
    if isinstance(asked(exercise), Choice):
        form.locator(f"input[value='{answer}']").check()
    elif isinstance(exercise.kind, Order):
        for place, letter in enumerate(answer):
            while letters_shown(form).index(letter) > place:
                form.get_by_role("button", name=f"Up: step {letter}").click()
    else:
        form.locator("input[name=answer]").fill(answer)
    form.get_by_role("button", name="Check").click()
    return status_of(page, exercise)
