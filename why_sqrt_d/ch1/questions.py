"""Exercises of chapter 1, "Dot products grow"."""

from collections.abc import Iterator
from functools import cache

import numpy as np

from attn_helpers import softmax
from attn_helpers.checks import FloatArray
from attn_helpers.saturation import normal_rows
from why_sqrt_d.exercises import (
    Array,
    Choice,
    Exercise,
    Finding,
    Function,
    Instead,
    Mechanism,
    Number,
    PredictChoice,
    Texts,
    TriedNumber,
    Wrong,
    drawn,
)
from why_sqrt_d.exercises.messages import four, shape_text

ROWS = 4000

BET = Exercise(
    id="1.0",
    title="Before you look",
    difficulty=1,
    statement=(
        "Either change makes the scores larger in size, and nothing is divided. Which makes a "
        "typical query give nearly all its weight to a single key?"
    ),
    kind=PredictChoice(
        {
            "a": "both: a softmax sharpens large scores",
            "b": "only widening the vectors",
            "c": "only shifting the keys",
            "d": "neither: the components are as random as before",
        },
        right="b",
    ),
    wrong=(
        Wrong("a", "A softmax does not feel how large scores are, only how far apart they lie."),
        Wrong("c", "Shifted, all ten scores move together, and none gets ahead of another."),
        Wrong("d", "Each component is; but a wider score has more of them to add up."),
    ),
    forms=("B", "(b)"),
    hints=(
        "Write down a shifted score, $q\\cdot(k_i + 5\\cdot\\mathbf 1)$. What was added to it?",
        "Which of the two changes adds the same number to all ten scores of a row?",
    ),
    solution=(
        "Only widening does. Shifting adds $5\\sum_i q_i$ to each of the ten scores: the query "
        "decides how much, so it is the same for all its keys, and a softmax sees differences "
        "only. Widening adds 1020 more products to each score, others for each key, and so it "
        "drives the ten apart."
    ),
    learned=(
        "What counts is what differs from key to key: [what a softmax "
        "sees](01-dot-products-grow.ipynb#ch1-rows) has the proof."
    ),
)

QUADRUPLE = Exercise(
    id="1.1",
    title="Predict, then run: four times as wide",
    difficulty=1,
    statement=(
        "Choose a distribution of your own with mean zero, such as a die less $3.5$. Predict "
        "first: when $d$ goes from $64$ to $256$, by what factor does the standard deviation of "
        "$q\\cdot k$ grow? Then put your distribution into `draw` above and run it at both $d$."
    ),
    kind=Choice(
        {
            "a": "four times: there are four times as many products",
            "b": "twice",
            "c": "sixteen times",
            "d": "that depends on the distribution",
        },
        right="b",
    ),
    wrong=(
        Wrong("a", "Four is the factor of the variance; the standard deviation is its root."),
        Wrong(
            "c", "The number of products is four times as large, and so is the variance; not more."
        ),
        Wrong(
            "d",
            "The size of a score depends on it; the factor does not: each product adds as much.",
        ),
    ),
    forms=("B", "(b)"),
    hints=(
        "Each product adds the same variance, whatever the distribution. How many are there?",
        "The variance grows by $256/64 = 4$. And its square root?",
    ),
    solution=(
        "If one product has variance $v$, then $d$ independent products have variance $dv$ and "
        "standard deviation $\\sqrt{dv}$. From $d = 64$ to $d = 256$ that is a factor of "
        "$\\sqrt{256/64} = 2$, whatever $v$ is. Only a distribution without a finite variance "
        "escapes: try `rng.standard_cauchy`."
    ),
    right="The distribution decides the spread of one product, and d decides the growth.",
    learned=(
        "Only the root of d grows, whatever you drew. That is why one divisor serves every "
        "such distribution: [dividing by √d](01-dot-products-grow.ipynb#ch1-dividing)."
    ),
)

TEXTS = Texts(__file__)


