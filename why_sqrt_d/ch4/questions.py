"""Exercises of chapter 4, "Gradient flow": those answered with numbers, arrays and choices."""

from collections.abc import Callable, Iterator
from functools import cache

import numpy as np

from attn_helpers.checks import FloatArray
from attn_helpers.weights import softmax
from why_sqrt_d.ch4.flow import flow_gradients, random_layer
from why_sqrt_d.exercises import (
    Array,
    Choice,
    Exercise,
    Finding,
    Function,
    Mechanism,
    Number,
    PredictChoice,
    PredictNumber,
    Texts,
    TriedNumber,
    Wrong,
    case,
    drawn,
    in_order,
    shape_only,
)
from why_sqrt_d.experiments import stored
from why_sqrt_d.experiments.digits import rounded

TEXTS = Texts(__file__)


#: How many times shorter the typical query's gradient is with β = 1 than with 1/√d.
_SCALED, _UNSCALED = stored("gradient_puzzle")[0]["query_median"]
TIMES_SHORTER = rounded(_SCALED / _UNSCALED, 2)

BET = Exercise(
    id="4.0",
    title="Before you look",
    difficulty=1,
    statement=(
        "One untrained attention layer at $d = 1024$, ten random tokens in a sequence. A random "
        "gradient arrives at its output and flows back to the queries. Now the scale $1/\\sqrt d = "
        "1/32$ is left out. How many times *shorter* is the gradient that the typical query receives? "
        "If you expect it to be longer, give a fraction: $1/100$ for a hundred times as long."
    ),
    kind=PredictNumber(TIMES_SHORTER, rtol=0.25, near=4),
    wrong=(
        Wrong(1, "With no softmax in between, and no β in front, it would stay as it is."),
        Wrong("1/32", "That is the β in front; but behind it the softmax's Jacobian closes."),
        Wrong(32, "The Jacobian does not follow β: in most rows one key has all the weight."),
        Wrong("1/1024", "For a few queries it does grow, though less than that."),
    ),
    forms=(f"{TIMES_SHORTER:.0f}", f"{TIMES_SHORTER:.1e}"),
    hints=(
        "The gradient to a query has β in front, which grows 32 times. What stands behind it?",
        "In a typical row without the scale, how much weight is left for the second key?",
    ),
    solution=(
        f"In the draw below the typical query's gradient is {TIMES_SHORTER:.0f} times *shorter*, in others some "
        "thousands of times: one key has all the weight, and the softmax passes on almost nothing. Yet the root mean square over all queries is "
        "larger than with the scale, because a few queries, those in a close race, receive nearly "
        "everything. The figure below shows both."
    ),
    learned=(
        "So “they vanish” is said of the typical query and “they explode” of the mean square: "
        "[the typical row and the mean row](04-gradient-flow.ipynb#ch4-typical) part ways."
    ),
)


def _trace(n: int) -> Exercise:
    return TEXTS.exercise(
        "4.6",
        difficulty=1,
        kind=Number(1 - 1 / n),
        wrong={
            "squares": 1 / n,
            "no squares": 1,
            "counted": n - 1,
            "one square": 1 - 1 / n**2,
            "one entry": (n - 1) / n**2,
            "norm": np.sqrt(n - 1) / n,
            "zero": 0,
            "keys": n,
            "root": 1 / np.sqrt(n),
            "one weight": 1 / n**2,
        },
        forms=(f"{n - 1}/{n}", f"1-1/{n}"),
        numbers={"n": n, "rivals": n - 1},
    )


TRACE = drawn(_trace, {"n": 16}, lambda random: {"n": random.randint(4, 30)})


