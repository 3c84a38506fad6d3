"""Every exercise of the course: right answers pass, wrong ones are told their sentence."""

import re
import runpy
import shutil
from html import escape
from pathlib import Path

import demo
import nbformat
import numpy as np
import pytest

from tools.paths import notebooks
from why_sqrt_d.exercises import Array, Number, all_exercises, get, markdown, registry
from why_sqrt_d.exercises.declared import Words
from why_sqrt_d.exercises.handout import statement
from why_sqrt_d.exercises.kinds.mechanism import numbers_text, run
from why_sqrt_d.exercises.registry import ASKS
from why_sqrt_d.exercises.show import choices, plain

EVERY = (*demo.EXERCISES, *all_exercises())


def test_right_answers_pass_and_wrong_ones_are_told_their_sentence():
    """With an exercise's own numbers, and with each draw."""
    for found in EVERY:
        for one in (found, *found.variants):
            for answer in (*one.kind.right_answers(), *filter(callable, one.also)):
                reply = one.judge(answer)
                assert reply.passed, (one.id, answer, reply)
                assert one.praise in reply.message
            for wrong in one.wrong:
                reply = one.judge(wrong.answer)
                assert reply.passed == reply.guess, (one.id, reply)
                assert wrong.say in reply.message, (one.id, reply)


def test_a_notebook_shows_everything():
    """As Markdown with what is folded, and as text without tags and what is folded."""
    for exercise in EVERY:
        text = markdown(exercise)
        form = f'<div class="exercise-form" data-exercise="{exercise.id}">'
        assert text.count(form) == 1
        assert text.count("<details") == text.count("</details>") == len(exercise.hints) + 1
        assert exercise.solution.strip() in text
        assert statement(exercise).count("<details") == len(exercise.hints)  # as it is handed out
        read = plain(exercise)
        assert exercise.statement in read
        for letter, option in choices(exercise.kind):
            assert f"<li><b>{letter}</b>: {escape(option)}</li>" in text
            assert f"- {letter}: {option}" in read
        assert not re.search(r"</|Hint 1", read), read
        assert exercise.hints[0] in plain(exercise, hints=1)
        assert not re.search(r"[$\\{}]|\]\(", " ".join(exercise.steps)), exercise.steps


def test_other_numbers_differ_and_leave_no_blank():
    drawn = [e for e in EVERY if e.others]
    assert len(drawn) > 15
    for own in drawn:
        assert len({e.statement for e in (own, *own.variants)}) == 11
        for other in own.variants:
            text = " ".join((other.statement, *other.hints, other.solution))
            assert not re.search(r"[«»]|\bnan\b", text), text
        for odd in (-1, 11):
            with pytest.raises(ValueError, match="from 0 to 10"):
                own.with_numbers(odd)


def test_the_digits_that_are_promised_are_enough():
    for exercise in EVERY:
        kind = exercise.kind
        if type(kind) in (Number, Array) and kind.promised:
            value = np.asarray(kind.value, dtype=float)
            rounded = [float(f"{x:.{kind.promised}g}") for x in value.flat]
            assert exercise.judge(np.reshape(rounded, value.shape)).passed, exercise.id
            assert not exercise.judge(value * (1 + 10 * kind.rtol) + 1e-6).passed, exercise.id


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("- d: That", "- swapped: No.\n- d: That", "exercise 0.1: “swapped” is not understood"),
        ("- shape: Softmax", "- large: Softmax", "no mechanism, for 'large'"),
        ("- summed away: You summed the weights away.\n", "", "no sentence, for 'summed away'"),
        ("right: b\n", "", "exercise 0.3: questions.md has no “right:” or “guess:”"),
        ("difficulty: 3", "", "exercise 0.8: questions.md has no 'difficulty'"),
        ("## Passage", "## Passages", "exercise 0.6: has no such section as 'Passages'"),
        ("# 0.1 The", "# 0.12 The", "exercise 0.1: questions.py declares it, questions.md has no"),
    ],
)
def test_what_does_not_fit_is_named(tmp_path, before, after, said):
    """Of the two files that declare exercises together."""
    module = Path(shutil.copy(demo.__file__, tmp_path))
    words = Path(demo.__file__).with_suffix(".md").read_text(encoding="utf-8")
    assert before in words
    module.with_suffix(".md").write_text(words.replace(before, after, 1), encoding="utf-8")
    with pytest.raises(ValueError, match=said):
        runpy.run_path(str(module))


