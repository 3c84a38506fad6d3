"""The reverse task: read a string of random tokens, say it backwards.

Lippe, "Tutorial 6: Transformers and Multi-Head Attention" (UvA Deep Learning Tutorials). Every
position must look at exactly one other, n - 1 - i, which a single attention head can learn.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from attn_helpers.checks import positive_int
from why_sqrt_d.encoder.layers import IntArray


def make_strings(
    rng: np.random.Generator, samples: int, vocabulary: int, length: int
) -> tuple[IntArray, IntArray]:
    """Return random strings and the same strings reversed, two arrays (samples, length).

    Each token is uniform on 0..vocabulary - 1.
    """
    shape = positive_int(samples, "samples"), positive_int(length, "length")
    tokens = rng.integers(positive_int(vocabulary, "vocabulary"), size=shape)
    return tokens, tokens[:, ::-1].copy()


def batches(
    rng: np.random.Generator, tokens: ArrayLike, targets: ArrayLike, batch_size: int
) -> Iterator[tuple[IntArray, IntArray]]:
    """Return one epoch of pairs (tokens, targets), (batch_size, length) each, in a new order.

    The order is drawn when this is called: call again for the next epoch. What is left over after
    the last full batch is dropped. `tokens` and `targets` are (samples, length).
    """
    x, y, size = np.asarray(tokens), np.asarray(targets), positive_int(batch_size, "batch_size")
    if x.shape != y.shape or x.ndim != 2:
        raise ValueError(
            f"tokens and targets must share a shape (samples, length), got {x.shape} and {y.shape}"
        )
    if size > len(x):
        raise ValueError(f"batch_size {size} is more than the {len(x)} samples")
    order = rng.permutation(len(x))[: len(x) // size * size].reshape(-1, size)
    return ((x[rows], y[rows]) for rows in order)
