"""Exercises of chapter 7, "What real models do"."""

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from attn_helpers import softmax
from attn_helpers._checks import FloatArray
from why_sqrt_d.exercises import (
    Array,
    Choice,
    Exercise,
    Function,
    Mechanism,
    Number,
    Order,
    Wrong,
    case,
    shape_only,
    sums_to_one,
)

DIVISOR = Exercise(
    id="7.1",
    title="Which root?",
    difficulty=1,
    statement=(
        "A layer has width $d_{\\text{model}} = 4096$ and $32$ heads, and follows the 2017 paper. "
        "By which number are its scores divided?"
    ),
    kind=Number(math.sqrt(128), rtol=2e-3),
    wrong=(
        Wrong(64, "That is √4096, the root of the model's width; a head is narrower than that."),
        Wrong(128, "That is the width of a head; the scores are divided by its square root."),
        Wrong("sqrt(32)", "That is the root of the number of heads, not of the width of one."),
        Wrong("1/sqrt(128)", "That is the scale β; the question asks for the divisor."),
        Wrong(4096, "That is the model's width; the scores live in one head and need a root."),
        Wrong(32, "That is the number of heads; the divisor depends on the width of one head."),
    ),
    forms=("sqrt(128)", "8√2", "11,31", "sqrt(4096/32)"),
    hints=(
        "How many components do the query and the key of *one* head have?",
        "A head is $4096/32 = 128$ components wide.",
    ),
    solution=(
        "Each head works in $d_k = 4096/32 = 128$ dimensions, so its dot products add up $128$ "
        "terms and are divided by $\\sqrt{128} \\approx 11.3$. Dividing by $\\sqrt{4096} = 64$ "
        "would make the logits $5.7$ times too small, and $5.7$ is the root of the number of heads."
    ),
)

LAYER = Exercise(
    id="7.3",
    title="One layer, step by step",
    difficulty=1,
    statement="Put the steps of a multi-head attention layer in order.",
    kind=Order(
        steps=(
            ("project", "multiply the tokens by W_Q, W_K and W_V"),
            ("split", "cut queries, keys and values into heads of width d"),
            ("score", "take the dot products of queries and keys within each head"),
            ("scale", "multiply the scores by β = 1/√d"),
            ("softmax", "turn each row of logits into weights"),
            ("mix", "average each head's values with its weights"),
            ("merge", "put the heads of a token side by side again"),
            ("output", "multiply by W_O"),
        ),
        needs=(
            ("split", "project", "what is cut into heads are the projected vectors"),
            ("score", "split", "each head takes dot products of its own slices"),
            ("scale", "score", "the scores must exist before they are scaled"),
            ("softmax", "scale", "the softmax works on scaled scores, the logits"),
            ("mix", "softmax", "the values are averaged with the weights"),
            ("merge", "mix", "what is put side by side are the heads' averages"),
            ("output", "merge", "W_O takes all heads of a token together"),
        ),
    ),
    wrong=(
        Wrong(
            ("project", "score", "split", "scale", "softmax", "mix", "merge", "output"),
            "Dot products before the cut mix all heads into one score, d_model terms long.",
        ),
        Wrong(
            ("project", "split", "score", "softmax", "scale", "mix", "merge", "output"),
            "A scale after the softmax shrinks the weights, which then no longer sum to one.",
        ),
        Wrong(
            ("split", "project", "score", "scale", "softmax", "mix", "merge", "output"),
            "Cutting the tokens first would let a head see only a slice of each token.",
        ),
        Wrong(
            ("project", "split", "score", "scale", "softmax", "mix", "output", "merge"),
            "W_O mixes the heads, so they must stand side by side before it.",
        ),
    ),
    hints=(
        "Begin with what needs nothing but the tokens, and end with the matrix called output.",
        "In the middle: score, scale, softmax, mix. The cut comes before them, the merge after.",
    ),
    solution=(
        "Project, split, score, scale, softmax, mix, merge, output. Because the cut stands before "
        "the dot products, a score has $d_{\\text{model}}/h$ terms, and that is the number under "
        "the root."
    ),
    learned=(
        "The cut comes before the dot products, and that is why the root is over a head's "
        "width: [many heads, one root](07-real-models.ipynb#ch7-heads)."
    ),
)

