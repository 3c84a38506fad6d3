"""Exercises of chapter 8, "What real models do": numbers and functions; the words are Markdown."""

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_helpers import scaled_dot_product_attention, softmax, split_heads
from attn_helpers.checks import FloatArray
from why_sqrt_d import opened_models
from why_sqrt_d.ch8.best_scale import costs
from why_sqrt_d.ch8.trial import layer_inputs, mapping_head, tell, trained
from why_sqrt_d.exercises import (
    Mechanism,
    Questions,
    Values,
    call,
    case,
    shape_only,
    sums_to_one,
)
from why_sqrt_d.exercises.messages import four

QUESTIONS = Questions(__file__)


def _division_undone(model: opened_models.Model) -> dict[str, float]:
    """Return the loss as trained, undivided, and of an average; both rises, and their share."""
    trained, undone, average = (model.loss(m) for m in (1, model.d**0.5, 0))
    rise, brings = undone - trained, average - trained
    names = {"trained": trained, "undone": undone, "average": average}
    return names | {"rise": rise, "brings": brings, "share": 100 * rise / brings}


def _whisper() -> Values:
    names = _division_undone(opened_models.read()["Whisper tiny.en"])
    return names | {"rounded": round(names["undone"], 1)}


def _five() -> Values:
    names: Values = {}
    said = []
    for letter, (title, model) in zip("abcde", opened_models.read().items(), strict=False):
        each = _division_undone(model)
        names |= {f"{letter}_{name}": value for name, value in each.items()}
        said.append(f"{title} {each['trained']:.2f}, {each['undone']:.2f}, {each['average']:.2f}")
    return names | {"losses": "; ".join(said)}


QUESTIONS.numbers("8.0", _whisper)
QUESTIONS.numbers("8.1", _five)
QUESTIONS.numbers("8.9", small=(16, 64, 100, 144, 256), factor=(2, 3, 4, 5, 6, 8))


QUESTIONS.numbers("8.10", heads=(5, 6, 8, 10, 12), d=(144, 256, 400, 576), times=(4, 9, 16))

Mask = NDArray[np.bool_]


def _numpy_softmax(x: FloatArray) -> FloatArray:
    """Return what three lines of NumPy give, nan where all keys are masked."""
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))


def attention(
    query: FloatArray,
    key: FloatArray,
    value: FloatArray,
    *,
    divisor: Callable[[int, int, int], float] = lambda heads, n, d: d**0.5,
    mask: Callable[[int], Any] = np.tri,
    hidden: float = -np.inf,
    weights: Callable[[FloatArray], FloatArray] = _numpy_softmax,
) -> FloatArray:
    """Return (heads, T, d): for each token the values up to its own, averaged by the weights."""
    scores = query @ key.swapaxes(-1, -2)
    return weights(np.where(mask(len(scores[0])), scores / divisor(*query.shape), hidden)) @ value


def layer(
    x: FloatArray,
    w_q: FloatArray,
    w_k: FloatArray,
    w_v: FloatArray,
    w_o: FloatArray,
    heads: int,
    **otherwise: Any,
) -> FloatArray:
    """Return what a causal layer of so many heads gives to tokens x (n, width)."""
    mixed = attention(*(split_heads(x @ w, heads) for w in (w_q, w_k, w_v)), **otherwise)
    return mixed.swapaxes(0, 1).reshape(len(x), -1) @ w_o


_STRICT = [  # what that gives the first token is nan, the mean of all, or zero
    {"mask": lambda n: np.tri(n, k=-1), **other}
    for other in ({}, {"hidden": -1e9}, {"weights": softmax})
]


