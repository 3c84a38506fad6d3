"""Every declared exercise: right answers pass, wrong ones are told their sentence."""

import re
from html import escape
from pathlib import Path

import demo
import numpy as np
import pytest

from why_sqrt_d.exercises import (
    Array,
    Choice,
    Function,
    Number,
    Order,
    PredictChoice,
    PredictNumber,
    Texts,
    TriedNumber,
    all_exercises,
    check,
    get,
    markdown,
    render_form,
)
from why_sqrt_d.exercises.kinds.typed import slack
from why_sqrt_d.exercises.messages import SAY
from why_sqrt_d.exercises.plain import plain_html
from why_sqrt_d.exercises.reading import read_number
from why_sqrt_d.exercises.show import _parts, choices, plain

BOOK = Path(__file__).resolve().parents[3] / "book"
EVERY = (*demo.EXERCISES, *all_exercises())


def of(*kinds):
    """Return the exercises of some kinds as parameters; numbers and arrays are tried at import."""
    found = [e for e in EVERY if isinstance(e.kind, kinds)]
    return pytest.mark.parametrize("exercise", found, ids=lambda e: e.id)


every = of(object)


@every
def test_right_answers_in_all_forms_pass(exercise):
    for answer in (*exercise.kind.right_answers(), *exercise.forms):
        # One function's process is tested with the demo; the others are judged here.
        here = callable(answer) and exercise.chapter != "0"
        verdict = exercise.judge(answer) if here else check(exercise.id, answer)
        assert verdict.passed, (answer, verdict)
        assert verdict.message.startswith("Right.")
        assert exercise.right in verdict.message


@of(Choice, Order)
def test_wrong_answers_get_their_sentence(exercise):
    for wrong in exercise.wrong:
        verdict = check(exercise.id, wrong.answer)
        if verdict.guess:
            assert verdict.message.endswith(f"{wrong.say} {exercise.praise}".rstrip())
            continue
        assert not verdict.passed
        assert verdict.message == wrong.say


@of(PredictNumber, PredictChoice)
def test_no_guess_is_wrong_and_each_is_told_what_comes_out_and_why(exercise):
    for answer in (*[w.answer for w in exercise.wrong], *exercise.kind.right_answers()):
        verdict = check(exercise.id, answer)
        assert verdict.passed
        assert str(verdict).startswith(f"→ {exercise.id}  ")
        assert verdict.message.endswith(exercise.praise)
    assert not check(exercise.id, "no guess at all")


@of(TriedNumber)
def test_a_trial_says_what_it_showed(exercise):
    for wrong in exercise.wrong:
        verdict = check(exercise.id, wrong.answer)
        assert not verdict.passed
        assert exercise.kind.trial(read_number(wrong.answer)).say in verdict.message
        assert verdict.message.endswith(wrong.say)
    assert not check(exercise.id, -1)
    held = [held for _, held, _ in exercise.spec()["table"]]
    assert {*held} == {True, False}


def failing(kind, function):
    """Name the first mechanism that a function fails."""
    mutated = False
    for trial, got, trouble in kind._tested(function):
        if trouble and "Cannot cast" not in trouble:
            return trial.group
        mutated = mutated or got.mutated
    return "mutation" if mutated else ""


@of(Function)
def test_wrong_functions_fail_at_their_mechanism_and_the_line_continues_the_call(exercise):
    verbs = "should|returned|raised|gives|is|never|ended"
    line = re.compile(rf"{exercise.kind.name}\(.*\) (?:{verbs})\b")
    for wrong in exercise.wrong:
        said = exercise.judge(wrong.answer)
        assert not said.passed
        assert wrong.say in said.message, said
        assert line.match(said.message), said
        caught_by = failing(exercise.kind, wrong.answer)
        assert caught_by
        assert caught_by == (wrong.mechanism or caught_by)
    assert line.match(check(exercise.id, lambda *a, **k: np.ones((2, 3, 5, 7))).message)


@of(Function)
def test_probe_takes_the_references_result(exercise):
    kind, wrong = exercise.kind.probe_kind(exercise.wrong)
    for answer in kind.right_answers():
        assert kind.judge(answer, wrong).passed
    for known in wrong:
        assert kind.judge(known.answer, wrong).message == known.say
    assert wrong, "no wrong function shows on the probe"
    eval(exercise.kind.probe_text(), {"np": np, exercise.kind.name: exercise.kind.reference})


@every
def test_form_has_label_and_status_and_its_sentences_differ(exercise):
    said = [w.say for w in exercise.wrong]
    assert len(set(said)) == len(said)
    html = render_form(exercise.id)
    assert 'role="status"' in html
    assert "<noscript>" in html
    ids = re.findall(r'\bid="([^"]+)"', html)
    assert len(ids) == len(set(ids))
    inputs = re.findall(r'<input[^>]* id="([^"]+)"', html)
    assert all(f'for="{one}"' in html for one in inputs)
    assert inputs or html.count("aria-label=") > len(exercise.kind.steps)
    assert html.count("</script>") == 1


