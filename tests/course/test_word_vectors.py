"""Word vectors from counts, against counts made the slow way."""

import numpy as np
import pytest

from why_sqrt_d.ch5.words import TALE, cooccurrence_vectors, words_of

WORDS = words_of(TALE)


def test_vectors_reproduce_the_positive_mutual_information() -> None:
    """With as many components as words, vector·vector' squared is M Mᵀ, up to each one's size."""
    names = sorted(set(WORDS))
    counts = np.zeros((len(names), len(names)))
    for i, a in enumerate(WORDS):
        for j, b in enumerate(WORDS):
            if i != j and abs(i - j) <= 4:
                counts[names.index(a), names.index(b)] += 1
    alone = counts.sum(axis=0)
    with np.errstate(divide="ignore"):
        information = np.log(counts * counts.sum() / alone / alone[:, None]).clip(min=0)
    expected = information @ information.T
    size = np.sqrt(np.diag(expected))
    vectors = cooccurrence_vectors(WORDS, d=len(names))
    got = np.array([vectors[name] for name in names])
    np.testing.assert_allclose(
        got @ got.T / len(names), expected / np.outer(size, size), atol=1e-10
    )


def test_mean_square_is_one_and_parallels_are_close() -> None:
    vectors = cooccurrence_vectors(WORDS, d=16)
    assert np.mean(np.square([*vectors.values()]), axis=1) == pytest.approx(np.ones(len(vectors)))
    assert vectors["spring"] @ vectors["winter"] > 3 * abs(vectors["spring"] @ vectors["despair"])