def _layer_inputs(rng: np.random.Generator) -> Iterator[Mechanism]:
    """Draw layers of several shapes."""
    for about, n, heads, d in (
        ("three heads", 4, 3, 2),
        ("one token", 1, 2, 3),
        ("heads of one dimension", 5, 4, 1),
        ("six heads and seventy tokens", 70, 6, 5),
        ("logits in the thousands", int(rng.integers(11, 20)), 7, 3),
    ):
        width, size = heads * d, 40 if "thousands" in about else 1
        matrices = rng.standard_normal((4, width, width)) / width**0.25
        yield case(about, size * rng.standard_normal((n, width)), *matrices, heads)


_TOKENS, _SQUARE = np.eye(2, 4) * [[2.0], [4.0]], np.eye(4)
_LAYER = (_TOKENS, np.roll(_SQUARE, 1, axis=0), _SQUARE, 2 * _SQUARE, _SQUARE[::-1])

QUESTIONS.function(
    "8.2",
    layer,
    mechanisms={"one head": call(*_LAYER, 1), "two heads": call(*_LAYER, 2)},
    inputs=_layer_inputs,
    wrong={
        "as it was": {"divisor": lambda heads, n, d: (heads * d) ** 0.5},
        "by d": {"divisor": lambda heads, n, d: d},
        "by the heads": {"divisor": lambda heads, n, d: heads**0.5},
        "not at all": {"divisor": lambda heads, n, d: 1},
        "both roots": {"divisor": lambda heads, n, d: d * heads**0.5},
        "no mask": {"mask": lambda n: True},
        "one too many": {"mask": lambda n: np.tri(n, k=1)},
        "itself hidden": _STRICT,
        "mask turned": {"mask": lambda n: np.tri(n).T},
        "over queries": {"weights": lambda z: softmax(z, axis=-2)},
    },
)


def _attention_inputs(rng: np.random.Generator) -> Iterator[Mechanism]:
    """Draw heads of several shapes, and take those of a layer of the trained model."""
    for about, shape in {
        "as many heads as tokens": (4, 4, 3),
        "seven tokens and heads of one dimension": (3, 7, 1),
        "six heads of nine dimensions": (6, 5, 9),
        "many heads and eighty tokens": (int(rng.integers(11, 20)), 80, 16),
        "one head and 150 tokens": (1, 150, 2),
    }.items():
        yield case(about, *rng.standard_normal((3, *shape)))
    query, key, value = rng.standard_normal((3, 2, 6, 4))
    query[..., 0], key[..., 0] = 300.0, np.linspace(-300, 300, 6)
    yield case("visible keys with very low scores", query, key, value)
    for size in (3e4, 1 / 3e4):
        query, key, value = rng.standard_normal((3, 2, 5, 3))
        yield case("very different sizes", size * query, key / size, 1e5 * value)
    yield case("the queries, keys and values of the trained model's third layer", *layer_inputs(2))


def _told(attend: Callable[..., FloatArray]) -> str:
    """Put a function into the trained model, and say what it reads and tells."""
    loss, story = tell(attend)
    if math.isnan(loss):
        return QUESTIONS.say("8.4", "nothing")
    return QUESTIONS.say("8.4", "told", loss=loss, right=trained()[0], story=story)


_Q = np.array([[[0.0, 0, 0, 0], [4, 0, 0, 0]]])
_K = np.array([[[0.0, 0, 0, 0], [0.5, 0, 0, 0]]])
_V = np.array([[[1.0, 0, 0, 0], [0, 1, 0, 0]]])

