"""What an unknown wrong answer is told, kind by kind; and what a declaration may not be."""

import dataclasses
from decimal import Decimal
from fractions import Fraction

import demo
import numpy as np
import pytest

from why_sqrt_d.exercises import (
    Array,
    Choice,
    Number,
    Order,
    Wrong,
    check,
)
from why_sqrt_d.exercises.messages import SAY


@pytest.mark.parametrize(
    ("answer", "key"),
    [
        ("-sqrt(512)", "sign"),
        (22.70, "near"),
        ("sqrt(512) %", "percent"),
        (100 * 512**0.5, "larger"),
        (0, "positive"),
        (-3, "positive"),
        (40, "large"),
        (1e9, "larger"),
        (5, "small"),
        (0.5, "smaller"),
    ],
)
def test_number(answer, key):
    assert check("0.1", answer).message == f"{SAY[key]} {demo.NUMBER.hints[0]}"


def circular():
    loop = [1.0]
    loop.append(loop)
    return loop


STRANGE = [
    *("forty-two", "9" * 100_000, "9**9**9", "(" * 5000, "__import__('os')", "\ud800", "\0", b"1"),
    *({"a": 1}, {1, "a"}, float("nan"), -np.inf, 1 + 2j, True, 10**5000, Decimal("Infinity")),
    *([], [[[[[[[[1]]]]]]]], [[1], [1, 2]], circular(), np.array([object()], dtype=object)),
    *(np.array(["2020-01-01"], "M8[D]"), np.zeros(2, dtype="i4,f8"), np.zeros((0, 3))),
    *(np.zeros(10**6), demo, int, len, (x for x in ()), object(), [None], np.ma.masked),
]


@pytest.mark.parametrize("exercise", demo.EXERCISES, ids=lambda e: e.id)
def test_strange_answers_get_one_line(exercise):
    for answer in STRANGE:
        text = str(check(exercise.id, answer))
        assert text.startswith(("✗ ", "→ ")), text
        assert "\n" not in text
        assert len(text) < 500
        assert "itself failed" not in text, text


@pytest.mark.parametrize(("answer", "said"), [(20, "one digit"), (23, "two digits")])
def test_a_number_with_too_few_digits(answer, said):
    """20 is off by a tenth or more, and so may be meant otherwise."""
    line = f"That is right to {said}, and three are asked for."
    assert (check("0.1", answer).message == line) == (answer == 23)


@pytest.mark.parametrize(
    ("answer", "named"),
    [
        *((64**0.5, True), (8.004, True), (7.98, False), (8.02, False), ("1/sqrt(512)", True)),
        *((0.0442, True), (0.04419, True), (0.044, False), (0.04, False), (0.0444, False)),
    ],
)
def test_a_mistake_is_named_by_what_was_typed(answer, named):
    """Near it, or it rounded to three digits; a round number that lies near may be a guess."""
    assert (check("0.1", answer).message in {w.say for w in demo.NUMBER.wrong}) == named


def test_a_mistakes_number_just_above_a_power_of_ten():
    """0.996 is no way to write one, though 1.00 and it differ by less than half a hundredth."""
    three = tuple(Wrong(x, f"It is not {x}.") for x in (1, 2, 3))
    judge = dataclasses.replace(demo.NUMBER, kind=Number(0.98976), wrong=three).judge
    assert judge(1.0).message == "It is not 1."
    assert "It is not" not in judge(0.9959).message


def test_a_tolerance_that_allows_for_a_draw_names_no_round_number():
    three = tuple(Wrong(x, f"It is not {x}.") for x in (4096, 64, 192))
    judge = dataclasses.replace(demo.NUMBER, kind=Number(2048, rtol=0.05), wrong=three).judge
    assert judge(4187.3).message == "It is not 4096."
    assert "Too large" in judge(4200).message


def test_negative_number():
    assert check("0.2", 3).message == f"{SAY['negative']} What is ln 1?"


