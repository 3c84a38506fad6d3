"""Exercises of chapter 7, "What real models do"; words of some of them are in questions.md."""

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

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
    Questions,
    Texts,
    Values,
    Wrong,
    call,
    case,
    drawn,
    in_order,
    shape_only,
    sums_to_one,
)
from why_sqrt_d.exercises.messages import four, shape_text

TEXTS = Texts(__file__)

QUESTIONS = Questions(__file__)


@QUESTIONS.numbers("7.1", heads=(8, 12, 16, 24, 40, 48), d=(64, 80, 96, 160, 256))
def _divisor(heads: int = 32, d: int = 128) -> tuple[Number, Values, Values]:
    width, root = heads * d, math.sqrt(d)
    wrong = {
        "width root": math.sqrt(width),
        "head": d,
        "heads root": math.sqrt(heads),
        "scale": 1 / root,
        "width": width,
        "heads": heads,
        "twice": math.sqrt(root),
        "multiplied": math.sqrt(width * heads),
        "halved": math.sqrt(width) / heads,
    }
    names = {"width": width, "root": root, "wide": math.sqrt(width), "times": math.sqrt(heads)}
    return Number(root, rtol=2e-3), wrong, names


LAYER = TEXTS.exercise(
    "7.5",
    difficulty=1,
    kind=in_order,
)


def _transfer(small: int, factor: int) -> Exercise:
    c, large = math.isqrt(small), small * factor
    return TEXTS.exercise(
        "7.6",
        difficulty=2,
        kind=Number(c / large, rtol=1e-3),
        wrong={
            "textbook": 1 / math.sqrt(large),
            "linear": 1 / large,
            "divisor": large / c,
            "small": 1 / c,
            "squared": 1 / small,
            "twice": 1 / (c * factor**2),
            "constant": c,
            "up": factor / c,
            "root up": math.sqrt(factor) / c,
        },
        forms=(f"{c}/{large}", f"1/{large // c}"),
        numbers={
            "small": small,
            "large": large,
            "factor": factor,
            "c": c,
            "inverse": large // c,
            "wide": 1 / math.sqrt(large),
        },
    )


TRANSFER = drawn(
    _transfer,
    {"small": 64, "factor": 4},
    lambda random: {
        "small": random.choice((16, 64, 100, 144, 256)),
        "factor": random.choice((2, 3, 4, 5, 6, 8)),
    },
)


def _yarn(d: int, stretch: int) -> Exercise:
    factor = (0.1 * math.log(stretch) + 1) ** 2
    narrow = d / factor**2
    deepseek = (d, stretch) == (192, 40)
    return TEXTS.exercise(
        "7.8",
        difficulty=2,
        kind=Number(narrow, rtol=1e-2),
        wrong={
            "real": d,
            "once": d / factor,
            "root": d / math.sqrt(factor),
            "upside down": d * factor**2,
            "scale": factor / math.sqrt(d),
            "factor": factor,
            "factor's root": math.sqrt(factor),
            "wider": d * factor,
            "wider by the root": d * math.sqrt(factor),
            "head's root": math.sqrt(d),
            "divisor": math.sqrt(d) / factor,
            "stretched": d / stretch,
        },
        forms=(f"{d}/(0.1*ln({stretch})+1)^4", f"{narrow:.2f}"),
        numbers={
            "who": "DeepSeek-V3" if deepseek else "A model with a stretched context",
            "d": d,
            "stretch": stretch,
            "factor": factor,
            "narrow": narrow,
        },
    )


YARN = drawn(
    _yarn,
    {"d": 192, "stretch": 40},
    lambda random: {
        "d": random.choice((64, 96, 128, 192, 256)),
        "stretch": random.choice((4, 8, 16, 20, 32, 64)),
    },
)