def test_a_notebook_shows_everything():
    """As Markdown with what is folded, and as plain text without TeX, tags or links."""
    for exercise in EVERY:
        text = markdown(exercise)
        form = f'<div class="exercise-form" data-exercise="{exercise.id}">'
        assert text.count(form) == 1
        assert text.count("<details") == text.count("</details>") == len(exercise.hints) + 1
        assert exercise.solution.strip() in text
        titles = [title for _, title, _ in _parts(exercise)]
        read = plain(exercise, titles)
        for letter, option in choices(exercise.kind):
            assert f"<li><b>{letter}</b>: {escape(option)}</li>" in text
            assert f"  {letter}  {option}"[:80] in read
        assert all(title in read for title in titles)
        prose = re.sub(r"(?m)^    .*$|`[^`]*`", "", read)
        assert not re.search(r"\\|\$|</|\]\(|\*\*|[{}]|[\ue000-\uf8ff]", prose), prose
        assert max(map(len, read.split("Answer with")[0].splitlines())) <= 88
        assert "Hint 1" not in plain(exercise)


def test_what_is_promised_is_taken_and_not_more():
    """The reference rounded to the promised digits is right, for every number and array."""
    for exercise in EVERY:
        kind = exercise.kind
        if not isinstance(kind, Number | Array) or isinstance(kind, PredictNumber | TriedNumber):
            continue
        value = np.asarray(kind.spec(())["value" if isinstance(kind, Number) else "values"])
        value = value.reshape(np.shape(kind.value) if isinstance(kind, Array) else ())
        allowed = slack(value, kind.rtol, kind.atol, kind.promised)
        assert check(exercise.id, value + 0.99 * allowed), exercise.id
        assert not check(exercise.id, value + 1.01 * allowed), exercise.id
        count = SAY["counts"].split(" ")[kind.promised]
        assert f"{count} digit" in kind.help.lower() or not kind.promised
        if kind.promised:
            rounded = np.reshape(
                [float(f"{x:.{kind.promised}g}") for x in value.flat], value.shape
            )
            assert check(exercise.id, rounded), (exercise.id, rounded)


def test_other_numbers_are_whole_differ_and_come_back():
    """Each draw is an exercise of its own: other numbers, all of its words, right answers."""
    with_draws = [e for e in EVERY if e.again]
    assert len(with_draws) > 15
    for own in with_draws:
        every = (own, *own.variants)
        assert len({e.statement for e in every}) == len(every) == 11
        for number, other in enumerate(own.variants, 1):
            shown = "".join(map(plain_html, (other.statement, *other.hints, other.solution)))
            assert not re.search(r"[$«»\\{}]|\*\*|nan", shown), shown
            for answer in (*other.kind.right_answers(), *other.forms):
                assert check(own.id, answer, numbers=number), (own.id, number, answer)
        for odd in (-1, 11, 1.5, "x"):
            assert not check(own.id, own.kind.value, numbers=odd).passed
    alone = next(e for e in EVERY if not e.again)
    assert "one set of numbers" in check(alone.id, 1, numbers=1).message


def test_words_from_a_file_that_do_not_fit_are_refused(tmp_path):
    module = tmp_path / "questions.py"
    text = "# 9.1 A\n«x» is?\n## Wrong\n- a: No.\n- b: N.\n- c: o.\n## Hints\n- H\n- I\n"
    text += "## Solution\nS\n"
    given = {"difficulty": 1, "kind": Number(4), "wrong": {"a": 1, "b": 2, "c": 3}}
    module.with_suffix(".md").write_text(text)
    made = Texts(str(module)).exercise("9.1", **given, numbers={"x": 4})
    assert (made.title, made.statement, made.hints) == ("A", "4 is?", ("H", "I"))
    for broken, what in (
        (text.replace("«x»", "«y»"), "«y»"),
        (text.replace("- c: o.\n", ""), "differ in"),
        (text.replace("## Hints", "## Hint"), "no such section"),
    ):
        module.with_suffix(".md").write_text(broken)
        with pytest.raises(ValueError, match=what):
            Texts(str(module)).exercise("9.1", **given, numbers={"x": 4})


def test_replies_lead_to_places_in_the_book():
    """Every right answer is told why it is right and where it is used next."""
    for exercise in (e for e in all_exercises() if e.chapter != "0"):  # the demos' chapter
        assert exercise.learned, exercise.id
        links = re.findall(r"\]\(([^)]+)\)", exercise.learned + exercise.passage)
        for link in links:
            page, _, anchor = link.partition("#")
            if anchor.startswith("asked-"):
                assert get(anchor.removeprefix("asked-").replace("-", "."))
            elif page == "bibliography.md":
                assert f"{{{anchor}," in (BOOK / "references.bib").read_text(encoding="utf-8")
            else:
                (found,) = BOOK.glob(page or f"0{exercise.chapter}-*.ipynb")
                text = found.read_text(encoding="utf-8").replace('\\"', '"')
                assert not anchor or f'<a id="{anchor}">' in text, link
        spec = exercise.spec()
        shown = [to for _, to in spec["links"] + spec["passage"]]
        assert len(links) == len(shown)
        assert all(to.partition("#")[0].endswith(".html") or to[0] == "#" for to in shown), shown
