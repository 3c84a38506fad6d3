"""Exercises of chapter 5, "Temperature": the road from hot to cold and the learned scale."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from attn_helpers._checks import FloatArray
from why_sqrt_d.exercises import (
    Array,
    Choice,
    Exercise,
    Experiment,
    Finding,
    Function,
    Mechanism,
    Number,
    Order,
    Wrong,
    case,
    one_number,
)

UNCHANGED = Exercise(
    id="5.1",
    title="Which change leaves the weights alone?",
    difficulty=1,
    statement=(
        "A head computes $\\text{softmax}(\\beta\\,q\\cdot k)$ over the keys of a row. Which one of these "
        "changes leaves all weights of all rows exactly as they were?"
    ),
    kind=Choice(
        {
            "a": "multiply every query by 2 and leave β",
            "b": "add to each query's row of logits a number of its own",
            "c": "add to each key's column of logits a number of its own",
            "d": "replace β by β² (β is not 0 or 1)",
        },
        right="b",
    ),
    wrong=(
        Wrong("a", "Doubling q doubles every logit of the row: that is the same as doubling β."),
        Wrong(
            "c", "A key's own number differs along the row, so it shifts keys against each other."
        ),
        Wrong("d", "β² is another number than β, so the temperature has changed."),
    ),
    forms=("B", "(b)"),
    hints=(
        "Which changes are the same for all keys that one query compares?",
        "$\\text{softmax}(z + c) = \\text{softmax}(z)$ needs one $c$ for the whole row. Rows may differ.",
    ),
    solution=(
        "A number added to all logits of one row cancels in numerator and denominator, and every "
        "row may have its own. A number per *key* does not cancel: that is how additive position "
        "biases work. Both (a) and (d) change the temperature."
    ),
    learned=(
        "A softmax sees differences within a row and nothing else. That is what makes "
        "[subtracting the maximum](03-softmax-saturation.ipynb#ch3-overflow) free, and a bias "
        "per key a real change."
    ),
)

HOT = Exercise(
    id="5.2",
    title="Weights at a high temperature",
    difficulty=2,
    statement=(
        "Four keys have the scores $5, 1, -3, 1$, and $\\beta = 0.02$. Give the four weights to "
        "first order in $\\beta$, without a computer."
    ),
    kind=Array([0.27, 0.25, 0.23, 0.25], rtol=2.5e-3),
    wrong=(
        Wrong(
            [0.275, 0.255, 0.235, 0.255],
            "Take the mean score off first: the weights must sum to one.",
        ),
        Wrong(
            [0.33, 0.25, 0.17, 0.25], "β(z − mean) has to be divided by the number of keys, too."
        ),
        Wrong([0.25, 0.25, 0.25, 0.25], "That is β = 0; the first order in β is still missing."),
        Wrong([0.23, 0.25, 0.27, 0.25], "The sign is turned: a larger score gets more weight."),
        Wrong([1, 0, 0, 0], "That is the other end, the arg max; β = 0.02 is nearly uniform."),
        Wrong(
            [1.25, 0.25, -0.75, 0.25], "β itself is missing: multiply z − mean by 0.02 as well."
        ),
        Wrong(
            [0.02, 0, -0.02, 0], "That is what is added to the even weights: 1/n = 1/4 is missing."
        ),
        Wrong(
            [0.35, 0.27, 0.19, 0.27],
            "That is 1/4 + βz: take the mean score off, and divide by the number of keys.",
        ),
    ),
    forms=(
        "0.27 0.25 0.23 0.25",
        "[0.27, 0.25, 0.23, 0.25]",
        [0.270390, 0.249600, 0.230410, 0.249600],
    ),
    hints=(
        "At $\\beta = 0$ all weights are equal. Which keys gain a little when $\\beta$ grows, and "
        "which lose? What do all gains add up to?",
        "The formula is $1/n + \\beta(z_i - \\bar z)/n$ with $\\bar z = 1$: the differences are "
        "$4, 0, -4, 0$, to be multiplied by $0.02/4$.",
    ),
    solution=(
        "The mean is $1$ and $0.02\\cdot 4/4 = 0.02$, so the weights are $0.27, 0.25, 0.23, 0.25$. "
        "The exact ones are $0.2704, 0.2496, 0.2304, 0.2496$. High temperature turns softmax into "
        "an average plus a small linear term."
    ),
)

SWEEP = Exercise(
    id="5.3",
    title="Order five temperatures",
    difficulty=1,
    statement=(
        "This is the temperature exercise of the course section [[Source C, n.d.](bibliography.md#source-c)], with two more "
        "values. At $d = 64$, put the five settings in order, from the sharpest attention "
        "(smallest entropy) to the softest."
    ),
    kind=Order(
        steps=(
            ("none", "no scale: softmax(q·k)"),
            ("half", "τ = 0.5√d"),
            ("root", "τ = √d"),
            ("twice", "τ = 2√d"),
            ("linear", "β = 1/d"),
        ),
        needs=(
            ("half", "none", "no scale is τ = 1, and 0.5√d is 4"),
            ("root", "half", "half the temperature is the sharper one"),
            ("twice", "root", "twice the temperature is the softer one"),
            ("linear", "twice", "β = 1/d is τ = 64, and 2√d is 16"),
        ),
    ),
    wrong=(
        Wrong(
            ("linear", "twice", "root", "half", "none"),
            "That is from softest to sharpest: a large τ is a high temperature.",
        ),
        Wrong(
            ("twice", "root", "half", "none", "linear"),
            "Larger τ is softer, not sharper: the scores are divided by τ.",
        ),
        Wrong(
            ("linear", "none", "half", "root", "twice"),
            "β = 1/d is not the sharpest: it divides the scores by 64.",
        ),
        Wrong(
            ("half", "root", "twice", "linear", "none"),
            "Without a scale nothing is divided: τ = 1 is the lowest of these temperatures.",
        ),
    ),
    hints=(
        "Write each setting as a temperature, a number that divides the scores.",
        "The temperatures at $d = 64$ are $1$, $4$, $8$, $16$ and $64$ in some order.",
    ),
    solution=(
        "The temperatures are $1$ (no scale), $4$, $8$, $16$ and $64$ ($\\beta = 1/d$). Since "
        "$\\mathrm dH/\\mathrm d\\beta = -\\beta\\,\\text{Var}_p(z)$, the entropy rises with every step. "
        "The patterns differ in how much the second best keys count, not in their order."
    ),
    learned=(
        "Every scale in this book is a temperature; written so, settings from different "
        "papers stand on one axis, as in [the table of "
        "models](07-real-models.ipynb#ch7-table)."
    ),
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
    """Return the mean over rows of E_p[z] - z_target."""
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
    id="5.4",
    title="The gradient to the scale",
    difficulty=3,
    statement=(
        "Write `scale_slope(scores, targets, scale)`: the derivative with respect to $\\beta$ of "
        "the mean over rows of $-\\ln p_t$ with $p = \\text{softmax}(\\beta z)$. The scores $z$ have "
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
        "$-\\ln p_t = \\ln\\sum_j e^{\\beta z_j} - \\beta z_t$. Differentiate both terms.",
        "The slope of a row is $\\sum_j p_jz_j - z_t$. The target's score is "
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
    learned=(
        "The mean under the weights less the target's score: a learned β rises where the "
        "target is ahead. [A head that learns its scale](05-temperature.ipynb#ch5-learned) "
        "follows this gradient."
    ),
)

BEST = Exercise(
    id="5.5",
    title="The best scale for a needle",
    difficulty=2,
    statement=(
        "In a head with $d = 64$ and $n = 1000$ keys, one key at a random place is "
        "$0.5\\,q + \\varepsilon$, the others are $\\varepsilon'$; all noise is $N(0, I)$. Which "
        "scale $\\beta$ (the number that multiplies $q\\cdot k$) gives the smallest mean of "
        "$-\\ln p_{\\text{needle}}$?"
    ),
    kind=Number(0.5, rtol=1e-2),
    wrong=(
        Wrong("1/8", "That is 1/√d; it would be best for a needle of strength 1/8."),
        Wrong(4, "That is b = D = 0.5·√64 in units of 1/√d; the question asks for β itself."),
        Wrong("1/64", "That is 1/d; neither d nor n enters the best scale."),
        Wrong("0.5/8", "You divided the strength by √d; q·k is not divided by anything here."),
        Wrong("ln(1000)/8", "That is ln n /√d; the best scale does not depend on n."),
        Wrong(2, "That is 1 over the strength: stronger evidence deserves a larger β, not less."),
        Wrong(1, "That is no scale at all, which is best for a needle q + ε."),
        Wrong(0.25, "That is a²; the strength enters the best scale once."),
        Wrong("ln(1000)", "That is ln n; the best scale has no n in it."),
        Wrong(
            "ln(1000)/4",
            "ln n/D is about what keeps half of the weight on the needle, in units of 1/√d; it is "
            "not where the loss is smallest.",
        ),
    ),
    forms=("1/2", "0,5", "50 %"),
    hints=(
        "Which of $d$, $n$ and the strength stand in the theorem on the best scale?",
        "Compare the density of a key $k$ if it is the needle $a\\,q + \\varepsilon$ with its "
        "density if it is noise. What multiplies $q\\cdot k$ in the logarithm of their ratio?",
    ),
    solution=(
        "$\\beta = a/\\sigma^2 = 0.5$, four times $1/\\sqrt{64}$. With this $\\beta$ the softmax is "
        "the probability that a key is the needle. For the textbook's $\\tfrac18$ to be best, the "
        "needle would have to be as faint as $q/8$."
    ),
)


LENGTH = Exercise(
    id="5.6",
    title="From a thousand keys to a million",
    difficulty=2,
    statement=(
        "A needle stands far above the others ($D$ is large). At $n = 10^3$ keys a scale of "
        "$b_1/\\sqrt d$ is just enough to keep half of the weight on it. The row grows to $n = 10^6$. By "
        "which factor must the scale grow, about, to keep it?"
    ),
    kind=Choice(
        {
            "a": "not at all: the needle and its score have not changed",
            "b": "by 1.4, the square root of two",
            "c": "by 2",
            "d": "by 32, the square root of a thousand",
            "e": "by 1000",
        },
        right="c",
    ),
    wrong=(
        Wrong("a", "The needle has not changed, but a thousand times as many keys outvote it."),
        Wrong("b", "The square root of ln n is the rule that holds the entropy of random scores."),
        Wrong("d", "√n is far too fast: weights are exponential in the scale."),
        Wrong("e", "The number of keys enters through its logarithm, not directly."),
    ),
    forms=("C", "(c)"),
    hints=(
        "The smallest sufficient scale is about $\\ln n/D$, in units of $1/\\sqrt d$.",
        "$\\ln 10^6 = 2\\ln 10^3$.",
    ),
    solution=(
        "$b(n) \\approx \\ln n/D$, and $\\ln 10^6$ is twice $\\ln 10^3$. Squaring the number of "
        "keys doubles the scale. The exact $D - \\sqrt{D^2 - 2\\ln n}$ grows "
        "faster: a little while $2\\ln n$ is well below $D^2$, more towards $n = e^{D^2/2}$."
    ),
    learned=(
        "The scale has to follow the logarithm of the length, never the length itself. That "
        "is the [length rule](05-temperature.ipynb#ch5-length) that models with long contexts "
        "use."
    ),
)

CAPACITY = Exercise(
    id="5.7",
    title="The capacity of a normalised head",
    difficulty=2,
    statement=(
        "Queries and keys have mean square one, $\\beta = 1/\\sqrt d$ and $d = 100$. One key matches "
        "the query exactly, the others point in random directions. Up to how many other keys, "
        "about, does the match keep half of the weight?"
    ),
    kind=Number("exp(9.5)", rtol=3e-2),
    wrong=(
        Wrong("exp(10)", "The other keys' scores scatter: their mean of exp(z) is e^½, not 1."),
        Wrong("exp(9)", "The price of the scatter is b²/2 = ½, not 1."),
        Wrong("exp(99.5)", "The largest logit is √d = 10, not d: the scale divides by √d."),
        Wrong("exp(10.5)", "The scatter of the others costs capacity; subtract ½."),
        Wrong("exp(7.5)", "That is d = 64, where √d = 8."),
        Wrong(10, "That is the logit of the match; the number of keys is exponential in it."),
        Wrong("exp(100)", "That takes d for the logit of the match; 1/√d makes it √d = 10."),
        Wrong(9.5, "That is the logarithm of the number of keys; take its exponential."),
        Wrong(100, "That is d; the number of keys is exponential in √d."),
    ),
    forms=("e^9.5", "13360", "13 360", "n ≈ 13 400", 13000, 13359.7),
    hints=(
        "The logit of an exact match is $\\sqrt d = 10$. What is the mean of $e^z$ over the others?",
        "Set $n\\,e^{1/2} = e^{10}$.",
    ),
    solution=(
        "The match contributes $e^{10}$, the others together about $n\\,e^{1/2}$. They are equal at "
        "$n = e^{9.5} \\approx 13\\,360$. Without a gain the match cannot score higher; training "
        "could only turn the other keys away from the query."
    ),
)

CAP = Exercise(
    id="5.8",
    title="What a soft cap leaves of a margin",
    difficulty=1,
    statement=(
        "Two logits are $90$ and $100$. Both go through the soft cap $50\\tanh(z/50)$. How far "
        "apart are they afterwards? ($\\tanh 1.8 = 0.9468$ and $\\tanh 2 = 0.9640$.)"
    ),
    kind=Number(float(50 * (np.tanh(2.0) - np.tanh(1.8))), rtol=4e-3),
    wrong=(
        Wrong(10, "That is the margin before the cap."),
        Wrong("0.9640-0.9468", "Multiply by the cap, 50, as well."),
        Wrong(0, "Only hard clipping makes them equal; tanh keeps the order and a small margin."),
        Wrong(
            float(50 * np.tanh(0.2)), "Cap each logit first, then subtract: tanh is not linear."
        ),
        Wrong(
            float(10 * (1 - np.tanh(2.0) ** 2)),
            "That is 10 times the slope at 100 alone; the slope changes between 90 and 100.",
        ),
        Wrong(
            float(10 * (1 - np.tanh(1.8) ** 2)),
            "That is 10 times the slope at 90 alone; the cap flattens further on the way to 100.",
        ),
        Wrong(
            float(10 * (1 - np.tanh(1.9) ** 2)),
            "That is 10 times the slope at 95, which is close; subtract the two capped values.",
        ),
        Wrong(float(50 * np.tanh(2.0)), "That is the capped value of 100; subtract that of 90."),
        Wrong(
            float(50 * np.tanh(1.8)), "That is the capped value of 90; take it off that of 100."
        ),
    ),
    forms=(
        "50*(tanh(2) - tanh(1.8))",
        "50 tanh 2 - 50 tanh 1.8",
        "50*(0.9640-0.9468)",
        "0,861",
        0.86,
    ),
    hints=("Divide both logits by $50$ first.", "$50\\tanh 2 \\approx 48.20$. Now the other one."),
    solution=(
        "$50\\tanh 2 - 50\\tanh 1.8 \\approx 48.20 - 47.34 = 0.86$. A margin of $10$ would give the "
        "larger logit all but $1/22\\,000$ of the weight of the pair; after the cap it gets about "
        "$70$ %. Far above the cap, the cap is a high temperature."
    ),
)

ALIGNED_LOGIT = Exercise(
    id="5.9",
    title="An aligned pair under two scales",
    difficulty=2,
    statement=(
        "After training, each pair of components $(q_i, k_i)$ of a query and its key has "
        "correlation $\\rho = \\tfrac14$, with mean zero and variance one, and $d = 256$. Give two "
        "numbers: the mean logit of the pair at $\\beta = 1/\\sqrt d$, and at $\\beta = 1/d$."
    ),
    kind=Array([4.0, 0.25], rtol=1e-3),
    wrong=(
        Wrong([0.25, 4], "The two are swapped: 1/d is the smaller scale."),
        Wrong([64, 64], "That is the mean of the score q·k; multiply by each scale."),
        Wrong([0, 0], "That is for unrelated vectors; here each product has mean ρ."),
        Wrong([1, 0.0625], "That is the standard deviation of an unrelated pair's logit."),
        Wrong([16, 1], "That is ρ = 1, a perfect match."),
        Wrong([1, 0.25], "ρd/√d is ρ√d = 0.25·16."),
        Wrong(
            [4, 0.0625],
            "The first is right; 1/16 at β = 1/d is the scatter of an unrelated pair, not the mean.",
        ),
        Wrong([64, 0.25], "The second is right; at 1/√d the mean score 64 is divided by 16."),
        Wrong(
            [np.sqrt(4368) / 16, np.sqrt(4368) / 256],
            "That is the root mean square, which the scatter is part of; the mean is asked for.",
        ),
        Wrong([4, 1], "The first is right; at 1/d the mean score 64 becomes 64/256, which is ρ."),
    ),
    forms=("4 0.25", "[4, 1/4]", (4, 0.25)),
    hints=(
        "The mean score adds up $d$ products, each with mean $\\rho$.",
        "The mean score is $\\rho d$. Each scale multiplies it.",
    ),
    solution=(
        "The mean score is $\\rho d = 64$, so the mean logits are $64/16 = \\rho\\sqrt d = 4$ and "
        "$64/256 = \\rho = 0.25$. Make the head four times as wide: the first doubles, the second "
        "stays. An unrelated key's logit scatters by $1$ and by $1/16$: the ratio of signal to "
        "noise is the same at every scale, only the temperature differs."
    ),
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
    id="5.10",
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
    kind=Experiment(0.3, trial=try_scale, span=(0.01, 10.0), count=41),
    wrong=(
        Wrong("1/8", "That is 1/√d: four thousand keys together outvote the needle."),
        Wrong(
            1, "That is the best scale where a needle is sure to be there; noise looks like one."
        ),
        Wrong("1/64", "That is 1/d, where all weights are nearly even."),
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

EXERCISES = (UNCHANGED, HOT, SWEEP, SLOPE, BEST, LENGTH, CAPACITY, CAP, ALIGNED_LOGIT, SIFT)