def _gallery(heads: int, d: int, n: int) -> Exercise:
    spread, root_n, width = math.isqrt(d), math.isqrt(n), heads * d
    divisors = np.array([d, math.sqrt(width), root_n, math.sqrt(heads), 1.0])
    right = spread / divisors
    too_wide = math.sqrt(width) / np.array([width, math.sqrt(width), root_n, math.sqrt(heads), 1])
    return TEXTS.exercise(
        "7.9",
        difficulty=2,
        kind=Array(right, rtol=5e-3),
        wrong={
            "width": too_wide,
            "variance": d / divisors,
            "variances": right**2,
            "upside down": 1 / right,
            "ones": [1, 1, 1, 1, spread],
            "last variance": [*right[:4], d],
            "last one": [*right[:4], 1],
            "first width": [spread / width, *right[1:]],
            "first root": [1, *right[1:]],
            "heads": [*right[:3], spread / heads, spread],
            "no roots": spread / np.array([d, width, n, heads, 1]),
            "divisors": divisors,
        },
        forms=(" ".join(f"{x:.3g}" for x in right),),
        numbers={
            "width": width,
            "heads": heads,
            "d": d,
            "n": n,
            "spread": spread,
            "root_n": root_n,
            "root_heads": math.sqrt(heads),
            "wide": math.sqrt(width),
            "by_d": right[0],
            "by_width": right[1],
            "by_n": right[2],
            "by_heads": right[3],
        },
    )


GALLERY = drawn(
    _gallery,
    {"heads": 6, "d": 256, "n": 1024},
    lambda random: {
        "heads": random.choice((5, 6, 8, 10, 12)),
        "d": (d := random.choice((144, 256, 400, 576))),
        "n": d * random.choice((4, 9, 16)),
    },
)

REMEDY = TEXTS.exercise(
    "7.3",
    difficulty=2,
    kind=lambda words: Choice(words["Options"], right="c"),
    forms=("C", "(c)"),
)


Mask = NDArray[np.bool_]


def split_heads(x: FloatArray, heads: int) -> FloatArray:
    """Cut the columns into heads: (n, heads·d) to (heads, n, d)."""
    return x.reshape(len(x), heads, -1).swapaxes(0, 1)


def _reshaped_in_place(x: FloatArray, heads: int) -> FloatArray:
    x.shape = (len(x), heads, -1)
    return x.swapaxes(0, 1)


def _split_inputs(rng: np.random.Generator) -> Iterator[Mechanism]:
    """Draw tokens of several widths for several heads."""
    for about, (n, heads, d) in {
        "negative numbers and fractions": (2, 2, 2),
        "five tokens and three heads": (5, 3, 4),
        "one token": (1, 4, 3),
        "heads of width one": (3, 5, 1),
        "as many tokens as heads": (3, 3, 3),
    }.items():
        yield case(about, rng.standard_normal((n, heads * d)).round(4), heads)
    yield case("whole numbers", rng.integers(-9, 10, (4, 6)), 2)
    yield case("large numbers", 1e6 * rng.standard_normal((3, 8)), 4)


_TWO = np.arange(8.0).reshape(2, 4)

QUESTIONS.function(
    "7.4",
    split_heads,
    mechanisms={
        "shape": call(np.arange(24.0).reshape(4, 6), 3, check=shape_only((3, 4, 2))),
        "columns": call(_TWO, 2),
        "one head": call(_TWO, 1),
        "more tokens": call(np.arange(12.0).reshape(6, 2), 2),
    },
    inputs=_split_inputs,
    probe=(_TWO, 2),
    wrong={
        "rows dealt out": lambda x, heads: x.reshape(heads, len(x), -1),
        "tokens first": lambda x, heads: x.reshape(len(x), heads, -1),
        "every second": lambda x, heads: np.moveaxis(x.reshape(len(x), -1, heads), -1, 0),
        "components first": lambda x, heads: x.reshape(len(x), heads, -1).transpose(1, 2, 0),
        "one block": lambda x, heads: np.stack([x[:, : x.shape[1] // heads]] * heads),
        "in place": _reshaped_in_place,
    },
    also=[lambda x, heads: np.stack(np.split(x, heads, axis=1))],
)


def _allowed(logits: FloatArray, mask: Mask) -> FloatArray:
    return softmax(np.where(mask, logits, -np.inf))


def capped_weights(scores: FloatArray, scale: float, cap: float, mask: Mask) -> FloatArray:
    """Softmax of cap·tanh(scale·scores/cap) over the keys that the mask allows."""
    return _allowed(cap * np.tanh(scale * scores / cap), mask)


def _numpy_softmax(x: FloatArray) -> FloatArray:
    """Return what three lines of NumPy give, nan where all keys are masked."""
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))


def _overflows(scores: FloatArray, scale: float, cap: float, mask: Mask) -> FloatArray:
    powers = np.exp(cap * np.tanh(scale * scores / cap)) * mask
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))


