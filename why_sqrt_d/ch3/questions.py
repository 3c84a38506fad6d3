"""Exercises of chapter 3, "Softmax saturation": margins, numbers of keys, effective keys."""

from collections.abc import Iterator

import numpy as np

from attn_helpers import softmax
from attn_helpers.checks import FloatArray
from why_sqrt_d.exercises import (
    Array,
    Choice,
    Exercise,
    Function,
    Instead,
    Mechanism,
    Number,
    Order,
    PredictChoice,
    Texts,
    Wrong,
    case,
    drawn,
)
from why_sqrt_d.exercises.messages import four, shape_text

BEFORE = Exercise(
    id="3.0",
    title="Before you look",
    difficulty=1,
    statement=(
        "One row has huge numbers, one has small ones, and one has the same small ones but many "
        "more of them. In which row does one key get nearly all the weight, more than 0.9?"
    ),
    kind=PredictChoice(
        {
            "a": "in the first, 1001 and 1000",
            "b": "in the second, 5 and 0",
            "c": "in the third, 5 and a thousand zeros",
            "d": "in the second and in the third, whose best keys lead by 5",
        },
        right="b",
    ),
    wrong=(
        Wrong("a", "The numbers are large, but they differ by one only, and e¹ is 2.7."),
        Wrong("c", "A thousand zeros are weak one by one, and strong together."),
        Wrong("d", "The lead is the same, but the third row has a thousand rivals."),
    ),
    forms=("B", "(b)"),
    hints=(
        "A softmax divides e to the power of one logit by the sum of all of them. What is e⁵, roughly?",
        "In the first row divide numerator and denominator by e¹⁰⁰⁰. In the third the zeros add a "
        "thousand times e⁰ = 1.",
    ),
    solution=(
        "e⁵ is about 148. Against one zero the best key has 148/149 of the weight, against a thousand "
        "zeros 148/1148. In the first row only the difference of one is left, and e/(e + 1) is 0.73."
    ),
    learned=(
        "What decides is how far the best key leads and how many rivals it has: "
        "[margins, not sizes](03-softmax-saturation.ipynb#ch3-margins)."
    ),
)

SORT = Exercise(
    id="3.1",
    title="Sort five rows",
    difficulty=1,
    statement=(
        "Here are five rows of logits. Put them in order of their largest weight, from the smallest "
        "largest weight to the largest."
    ),
    kind=Order(
        steps=(
            ("crowd", "one 5 and a thousand 0s"),
            ("equal", "1000, 1000"),
            ("sized", "101, 100"),
            ("three", "14, 11, 11"),
            ("negative", "−3, −7"),
        ),
        needs=(
            (
                "equal",
                "crowd",
                "e⁵ is 148, so the first key has 148 parts of 1148, less than a half",
            ),
            ("sized", "equal", "two equal logits share evenly, and a margin of 1 does not"),
            ("three", "sized", "the rivals add 2e⁻³ to the 1 of the largest, which is below e⁻¹"),
            ("negative", "three", "one rival at margin 4 adds e⁻⁴, which is below 2e⁻³"),
        ),
    ),
    wrong=(
        Wrong(
            ("negative", "crowd", "three", "sized", "equal"),
            "That is the order of the largest logits; their size changes no weight.",
        ),
        Wrong(
            ("equal", "sized", "three", "negative", "crowd"),
            "That is the order of the margins; a thousand rivals count a thousand times.",
        ),
        Wrong(
            ("negative", "three", "sized", "equal", "crowd"),
            "That is the reverse: start with the smallest.",
        ),
        Wrong(
            ("crowd", "equal", "sized", "negative", "three"),
            "Two rivals at margin 3 take more than one rival at margin 4: 2e⁻³ against e⁻⁴.",
        ),
    ),
    hints=(
        "Subtract each row's largest logit from the row first. Nothing changes, and all five rows "
        "become comparable.",
        "The largest weight is 1/(1 + S), where S sums e to minus the margin over the rivals. Compute "
        "S for each row.",
    ),
    solution=(
        "The rivals' sums are 1000e⁻⁵ ≈ 6.7, then 1, e⁻¹ ≈ 0.37, 2e⁻³ ≈ 0.10 and e⁻⁴ ≈ 0.02. The "
        "largest weights are 1/(1 + sum): 0.13, 0.50, 0.73, 0.91, 0.98. The row with the largest "
        "numbers is among the flat ones, and the only negative row is the most saturated."
    ),
    learned=(
        "Margins decide, not sizes: a softmax sees how far the rivals lie below, and how many "
        "they are, as in [the sum of rivals](03-softmax-saturation.ipynb#ch3-margins)."
    ),
)

TEXTS = Texts(__file__)


