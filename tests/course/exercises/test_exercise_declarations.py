"""Every declared exercise: right answers pass, wrong ones are told their sentence."""

import re
from collections import defaultdict

import demo
import hostile
import numpy as np
import pytest

from why_sqrt_d.exercises import (
    Array,
    Function,
    Number,
    all_exercises,
    check,
    markdown,
    render_form,
)

EVERY = (*demo.EXERCISES, *all_exercises())
PLAIN = [e for e in EVERY if not isinstance(e.kind, Function)]
WITH_FUNCTION = [e for e in EVERY if isinstance(e.kind, Function)]


def name(value):
    return getattr(value, "id", None)


@pytest.mark.parametrize("exercise", EVERY, ids=name)
def test_right_answers_in_all_forms_pass(exercise):
    for answer in (*exercise.kind.right_answers(), *exercise.forms):
        verdict = check(exercise.id, answer)
        assert verdict.passed, (answer, verdict)
        assert verdict.message.startswith("Right.")


@pytest.mark.parametrize("exercise", PLAIN, ids=name)
def test_wrong_answers_get_their_sentence(exercise):
    for wrong in exercise.wrong:
        verdict = check(exercise.id, wrong.answer)
        assert not verdict.passed
        assert verdict.message == wrong.say


@pytest.mark.parametrize("exercise", WITH_FUNCTION, ids=name)
def test_wrong_functions_fail_at_their_mechanism(exercise):
    for wrong in exercise.wrong:
        verdict = check(exercise.id, wrong.answer)
        assert not verdict.passed
        assert verdict.message.endswith(wrong.say), verdict
        assert verdict.message.startswith(exercise.kind.name)
        failing = exercise.kind.failing(wrong.answer)
        assert failing
        assert failing == (wrong.mechanism or failing)


@pytest.mark.parametrize("exercise", WITH_FUNCTION, ids=name)
def test_what_a_check_says_continues_the_call(exercise):
    for answer in (*(w.answer for w in exercise.wrong), lambda *a, **k: np.ones((2, 3, 5, 7))):
        said = check(exercise.id, answer).message
        verbs = "should|returned|raised|gives|is|never|ended"
        assert re.match(rf"{exercise.kind.name}\(.*\) (?:result \d )?(?:{verbs})\b", said), said


@pytest.mark.parametrize("exercise", WITH_FUNCTION, ids=name)
def test_probe_takes_the_references_result(exercise):
    kind, wrong = exercise.kind.probe_kind(exercise.wrong)
    for answer in kind.right_answers():
        assert kind.judge(answer, wrong).passed
    for known in wrong:
        assert kind.judge(known.answer, wrong).message == known.say
    assert wrong, "no wrong function shows on the probe"
    eval(exercise.kind.probe_text(), {"np": np, exercise.kind.name: exercise.kind.reference})


@pytest.mark.parametrize("exercise", EVERY, ids=name)
def test_declaration_is_complete(exercise):
    assert len(exercise.wrong) >= 3
    assert len(exercise.hints) >= 2
    assert len({w.say for w in exercise.wrong}) == len(exercise.wrong)
    for text in (exercise.title, exercise.statement, exercise.solution, *exercise.hints):
        assert text.strip()
    assert "!" not in "".join(w.say for w in exercise.wrong)


@pytest.mark.parametrize("exercise", EVERY, ids=name)
def test_form_has_label_and_status(exercise):
    html = render_form(exercise.id)
    assert html == render_form(exercise.id)
    assert 'role="status"' in html
    assert "<noscript>" in html
    ids = re.findall(r'\bid="([^"]+)"', html)
    assert len(ids) == len(set(ids))
    inputs = re.findall(r'<input[^>]* id="([^"]+)"', html)
    for one in inputs:
        assert f'for="{one}"' in html
    assert inputs or html.count("aria-label=") > len(exercise.kind.steps)
    assert html.count("</script>") == 1


@pytest.mark.parametrize("exercise", EVERY, ids=name)
def test_markdown_has_everything(exercise):
    text = markdown(exercise)
    assert text == markdown(exercise)
    assert f'<div class="exercise-form" data-exercise="{exercise.id}"></div>' in text
    assert text.count("<details") == text.count("</details>") == len(exercise.hints) + 1
    assert exercise.solution.strip() in text


@pytest.mark.parametrize("exercise", EVERY, ids=name)
def test_hostile_answers_get_one_line(exercise):
    for answer in hostile.quick().values():
        hostile.assert_harmless(exercise.id, answer)


@pytest.mark.parametrize("exercise", demo.EXERCISES, ids=name)
def test_evil_answers_get_one_line(exercise):
    for answer in hostile.evil().values():
        hostile.assert_harmless(exercise.id, answer)


def test_ids_are_unique():
    count = defaultdict(int)
    for exercise in EVERY:
        count[exercise.id] += 1
    assert set(count.values()) == {1}


@pytest.mark.parametrize(
    "exercise", [e for e in EVERY if isinstance(e.kind, Number | Array)], ids=name
)
def test_the_tolerance_is_the_declared_one(exercise):
    kind = exercise.kind
    value = np.asarray(kind.spec(())["value" if isinstance(kind, Number) else "values"])
    slack = kind.atol + kind.rtol * np.abs(value)
    if isinstance(kind, Array):
        slack = slack.reshape(np.shape(kind.value))
        value = value.reshape(np.shape(kind.value))
    assert check(exercise.id, value + 0.99 * slack)
    assert not check(exercise.id, value + 1.01 * slack)
