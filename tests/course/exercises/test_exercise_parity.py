"""The page's JavaScript says what the live check says: grammar, verdicts and sentences."""

import json
import random
from itertools import permutations
from pathlib import Path

import demo
import numpy as np
import pytest
from filling import answer_in

from why_sqrt_d.exercises import (
    Choice,
    Function,
    Number,
    Order,
    PredictChoice,
    TriedNumber,
    all_exercises,
    check,
)
from why_sqrt_d.exercises.arrays import parse_array
from why_sqrt_d.exercises.grammar import NotANumber, parse_number
from why_sqrt_d.exercises.messages import SAY, four

CASES = json.loads(Path(__file__).with_name("grammar_cases.json").read_text(encoding="utf-8"))
API = "whySqrtDExercises"
PIECES = (
    "0 1 2 10 9 0.5 1,5 1,024 1.024,5 . , e E e-3 pi π √ sqrt exp ln log log2 ( ) ( ) + - − * **"
)
PIECES += " ^ / × % ² ⁻¹ ; [ ] x foo 😀 ½ σ = np. inf tanh x= ≈ < > \\sqrt{ } \\frac12 \\ln { $ ⅔"
PIECES += " np.log ^1/2 ^{ \\cdot percent -- array( tensor( … ... '="
SPACED = ["β =", " 360", " 000", " ", " ", "\n", " steps", " and ", "about ", ", dtype=x"]

READ = """cases => cases.map(([text, length]) => {
  const api = window.whySqrtDExercises;
  try {
    const read = length === null ? api.parseNumber(text) : api.parseArray(text, length);
    return length === null ? [[], [String(read)]] : [read.shape, read.values.map(String)];
  } catch (error) {
    if (!(error instanceof api.NotANumber)) throw error;
    return error.line;
  }
})"""
JUDGE = f"cases => cases.map(([spec, answers]) => answers.map(x => {API}.judge(spec, x)))"


def read(text, length):
    """Read a number (length None) or an array: shape and values, or the line that refuses."""
    try:
        if length is None:
            return [[], [parse_number(text)]]
        grid = parse_array(text, length)
    except NotANumber as line:
        return str(line)
    return [list(grid.shape), grid.ravel().tolist()]


def same(python, script):
    """Compare what the two sides read: the same numbers up to rounding, or no number."""
    if isinstance(python, str) or isinstance(script, str):
        return isinstance(python, str) and isinstance(script, str)
    values = list(map(float, script[1]))
    return python[0] == script[0] and values == pytest.approx(python[1], rel=1e-9, abs=1e-300)


def as_text(answer):
    return answer if isinstance(answer, str) else json.dumps(np.asarray(answer).tolist())


def answers_of(exercise):
    """Pair the answers the page can take, as it takes them, with the live check's message."""
    kind, wrong = exercise.kind, [w.answer for w in exercise.wrong]
    if isinstance(kind, Function):
        probe, known = kind.probe_kind(exercise.wrong)
        right = f"{SAY['right']} {exercise.praise}".rstrip()
        said = [(probe.right_answers()[0], right), *((w.answer, w.say) for w in known)]
        return [(as_text(answer), message) for answer, message in said]
    if isinstance(kind, Choice):
        return [(x, check(exercise.id, x).message) for x in kind.options]
    if isinstance(kind, Order):
        keys = sorted(key for key, _ in kind.steps)
        orders = (
            list(permutations(keys))
            if len(keys) < 5
            else random.Random(3).sample(list(permutations(keys)), 40)
        )
        orders += [tuple(key for key, _ in kind.steps), *exercise.forms, *wrong]
        return [(kind.letters(x), check(exercise.id, x).message) for x in orders]
    value = kind.spec(())["value" if isinstance(kind, Number) else "values"]
    given = [*exercise.forms, *wrong, kind.value]
    given += [np.transpose(kind.value).tolist()] * (np.ndim(kind.value) == 2)
    texts = [as_text(x) for x in given if isinstance(x, str | int | float | list)]
    texts = [text for text in texts if "\n" not in text] + varied(np.ravel(value).tolist())
    if isinstance(kind, TriedNumber):  # on the page only what is in its table is the trial itself
        texts = ["-1", "0", *[repr(row[0]) for row in exercise.spec()["table"]]]
    return [(text, check(exercise.id, text).message) for text in texts]


def varied(right):
    """Write right and wrong numbers in the ways they are typed."""
    rng, texts = random.Random(21), []
    for _ in range(15):
        factor = rng.choice([1, -1, 1.002, 1.0045, 100, 0.01, 3, 0.2, 50, 0.001])
        values = [round(x * factor * rng.choice([1, 1, 1, 1.3]), 6) for x in right]
        rng.shuffle(values)
        some = list(map(repr, values[: rng.randint(1, len(values))]))
        every = list(map(repr, values))
        texts += [" ".join(every), "; ".join(f"{x} {x}" for x in every), ", ".join(some)]
        texts += [sign.join(every).replace(".", ",") for sign in ("; ", ", ")] + [",".join(some)]
    return texts


