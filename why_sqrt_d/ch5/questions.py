"""Exercises of chapter 5, "Temperature": from hot to cold, needles, and the learned scale."""

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from attn_helpers.checks import FloatArray
from attn_helpers.needle import sufficient_scale
from attn_helpers.weights import softmax
from why_sqrt_d.exercises import (
    Array,
    Choice,
    Exercise,
    Finding,
    Function,
    Mechanism,
    Number,
    PredictNumber,
    Texts,
    TriedNumber,
    Wrong,
    case,
    drawn,
    in_order,
    one_number,
)

TEXTS = Texts(__file__)


BET = Exercise(
    id="5.0",
    title="Before you look",
    difficulty=1,
    statement=(
        "The needle stands six standard deviations above the scores of $2^{20}$ other keys, about a "
        "million. Which scale, as a multiple of $1/\\sqrt d$, is just enough to give it half of the "
        "weight in a typical row? If you expect $1/\\sqrt d$ itself to do, answer 1."
    ),
    kind=PredictNumber(round(sufficient_scale(2**20, 6.0), 1), rtol=0.04),
    wrong=(
        Wrong(1, "Each of the others has a tiny weight at 1/√d, but they are a million."),
        Wrong(5, "The logarithm of their number has grown five-fold; 3 of these 5 would do."),
        Wrong(65536, "That is how the crowd has grown, but weights are exponential in the scale."),
        Wrong(
            256, "That is the root of the crowd's growth; weights are exponential in the scale."
        ),
        Wrong(
            math.log(2**20),
            "A margin of ln n ≈ 14 in logits is asked for, and the needle has 6 for each.",
        ),
    ),
    forms=(3, "3.2", "25/8"),
    hints=(
        "At $b$ times $1/\\sqrt d$ the needle's logit is $6b$. What would a million keys at zero ask "
        "of it?",
        "They ask for $\\ln 2^{20} \\approx 13.9$; as the others scatter, for a little more.",
    ),
    solution=(
        "About 3.1. A million keys at zero would ask for a logit of $\\ln 2^{20} \\approx 13.9$, which "
        "is $b = 2.3$. But the others scatter, and a scale that lifts the needle lifts the luckiest "
        "of them too: $6b$ has to be $13.9 + b^2/2$."
    ),
    learned=(
        "The crowd counts with its logarithm, and the match with its strength: [too small, too "
        "large](05-temperature.ipynb#ch5-needle)."
    ),
)

UNCHANGED = TEXTS.exercise(
    "5.5",
    difficulty=1,
    kind=lambda words: Choice(words["Options"], right="b"),
    forms=("B", "(b)"),
)


def _hot(scores: tuple[int, ...], beta: float) -> Exercise:
    z = np.array(scores, dtype=float)
    gaps = z - z.mean()
    first, exact = 0.25 + beta * gaps / 4, softmax(beta * z)
    return TEXTS.exercise(
        "5.1",
        difficulty=2,
        kind=Array(first.round(12), rtol=2.5e-3),
        wrong={
            "mean": 0.25 + beta * z / 4,
            "undivided": 0.25 + beta * gaps,
            "even": np.full(4, 0.25),
            "turned": 0.25 - beta * gaps / 4,
            "cold": (z == z.max()).astype(float),
            "no beta": 0.25 + gaps / 4,
            "added": beta * gaps / 4,
            "both": 0.25 + beta * z,
        },
        forms=(_listed(first, ".4g").replace(",", ""), f"[{_listed(first, '.4g')}]", exact),
        numbers={
            "scores": _listed(z, "g"),
            "beta": beta,
            "mean": f"{z.mean():g}",
            "differences": _listed(gaps, "g"),
            "weights": _listed(first, ".4g"),
            "exact": _listed(exact, ".4f"),
        },
    )


def _thousands(x: float, digits: int = 2) -> str:
    """Write a large number with few digits, in groups of three."""
    return f"{float(f'{x:.{digits}g}'):,.0f}".replace(",", r"\,")


def _listed(values: FloatArray, form: str) -> str:
    return ", ".join(format(float(x), form) for x in values)