def _peaked(tenths: tuple[int, int, int]) -> Exercise:
    p = np.array(tenths) / 10
    outer, twice = np.outer(p, p), softmax(p)
    jacobian = np.diag(p) - outer
    names = {f"p{i}": x for i, x in enumerate(p, 1)}
    names |= {f"q{i}": f"{1 - x:.1f}" for i, x in enumerate(p, 1)}
    names |= {f"d{i}": x for i, x in enumerate(np.diag(jacobian), 1)}
    return TEXTS.exercise(
        "4.7",
        difficulty=2,
        kind=Array(jacobian.round(12), rtol=1e-2, atol=1e-6),
        wrong={
            "weights only": np.diag(p),
            "identity": np.eye(3) - outer,
            "no second": np.diag(p) - p,
            "diagonal only": np.diag(np.diag(jacobian)),
            "list": np.diag(jacobian),
            "plus": np.abs(jacobian),
            "outer": outer,
            "weights": np.diag(p) - outer + np.diag(np.diag(outer)),
            "minus outer": -outer,
            "turned": -jacobian,
            "again": np.diag(twice) - np.outer(twice, twice),
            "uniform": np.eye(3) / 3 - 1 / 9,
            "complement": np.diag(1 - p) - outer + np.diag(np.diag(outer)),
            "squares": 2 * np.diag(np.diag(outer)) - outer,
            "twice": np.diag(np.diag(jacobian)) - 2 * (outer - np.diag(np.diag(outer))),
            "column": np.diag(p) - np.tile(p, (3, 1)) + np.diag(p - p**2),
        },
        forms=("; ".join(" ".join(f"{x:.2f}" for x in row) for row in jacobian),),
        numbers=names
        | {
            "o12": outer[0, 1],
            "o13": outer[0, 2],
            "o23": outer[1, 2],
            "trace": np.trace(jacobian),
        },
    )


PEAKED = drawn(
    _peaked,
    {"tenths": (8, 1, 1)},
    lambda random: {
        "tenths": tuple(
            random.sample(random.choice(((8, 1, 1), (7, 2, 1), (6, 3, 1), (6, 2, 2))), 3)
        )
    },
)

ORDER = TEXTS.exercise(
    "4.1",
    difficulty=2,
    kind=in_order,
)


def _race(k: int) -> Exercise:
    share = 1 - 2 ** (-1 / k)
    return TEXTS.exercise(
        "4.8",
        difficulty=3,
        kind=Number(share, rtol=1e-2),
        wrong={
            "typical": 2.0**-k,
            "rest": 2 ** (-1 / k),
            "half": 0.5,
            "upside down": 1 - 2.0**-k,
            "linear": np.log(2) / k,
            "m": 1 / k,
            "half m": 1 / (2 * k),
            "rivals": 1 - 1 / k,
            "turned": k,
        },
        forms=(f"1-2^(-1/{k})", f"{100 * share:.3g} %"),
        numbers={"k": k, "edge": 2 ** (-1 / k), "share": share, "one_in": 1 / share},
    )


RACE = drawn(_race, {"k": 10}, lambda random: {"k": random.randint(4, 20)})


def _shared(n: int, g: int) -> Exercise:
    square, root = g**2 + (n - 1) * 0.01**2, int(np.sqrt(n))
    ratio = np.sqrt(square) / root
    return TEXTS.exercise(
        "4.9",
        difficulty=2,
        kind=Number(ratio, rtol=1e-2),
        wrong={
            "typical": 0.01,
            "longest": g,
            "means": (g + (n - 1) * 0.01) / n,
            "squares": square / n,
            "turned": 1 / ratio,
            "summed": g / n,
            "added": g + (n - 1) * 0.01,
            "square": g**2,
            "root": np.sqrt(g),
            "multiplied": g * np.sqrt(n),
        },
        forms=(f"{g}/{root}", f"{ratio:.3g}"),
        numbers={
            "n": n,
            "g": g,
            "others": n - 1,
            "root": root,
            "square": square,
            "ratio": ratio,
        },
    )


SHARED = drawn(
    _shared,
    {"n": 100, "g": 50},
    lambda random: {
        "n": random.choice((36, 64, 100, 144, 400)),
        "g": random.choice((15, 20, 30, 40, 60, 80, 120)),
    },
)