def _standard_deviation(d: int) -> Exercise:
    root = np.sqrt(d)
    return TEXTS.exercise(
        "1.2",
        difficulty=1,
        kind=Number(root, rtol=2e-3),
        wrong={
            "variance": d,
            "scale": 1 / root,
            "one": 1,
            "other": 8,
            "halved": d / 2,
            "uniform": np.sqrt(7 * d / 144),
            "doubled": np.sqrt(2 * d),
        },
        forms=(f"sqrt({d})", f"{root:.2f}".replace(".", ","), f"{d}^0.5"),
        numbers={"d": d, "other": 64, "twice": 2 * d, "root": root},
    )


STANDARD_DEVIATION = drawn(
    _standard_deviation,
    {"d": 512},
    lambda random: {"d": random.choice((32, 40, 80, 96, 100, 128, 192, 200, 256, 300, 768))},
)


def _minus_to_plus(a: int, d: int) -> Exercise:
    one, both = ("1/3", "1/9") if a == 1 else ("4/3", "16/9") if a == 2 else ("3", "9")
    variance = d * a**4 / 9
    return TEXTS.exercise(
        "1.3",
        difficulty=2,
        kind=Number(variance, rtol=1e-3),
        wrong={
            "zero to one": d * 7 / 144,
            "one factor": d * a**2 / 3,
            "deviation": np.sqrt(variance),
            "one length": d / 12,
            "row": d / 36,
            "product": a**4 / 9,
            "short": d / 144,
            "unit": d,
        },
        forms=(f"{d}*{a**4}/9", variance),
        numbers={
            "a": a,
            "d": d,
            "length": 2 * a,
            "one": one,
            "both": both,
            "variance": variance,
        },
    )


MINUS_ONE_TO_ONE = drawn(
    _minus_to_plus,
    {"a": 1, "d": 90},
    lambda random: {
        "a": random.choice((1, 2, 3)),
        "d": random.choice((18, 36, 45, 54, 72, 90, 180)),
    },
)

CONSTANT = Exercise(
    id="1.4",
    title="Add a constant to one key",
    difficulty=2,
    statement=(
        "Ten keys and many queries of $d = 64$ standard normal components, scores divided by "
        "$\\sqrt d = 8$. You add $5$ to every component of *one* key and leave the other nine as "
        "they are. What happens to its weight?"
    ),
    kind=Choice(
        {
            "a": "nothing: a softmax does not see a constant",
            "b": "nearly every query gives it most of the weight",
            "c": "that depends on the query: some give it most of the weight, many hardly any",
            "d": "hardly anything: 5 is less than 8",
        },
        right="c",
    ),
    wrong=(
        Wrong("a", "A softmax does not see what all keys of a row share; this one has it alone."),
        Wrong("b", "Its score moves by 5 Σ qᵢ. What is the sign of that sum?"),
        Wrong("d", "Not the score but each of 64 products is changed; add those changes up."),
    ),
    forms=("C", "c)"),
    hints=(
        "Write its new score: $q\\cdot(k + 5\\cdot\\mathbf 1)$. What was added?",
        "What was added is $5\\sum_i q_i$. How far does that sum stray from zero, and to which side?",
    ),
    solution=(
        "$q\\cdot(k + 5\\cdot\\mathbf 1) = q\\cdot k + 5\\sum_i q_i$. The sum of 64 components has "
        "mean zero and standard deviation 8, so the logit moves by $5\\sum_i q_i/8$, which has "
        "standard deviation 5: far up for some queries, far down for as many. Only this key's "
        "logit moves, so nothing cancels. It is one more way to be sharp that dividing by "
        "$\\sqrt d$ does not mend."
    ),
    learned=(
        "A softmax compares the keys of one row, so only what they share costs nothing. "
        "Subtracting a row's maximum is such a move: [a safe "
        "softmax](03-softmax-saturation.ipynb#ch3-overflow)."
    ),
)