HOT = drawn(
    _hot,
    {"scores": (5, 1, -3, 1), "beta": 0.02},
    lambda random: {
        "scores": tuple(
            random.choice((-2, -1, 1, 2, 3)) * np.ones(4, int)
            + random.sample(random.choice(((4, 0, -4, 0), (3, 1, -1, -3), (4, -1, -1, -2))), 4)
        ),
        "beta": random.choice((0.01, 0.02)),
    },
)

SWEEP = TEXTS.exercise(
    "5.6",
    difficulty=1,
    kind=in_order,
)


Targets = NDArray[np.int64]


def _normalised(logits: FloatArray) -> FloatArray:
    p = np.exp(logits)
    return np.asarray(p / p.sum(axis=-1, keepdims=True))


def _weights(logits: FloatArray) -> FloatArray:
    return _normalised(logits - logits.max(axis=-1, keepdims=True))


def _found(scores: FloatArray, targets: Targets) -> FloatArray:
    return scores[np.arange(len(scores)), targets]


def _slope(p: FloatArray, scores: FloatArray, targets: Targets) -> float:
    return float(np.mean((p * scores).sum(axis=-1) - _found(scores, targets)))


def scale_slope(scores: FloatArray, targets: Targets, scale: float) -> float:
    """Return the mean over rows of E_p[s] - s_target."""
    return _slope(_weights(scale * scores), scores, targets)


def _in_place(scores: FloatArray, targets: Targets, scale: float) -> float:
    slope = scale_slope(scores, targets, scale)
    scores *= scale
    return slope


def _difference(scores: FloatArray, targets: Targets, scale: float) -> float:
    """Return a finite difference, right to about eight digits."""

    def loss(beta: float) -> float:
        totals = np.logaddexp.reduce(beta * scores, axis=-1)
        return float(np.mean(totals - beta * _found(scores, targets)))

    return (loss(scale + 1e-5) - loss(scale - 1e-5)) / 2e-5


def _variance(scores: FloatArray, targets: Targets, scale: float) -> float:
    p = _weights(scale * scores)
    mean = (p * scores).sum(axis=-1)
    return float(np.mean((p * scores**2).sum(axis=-1) - mean**2))


def _slope_inputs(rng: np.random.Generator) -> Iterator[Mechanism]:
    """Draw rows of scores of order one with a target each, and some that are far apart."""
    for about, (rows, n), scale in (
        ("negative scores and fractions", (2, 3), 0.8),
        ("one row", (1, 5), 1.3),
        ("five rows of four keys", (5, 4), 0.5),
        ("as many rows as keys", (4, 4), 2.0),
        ("one key a row", (3, 1), 0.7),
        ("a negative scale", (3, 6), -0.6),
        ("forty keys a row", (7, 40), 0.9),
    ):
        scores = (1.5 * rng.standard_normal((rows, n)) - 0.5).round(2)
        yield case(about, scores, rng.integers(0, n, rows), scale)
    yield case("whole numbers", rng.integers(-4, 5, (3, 4)), rng.integers(0, 4, 3), 0.5)
    low = np.array([[2e4], [300.0], [-2e4], [0.0]]) + rng.standard_normal((4, 5)).round(2)
    far = case("rows that are far apart", low, rng.integers(0, 5, 4), 1.2)
    yield replace(far, rtol=1e-6)  # as many digits as a finite difference has


_PAIR = np.array([[0.0, 2.0], [3.0, 1.0]])