def _bounds(rivals: int, m: int) -> Exercise:
    keys, term = rivals + 1, np.exp(-m)
    low, high = 1 / (1 + rivals * term), 1 / (1 + term)
    return TEXTS.exercise(
        "3.2",
        difficulty=2,
        kind=Array([low, high], rtol=2e-3),
        wrong={
            "swapped": [high, low],
            "itself": [1 / (1 + keys * term), high],
            "fewer": [1 / (1 + (rivals - 1) * term), high],
            "zero": [0, high],
            "any": [0, 1],
            "shares": [1 - low, 1 - high],
            "sorted shares": [1 - high, 1 - low],
            "even": [1 / keys, 1],
            "one rival": [high, 1],
            "no rival": [low, 1],
            "both low": [low, low],
            "both high": [high, high],
            "even start": [1 / keys, high],
            "rest": [1 - low, high],
            "half": [0.5, 1],
            "unnormalised": [np.exp(m) / rivals, np.exp(m)],
            "turned": [1 / (1 + rivals / term), 1 / (1 + 1 / term)],
        },
        forms=(
            f"1/(1+{rivals}e^-{m}), 1/(1+e^-{m})",
            f"{low:.3f} {high:.3f}",
            f"{low:.3f}; {high:.3f}".replace(".", ","),
        ),
        numbers={
            "keys": keys,
            "rivals": rivals,
            "fewer": rivals - 1,
            "m": m,
            "low": low,
            "high": high,
        },
    )


BOUNDS = drawn(
    _bounds,
    {"rivals": 100, "m": 5},
    lambda random: {"rivals": random.choice((10, 20, 30, 50, 80)), "m": random.randint(2, 5)},
)


def sharpest(q: FloatArray, n: int) -> FloatArray:
    """Return `n` keys (n, d) with components from −2 to 2 that favour key 0 as far as they can."""
    keys = np.tile(-2.0 * np.sign(q), (n, 1))
    keys[0] = 2 * np.sign(q)
    return keys


def _others(q: FloatArray, n: int, rest: FloatArray | float, first: float = 2.0) -> FloatArray:
    """Return keys whose first lies along sign(q), the others `rest`."""
    keys = np.tile(rest * np.ones(len(q)), (n, 1))
    keys[0] = first * np.sign(q)
    return keys


def _sharpest_inputs(rng: np.random.Generator) -> Iterator[Mechanism]:
    """Draw queries of several widths, none of whose components is zero."""
    for about, d, n in (
        ("three dimensions and five keys", 3, 5),
        ("one dimension", 1, 2),
        ("seven dimensions", 7, 3),
        ("as many keys as dimensions", 4, 4),
        ("one key", 5, 1),
    ):
        q = rng.uniform(0.05, 3, d) * np.where(np.arange(d) % 2, 1, -1)
        yield case(about, q.round(3), n)
    yield case("whole numbers", np.array([2, -1, 3, -5]), 3)
    yield case("negative components only", -rng.uniform(10, 900, 4).round(1), 3)
    yield case("tiny components", rng.uniform(-1e-9, 1e-9, 3), 2)


_ONES = np.array([1.0, 1.0, 1.0, 1.0])
_MIXED = np.array([0.5, -1.0, 2.0, -0.25])

