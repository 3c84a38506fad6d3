"""Word vectors from counts, against counts made the slow way."""

import re

import numpy as np
from stored_outputs import from_the_page

WORDS = re.findall(
    "[a-z]+",
    "it was the best of times it was the worst of times it was the spring of hope it was the "
    "winter of despair we had everything before us we had nothing before us",
)


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
    vectors = from_the_page("5a-other-temperatures", "word_vectors")(WORDS, d=len(names))
    got = np.array([vectors[name] for name in names])
    np.testing.assert_allclose(
        got @ got.T / len(names), expected / np.outer(size, size), atol=1e-10
    )
