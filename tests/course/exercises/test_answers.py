"""What a notebook's learner can give, and how what cannot be judged is met: one line, in time."""

import sys
from decimal import Decimal
from fractions import Fraction

import demo
import numpy as np
import pytest

from why_sqrt_d.exercises import Number, check, exercise, get, time_limit
from why_sqrt_d.exercises.handout import own_numbers
from why_sqrt_d.exercises.messages import one_line

FUNCTION = demo.FUNCTION.id


class OtherNumber:
    """A number of another library's, as SymPy has them."""

    def __float__(self):
        return 512**0.5


NUMBERS = [22.627, Fraction(22627, 1000), Decimal("22.627"), np.float16(22.63), OtherNumber()]
NUMBERS += [
    np.array([[22.627]]),
    (22.627,),
    np.array(["22.627"]),
    [OtherNumber()],
    "[22.63]",
    "16 * sqrt(2)",
]
NUMBERS += [np.ma.array([22.63]), np.longdouble("22.627"), " 512**0.5 "]
ARRAYS = [(0.1, "1/5", 0.7), np.array([[0.1, 0.2, 0.7]]), [[0.1], [0.2], [0.7]], "1/10, 0.2, 70 %"]


def test_numbers_and_arrays_of_any_library_are_read():
    for answer in NUMBERS:
        assert check("0.1", answer), answer
    for answer in ARRAYS:
        assert check("0.6", answer), answer


def test_jax_is_read_and_runs():
    jax = pytest.importorskip("jax")
    assert check("0.6", jax.numpy.array([0.1, 0.2, 0.7]))
    assert check(FUNCTION, lambda s: jax.nn.softmax(jax.numpy.asarray(s)))
    # Single precision excuses its rounding, and no more.
    assert not check(FUNCTION, lambda s: jax.nn.softmax(jax.numpy.asarray(s)) + 1e-4)


def test_letters_are_read_in_their_ways():
    letters = demo.ORDER.kind.right_answers()[0]
    for answer in ("b", "B", " (b) ", "b.", ["b"], np.array(["b"]), "1/√d", " 1/√D. "):
        assert check("0.3", answer), answer
    for answer in ("e", "not b", "b or c", ["a", "b"], 2, [["b"], 1], "", object()):
        assert not check("0.3", answer), answer
    for sign in ("", " ", ", ", " < ", " → "):
        assert check("0.4", sign.join(letters)), sign
    assert check("0.4", list(letters.lower()))
    assert check("0.4", letters[:3]).message.endswith("A is missing.")
    assert check("0.4", letters + "A").message.endswith("A is there twice.")
    for answer in (" > ".join(letters), letters[:3] + "Z", 12, [1, 2]):
        assert check("0.4", answer).message.startswith("Write each of the letters A, B, C, D")


@pytest.mark.parametrize(
    ("answer", "part"),
    [
        (float("nan"), "nan means"),
        (float("inf"), "infinite"),
        (1j, "complex"),
        (True, "True or False"),
        (10**5000, "too large"),
        ([1, 2], "Numbers asked for: 1; yours: 2"),
        (np.sqrt, "did you mean to call it"),
        ([[1], [2, 3]], "different lengths"),
        ("dozens", "“dozens” is not understood"),
        ("False", "“False” is not understood"),
        ("__import__('os').getcwd()", "is not understood"),
    ],
    ids=lambda x: x if isinstance(x, str) else "",
)
def test_what_is_no_number_is_named(answer, part):
    assert part in check("0.1", answer).message


def circular():
    loop = [1.0]
    loop.append(loop)
    return loop


STRANGE = [
    *("9" * 100_000, "9**9**9", "(" * 5000, "\ud800", "\0", b"1", {"a": 1}, {1, "a"}),
    *([], [[[[[[[[1]]]]]]]], circular(), np.array([object()], dtype=object), object(), [None]),
    *(np.array(["2020-01-01"], "M8[D]"), np.zeros(2, dtype="i4,f8"), np.zeros((0, 3)), demo),
    *(np.zeros(10**6), int, len, (x for x in ()), np.ma.masked, Decimal("Infinity")),
]


def test_a_line_is_cut_only_if_it_is_longer_than_its_limit():
    assert one_line("a " * 7 + "a", limit=15) == "a " * 7 + "a"
    assert one_line("a " * 7 + "ab", limit=15) == "a " * 7 + "…"


@pytest.mark.parametrize("found", demo.EXERCISES, ids=lambda e: e.id)
def test_strange_answers_get_one_line(found):
    for answer in STRANGE:
        text = str(check(found.id, answer))
        assert text.startswith(("✗ ", "→ ")), text
        assert text.isprintable()
        assert len(text) < 500
        assert "itself failed" not in text, text


def test_an_unknown_exercise_is_named_and_guessed():
    for odd in (None, 1.3, "9.99", "", "x" * 10**6, "1\n2", b"1.1", "\ud800"):
        verdict = check(odd, 1)
        assert not verdict
        assert str(verdict).isprintable()
    assert "Did you mean 0.8?" in check("0.80", 1).message
    with pytest.raises(LookupError, match=r"no exercise “1[.]99”.* There are: 1[.]0, ") as raised:
        exercise("1.99")
    assert ", 2." not in str(raised.value)  # those of the chapter
    assert check(demo.NUMBER.id, None).blank
    assert str(check(demo.NUMBER.id)).startswith("· 0.1  No answer yet: put yours")


