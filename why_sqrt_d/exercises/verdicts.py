"""Verdicts on answers that are compared: what book/assets/exercises/judging.js says on the page.

`tests/course/exercises/verdicts.txt` holds the two together. A verdict looks at a kind's `spec`,
the plain values that the page has, too; an array comes as a shape and a flat list.
"""

import math
from typing import Any

from .messages import SAY, four, say, shape_text
from .model import Reply

Spec = dict[str, Any]
EXACT = 1e-3  # how far a number may be from a known wrong one, relative to it, and be meant
NEAR = 0.05


def right() -> Reply:
    """Return that an answer is right."""
    return Reply(True, SAY["right"])


def wrong(message: str) -> Reply:
    """Return that it is wrong, and that this says why."""
    return Reply(False, message)


def hinted(message: str) -> Reply:
    """Return that it is wrong, and that nobody knows why: the first hint follows."""
    return Reply(False, message, hint=True)


def half_unit(target: float, digits: int) -> float:
    """Return half of one unit of a number's last significant digit."""
    if not digits or target == 0 or not math.isfinite(target):
        return 0.0
    exponent = int(f"{target:.17e}".partition("e")[2])
    return 0.5 * 10.0 ** (exponent - digits + 1) * (1 + 1e-9)


def close(x: float, target: float, spec: Spec) -> bool:
    """Tell whether `x` is right; rounding to the promised number of digits is allowed."""
    allowed = max(spec["atol"] + spec["rtol"] * abs(target), half_unit(target, spec["digits"]))
    return abs(x - target) <= allowed


def near(x: float, target: float, spec: Spec) -> bool:
    """Tell whether `x` is right or within five per cent."""
    return close(x, target, spec) or abs(x - target) <= NEAR * abs(target)


def as_typed(x: float, digits: int) -> bool:
    """Tell whether a number has at most so many significant digits."""
    return digits > 0 and float(f"{x:.{digits}g}") == x


def meant(x: float, target: float, spec: Spec, rtol: float = EXACT, digits: int = 0) -> bool:
    """Tell whether `x` is what a known mistake gives: near `target`, or `target` rounded.

    A round number that lies near by chance is not: 0.9959 is no way to write 1, nor 0.07 0.0693.
    """
    if abs(x - target) <= spec["atol"] + min(rtol, spec["rtol"]) * abs(target):
        return True
    digits = digits or spec["digits"]
    half = min(half_unit(x, digits), half_unit(target, digits))
    return as_typed(x, digits) and abs(x - target) <= half


def number(spec: Spec, x: float) -> Reply:
    """Judge one number."""
    value = spec["value"]
    if close(x, value, spec):
        return right()
    for rtol in (EXACT, *([] if as_typed(x, 2) else [spec["rtol"]])):  # of a draw, or of steps
        for known in spec["wrong"]:
            if meant(x, known["value"], spec, rtol):
                return wrong(known["say"])
    if close(-x, value, spec):
        return hinted(SAY["sign"])
    if near(x, value, spec):
        return hinted(SAY["near"])
    if abs(value) <= 1 and (close(x, 100 * value, spec) or close(100 * x, value, spec)):
        return hinted(SAY["percent"])
    if x <= 0 < value or value < 0 <= x:
        return hinted(SAY["positive" if value > 0 else "negative"])
    if abs(x) > abs(value):
        return hinted(SAY["larger" if abs(x) > 10 * abs(value) > 0 else "large"])
    return hinted(SAY["smaller" if 10 * abs(x) < abs(value) else "small"])


def guessed_number(spec: Spec, x: float) -> Reply:
    """Meet a guess: no guess is wrong; say how far off it is, and which reason it may have."""
    value, a = spec["value"], four(spec["value"])
    if close(x, value, spec):
        return Reply(True, say("guesshit", a=a), guess=True)
    if x * value <= 0:
        line = say("guessfar", a=a, b=four(x))
    elif 1 / spec["near"] <= x / value <= spec["near"]:
        line = say("guessclose", a=a, b=four(x))
    elif abs(x) > abs(value):
        line = say("guesslarge", a=a, b=four(x / value))
    else:
        line = say("guesssmall", a=a, b=four(value / x))
    for known in spec["wrong"]:  # a guess may be given with two digits
        if any(meant(x, known["value"], spec, EXACT, digits) for digits in (2, 3)):
            return Reply(True, f"{line} {known['say']}", guess=True)
    return Reply(True, line, guess=True)


def _same(got: list[float], value: list[float], spec: Spec) -> bool:
    return len(got) == len(value) and all(
        close(x, y, spec) for x, y in zip(got, value, strict=True)
    )


