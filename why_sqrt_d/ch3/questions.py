"""Exercises of chapter 3, "Softmax saturation": numbers and functions; the words are Markdown."""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import reduce

import numpy as np

from attn_helpers import softmax
from attn_helpers.checks import FloatArray
from why_sqrt_d.exercises import Mechanism, Questions, Values, call, case
from why_sqrt_d.exercises.messages import four
from why_sqrt_d.rows import select, stored

QUESTIONS = Questions(__file__)


QUESTIONS.numbers("3.2", rivals=(10, 20, 30, 50, 80), m=range(2, 6))
QUESTIONS.numbers(
    "3.6", rivals=(100, 200, 500, 1000, 2000, 4000), times=(10, 20, 40, 50, 100), odds=(4, 9, 19)
)


def _largest() -> Values:
    """Return the stored typical largest weights of random rows, at d = 64."""

    def typical(n: int, scaled: bool) -> float:
        rows = select(stored("saturation"), d=64, n=n, scaled=scaled)
        return float(np.mean([row["largest_q"][1] for row in rows]))

    before, later = typical(1024, True), typical(16384, True)
    names = {"before": before, "gain": math.log(16 * later / before)}
    return names | {"undivided": typical(1024, False), "sixteen": typical(16, True)}


QUESTIONS.numbers("3.8", _largest)


def normalised(x: FloatArray, axis: int = -1) -> FloatArray:
    """Return the exponentials of `x` over their sum along `axis`; nothing is subtracted."""
    powers = np.exp(x)
    return np.asarray(powers / powers.sum(axis=axis, keepdims=True))


def stable_softmax(x: FloatArray, axis: int = -1) -> FloatArray:
    """Return the softmax along `axis`, with the maximum along that axis subtracted."""
    return normalised(x - x.max(axis=axis, keepdims=True), axis)


def _softmax_inputs(rng: np.random.Generator) -> Iterator[Mechanism]:
    """Draw logits of several shapes, whole and broken, masked and far apart."""
    for about, shape, axis in (
        ("negative logits and fractions", (3,), -1),
        ("five rows of four", (5, 4), -1),
        ("columns of five", (5, 3), 0),
        ("as many rows as columns", (4, 4), 0),
        ("three axes", (2, 3, 4), 1),
        ("four axes, counted from the end", (2, 3, 2, 4), -3),
        ("one key a row", (3, 1), -1),
    ):
        yield case(about, (2 * rng.standard_normal(shape)).round(3), axis=axis)
    yield case("no axis given", rng.standard_normal((2, 5)).round(3))
    yield case("three axes and no axis given", rng.standard_normal((2, 3, 4)).round(3))
    tiny = case("very small weights", np.array([[0.0, -30.0, -60.0], [-695.0, -np.inf, 5.0]]))
    yield replace(tiny, rtol=5e-13, atol=0.0)
    yield case("whole numbers", rng.integers(-4, 5, (3, 4)))
    far = np.array([[3e4], [0.0], [-3e4], [700.0]]) + rng.standard_normal((4, 5))
    yield case("rows that are far apart", far)
    yield case("columns that are far apart", far.T, axis=0)
    wide = 4 * rng.standard_normal((9, rng.integers(65, 80), 11))
    yield case("many rows and keys, with weights from 1e-9 to 1", wide, axis=1)
    masked = rng.standard_normal((5, 4)).round(3)
    masked[np.arange(5), [0, 1, 2, 3, 0]] = -np.inf
    masked[1, 2] = -np.inf
    yield case("a mask of its own for each row", masked)
    yield case("masked keys beside very low ones", masked - 1e5)


def _keeps_margins(got: FloatArray, x: FloatArray) -> str | None:
    """Check that two large logits with a margin are not cut to one height."""
    tied = got.shape == x.shape and np.isfinite(got).all() and got[0] == got[3] > 0
    return QUESTIONS.say("3.9", "tied") if tied else None


_LARGE = np.array([10_000.0, 0.0, 0.0, 9_999.0])
_FAR_APART = np.array([[0.0, np.log(3.0)], [-2000.0, -2000.0]])
_CUBE = np.array([[[0.0, 1.0], [2.0, 0.0], [1.0, 1.0]], [[3.0, 0.0], [0.0, 0.0], [1.0, 2.0]]])
_SQUARE = np.array([[0.0, np.log(3.0)], [5.0, 5.0]])

