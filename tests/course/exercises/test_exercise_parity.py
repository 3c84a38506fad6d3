"""The page's JavaScript says what the live check says: grammar, verdicts and sentences."""

import json
import random
from functools import partial
from itertools import permutations
from pathlib import Path

import demo
import numpy as np
import pytest
from filling import answer_in

from why_sqrt_d.exercises import Array, Choice, Function, Number, Order, all_exercises, check
from why_sqrt_d.exercises.arrays import parse_array
from why_sqrt_d.exercises.grammar import NotANumber, parse_number
from why_sqrt_d.exercises.messages import SAY, four

CASES = json.loads(Path(__file__).with_name("grammar_cases.json").read_text(encoding="utf-8"))
API = "whySqrtDExercises"
PIECES = [
    *[
        "0",
        "1",
        "2",
        "10",
        "9",
        "0.5",
        "1,5",
        "1,024",
        "1.024,5",
        ".",
        ",",
        "e",
        "E",
        "e-3",
        "pi",
        "π",
        "√",
        "sqrt",
        "exp",
        "ln",
        "log",
        "log2",
    ]
]
PIECES += [
    *[
        "(",
        ")",
        "(",
        ")",
        "+",
        "-",
        "−",
        "*",
        "**",
        "^",
        "/",
        "×",
        "%",
        "²",
        "⁻¹",
        ";",
        "[",
        "]",
        "x",
        "foo",
        "😀",
        "½",
        "σ",
        "=",
        "np.",
        "inf",
        "tanh",
        "β =",
        "x=",
        "≈",
        " 360",
        " 000",
        "<",
        ">",
    ],
    " ",
    " ",
    "\n",
]

READ = """texts => texts.map(text => {
  const api = window.whySqrtDExercises, out = [];
  const pair = t => api.parseArray(t, 2), alone = t => api.parseNumber(t);
  for (const parse of [alone, api.parseArray, pair]) {
    try { const v = parse(text); out.push(typeof v === "number" ? [String(v)] :
      [v.shape.join(), v.values.map(String)]); }
    catch (error) { if (!(error instanceof api.NotANumber)) throw error; out.push(error.line); }
  }
  return out;
})"""


def numbers(exercise):
    return isinstance(exercise.kind, Number | Array)


def as_text(answer):
    return answer if isinstance(answer, str) else json.dumps(answer)


def page_cases(exercise):
    """Pair every answer the page can take with what the live check says to it."""
    kind, wrong = exercise.kind, [w.answer for w in exercise.wrong]
    if isinstance(kind, Choice):
        return [(x, check(exercise.id, x).message) for x in (kind.right, *wrong)]
    if isinstance(kind, Order):
        orders = [tuple(k for k, _ in kind.steps), *exercise.forms, *wrong]
        return [(x, check(exercise.id, x).message) for x in orders]
    if isinstance(kind, Function):
        probe, known = kind.probe_kind(exercise.wrong)
        texts = [
            as_text(np.asarray(x).tolist()) for x in (probe.value, *(w.answer for w in known))
        ]
        return list(zip(texts, [SAY["right"], *(w.say for w in known)], strict=True))
    texts = [
        as_text(x) for x in (*exercise.forms, *wrong) if isinstance(x, str | int | float | list)
    ]
    return [(t, check(exercise.id, t).message) for t in texts if "\n" not in t]


def test_sentences_are_the_same(page):
    assert page.evaluate(f"{API}.SAY") == SAY


@pytest.mark.parametrize("exercise", all_exercises() + demo.EXERCISES, ids=lambda e: e.id)
def test_page_says_what_python_says(page, exercise):
    cases = page_cases(exercise)
    assert len(cases) >= 2
    for answer, message in cases:
        if isinstance(exercise.kind, Function) and message == SAY["right"] and exercise.right:
            message = f"{message} {exercise.right}"
        mark = "✓" if message.startswith("Right.") else "✗"
        assert answer_in(page, exercise, answer) == f"{mark} {message}", answer


def test_grammar_table(page):
    read = page.evaluate(READ, [t for t, _ in CASES["numbers"]])
    for (text, value), (got, *_) in zip(CASES["numbers"], read, strict=True):
        assert float(got[0]) == pytest.approx(value, rel=1e-14, abs=0), text
    texts = [t for t, _ in CASES["number_errors"]]
    for text, (got, *_) in zip(texts, page.evaluate(READ, texts), strict=True):
        with pytest.raises(NotANumber) as caught:
            parse_number(text)
        assert got == str(caught.value), text
    read = page.evaluate(READ, [t for t, _, _ in CASES["arrays"]])
    for (text, shape, values), (_, got, _) in zip(CASES["arrays"], read, strict=True):
        assert got[0] == ",".join(map(str, shape)), text
        assert [float(x) for x in got[1]] == pytest.approx(values), text