def _split(vq: int, vk: int, m: int) -> Exercise:
    within, between = vk * vq, m**2 * vq
    total = within + between
    return TEXTS.exercise(
        "1.5",
        difficulty=2,
        kind=Array([float(total), float(within), float(between)], rtol=1e-3),
        wrong={
            "swapped": [total, between, within],
            "no mean": [within, within, 0],
            "not squared": [within + m * vq, within, m * vq],
            "no sum": [total, within, m * vq],
            "both": [(vq + m**2) * (vk + m**2) - m**4, vk * (vq + m**2), between],
            "first": [within, within, between],
            "shares": [1, within / total, between / total],
            "parts": [total, within / total, between / total],
            "for all": [64 * total, 64 * within, 64 * between],
            "roots": [total**0.5, within**0.5, between**0.5],
            "all within": [total, total, 0],
        },
        forms=(f"{total} {within} {between}", (total, within, between)),
        numbers={
            "vq": vq,
            "vk": vk,
            "m": m,
            "square": m**2,
            "within": within,
            "between": between,
            "total": total,
            "share": 100 * between / total,
        },
    )


SPLIT = drawn(
    _split,
    {"vq": 1, "vk": 1, "m": 2},
    lambda random: {
        "vq": random.randint(1, 4),
        "vk": random.randint(1, 4),
        "m": random.choice((2, 3)),
    },
)


@cache
def try_width(width: float) -> Finding:
    """Count in how many rows of ten scores at that width one key has more than 0.99."""
    d = max(1, round(width))
    top = softmax(normal_rows(d, 10, ROWS, np.random.default_rng(16))).max(axis=-1)
    share = float((top > 0.99).mean())
    line = f"At d = {d} one key has more than 0.99 of the weight in {100 * share:.3g} % of {ROWS} rows."
    if 0.45 <= share <= 0.55:
        return Finding(True, line)
    return Finding(False, f"{line} Try a {'larger' if share < 0.45 else 'smaller'} d.")


WIDE = TEXTS.exercise(
    "1.6",
    difficulty=2,
    kind=TriedNumber(134, trial=try_width, span=(1, 4096), count=37),
    wrong={"four": 4, "keys": 10, "usual": 64, "wide": 1024, "root": 11},
    forms=("134", 128, "144.0"),
)


def louder(q: FloatArray, keys: FloatArray) -> FloatArray:
    """Return keys (n, d) whose scores with q (d,) all lie above 1000, with the same weights."""
    lowest = (keys @ q).min()
    moved: FloatArray = keys + (1001 - lowest) * q / (q @ q)
    return moved


def _scores_are_large(got: FloatArray, q: FloatArray, keys: FloatArray) -> str | None:
    """Check that every score is above 1000."""
    if not np.isfinite(got).all():
        return "gives keys that are not finite"
    lowest = float((got @ q).min())
    return None if lowest > 1000 else f"gives a key the score {four(lowest)}, not above 1000"


def _weights_stay(got: FloatArray, q: FloatArray, keys: FloatArray) -> str | None:
    """Check that every key has the weight that it had."""
    if got.shape != keys.shape:
        line = f"should give keys of shape {shape_text(keys.shape)}"
        return f"{line}; yours has shape {shape_text(got.shape)}"
    if not np.isfinite(got).all():
        return "gives keys that are not finite"
    before, after = softmax(keys @ q), softmax(got @ q)
    worst = int(np.abs(after - before).argmax())
    off = float(abs(after[worst] - before[worst]))
    if off <= (1e-7 if got.dtype.itemsize >= 8 else 1e-3):  # JAX computes in float32
        return None
    if (largest := float(np.abs(got @ q).max())) > 1e12:
        return f"gives scores near {four(largest)}, whose small differences are lost by rounding"
    if off < 1e-4:
        return f"gives key {worst} a weight that is off by {four(off)}: by rounding?"
    return f"gives key {worst} the weight {four(after[worst])}, which had {four(before[worst])}"


def _both(got: FloatArray, q: FloatArray, keys: FloatArray) -> str | None:
    return _weights_stay(got, q, keys) or _scores_are_large(got, q, keys)


