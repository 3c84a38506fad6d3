"""The numbers that chapter 1 quotes, one function a section."""

from collections.abc import Mapping, Sequence

import numpy as np

from attn_helpers import Uniform, simulate_rows, softmax
from attn_helpers._checks import FloatArray
from attn_helpers.scores import score_statistics
from why_sqrt_d.experiments.summary import statistics

UNIFORM_VARIANCE = 7 / 144  # of a product of two components uniform on (0, 1)
UNIFORM_SHIFT = 1 / 48  # Cov(q·k, q·k′) per dimension, with one query and two keys


def puzzle(weights: Mapping[int, FloatArray]) -> dict[str, float]:
    """Return medians of rows' largest weights, and the per cent of rows with one key above 0.99.

    `weights` maps d to rows of weights (rows, n).
    """
    top = {d: rows.max(axis=-1) for d, rows in weights.items()}
    return {
        **{f"top_{d}": np.median(top[d]) for d in (4, 64, 1024)},
        **{f"one_key_{d}": float(100 * np.mean(top[d] > 0.99)) for d in (1024, 4)},
    }


def partial_sums(pairs: int = 40, d: int = 1024, seed: int = 13) -> FloatArray:
    """Return scores (pairs, d) of standard normal vectors as they grow, product by product."""
    q, k = np.random.default_rng(seed).standard_normal((2, pairs, d))
    sums: FloatArray = np.cumsum(q * k, axis=-1)
    return sums


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
    """Return the standard deviation over the mean of scores (rows,) at d = 3 and 1000."""
    low, high = scores[3], scores[1000]
    return {"relative_3": low.std() / low.mean(), "relative_1000": high.std() / high.mean()}


def variance(dims: FloatArray, fresh: FloatArray, shared: FloatArray) -> dict[str, float]:
    """Return slope, bend and noise of variances (seeds, len(dims)) of uniform vectors.

    `shared` comes from all pairs among 100 vectors, `fresh` from vectors used once; slopes are in
    144ths per dimension, the noise is the scatter of one estimate from seed to seed in per cent.
    """
    bend = 512**2 * np.array([np.polyfit(dims, row, 2)[0] for row in fresh])
    n = 100
    lost = (2 * (n - 2) * UNIFORM_SHIFT + UNIFORM_VARIANCE) / (n * (n - 1) / 2)
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


def row_and_shift(rows: FloatArray, d: int) -> dict[str, float]:
    """Return the variance per dimension of scores (rows, n) within a row, and of rows' shifts.

    In 36ths and 48ths, with standard errors over rows.
    """
    within = rows.var(axis=-1, ddof=1) / d
    centres = score_statistics(rows.mean(axis=-1))
    between = centres.variance / d - within.mean() / rows.shape[1]
    return {
        "row_36": 36 * within.mean(),
        "row_36_error": 36 * within.std(ddof=1) / np.sqrt(len(within)),
        "shift_48": 48 * between,
        "shift_48_error": 48 * centres.variance_se / d,
    }


def after_dividing(
    left: Mapping[str, Sequence[float]], rng: np.random.Generator
) -> dict[str, float]:
    """Return a row's spread at d = 1024, and the largest weight where vectors are uniform."""
    rows = simulate_rows(Uniform(0, 1), 1024, 10, 2000, rng)
    return {
        "flat": np.median(softmax(rows / 32).max(axis=-1)),
        "left_normal": left["N(0, 1)"][-1],
        "left_uniform": left["uniform on (0, 1)"][-1],
        "left_unit": left["length one"][-1],
    }


def _noise(variances: FloatArray, dims: FloatArray) -> float:
    scatter = (variances[:, 1:] / dims[1:]).std(axis=0, ddof=1).mean()
    return float(100 * scatter / UNIFORM_VARIANCE)
