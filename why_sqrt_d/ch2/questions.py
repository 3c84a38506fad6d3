"""Exercises of chapter 2, "The variance proof"."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from attn_helpers.checks import FloatArray
from why_sqrt_d.ch2 import design
from why_sqrt_d.exercises import (
    Array,
    Choice,
    Exercise,
    Function,
    Instead,
    Mechanism,
    Number,
    Order,
    PredictNumber,
    Seed,
    Texts,
    Wrong,
    case,
    drawn,
    shape_only,
)

#: Var(q·k) under the shared sign, where q·k is d or −d, at d = 64.
SHARED_SIGN = 64**2

BET = Exercise(
    id="2.0",
    title="Before you run it",
    difficulty=1,
    statement=(
        "Take the third draw, the *shared sign*. All 128 components have mean 0 and variance 1, and "
        "no two of them are correlated. Over many such pairs, what is the variance of $q\\cdot k$?"
    ),
    kind=PredictNumber(SHARED_SIGN, rtol=0.02),
    wrong=(
        Wrong(
            64, "So it would be if the 64 products were independent, but one coin signs them all."
        ),
        Wrong(1, "That is one product's variance; a score has 64 of them."),
        Wrong(8, "That is √64, the standard deviation when components are independent."),
        Wrong(128, "There are 128 components, but 64 products."),
        Wrong(0, "The score always has the same size, but not the same sign."),
        Wrong(192, "That is what the second draw gives, the shared size."),
        Wrong(
            128**2, "The 128 components are 64 of q and 64 of k: the score adds up 64 products."
        ),
    ),
    forms=("64^2", 4100),
    hints=(
        "What is a single product $q_ik_i$ when $k = q$? And when $k = -q$?",
        "All 64 products are the same number, so the score takes two values only.",
    ),
    solution=(
        "If $k = q$ every product is $q_i^2 = 1$ and the score is $64$; if $k = -q$ it is $-64$. "
        "Its mean is zero and its square always $64^2 = 4096$: that is the variance."
    ),
    learned=(
        "The products share a coin that no correlation between components shows: [the section on "
        "squares and products](02-variance-proof.ipynb#ch2-counterexamples) finds where the proof "
        "would need it."
    ),
)

PROOF = Exercise(
    id="2.1",
    title="Put the proof in order",
    difficulty=1,
    statement=(
        "Both vectors have mean zero and unit variances, they are independent of each other, and "
        "the components of $k$ are uncorrelated. Put the five steps of the proof of "
        "$\\text{Var}(q\\cdot k) = d$ in an order in which each uses only what stands before it."
    ),
    kind=Order(
        steps=(
            ("mean", "E[q·k] = 0, so Var(q·k) = E[(q·k)²]"),
            ("expand", "that mean square is the double sum over i and j of E[qᵢqⱼkᵢkⱼ]"),
            ("factor", "q and k are independent, so each of its terms is E[qᵢqⱼ] E[kᵢkⱼ]"),
            ("cross", "for i ≠ j the factor E[kᵢkⱼ] is zero: only the terms i = j are left"),
            (
                "count",
                "each of the d terms left is E[qᵢ²] E[kᵢ²] = 1, so the sum, the variance, is d",
            ),
        ),
        needs=(
            (
                "expand",
                "mean",
                "the mean square is expanded, and only the first step brings it in",
            ),
            ("factor", "expand", "the terms that are factored come from the double sum"),
            ("cross", "factor", "the factor E[kᵢkⱼ] exists only once the terms are factored"),
            ("count", "cross", "one counts the terms that are left, so the others must be gone"),
        ),
    ),
    wrong=(
        Wrong(
            ("mean", "expand", "cross", "factor", "count"),
            "The mixed terms cannot be dropped before independence has split them: E[kᵢkⱼ] = 0 "
            "alone says nothing about E[qᵢqⱼkᵢkⱼ].",
        ),
        Wrong(
            ("expand", "mean", "factor", "cross", "count"),
            "Say first why the variance is the mean square; then expand the square.",
        ),
        Wrong(
            ("mean", "expand", "factor", "count", "cross"),
            "Counting to d works only when the mixed terms are already gone.",
        ),
    ),
    hints=(
        "Start from what variance is when the mean is zero, and end with the number $d$.",
        "Independence must come before any single factor is set to zero.",
    ),
    solution=(
        "Mean, expand, factor, cross, count. The step that carries the proof is the third: only "
        "independence of the two vectors splits $\\mathbb{E}[q_iq_jk_ik_j]$ into a product, and only then "
        "can $\\mathbb{E}[k_ik_j] = 0$ remove the mixed terms."
    ),
    learned=(
        "Each assumption has one line of the proof in which it is used. Drop one, and you "
        "know where to look for [a "
        "counterexample](02-variance-proof.ipynb#ch2-counterexamples)."
    ),
)

TWO_COINS = Exercise(
    id="2.2",
    title="Two coins: predict, then run",
    difficulty=1,
    statement=(
        "In the shared sign, let *two* coins decide at $d = 64$: $k_i = t_1 q_i$ for the first 32 "
        "components and $k_i = t_2 q_i$ for the other 32, with independent fair signs $t_1$ and "
        "$t_2$. Predict $\\text{Var}(q\\cdot k)$ first. Then change `shared_sign` and run it."
    ),
    kind=Number(2048, rtol=0.04),
    wrong=(
        Wrong(4096, "That is one coin for all 64; here the two halves can cancel each other."),
        Wrong(64, "That takes a coin for each component; here 32 products share one."),
        Wrong(
            1024,
            "1024 is 32², the variance of one half of the score; those of the two halves add.",
        ),
        Wrong(128, "128 is 64 + 64; but within a half the 32 products are all equal."),
        Wrong("sqrt(2048)", "That is the standard deviation; the question asks for the variance."),
        Wrong(192, "3d belongs to the shared size; here all sizes are one, and signs are shared."),
        Wrong(96, "A half with one coin of its own has the variance 32², not 32 or 64."),
        Wrong(
            3072, "That is between one coin and two: draw t₁ and t₂ as (1, 1), (1, −1), and so on."
        ),
        Wrong(128**2, "The score adds up 64 products, not 128."),
    ),
    forms=("2*32^2", "64^2/2", 2048.0, 2071.3),
    hints=(
        "Within a half all 32 products $q_ik_i$ are the same number. Which?",
        "The score is $32\\,(t_1 + t_2)$, a sum of two independent terms.",
    ),
    solution=(
        "$q\\cdot k = 32\\,t_1 + 32\\,t_2$, so the variance is $2\\cdot 32^2 = 2048$, half of "
        "$d^2$. With $m$ coins it is $d^2/m$: from $d^2$ with one coin down to $d$ with a coin for "
        "each component, and there the products are independent. A change that runs: "
        "`t = np.repeat(rng.choice([-1, 1], (rows, 2)), d // 2, axis=1)`."
    ),
    right="Each coin more divides the variance: with m of them it is d²/m.",
    learned=(
        "A shared sign is invisible to every correlation. [The "
        "counterexamples](02-variance-proof.ipynb#ch2-counterexamples) are made of it."
    ),
)

TEXTS = Texts(__file__)


def _aligned(inverse: int, root: int) -> Exercise:
    rho, d = 1 / inverse, root**2
    mean, one = d * rho, 1 + rho**2
    return TEXTS.exercise(
        "2.3",
        difficulty=2,
        kind=Array([mean, d * one], rtol=1e-3),
        wrong={
            "independent": [0, d],
            "no factor": [mean, d],
            "square": [mean, d * (1 + 2 * rho**2)],
            "deviation": [mean, np.sqrt(d * one)],
            "minus": [mean, d * (1 - rho**2)],
            "alone": [mean, d * rho**2],
            "no mean": [0, d * one],
            "squared mean": [d * rho**2, d * one],
            "new part": [d * np.sqrt(1 - rho**2), d * one],
            "mean square": [mean, d * one + mean**2],
            "perfect": [d, 2 * d],
            "scaled": [mean / root, one],
            "one": [rho, one],
        },
        forms=(f"{mean:g} {d * one:.6g}", (mean, d * one)),
        numbers={
            "inverse": inverse,
            "d": d,
            "root": root,
            "mean": mean,
            "one": one,
            "variance": d * one,
            "logit": mean / root,
            "spread": np.sqrt(one),
        },
    )


ALIGNED = drawn(
    _aligned,
    {"inverse": 2, "root": 8},
    lambda random: {
        "inverse": random.choice((2, 4, 5)),
        "root": random.choice((8, 10, 12, 16, 20, 32)),
    },
)


def _initialisation(sigma: float, d: int) -> Exercise:
    width = 1 / sigma**2
    return TEXTS.exercise(
        "2.4",
        difficulty=2,
        kind=Number(width, rtol=1e-2),
        wrong={
            "linear": 1 / sigma,
            "small": 768,
            "scaled": width / np.sqrt(d),
            "twice": width * np.sqrt(d),
            "head": width / d,
            "squared": width**2,
            "widened": width * d,
            "one matrix": np.sqrt(width * np.sqrt(d)),
        },
        forms=(f"1/{sigma}^2", f"1/{sigma**2:.6g}", f"{width:.4g}"),
        numbers={
            "who": "GPT-2" if (sigma, d) == (0.02, 64) else "A model",
            "sigma": sigma,
            "d": d,
            "linear": 1 / sigma,
            "square": sigma**2,
            "width": width,
        },
    )


INITIALISATION = drawn(
    _initialisation,
    {"sigma": 0.02, "d": 64},
    lambda random: {
        "sigma": random.choice((0.01, 0.0125, 0.016, 0.025, 0.03, 0.04, 0.05)),
        "d": random.choice((64, 100, 144, 256)),
    },
)


def _magnitude(r: int, d: int) -> Exercise:
    square = r**2
    variance = d * square
    return TEXTS.exercise(
        "2.5",
        difficulty=2,
        kind=Number(variance, rtol=1e-3),
        wrong={
            "promised": d,
            "normal": 3 * d,
            "no chance": d * r**4,
            "one": square,
            "less": d * (square - 1),
            "squared": d**2,
            "fourth": r**4,
            "crossed": d**2 * square,
            "chance": d / square,
            "deviation": f"sqrt({variance})",
        },
        forms=(f"{d}*{r**4}/{square}", f"{square}*{d}", float(variance)),
        numbers={"r": r, "d": d, "square": square, "fourth": r**4, "variance": variance},
    )


MAGNITUDE = drawn(
    _magnitude,
    {"r": 3, "d": 10},
    lambda random: {"r": random.randint(3, 5), "d": random.choice((6, 8, 12, 20, 32, 50))},
)


def draw(rng: np.random.Generator, rows: int, d: int) -> tuple[FloatArray, FloatArray]:
    """Draw q and k, each (rows, d): one size for the whole row, a sign for each component."""
    size = 2.0 * (rng.random((rows, 1)) < 0.25)
    q = size * rng.choice([-1, 1], (rows, d))
    k = size * rng.choice([-1, 1], (rows, d))
    return q, k


def _independent(rng, rows, d):  # type: ignore[no-untyped-def]
    return rng.standard_normal((rows, d)), rng.standard_normal((rows, d))


def _fair_signs(rng, rows, d):  # type: ignore[no-untyped-def]
    return rng.choice([-1, 1], (rows, d)), rng.choice([-1, 1], (rows, d))


def _same(rng, rows, d):  # type: ignore[no-untyped-def]
    q = rng.standard_normal((rows, d))
    return q, q


def _same_signs(rng, rows, d):  # type: ignore[no-untyped-def]
    q = rng.choice([-1, 1], (rows, d))
    return q, q


def _another_order(rng, rows, d):  # type: ignore[no-untyped-def]
    q = rng.standard_normal((rows, d))
    return q, q[:, ::-1]


def _one_toss_for_all_rows(rng, rows, d):  # type: ignore[no-untyped-def]
    q = rng.choice([-1, 1], (rows, d))
    return q, q * rng.choice([-1, 1])


def _one_number_repeated(rng, rows, d):  # type: ignore[no-untyped-def]
    q = np.repeat(rng.standard_normal((rows, 1)), d, axis=1)
    return q, np.repeat(rng.standard_normal((rows, 1)), d, axis=1)


def _from_zero_to_one(rng, rows, d):  # type: ignore[no-untyped-def]
    return rng.random((rows, d)), rng.random((rows, d))


def _narrow(rng, rows, d):  # type: ignore[no-untyped-def]
    return rng.uniform(-1, 1, (rows, d)), rng.uniform(-1, 1, (rows, d))


def _larger(rng, rows, d):  # type: ignore[no-untyped-def]
    return 2 * rng.standard_normal((rows, d)), 2 * rng.standard_normal((rows, d))


def _scores_only(rng, rows, d):  # type: ignore[no-untyped-def]
    q, k = draw(rng, rows, d)
    return (q * k).sum(axis=1)


def _shared_size(rng, rows, d):  # type: ignore[no-untyped-def]
    q = rng.standard_normal((rows, d))
    return q, q * rng.choice([-1, 1], (rows, d))


def _shared_sign(rng, rows, d):  # type: ignore[no-untyped-def]
    q = rng.choice([-1, 1], (rows, d))
    return q, q * rng.choice([-1, 1], (rows, 1))


def _right_angles(rng, rows, d):  # type: ignore[no-untyped-def]
    q = rng.choice([-1, 1], (rows, d // 2, 2))
    k = rng.choice([-1, 1], (rows, 1, 1)) * q[:, :, ::-1] * [-1, 1]
    return q.reshape(rows, d), k.reshape(rows, d)


#: What is wrong with four draws: in a notebook, and where the page offers them.
SAID: dict[Callable[..., Any], str] = {
    _same_signs: "With k = q every score is d, but each component is correlated with its own copy.",
    _narrow: "A uniform number between −1 and 1 has variance 1/3: stretch it by √3.",
    _fair_signs: "Signs or normal, it does not matter: independent vectors give d.",
    _another_order: "In another order k still holds copies of q's components, only at other places.",
}
#: The wrong ones that the page offers, by letter; c is the right one.
OFFERED: dict[str, Callable[..., Any]] = {
    "a": _same_signs,
    "b": _narrow,
    "d": _fair_signs,
    "e": _another_order,
}

_MANY = (Seed(24), design.ROWS, design.D)

COUNTEREXAMPLE = Exercise(
    id="2.6",
    title="Design a counterexample",
    difficulty=3,
    statement=(
        "An experiment. Write `draw(rng, rows, d)`, which returns `q` and `k`, arrays of shape "
        "`(rows, d)`, a new pair in each row. Every component has mean 0 and variance 1, no two of the $2d$ "
        "components are correlated, and yet $\\text{Var}(q\\cdot k)$ is far from $d$: more than "
        "$1.5\\,d$ or less than $d/1.5$. (The two draws of the chapter pass; find another.) The check "
        "draws 20 000 rows at $d = 8$, and allows six standard errors for chance."
    ),
    kind=Function(
        name="draw",
        stub="def draw(rng, rows, d):\n    ...",
        reference=draw,
        mechanisms=(
            Mechanism(
                "shape",
                args=(Seed(3), 5, 4),
                say="Return q and k, each with a row for each pair.",
                check=shape_only((2, 5, 4)),
            ),
            Mechanism(
                "means",
                args=_MANY,
                say="A fair sign in front brings every mean to zero.",
                check=design.means_are_zero,
            ),
            Mechanism(
                "variances",
                args=_MANY,
                say="Divide the component by its standard deviation.",
                check=design.variances_are_one,
            ),
            Mechanism(
                "pairs",
                args=_MANY,
                say="No two of the 2d components may be correlated, one of q with one of k neither.",
                check=design.pairs_are_uncorrelated,
            ),
            Mechanism(
                "score",
                args=_MANY,
                say="Let q and k share something that no correlation sees, such as a size.",
                check=design.variance_is_far_from_d,
            ),
        ),
        probe=(Seed(3), 5, 4),
        instead=Instead(
            "Without Python: which of these draws, at d = 8, is one?",
            Choice(
                {
                    "a": "q has independent fair signs, and k = q",
                    "b": "16 independent components, each uniform between −1 and 1",
                    "c": "q has independent fair signs, and k = t·(−q₂, q₁, −q₄, q₃, …) with one "
                    "more fair sign t",
                    "d": "16 independent fair signs",
                    "e": "q is standard normal, and k is q in the opposite order",
                },
                right="c",
            ),
            tuple(Wrong(letter, SAID[function]) for letter, function in OFFERED.items()),
        ),
    ),
    wrong=(
        Wrong(_scores_only, "Return the two vectors q and k, not their product.", "shape"),
        Wrong(
            _from_zero_to_one,
            "rng.random lies between 0 and 1, so its mean is a half.",
            "means",
        ),
        Wrong(_narrow, SAID[_narrow], "variances"),
        Wrong(
            _larger,
            "Larger components do give a larger score, but the rules fix their variance at 1.",
            "variances",
        ),
        Wrong(
            _same,
            "k is q itself, so each component is correlated with its own copy: a sign of its own for "
            "each row would hide it.",
            "pairs",
        ),
        Wrong(_same_signs, SAID[_same_signs], "pairs"),
        Wrong(_another_order, SAID[_another_order], "pairs"),
        Wrong(
            _one_toss_for_all_rows,
            "One toss for all rows makes k equal to ±q throughout: toss for each row, (rows, 1).",
            "pairs",
        ),
        Wrong(
            _one_number_repeated,
            "Components that are all one number are correlated: let them share less than that.",
            "pairs",
        ),
        Wrong(
            _independent,
            "This q and k are independent, and for independent vectors the theorem gives d.",
            "score",
        ),
        Wrong(_fair_signs, SAID[_fair_signs], "score"),
    ),
    forms=(_shared_size, _shared_sign, _right_angles),
    hints=(
        "What no correlation sees is a common *size*, or a sign that is tossed once for many "
        "components.",
        "Start from independent fair signs for all $2d$ components and multiply a whole row, $q$ and "
        "$k$ alike, by one random size $r$ with $\\mathbb{E}[r^2] = 1$.",
    ),
    solution=(
        "One size for a whole row: $r = 2$ in a quarter of the rows and $0$ in the others, so that "
        "$\\mathbb{E}[r^2] = 1$.\n\n"
        "```python\ndef draw(rng, rows, d):\n"
        "    size = 2.0 * (rng.random((rows, 1)) < 0.25)\n"
        "    q = size * rng.choice([-1, 1], (rows, d))\n"
        "    k = size * rng.choice([-1, 1], (rows, d))\n"
        "    return q, k\n```\n\n"
        "The signs make all means and covariances zero, whatever the sizes are. Given $r$ the score "
        "has variance $r^4 d$, so over all rows it is $\\mathbb{E}[r^4]\\,d = 4d$: rows that are loud "
        "are loud on both sides. At the other end, with $k = t\\,(-q_2, q_1, -q_4, q_3, \\dots)$ the "
        "two vectors are always at right angles and the variance is zero."
    ),
    right="Uncorrelated is a statement about means of products; the score's variance asks for more.",
    passage="[squares and products](02-variance-proof.ipynb#ch2-counterexamples)",
    learned=(
        "So independence carries [the theorem](02-variance-proof.ipynb#thm-variance), not the "
        "correlations that one measures."
    ),
)


def score_variance(
    mean_q: FloatArray, cov_q: FloatArray, mean_k: FloatArray, cov_k: FloatArray
) -> float:
    """Var(q·k) for independent q and k, the theorem's equation."""
    return float(np.trace(cov_q @ cov_k) + mean_q @ cov_k @ mean_q + mean_k @ cov_q @ mean_k)