def test_an_engine_fault_is_not_right(monkeypatch):
    assert "itself failed" not in check(demo.NEGATIVE.id, 1).message
    monkeypatch.delattr(Number.__mro__[1], "close")
    verdict = check(demo.NEGATIVE.id, 1)
    assert not verdict
    assert "itself failed" in verdict.message


def raises(scores):
    raise ValueError("first line\nsecond line \ud800" + "x" * 10_000)


def recurses(scores):
    return recurses(scores)


@pytest.mark.parametrize(
    ("function", "line"),
    [
        (raises, "raised ValueError: first line second line"),
        (recurses, "calls itself without end"),
        (lambda s: print("flood\n" * 1000), "returned None: did you forget return?"),
        (lambda s: sys.exit(0), "leave out exit()"),
        (lambda s: (x for x in s), "returned generator, which is not an array"),
        (lambda: 1, "takes 0 positional arguments but 1 was given"),
        (lambda s: "right", "returned str, which is not an array"),
        (lambda s: print, "was it meant to be called?"),
        (lambda s: np.broadcast_to(0.0, (10**5, 10**5)), "yours has shape (100000, 100000)"),
        (lambda s: s * 1j, "should be real; yours is complex."),
        (lambda s: demo.softmax_rows(s) + 2e-6, "yours is off by 4e-6."),
        (lambda s: -demo.softmax_rows(s), "should sum to 1"),
        (lambda s: np.round(demo.softmax_rows(s), 2), "The result is rounded"),
        (np.ones(3), "softmax_rows without quotes or brackets"),
    ],
)
def test_the_line_names_what_a_function_did(function, line, capsys):
    verdict = check(FUNCTION, function)
    assert not verdict.passed
    assert line in verdict.message
    assert str(verdict).isprintable()
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("body", ["...", "pass", '"""To be written."""\n    ...'])
def test_an_untouched_stub_is_no_answer_yet(body):
    names = {}
    exec(f"def f(scores):\n    {body}\ndef g(scores):\n    return 5", names)
    assert check(FUNCTION, names["f"]).blank
    assert not check(FUNCTION, names["g"]).blank


def loops(scores):
    while True:
        scores = scores + 1


def loops_on_one_line(scores):
    while True: pass  # fmt: skip  # noqa: E701


def catches_all(scores):
    while True:
        try:
            scores = scores + 1
        except BaseException:
            scores = scores - 1


@pytest.mark.parametrize(
    "function", [loops, loops_on_one_line, catches_all, lambda s: [1 for _ in iter(int, 1)]]
)
def test_endless_functions_are_stopped_and_what_was_seen_is_said(function, monkeypatch):
    monkeypatch.setattr(time_limit, "LIMIT", 0.3)
    message = check(FUNCTION, function).message
    assert message.startswith("softmax_rows(np.array(")
    assert "was not done after 0.3 s and was in line " in message
    assert message.endswith("is that a loop that never ends, or a slow one?")
    assert check(FUNCTION, demo.softmax_rows)  # nothing is left of it


def test_no_call_is_traced_and_plain_loops_end_in_time(monkeypatch):
    """Attention that sees each key once, number by number, is right and is told no more."""
    traced = []

    def attention(query, key, value):
        traced.append(sys.gettrace() is not trace)
        mixed = np.zeros(value.shape)
        for h, i in np.ndindex(query.shape[:2]):
            top, total, row = -np.inf, 0.0, 0.0
            for j in range(i + 1):
                logit = (
                    sum(a * b for a, b in zip(query[h, i], key[h, j], strict=True))
                    / query.shape[-1] ** 0.5
                )
                new = max(top, logit)
                old, power = np.exp(top - new), np.exp(logit - new)
                top, total, row = new, total * old + power, row * old + power * value[h, j]
            mixed[h, i] = row / total
        return mixed

    trace = sys.gettrace()
    monkeypatch.setattr("why_sqrt_d.exercises.kinds.function._IN_USE", 0)
    verdict = check("8.4", attention)
    assert str(verdict).startswith("✓ 8.4  Right. (Put to use it would take more than 0 s: that")
    assert not any(traced)


def test_a_students_own_numbers_stay_what_they_were():
    """What was handed out with one version of the course is graded with another."""
    students = ("ada", "grace", "emmy", "sofia", " Alan ")
    assert [own_numbers(student, "1.2") for student in students] == [1, 3, 8, 4, 5]


def test_the_readers_own_interrupt_goes_through():
    def pressed(scores):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        check(FUNCTION, pressed)


@pytest.mark.parametrize("exercise", ["3.9", "4.2", "8.4"])
def test_the_packages_own_function_is_no_answer(exercise):
    taken = get(exercise).kind.taken
    for answer in (taken, lambda *args: taken(*args)):
        verdict = check(exercise, answer)
        assert not verdict
        assert f"calls {taken.__name__}, which is asked for" in verdict.message