SHARPEST = Exercise(
    id="3.3",
    title="Saturate four dimensions",
    difficulty=2,
    statement=(
        "“With d = 4 there is nothing to divide.” Show that there is. Write `sharpest(q, n)`: "
        "given a query `q` with no component equal to zero, it returns `n` keys, shape `(n, d)`, "
        "whose components all lie between −2 and 2, such that `softmax(keys @ q)` gives key 0 "
        "the largest weight that such keys can give it."
    ),
    kind=Function(
        name="sharpest",
        stub="def sharpest(q, n):\n    ...",
        reference=sharpest,
        mechanisms=(
            Mechanism(
                "all ones",
                args=(_ONES, 3),
                say="Make the score of key 0 as high as it can be and every other as low.",
            ),
            Mechanism(
                "signs",
                args=(np.array([1.0, -1.0, 1.0, -1.0]), 2),
                say="Where q is negative, a negative component of key 0 adds to its score.",
            ),
            Mechanism(
                "sizes",
                args=(_MIXED, 3),
                say="Each component of a key may be −2 or 2, however small that of q is.",
            ),
            Mechanism(
                "other shapes",
                args=(np.array([3.0, -0.1]), 4),
                say="n keys of d components, whatever n and d are: shape (n, d).",
            ),
        ),
        probe=(np.array([0.5, -1.0, 1.5, 0.25]), 2),
        inputs=_sharpest_inputs,
    ),
    wrong=(
        Wrong(
            lambda q, n: _others(q, n, 0.0),
            "Rivals of score 0 leave half of the margin unused: they can go below zero.",
            mechanism="all ones",
        ),
        Wrong(
            lambda q, n: _others(q, n, -np.sign(q), 1.0),
            "Components may go up to 2, and the margin doubles with them.",
            mechanism="all ones",
        ),
        Wrong(
            lambda q, n: _others(q, n, 2 * np.sign(q)),
            "All keys are alike, so that they share evenly: push the others the other way.",
            mechanism="all ones",
        ),
        Wrong(
            lambda q, n: -sharpest(q, n),
            "The signs are turned round: key 0 has the lowest score of all.",
            mechanism="all ones",
        ),
        Wrong(
            lambda q, n: _others(np.ones_like(q), n, -2.0),
            "You did not look at the signs of q: a positive component times −1 lowers the score.",
            mechanism="signs",
        ),
        Wrong(
            lambda q, n: _others(np.abs(q), n, -2 * np.sign(q)),
            "Key 0 must have the signs of q too, not only the others.",
            mechanism="signs",
        ),
        Wrong(
            lambda q, n: sharpest(q, n) * np.abs(q) / np.abs(q).max(),
            "Keys in proportion to q are the best of a given length; here every component is free.",
            mechanism="sizes",
        ),
        Wrong(
            lambda q, n: sharpest(q, n) * np.abs(q),
            "2q leaves the allowed range, or does not use it: each component is −2 or 2.",
            mechanism="sizes",
        ),
        Wrong(
            lambda q, n: sharpest(q, 3),
            "Your function makes three keys, however many are asked for.",
            mechanism="signs",
        ),
    ),
    forms=(
        lambda q, n: np.where(np.arange(n)[:, None] == 0, 2, -2) * np.sign(q),
        lambda q, n: np.outer([2.0] + [-2.0] * (n - 1), np.where(q > 0, 1, -1)),
    ),
    hints=(
        "The weight of key 0 depends on its margins only. Which keys make all of them as large "
        "as possible?",
        "A score is a sum of products, one for each component. Each is largest for a component "
        "`2 * sign(q_i)` of the key, and smallest for `-2 * sign(q_i)`.",
    ),
    right="With q = (1, 1, 1, 1) the margin is 16, and 1000 keys leave key 0 all but 0.01 %.",
    solution=(
        "```python\ndef sharpest(q, n):\n"
        "    keys = np.tile(-2.0 * np.sign(q), (n, 1))\n"
        "    keys[0] = 2 * np.sign(q)\n"
        "    return keys\n```\n\n"
        "The margin over every rival is 4 Σ|qᵢ|. For q = (1, 1, 1, 1) it is 16, far above "
        "ln 999 ≈ 6.9: among 1000 keys key 0 has 0.9999 of the weight, in four "
        "dimensions and without a large number anywhere. Dividing by √4 leaves a margin of "
        "8 and a weight of 0.75. It is the *random* keys of the textbook that make d = 4 "
        "harmless, not the 4."
    ),
    learned=(
        "A small d does not protect: the 1/√d of the textbook is about random keys, and "
        "[training aligns them](05-temperature.ipynb#ch5-aligned)."
    ),
)


def _factor(rivals: int, times: int, odds: int) -> Exercise:
    p, many = odds / (odds + 1), rivals * times
    margin, needed = np.log(odds * rivals), np.log(odds * many)
    half = np.log(many) / np.log(rivals)
    return TEXTS.exercise(
        "3.4",
        difficulty=3,
        kind=Number(needed / margin, rtol=3e-3),
        wrong={
            "half": half,
            "gain": np.log(times),
            "times": times,
            "root": np.sqrt(times),
            "one": 1,
            "inverse": margin / needed,
            "before": margin,
            "after": needed,
            "border": np.sqrt(half),
            "odds": np.log(p * many) / np.log(p * rivals),
            "price": np.log(odds),
        },
        forms=(
            f"ln({odds}*{many})/ln({odds}*{rivals})",
            f"{needed / margin:.4g}",
            f"x = {needed / margin:.3g}",
        ),
        numbers={
            "keys": _grouped(rivals + 1),
            "more": _grouped(many + 1),
            "rivals": _grouped(rivals),
            "many": _grouped(many),
            "times": times,
            "odds": odds,
            "p": f"{p:g}",
            "fallen": odds / (odds + times),
            "margin": margin,
            "needed": needed,
            "factor": needed / margin,
        },
    )


def _grouped(n: int) -> str:
    """Write a number of five digits or more in groups of three."""
    return f"{n:,}".replace(",", "\u00a0") if n >= 10_000 else str(n)


FACTOR = drawn(
    _factor,
    {"rivals": 1000, "times": 100, "odds": 9},
    lambda random: {
        "rivals": random.choice((100, 200, 500, 1000, 2000, 4000)),
        "times": random.choice((10, 20, 40, 50, 100)),
        "odds": random.choice((4, 9, 19)),
    },
)