BOUNDED = TEXTS.exercise(
    "4.10",
    difficulty=1,
    kind=lambda words: Choice(words["Options"], right="c"),
    forms=("C", "(c)"),
)

ABLATION = TEXTS.exercise(
    "4.4",
    difficulty=2,
    kind=lambda words: PredictChoice(words["Options"], right="c"),
    forms=("C", "c)"),
)


def _almost(n: int) -> Exercise:
    std = np.sqrt(np.exp(1) / n)
    return TEXTS.exercise(
        "4.11",
        difficulty=2,
        kind=Number(std, rtol=2e-2),
        wrong={
            "one": 1,
            "even": 1 / np.sqrt(n),
            "variance": np.exp(1) / n,
            "undone": np.sqrt(n / np.exp(1)),
            "mean weight": 1 / n,
            "half": np.exp(0.25) / np.sqrt(n),
            "linear": np.exp(1) / np.sqrt(n),
            "sum": np.sqrt(n),
        },
        forms=(f"{std:.4f}", f"{std:.3g}"),
        numbers={"n": n, "std": std, "even": 1 / np.sqrt(n), "factor": 1 / std},
    )


ALMOST = drawn(_almost, {"n": 1024}, lambda random: {"n": 100 * random.randint(5, 80)})


def _spelling(d: int) -> Exercise:
    root = round(d**0.5)
    return TEXTS.exercise(
        "4.12",
        difficulty=1,
        kind=Number(root, rtol=1e-2),
        wrong={
            "same": 1,
            "turned": 1 / root,
            "squared": d,
            "fourth": d**0.25,
            "both": d * root,
            "half": 0.5,
        },
        forms=(f"{root}.0", f"sqrt({d})"),
        numbers={"d": d, "root": root},
    )


SPELLING = drawn(_spelling, {"d": 64}, lambda random: {"d": random.randint(4, 33) ** 2})


@cache
def _typical_lengths() -> Callable[[float], float]:
    """Return the length of the typical query's gradient as a function of β, at d = 64, n = 16."""
    layer = random_layer(64, 16, 800, np.random.default_rng(412))

    @cache
    def length(scale: float) -> float:
        found = flow_gradients(*layer[1:], scale).query
        return float(np.median(np.linalg.norm(found, axis=-1)))

    return length


@cache
def _longest() -> tuple[float, float]:
    """Return the longest that it gets, over scales a tenth apart, and the scale."""
    return max((_typical_lengths()(scale), scale) for scale in np.geomspace(0.1, 2, 33).tolist())


def try_gradient(scale: float) -> Finding:
    """Hold the typical query's gradient at this scale against the longest."""
    longest, best = _longest()
    share = min(_typical_lengths()(scale) / longest, 1.0)
    line = f"At β = {scale:.4g} the typical query's gradient has {100 * share:.3g} % of the length"
    if share >= 0.95:
        return Finding(True, f"{line} that it has at the best β.")
    return Finding(
        False,
        f"{line} that it has at the best β, which is {'larger' if scale < best else 'smaller'}.",
    )


LOUDEST = TEXTS.exercise(
    "4.5",
    difficulty=2,
    kind=TriedNumber(0.45, trial=try_gradient, span=(0.005, 20.0), count=41),
    wrong={"textbook": "1/8", "none": 1, "smaller": "1/64", "root": 8},
    forms=(0.4, "0.5", "1/2"),
)


def softmax_vjp(weights: FloatArray, grad: FloatArray) -> FloatArray:
    """Gradient to the logits, p (g - Σpg) along the last axis."""
    return np.asarray(weights * (grad - (weights * grad).sum(axis=-1, keepdims=True)))


def _plain_mean(weights: FloatArray, grad: FloatArray) -> FloatArray:
    return np.asarray(weights * (grad - grad.mean(axis=-1, keepdims=True)))