QUESTIONS.function(
    "3.9",
    stable_softmax,
    taken=softmax,
    mechanisms={
        "values": call([0.0, np.log(3.0)]),
        "rows": call(_SQUARE),
        "axis": call(_SQUARE, axis=0),
        "three axes": call(_CUBE, axis=1),
        "margins": call(_LARGE, check=_keeps_margins),
        "overflow": call(_LARGE, overflow=True),
        "underflow": call([-10_000.0, -10_000.0, -10_001.0], overflow=True),
        "rows far apart": call(_FAR_APART, overflow=True),
        "mask": call([1.0, -np.inf, 1.0]),
    },
    inputs=_softmax_inputs,
    wrong={
        "no sum": lambda x, axis=-1: np.exp(x - x.max(axis=axis, keepdims=True)),
        "divided": lambda x, axis=-1: normalised(x / abs(x).max(axis, keepdims=True), axis),
        "all rows": lambda x, axis=-1: (p := np.exp(x - x.max(axis, keepdims=True))) / p.sum(),
        "lined up": lambda x, axis=-1: (p := np.exp(x - x.max(axis))) / p.sum(axis),
        "axis 0": lambda x, axis=0: stable_softmax(x, axis),
        "no axis": lambda x, axis=-1: stable_softmax(x),
        "axis 1": lambda x, axis=-1: stable_softmax(x, 1),
        "two axes": lambda x, axis=-1: stable_softmax(x.T).T if axis == 0 else stable_softmax(x),
        "bare": normalised,
        "cut": lambda x, axis=-1: stable_softmax(np.clip(x, -700, 700), axis),
        "absolute": lambda x, axis=-1: normalised(x - abs(x).max(axis, keepdims=True), axis),
        "one maximum": lambda x, axis=-1: normalised(x - x.max(), axis),
        "moved": lambda x, axis=-1: np.moveaxis(
            stable_softmax(np.moveaxis(x, axis, -1)), axis, -1
        ),
        "added": lambda x, axis=-1: (
            (p := np.exp(x - x.max(axis, keepdims=True))) / (p.sum(axis, keepdims=True) + 1e-6)
        ),
        "mask as zero": lambda x, axis=-1: stable_softmax(np.where(np.isinf(x), 0.0, x), axis),
    },
    also=[
        lambda x, axis=-1: np.exp(
            (low := x - x.max(axis, keepdims=True)) - np.log(np.exp(low).sum(axis, keepdims=True))
        ),
    ],
)


def take_in(
    state: FloatArray,
    logits: FloatArray,
    values: FloatArray,
    *,
    units: Callable[[float, float], float] = lambda old, top: np.exp(old - top),
    top: Callable[[float, FloatArray], float] = lambda old, logits: max(old, logits.max()),
) -> FloatArray:
    """Return [m, s, *a] (2 + d,) with a piece's logits (k,) and values (k, d) taken in."""
    m = top(state[0], logits)
    if m == -np.inf:
        return np.array(state)
    powers = np.exp(logits - m)
    sums = units(state[0], m) * state[1:] + np.array([powers.sum(), *(powers @ values)])
    return np.array([m, *sums])


def _row_pieces(rng: np.random.Generator) -> Iterator[Mechanism]:
    """Draw states and pieces: small and large logits, masked keys, several widths."""
    for about, seen, k, d, size, shift in (
        ("the first piece", 0, 3, 2, 2.0, 0.0),
        ("one key", 4, 1, 2, 2.0, 0.0),
        ("values of one component", 5, 4, 1, 2.0, 0.0),
        ("a later piece that is lower", 6, 3, 3, 1.0, -20.0),
        ("a later piece that is higher", 6, 3, 3, 1.0, 20.0),
        ("logits of some ten thousands", 5, 6, 2, 3e4, 0.0),
        ("very negative logits", 0, 4, 2, 1.0, -3e4),
        ("a piece far above all before", 5, 3, 2, 1.0, 5e4),
        ("a piece far below all before", 5, 3, 2, 1.0, -5e4),
        ("many keys", 50, int(rng.integers(60, 90)), 7, 3.0, 0.0),
    ):
        before = size * rng.standard_normal(seen), 1e2 * rng.standard_normal((seen, d)).round(3)
        state = np.array([-np.inf, *np.zeros(1 + d)])
        state = take_in(state, *before) if seen else state
        logits = (size * rng.standard_normal(k) + shift).round(3)
        yield case(about, state, logits, rng.standard_normal((k, d)).round(3))
        masked = np.where(np.arange(k) == 0, -np.inf, logits)
        yield case(f"{about}, with a masked key", state, masked, rng.standard_normal((k, d)))


_START = [-np.inf, 0.0, 0.0]
_HALF = np.log(0.5)