SLOPE = Exercise(
    id="5.7",
    title="The gradient to the scale",
    difficulty=3,
    statement=(
        "Write `scale_slope(scores, targets, scale)`: the derivative with respect to $\\beta$ of "
        "the mean over rows of $-\\ln p_t$ with $p = \\text{softmax}(\\beta s)$. The scores $s$ have "
        "shape `(rows, n)`, the targets $t$ shape `(rows,)`, and the result is one number. It must "
        "survive large scores and leave its arguments alone."
    ),
    kind=Function(
        name="scale_slope",
        stub="def scale_slope(scores, targets, scale):\n    ...",
        reference=scale_slope,
        mechanisms=(
            Mechanism(
                "one number",
                args=(_PAIR, np.array([1, 1]), 1.0),
                say="Return one number: the mean over the rows.",
                check=one_number,
            ),
            Mechanism(
                "uniform",
                args=(np.array([[0.0, 4.0, 5.0]]), np.array([2]), 0.0),
                say="At β = 0 the weights are equal: the slope is the mean score less the target's.",
            ),
            Mechanism(
                "weights",
                args=(np.array([[0.0, 2.0, 5.0]]), np.array([1]), 1.0),
                say="The mean of the scores has to be taken with the weights p.",
            ),
            Mechanism(
                "scale",
                args=(np.array([[0.0, 2.0, 1.0]]), np.array([2]), 0.5),
                say="Take p at β times the scores; the slope itself is in scores, not in logits.",
            ),
            Mechanism(
                "rows",
                args=(_PAIR, np.array([0, 1]), 0.7),
                say="Every row has its own softmax and its own target; take the mean over rows.",
            ),
            Mechanism(
                "stability",
                args=(np.array([[0.0, 2000.0]]), np.array([0]), 1.0),
                say="exp(2000) is infinite, and so is the logarithm of a weight of exp(−2000).",
                overflow=True,
            ),
            Mechanism(
                "rows far apart",
                args=(np.array([[0.0, 1.0], [2000.0, 2001.0]]), np.array([0, 0]), 1.0),
                say="Each row needs its own maximum: with a common one a low row becomes 0/0.",
                overflow=True,
            ),
        ),
        probe=(np.array([[0.0, 3.0, 1.0], [4.0, 1.0, 0.0]]), np.array([2, 0]), 0.5),
        inputs=_slope_inputs,
    ),
    wrong=(
        Wrong(
            lambda scores, targets, scale: (
                (_weights(scale * scores) * scores).sum(axis=-1) - _found(scores, targets)
            ),
            "You return one slope a row; take their mean.",
            mechanism="one number",
        ),
        Wrong(
            lambda scores, targets, scale: -scale_slope(scores, targets, scale),
            "The sign is turned: the loss falls while the target is above the mean.",
            mechanism="uniform",
        ),
        Wrong(
            lambda scores, targets, scale: scale * scale_slope(scores, targets, scale),
            "You have one β too many: that is the derivative with respect to ln β.",
            mechanism="uniform",
        ),
        Wrong(
            lambda scores, targets, scale: np.mean(scores.mean(axis=-1) - _found(scores, targets)),
            "You took the plain mean of the scores; it has to be the mean under the weights.",
            mechanism="weights",
        ),
        Wrong(
            lambda scores, targets, scale: scale_slope(scores, 0 * targets, scale),
            "You used the first key in every row; the target is given by its number.",
            mechanism="uniform",
        ),
        Wrong(
            lambda scores, targets, scale: scale_slope(scores, scores.argmax(axis=-1), scale),
            "You used the largest score in place of the target's.",
            mechanism="weights",
        ),
        Wrong(
            lambda scores, targets, scale: _slope(_weights(scores), scores, targets),
            "Your weights are taken at β = 1; multiply the scores by the scale first.",
            mechanism="uniform",
        ),
        Wrong(
            lambda scores, targets, scale: len(scores) * scale_slope(scores, targets, scale),
            "You added the rows' slopes; take their mean.",
            mechanism="rows",
        ),
        Wrong(
            lambda scores, targets, scale: _slope(_weights(scale * scores.T).T, scores, targets),
            "Your softmax runs down the columns; each row is one query.",
            mechanism="uniform",
        ),
        Wrong(
            lambda scores, targets, scale: _slope(_normalised(scale * scores), scores, targets),
            "The result is not finite: subtract the row's largest logit, and take no logarithm of "
            "a weight.",
            mechanism="stability",
        ),
        Wrong(
            lambda scores, targets, scale: _slope(
                _normalised(scale * scores - (scale * scores).max()), scores, targets
            ),
            "You subtracted the largest logit of all rows; the low row underflows to 0/0.",
            mechanism="rows far apart",
        ),
        Wrong(
            lambda scores, targets, scale: np.mean(
                (_weights(scale * scores) * scores).sum(axis=-1) - targets
            ),
            "You subtracted the target's number; take the score that stands there.",
            mechanism="uniform",
        ),
        Wrong(
            lambda scores, targets, scale: scale_slope(scores, targets - 1, scale),
            "You counted the keys from 1; a target is already an index from 0.",
            mechanism="uniform",
        ),
        Wrong(
            lambda scores, targets, scale: np.mean(
                (_weights(scale * scores) * scores).sum(axis=-1, keepdims=True)
                - scores[:, targets]
            ),
            "scores[:, targets] takes all targets in every row; pair them with np.arange(rows).",
            mechanism="rows",
        ),
        Wrong(
            lambda scores, targets, scale: np.mean(
                -np.log(_found(_weights(scale * scores), targets))
            ),
            "That is the loss; its derivative with respect to β is asked for.",
            mechanism="uniform",
        ),
        Wrong(
            lambda scores, targets, scale: _slope(
                _weights(scores / np.float64(scale)), scores, targets
            ),
            "You divided by the scale; β multiplies the scores.",
            mechanism="uniform",
        ),
        Wrong(
            _variance,
            "That is the variance of the scores, the second derivative; the first is asked for.",
            mechanism="uniform",
        ),
        Wrong(
            _in_place,
            "Your function changed its argument: the caller's scores are now scaled.",
            mechanism="mutation",
        ),
    ),
    forms=(
        _difference,
        lambda scores, targets, scale: float(
            np.mean(
                np.sum(
                    (_weights(scale * scores) - np.eye(scores.shape[1])[targets]) * scores, axis=1
                )
            )
        ),
    ),
    hints=(
        "$-\\ln p_t = \\ln\\sum_j e^{\\beta s_j} - \\beta s_t$. Differentiate both terms.",
        "The slope of a row is $\\sum_j p_js_j - s_t$. The target's score is "
        "`scores[np.arange(len(scores)), targets]`.",
    ),
    solution=(
        "```python\ndef scale_slope(scores, targets, scale):\n"
        "    logits = scale * scores\n"
        "    p = np.exp(logits - logits.max(axis=-1, keepdims=True))\n"
        "    p = p / p.sum(axis=-1, keepdims=True)\n"
        "    found = scores[np.arange(len(scores)), targets]\n"
        "    return np.mean((p * scores).sum(axis=-1) - found)\n```\n\n"
        "Mean under the weights less the target's score: when the model would rather look "
        "elsewhere, the gradient lowers $\\beta$, and when the target is ahead it raises it."
    ),
    passage="[the best scale, and learning it](05-temperature.ipynb#ch5-learned)",
    learned=(
        "The mean under the weights less the target's score: a learned β rises where the "
        "target is ahead. [A head that learns its scale](05-temperature.ipynb#ch5-learned) "
        "follows this gradient."
    ),
)