NO_SCALE = Exercise(
    id="7.4",
    title="No scale and no trouble",
    difficulty=2,
    statement=(
        "T5 multiplies its scores by nothing. What keeps its logits small when training begins?"
    ),
    kind=Choice(
        {
            "a": "its heads are so narrow that the dot products stay small",
            "b": "its initial query weights are smaller by the factor 1/√d",
            "c": "its softmax subtracts the largest logit",
            "d": "nothing: its attention starts saturated and recovers",
        },
        right="b",
    ),
    wrong=(
        Wrong("a", "Its heads have 64 or 128 components, as wide as those of other models."),
        Wrong("c", "Subtracting the maximum prevents overflow and changes no weight."),
        Wrong("d", "Measured, its initial logits have standard deviation one, as the textbook's."),
    ),
    forms=("B", "(b)"),
    hints=(
        "The scale can stand at any place that multiplies the score. Which matrices do?",
        "Read the section's first paragraph again: what does T5 do to its initial $W_q$?",
    ),
    solution=(
        "$(W_q x/\\sqrt d)\\cdot k$ and $(W_q x)\\cdot k/\\sqrt d$ are the same number, so the "
        "factor can be put into the initial $W_q$ once and for all. What is not the same is the "
        "training that follows: a step of fixed size on $W_q$ is then $\\sqrt d$ times as large "
        "for the logits."
    ),
    learned=(
        "A factor can live in β or in W_q. The first logits are the same and the training is "
        "not: [where the scale lives](07-real-models.ipynb#ch7-where)."
    ),
)

TRANSFER = Exercise(
    id="7.5",
    title="From a small head to a large one",
    difficulty=2,
    statement=(
        "You tuned a small model with $d = 64$ and $\\beta = 1/\\sqrt{64}$. You follow μP and grow "
        "the head to $d = 256$, keeping the behaviour at $d = 64$ as it was. Which $\\beta$ does "
        "the large model get?"
    ),
    kind=Number(1 / 32, rtol=1e-3),
    wrong=(
        Wrong("1/16", "That is 1/√256, the textbook's rule; under μP β falls as 1/d."),
        Wrong("1/256", "That is 1/d; it does not agree with 1/√64 at the small size."),
        Wrong(32, "That is the divisor; the scale is one over it."),
        Wrong("1/8", "That is the small model's scale; at four times the width it shrinks."),
        Wrong("1/64", "From 64 to 256 the width grows four times, so β falls four times, not 8."),
        Wrong("1/128", "β falls by the factor 64/256, a quarter, from 1/8."),
    ),
    forms=("8/256", "0,03125", "2^-5", "3.125 %"),
    hints=(
        "The rule has the form $\\beta = c/d$. Which $c$ gives $1/8$ at $d = 64$?",
        "$c = 8$: this is the $8/d$ of the μP README.",
    ),
    solution=(
        "$c/64 = 1/8$ gives $c = 8$, and $8/256 = 1/32$: half of $1/\\sqrt{256} = 1/16$. At the "
        "start of training the wide model's logits are smaller than the narrow one's, by design: "
        "what is to stay equal is the part that training adds."
    ),
)

YARN = Exercise(
    id="7.7",
    title="As if the head were narrower",
    difficulty=2,
    statement=(
        "DeepSeek-V3 multiplies $1/\\sqrt{192}$ by $(0.1\\ln 40 + 1)^2$. For which head dimension "
        "would the textbook's rule give the same $\\beta$?"
    ),
    kind=Number(192 / (0.1 * math.log(40) + 1) ** 4, rtol=5e-3),
    wrong=(
        Wrong(192, "That is its real head; the factor makes β larger, as a narrower head would."),
        Wrong(
            "192/(0.1*ln(40)+1)^2",
            "The factor multiplies β, and d stands under a root: divide d by its square.",
        ),
        Wrong(
            "192/(0.1*ln(40)+1)",
            "The factor on β is a square already, and d stands under a root besides.",
        ),
        Wrong(
            "192*(0.1*ln(40)+1)^4",
            "A larger β belongs to a smaller head: divide, do not multiply.",
        ),
        Wrong("(0.1*ln(40)+1)^2/sqrt(192)", "That is β itself; find d with 1/√d equal to it."),
    ),
    forms=("192/(0.1*ln(40)+1)^4", "54,7", 54.72),
    hints=(
        "Call the factor $f$ and solve $1/\\sqrt{d'} = f/\\sqrt{192}$ for $d'$.",
        "$d' = 192/f^2$, and $f$ is itself a square.",
    ),
    solution=(
        "$1/\\sqrt{d'} = f/\\sqrt{192}$ gives $d' = 192/f^2$ with $f = (0.1\\ln 40 + 1)^2 "
        "\\approx 1.87$, so $d' \\approx 54.7$. Stretching the context forty times makes this "
        "model's attention as sharp as if its heads had $55$ dimensions."
    ),
)

