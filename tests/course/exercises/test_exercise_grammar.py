"""Numbers and arrays as text: the shared table, and Hypothesis."""

import json
import math
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from why_sqrt_d.exercises.arrays import parse_array
from why_sqrt_d.exercises.grammar import NotANumber, parse_number
from why_sqrt_d.exercises.messages import SAY, four, one_line

CASES = json.loads(Path(__file__).with_name("grammar_cases.json").read_text(encoding="utf-8"))
FINITE = st.floats(allow_nan=False, allow_infinity=False)


def says(message, key):
    """Tell whether a message is the sentence of `key`, whatever fills its blanks."""
    start, *rest = SAY[key].split("{")
    end = rest[-1].split("}")[1] if rest else start
    return message.startswith(start) and message.endswith(end)


def test_reads_a_number():
    for text, value in CASES["numbers"]:
        assert parse_number(text) == pytest.approx(value, rel=1e-14, abs=0), text


def test_reads_an_array():
    cases = [(text, 0, shape, values) for text, shape, values in CASES["arrays"]]
    cases += [(text, length, [length], values) for text, length, values in CASES["lists"]]
    for text, length, shape, values in cases:
        grid = parse_array(text, length)
        assert list(grid.shape) == shape, text
        assert grid.ravel().tolist() == pytest.approx(values), text


def test_says_why_it_is_no_number_or_array():
    cases = [(parse_number, (text,), key) for text, key in CASES["number_errors"]]
    cases += [(parse_array, (text,), key) for text, key in CASES["array_errors"]]
    cases += [(parse_array, (text, length), key) for text, length, key in CASES["list_errors"]]
    for parse, given_text, key in cases:
        with pytest.raises(NotANumber) as caught:
            parse(*given_text)
        assert says(str(caught.value), key), (given_text, caught.value)


@given(st.integers(1000, 10**15))
def test_groups_of_digits_are_one_number_alone_and_several_in_an_array(n):
    grouped = f"{n:,}".replace(",", " ")
    assert parse_number(grouped) == parse_number(f"n = {grouped}") == n
    assert parse_array(grouped).size == len(grouped.split())


MONSTERS = ["9**9**9**9", "(" * 190, "√" * 190, "2^" * 99 + "2", "1" * 10**6, "sqrt" * 49]


@pytest.mark.parametrize("text", [*MONSTERS, "(" * 10**6, "1e" + "9" * 190], ids=range(8))
def test_monsters_are_refused_at_once(text):
    start = time.perf_counter()
    for parse in (parse_number, parse_array):
        with pytest.raises(NotANumber):
            parse(text)
    assert time.perf_counter() - start < 0.5


@given(FINITE)
def test_numbers_read_like_float(x):
    assert parse_number(repr(x)) == x
    assert parse_number(f"{x:.17e}") == x


@given(FINITE, FINITE)
def test_arithmetic_is_pythons(a, b):
    try:
        expected = a - b
        got = parse_number(f"({a!r}) - ({b!r})")
    except NotANumber:
        assert math.isinf(expected)
    else:
        assert got == expected


@given(st.text(max_size=60) | st.text("0123456789.,+-*/^() %√πeEpisqrtlnx²;[]\n", max_size=40))
@settings(max_examples=400)
def test_any_text_is_a_number_or_a_line(text):
    for parse in (parse_number, parse_array):
        try:
            parse(text)
        except NotANumber as caught:
            line = one_line(str(caught))
            assert line.encode("utf-8")


@given(st.floats(-1e300, 1e300))
def test_four_digits_are_close(x):
    assert float(four(x)) == pytest.approx(x, rel=6e-4, abs=1e-320)


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (0.0, "0"),
        (2.3, "2.3"),
        (1234.5, "1235"),
        (0.5, "0.5"),
        (1e-9, "1e-9"),
        (1.5e12, "1.5e12"),
        (-2.0, "-2"),
        (2.0625, "2.063"),
        (100000.0, "100000"),
    ],
)
def test_four_digits(x, text):
    assert four(x) == text