def _in_place(scores: FloatArray, scale: float, cap: float, mask: Mask) -> FloatArray:
    scores *= scale
    return capped_weights(scores, 1.0, cap, mask)


def _capped_inputs(rng: np.random.Generator) -> Iterator[Mechanism]:
    """Draw scores of order one and larger, with a mask of its own for each query."""
    for about, shape, scale, cap in (
        ("negative scores and fractions", (2, 3), 0.7, 1.5),
        ("a mask of its own for each query", (5, 4), 1.2, 3.0),
        ("as many queries as keys", (4, 4), 0.5, 2.0),
        ("one query", (1, 7), 1.0, 0.8),
        ("one key", (3, 1), 0.3, 5.0),
        ("a small cap and large scores", (6, 5), 4.0, 0.5),
    ):
        mask = rng.random(shape) < 0.6
        mask[np.arange(len(mask)), rng.integers(0, shape[1], len(mask))] = True
        yield case(about, (2 * rng.standard_normal(shape)).round(2), scale, cap, mask)
    mask = np.tri(4, dtype=bool)
    yield case("whole numbers", rng.integers(-4, 5, (4, 4)), 0.5, 4.0, mask)
    scores = np.where(np.arange(4) < 2, -1.0, 1.0) * 900.0 + rng.standard_normal((4, 4))
    yield case("visible keys with very low scores", scores, 1.0, 800.0, mask)
    scores = 3e4 * rng.standard_normal((3, 4))
    yield case("a very small scale", scores, 4e-5, 2.0, mask[:3])
    scores = rng.standard_normal((3, 3)).round(2)
    scores[0, 2] = -np.inf
    yield case("a score of −∞ that may be seen", scores, 1.0, 2.0, np.ones((3, 3), dtype=bool))


_ALL = np.ones((1, 2), dtype=bool)