GALLERY = Exercise(
    id="7.8",
    title="What each mistake costs",
    difficulty=2,
    statement=(
        "A layer has $d_{\\text{model}} = 1536$ and $6$ heads, and a row has $n = 1024$ keys; the "
        "components of $q$ and $k$ are independent $N(0, 1)$. Give the standard deviation of the "
        "logits for five divisors, in this order: $d$, $\\sqrt{d_{\\text{model}}}$, $\\sqrt n$, "
        "$\\sqrt{\\text{heads}}$, and none at all."
    ),
    kind=Array([1 / 16, 16 / math.sqrt(1536), 0.5, 16 / math.sqrt(6), 16.0], rtol=5e-3),
    wrong=(
        Wrong(
            [39.19 / 1536, 1, 39.19 / 32, 16, 39.19],
            "You took d = 1536, the model's width; a head has 1536/6 = 256 dimensions.",
        ),
        Wrong(
            [1, 256 / math.sqrt(1536), 8, 256 / math.sqrt(6), 256],
            "256 is the variance of a score; its standard deviation is 16.",
        ),
        Wrong(
            [1 / 256, 1 / 6, 0.25, 256 / 6, 256],
            "These are variances; the question asks for standard deviations.",
        ),
        Wrong(
            [16, math.sqrt(1536) / 16, 2, math.sqrt(6) / 16, 1 / 16],
            "These are upside down: divide 16 by each divisor.",
        ),
        Wrong([1, 1, 1, 1, 16], "Only dividing by √256 = 16 gives one; compute each of the five."),
    ),
    forms=([0.0625, 0.408, 0.5, 6.53, 16], "0.0625 0.408 0.5 6.53 16"),
    hints=(
        "What is the standard deviation of an unscaled score in one head?",
        "A head has $256$ dimensions, so a score scatters by $16$. Divide it five times.",
    ),
    solution=(
        "$d = 1536/6 = 256$, so a score has standard deviation $16$. Divided by $256$: $0.0625$; "
        "by $\\sqrt{1536} = 39.2$: $0.41$; by $\\sqrt{1024} = 32$: $0.5$; by $\\sqrt6 = 2.45$: "
        "$6.5$; by nothing: $16$. The first three run without an error and learn slowly; the last "
        "two begin saturated. None of them raises an exception, which is why they live long."
    ),
)