def _whole_sum(weights: FloatArray, grad: FloatArray) -> FloatArray:
    return np.asarray(weights * (grad - (weights * grad).sum()))


def _vjp_in_place(weights: FloatArray, grad: FloatArray) -> FloatArray:
    grad -= (weights * grad).sum(axis=-1, keepdims=True)
    return np.asarray(weights * grad)


def _vjp_inputs(rng: np.random.Generator) -> Iterator[Mechanism]:
    """Draw rows of weights, each with a gradient of order one."""
    for about, shape in {
        "negative numbers and fractions": (3,),
        "five rows of three": (5, 3),
        "two rows of seven": (2, 7),
        "three axes": (2, 3, 4),
        "one key a row": (3, 1),
    }.items():
        weights = softmax(2 * rng.standard_normal(shape)).round(3)
        weights[..., -1] += 1 - weights.sum(axis=-1)
        yield case(about, weights, rng.standard_normal(shape).round(2))
    peaked = softmax(30 * rng.standard_normal((4, 5)))
    yield case("very small weights", peaked, 100 * rng.standard_normal((4, 5)))
    even = softmax(rng.standard_normal((3, 4)))
    yield case("a large number added to the gradient", even, rng.standard_normal((3, 4)) + 2e4)
    yield case("whole numbers for a gradient", softmax(np.eye(3)), rng.integers(-5, 6, (3, 3)))


_P = np.array([0.5, 0.25, 0.25])
_PAIR = np.array([[0.5, 0.5], [0.75, 0.25]])

SOFTMAX_VJP = Exercise(
    id="4.2",
    title="Back through the softmax",
    difficulty=2,
    statement=(
        "Write `softmax_vjp(weights, grad)`: given the weights $p$ of one or many rows (the keys are "
        "the last axis) and the gradient $g$ to the weights, an array of the same shape, return the "
        "gradient to the logits, $J g$ for every row. There is no need to build $J$; leave the "
        "arguments as they are."
    ),
    kind=Function(
        name="softmax_vjp",
        stub="def softmax_vjp(weights, grad):\n    ...",
        reference=softmax_vjp,
        mechanisms=(
            Mechanism(
                "shape",
                args=(_PAIR, np.array([[1.0, 0.0], [0.0, 1.0]])),
                say="Return an array of the shape of grad: one number a logit.",
                check=shape_only((2, 2)),
            ),
            Mechanism(
                "constant",
                args=(_P, np.array([2.0, 2.0, 2.0])),
                say="A gradient that is the same for all weights must give zero: the weights "
                "always sum to one.",
            ),
            Mechanism(
                "one row",
                args=(_P, np.array([8.0, 0.0, 4.0])),
                say="Subtract from g its mean under the weights, then multiply by the weights.",
            ),
            Mechanism(
                "rows",
                args=(_PAIR, np.array([[2.0, 0.0], [4.0, 8.0]])),
                say="Each row has its own sum: add along the last axis and keep that axis.",
            ),
            Mechanism(
                "more axes",
                args=(
                    np.array([[[0.5, 0.5]], [[0.25, 0.75]]]),
                    np.array([[[2.0, 0.0]], [[0.0, 4.0]]]),
                ),
                say="The keys are the last axis, however many axes stand before it.",
            ),
        ),
        probe=(np.array([0.5, 0.3, 0.2]), np.array([1.0, 2.0, -1.0])),
        inputs=_vjp_inputs,
    ),
    wrong=(
        Wrong(
            lambda weights, grad: weights * grad,
            "You multiplied by diag(p) only; the term −p (p·g) is missing.",
            mechanism="constant",
        ),
        Wrong(
            lambda weights, grad: weights * (1 - weights) * grad,
            "p (1 − p) g is the diagonal of J only; the other entries count as well.",
            mechanism="constant",
        ),
        Wrong(
            lambda weights, grad: weights * (grad + (weights * grad).sum(axis=-1, keepdims=True)),
            "The sign is minus: subtract the mean of g under the weights.",
            mechanism="constant",
        ),
        Wrong(
            lambda weights, grad: -softmax_vjp(weights, grad),
            "That is minus the right answer: subtract the mean from g, not g from the mean.",
            mechanism="one row",
        ),
        Wrong(
            _plain_mean,
            "You subtracted the plain mean of g; the mean under the weights, Σpg, is needed.",
            mechanism="one row",
        ),
        Wrong(
            lambda weights, grad: grad - (weights * grad).sum(axis=-1, keepdims=True),
            "You centred the gradient and forgot to multiply by the weights.",
            mechanism="one row",
        ),
        Wrong(
            lambda weights, grad: weights * (grad - (weights * grad).sum(axis=0, keepdims=True)),
            "You added along the first axis; a softmax works along the last.",
            mechanism="rows",
        ),
        Wrong(
            _whole_sum,
            "You added over all rows; every row has its own sum, so use axis=-1, keepdims=True.",
            mechanism="rows",
        ),
        Wrong(
            _vjp_in_place,
            "Your function changed one of its arguments: write grad - …, not grad -= ….",
            mechanism="mutation",
        ),
    ),
    forms=(
        lambda weights, grad: (
            weights * grad - weights * np.einsum("...i,...i->...", weights, grad)[..., None]
        ),
    ),
    hints=(
        "Write $Jg = (\\text{diag}(p) - pp^{\\top})g$ and multiply out. What is $p^{\\top}g$?",
        "$Jg = p\\circ(g - p^{\\top}g)$: one number a row, subtracted from $g$, and then multiplied "
        "by $p$ entry by entry. `keepdims=True` keeps it broadcastable.",
    ),
    solution=(
        "```python\ndef softmax_vjp(weights, grad):\n"
        "    inner = (weights * grad).sum(axis=-1, keepdims=True)\n"
        "    return weights * (grad - inner)\n```\n\n"
        "The matrix would hold $n^2$ numbers a row; this needs $n$. With $n = 4096$ keys and as many "
        "queries that is the difference between half a terabyte and 134 megabytes."
    ),
    learned=(
        "One product and one sum a row: this is the backward pass of every attention kernel. "
        "You need it next, [back to the query](#asked-4-3)."
    ),
)