CAPPED = Exercise(
    id="7.7",
    title="Soft-capped weights",
    difficulty=3,
    statement=(
        "Write `capped_weights(scores, scale, cap, mask)` as Gemma 2 does it: scale the scores, "
        "cap them with $c\\tanh(\\cdot/c)$, give masked keys no weight, and take the softmax over "
        "the last axis. `scores` and `mask` have shape `(queries, keys)`; `mask` is true where a "
        "key may be seen. It must not overflow and must not change its arguments."
    ),
    kind=Function(
        name="capped_weights",
        stub="def capped_weights(scores, scale, cap, mask):\n    ...",
        reference=capped_weights,
        mechanisms=(
            Mechanism(
                "sums",
                args=(np.array([[0.0, 1.0], [2.0, -1.0]]), 0.5, 50.0, np.ones((2, 2), dtype=bool)),
                say="Every key may be seen here, and the weights of each query sum to one.",
                check=sums_to_one,
            ),
            Mechanism(
                "scale",
                args=(np.array([[0.0, 8.0]]), 0.125, 1000.0, _ALL),
                say="The cap is far away here; the second logit is 8 · 0.125 = 1.",
                rtol=1e-3,
            ),
            Mechanism(
                "cap",
                args=(np.array([[0.0, 3.0]]), 1.0, 2.0, _ALL),
                say="The second logit is 2·tanh(3/2), a little above 1.8.",
            ),
            Mechanism(
                "order",
                args=(np.array([[0.0, 40.0]]), 0.125, 2.0, _ALL),
                say="Scale first, then cap: the second logit is 2·tanh(5/2).",
            ),
            Mechanism(
                "mask",
                args=(np.array([[1.0, 2.0, 3.0]]), 1.0, 2.0, np.array([[True, True, False]])),
                say="A masked key has weight exactly zero, and the others share all of it.",
            ),
            Mechanism(
                "stability",
                args=(np.array([[0.0, 3000.0]]), 1.0, 2000.0, _ALL),
                say="Subtract the largest logit of the row before the exponential.",
                overflow=True,
            ),
        ),
        probe=(np.array([[1.0, 2.0, 3.0]]), 2.0, 3.0, np.array([[True, True, False]])),
        inputs=_capped_inputs,
    ),
    wrong=(
        Wrong(
            lambda scores, scale, cap, mask: softmax(
                np.where(mask, cap * np.tanh(scale * scores / cap), -np.inf), axis=0
            ),
            "You normalised over the queries (axis 0); a softmax runs over the keys.",
            mechanism="sums",
        ),
        Wrong(
            lambda scores, scale, cap, mask: capped_weights(scores, 1.0, cap, mask),
            "The scale is missing: multiply the scores by it.",
            mechanism="scale",
        ),
        Wrong(
            lambda scores, scale, cap, mask: _allowed(scale * scores, mask),
            "The cap is missing.",
            mechanism="cap",
        ),
        Wrong(
            lambda scores, scale, cap, mask: _allowed(np.clip(scale * scores, -cap, cap), mask),
            "np.clip has a corner and no gradient beyond it; the cap is cap·tanh(logit/cap).",
            mechanism="cap",
        ),
        Wrong(
            lambda scores, scale, cap, mask: _allowed(cap * np.tanh(scale * scores), mask),
            "The cap stands inside the tanh too, or small logits would grow: cap·tanh(z/cap).",
            mechanism="scale",
        ),
        Wrong(
            lambda scores, scale, cap, mask: _allowed(scale * cap * np.tanh(scores / cap), mask),
            "You capped the raw scores and scaled afterwards; scale first.",
            mechanism="order",
        ),
        Wrong(
            lambda scores, scale, cap, mask: softmax(
                cap * np.tanh(np.where(mask, scale * scores, -np.inf) / cap)
            ),
            "You masked before the cap: tanh turns −∞ into −cap, and the key keeps some weight.",
            mechanism="mask",
        ),
        Wrong(
            lambda scores, scale, cap, mask: softmax(cap * np.tanh(scale * scores / cap)),
            "The mask is not used.",
            mechanism="mask",
        ),
        Wrong(
            lambda scores, scale, cap, mask: capped_weights(scores, scale, cap, ~mask),
            "The mask is the wrong way round: true means that the key may be seen.",
            mechanism="sums",
        ),
        Wrong(
            lambda scores, scale, cap, mask: _numpy_softmax(
                np.where(mask, -np.inf, cap * np.tanh(scale * scores / cap))
            ),
            "True in the mask means that a key may be seen, and yours hides it.",
            mechanism="sums",
        ),
        Wrong(
            lambda scores, scale, cap, mask: softmax(cap * np.tanh(scale * scores / cap)) * mask,
            "You zeroed weights after the softmax; those that are left no longer sum to one.",
            mechanism="mask",
        ),
        Wrong(
            _overflows,
            "exp overflows above 709: subtract the row's largest logit first.",
            mechanism="stability",
        ),
        Wrong(
            _in_place,
            "scores *= scale changes the caller's array; write scale * scores.",
            mechanism="mutation",
        ),
    ),
    forms=(
        lambda scores, scale, cap, mask: _allowed(cap * np.tanh(scores * (scale / cap)), mask),
    ),
    hints=(
        "Four steps in this order: scale, cap, mask, softmax.",
        "`np.where(mask, logits, -np.inf)` after the cap; `attn_helpers.softmax` does the rest.",
    ),
    solution=(
        "```python\ndef capped_weights(scores, scale, cap, mask):\n"
        "    logits = cap * np.tanh(scale * scores / cap)\n"
        "    return ah.softmax(np.where(mask, logits, -np.inf))\n```\n\n"
        "The order matters twice. Masking before the cap would give hidden keys the logit "
        "$-c$ in place of $-\\infty$. Capping before the scale would put the bound at "
        "$\\beta c$."
    ),
    passage="[norm, cap and sink](07-real-models.ipynb#ch7-blow-up)",
    learned=(
        "Scale, cap, mask, softmax, in that order: this is a line of Gemma 2, and you could "
        "now read it in [any model's code](7a-models.md)."
    ),
)


