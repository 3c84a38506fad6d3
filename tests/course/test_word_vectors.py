"""Word vectors from counts, against counts made the slow way."""

import numpy as np
import pytest

from why_sqrt_d.ch5.words import TALE, cooccurrence_vectors, words_of

WORDS = words_of(TALE)


def test_words():
    assert WORDS[:6] == ["it", "was", "the", "best", "of", "times"]
    with pytest.raises(ValueError, match="at least one word"):
        words_of("1859.")


def test_vectors_reproduce_the_positive_mutual_information():
    """With as many components as words, vector·vector' squared is M Mᵀ, up to each one's size."""
    names = sorted(set(WORDS))
    counts = {(a, b): 0 for a in names for b in names}
    for i, a in enumerate(WORDS):
        for j, b in enumerate(WORDS):
            if i != j and abs(i - j) <= 4:
                counts[a, b] += 1
    total = sum(counts.values())
    alone = {a: sum(counts[a, b] for b in names) for a in names}
    information = np.array(
        [
            [
                max(0.0, np.log(max(counts[a, b], 1e-9) * total / alone[a] / alone[b]))
                for b in names
            ]
            for a in names
        ]
    )
    expected = information @ information.T
    size = np.sqrt(np.diag(expected))
    vectors = cooccurrence_vectors(WORDS, d=len(names))
    got = np.array([vectors[name] for name in names])
    np.testing.assert_allclose(
        got @ got.T / len(names), expected / np.outer(size, size), atol=1e-10
    )


def test_mean_square_is_one_and_parallels_are_close():
    vectors = cooccurrence_vectors(WORDS, d=16)
    for vector in vectors.values():
        assert vector.shape == (16,)
        assert np.mean(vector**2) == pytest.approx(1)
    assert vectors["spring"] @ vectors["winter"] > 3 * abs(vectors["spring"] @ vectors["despair"])


def test_bad_sizes_are_named():
    with pytest.raises(ValueError, match="at most the number of different words 2, got 3"):
        cooccurrence_vectors(["a", "b", "a"], d=3)
    with pytest.raises(ValueError, match="the counts say nothing about"):
        cooccurrence_vectors(["a", "b"] * 10, d=1, window=9)