QUESTIONS.function(
    "8.4",
    attention,
    mechanisms={
        "shape": call(*np.ones((3, 2, 3, 4)), check=shape_only((2, 3, 4))),
        "one token": call(*np.ones((2, 1, 1, 2)), [[[3.0, 5.0]]]),
        "mask": call(np.zeros((1, 3, 1)), np.zeros((1, 3, 1)), [[[6.0], [0.0], [3.0]]]),
        "scale": call(_Q, _K, _V),
        "heads": call(
            *(np.concatenate([x, y]) for x, y in ((_Q, -_Q), (_K, 2 * _K), (_V, 3 * _V)))
        ),
        "stability": call(1000 * _Q, _K, _V, overflow=True),
    },
    inputs=_attention_inputs,
    use=_told,
    wrong={
        "not divided": {"divisor": lambda heads, n, d: 1},
        "by d": {"divisor": lambda heads, n, d: d},
        "multiplied": {"divisor": lambda heads, n, d: d**-0.5},
        "width": {"divisor": lambda heads, n, d: (heads * d) ** 0.5},
        "tokens": {"divisor": lambda heads, n, d: n**0.5},
        "number of heads": {"divisor": lambda heads, n, d: heads**0.5},
        "eight": {"divisor": lambda heads, n, d: 8**0.5},
        "no mask": {"mask": lambda n: True},
        "one too many": {"mask": lambda n: np.tri(n, k=1)},
        "itself hidden": _STRICT,
        "mask turned": {"mask": lambda n: np.tri(n).T},
        "filled with zero": {"hidden": 0.0},
        "masked late": {
            "mask": lambda n: True,
            "weights": lambda z: _numpy_softmax(z) * np.tri(z.shape[-1]),
        },
        "over queries": {"weights": lambda z: softmax(z, axis=-2)},
        "over heads": {"weights": lambda z: _numpy_softmax(z.swapaxes(0, -1)).swapaxes(0, -1)},
        "over all": {"weights": lambda z: _numpy_softmax(z.reshape(len(z), -1)).reshape(z.shape)},
        "not normalised": {"weights": lambda z: np.exp(z - z.max(axis=-1, keepdims=True))},
        "overflow": {"weights": lambda z: np.exp(z) / np.exp(z).sum(axis=-1, keepdims=True)},
        "exchanged": lambda q, k, v: attention(k, q, v),
        "weights turned": {"weights": lambda z: _numpy_softmax(z).swapaxes(-1, -2)},
        "keys mixed": lambda q, k, v: attention(q, k, k),
        "one head": lambda q, k, v: np.broadcast_to(attention(q, k, v)[:1], v.shape),
        "largest": {"weights": lambda z: 1.0 * (z == z.max(axis=-1, keepdims=True))},
        "reshaped": lambda q, k, v: attention(
            q, k.reshape(len(k), k.shape[2], -1).swapaxes(-1, -2), v
        ),
        "key.T": lambda q, k, v: q @ k.T,
    },
    also=[
        lambda q, k, v: np.array(  # head by head
            [attention(*(x[None] for x in head))[0] for head in zip(q, k, v, strict=True)]
        )
    ],
    taken=scaled_dot_product_attention,
)


def opened(
    query: FloatArray,
    key: FloatArray,
    scale: float,
    *,
    spread: Callable[[FloatArray], FloatArray] = lambda z: z.std(axis=-1),
    effective: Callable[[FloatArray], FloatArray] = lambda p: 1 / (p**2).sum(axis=-1),
    typical: Callable[[FloatArray], Any] = np.median,
) -> FloatArray:
    """Median spread and effective keys of a head's rows, and the share with a key over 0.99."""
    logits = scale * query @ key.T
    weights = softmax(logits)
    taken = weights.max(axis=-1) > 0.99
    return np.array([typical(spread(logits)), typical(effective(weights)), taken.mean()])


def _over_queries(query: FloatArray, key: FloatArray, scale: float) -> FloatArray:
    return opened(key, query, scale)


def _opened_inputs(rng: np.random.Generator) -> Iterator[Mechanism]:
    """Draw heads of several sizes."""
    for about, (n, d), size in (
        ("five keys", (5, 3), 1.0),
        ("one component", (8, 1), 2.0),
        ("many keys", (int(rng.integers(60, 90)), 16), 1.0),
        ("saturated rows", (12, 4), 9.0),
        ("an even number of rows", (6, 2), 1.0),
    ):
        query, key = size * rng.standard_normal((2, n, d))
        yield case(about, query, key, 0.4)
    query, key = rng.standard_normal((2, 7, 3))
    yield case("very large scores", 1e4 * query, key, 1.0)
    yield case("the head of rxnmapper", *mapping_head(), 32**-0.5)