def _louder_inputs(rng: np.random.Generator) -> Iterator[Mechanism]:
    """Draw queries of several lengths and directions."""
    for about, size, d, n in (
        ("negative numbers and fractions", 1, 3, 5),
        ("one dimension", 1, 1, 3),
        ("a query of length a thousandth", 1e-3, 4, 3),
        ("a long query", 30, 8, 4),
        ("as many keys as dimensions", 1, 4, 4),
        ("one key", 1, 6, 1),
    ):
        q, keys = size * rng.standard_normal(d), rng.standard_normal((n, d))
        yield Mechanism(about, (q.round(5), keys.round(3)), "", check=_both)
    q, keys = 0.001 * rng.standard_normal(3), 1e5 * rng.standard_normal((4, 3))
    yield Mechanism("large keys", (q, keys), "", check=_both)
    q, keys = np.array([0.1, -0.05, 0.02]), 3000 + 10 * rng.standard_normal((4, 3))
    yield Mechanism("keys far from zero", (q, keys), "", check=_both)  # float32 shows here
    q = np.array([0.5, 0, -0.5])
    keys = rng.standard_normal((3, 3)).round(3)
    yield Mechanism("a query whose components sum to zero", (q, keys), "", check=_both)
    yield Mechanism(
        "whole numbers", (np.array([-1, -2]), rng.integers(-3, 4, (4, 2))), "", check=_both
    )


_FLAT = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
_TURNED = (np.array([1.0, -2.0]), np.array([[0.0, 1.0], [2.0, 0.0]]))
_SHORT = (np.array([0.03, 0.04]), np.array([[1.0, 0.0], [-20.0, 0.0]]))


def _thousand_more(q: FloatArray, keys: FloatArray) -> FloatArray:
    return np.asarray(keys + 1000 * q / (q @ q))


LOUDER = Exercise(
    id="1.9",
    title="Enormous scores, the same weights",
    difficulty=3,
    statement=(
        "An experiment. Write `louder(q, keys)`: given a query `q` of shape $(d,)$, not zero, and "
        "keys of shape $(n, d)$, it returns other keys of that shape. Every score is now above "
        "$1000$, and yet the softmax gives each key the weight that it had before. The check "
        "looks at the scores and weights of your keys, however you made them; the scores that it "
        "starts from lie between $-500$ and $500$."
    ),
    kind=Function(
        name="louder",
        stub="def louder(q, keys):\n    ...",
        reference=louder,
        mechanisms=(
            Mechanism(
                "weights",
                args=(np.array([1.0, 2.0]), _FLAT),
                say="All scores of the row must move by the same amount.",
                check=_weights_stay,
            ),
            Mechanism(
                "scores",
                args=(np.array([1.0, 2.0]), _FLAT),
                say="What does one more q in a key add to its score?",
                check=_scores_are_large,
            ),
            Mechanism(
                "signs",
                args=_TURNED,
                say="Here Σ qᵢ is below zero: move the keys where this query looks.",
                check=_both,
            ),
            Mechanism(
                "short query",
                args=_SHORT,
                say="This query is short: q·q is 0.0025. What does your step add to its scores?",
                check=_both,
            ),
        ),
        probe=(np.array([1.0, 2.0]), _FLAT),
        inputs=_louder_inputs,
        instead=Instead(
            "Without Python: which change does it for every query, if all scores lie between "
            "−500 and 500?",
            Choice(
                {
                    "a": "multiply every key by 1000",
                    "b": "add 2000 to every component of every key",
                    "c": "add 2000 q to every key",
                    "d": "add 2000 q / (q·q) to every key",
                    "e": "add 2000 q / (q·q) to the first key",
                },
                right="d",
            ),
            (
                Wrong(
                    "a", "That multiplies the differences too, and negative scores stay negative."
                ),
                Wrong(
                    "b", "That adds 2000 Σ qᵢ: how much, and with which sign, the query decides."
                ),
                Wrong("c", "That adds 2000 q·q: next to nothing if the query is short."),
                Wrong(
                    "e", "Then the first key gets all the weight: the others must move as well."
                ),
            ),
        ),
    ),
    wrong=(
        Wrong(
            lambda q, keys: 1000 * keys,
            "Multiplying spreads the scores: their differences grow as well.",
            mechanism="weights",
        ),
        Wrong(
            lambda q, keys: keys @ q + 1001,
            "Those are scores; keys are asked for, and a key has d components.",
            mechanism="weights",
        ),
        Wrong(
            lambda q, keys: np.concatenate([keys[:1] + 2000 * q / (q @ q), keys[1:]]),
            "You moved one key alone; only what all keys of the row share costs nothing.",
            mechanism="weights",
        ),
        Wrong(
            lambda q, keys: keys,
            "Those are the old keys.",
            mechanism="scores",
        ),
        Wrong(
            lambda q, keys: keys + 1000,
            "A constant adds 1000 Σ qᵢ: how much, and with which sign, the query decides.",
        ),
        Wrong(
            lambda q, keys: keys + 1000 * q,
            "Adding 1000 q moves every score by 1000 q·q: little, if the query is short.",
        ),
        Wrong(
            lambda q, keys: keys + 1000 * q / np.sqrt(q @ q),
            "You divided by the length of q; one more q adds its square to a score.",
        ),
        Wrong(
            _thousand_more,
            "That adds 1000 to every score; those that were not above zero do not pass it.",
        ),
    ),
    forms=(
        lambda q, keys: keys + 5000 * q / (q @ q),
        lambda q, keys: keys + 1e4 * np.sign(q) / np.abs(q).sum(),
    ),
    hints=(
        "Which change of the row's scores does a softmax not see? And which vector, added to all "
        "keys, changes their scores like that?",
        "Adding a vector $v$ to every key adds $q\\cdot v$ to every score. Take $v$ along $q$, and "
        "so long that $q\\cdot v = 2000$.",
    ),
    solution=(
        "```python\ndef louder(q, keys):\n    return keys + 2000 * q / (q @ q)\n```\n\n"
        "With $v = 2000\\,q/(q\\cdot q)$ every score grows by $q\\cdot v = 2000$, and by "
        "Proposition 1.1 no weight changes. Any other $v$ with the same $q\\cdot v$ does as well. "
        "But it is made for one query: for another it may move the row the other way. Large scores "
        "alone say nothing about a softmax."
    ),
    passage="[what a softmax sees](01-dot-products-grow.ipynb#ch1-rows)",
    learned=(
        "No score is large or small for a softmax; it is only ahead or behind: "
        "[margins](03-softmax-saturation.ipynb#ch3-margins) measure by how much."
    ),
)


