"""The slope of the loss in the scale, and the wrong ones that people write, for exercise 5.4."""

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]
Targets = NDArray[np.int64]


def scale_slope(scores: Scores, targets: Targets, scale: float) -> float:
    """Return the mean over rows of E_p[z] - z_target."""
    logits = scale * scores
    p = np.exp(logits - logits.max(axis=-1, keepdims=True))
    p = p / p.sum(axis=-1, keepdims=True)
    return float(np.mean((p * scores).sum(axis=-1) - scores[np.arange(len(scores)), targets]))


def weights(logits: Scores) -> Scores:
    """Return the stable softmax of each row."""
    p = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return np.asarray(p / p.sum(axis=-1, keepdims=True))


def found(scores: Scores, targets: Targets) -> Scores:
    """Return each row's score of its target."""
    return scores[np.arange(len(scores)), targets]


def unscaled(scores: Scores, targets: Targets, scale: float) -> float:
    """Take the weights at β = 1."""
    expected = (weights(scores) * scores).sum(axis=-1)
    return float(np.mean(expected - found(scores, targets)))


def turned(scores: Scores, targets: Targets, scale: float) -> float:
    """Turn the sign."""
    return -scale_slope(scores, targets, scale)


def summed(scores: Scores, targets: Targets, scale: float) -> float:
    """Add the rows' slopes instead of averaging."""
    return len(scores) * scale_slope(scores, targets, scale)


def plain_mean(scores: Scores, targets: Targets, scale: float) -> float:
    """Take the plain mean of the scores."""
    return float(np.mean(scores.mean(axis=-1) - found(scores, targets)))


def in_logits(scores: Scores, targets: Targets, scale: float) -> float:
    """Differentiate with respect to ln β."""
    return scale * scale_slope(scores, targets, scale)


def wrong_axis(scores: Scores, targets: Targets, scale: float) -> float:
    """Normalise down the columns."""
    p = np.exp(scale * scores - (scale * scores).max(axis=0))
    p = p / p.sum(axis=0)
    return float(np.mean((p * scores).sum(axis=-1) - found(scores, targets)))


def first_column(scores: Scores, targets: Targets, scale: float) -> float:
    """Take the first key for the target."""
    return float(np.mean((weights(scale * scores) * scores).sum(axis=-1) - scores[:, 0]))


def largest(scores: Scores, targets: Targets, scale: float) -> float:
    """Take the largest score for the target's."""
    expected = (weights(scale * scores) * scores).sum(axis=-1)
    return float(np.mean(expected - scores.max(axis=-1)))


def unstable(scores: Scores, targets: Targets, scale: float) -> float:
    """Subtract no maximum."""
    p = np.exp(scale * scores)
    p = p / p.sum(axis=-1, keepdims=True)
    return float(np.mean((p * scores).sum(axis=-1) - found(scores, targets)))


def each_row(scores: Scores, targets: Targets, scale: float) -> Scores:
    """Return one slope a row."""
    expected = (weights(scale * scores) * scores).sum(axis=-1)
    return np.asarray(expected - found(scores, targets))


def in_place(scores: Scores, targets: Targets, scale: float) -> float:
    """Change the caller's scores."""
    slope = scale_slope(scores, targets, scale)
    scores *= scale
    return slope


def difference(scores: Scores, targets: Targets, scale: float) -> float:
    """Return a finite difference, right to about eight digits."""

    def loss(beta: float) -> float:
        logits = beta * scores
        top = logits.max(axis=-1)
        total = np.log(np.exp(logits - top[:, None]).sum(axis=-1)) + top
        return float(np.mean(total - found(logits, targets)))

    return (loss(scale + 1e-5) - loss(scale - 1e-5)) / 2e-5


def common_maximum(scores: Scores, targets: Targets, scale: float) -> float:
    """Subtract the largest logit of all rows."""
    p = np.exp(scale * scores - (scale * scores).max())
    p = p / p.sum(axis=-1, keepdims=True)
    return float(np.mean((p * scores).sum(axis=-1) - found(scores, targets)))


def target_number(scores: Scores, targets: Targets, scale: float) -> float:
    """Subtract the target's number instead of its score."""
    return float(np.mean((weights(scale * scores) * scores).sum(axis=-1) - targets))


def from_one(scores: Scores, targets: Targets, scale: float) -> float:
    """Count the keys from 1."""
    return scale_slope(scores, targets - 1, scale)


def crossed(scores: Scores, targets: Targets, scale: float) -> float:
    """Take the targets of all rows in every row."""
    expected = (weights(scale * scores) * scores).sum(axis=-1, keepdims=True)
    return float(np.mean(expected - scores[:, targets]))


def loss(scores: Scores, targets: Targets, scale: float) -> float:
    """Return the loss itself."""
    return float(np.mean(-np.log(found(weights(scale * scores), targets))))


def divided(scores: Scores, targets: Targets, scale: float) -> float:
    """Divide the scores by the scale, as by a temperature."""
    p = weights(scores / np.float64(scale))
    return float(np.mean((p * scores).sum(axis=-1) - found(scores, targets)))


def variance(scores: Scores, targets: Targets, scale: float) -> float:
    """Return the second derivative."""
    p = weights(scale * scores)
    mean = (p * scores).sum(axis=-1)
    return float(np.mean((p * scores**2).sum(axis=-1) - mean**2))
