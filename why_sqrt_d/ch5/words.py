"""Word vectors from counts: a real, small set of queries and keys that needs no training.

Words that stand near the same words get similar vectors. The text is the opening of
*A Tale of Two Cities* (Charles Dickens, 1859, in the public domain).
"""

import re
from collections.abc import Sequence

import numpy as np

from attn_helpers.checks import FloatArray

TALE = (
    "It was the best of times, it was the worst of times, it was the age of wisdom, it was the "
    "age of foolishness, it was the epoch of belief, it was the epoch of incredulity, it was the "
    "season of Light, it was the season of Darkness, it was the spring of hope, it was the winter "
    "of despair, we had everything before us, we had nothing before us, we were all going direct "
    "to Heaven, we were all going direct the other way"
)


def words_of(text: str) -> list[str]:
    """Return the words of an English text in lower case, in order.

    >>> words_of("The age of Light.")
    ['the', 'age', 'of', 'light']
    """
    return re.findall("[a-z]+", text.lower())


def cooccurrence_vectors(words: Sequence[str], d: int, window: int = 4) -> dict[str, FloatArray]:
    """Return a vector (d,) with mean square one for each different word of a text.

    Words at most `window` places apart are neighbours. Positive pointwise mutual information of
    neighbours and its singular vectors: Levy and Goldberg (2014), "Neural word embedding as
    implicit matrix factorization". Dot products are determined; the vectors themselves only up to
    a common rotation.

    >>> vectors = cooccurrence_vectors(words_of(TALE), d=16)
    >>> round(float(vectors["spring"] @ vectors["winter"]) / 16, 2)
    0.52
    """
    names, at = np.unique(words, return_inverse=True)
    counts = np.zeros((len(names), len(names)))
    for gap in range(1, window + 1):
        np.add.at(counts, (at[gap:], at[:-gap]), 1)
        np.add.at(counts, (at[:-gap], at[gap:]), 1)
    ratio = counts * counts.sum() / np.outer(counts.sum(axis=1), counts.sum(axis=0))
    left, values, _ = np.linalg.svd(np.log(np.maximum(ratio, 1)))
    vectors = left[:, :d] * values[:d]
    vectors /= np.sqrt(np.mean(vectors**2, axis=1, keepdims=True))
    return dict(zip(names.tolist(), vectors, strict=True))
