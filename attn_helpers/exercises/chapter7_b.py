"""Exercises of chapter 7 that are answered with a function."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_helpers import softmax
from attn_helpers.exercises.kinds import Function, Mechanism, shape_only, sums_to_one
from attn_helpers.exercises.model import Exercise, Wrong

Values = NDArray[np.floating[Any]]
Mask = NDArray[np.bool_]


def split_heads(x: Values, heads: int) -> Values:
    """Cut the columns into heads: (n, heads·d) to (heads, n, d)."""
    return x.reshape(len(x), heads, -1).swapaxes(0, 1)


def _tokens_cut(x: Values, heads: int) -> Values:
    return x.reshape(heads, len(x), -1)


def _not_swapped(x: Values, heads: int) -> Values:
    return x.reshape(len(x), heads, -1)


def _interleaved(x: Values, heads: int) -> Values:
    return np.moveaxis(x.reshape(len(x), -1, heads), -1, 0)


def _transposed(x: Values, heads: int) -> Values:
    return x.reshape(len(x), heads, -1).transpose(1, 2, 0)


def _first_only(x: Values, heads: int) -> Values:
    return np.stack([x[:, : x.shape[1] // heads]] * heads)


def _reshaped_in_place(x: Values, heads: int) -> Values:
    x.shape = (len(x), heads, -1)
    return x.swapaxes(0, 1)


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
    ),
    wrong=(
        Wrong(
            _tokens_cut,
            "reshape(heads, n, d) cuts along the tokens: split the columns, then swap two axes.",
            mechanism="columns",
        ),
        Wrong(
            _not_swapped,
            "The tokens still come first; swap the axes of tokens and heads.",
            mechanism="shape",
        ),
        Wrong(
            _interleaved,
            "Your heads take every second column; a head owns a block of neighbouring columns.",
            mechanism="columns",
        ),
        Wrong(
            _transposed,
            "Within a head the tokens should be the rows and its components the columns.",
            mechanism="shape",
        ),
        Wrong(
            _first_only,
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
)


def capped_weights(scores: Values, scale: float, cap: float, mask: Mask) -> Values:
    """Softmax of cap·tanh(scale·scores/cap) over the keys that the mask allows."""
    logits = cap * np.tanh(scale * scores / cap)
    return softmax(np.where(mask, logits, -np.inf))


def _masked_first(scores: Values, scale: float, cap: float, mask: Mask) -> Values:
    logits = np.where(mask, scale * scores, -np.inf)
    return softmax(cap * np.tanh(logits / cap))


def _scaled_last(scores: Values, scale: float, cap: float, mask: Mask) -> Values:
    return softmax(np.where(mask, scale * cap * np.tanh(scores / cap), -np.inf))


def _no_scale(scores: Values, scale: float, cap: float, mask: Mask) -> Values:
    return capped_weights(scores, 1.0, cap, mask)


def _no_cap(scores: Values, scale: float, cap: float, mask: Mask) -> Values:
    return softmax(np.where(mask, scale * scores, -np.inf))


def _clipped(scores: Values, scale: float, cap: float, mask: Mask) -> Values:
    return softmax(np.where(mask, np.clip(scale * scores, -cap, cap), -np.inf))


def _cap_outside_only(scores: Values, scale: float, cap: float, mask: Mask) -> Values:
    return softmax(np.where(mask, cap * np.tanh(scale * scores), -np.inf))


def _no_mask(scores: Values, scale: float, cap: float, mask: Mask) -> Values:
    return softmax(cap * np.tanh(scale * scores / cap))


def _turned_mask(scores: Values, scale: float, cap: float, mask: Mask) -> Values:
    return capped_weights(scores, scale, cap, ~mask)


def _masked_after(scores: Values, scale: float, cap: float, mask: Mask) -> Values:
    return _no_mask(scores, scale, cap, mask) * mask


def _overflows(scores: Values, scale: float, cap: float, mask: Mask) -> Values:
    powers = np.exp(cap * np.tanh(scale * scores / cap)) * mask
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))


def _over_queries(scores: Values, scale: float, cap: float, mask: Mask) -> Values:
    return softmax(np.where(mask, cap * np.tanh(scale * scores / cap), -np.inf), axis=0)


def _in_place(scores: Values, scale: float, cap: float, mask: Mask) -> Values:
    scores *= scale
    return softmax(np.where(mask, cap * np.tanh(scores / cap), -np.inf))


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
                check=sums_to_one(),
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
                args=(
                    np.array([[1.0, 2.0, 3.0]]),
                    1.0,
                    2.0,
                    np.array([[True, True, False]]),
                ),
                say="A masked key has weight exactly zero, and the others share all of it.",
            ),
            Mechanism(
                "stability",
                args=(np.array([[0.0, 3000.0]]), 1.0, 2000.0, _ALL),
                say="Subtract the largest logit of the row before the exponential.",
            ),
        ),
        probe=(np.array([[1.0, 2.0, 3.0]]), 2.0, 3.0, np.array([[True, True, False]])),
    ),
    wrong=(
        Wrong(
            _over_queries,
            "You normalised over the queries (axis 0); a softmax runs over the keys.",
            mechanism="sums",
        ),
        Wrong(_no_scale, "The scale is missing: multiply the scores by it.", mechanism="scale"),
        Wrong(_no_cap, "The cap is missing.", mechanism="cap"),
        Wrong(
            _clipped,
            "np.clip has a corner and no gradient beyond it; the cap is cap·tanh(logit/cap).",
            mechanism="cap",
        ),
        Wrong(
            _cap_outside_only,
            "The cap stands inside the tanh too, or small logits would grow: cap·tanh(z/cap).",
            mechanism="scale",
        ),
        Wrong(
            _scaled_last,
            "You capped the raw scores and scaled afterwards; scale first.",
            mechanism="order",
        ),
        Wrong(
            _masked_first,
            "You masked before the cap: tanh turns −∞ into −cap, and the key keeps some weight.",
            mechanism="mask",
        ),
        Wrong(_no_mask, "The mask is not used.", mechanism="mask"),
        Wrong(
            _turned_mask,
            "The mask is the wrong way round: true means that the key may be seen.",
            mechanism="sums",
        ),
        Wrong(
            _masked_after,
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
        lambda scores, scale, cap, mask: softmax(
            np.where(mask, cap * np.tanh(scores * (scale / cap)), -np.inf), axis=1
        ),
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
)

EXERCISES = (SPLIT, CAPPED)
