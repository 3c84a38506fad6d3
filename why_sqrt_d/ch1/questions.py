"""Exercises of chapter 1, "Dot products grow"."""

from collections.abc import Iterator

import numpy as np

from attn_helpers import scaled_dot_product_attention, softmax
from attn_helpers._checks import FloatArray
from why_sqrt_d.exercises import (
    Array,
    Choice,
    Exercise,
    Function,
    Mechanism,
    Number,
    PredictChoice,
    Texts,
    Wrong,
    case,
    drawn,
    shape_only,
)

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


def attention(q: FloatArray, k: FloatArray, v: FloatArray) -> FloatArray:
    """Return softmax(q kᵀ / √d_k) v for queries (n_q, d_k), keys (n, d_k), values (n, d_v)."""
    return _scaled(q, k, v, k.shape[-1] ** -0.5)


def _scaled(
    q: FloatArray, k: FloatArray, v: FloatArray, scale: float, axis: int = -1
) -> FloatArray:
    out: FloatArray = softmax(scale * (q @ k.T), axis=axis) @ v
    return out


def _over_queries(q: FloatArray, k: FloatArray, v: FloatArray) -> FloatArray:
    return _scaled(q, k, v, k.shape[-1] ** -0.5, axis=0)  # the teaching guide names it


_ONE_WIDE = (
    np.array([[0.0], [np.log(2.0)]]),
    np.array([[0.0], [0.0], [1.0]]),
    np.array([[0.0], [0.0], [4.0]]),
)
_FOUR_WIDE = (
    np.array([[1.0, 1.0, 0.0, 0.0], [0.0, 1.0, 1.0, 0.0]]),
    np.array([[1.0, 1, 0, 0], [1, 0, 0, 1], [0, 0, 1, 1], [0, -1, 0, 0], [0, 0, 0, 0]]),
    np.array([[8.0, 0, 0], [0, 8, 0], [0, 0, 8], [4, 4, 0], [0, 4, 4]]),
)
# Two queries, so that it shows over which axis a softmax runs; five keys, and d_k = 3 is the root of
# nothing else. Short enough to be read on the page.
_PROBE = (
    np.array([[1, 1, 0], [0, 1, -1]]),
    np.array([[1, 1, 0], [1, 0, 1], [0, -1, 1], [0, 2, -1], [0, 0, 0]]),
    np.array([[6, 0], [0, 6], [3, 3], [0, 0], [9, 0]]),
)
_RANDOM = np.random.default_rng(16)


def _attention_inputs(rng: np.random.Generator) -> Iterator[Mechanism]:
    """Draw queries, keys and values of several shapes, with logits of order one."""
    for about, (n_q, n, d, d_v) in {
        "negative numbers and fractions": (1, 2, 1, 1),
        "two queries, five keys and values of another width": (2, 5, 3, 2),
        "five queries and three keys": (5, 3, 2, 4),
        "as many queries as keys, all of one width": (4, 4, 4, 4),
        "one key": (3, 1, 2, 2),
        "sixteen dimensions": (3, 6, 16, 5),
    }.items():
        yield case(about, *(rng.standard_normal(s).round(2) for s in ((n_q, d), (n, d), (n, d_v))))
    yield case("whole numbers", *(rng.integers(-3, 4, s) for s in ((3, 2), (4, 2), (4, 3))))
    sizes = (2e4, (3, 5)), (5e-5, (6, 5)), (3e4, (6, 2))
    yield case("entries of very different sizes", *(x * rng.standard_normal(s) for x, s in sizes))
    sizes = (5e-5, (3, 5)), (2e4, (6, 5)), (1, (6, 2))
    yield case("large keys", *(x * rng.standard_normal(s) for x, s in sizes))