REMEDY = Exercise(
    id="7.9",
    title="The logits blow up",
    difficulty=2,
    statement=(
        "In the middle of training the largest logit of your model climbs past $1000$ and the loss "
        "jumps. You want the *weights* not to sharpen, however large $W_q$ and $W_k$ grow. Which "
        "change does that?"
    ),
    kind=Choice(
        {
            "a": "divide by d in place of √d",
            "b": "soft-cap the logits at 50",
            "c": "normalise queries and keys in each head",
            "d": "subtract the row's maximum before the softmax",
        },
        right="c",
    ),
    wrong=(
        Wrong("a", "A smaller constant only delays it: W_q and W_k can grow past any constant."),
        Wrong("b", "The cap bounds the logits, but logits of ±50 still saturate a softmax."),
        Wrong("d", "That prevents overflow and changes no weight: the softmax stays saturated."),
    ),
    forms=("C", "(c)"),
    hints=(
        "Which of the four makes the logits independent of the size of $W_q$ and $W_k$?",
        "Look at the figure with growing scores: which curve of the entropy is flat?",
    ),
    solution=(
        "After normalisation only directions count, so the size of $W_q$ and $W_k$ is gone: the "
        "logits are bounded by $\\sqrt d$ times the two gains and, for random directions, scatter "
        "by their product. A cap bounds the logits too, at a height where a softmax has long saturated, "
        "and beyond it ties the leading keys. The gain is learned, so it still deserves a look."
    ),
    learned=(
        "Only a norm takes the size of the weights out of the logits; constants and caps "
        "leave it in. [Which rule for your model](07-real-models.ipynb#ch7-guide) starts from "
        "here."
    ),
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

SPLIT = Exercise(
    id="7.2",
    title="Cut a layer into heads",
    difficulty=2,
    statement=(
        "Write `split_heads(x, heads)`: `x` has shape `(n, heads * d)`, one token a row. Return an "
        "array of shape `(heads, n, d)` in which head 0 holds the first `d` columns of every "
        "token, head 1 the next `d`, and so on. It must not change its argument."
    ),
    kind=Function(
        name="split_heads",
        stub="def split_heads(x, heads):\n    ...",
        reference=split_heads,
        mechanisms=(
            Mechanism(
                "shape",
                args=(np.arange(24.0).reshape(4, 6), 3),
                say="Four tokens and three heads of width two give the shape (3, 4, 2).",
                check=shape_only((3, 4, 2)),
            ),
            Mechanism(
                "columns",
                args=(_TWO, 2),
                say="Head 0 holds the first two columns of both tokens: [[0, 1], [4, 5]].",
            ),
            Mechanism(
                "one head",
                args=(_TWO, 1),
                say="With one head nothing is cut: the result is x with an axis in front.",
            ),
            Mechanism(
                "more tokens",
                args=(np.arange(12.0).reshape(6, 2), 2),
                say="With heads of width one, head 0 is the first column and head 1 the second.",
            ),
        ),
        probe=(_TWO, 2),
        inputs=_split_inputs,
    ),
    wrong=(
        Wrong(
            lambda x, heads: x.reshape(heads, len(x), -1),
            "reshape(heads, n, d) cuts along the tokens: split the columns, then swap two axes.",
            mechanism="columns",
        ),
        Wrong(
            lambda x, heads: x.reshape(len(x), heads, -1),
            "The tokens still come first; swap the axes of tokens and heads.",
            mechanism="shape",
        ),
        Wrong(
            lambda x, heads: np.moveaxis(x.reshape(len(x), -1, heads), -1, 0),
            "Your heads take every second column; a head owns a block of neighbouring columns.",
            mechanism="columns",
        ),
        Wrong(
            lambda x, heads: x.reshape(len(x), heads, -1).transpose(1, 2, 0),
            "Within a head the tokens should be the rows and its components the columns.",
            mechanism="shape",
        ),
        Wrong(
            lambda x, heads: np.stack([x[:, : x.shape[1] // heads]] * heads),
            "Every head got the first block of columns; head i owns the columns from i·d on.",
            mechanism="columns",
        ),
        Wrong(
            _reshaped_in_place,
            "Setting x.shape changes the caller's array; use x.reshape(...).",
            mechanism="mutation",
        ),
    ),
    forms=(lambda x, heads: np.stack(np.split(x, heads, axis=1)),),
    hints=(
        "Give the columns two axes first: which head, and which component within it.",
        "`x.reshape(n, heads, d)` keeps every token's numbers together. Which axes change places?",
    ),
    solution=(
        "```python\ndef split_heads(x, heads):\n    n = len(x)\n"
        "    return x.reshape(n, heads, -1).swapaxes(0, 1)\n```\n\n"
        "`x.reshape(heads, n, -1)` has the right shape and the wrong numbers: it deals out rows, "
        "so a token's head would hold parts of other tokens."
    ),
    learned=(
        "Reshape, then swap: tokens stay whole, and each head has a block of columns of its "
        "own. With it [multi-head attention](07-real-models.ipynb#ch7-heads) is one-head "
        "attention on one more axis."
    ),
)


def _allowed(logits: FloatArray, mask: Mask) -> FloatArray:
    return softmax(np.where(mask, logits, -np.inf))


def capped_weights(scores: FloatArray, scale: float, cap: float, mask: Mask) -> FloatArray:
    """Softmax of cap·tanh(scale·scores/cap) over the keys that the mask allows."""
    return _allowed(cap * np.tanh(scale * scores / cap), mask)


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
    id="7.6",
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
                say="The weights of each query sum to one.",
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
    learned=(
        "Scale, cap, mask, softmax, in that order: this is a line of Gemma 2, and you could "
        "now read it in [any model's code](07-real-models.ipynb#ch7-table)."
    ),
)

EXERCISES = (DIVISOR, LAYER, NO_SCALE, TRANSFER, YARN, GALLERY, REMEDY, SPLIT, CAPPED)