def _variance_inputs(rng: np.random.Generator) -> Iterator[Mechanism]:
    """Draw means and covariances in several dimensions."""

    def moments(d: int, size: float) -> tuple[FloatArray, FloatArray]:
        root = rng.standard_normal((d, d)).round(2)
        return (size * rng.standard_normal(d)).round(3), np.asarray(root @ root.T)

    for about, d, size in (
        ("negative means and fractions", 2, 1.0),
        ("one dimension", 1, 1.0),
        ("three dimensions", 3, 2.0),
        ("five dimensions and small means", 5, 0.1),
        ("large means", 4, 5e4),
    ):
        yield case(about, *moments(d, size), *moments(d, size))
    whole = np.array([[2, 1, 0], [1, 3, -1], [0, -1, 4]])
    yield case(
        "whole numbers", np.array([1, -2, 3]), whole, np.array([0, 4, -1]), whole[::-1, ::-1]
    )
    large = 3e4 * np.array([[2.0, 1.0], [1.0, 3.0]]) + 0.1
    yield case("large covariances", np.array([0.7, -0.1]), large, np.array([0.3, 0.9]), large / 7)
    for numbers in 10 ** rng.uniform(-3, 3, (3, 4)):
        mean_q, cov_q, mean_k, cov_k = numbers[:, None]
        yield case("numbers of many digits", mean_q, cov_q[:, None], mean_k, cov_k[:, None])