ATTENTION = Exercise(
    id="1.6",
    title="Write attention",
    difficulty=2,
    statement=(
        "Write `attention(q, k, v)` for several queries at once. `q` has the shape $(n_q, d_k)$, "
        "`k` the shape $(n, d_k)$ and `v` the shape $(n, d_v)$: a query, a key and a value in each "
        "row. Divide the scores by $\\sqrt{d_k}$, give each query its softmax over the keys, and "
        "return the mixed values, of shape $(n_q, d_v)$. You may use `ah.softmax`."
    ),
    kind=Function(
        name="attention",
        stub="def attention(q, k, v):\n    ...",
        reference=attention,
        mechanisms=(
            Mechanism(
                "shape",
                args=(
                    np.array([[1.0]]),
                    np.array([[1.0], [2.0]]),
                    np.array([[1.0, 2, 3], [4, 5, 6]]),
                ),
                say="One output for each query, as wide as a value: the weights, times v.",
                check=shape_only((1, 3)),
            ),
            Mechanism(
                "equal scores",
                args=(np.zeros((2, 1)), np.array([[1.0], [2.0]]), np.array([[1.0], [3.0]])),
                say="With equal scores the output is the plain mean of the values.",
            ),
            Mechanism(
                "over the keys",
                args=_ONE_WIDE,
                say="The weights of one query sum to one: a third each, then 1/4, 1/4 and 1/2.",
            ),
            Mechanism(
                "scores",
                args=(
                    np.array([[1.0, 0.0]]),
                    np.array([[0.0, 5.0], [0.0, -5.0]]),
                    np.array([[0.0], [4.0]]),
                ),
                say="Both keys have the score 0 with this query: the scores are q @ k.T.",
            ),
            Mechanism(
                "scale",
                args=_FOUR_WIDE,
                say="Here d_k is 4: divide the scores by 2, before the softmax.",
            ),
            Mechanism(
                "any shape",
                args=(
                    _RANDOM.standard_normal((4, 5)),
                    _RANDOM.standard_normal((6, 5)),
                    _RANDOM.standard_normal((6, 3)),
                ),
                say="Take d_k from the arrays: it is k.shape[-1].",
            ),
        ),
        probe=_PROBE,
        inputs=_attention_inputs,
    ),
    wrong=(
        Wrong(
            lambda q, k, v: _scaled(q, k, v, 1),
            "You left out the scale: divide the scores by √d_k.",
            mechanism="scale",
        ),
        Wrong(
            _over_queries,
            "Your softmax runs over the queries; along the last axis it runs over the keys.",
            mechanism="over the keys",
        ),
        Wrong(
            lambda q, k, v: _scaled(q, k, v, 1 / k.shape[-1]),
            "You divided by d_k; its square root is what the spread grows by.",
            mechanism="scale",
        ),
        Wrong(
            lambda q, k, v: _scaled(q, k, v, k.shape[-1] ** 0.5),
            "You multiplied by √d_k: that makes the spread larger still. Divide.",
            mechanism="scale",
        ),
        Wrong(
            lambda q, k, v: _scaled(q, k, v, len(k) ** -0.5),
            "You divided by the root of the number of keys; d_k is the width of a key.",
            mechanism="over the keys",
        ),
        Wrong(
            lambda q, k, v: _scaled(q, k, v, len(q) ** -0.5),
            "You divided by the root of the number of queries; d_k is the width of a query.",
            mechanism="over the keys",
        ),
        Wrong(
            lambda q, k, v: _scaled(q, k, v, v.shape[-1] ** -0.5),
            "You divided by √d_v, the width of a value; the scores add up d_k products.",
            mechanism="scale",
        ),
        Wrong(
            lambda q, k, v: softmax(q @ k.T) @ v / k.shape[-1] ** 0.5,
            "You divided after the softmax; that shrinks the output and leaves the weights sharp.",
            mechanism="scores",
        ),
        Wrong(
            lambda q, k, v: softmax(q @ k.T * k.shape[-1] ** -0.5),
            "Those are the weights; multiply them by the values.",
            mechanism="shape",
        ),
        Wrong(
            lambda q, k, v: q @ k.T * k.shape[-1] ** -0.5 @ v,
            "You left out the softmax: the logits themselves mix the values.",
            mechanism="equal scores",
        ),
        Wrong(
            lambda q, k, v: np.exp(q @ k.T * k.shape[-1] ** -0.5) @ v,
            "You took the exponentials and did not divide by their sum.",
            mechanism="equal scores",
        ),
        Wrong(
            lambda q, k, v: v[np.argmax(q @ k.T, axis=-1)],
            "You took the best key's value alone; a softmax mixes all of them.",
            mechanism="equal scores",
        ),
        Wrong(
            lambda q, k, v: _scaled(q, k, v, 0.5),
            "You divided by 2 whatever the arrays are; take the root of k.shape[-1].",
            mechanism="over the keys",
        ),
    ),
    forms=(
        scaled_dot_product_attention,
        lambda q, k, v: np.array([softmax(k @ one / np.sqrt(one.size)) @ v for one in q]),
    ),
    hints=(
        "`q @ k.T` holds all scores, a row for each query. What are its shape and that of `v`?",
        "Three steps: `logits = q @ k.T / np.sqrt(k.shape[-1])`, their softmax along the last "
        "axis, and a matrix product with `v`.",
    ),
    solution=(
        "```python\ndef attention(q, k, v):\n"
        "    logits = q @ k.T / np.sqrt(k.shape[-1])   # (n_q, n)\n"
        "    return ah.softmax(logits) @ v             # (n_q, d_v)\n```\n\n"
        "This is the whole of one attention head but for its three matrices and a mask. "
        "`ah.scaled_dot_product_attention` is the same with more care."
    ),
    right="That is one head of attention: the line that this course is about, and the one around it.",
    learned=(
        "Its backward pass, with every factor in its place, waits in [chapter "
        "4](04-gradient-flow.ipynb#asked-4-7)."
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
    ATTENTION,
    UNIT_LENGTH,
    QUERY_MEAN,
)