@pytest.mark.parametrize(
    "answer",
    [
        Fraction(22627, 1000),
        Decimal("22.627"),
        np.float16(22.63),
        np.array(22.627),
        np.array([[22.627]]),
        (22.627,),
        np.array(["22.627"]),
        np.array([Fraction(22627, 1000)]),
        np.longdouble("22.627"),
    ],
)
def test_number_types(answer):
    assert check("0.1", answer)


@pytest.mark.parametrize(
    ("answer", "part"),
    [
        (float("nan"), "nan means"),
        (float("inf"), "infinite"),
        (1j, "complex"),
        (True, "True or False"),
        (10**5000, "too large"),
        ([1, 2], "One number is asked for"),
        ({}, "of type dict"),
        (np.sqrt, "did you mean to call it"),
        (Decimal("NaN"), "nan means"),
        ("1,024", "two ways"),
    ],
    ids=lambda x: x if isinstance(x, str) else "",
)
def test_strange_numbers_have_their_sentence(answer, part):
    assert part in check("0.1", answer).message


@pytest.mark.parametrize(
    ("answer", "start"),
    [
        ("0.7 0.2 0.1", "These are the right numbers in another order."),
        ("0.1 0.2", "Three numbers are asked for; yours are two."),
        ([[0.1, 0.2], [0.3, 0]], "The shape should be (3,); yours is (2, 2)."),
        ([0.5, 0.9, 0.9], "The weights should sum to 1; yours sum to 2.3."),
        ([0.1, 0.25, 0.65], "Number 2 is not right; yours is 0.25."),
        ([0.1, np.nan, 0.7], "Number 2 is nan, “not a number”."),
        ([0.1, np.inf, 0.7], "Number 2 is infinite."),
        ([0.1j, 0.2, 0.7], "The answer is a real number"),
        ([True, False, True], "Numbers are asked for"),
        ([[1], [2, 3]], "The rows have different lengths"),
        ("0,1 0,2 0,7", "The commas can be read"),
        ("0,1; 0,2; 0,7", "Right."),
        ("0,1; 0,7", "The commas can be read"),
        (
            "0,1, 0,2, 0,7",
            "Three numbers are asked for; yours are six. Write decimals with a point.",
        ),
        ("0,1", "Three numbers are asked for; yours are two."),
        (" ".join("1" * 13), "Three numbers are asked for; yours are 13."),
        (0.7, "Three numbers are asked for; yours is one."),
        ([], "Three numbers are asked for; yours is empty."),
        (
            "0.1 0.2 0.702",
            "Number 3 is close: keep more digits, or look for a small slip. Exp",
        ),
        ("0.1007 0.2 0.702", "Number 1 is close"),
        ("0.1007 0.2 0.75", "The weights should sum"),
        ("0.1007 0.19 0.71", "Number 2 is not right; yours is 0.19."),
        ({0.1, 0.2, 0.7}, "A set has no order: use a list."),
        ("p = 0.1 0.2 0.7", "Right."),
    ],
)
def test_array(answer, start):
    assert check("0.6", answer).message.startswith(start)


@pytest.mark.parametrize(
    ("values", "answer", "start"),
    [
        ([0.27, 0.25, 0.48], [27, 25, 48], SAY["percents"]),
        ([0.16, -0.08, 0.02], [-0.16, 0.08, -0.02], SAY["negated"]),
        ([0.17, 0.24, 0.59], [0.2, 0.2, 0.6], "These are the right numbers, but rounded"),
        ([0.5974, 0.9933], [0.6, 1.0], "Number 2 is right to one digit"),
        ([4, 0.25], [8, 0.5], SAY["factor"]),
        ([4, 4], [8, 8], "Number 1 is not right"),
        ([0.0625, 0.4082], [0.06, 0.408], "Number 1 is right to one digit, and three"),
        ([0.0625, 0.4082], [0.06, 0.9], "Number 2 is not right; yours is 0.9."),
        (
            [[0.0625, 2], [3, 4]],
            [[0.06, 2.0], [3.001, 4]],
            "The entry at index [0, 0] is right to one",
        ),
    ],
)
def test_what_wrong_numbers_have_in_common(values, answer, start):
    three = tuple(Wrong(np.full(np.shape(values), x), f"It is not {x}.") for x in (77, 78, 79))
    judge = dataclasses.replace(demo.ARRAY, kind=Array(values), wrong=three).judge
    assert judge(answer).message.startswith(start)