def _effective(weights: tuple[float, ...], shown: str = "") -> Exercise:
    p = np.array(weights)
    square, nats = float(np.sum(p**2)), float(-np.sum(p * np.log(p)))
    effective, count, bits = 1 / square, np.exp(nats), nats / np.log(2)
    return TEXTS.exercise(
        "3.5",
        difficulty=2,
        kind=Array([effective, count], rtol=2.6e-3),
        wrong={
            "swapped": [count, effective],
            "sum": [square, count],
            "entropy": [effective, nats],
            "bits": [effective, np.exp(bits)],
            "bits alone": [effective, bits],
            "mixed": [effective, 2**nats],
            "sign": [effective, 1 / count],
            "neither": [square, nats],
            "keys": [len(p), len(p)],
            "largest": [1 / p.max(), 1 / p.max()],
            "keys first": [len(p), count],
            "keys second": [effective, len(p)],
            "largest first": [1 / p.max(), count],
            "sum of weights": [1, count],
            "root": [np.sqrt(effective), count],
            "twice": [effective**2, count],
            "minus": [effective, -nats],
        },
        forms=(f"{effective:.3g} {count:.3g}", (effective, count)),
        numbers={
            "weights": shown or ", ".join(f"{x:g}" for x in p),
            "square": square,
            "nats": nats,
            "bits": bits,
            "effective": effective,
            "count": count,
            "n": len(p),
        },
    )


_ROWS = (
    (0.4, 0.4, 0.2),
    (0.5, 0.3, 0.2),
    (0.6, 0.2, 0.2),
    (0.6, 0.3, 0.1),
    (0.7, 0.2, 0.1),
    (0.8, 0.1, 0.1),
    (0.4, 0.3, 0.2, 0.1),
    (0.5, 0.25, 0.125, 0.125),
    (0.5, 0.2, 0.2, 0.1),
    (0.4, 0.2, 0.2, 0.2),
    (0.7, 0.1, 0.1, 0.1),
    (0.3, 0.3, 0.2, 0.2),
)
EFFECTIVE = drawn(
    _effective,
    {"weights": (0.5, 0.25, 0.25), "shown": "½, ¼, ¼"},
    lambda random: {"weights": random.choice(_ROWS)},
)

SHARE = Exercise(
    id="3.6",
    title="Guess, then run",
    difficulty=2,
    statement=(
        "A query and 4096 keys with independent standard normal components, d = 256, scores "
        "divided by √d = 16. What share of the keys takes part: the effective number of "
        "keys over n? Write your guess down first. Then change the cell above Figure 3.4 so that it answers "
        "for the typical row, the median of a hundred draws (two digits)."
    ),
    kind=Number(0.37, rtol=0.055, digits=2),
    wrong=(
        Wrong(1, "Dividing makes the weights comparable, not equal."),
        Wrong("exp(-0.5)", "That is the other count, e to the entropy; the course uses 1/Σp²."),
        Wrong(0.5, "A fair first guess. Now count: run the changed cell, and compare the two."),
        Wrong(0.0003, "That is one key, as without the division by 16."),
        Wrong("1/16", "1/√d is the scale; the share hardly depends on d once it is used."),
        Wrong("1/64", "1/√n is how the error of a mean falls; no mean is taken here."),
        Wrong(1500, "That is the effective number of keys; divide by n."),
        Wrong("1/e^2", "That is a spread of √2: is your scale 1/√(d/2)?"),
    ),
    forms=("37 %", "1/e", 0.375, "0,37"),
    hints=(
        "Two changes in the cell: the numbers d and n, and a loop that keeps 1/Σp² of "
        "each of a hundred rows; then `np.median`.",
        "`counts = []`, and in the loop draw `q` and `keys` anew, `p = ah.softmax(keys @ q / 16)`, "
        "`counts.append(1 / np.sum(p**2))`.",
    ),
    right="In theory 1/e, for every large n and d: the deeper page says why.",
    solution=(
        "About 0.37 of them, 1500 of 4096. Σp² is the sum of e²ᶻ over the square of the sum of eᶻ. For "
        "many normal logits of standard deviation 1 the first is close to n times e², the second to "
        "n² times e, and the effective number is n/e: it grows in proportion to n, without end."
    ),
    learned=(
        "With the textbook's scale a share of all keys takes part, however long the row: no "
        "key stands out by itself, and [a needle](05-temperature.ipynb#ch5-needle) drowns."
    ),
)

