"""The numbers that chapter 1 and its deeper page quote, one function a section."""

from collections.abc import Mapping

import numpy as np

from attn_helpers import (
    Gaussian,
    Uniform,
    score_statistics,
    simulate_rows,
    simulate_scores,
    softmax,
)
from attn_helpers.checks import FloatArray
from attn_helpers.saturation import normal_rows
from why_sqrt_d.experiments.summary import statistics
from why_sqrt_d.notebook import table

UNIFORM_VARIANCE = 7 / 144  # of a product of two components uniform on (0, 1)
UNIFORM_BETWEEN = 1 / 48  # Cov(q·k, q·k′) per dimension, with one query and two keys


def larger_scores(rows: int = 20_000, seed: int = 36) -> dict[str, FloatArray]:
    """Return scores (10,) of a typical row at d = 4, of the same row shifted, and at d = 1024.

    Typical is the row of `rows` whose two largest weights are nearest to their medians. It is
    shifted by adding 5 to every component of its keys.
    """
    rng = np.random.default_rng(seed)
    queries, keys = rng.standard_normal((rows, 4)), rng.standard_normal((rows, 10, 4))
    scores = np.einsum("rc,rkc->rk", queries, keys)
    wide = normal_rows(1024, 10, rows, rng)
    found = _typical(scores)
    return {
        "d = 4": scores[found],
        "d = 4, every key shifted": (keys[found] + 5) @ queries[found],
        "d = 1024": wide[_typical(wide)],
    }


def shift(rows: Mapping[str, FloatArray]) -> dict[str, float]:
    """Return by how much the second row of scores (n,) lies above the first."""
    before, after, *_ = rows.values()
    return {"shift": float(np.mean(after - before))}


def _typical(scores: FloatArray) -> int:
    """Return which of the rows (rows, n) has its two largest weights nearest to their medians."""
    top = np.sort(softmax(scores), axis=-1)[:, -2:]
    return int(np.abs(top - np.median(top, axis=0)).sum(axis=-1).argmin())


def partial_sums(pairs: int = 40, d: int = 1024, seed: int = 13) -> FloatArray:
    """Return scores (pairs, d) of standard normal vectors as they grow, product by product."""
    q, k = np.random.default_rng(seed).standard_normal((2, pairs, d))
    sums: FloatArray = np.cumsum(q * k, axis=-1)
    return sums


def spreads(pairs: int = 40_000) -> list[tuple[int, float, float]]:
    """Return d, the measured standard deviation of q·k, and its standard error, for five d."""
    rng = np.random.default_rng(3)
    rows = []
    for d in (4, 16, 64, 256, 1024):
        found = score_statistics(simulate_scores(Gaussian(), d, pairs, rng))
        std = found.variance**0.5
        rows.append((d, std, found.variance_se / (2 * std)))
    return rows


def spread_table() -> None:
    """Show `spreads` beside √d."""
    rows = [[f"{d}", f"{std:.2f} ± {error:.2f}", f"{d**0.5:.0f}"] for d, std, error in spreads()]
    table(["d", "spread of q·k", "√d"], rows)


def split(rows: FloatArray, d: int) -> dict[str, float]:
    """Return 36 times the variance per dimension of scores (rows, n) within rows.

    With its standard error over rows.
    """
    within = rows.var(axis=-1, ddof=1) / d
    return {
        "within_36": 36 * within.mean(),
        "within_36_error": 36 * within.std(ddof=1) / np.sqrt(len(within)),
    }


def cure(d: tuple[int, ...], rows: int = 40_000) -> dict[str, FloatArray]:
    """Return the median largest weight of ten keys (len(d),), without a scale and with 1/√d."""
    rng = np.random.default_rng(5)
    scores = [normal_rows(size, 10, rows, rng) for size in d]
    return {
        "plain": np.array([np.median(softmax(s).max(axis=-1)) for s in scores]),
        "scaled": np.array(
            [
                np.median(softmax(s / size**0.5).max(axis=-1))
                for s, size in zip(scores, d, strict=True)
            ]
        ),
    }