NO_NUMBER = (  # links, code, squares, indices, and the names of places
    r"\]\(.*?\)|`.*?`|\^\{?2\}?|_\{?\d+\}?"
    r"|(?:Figure|Proposition|[Cc]hapter|By)\s\(?\d+[a-d]?(?:[.]\d+)?|(?s:```.*?```)"
)


def numbers_in(*texts):
    return {float(x) for x in re.findall(r"(?<![\w.])\d+(?:[.]\d*)?", " ".join(texts))}


def test_no_number_of_an_answer_is_typed():
    """It is computed, «root:.3g», or the question, its code or the reply's own answer has it."""
    seen = 0
    for path in sorted(Path(registry.__file__).parents[1].glob("ch*/questions.md")):
        for part in re.split(r"(?m)^# (?=\d+\.)", path.read_text(encoding="utf-8"))[1:]:
            words, part = Words(part), re.sub("«.*?»", "", part)
            kind, parts = get(words.id).kind, Words(part).parts
            listed = (parts.get(head, "") for head in ("", "Options", "Steps", "Instead"))
            names = [f"{name} {value}" for name, value in words.settings.items()]
            names = [x for x in names if not x.startswith(("difficulty", "minutes"))]
            asked = [re.sub(r"(?m)^\d\. ", "", text) for text in listed]
            asked += re.findall(r"(?s)```.*?```|`.*?`", part)
            given = {0, 1} | numbers_in(*asked, *names, *words.defined.values())
            own = {
                call.name: call.call_text("f") + numbers_text(run(kind.reference, call).result)
                for call in getattr(kind, "mechanisms", ())
            }
            answers = " ".join(words.listed("Wrong"))
            for head in ("Hints", "Solution", "Right", "Learned", "Wrong", "Mechanisms", "Needs"):
                for item in re.split(r"(?m)^- ", re.sub(NO_NUMBER, "", parts.get(head, ""))):
                    name, sentence = answers, item
                    if head in ("Wrong", "Mechanisms", "Needs"):
                        name, _, sentence = item.partition(": ")
                    typed = numbers_in(sentence) - given - numbers_in(name, own.get(name, ""))
                    assert not typed, f"{words.id}, {head}: give a name above to {typed}"
                    seen += len(numbers_in(sentence))
    assert seen > 300


def test_more_exercises_begin_with_the_easy_ones():
    for path in notebooks():
        cells = nbformat.read(path, as_version=4).cells
        more = [i for i, x in enumerate(cells) if "## More exercises" in x.source]
        ids = [found for x in cells[more[0] :] for found in ASKS.findall(x.source)] if more else []
        hard = [get(found).difficulty for found in ids]
        assert hard == sorted(hard), (path.name, dict(zip(ids, hard, strict=True)))


def test_each_exercise_is_asked_and_checked_on_one_of_its_chapters_pages():
    wanted = {'exercise("{}")': "remove-input", 'check("{}", ': "remove-cell"}
    pages = {p.name: nbformat.read(p, as_version=4).cells for p in notebooks()}
    for found in (e for e in all_exercises() if e.chapter in "12345678"):
        for text, tag in wanted.items():
            asked = text.format(found.id)
            places = [(n, c) for n, cells in pages.items() for c in cells if asked in c.source]
            assert len(places) == 1, f"{len(places)} cells with {asked}"
            [(name, cell)] = places
            assert name.lstrip("0")[0] == found.chapter, f"{name}: {asked}"
            assert tag in cell.metadata.get("tags", []), f"{name}: {asked}… has no tag {tag}"