def _best(a: float, d: int, n: int) -> Exercise:
    root, log = np.sqrt(d), np.log(n)
    return TEXTS.exercise(
        "5.2",
        difficulty=2,
        kind=Number(a, rtol=1e-2),
        wrong={
            "textbook": f"1/{root:g}",
            "units": a * root,
            "linear": 1 / d,
            "divided": a / root,
            "length": log / root,
            "inverse": 1 / a,
            "one": 1,
            "square": a**2,
            "log": log,
            "half": log / (a * root),
            "score": a * d,
            "rest": 1 - a**2,
            "aligned": a / (1 - a**2),
        },
        forms=(f"{100 * a:g} %", f"{a:g}".replace(".", ",")),
        numbers={"a": f"{a:g}", "d": d, "n": n, "textbook": 1 / root},
    )


BEST = drawn(
    _best,
    {"a": 0.5, "d": 64, "n": 1000},
    lambda random: {
        "a": random.choice((0.2, 0.3, 0.4, 0.6, 0.7, 0.8)),
        "d": random.choice((16, 64, 256)),
        "n": random.choice((200, 500, 1000, 5000)),
    },
)

LENGTH = TEXTS.exercise(
    "5.3",
    difficulty=2,
    kind=lambda words: Choice(words["Options"], right="c"),
    forms=("C", "(c)"),
)