def test_only_too_many_numbers_call_for_a_decimal_point():
    assert SAY["point"] not in check("0.6", "1,2").message
    assert SAY["point"] in check("0.6", "1,2,3,4").message


def test_transposed_matrix():
    assert check("0.7", [[1, 4], [2, 5], [3, 6]]).message == SAY["transposed"]


@pytest.mark.parametrize(
    ("answer", "start"),
    [
        ([[1, 2, 3], [4, 5.5, 6]], "Only the entry at index [1, 1] is not right; yours is 5.5."),
        ([[1, 2, 3], [4, 5.5, 7]], "The first entry that differs is at index [1, 1], where yours"),
        ([[1, 2, 3], [4, 5.02, 6]], "The entry at index [1, 1] is close: keep more digits"),
        ([[1, 2, np.nan], [4, 5, 6]], "The entry at index [0, 2] is nan"),
        ([1, 2], "The shape should be (2, 3); yours is (2,)."),
        ("1,0 2,0 3,0 4 5 6 7", "The shape should be (2, 3); yours is (10,). Write decimals with"),
    ],
)
def test_matrix(answer, start):
    assert check("0.7", answer).message.startswith(start)


def test_one_number_in_a_list():
    three = tuple(Wrong([x], f"It is not {x}.") for x in (1, 2, 3))
    judge = dataclasses.replace(demo.ARRAY, kind=Array([5]), wrong=three).judge
    assert judge("4 6").message == "One number is asked for; yours are two."
    assert judge("5").passed


@pytest.mark.parametrize("answer", ["16 384", "n = 16384", "x ≈ 16 384,0", "16384"])
def test_number_with_a_name_or_in_groups(answer):
    three = tuple(Wrong(x, f"It is not {x}.") for x in (1, 2, 384))
    assert dataclasses.replace(demo.NUMBER, kind=Number(16384), wrong=three).judge(answer).passed


@pytest.mark.parametrize(
    "answer",
    [
        *("e", "ab", 2, ["a", "b"], [2], b"b", "beta", "not b", "√b", "1/b", "a or b", "b b"),
        *("the square root of b", "b is too small", np.array(["a", "b"]), ["b", "b"], [["b"]]),
        *("option e", ["option e"], "option"),
    ],
)
def test_choice_wants_a_letter(answer):
    assert check("0.3", answer).message.startswith("Answer with one of the letters a, b, c, d.")


@pytest.mark.parametrize(
    "answer",
    [
        *("option b", "Option B.", "answer: b", "I think it is (b)", ["b"], ("B",)),
        *(np.array(["b"]), np.array("b"), ["option b"]),
    ],
)
def test_choice_takes_a_letter_among_words_or_in_a_list(answer):
    assert check("0.3", answer)


OPTIONS = {"a": "in the first row", "b": "in the second", "c": "in the second and the third"}


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("the first", "Right."),
        ("a: in the first", "Right."),
        ("the second", "“the second” can mean b or c."),
        ("b or c", "“b or c” can mean b or c."),
        ("the fourth", "“the fourth” is none of them, nor part of an option."),
        ("firs", "“firs” is none of them"),
        (["b", "c"], "You gave 2: choose the one that fits best."),
        (2, "Yours is a number: write the letter before the option that has it."),
    ],
)
def test_a_choice_in_words_of_its_option(answer, said):
    both = Wrong("b", "No."), Wrong("c", "Nor that."), Wrong("c", "Nor.")
    kind = Choice(OPTIONS, right="a")
    assert said in kind.judge(answer, both).message


def test_a_choice_among_words_can_be_wrong():
    assert check("0.3", "option a").message.startswith("You divided by d")
    assert check("0.3", ["c"]).message.startswith("That multiplies")