def _gradient(
    back: Callable[[FloatArray, FloatArray], FloatArray] = softmax_vjp,
    axis: int | None = -1,
    inside: int = 1,
    in_front: int = 1,
) -> Callable[..., FloatArray]:
    """Return the gradient to the queries, β dz K, or one that is wrong in one place.

    `back` leads through the softmax, which is along `axis`; the others are powers of the scale.
    """

    def gradient(
        query: FloatArray, key: FloatArray, value: FloatArray, grad: FloatArray, scale: float
    ) -> FloatArray:
        logits = scale**inside * query @ key.T
        powers = np.exp(logits - logits.max(axis=axis, keepdims=True))
        weights = powers / powers.sum(axis=axis, keepdims=True)
        return np.asarray(scale**in_front * back(weights, grad @ value.T) @ key)

    return gradient


query_gradient = _gradient()


def _query_inputs(rng: np.random.Generator) -> Iterator[Mechanism]:
    """Draw queries, keys, values and gradients whose logits are of order one."""
    for about, (n_q, n, d, d_v), scale in (
        ("one query and two keys of one number each", (1, 2, 1, 1), 0.8),
        ("two queries, five keys and values of another width", (2, 5, 3, 2), 0.6),
        ("five queries and three keys", (5, 3, 2, 4), 1.5),
        ("as many queries as keys", (4, 4, 6, 6), 0.4),
        ("one key", (3, 1, 4, 2), 0.5),
        ("a scale of zero", (2, 3, 4, 5), 0.0),
    ):
        shapes = (n_q, d), (n, d), (n, d_v), (n_q, d_v)
        yield case(about, *(rng.standard_normal(s).round(2) for s in shapes), scale)
    whole = [rng.integers(-3, 4, s) for s in ((3, 2), (4, 2), (4, 3), (3, 3))]
    yield case("whole numbers", *whole, 0.25)
    sizes = {(3, 5): 5e-5, (6, 5): 2e4, (6, 4): 3e4, (3, 4): 4e4}
    parts = [size * rng.standard_normal(shape) for shape, size in sizes.items()]
    yield case("entries of very different sizes", *parts, 0.7)
    parts = [parts[0] * 4e8, parts[1] / 4e8, parts[2] / 3e4 + 2e4, parts[3] / 4e4]
    yield case("large queries and values", *parts, -0.7)
    near = rng.standard_normal((2, 4)).round(3)
    keys = np.stack([[1.0, 1.0, 1.0, -1.0], near[0] / 1000], axis=-1)
    heights = np.array([[2000.0, 1000.0], [-2000.0, 1000.0], [1.0, 1.0]])
    about = "a row of scores near 2000 and one near −2000"
    yield case(about, heights, keys, near.T, np.ones((3, 2)), 1.0)