DILUTION = Exercise(
    id="3.9",
    title="Twice the context",
    difficulty=2,
    statement=(
        "Queries and keys have independent standard normal components, the textbook’s model of an "
        "untrained head, and 1/√d gives the logits standard deviation one. You double the number of keys from 8192 to 16 384. What "
        "happens to the typical largest weight of a row?"
    ),
    kind=Choice(
        {
            "a": "nothing: the scale has normalised the variance",
            "b": "it grows, because the largest of more logits is larger",
            "c": "it falls, to a bit more than half",
            "d": "it falls by the square root of two, as a standard error does",
        },
        right="c",
    ),
    wrong=(
        Wrong("a", "The variance stays one, but twice as many terms stand in the denominator."),
        Wrong("b", "The largest logit does grow, by less than 0.2 here; the denominator doubles."),
        Wrong("d", "Nothing is averaged here: the denominator grows as n, not as its root."),
    ),
    forms=("C", "(c)"),
    hints=(
        "The largest weight is one exponential over a sum. What does doubling do to each?",
        "The sum doubles. The largest logit is near √(2 ln n); from 8192 to 16 384 "
        "that moves from 4.25 to 4.41.",
    ),
    solution=(
        "The denominator is close to 1.65 n and doubles. The largest logit grows by about "
        "0.16, which multiplies its exponential by about 1.17. Together: a factor near 0.59. "
        "Nothing in 1/√d knows about n."
    ),
    passage="[dilution](03-softmax-saturation.ipynb#prop-dilution)",
    learned=(
        "Dilution is the other half of the story: a scale that knows d and not n lets every "
        "weight fade. [Chapter 5](05-temperature.ipynb#ch5-needle) asks how many keys a "
        "needle survives."
    ),
)


WHICH = Exercise(
    id="3.7",
    title="Which change saturates it?",
    difficulty=1,
    statement=(
        "A row has 1024 keys whose scores, divided by √d at d = 64, are independent "
        "standard normal numbers. Its largest weight is about 0.014. Which one of these changes gives a single "
        "key more than half of the weight in a typical row?"
    ),
    kind=Choice(
        {
            "a": "add 100 to every logit",
            "b": "take d = 4096 and divide by its root, 64",
            "c": "keep 16 of the keys and mask the others with −∞",
            "d": "leave out the division",
            "e": "make it 16 384 keys, so that the largest logit is larger",
        },
        right="d",
    ),
    wrong=(
        Wrong("a", "What is added to all logits cancels: no margin changes."),
        Wrong("b", "After the division the spread is one again, whatever d is."),
        Wrong("c", "Fewer rivals do help, but at unit spread the best of 16 has about 0.22."),
        Wrong(
            "e", "The largest logit gains 0.6, a factor below 2; the rivals are 16 times as many."
        ),
    ),
    forms=("D", "(d)"),
    hints=(
        "Ask of each change what it does to the margins, and what to the number of rivals.",
        "One change multiplies every margin by 8. A few keys get most of the weight when the spread "
        "is beyond √(2 ln n), here about 3.7.",
    ),
    solution=(
        "Without the division the spread is 8, above √(2 ln 1024) ≈ 3.7, and the "
        "typical largest weight is 0.73. Adding a constant does nothing, another d with its own "
        "root does nothing, sixteen keys give about 0.22, and more keys dilute."
    ),
    passage="[when the crowd wins](03-softmax-saturation.ipynb#ch3-phases)",
    learned=(
        "Size, shift and dimension are all beside the point: the spread within a row against "
        "√(2 ln n) decides: [the critical spread](03-softmax-saturation.ipynb#ch3-phases)."
    ),
)


def normalised(x: FloatArray, axis: int = -1) -> FloatArray:
    """Return the exponentials of `x` over their sum along `axis`; nothing is subtracted."""
    powers = np.exp(x)
    return np.asarray(powers / powers.sum(axis=axis, keepdims=True))


def stable_softmax(x: FloatArray, axis: int = -1) -> FloatArray:
    """Return the softmax along `axis`, with the maximum along that axis subtracted."""
    return normalised(x - x.max(axis=axis, keepdims=True), axis)


def _global_sum(x: FloatArray, axis: int = -1) -> FloatArray:
    powers = np.exp(x - x.max(axis=axis, keepdims=True))
    return np.asarray(powers / powers.sum())


def _no_keepdims(x: FloatArray, axis: int = -1) -> FloatArray:
    powers = np.exp(x - x.max(axis=axis))
    return np.asarray(powers / powers.sum(axis=axis))


def _in_place(x: FloatArray, axis: int = -1) -> FloatArray:
    x -= x.max(axis=axis, keepdims=True)
    np.exp(x, out=x)
    x /= x.sum(axis=axis, keepdims=True)
    return x


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
    yield case("whole numbers", rng.integers(-4, 5, (3, 4)))
    far = np.array([[3e4], [0.0], [-3e4], [700.0]]) + rng.standard_normal((4, 5))
    yield case("rows that are far apart", far)
    yield case("columns that are far apart", far.T, axis=0)
    masked = rng.standard_normal((5, 4)).round(3)
    masked[np.arange(5), [0, 1, 2, 3, 0]] = -np.inf
    masked[1, 2] = -np.inf
    yield case("a mask of its own for each row", masked)
    yield case("masked keys beside very low ones", masked - 2e4)