def _place(position: int, shape: list[int]) -> str:
    """Write a flat position as a place: `number 2`, in a matrix `the entry at index [0, 1]`."""
    if len(shape) == 1:
        return f"number {position + 1}"
    index: list[int] = []
    for size in reversed(shape):
        position, here = divmod(position, size)
        index.insert(0, here)
    return f"the entry at index {index}"


def _shape(shape: list[int], spec: Spec) -> str:
    """Say how many numbers are asked for, or which shape."""
    if len(spec["shape"]) != 1 or len(shape) > 1:
        return say("shape", a=shape_text(tuple(spec["shape"])), b=shape_text(tuple(shape)))
    return say("count", a=spec["shape"][0], b=shape[0] if shape else 1)


def _row_sum(got: list[float], shape: list[int]) -> str:
    """Return the sentence on the first row that does not sum to 1, or nothing."""
    for row in range(len(got) // shape[-1]):
        total = sum(got[row * shape[-1] : (row + 1) * shape[-1]])
        if abs(total - 1) > 0.02:
            return say("sum" if len(shape) == 1 else "rowsum", i=row, a=four(total))
    return ""


def array(spec: Spec, shape: list[int], got: list[float]) -> Reply:
    """Judge an array: the first thing that is wrong of shape, order, factor, sum, entry."""
    value, n = spec["values"], len(spec["values"])
    if len(spec["shape"]) == 1 and shape in ([1, n], [n, 1]):
        shape = [n]  # one row or one column, as SymPy and PyTorch have it
    if shape == spec["shape"] and _same(got, value, spec):
        return right()
    for rtol in (EXACT, spec["rtol"]):
        for known in spec["wrong"]:
            pairs = zip(got, known["values"], strict=False)
            if shape == known["shape"] and all(meant(x, y, spec, rtol) for x, y in pairs):
                return wrong(known["say"])
    if len(shape) == 2 and shape == spec["shape"][::-1]:
        turned = [value[i * shape[0] + j] for j in range(shape[0]) for i in range(shape[1])]
        if _same(got, turned, spec):
            return wrong(SAY["transposed"])
    if shape != spec["shape"]:
        return wrong(_shape(shape, spec))
    for i, x in enumerate(got):
        if not math.isfinite(x):
            return wrong(say("infinite" if math.isinf(x) else "notanumber", i=_place(i, shape)))
    if _same(sorted(got), sorted(value), spec):
        return hinted(SAY["shuffled"])
    off = [i for i in range(n) if not close(got[i], value[i], spec)]
    if all(near(x, y, spec) for x, y in zip(got, value, strict=True)):
        return hinted(say("nearentry", i=_place(off[0], shape)))
    factor = sum(x * y for x, y in zip(got, value, strict=True)) / (sum(y * y for y in value) or 1)
    if n > 1 and factor and _same([x / factor for x in got], value, spec):
        if abs(factor + 1) < 0.01:
            return wrong(SAY["negated"])
        if abs(factor - 100) < 1:
            return wrong(SAY["percents"])
        if len({abs(y) for y in value if y}) > 1:
            return hinted(SAY["factor"])
    if spec["sums"] and (line := _row_sum(got, shape)):
        return wrong(line)
    first = next((i for i in off if not near(got[i], value[i], spec)), off[0])
    key = "onlyentry" if len(off) == 1 and n > 1 else "entry"
    return hinted(say(key, i=_place(first, shape), a=four(got[first])))


def choice(spec: Spec, letter: str) -> Reply:
    """Judge a letter, or meet it where it is guessed."""
    guess = spec.get("guess", False)
    if letter == spec["right"]:
        return Reply(True, SAY["guessright"], guess=True) if guess else right()
    for known in spec["wrong"]:
        if known["letter"] == letter:
            line = say("guessmiss", a=spec["right"], b=spec["text"]) + " " if guess else ""
            return Reply(guess, line + known["say"], guess=guess)
    return wrong(say("letters", a=", ".join(spec["letters"])))


def order(spec: Spec, letters: str) -> Reply:
    """Judge letters, each of which is there once."""
    if letters == spec["right"]:
        return right()
    for known in spec["wrong"]:
        if letters == known["letters"]:
            return wrong(known["say"])
    for x, y, why in spec["needs"]:
        if letters.index(x) < letters.index(y):
            return wrong(say("needs", a=x, b=y, c=why))
    if spec["any_order"]:
        return right()
    at = next(i for i, x in enumerate(letters) if x != spec["right"][i])
    if at == 0:
        return hinted(say("notfirst", a=letters[0]))
    return hinted(say("notnext", a=letters[at - 1], b=letters[at]))