def _unit_length(d: int) -> Exercise:
    root = np.sqrt(d)
    return TEXTS.exercise(
        "1.7",
        difficulty=2,
        kind=Number(root, rtol=1e-2),
        wrong={
            "spread": 1 / root,
            "variance": d,
            "inverse variance": 1 / d,
            "one": 1,
            "root twice": np.sqrt(root),
        },
        forms=(f"sqrt({d})", f"{d}^0.5", f"{root:.2f}".replace(".", ",")),
        numbers={"d": d, "root": root, "spread": 1 / root},
    )


UNIT_LENGTH = drawn(
    _unit_length,
    {"d": 256},
    lambda random: {"d": random.choice((25, 36, 64, 100, 144, 200, 400, 500, 625, 900, 1024))},
)


def _query_mean(c: float) -> Exercise:
    square = c**2
    return TEXTS.exercise(
        "1.8",
        difficulty=3,
        kind=Number(np.sqrt(1 + square), rtol=5e-3),
        wrong={
            "keys": 1,
            "variance": 1 + square,
            "added": 1 + c,
            "alone": c,
            "not squared": np.sqrt(1 + c),
            "square": square,
        },
        forms=(f"sqrt({1 + square:g})", f"{1 + square:g}^0.5"),
        numbers={
            "c": f"{c:g}",
            "square": f"{square:g}",
            "sum": f"{1 + square:g}",
            "root": np.sqrt(1 + square),
        },
    )


QUERY_MEAN = drawn(
    _query_mean,
    {"c": 5},
    lambda random: {"c": random.choice((1.5, 2, 2.5, 3, 3.5, 4, 4.5, 6, 7, 8, 9))},
)

EXERCISES = (
    BET,
    QUADRUPLE,
    STANDARD_DEVIATION,
    MINUS_ONE_TO_ONE,
    CONSTANT,
    SPLIT,
    WIDE,
    UNIT_LENGTH,
    QUERY_MEAN,
    LOUDER,
)