_FAR_APART = np.array([[0.0, np.log(3.0)], [-2000.0, -2000.0]])
_CUBE = np.array([[[0.0, 1.0], [2.0, 0.0], [1.0, 1.0]], [[3.0, 0.0], [0.0, 0.0], [1.0, 2.0]]])
_SQUARE = np.array([[0.0, np.log(3.0)], [5.0, 5.0]])
# Four axes, columns far apart and a mask: what the notebook refuses shows in this result.
_PROBE = np.array([[[[1e4, 0.0], [9999.0, -np.inf]], [[-1e4, 1.0], [-10002.0, 2.0]]]])

STABLE = Exercise(
    id="3.8",
    title="A softmax that does not break",
    difficulty=3,
    statement=(
        "Write `stable_softmax(x, axis=-1)`: the softmax of an array of any shape along one axis. "
        "It must survive logits of ±10 000, give weight zero to a logit of −∞ (a masked "
        "key; at least one key of each row is not masked), and leave its argument unchanged."
    ),
    kind=Function(
        name="stable_softmax",
        stub="def stable_softmax(x, axis=-1):\n    ...",
        reference=stable_softmax,
        mechanisms=(
            Mechanism(
                "values",
                args=(np.array([0.0, np.log(3.0)]),),
                say="The exponentials are 1 and 3, so the weights are 1/4 and 3/4.",
            ),
            Mechanism(
                "rows",
                args=(_SQUARE,),
                say="Each row has its own maximum and its own sum: use axis and keepdims=True.",
            ),
            Mechanism(
                "axis",
                args=(_SQUARE,),
                kwargs={"axis": 0},
                say="With axis=0 every column sums to one.",
            ),
            Mechanism(
                "three axes",
                args=(_CUBE,),
                kwargs={"axis": 1},
                say="With three axes the middle one has to work too: hand axis on to max and sum.",
            ),
            Mechanism(
                "overflow",
                args=(np.array([10_000.0, 0.0, 0.0, 9_999.0]),),
                say="Subtract the maximum first, so that no exponent is above zero.",
                overflow=True,
            ),
            Mechanism(
                "underflow",
                args=(np.array([-10_000.0, -10_000.0, -10_001.0]),),
                say="A row of very negative logits must not end in 0/0: subtract its maximum.",
                overflow=True,
            ),
            Mechanism(
                "rows far apart",
                args=(_FAR_APART,),
                say="Each row needs its own maximum: with a common one a low row becomes 0/0.",
                overflow=True,
            ),
            Mechanism(
                "mask",
                args=(np.array([1.0, -np.inf, 1.0]),),
                say="A logit of −inf gets weight zero, and the others share as if it were absent.",
            ),
        ),
        probe=(_PROBE, -2),
        inputs=_softmax_inputs,
    ),
    wrong=(
        Wrong(
            lambda x, axis=-1: np.exp(x - x.max(axis=axis, keepdims=True)),
            "Divide by the sum: weights add up to one.",
            mechanism="values",
        ),
        Wrong(
            lambda x, axis=-1: normalised(x / np.abs(x).max(axis=axis, keepdims=True), axis),
            "You divided by the maximum; that changes the margins. Subtract it.",
            mechanism="values",
        ),
        Wrong(
            _global_sum,
            "You divided by the sum of all rows; give sum the axis, with keepdims=True.",
            mechanism="rows",
        ),
        Wrong(
            _no_keepdims,
            "Without keepdims=True the row's sum is lined up with the columns.",
            mechanism="rows",
        ),
        Wrong(
            lambda x, axis=0: stable_softmax(x, axis),
            "Where axis is left out it is to be -1; here it was 0.",
            mechanism="rows",
        ),
        Wrong(
            lambda x, axis=-1: stable_softmax(x),
            "Your function takes axis and does not use it.",
            mechanism="axis",
        ),
        Wrong(
            lambda x, axis=-1: stable_softmax(x, 1),
            "A row may be a plain vector: use the axis you are given.",
            mechanism="values",
        ),
        Wrong(
            lambda x, axis=-1: stable_softmax(x.T).T if axis == 0 else stable_softmax(x),
            "Your function knows rows and columns only; hand axis on to max and sum as it is.",
            mechanism="three axes",
        ),
        Wrong(
            normalised,
            "You did not subtract the maximum: an exponential overflows, and inf/inf is nan.",
            mechanism="overflow",
        ),
        Wrong(
            lambda x, axis=-1: stable_softmax(np.clip(x, -700, 700), axis),
            "Cutting the logits also cuts their margin; subtract the maximum instead.",
            mechanism="overflow",
        ),
        Wrong(
            lambda x, axis=-1: normalised(x - np.abs(x).max(axis=axis, keepdims=True), axis),
            "The largest absolute value belongs to the most negative logit here; take the maximum.",
            mechanism="underflow",
        ),
        Wrong(
            lambda x, axis=-1: normalised(x - x.max(), axis),
            "You subtracted the maximum of all rows; the low row underflows to 0/0.",
            mechanism="rows far apart",
        ),
        Wrong(
            lambda x, axis=-1: stable_softmax(np.where(np.isinf(x), 0.0, x), axis),
            "You turned −inf into 0, which is a logit like any other; leave it −inf.",
            mechanism="mask",
        ),
        Wrong(
            _in_place,
            "Your function changed its argument; write x - maximum, not x -= maximum.",
            mechanism="mutation",
        ),
    ),
    forms=(
        lambda x, axis=-1: np.exp(
            x
            - x.max(axis, keepdims=True)
            - np.log(np.exp(x - x.max(axis, keepdims=True)).sum(axis, keepdims=True))
        ),
    ),
    hints=(
        "Three lines: a maximum, an exponential, a division. Each needs to know the axis.",
        "`x.max(axis=axis, keepdims=True)` keeps the axis, so that it can be subtracted from `x`.",
    ),
    solution=(
        "```python\ndef stable_softmax(x, axis=-1):\n"
        "    top = x.max(axis=axis, keepdims=True)\n"
        "    powers = np.exp(x - top)\n"
        "    return powers / powers.sum(axis=axis, keepdims=True)\n```\n\n"
        "After the subtraction the largest term is e⁰ = 1: nothing overflows, the sum is at "
        "least 1, and a term that underflows to zero was too small to matter. A row in which "
        "*every* key is masked still gives nan here; `attn_helpers.softmax` returns zeros for it."
    ),
    passage="[a softmax that cannot overflow](03-softmax-saturation.ipynb#ch3-overflow)",
    learned=(
        "No exponent above zero, no sum below one. Every attention kernel does this, a block "
        "at a time; [its backward pass](04-gradient-flow.ipynb#asked-4-2) needs only its "
        "output."
    ),
)