class OtherNumber:
    """A number of another library's, as SymPy has them."""

    def __init__(self, is_real):
        self.is_real = is_real

    def __float__(self):
        return 512**0.5


def test_what_comes_from_elsewhere_is_read_or_refused_with_a_word():
    masked = np.ma.array([0.1, 0.2, 0.7], mask=[False, True, False])
    for answer in (OtherNumber(True), [OtherNumber(True)], np.ma.array([22.63]), "array([22.63])"):
        assert check("0.1", answer), answer
    assert check("0.1", OtherNumber(False)).message == SAY["complex"]
    assert check("0.1", "512^1/2").message == SAY["root"]
    assert check("0.6", np.ma.array([0.1, 0.2, 0.7]))
    for answer in (masked, "[0.1, --, 0.7]", str(masked)):
        assert check("0.6", answer).message == SAY["masked"], answer


def test_choices_and_steps_are_taken_with_their_texts():
    for answer in ("b  1/√d", "b: 1/√d", "(B) 1/√d.", "**b**: 1/√d"):
        assert check("0.3", answer), answer
    assert "letters" in check("0.3", "a: 1/√d").message
    kind = demo.ORDER.kind
    letters = kind.letters([key for key, _ in kind.steps])
    texts = {letter: text for letter, _, text in kind.shown}
    pasted = "\n".join(f"{letter}: {texts[letter]}" for letter in letters)
    for answer in (" then ".join(letters), f"First {', then '.join(letters)}", pasted):
        assert check("0.4", answer), answer
    assert "is missing" in check("0.4", "B then D").message
    assert check("0.4", "B after D").message == SAY["signs"]


def test_order_lines():
    letters = demo.ORDER.kind.letters(["mean", "square", "term", "sum"])
    assert "is missing" in check("0.4", letters[:3]).message
    assert "is there twice" in check("0.4", letters + letters[0]).message
    assert "Z is not one of them" in check("0.4", "Z" + letters).message
    assert check("0.4", 12).message.startswith("Answer with the letters A, B, C, D")
    needs = check("0.4", ("square", "mean", "term", "sum")).message
    square, mean = demo.ORDER.kind.letters(["square"]), demo.ORDER.kind.letters(["mean"])
    reason = "only with mean 0 is the variance the mean square."
    assert needs == f"{square} stands before {mean}, but {reason}"
    late = check("0.4", ("mean", "sum", "square", "term")).message
    assert late.startswith(f"The order holds up to step {mean}")


def test_order_takes_chains_and_arrays():
    letters = demo.ORDER.kind.letters(["mean", "square", "term", "sum"])
    for sign in (" < ", "<", " -> ", "=>", " – "):
        assert check("0.4", sign.join(letters)), sign
    assert check("0.4", np.array(list(letters)))
    assert check("0.4", np.array(["mean", "square", "term", "sum"]))
    for sign in (" > ", ">", " <- "):
        verdict = check("0.4", sign.join(letters))
        assert verdict.message == SAY["signs"], sign
        assert not verdict
    assert not check("0.4", np.array([list(letters)]))
    assert check("0.4", np.array([1, 2])).message.startswith("Answer with the letters")


def test_order_is_shown_shuffled_and_the_same_every_time():
    for exercise in (demo.ORDER, demo.ORDER_FREE):
        again = dataclasses.replace(exercise.kind)
        assert again.shown == exercise.kind.shown
        assert tuple(key for _, key, _ in again.shown) != tuple(k for k, _ in again.steps)


def _fails(match, **changes):
    with pytest.raises(ValueError, match=match):
        dataclasses.replace(demo.NUMBER, **changes)