def test_every_answer_gets_the_same_sentence(page):
    """Every declared answer, and many made ones, in one call."""
    cases = [(e, answers_of(e)) for e in all_exercises()]
    for own in (demo.NUMBER, *all_exercises()):
        for number, e in enumerate(own.variants, 1):
            texts = [as_text(x) for x in (e.kind.value, *(w.answer for w in e.wrong))]
            cases.append((e, [(x, check(e.id, x, numbers=number).message) for x in texts]))
    got = page.evaluate(JUDGE, [[e.spec(), [x for x, _ in said]] for e, said in cases])
    for (exercise, said), replies in zip(cases, got, strict=True):
        for (answer, message), reply in zip(said, replies, strict=True):
            assert reply["message"] == message, (exercise.id, answer)
            right = message.startswith(SAY["right"]) or reply.get("guess", False)
            assert reply["passed"] == right, (exercise.id, answer)
        if not isinstance(exercise.kind, PredictChoice):
            assert {reply["passed"] for reply in replies} == {True, False}, exercise.id


@pytest.mark.parametrize(
    "exercise",
    [demo.NUMBER, demo.CHOICE, demo.ORDER_FREE, demo.ARRAY, demo.FUNCTION],
    ids=lambda e: e.kind.kind_name,
)
def test_what_is_typed_gets_the_sentence(page, exercise):
    answers = dict(answers_of(exercise))
    right = [x for x, message in answers.items() if message.startswith(SAY["right"])]
    for answer in (*right[:1], *[x for x in answers if x not in right][:2]):
        mark = "✓" if answer in right else "✗"
        said = answer_in(page, exercise, answer).removesuffix(" Read again: normalising.")
        assert said == f"{mark} {answers[answer]}", answer


def test_sentences_are_the_same(page):
    assert page.evaluate(f"{API}.SAY") == SAY


def test_grammar_table(page):
    """The page reads every case of the table, and refuses with the sentence that Python gives."""
    numbers, errors = CASES["numbers"], CASES["number_errors"]
    expected = [(text, None, [[], [value]]) for text, value in numbers]
    expected += [(text, 0, [shape, values]) for text, shape, values in CASES["arrays"]]
    expected += [(text, n, [[n], values]) for text, n, values in CASES["lists"]]
    expected += [(text, None, read(text, None)) for text, _ in errors]
    expected += [(text, 0, read(text, 0)) for text, _ in CASES["array_errors"]]
    expected += [(text, n, read(text, n)) for text, n, _ in CASES["list_errors"]]
    got = page.evaluate(READ, [[text, n] for text, n, _ in expected])
    for (text, n, wanted), script in zip(expected, got, strict=True):
        assert same(wanted, script), (text, n, wanted, script)
        if isinstance(wanted, str):
            assert script == wanted, text


def test_fuzz_python_against_javascript(page):
    """Both read the same numbers in any text; where there are none, the sentences may differ."""
    rng = random.Random(20)
    pieces = PIECES.split(" ") + SPACED
    texts = ["".join(rng.choices(pieces, k=rng.randint(1, 9))) for _ in range(1500)]
    texts += ["".join(map(chr, rng.choices(range(1, 0x2100), k=5))) for _ in range(300)]
    texts += ["(" * 60 + "1", "1" * 201, "√" * 50, "2^" * 60 + "1"]
    parts = ["0,5", "-1,25", "12,345", "2", "1/4", "0.5", "a", "0,1,2", "", "(1,5)", " 3 ", "[1]"]
    texts += ["; ".join(rng.choices(parts, k=k)) for k in (1, 2, 3) * 100]
    cases = [(text, n) for text in texts for n in (None, 0, 2, 3)]
    got = page.evaluate(READ, cases)
    for (text, n), script in zip(cases, got, strict=True):
        assert same(read(text, n), script), (text, n, read(text, n), script)
    assert sum(not isinstance(script, str) for script in got) > 500


def test_four_digits_are_the_same(page):
    rng = random.Random(22)
    values = [rng.uniform(-1, 1) * 10.0 ** rng.randint(-12, 14) for _ in range(2000)]
    values += [0.5, 2.0625, 1.00005, 99995.0, 999950.0, 9999999.0, 0.00001, 0.000012345, 12345.5]
    assert page.evaluate(f"xs => xs.map({API}.four)", values) == list(map(four, values))