_KEY = np.array([[1.0, 0.0], [0.0, 1.0]])
_VALUE = np.array([[2.0, 0.0], [0.0, 4.0]])
_GRAD = np.array([[1.0, 0.0]])
_GRADS = np.array([[1.0, 0.0], [2.0, 1.0]])

QUERY_GRADIENT = Exercise(
    id="4.3",
    title="Back to the query, with every β in its place",
    difficulty=3,
    statement=(
        "Write `query_gradient(query, key, value, grad, scale)`: the gradient to the queries of "
        "`softmax(scale * query @ key.T) @ value`. Shapes: `query (n_q, d)`, `key (n, d)`, "
        "`value (n, d_v)`, and `grad (n_q, d_v)` is the gradient at the output. It must survive "
        "large scores."
    ),
    kind=Function(
        name="query_gradient",
        stub="def query_gradient(query, key, value, grad, scale):\n    ...",
        reference=query_gradient,
        mechanisms=(
            Mechanism(
                "shape",
                args=(np.ones((1, 2)), np.ones((3, 2)), np.ones((3, 1)), np.ones((1, 1)), 1.0),
                say="The gradient has the shape of the queries, here (1, 2).",
                check=shape_only((1, 2)),
            ),
            Mechanism(
                "comparison",
                args=(np.zeros((1, 2)), _KEY, np.array([[3.0], [3.0]]), np.ones((1, 1)), 1.0),
                say="Equal values make all keys alike, so the query has nothing to learn: zero.",
            ),
            Mechanism(
                "beta one",
                args=(np.zeros((1, 2)), _KEY, _VALUE, _GRAD, 1.0),
                say="Chain: grad @ value.T, then the softmax's Jacobian, then @ key.",
            ),
            Mechanism(
                "outer beta",
                args=(np.zeros((1, 2)), _KEY, _VALUE, _GRAD, 0.5),
                say="The logits are scale · query @ key.T: the chain rule brings one factor scale.",
            ),
            Mechanism(
                "inner beta",
                args=(np.array([[2.0, 0.0]]), _KEY, _VALUE, _GRAD, 0.25),
                say="The weights are the softmax of the scaled scores.",
            ),
            Mechanism(
                "two queries",
                args=(np.array([[2.0, 0.0], [0.0, 1.0]]), _KEY, _VALUE, _GRADS, 1.0),
                say="Every query has its own row of weights and its own sum: work along the last "
                "axis.",
            ),
            Mechanism(
                "large scores",
                args=(np.array([[2000.0, 1999.0]]), _KEY, _VALUE, _GRAD, 1.0),
                say="exp(2000) is infinite: subtract each row's largest logit first.",
                overflow=True,
            ),
        ),
        probe=(
            np.array([[1.0, 0.0], [0.0, 2.0]]),
            np.array([[1.0, 2.0], [0.0, 1.0]]),
            np.array([[1.0], [3.0]]),
            np.array([[2.0], [1.0]]),
            0.5,
        ),
        inputs=_query_inputs,
    ),
    wrong=(
        Wrong(
            lambda query, key, value, grad, scale: scale * (grad @ value.T) @ key,
            "The softmax's Jacobian is missing between grad @ value.T and the keys.",
            mechanism="comparison",
        ),
        Wrong(
            _gradient(back=np.multiply),
            "You multiplied by the weights; subtract their mean of the gradient first.",
            mechanism="comparison",
        ),
        Wrong(
            lambda query, key, value, grad, scale: (
                scale * softmax_vjp(softmax(scale * query @ key.T), grad @ value.T) @ value
            ),
            "The last product is with the keys: the query met the keys, not the values.",
            mechanism="shape",
        ),
        Wrong(
            lambda query, key, value, grad, scale: query_gradient(
                query, key, value, grad, float(key.shape[-1] ** -0.5)
            ),
            "You used 1/√d in place of the scale that was given.",
            mechanism="beta one",
        ),
        Wrong(
            _gradient(in_front=0),
            "The factor β in front is missing: the logits are β times the scores.",
            mechanism="outer beta",
        ),
        Wrong(
            _gradient(in_front=2),
            "β stands in front twice; the chain rule brings it once.",
            mechanism="outer beta",
        ),
        Wrong(
            _gradient(inside=0),
            "Your weights are the softmax of the scores without β.",
            mechanism="inner beta",
        ),
        Wrong(
            _gradient(back=_plain_mean),
            "You subtracted the plain mean of the gradient; the mean under the weights is needed.",
            mechanism="inner beta",
        ),
        Wrong(
            _gradient(back=_whole_sum),
            "You added over all queries; every query has its own mean under its own weights.",
            mechanism="two queries",
        ),
        Wrong(
            _gradient(axis=None),
            "Your softmax runs over the whole matrix; every query's weights sum to one.",
            mechanism="two queries",
        ),
        Wrong(
            _gradient(axis=0),
            "Your softmax runs along the queries; the keys are the last axis.",
            mechanism="comparison",
        ),
    ),
    forms=(
        lambda query, key, value, grad, scale: (
            softmax_vjp(softmax(scale * query @ key.T), grad @ value.T) @ (scale * key)
        ),
    ),
    hints=(
        "Go back step by step: output, weights, logits, scores, query. Each step is one line.",
        "`softmax_vjp(p, grad @ value.T)` is the gradient to the logits. The logits are "
        "`scale * query @ key.T`: what is their derivative with respect to the query?",
    ),
    solution=(
        "```python\ndef query_gradient(query, key, value, grad, scale):\n"
        "    weights = ah.softmax(scale * query @ key.T)\n"
        "    to_logits = ah.softmax_vjp(weights, grad @ value.T)\n"
        "    return scale * to_logits @ key\n```\n\n"
        "$\\beta$ appears twice, once inside the softmax and once in front, and the two pull in "
        "opposite directions: a large $\\beta$ closes the Jacobian and enlarges what gets through. "
        "Leaving out the one in front is a classic mistake: with $\\beta = 1/\\sqrt{64}$ every "
        "gradient to queries and keys is then eight times too long."
    ),
    learned=(
        "β stands inside the softmax and in front, and the two pull in opposite directions. "
        "Where it stands decides what a step of Adam does: [chapter "
        "6](06-dynamic-beta.ipynb#ch6-where)."
    ),
)


EXERCISES = (
    BET,
    TRACE,
    PEAKED,
    ORDER,
    RACE,
    SHARED,
    BOUNDED,
    ABLATION,
    SOFTMAX_VJP,
    QUERY_GRADIENT,
    ALMOST,
    SPELLING,
    LOUDEST,
)