def test_declarations_that_contradict_themselves():
    three = tuple(Wrong(x, f"It is not {x}.") for x in (1, 2, 3))
    _fails("id", id="1")
    _fails("difficulty", difficulty=4)
    _fails("two hints", hints=("one",))
    _fails("three wrong", wrong=three[:2])
    _fails("statement", statement=" ")
    _fails("met with “Right", kind=Number(2), wrong=three)
    _fails("met with “It is not 1", kind=Number(9), wrong=(*three, Wrong(1.0, "It hides.")))
    _fails("met with", kind=Array([2]), wrong=tuple(Wrong([x], "No.") for x in (1, 2, 3)))
    _fails("needs one wrong", kind=Choice({"a": "x", "b": "y"}, right="a"), wrong=three)
    _fails("two characters", kind=Order((("a", "x"), ("b", "y"))), wrong=three)
    order = (("one", "x"), ("two", "y"))
    _fails("comes later", kind=Order(order, needs=(("one", "two", "so"),)), wrong=three)
    function = demo.FUNCTION.kind
    checks = tuple(m for m in function.mechanisms if m.check)
    _fails(
        "no mechanism compares", kind=dataclasses.replace(function, mechanisms=checks), wrong=three
    )


@pytest.mark.parametrize("line", ["", "two\nlines", "TeX $x$"])
def test_a_wrong_answers_sentence_is_one_plain_line(line):
    with pytest.raises(ValueError, match="one line"):
        Wrong(1, line)


def slightly_off(scores):
    weights = demo.softmax_rows(scores)
    weights[..., 0] += 2e-6
    weights[..., 1] -= 2e-6
    return weights


@pytest.mark.parametrize(
    ("function", "part"),
    [
        (
            lambda s: s[0],
            "should have shape (2, 2); yours has shape (2,). Softmax keeps the shape.",
        ),
        (lambda s: 1.0, "should have shape (2, 2); yours has shape (). Softmax keeps the shape."),
        (lambda s: s * 1j, "should be real; yours is complex."),
        (lambda s: demo.softmax_rows(s) + 2e-6, "yours is off by 4e-6."),
        (slightly_off, "0.6652]]; yours differs in the digits after that. Are numbers rounded"),
        (
            lambda s: np.where(s.ndim < 3, demo.softmax_rows(s), s),
            "softmax_rows(<array of shape (2, 4, 6)>) should have",
        ),
    ],
)
def test_function_with_an_unknown_mistake(function, part):
    assert part in check("0.8", function).message


@pytest.mark.parametrize(
    ("slip", "said"),
    [
        (lambda w: -w, "its sign turned"),
        (lambda w: w.astype(int), "cut to whole numbers"),
        (lambda w: np.round(w, 2), "The result is rounded"),
        (lambda w: w / 2, "half of the right result"),
        (lambda w: np.swapaxes(w, -1, -2) if w.ndim == 2 else w, "rows and columns exchanged"),
    ],
)
def test_a_slip_that_any_function_can_have(slip, said):
    message = check("0.8", lambda s: slip(demo.softmax_rows(s))).message
    assert said in message


def test_a_slip_is_named_only_if_all_calls_agree():
    message = check("0.8", lambda s: demo.softmax_rows(s) * (-1 if s.size < 5 else 1)).message
    assert "sign turned" not in message


def test_a_call_that_is_one_too_many_is_explained():
    """Where others came back, the sentence of the call says what is special about it."""
    raised = check("0.8", lambda s: demo.softmax_rows(s) if s.max() < 900 else 1 / 0).message
    assert "ZeroDivisionError: division by zero. Subtract the row's maximum." in raised
    never = check("0.8", lambda s: 1 / 0).message
    assert never.endswith("division by zero.")


@pytest.mark.parametrize(
    "source",
    [
        "def f(q, k, v):\n    ...",
        "def f(q, k, v): pass",
        'def f(q, k, v):\n    """Still to be written."""\n    ...',
    ],
)
def test_an_untouched_stub_is_no_answer_yet(source):
    names = {}
    exec(source, names)
    verdict = check("1.9", names["f"])
    assert verdict.blank
    assert verdict.message.startswith("No answer yet")


@pytest.mark.parametrize(
    "body", ["return None if q is None else None", "return 5", "q.var()", "return"]
)
def test_a_body_that_does_something_else_is_an_answer(body):
    names = {}
    exec(f"def f(q, k, v):\n    {body}", names)
    assert check("1.9", names["f"]).blank == (body == "return")