def contrary(n: int) -> FloatArray:
    """Return two rows (2, n): of spread 1 and sharp, and of spread 8 and even."""
    one = np.zeros(n)
    one[0] = 1
    sharp = (one - one.mean()) / one.std()
    return np.array([sharp, -8 * sharp])


def _spreads(got: FloatArray, n: int) -> str | None:
    """Check that there are two rows of n logits, with the standard deviations 1 and 8."""
    if got.shape != (2, n):
        return f"should give two rows, (2, {n}); yours has shape {shape_text(got.shape)}"
    if not np.isfinite(got).all():
        return "gives logits that are not finite: what is their standard deviation?"
    if abs(got[0].std() - 8) <= 0.01 and abs(got[1].std() - 1) <= 0.01:
        return (
            "gives row 0 the standard deviation 8 and row 1 the standard deviation 1: swap them?"
        )
    if (got >= 0).all() and np.allclose(got.sum(axis=1), 1):
        return "gives rows that sum to 1, as weights do: were logits asked for?"
    for row, spread in enumerate((1, 8)):
        if not abs(got[row].std() / spread - 1) <= 0.01:  # also nan
            return f"gives row {row} the standard deviation {four(got[row].std())}, not {spread}"
    return None


def _one_key(got: FloatArray, n: int) -> str | None:
    """Check that one key of the first row has nearly all the weight."""
    top = float(softmax(got[0]).max())
    return None if top > 0.99 else f"gives no key of row 0 more than {four(top)} of the weight"


def _no_key(got: FloatArray, n: int) -> str | None:
    """Check that no key of the second row has more than a hundredth."""
    top = float(softmax(got[1]).max())
    return None if top < 0.01 else f"gives a key of row 1 the weight {four(top)}"


def _all_of_it(got: FloatArray, n: int) -> str | None:
    return _spreads(got, n) or _one_key(got, n) or _no_key(got, n)


def _contrary_inputs(rng: np.random.Generator) -> Iterator[Mechanism]:
    """Ask for rows of several lengths."""
    for about, n in (
        ("400 keys", 400),
        ("an odd number of keys", 1001),
        ("997 keys", 997),
        ("4096 keys", 4096),
        ("many keys", int(rng.integers(20_000, 30_000))),
    ):
        yield Mechanism(about, (n,), "", check=_all_of_it)


def _normal(n: int) -> FloatArray:
    z = np.random.default_rng(0).standard_normal(n)
    return np.asarray((z - z.mean()) / z.std())