QUESTIONS.function(
    "3.10",
    take_in,
    mechanisms={
        "first": call(_START, [0.0, _HALF], [[1.0], [4.0]]),
        "smaller": call([0.0, 2.0, 3.0], [_HALF], [[6.0]]),
        "larger": call([0.0, 2.0, 3.0], [-_HALF], [[5.0]]),
        "values": call([0.0, 2.0, 3.0, 1.0], [-_HALF, 0.0], [[5.0, 2.0], [4.0, 8.0]]),
        "large": call([10_000.0, 1.0, 2.0], [9_999.0, 10_001.0], [[1.0], [3.0]], overflow=True),
        "mask": call([0.0, 2.0, 3.0], [-np.inf, 0.0], [[7.0], [1.0]]),
        "masked piece": call([0.0, 2.0, 3.0], [-np.inf, -np.inf], [[7.0], [1.0]]),
        "masked start": call(_START, [-np.inf], [[7.0]]),
    },
    inputs=_row_pieces,
    wrong={
        "not shrunk": {"units": lambda old, top: 1.0},
        "sum only": {"units": lambda old, top: np.array([np.exp(old - top), 1.0])},
        "upside down": {"units": lambda old, top: np.exp(top - old)},
        "of the piece": {"top": lambda old, logits: logits.max()},
        "piece alone": {"units": lambda old, top: 0.0},
        "bare": lambda state, logits, values: np.array(
            [
                max(state[0], logits.max()),
                *(state[1:] + np.exp(logits) @ np.column_stack([np.ones(len(logits)), values])),
            ]
        ),
        "divided": lambda state, logits, values: np.array(
            [*(new := take_in(state, logits, values))[:2], *(new[2:] / new[1])]
        ),
        "plain sum": lambda state, logits, values: np.array(
            [
                *take_in(state, logits, values)[:2],
                *(np.exp(state[0] - max(state[0], logits.max())) * state[2:] + values.sum(axis=0)),
            ]
        ),
    },
    also=[
        lambda state, logits, values: reduce(  # key by key
            lambda so_far, i: take_in(so_far, logits[i : i + 1], values[i : i + 1]),
            range(len(logits)),
            state.copy(),
        )
    ],
)


def contrary(n: int) -> FloatArray:
    """Return two rows (2, n): of spread 1 and sharp, and of spread 8 and even."""
    winner = np.zeros(n)
    winner[0] = 1
    sharp = (winner - winner.mean()) / winner.std()
    return np.array([sharp, -8 * sharp])


def _contrary(got: FloatArray, n: int) -> str | None:
    """Check two rows of n logits: standard deviations 1 and 8, one sharp and the other even."""
    if got.shape != (2, n):
        return QUESTIONS.say("3.7", "shape", n=n, shape=got.shape)
    if not np.isfinite(got).all():
        return QUESTIONS.say("3.7", "infinite")
    if abs(got[0].std() - 8) <= 0.01 and abs(got[1].std() - 1) <= 0.01:
        return QUESTIONS.say("3.7", "swapped")
    if (got >= 0).all() and np.allclose(got.sum(axis=1), 1):
        return QUESTIONS.say("3.7", "weights")
    for row, spread in enumerate((1, 8)):
        if not abs(got[row].std() / spread - 1) <= 0.002:  # also nan; ddof=1 may be taken
            found = four(got[row].std())
            return QUESTIONS.say("3.7", "spread", row=row, found=found, spread=spread)
    first, second = softmax(got).max(axis=1)
    if first <= 0.99:
        return QUESTIONS.say("3.7", "blunt", top=four(first))
    return None if second < 0.01 else QUESTIONS.say("3.7", "sharp", top=four(second))


def _contrary_inputs(rng: np.random.Generator) -> Iterator[Mechanism]:
    """Ask for rows of several lengths."""
    for about, n in (
        ("400 keys", 400),
        ("an odd number of keys", 1001),
        ("997 keys", 997),
        ("4096 keys", 4096),
        ("many keys", int(rng.integers(5000, 6000))),
    ):
        yield case(about, n, check=_contrary)


def _normal(n: int) -> FloatArray:
    z = np.random.default_rng(0).standard_normal(n)
    return np.asarray((z - z.mean()) / z.std())


def _halves(n: int) -> FloatArray:
    return np.where(np.arange(n) < n // 2, 8.0, -8.0)


QUESTIONS.function(
    "3.7",
    contrary,
    mechanisms={
        "spreads": call(1000, check=_contrary),
    },
    inputs=_contrary_inputs,
    wrong={
        "normal": lambda n: np.array([_normal(n), 8 * _normal(n)]),
        "swapped": lambda n: contrary(n)[::-1],
        "sharper": lambda n: np.array([contrary(n)[0], 8 * contrary(n)[0]]),
        "spike": lambda n: np.array([20.0 * (np.arange(n) == 0), _halves(n)]),
        "equal steps": lambda n: np.array(
            [contrary(n)[0], 8 * np.linspace(-1, 1, n) * np.sqrt(3)]
        ),
        "weights": lambda n: softmax(contrary(n)),
        "halves": lambda n: np.array([_halves(n) / 8, _halves(n)]),
    },
    also=[
        lambda n: np.array([contrary(n)[0], 8 * np.where(np.arange(n) % 2, 1, -1)]),
        lambda n: np.array([contrary(n)[0] + 5, _halves(n) - 1000]),
    ],
)