def _opened_head(measure: Callable[..., Any]) -> str:
    """Measure the head of rxnmapper with a function, and say what it finds."""
    told = {}
    for name, scale in (("trained", 32**-0.5), ("undone", 1.0)):
        spread, effective, share = measure(*mapping_head(), scale)
        told[name] = QUESTIONS.say(
            "8.6", "each", spread=spread, effective=effective, share=100 * share
        )
    return QUESTIONS.say("8.6", "told", **told)


QUESTIONS.function(
    "8.6",
    opened,
    mechanisms={
        "three": call(*np.ones((2, 3, 2)), 1.0, check=shape_only((3,))),
        "equal keys": call(np.arange(8.0).reshape(4, 2), np.ones((4, 2)), 0.5),
        "scale": call([[2.0], [-2.0]], [[0.0], [4.0]], 0.5),
        "rows": call([[0.0, 1], [300, 1]], [[1.0, 0], [1, 2]], 1.0),
        "median": call([[0.0], [1], [8]], [[1.0], [-1], [1]], 1.0607),
    },
    inputs=_opened_inputs,
    use=_opened_head,
    wrong={
        "not scaled": lambda q, k, scale: opened(q, k, 1),
        "divided by scale": lambda q, k, scale: opened(q, k, 1 / scale),
        "all logits": {"spread": lambda z: z.std()},
        "over queries": _over_queries,
        "means": {"typical": np.mean},
        "with n − 1": {"spread": lambda z: z.std(axis=-1, ddof=1)},
        "variance": {"spread": lambda z: z.var(axis=-1)},
        "largest": {"effective": lambda p: 1 / p.max(axis=-1)},
        "even share": {"effective": lambda p: (p**2).sum(axis=-1)},
        "percent": lambda q, k, scale: opened(q, k, scale) * [1, 1, 100],
    },
)


def capped_weights(
    scores: FloatArray,
    scale: float,
    cap: float,
    mask: Mask,
    *,
    logits: Callable[..., FloatArray] = lambda s, scale, cap: cap * np.tanh(scale * s / cap),
    weights: Callable[[FloatArray], FloatArray] = softmax,
) -> FloatArray:
    """Softmax of cap·tanh(scale·scores/cap) over the keys that the mask allows."""
    return weights(np.where(mask, logits(scores, scale, cap), -np.inf))


def _capped_inputs(rng: np.random.Generator) -> Iterator[Mechanism]:
    """Draw scores of order one and larger, with a mask of its own for each query."""
    for about, shape, scale, cap in (
        ("negative scores and fractions", (2, 3), 0.7, 1.5),
        ("a mask of its own for each query", (5, 4), 1.2, 3.0),
        ("as many queries as keys", (4, 4), 0.5, 2.0),
        ("one query", (1, 7), 1.0, 0.8),
        ("one key", (3, 1), 0.3, 5.0),
        ("scores far beyond a small cap", (6, 5), 300.0, 0.5),
        ("many queries and keys, of which some have little weight", (17, 70), 4.0, 30.0),
    ):
        mask = rng.random(shape) < 0.6
        mask[np.arange(len(mask)), rng.integers(0, shape[1], len(mask))] = True
        yield case(about, (2 * rng.standard_normal(shape)).round(2), scale, cap, mask)
    mask = np.tri(4, dtype=bool)
    yield case("a causal mask and whole numbers", rng.integers(-4, 5, (4, 4)), 0.5, 4.0, mask)
    scores = np.where(np.arange(4) < 2, -1e6, 1e6) + rng.standard_normal((4, 4))
    yield case("visible keys with very low scores, and a large cap", scores, 1.0, 8e5, mask)
    scores = 3e4 * rng.standard_normal((3, 4))
    yield case("a very small scale", scores, 4e-5, 2.0, mask[:3])
    scores = rng.standard_normal((3, 3)).round(2)
    scores[0, 2] = -np.inf
    yield case("a score of −∞ that may be seen", scores, 1.0, 2.0, np.ones((3, 3), dtype=bool))