def _capacity(d: int) -> Exercise:
    root, other = int(np.sqrt(d)), 64 if d in (81, 100, 144) else 100
    capacity = np.exp(root - 0.5)
    return TEXTS.exercise(
        "5.8",
        difficulty=2,
        kind=Number(capacity, rtol=3e-2),
        wrong={
            "no scatter": np.exp(root),
            "one": np.exp(root - 1),
            "unscaled": np.exp(d - 0.5),
            "added": np.exp(root + 0.5),
            "other": np.exp(np.sqrt(other) - 0.5),
            "logit": root,
            "dimension": np.exp(d),
            "log": root - 0.5,
            "half": np.exp(root) / 2,
            "root of it": np.exp(root / 2),
            "spread": np.exp(root) / root,
            "energies": np.exp(d / 2),
            "d": d,
        },
        forms=(f"e^{root - 0.5}", f"n ≈ {capacity:.3g}"),
        numbers={
            "d": d,
            "root": root,
            "other": other,
            "other_root": f"{np.sqrt(other):g}",
            "exponent": root - 0.5,
            "capacity": _thousands(capacity, 4),
        },
    )


CAPACITY = drawn(_capacity, {"d": 100}, lambda random: {"d": random.randint(5, 16) ** 2})


def _cap(cap: int, low: int, high: int) -> Exercise:
    x, y, margin = low / cap, high / cap, high - low
    tanh, left = np.tanh, float(cap * (np.tanh(y) - np.tanh(x)))
    return TEXTS.exercise(
        "5.9",
        difficulty=1,
        kind=Number(left, rtol=4e-3),
        wrong={
            "margin": margin,
            "uncapped": left / cap,
            "clipped": 0,
            "first": cap * tanh(margin / cap),
            "slope high": margin * (1 - tanh(y) ** 2),
            "slope low": margin * (1 - tanh(x) ** 2),
            "slope middle": margin * (1 - tanh((x + y) / 2) ** 2),
            "capped high": cap * tanh(y),
            "capped low": cap * tanh(x),
            "before": margin / cap,
            "linear": margin / 2,
        },
        forms=(
            f"{cap}*(tanh({y:g}) - tanh({x:g}))",
            f"{cap} tanh {y:g} - {cap} tanh {x:g}",
            f"{cap}*({tanh(y):.5f}-{tanh(x):.5f})",
        ),
        numbers={
            "cap": cap,
            "low": low,
            "high": high,
            "margin": margin,
            "middle": (low + high) / 2,
            "x": f"{x:g}",
            "y": f"{y:g}",
            "tanh_x": tanh(x),
            "tanh_y": tanh(y),
            "capped": cap * tanh(y),
            "other": cap * tanh(x),
            "left": left,
            "odds": _thousands(1 + np.exp(margin)),
            "share": 100 / (1 + np.exp(-left)),
        },
    )