def _halves(n: int) -> FloatArray:
    return np.where(np.arange(n) < n // 2, 8.0, -8.0)


def _spike(n: int) -> FloatArray:
    row = np.zeros(n)
    row[0] = 20
    return row


CONTRARY = Exercise(
    id="3.10",
    title="Even at a spread of eight, sharp at one",
    difficulty=3,
    statement=(
        "An experiment. “With a standard deviation of 8 one key takes nearly all the weight; with "
        "1 the weights are balanced.” That is true of random logits. Write `contrary(n)`, which "
        "returns two rows of $n$ logits, as an array of shape `(2, n)`, for any $n$ from 400 on. "
        "Row 0 has the standard deviation $1$, and one key has more than $0.99$ of the weight. "
        "Row 1 has the standard deviation $8$, and *no* key has as much as $0.01$. The check "
        "computes the softmax of your rows."
    ),
    kind=Function(
        name="contrary",
        stub="def contrary(n):\n    ...",
        reference=contrary,
        mechanisms=(
            Mechanism(
                "spreads",
                args=(1000,),
                say="Subtract the mean of a row and divide by its row.std(); then times 8.",
                check=_spreads,
            ),
            Mechanism(
                "sharp",
                args=(1000,),
                say="How far may one key stand out if all the others are equal?",
                check=_one_key,
            ),
            Mechanism(
                "even",
                args=(1000,),
                say="What counts is the top of the row: let many keys tie there.",
                check=_no_key,
            ),
        ),
        probe=(1000,),
        inputs=_contrary_inputs,
        instead=Instead(
            "Without Python: in which of these rows of 1000 logits, all with a standard deviation "
            "of about 8, has no key as much as 0.01 of the weight?",
            Choice(
                {
                    "a": "1000 draws from N(0, 64)",
                    "b": "1000 logits at equal distances, from −13.86 to 13.86",
                    "c": "500 logits at −8 and 500 at 8",
                    "d": "999 logits at 0 and one at 253",
                },
                right="c",
            ),
            (
                Wrong(
                    "a", "The largest of a thousand normal numbers lie far apart: few keys share."
                ),
                Wrong(
                    "b", "Nearly: they are 0.028 apart, and the largest has 0.027 of the weight."
                ),
                Wrong("d", "That is the sharpest row there is. Turn it upside down."),
            ),
        ),
    ),
    wrong=(
        Wrong(
            lambda n: np.array([_normal(n), 8 * _normal(n)]),
            "Those are normal rows, the ones of the saying: choose the logits yourself.",
            mechanism="sharp",
        ),
        Wrong(
            lambda n: contrary(n)[::-1],
            "The two rows are swapped.",
            mechanism="spreads",
        ),
        Wrong(
            lambda n: np.array([contrary(n)[0], 8 * contrary(n)[0]]),
            "Eight times the sharp row is sharper still: turn it round.",
            mechanism="even",
        ),
        Wrong(
            lambda n: np.array([_spike(n), _halves(n)]),
            "A spike alone has a standard deviation far from one: divide the row by it.",
            mechanism="spreads",
        ),
        Wrong(
            lambda n: np.array([contrary(n)[0], 8 * np.linspace(-1, 1, n) * np.sqrt(3)]),
            "At equal distances the first few keys lead all the others: let many tie.",
            mechanism="even",
        ),
        Wrong(
            lambda n: softmax(contrary(n)),
            "Those are weights; the logits are asked for.",
            mechanism="spreads",
        ),
        Wrong(
            lambda n: np.array([_halves(n) / 8, _halves(n)]),
            "In row 0 half of the keys tie as well; there, one key has to stand out.",
            mechanism="sharp",
        ),
    ),
    forms=(
        lambda n: np.array([contrary(n)[0], 8 * np.where(np.arange(n) % 2, 1, -1)]),
        lambda n: np.array([contrary(n)[0] + 5, _halves(n) - 1000]),
    ),
    hints=(
        "A standard deviation looks at all logits alike, a softmax at the top of the row. Put into "
        "the top whom you like, one key or very many.",
        "Row 0: all logits zero but one, then `(z - z.mean()) / z.std()`. Row 1: half of the keys at "
        "$8$, the others at $-8$; or the first row turned upside down.",
    ),
    solution=(
        "```python\ndef contrary(n):\n"
        "    z = np.zeros(n)\n"
        "    z[0] = 1\n"
        "    z = (z - z.mean()) / z.std()\n"
        "    return np.array([z, -8 * z])\n```\n\n"
        "With one key ahead of $n - 1$ equal ones and a standard deviation of $1$, its margin is "
        "about $\\sqrt n$, and $e^{\\sqrt n}$ is far above $n$. Turned round and made eight times as "
        "wide, one key falls far *behind*, and all the others tie: $n - 1$ effective keys. So a "
        "standard deviation predicts saturation only together with a distribution, such as the "
        "normal one of random vectors."
    ),
    passage="[margins, not sizes](03-softmax-saturation.ipynb#ch3-margins)",
    learned=(
        "The spread says how sharp normal rows are, no others. Where trained rows differ, their "
        "margins count: [what alignment does](02-variance-proof.ipynb#ch2-dial)."
    ),
)

EXERCISES = (
    BEFORE,
    SORT,
    BOUNDS,
    SHARPEST,
    FACTOR,
    EFFECTIVE,
    SHARE,
    WHICH,
    STABLE,
    DILUTION,
    CONTRARY,
)