QUESTIONS.function(
    "8.7",
    capped_weights,
    mechanisms={
        "sums": call([[0.0, 1.0], [2.0, -1.0]], 0.5, 50.0, [[True, True]] * 2, check=sums_to_one),
        "scale": call([[0.0, 8.0]], 0.125, 1000.0, [[True, True]], rtol=1e-3),
        "cap": call([[-3.0, 3.0]], 1.0, 2.0, [[True, True]]),
        "order": call([[0.0, 40.0]], 0.125, 2.0, [[True, True]]),
        "mask": call([[1.0, 2.0, 3.0]], 1.0, 2.0, [[True, True, False]]),
        "stability": call([[0.0, 3000.0]], 1.0, 2000.0, [[True, True]], overflow=True),
    },
    inputs=_capped_inputs,
    wrong={
        "over queries": {"weights": lambda z: softmax(z, axis=0)},
        "no scale": {"logits": lambda s, scale, cap: cap * np.tanh(s / cap)},
        "no cap": {"logits": lambda s, scale, cap: scale * s},
        "clip": {"logits": lambda s, scale, cap: np.clip(scale * s, -cap, cap)},
        "not inside": {"logits": lambda s, scale, cap: cap * np.tanh(scale * s)},
        "scaled late": {"logits": lambda s, scale, cap: scale * cap * np.tanh(s / cap)},
        "masked early": lambda s, scale, cap, mask: softmax(
            cap * np.tanh(np.where(mask, scale * s, -np.inf) / cap)
        ),
        "no mask": lambda s, scale, cap, mask: softmax(cap * np.tanh(scale * s / cap)),
        "mask turned": lambda s, scale, cap, mask: capped_weights(s, scale, cap, ~mask),
        "hidden": lambda s, scale, cap, mask: capped_weights(
            s, scale, cap, ~mask, weights=_numpy_softmax
        ),
        "masked late": lambda s, scale, cap, mask: softmax(cap * np.tanh(scale * s / cap)) * mask,
        "overflow": {"weights": lambda z: np.exp(z) / np.exp(z).sum(axis=-1, keepdims=True)},
    },
    also=[lambda s, scale, cap, mask: capped_weights(s * (scale / cap), cap, cap, mask)],
)


def _root(w: FloatArray, heads: int) -> float:
    return float(np.sqrt(w.shape[-1] / heads))


def port(w_q: FloatArray, w_k: FloatArray, scale: float, heads: int) -> FloatArray:
    """Return matrices (2, d_model, heads d) for code that divides scores by √d unasked."""
    return np.array([w_q * scale * _root(w_q, heads), w_k])


def _head_weights(
    tokens: FloatArray, w_q: FloatArray, w_k: FloatArray, scale: float, heads: int
) -> FloatArray:
    """Return the weights (heads, n, n) of every head, its scores times `scale`."""
    q, k = (np.stack(np.split(tokens @ w, heads, axis=-1)) for w in (w_q, w_k))
    return softmax(scale * q @ k.swapaxes(-1, -2))


def _same_weights(
    got: FloatArray, w_q: FloatArray, w_k: FloatArray, scale: float, heads: int
) -> str | None:
    """Check that the library computes from the new matrices what the model had from the old."""
    width = w_q.shape[-1] // heads
    tokens = 2 * np.random.default_rng(7).standard_normal((5, len(w_q)))
    want = _head_weights(tokens, w_q, w_k, scale, heads)
    try:
        new_q, new_k = got
        have = _head_weights(tokens, new_q, new_k, 1 / math.sqrt(width), heads)
    except (TypeError, ValueError, IndexError):
        have = np.empty(0)
    if have.shape != want.shape:
        return QUESTIONS.say("8.8", "matrices", shape=(2, *w_q.shape))
    worst = np.unravel_index(np.abs(have - want).argmax(), want.shape)
    off = float(np.abs(have[worst] - want[worst]))
    if off <= (1e-9 if got.dtype.itemsize >= 8 else 1e-3):  # JAX computes in float32
        return None
    if off < 1e-4:
        return QUESTIONS.say("8.8", "rounding", off=four(off))
    theirs, ours = four(float(have[worst])), four(float(want[worst]))
    return QUESTIONS.say("8.8", "weight", theirs=theirs, ours=ours)