_ZERO, _ONE = np.zeros(2), np.eye(2)
_TILTED = np.array([[1.0, 0.5], [0.5, 1.0]])
_WIDE = np.diag([2.0, 3.0])

SCORE_VARIANCE = Exercise(
    id="2.7",
    title="The theorem as a function",
    difficulty=3,
    statement=(
        "Write `score_variance(query_mean, query_cov, key_mean, key_cov)` for independent $q$ and "
        "$k$: the means are arrays of shape `(d,)`, the covariances `(d, d)`, and the result is the "
        "number $\\text{Var}(q\\cdot k)$. With means it is\n\n$$ \\sum_{i,j}\\,(\\Sigma_q)_{ij}(\\Sigma_k)_{ij} + "
        "\\mu_q^{\\top}\\Sigma_k\\,\\mu_q + \\mu_k^{\\top}\\Sigma_q\\,\\mu_k $$\n\n"
        "([why](2b-by-counting.ipynb#ch2-means))."
    ),
    kind=Function(
        name="score_variance",
        stub="def score_variance(query_mean, query_cov, key_mean, key_cov):\n    ...",
        reference=score_variance,
        mechanisms=(
            Mechanism(
                "textbook",
                args=(_ZERO, _ONE, _ZERO, _ONE),
                say="With zero means and identity covariances the variance is d, here 2.",
            ),
            Mechanism(
                "size",
                args=(_ZERO, _WIDE, _ZERO, _ONE),
                say="With the variances 2 and 3 in q, and 1 in k, it is 2·1 + 3·1.",
            ),
            Mechanism(
                "correlation",
                args=(_ZERO, _TILTED, _ZERO, _TILTED),
                say="Entry times entry, added up: twice 1·1 and twice 0.5·0.5.",
            ),
            Mechanism(
                "means",
                args=(np.array([1.0, 2.0]), _ONE, _ZERO, _ONE),
                say="A mean of q multiplies the scatter of k: add μqᵀ Σk μq.",
            ),
            Mechanism(
                "crossing",
                args=(np.array([1.0, 0.0]), _ONE, np.array([0.0, 2.0]), _WIDE),
                say="The covariances give 2 + 3, the mean of q adds 2, and the mean of k adds 4.",
            ),
            Mechanism(
                "tilted means",
                args=(np.array([1.0, 2.0]), _ONE, _ZERO, _TILTED),
                say="The covariances give 2, and μqᵀ Σk μq is 1 + 4 + 2 · 2 · 0.5.",
            ),
            Mechanism(
                "both means",
                args=(np.array([1.0, 2.0]), _ONE, np.array([0.5, 0.0]), _ONE),
                say="The covariances give 2, the means add 5 and 0.25; their product is a constant.",
            ),
        ),
        probe=(np.array([1.0, 2.0]), _TILTED, np.array([0.5, 0.0]), _WIDE),
        inputs=_variance_inputs,
    ),
    wrong=(
        Wrong(
            lambda mean_q, cov_q, mean_k, cov_k: np.trace(cov_q) * np.trace(cov_k),
            "That multiplies two traces; the theorem multiplies entry by entry and then adds up.",
            mechanism="textbook",
        ),
        Wrong(
            lambda mean_q, cov_q, mean_k, cov_k: len(mean_q),
            "That is d whatever the covariances are.",
            mechanism="size",
        ),
        Wrong(
            lambda mean_q, cov_q, mean_k, cov_k: (
                np.diag(cov_q) @ np.diag(cov_k) + mean_q @ cov_k @ mean_q + mean_k @ cov_q @ mean_k
            ),
            "You used the diagonals only; the sum runs over the correlations as well.",
            mechanism="correlation",
        ),
        Wrong(
            lambda mean_q, cov_q, mean_k, cov_k: np.sqrt(
                score_variance(mean_q, cov_q, mean_k, cov_k)
            ),
            "That is the standard deviation; leave out the root.",
            mechanism="textbook",
        ),
        Wrong(
            lambda mean_q, cov_q, mean_k, cov_k: np.trace(cov_q @ cov_k),
            "You left out the two terms with the means.",
            mechanism="means",
        ),
        Wrong(
            lambda mean_q, cov_q, mean_k, cov_k: np.trace(cov_q @ cov_k) + mean_q @ cov_k @ mean_q,
            "The term with the mean of k is missing: it meets the covariance of q.",
            mechanism="crossing",
        ),
        Wrong(
            lambda mean_q, cov_q, mean_k, cov_k: (
                np.trace(cov_q @ cov_k) + mean_q**2 @ np.diag(cov_k) + mean_k**2 @ np.diag(cov_q)
            ),
            "In the terms with the means you used the diagonals of the covariances only.",
            mechanism="tilted means",
        ),
        Wrong(
            lambda mean_q, cov_q, mean_k, cov_k: (
                score_variance(mean_q, cov_q, mean_k, cov_k) + (mean_q @ mean_k) ** 2
            ),
            "That is the mean square: the squared mean of q·k is not part of its variance.",
            mechanism="both means",
        ),
        Wrong(
            lambda mean_q, cov_q, mean_k, cov_k: (
                np.trace(cov_q @ cov_k) + mean_q @ cov_q @ mean_q + mean_k @ cov_k @ mean_k
            ),
            "You paired each mean with its own covariance; it is the other vector that scatters.",
            mechanism="crossing",
        ),
    ),
    forms=(
        lambda mean_q, cov_q, mean_k, cov_k: (
            (cov_q * cov_k).sum() + mean_q @ (cov_k @ mean_q) + mean_k @ (cov_q @ mean_k)
        ),
    ),
    hints=(
        "Three terms: one with both covariances, and one for each mean.",
        "`(query_cov * key_cov).sum()` is the first. In the second `query_mean` stands on both "
        "sides of `key_cov`.",
    ),
    solution=(
        "```python\ndef score_variance(query_mean, query_cov, key_mean, key_cov):\n"
        "    return (\n"
        "        (query_cov * key_cov).sum()\n"
        "        + query_mean @ key_cov @ query_mean\n"
        "        + key_mean @ query_cov @ key_mean\n"
        "    )\n```\n\n"
        "Every figure of this chapter in which $q$ and $k$ are independent is a special case."
    ),
    passage="[what is enough](02-variance-proof.ipynb#ch2-theorem)",
    learned=(
        "With measured means and covariances it tells you the spread of any head: [real "
        "initialisations](02-variance-proof.ipynb#ch2-initialisation) go into it."
    ),
)


EXERCISES = (
    BET,
    PROOF,
    TWO_COINS,
    ALIGNED,
    INITIALISATION,
    MAGNITUDE,
    COUNTEREXAMPLE,
    SCORE_VARIANCE,
)
