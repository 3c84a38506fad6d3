"""Word vectors from counts: a real, small set of queries and keys that needs no training.

Words that stand near the same words get similar vectors. The text is the opening of
*A Tale of Two Cities* (Charles Dickens, 1859, in the public domain).
"""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from attn_helpers.checks import positive_int

TALE = (
    "It was the best of times, it was the worst of times, it was the age of wisdom, it was the "
    "age of foolishness, it was the epoch of belief, it was the epoch of incredulity, it was the "
    "season of Light, it was the season of Darkness, it was the spring of hope, it was the winter "
    "of despair, we had everything before us, we had nothing before us, we were all going direct "
    "to Heaven, we were all going direct the other way"
)


def words_of(text: str) -> list[str]:
    """Return the words of an English text in lower case, in order; only a to z are letters.

    Examples
    --------
    >>> words_of("The age of Light.")
    ['the', 'age', 'of', 'light']
    """
    words = re.findall("[a-z]+", text.lower())
    if not words:
        raise ValueError(f"text must hold at least one word, got {text!r}")
    return words


def cooccurrence_vectors(
    words: Sequence[str], d: int, window: int = 4
) -> dict[str, NDArray[np.float64]]:
    """Return a vector (d,) with mean square one for each different word of a text.

    Words at most `window` places apart are neighbours. Positive pointwise mutual information of
    neighbours and its singular vectors: Levy and Goldberg (2014), "Neural word embedding as
    implicit matrix factorization". Dot products are determined; the vectors themselves only up to
    a common rotation.

    Examples
    --------
    >>> vectors = cooccurrence_vectors(words_of(TALE), d=16)
    >>> round(float(vectors["spring"] @ vectors["winter"]) / 16, 2)
    0.52
    """
    names = sorted(set(words))
    place = {name: i for i, name in enumerate(names)}
    if positive_int(d, "d") > len(names):
        raise ValueError(f"d must be at most the number of different words {len(names)}, got {d}")
    counts = np.zeros((len(names), len(names)))
    at = np.array([place[word] for word in words])
    for gap in range(1, min(positive_int(window, "window"), len(at) - 1) + 1):
        np.add.at(counts, (at[gap:], at[:-gap]), 1)
        np.add.at(counts, (at[:-gap], at[gap:]), 1)
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0))
    ratio = np.divide(
        counts * counts.sum(), expected, out=np.ones_like(counts), where=expected > 0
    )
    left, values, _ = np.linalg.svd(np.log(np.maximum(ratio, 1)))
    vectors = left[:, :d] * values[:d]
    size = np.sqrt(np.mean(vectors**2, axis=1, keepdims=True))
    if (size < 1e-9).any():
        word = names[int(np.argmin(size))]
        raise ValueError(f"the counts say nothing about {word!r}: take a longer text or larger d")
    return dict(zip(names, vectors / size, strict=True))
