"""What an answer is told: one table for Python and JavaScript, and the judge's properties."""

import json
from pathlib import Path

import demo
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from why_sqrt_d.exercises import Array, Number, all_exercises, check, get
from why_sqrt_d.exercises.messages import four

HERE = Path(__file__).parent
TABLE = (HERE / "verdicts.txt").read_text(encoding="utf-8").split("\n\n")[1]
ROWS = [line.split(" | ") for line in TABLE.strip().splitlines()]
READS = json.loads((HERE / "grammar_cases.json").read_text(encoding="utf-8"))
API = "window.whySqrtDExercises"
MARKED = f"""cases => cases.map(([spec, answers]) => answers.map(answer => {{
  const said = {API}.judge(spec, answer);
  return (said.guess ? "→ " : said.passed ? "✓ " : said.blank ? "· " : "✗ ") + said.message;
}}))"""
READ = f"""cases => cases.map(([text, length]) => {{
  try {{
    const read = length === null ? [{API}.parseNumber(text)] : {API}.parseArray(text, length);
    return read.map(String);
  }} catch (error) {{
    if (!(error instanceof {API}.NotANumber)) throw error;
    return error.line;
  }}
}})"""


def says(said, wanted):
    """Tell whether a verdict is the wanted one, which may leave out how it ends."""
    return said.startswith(wanted.removesuffix("…")) if wanted.endswith("…") else said == wanted


def test_python_says_what_the_table_says():
    for exercise, answer, wanted in ROWS:
        if not wanted.startswith("page "):
            said = str(check(exercise, answer)).replace(f" {exercise} ", "", 1)
            assert says(said, wanted), (exercise, answer, said)
    assert {exercise for exercise, _, _ in ROWS} >= {e.id for e in demo.EXERCISES} - {"0.8"}


def test_the_page_says_what_the_table_says(page):
    got = page.evaluate(MARKED, [[get(name).spec(), [answer]] for name, answer, _ in ROWS])
    for (exercise, answer, wanted), (said,) in zip(ROWS, got, strict=True):
        assert says(said, wanted.removeprefix("page ")), (exercise, answer, said)


def as_typed(answer):
    return answer if isinstance(answer, str) else json.dumps(np.asarray(answer).tolist())


def known(exercise):
    """Pair every declared answer, as it is given on the page, with what Python says to it."""
    kind, wrong = exercise.kind.asked(exercise.wrong)
    for answer in (kind.right_answers()[0], *(w.answer for w in wrong)):
        reply = kind.judge(answer, wrong)
        message = f"{reply.message} {exercise.praise}".strip() if reply.passed else reply.message
        yield as_typed(answer), message


def test_every_declared_answer_is_told_its_sentence_on_both_sides(page):
    """Of every exercise, with its own numbers and with others."""
    cases = [
        (one, list(known(one)))
        for found in (*demo.EXERCISES, *all_exercises())
        for one in (found, *found.variants)
        if found.spec()["kind"] != "function"
    ]
    got = page.evaluate(MARKED, [[one.spec(), [x for x, _ in told]] for one, told in cases])
    for (one, told), lines in zip(cases, got, strict=True):
        for (text, message), said in zip(told, lines, strict=True):
            assert said[2:] == message, (one.id, text)
    assert {said[0] for lines in got for said in lines} == {"✓", "✗", "→"}


def test_the_page_reads_what_is_typed(page):
    cases = [(text, None, [value]) for text, value in READS["numbers"]]
    cases += [(text, 0, values) for text, values in READS["arrays"]]
    cases += [(text, n, values) for text, n, values in READS["lists"]]
    got = page.evaluate(READ, [[text, n] for text, n, _ in cases])
    for (text, n, values), read in zip(cases, got, strict=True):
        assert not isinstance(read, str), (text, n, read)
        assert list(map(float, read)) == pytest.approx(values, rel=1e-12), (text, n, read)


def test_the_page_says_why_something_is_not_read(page):
    refused = [(text, None, key) for text, key in READS["number_errors"]]
    refused += [(text, 0, key) for text, key in READS["array_errors"]]
    refused += [(text, n, key) for text, n, key in READS["list_errors"]]
    monsters = ["9**9**9**9", "(" * 190, "√" * 190, "2^" * 99 + "2", "1" * 10**6, "[" * 3000]
    got = page.evaluate(READ, [[text, n] for text, n, _ in refused])
    sentences = page.evaluate(f"{API}.SAY")
    for (text, n, key), line in zip(refused, got, strict=True):
        start, *rest = sentences[key].split("{")
        assert isinstance(line, str), (text, n, line)
        assert line.startswith(start), (text, n, line)
        assert line.endswith(rest[-1].split("}")[1] if rest else start), (text, n, line)
    cases = [[text, n] for text in monsters for n in (None, 0)]
    assert all(isinstance(line, str) for line in page.evaluate(READ, cases))


def test_four_digits_are_the_same(page):
    rng = np.random.default_rng(22)
    values = (rng.uniform(-1, 1, 2000) * 10.0 ** rng.integers(-12, 14, 2000)).tolist()
    values += [0.0, 2.3, 1234.5678, 1e-9, 1.5e12, -2.0, 99995.01, 9999999.0, 0.00001]
    assert page.evaluate(f"xs => xs.map({API}.four)", values) == list(map(four, values))


SIZES = st.floats(1e-6, 1e6).flatmap(lambda x: st.sampled_from([x, -x]))


@given(SIZES, st.floats(allow_nan=False, allow_infinity=False))
def test_a_verdict_on_a_number_is_true(value, x):
    line = Number(value).judge(x, ()).message
    assert ("Too large" in line) <= (x > value)
    assert ("Too small" in line) <= (x < value)
    assert ("close" in line) <= (abs(x - value) <= 0.05 * abs(value))
    assert ("positive" in line) <= (value > 0 >= x)


@given(st.lists(SIZES, min_size=2, max_size=6), st.data())
@settings(max_examples=200)
def test_a_verdict_on_an_array_is_true(values, data):
    kind = Array(values, atol=0.0)
    shuffled = data.draw(st.permutations(values))
    at = data.draw(st.integers(0, len(values) - 1))
    one = [*values[:at], 3 * values[at], *values[at + 1 :]]
    for got in (shuffled, one, [x * 1.02 for x in values], values[1:]):
        said = kind.judge(got, ())
        right = len(got) == len(values) and all(map(kind.close, got, values))
        assert said.passed == right
        if "another order" in said.message:
            assert all(map(kind.close, sorted(got), sorted(values)))
        if "Look at number" in said.message:
            place = int(said.message.partition("number ")[2].partition(".")[0]) - 1
            assert not kind.close(got[place], values[place])