CAP = drawn(
    _cap,
    {"cap": 50, "low": 90, "high": 100},
    lambda random: {
        "cap": (cap := random.choice((20, 30, 40, 50))),
        "low": (low := cap * random.randint(12, 18) // 10),
        "high": low + cap * random.randint(2, 5) // 10,
    },
)


def _aligned(inverse: int, root: int) -> Exercise:
    rho, d = 1 / inverse, root**2
    score, logit = rho * d, rho * root
    rms = np.sqrt(d * (1 + rho**2) + score**2)
    return TEXTS.exercise(
        "5.10",
        difficulty=2,
        kind=Array([logit, rho], rtol=1e-3),
        wrong={
            "swapped": [rho, logit],
            "score": [score, score],
            "zero": [0, 0],
            "scatter": [1, 1 / root],
            "perfect": [root, 1],
            "first": [1, rho],
            "mixed": [logit, 1 / root],
            "second right": [score, rho],
            "rms": [rms / root, rms / d],
            "first right": [logit, 1],
            "both first": [logit, logit],
            "both second": [rho, rho],
            "both one": [1, 1],
        },
        forms=(f"{logit:.6g} {rho:.6g}", f"[{root}/{inverse}, 1/{inverse}]", (logit, rho)),
        numbers={"rho": f"1/{inverse}", "d": d, "root": root, "score": score, "logit": logit},
    )


ALIGNED_LOGIT = drawn(
    _aligned,
    {"inverse": 4, "root": 16},
    lambda random: {
        "inverse": random.choice((2, 4, 5, 8)),
        "root": random.choice((8, 10, 12, 16, 20, 32)),
    },
)

ROWS, KEYS, DIMENSION = 100, 4096, 64


@cache
def _needle_rows() -> tuple[FloatArray, FloatArray]:
    """Draw scores (rows, keys) of rows that have a needle, as their first key, and of rows without.

    Given a query, the score of a key that is noise is normal with the query's length as standard
    deviation, and the needle q + ε stands a squared length above it.
    """
    rng = np.random.default_rng(4096)
    length = np.linalg.norm(rng.standard_normal((ROWS, DIMENSION)), axis=-1, keepdims=True)
    found = length * rng.standard_normal((ROWS, KEYS))
    found[:, :1] += length**2
    noise = length * rng.standard_normal((ROWS, KEYS))
    return found.astype(np.float32), noise.astype(np.float32)


@cache
def try_scale(scale: float) -> Finding:
    """Count in how many rows the needle is found, and in how many without one no key wins."""
    found, noise = _needle_rows()
    beta = np.float32(scale)
    with np.errstate(over="ignore"):  # the needle's weight is one over this sum
        kept = int((np.exp(beta * (found - found[:, :1])).sum(axis=-1) < 2).sum())
    calm = int((np.exp(beta * (noise - noise.max(-1, keepdims=True))).sum(axis=-1) > 2).sum())
    held = min(kept, calm) >= 0.9 * ROWS
    line = (
        f"At β = {scale:.4g} the needle has more than half of the weight in {kept} of {ROWS} rows"
    )
    return Finding(held, f"{line}; of {ROWS} rows of noise, {calm} give no key that much.")


SIFT = Exercise(
    id="5.4",
    title="Find the needle, and only the needle",
    difficulty=3,
    statement=(
        "An experiment. A head with $d = 64$ looks at rows of $4\\,096$ keys. In some rows one key "
        "is a needle, $q + \\varepsilon$; all other keys, and all keys of the other rows, are noise. "
        "All components are $N(0, 1)$. Find a scale $\\beta$ (the number that multiplies $q\\cdot k$) "
        "with which the needle gets more than half of the weight in 9 of 10 rows that have one, "
        "*and* in 9 of 10 rows of noise alone no key gets more than half. Write a few lines that "
        "try it, or let the check try your number: it draws a hundred rows of either kind."
    ),
    kind=TriedNumber(0.3, trial=try_scale, span=(0.01, 10.0), count=41),
    wrong=(
        Wrong("1/8", "That is 1/√d: four thousand keys together outvote the needle."),
        Wrong(
            1, "That is the best scale where a needle is sure to be there; noise looks like one."
        ),
        Wrong("1/64", "That is 1/d, where all weights are nearly even."),
        Wrong(2.5, "If 2.5 is in units of 1/√d: β itself is 2.5/8."),
        Wrong(8, "8 is √d, by which a score would be divided; β multiplies it."),
    ),
    forms=(0.25, "0.35", "1/4"),
    hints=(
        "The needle's score is about $64$, the others scatter by $8$. How large are the largest of "
        "$4\\,096$ of them?",
        "Half of the weight asks for $e^{\\beta\\cdot 64} \\approx 4096\\,e^{(8\\beta)^2/2}$ or more; "
        "noise saturates when $8\\beta$ comes near $\\sqrt{2\\ln 4096} \\approx 4.1$.",
    ),
    solution=(
        "Between about $0.21$ and $0.42$, from $1.7$ to $3.4$ in units of $1/\\sqrt d$. The textbook's "
        "$1/8$ lies below: it loses the needle in most rows. The best scale for a needle that is "
        "certainly there, $\\beta = 1$, lies far above: it gives the luckiest noise key most of the "
        "weight, because it has been told that some key *is* the needle. A head that may also find "
        "nothing wants less."
    ),
    learned=(
        "There is a window, and it narrows with the number of keys: [the needle](#ch5-needle) sets its "
        "lower end, [freezing noise](03-softmax-saturation.ipynb#ch3-phases) its upper one."
    ),
)

EXERCISES = (BET, UNCHANGED, HOT, SWEEP, SLOPE, BEST, LENGTH, CAPACITY, CAP, ALIGNED_LOGIT, SIFT)