def after_dividing(d: tuple[int, ...]) -> dict[str, FloatArray]:
    """Return the spread (len(d),) within rows of q·k/√d: normal, uniform, and length one."""
    rng = np.random.default_rng(6)

    def spread(rows: FloatArray, size: int) -> float:
        return float(np.sqrt(rows.var(axis=-1, ddof=1).mean() / size))

    return {
        "normal": np.array([spread(simulate_rows(Gaussian(), s, 200, 60, rng), s) for s in d]),
        "uniform on (0, 1)": np.array(
            [spread(simulate_rows(Uniform(0, 1), s, 200, 60, rng), s) for s in d]
        ),
        "length one": np.array([spread(_unit_rows(s, rng), s) for s in d]),
    }


def flat(rows: int = 4000) -> float:
    """Return the median largest of ten weights with components uniform on (0, 1) and 1/√d."""
    scores = simulate_rows(Uniform(0, 1), 256, 10, rows, np.random.default_rng(7))
    return float(np.median(softmax(scores / 16).max(axis=-1)))


def slopes(plain: Mapping[int, float]) -> dict[str, float]:
    """Return p(1 − p) in millionths, p the typical largest weight at d = 1024 without a scale."""
    return {"slope_millionths": 1e6 * plain[1024] * (1 - plain[1024])}


def growth(d: FloatArray, curves: Mapping[str, FloatArray]) -> dict[str, float]:
    """Return the slopes, from d = 16 on, of three curves (len(d),) on logarithmic axes.

    The curves are the post's example, the mean and the spread, in this order.
    """
    large = d >= 16
    slopes = (
        float(np.polyfit(np.log(d[large]), np.log(values[large]), 1)[0])
        for values in curves.values()
    )
    return dict(zip(("slope_post", "slope_mean", "slope_spread"), slopes, strict=True))


def histograms(scores: Mapping[int, FloatArray]) -> dict[str, float]:
    """Return the standard deviation over the mean of scores (pairs,) at d = 3 and 1000."""
    low, high = scores[3], scores[1000]
    return {"relative_3": low.std() / low.mean(), "relative_1000": high.std() / high.mean()}


def histogram_table(scores: Mapping[int, FloatArray]) -> None:
    """Show mean and variance of scores (pairs,) of uniform vectors beside d/4 and 7d/144."""
    rows = []
    for d, values in scores.items():
        predicted = d / 4, UNIFORM_VARIANCE * d
        found = values.mean(), values.var(ddof=1)
        cells = (
            f"{found[0]:.2f}",
            f"{predicted[0]:.2f}",
            f"{found[1]:.3f}",
            f"{predicted[1]:.3f}",
        )
        rows.append([f"{d}", *cells])
    table(["d", "mean", "d/4", "variance", "7d/144"], rows)


def variance(dims: FloatArray, fresh: FloatArray, shared: FloatArray) -> dict[str, float]:
    """Return slope, bend and noise of variances (seeds, len(dims)) of uniform vectors.

    `shared` comes from all pairs among 100 vectors, `fresh` from vectors used once; slopes are in
    144ths per dimension, the noise is the scatter of one estimate from seed to seed in per cent.
    """
    bend = 512**2 * np.array([np.polyfit(dims, row, 2)[0] for row in fresh])
    n = 100
    lost = (2 * (n - 2) * UNIFORM_BETWEEN + UNIFORM_VARIANCE) / (n * (n - 1) / 2)
    slopes_fresh, slopes_shared = (144 * (x / dims).mean(axis=1) for x in (fresh, shared))
    return {
        **statistics(slopes_fresh, slope_fresh="mean", slope_fresh_error="error"),
        **statistics(slopes_shared, slope_shared="mean", slope_shared_error="error"),
        "slope_shared_expected": 144 * (UNIFORM_VARIANCE - lost),
        **statistics(bend, bend="mean", bend_error="error"),
        "line_512": 7 * 512 / 144,
        "noise_shared": _noise(shared, dims),
        "noise_fresh": _noise(fresh, dims),
    }


def _unit_rows(d: int, rng: np.random.Generator) -> FloatArray:
    """Return scores (60, 200) of queries and keys that are scaled to length one."""
    q, k = rng.standard_normal((60, d)), rng.standard_normal((200, d))
    q /= np.linalg.norm(q, axis=-1, keepdims=True)
    k /= np.linalg.norm(k, axis=-1, keepdims=True)
    rows: FloatArray = q @ k.T
    return rows


def _noise(variances: FloatArray, dims: FloatArray) -> float:
    scatter = (variances[:, 1:] / dims[1:]).std(axis=0, ddof=1).mean()
    return float(100 * scatter / UNIFORM_VARIANCE)
