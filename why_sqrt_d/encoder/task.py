"""The reverse task: read a string of random tokens, say it backwards.

Lippe, "Tutorial 6: Transformers and Multi-Head Attention" (UvA Deep Learning Tutorials). Every
position must look at exactly one other, n - 1 - i, which a single attention head can learn.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from attn_helpers._checks import positive_int
from why_sqrt_d.encoder.layers import IntArray


def make_strings(
    rng: np.random.Generator, samples: int, vocabulary: int, length: int
) -> tuple[IntArray, IntArray]:
    """Return random strings and the same strings reversed, two arrays (samples, length).

    Parameters
    ----------
    rng : numpy.random.Generator
        Where the tokens come from, each uniform on 0..vocabulary - 1.
    samples, vocabulary, length : int
        How many strings, of how many different tokens, how long; each >= 1.

    Examples
    --------
    >>> tokens, targets = make_strings(np.random.default_rng(0), 1, 10, 4)
    >>> tokens, targets
    (array([[8, 6, 5, 2]]), array([[2, 5, 6, 8]]))
    """
    shape = positive_int(samples, "samples"), positive_int(length, "length")
    tokens = rng.integers(positive_int(vocabulary, "vocabulary"), size=shape)
    return tokens, tokens[:, ::-1].copy()


def batches(
    rng: np.random.Generator, tokens: ArrayLike, targets: ArrayLike, batch_size: int
) -> Iterator[tuple[IntArray, IntArray]]:
    """Return one epoch of pairs (tokens, targets), (batch_size, length) each, in a new order.

    What is left over after the last full batch is dropped. Call again for the next epoch.

    Parameters
    ----------
    rng : numpy.random.Generator
        Where the order comes from, drawn when this is called.
    tokens, targets : array_like of int
        Shape ``(samples, length)`` each.
    batch_size : int
        Strings in a batch, from 1 to the number of samples.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> tokens, targets = make_strings(rng, 7, 10, 4)
    >>> [batch.shape for batch, _ in batches(rng, tokens, targets, 3)]
    [(3, 4), (3, 4)]
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