def port(w_q: FloatArray, w_k: FloatArray, scale: float, heads: int) -> FloatArray:
    """Return matrices (2, d_model, heads d) for code that divides scores by √d unasked."""
    d = w_q.shape[-1] / heads
    return np.array([w_q * scale * np.sqrt(d), w_k])


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
        return f"should give two matrices, {shape_text((2, *w_q.shape))}"
    if have.shape != want.shape:
        return f"should give two matrices, {shape_text((2, *w_q.shape))}"
    worst = np.unravel_index(np.abs(have - want).argmax(), want.shape)
    off = float(np.abs(have[worst] - want[worst]))
    if off <= (1e-9 if got.dtype.itemsize >= 8 else 1e-3):  # JAX computes in float32
        return None
    if off < 1e-4:
        return f"gives a weight in the library that is off by {four(off)}: by rounding?"
    theirs, ours = four(float(have[worst])), four(float(want[worst]))
    return f"gives a weight {theirs} in the library that was {ours} in the model"


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
    ):
        matrices = rng.standard_normal((2, heads * d, heads * d)).round(2) / 2
        yield Mechanism(about, (*matrices, scale, heads), "", check=_same_weights)
    for size in (1e5, 1e-5):
        large = size * rng.standard_normal((6, 6)), rng.standard_normal((6, 6)) / size
        yield Mechanism("very different matrices", (*large, 0.5, 2), "", check=_same_weights)
    narrow = rng.standard_normal((2, 3, 8)).round(2)
    yield Mechanism("tokens of another width", (*narrow, 1.0, 2), "", check=_same_weights)


_LAYER_RNG = np.random.default_rng(710)
_PAIR = tuple((0.5 * _LAYER_RNG.standard_normal((2, 4, 4))).round(1))