def _port_inputs(rng: np.random.Generator) -> Iterator[Mechanism]:
    """Draw layers of several widths, with the scales of the table's models and others."""
    for about, heads, d, scale in (
        ("one head of four dimensions and the scale 1", 1, 4, 1.0),
        ("heads of one dimension", 3, 1, 0.5),
        ("four heads and 1/d", 4, 3, 1 / 3),
        ("the textbook's own scale", 2, 5, 5**-0.5),
        ("a root that is not that of the head", 2, 4, 6**-0.5),
        ("a small scale", 2, 2, 0.03),
        ("a scale above one", 2, 3, 2.5),
        ("many heads", int(rng.integers(7, 12)), 5, 0.6),
    ):
        matrices = rng.standard_normal((2, heads * d, heads * d)).round(2) / 2
        yield case(about, *matrices, scale, heads, check=_same_weights)
    for size in (1e5, 1e-5):
        large = size * rng.standard_normal((6, 6)), rng.standard_normal((6, 6)) / size
        yield case("very different matrices", *large, 0.5, 2, check=_same_weights)
    for about, d_model in (("tokens narrower than the heads", 3), ("wider tokens", 11)):
        other = rng.standard_normal((2, d_model, 8)).round(2) / 2
        yield case(about, *other, 1.0, 2, check=_same_weights)


_LAYER_RNG = np.random.default_rng(710)
_PAIR = tuple((0.5 * _LAYER_RNG.standard_normal((2, 4, 4))).round(1))


QUESTIONS.function(
    "8.8",
    port,
    mechanisms={
        "no scale": call(*_PAIR, 1.0, 1, check=_same_weights),
        "heads": call(*_PAIR, 1.0, 2, check=_same_weights),
        "scale": call(*_PAIR, 0.5, 2, check=_same_weights),
    },
    inputs=_port_inputs,
    wrong={
        "still divided": lambda q, k, scale, heads: np.array([q * scale, k]),
        "all columns": lambda q, k, scale, heads: port(q, k, scale, 1),
        "divided again": lambda q, k, scale, heads: np.array([q * scale / _root(q, heads), k]),
        "twice": lambda q, k, scale, heads: np.array([q, k]) * scale * _root(q, heads),
        "by d": lambda q, k, scale, heads: np.array([q * scale * _root(q, heads) ** 2, k]),
        "no scale": lambda q, k, scale, heads: port(q, k, 1, heads),
        "exchanged": lambda q, k, scale, heads: port(k, q, scale, heads),
        "root of heads": lambda q, k, scale, heads: np.array([q * scale * heads**0.5, k]),
        "divided by scale": lambda q, k, scale, heads: port(q, k, 1 / scale, heads),
    },
    also=[
        lambda q, k, scale, heads: port(k, q, scale, heads)[::-1],
        lambda q, k, scale, heads: [w * np.sqrt(scale * _root(w, heads)) for w in (q, k)],
    ],
)


def _costs() -> Values:
    """Return what each head costs and how often it is the dearest, under its two digits."""
    found = {f"{layer}{head}": cost for (layer, head), cost in costs().items()}
    names = {f"rise{digits}": cost.rise for digits, cost in found.items()}
    names |= {f"first{digits}": 100 * cost.first for digits, cost in found.items()}
    return names | {"low": found["54"].low, "high": found["54"].high}


QUESTIONS.numbers("8.11", _costs)