def _same(python, script):
    """Compare what the two sides read: the same line, or the same numbers up to rounding."""
    if isinstance(python, str) or isinstance(script, str):
        return python == script
    if isinstance(python, float):
        return float(script[0]) == pytest.approx(python, rel=1e-9, abs=1e-300)
    return script[0] == ",".join(map(str, python.shape)) and [
        float(x) for x in script[1]
    ] == pytest.approx(list(python.values), rel=1e-9, abs=1e-300)


def _read(parse, text):
    try:
        return parse(text)
    except NotANumber as line:
        return str(line)


def test_fuzz_python_against_javascript(page):
    rng = random.Random(20)
    texts = ["".join(rng.choices(PIECES, k=rng.randint(1, 9))) for _ in range(1500)]
    texts += ["".join(map(chr, rng.choices(range(1, 0x2100), k=5))) for _ in range(300)]
    texts += ["(" * 60 + "1", "-" * 60 + "1", "1" * 201, "1 " * 1500, "√" * 50, "2^" * 60 + "1"]
    read = page.evaluate(READ, texts)
    for text, (number, array, pair) in zip(texts, read, strict=True):
        assert _same(_read(parse_number, text), number), (text, _read(parse_number, text), number)
        assert _same(_read(parse_array, text), array), (text, _read(parse_array, text), array)
        assert _same(_read(partial(parse_array, length=2), text), pair), (text, pair)
    assert sum(not isinstance(n, str) for n, *_ in read) > 100


def test_lists_of_known_length(page):
    """The table's lists, and made ones, are read alike when the page knows how many are asked."""
    rng = random.Random(23)
    cases = [(t, n) for t, n, _ in CASES["lists"] + CASES["list_errors"]]
    parts = ["0,5", "-1,25", "12,345", "2", "1/4", "0.5", "a", "0,1,2", "", "(1,5)", " 3 ", "[1]"]
    cases += [("; ".join(rng.choices(parts, k=k)), n) for n in (1, 2, 3) for k in (1, 2, 3) * 70]
    read = """cases => cases.map(([text, length]) => {
      try { return window.whySqrtDExercises.parseArray(text, length); }
      catch (error) { return error.line; }
    })"""
    commas = 0
    for (text, n), got in zip(cases, page.evaluate(read, cases), strict=True):
        python = _read(partial(parse_array, length=n), text)
        script = got if isinstance(got, str) else [",".join(map(str, got["shape"])), got["values"]]
        assert _same(python, script), (text, n, python, got)
        commas += not isinstance(got, str) and "," in text
    assert commas > 10


def test_fuzz_verdicts(page):
    """Random answers get the same verdict and sentence on both sides."""
    rng = random.Random(21)
    judge = f"([spec, texts]) => texts.map(t => {API}.judge(spec, t))"
    for exercise in filter(numbers, demo.EXERCISES):
        right = exercise.kind.spec(())
        scale = [right["value"]] if "value" in right else right["values"]
        texts = []
        for _ in range(150):
            factor = rng.choice([1, -1, 1.002, 1.0045, 100, 0.01, 3, 0.2, 50, 0.001])
            values = [round(x * factor * rng.choice([1, 1, 1, 1.3]), 6) for x in scale]
            rng.shuffle(values)
            texts.append(" ".join(map(repr, values)))
            texts.append("; ".join(f"{x} {x}" for x in values))
            texts.append("; ".join(map(repr, values)).replace(".", ","))
            texts.append(", ".join(map(repr, values)).replace(".", ","))
            texts.append(",".join(map(repr, values[: rng.randint(1, len(values))])))
            texts.append(", ".join(map(repr, values[: rng.randint(1, len(values))])))
        spec = exercise.kind.spec(exercise.wrong) | {"praise": exercise.right}
        for text, got in zip(texts, page.evaluate(judge, [spec, texts]), strict=True):
            verdict = check(exercise.id, text)
            assert (got["passed"], got["message"]) == (verdict.passed, verdict.message), text


def test_four_digits_are_the_same(page):
    rng = random.Random(22)
    values = [rng.uniform(-1, 1) * 10.0 ** rng.randint(-12, 14) for _ in range(2000)]
    values += [
        0.5,
        2.0625,
        1.00005,
        99995.0,
        999950.0,
        9999999.0,
        0.00001,
        0.000012345,
        12345.5,
        1e300,
    ]
    assert page.evaluate(f"xs => xs.map({API}.four)", values) == list(map(four, values))


def test_every_order_gets_the_same_verdict(page):
    judge = f"([spec, texts]) => texts.map(t => {API}.judge(spec, t))"
    for exercise in (demo.ORDER, demo.ORDER_FREE):
        spec = exercise.kind.spec(exercise.wrong)
        orders = ["".join(p) for p in permutations(sorted(spec["right"]))]
        for letters, got in zip(orders, page.evaluate(judge, [spec, orders]), strict=True):
            verdict = check(exercise.id, letters)
            assert (got["passed"], got["message"]) == (verdict.passed, verdict.message), letters