PORT = Exercise(
    id="7.10",
    title="Port a model",
    difficulty=3,
    statement=(
        "An experiment. A library's attention divides its scores by $\\sqrt d$ and takes no other "
        "scale. Your model multiplied them by `scale`: by $1$ as T5, by $1/d$ as Granite. Write "
        "`port(w_q, w_k, scale, heads)`. It returns two matrices for the library, in place of $W_q$ "
        "and $W_k$ and of the same shapes, with which every head computes the weights that it had "
        "in the model. `w_q` and `w_k` have the shape `(d_model, heads * d)`, a head's columns side "
        "by side. The check sends tokens through both layers; more than one answer is right."
    ),
    kind=Function(
        name="port",
        stub="def port(w_q, w_k, scale, heads):\n    ...",
        reference=port,
        mechanisms=(
            Mechanism(
                "no scale",
                args=(*_PAIR, 1.0, 1),
                say="T5's case, one head of d = 4. The library halves its scores: the new ones must be "
                "twice the old.",
                check=_same_weights,
            ),
            Mechanism(
                "heads",
                args=(*_PAIR, 1.0, 2),
                say="Two heads share the four columns, so d is 2: every head's new scores must be √2 "
                "times the old.",
                check=_same_weights,
            ),
            Mechanism(
                "scale",
                args=(*_PAIR, 0.5, 2),
                say="Granite's case: the scores have to be multiplied by scale as well.",
                check=_same_weights,
            ),
        ),
        probe=(np.eye(2), np.eye(2), 1.0, 2),
        inputs=_port_inputs,
        instead=Instead(
            "Without Python: a model has heads of 64 dimensions and the scale 1. Which change makes "
            "the library compute the same?",
            Choice(
                {
                    "a": "W_q times 1/8",
                    "b": "W_q times 8",
                    "c": "W_q times 8 and W_k times 8",
                    "d": "W_q times 64",
                    "e": "none: a scale of 1 is no scale",
                },
                right="b",
            ),
            (
                Wrong("a", "The library divides by 8 already; this divides once more."),
                Wrong("c", "A score has both factors: that multiplies it by 64."),
                Wrong("d", "The library divides by √64 = 8, and 8 is what has to be undone."),
                Wrong("e", "The library divides by 8, whether your model did or not."),
            ),
        ),
    ),
    wrong=(
        Wrong(
            lambda w_q, w_k, scale, heads: np.array([w_q * scale, w_k]),
            "The library still divides by √d: undo that, too.",
        ),
        Wrong(
            lambda w_q, w_k, scale, heads: np.array([w_q * scale * w_q.shape[-1] ** 0.5, w_k]),
            "You took d from all columns; the library divides by the root of one head's.",
            mechanism="heads",
        ),
        Wrong(
            lambda w_q, w_k, scale, heads: np.array(
                [w_q * scale / np.sqrt(w_q.shape[-1] / heads), w_k]
            ),
            "You divided by √d once more; the library's division is to be undone.",
            mechanism="no scale",
        ),
        Wrong(
            lambda w_q, w_k, scale, heads: (
                np.array([w_q, w_k]) * scale * np.sqrt(w_q.shape[-1] / heads)
            ),
            "A score has a factor from each matrix: put it into one of them, or its root into both.",
            mechanism="no scale",
        ),
        Wrong(
            lambda w_q, w_k, scale, heads: np.array([w_q * scale * (w_q.shape[-1] / heads), w_k]),
            "The library divides by √d, not by d.",
            mechanism="no scale",
        ),
        Wrong(
            lambda w_q, w_k, scale, heads: np.array([w_q * np.sqrt(w_q.shape[-1] / heads), w_k]),
            "The library's √d is undone; now the model's own scale has to come in.",
            mechanism="scale",
        ),
        Wrong(
            lambda w_q, w_k, scale, heads: np.array([w_q * scale * heads**0.5, w_k]),
            "You took the root of the number of heads; the library's is of a head's width.",
            mechanism="no scale",
        ),
        Wrong(
            lambda w_q, w_k, scale, heads: np.array(
                [w_q / scale * np.sqrt(w_q.shape[-1] / heads), w_k]
            ),
            "You divided by the scale; the model multiplied by it.",
            mechanism="scale",
        ),
    ),
    forms=(
        lambda w_q, w_k, scale, heads: np.array(
            [w_q, w_k * scale * (w_k.shape[1] / heads) ** 0.5]
        ),
        lambda w_q, w_k, scale, heads: [
            w_q * np.sqrt(scale) * (w_q.shape[1] / heads) ** 0.25,
            w_k * np.sqrt(scale) * (w_k.shape[1] / heads) ** 0.25,
        ],
    ),
    hints=(
        "By what does the library multiply a score, and by what did the model? Their quotient must "
        "come from the matrices.",
        "It is $\\text{scale}\\cdot\\sqrt d$, with `d = w_q.shape[1] // heads`. A score has one "
        "factor from $W_q$ and one from $W_k$.",
    ),
    solution=(
        "```python\ndef port(w_q, w_k, scale, heads):\n"
        "    d = w_q.shape[1] // heads\n"
        "    return w_q * scale * np.sqrt(d), w_k\n```\n\n"
        "The library computes $(\\text{scale}\\sqrt d\\,q)\\cdot k/\\sqrt d = "
        "\\text{scale}\\cdot q\\cdot k$. In $W_k$ the factor does as well, or its root in both; "
        "with biases, they need it too. This is how models are ported to kernels that know one "
        "scale. It is right for a trained model that only computes."
    ),
    passage="[a scale inside the initial weights](07-real-models.ipynb#ch7-where)",
    learned=(
        "It is the same function; but trained further it is another model, for [where the scale "
        "lives](07-real-models.ipynb#ch7-where) decides how fast W_q learns."
    ),
)

EXERCISES = (LAYER, TRANSFER, YARN, GALLERY, REMEDY, CAPPED, PORT, *QUESTIONS.exercises())
