"""The numbers of chapter 4, from rows made by hand whose statistics are known."""

from itertools import product

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from why_sqrt_d.ch4 import results
from why_sqrt_d.ch4.experiment import DIMENSIONS, RATES, SIZES, STDS
from why_sqrt_d.ch4.flow import measure_flow, random_layer
from why_sqrt_d.ch4.retrieval import initial_weights, retrieval_batch

SETTINGS = list(product(SIZES, SIZES))


def agrees(found, expected, rtol=1e-12):
    assert {name: float(found[name]) for name in expected} == pytest.approx(expected, rel=rtol)


def weights(logits):
    p = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return p / p.sum(axis=-1, keepdims=True)


def jacobians(p):
    return p[..., None] * np.eye(p.shape[-1]) - p[..., None] * p[..., None, :]


def median_length(layer, scale):
    """Median length of β Kᵀ J V g, with every Jacobian written out."""
    matrices = jacobians(weights(scale * layer.query @ layer.key.swapaxes(-1, -2)))
    to_weights = layer.grad @ layer.value.swapaxes(-1, -2)
    to_logits = np.einsum("sqij,sqj->sqi", matrices, to_weights)
    return np.median(np.linalg.norm(scale * to_logits @ layer.key, axis=-1))


def test_puzzle_compares_two_rules_and_draws_again():
    layer = random_layer(16, 5, 40, np.random.default_rng(0))
    scaled, unscaled = np.array([2.0] * 39 + [40.0]), np.array([7.0] * 38 + [60.0, 80.0])
    found = results.puzzle({"scaled": scaled, "unscaled": unscaled}, layer, seeds=(3, 4))
    again = [random_layer(16, 5, 40, np.random.default_rng(seed)) for seed in (3, 4)]
    ratios = [2 / 7, *(median_length(x, 0.25) / median_length(x, 1.0) for x in again)]
    agrees(
        found,
        {
            "hero_median_ratio": 0.29,
            "hero_median_low": float(f"{min(ratios):.2g}"),
            "hero_median_high": float(f"{max(ratios):.2g}"),
            "hero_rms_ratio": np.sqrt((38 * 49 + 10_000) / (39 * 4 + 1600)),
            "hero_top": 100 * 10_000 / (38 * 49 + 10_000),
            "hero_top_scaled": 100 * 1604 / 1756,
        },
    )


def test_jacobian_of_two_keys():
    # J = p (1 - p) times ((1, -1), (-1, 1)), whose norm is 2.
    found = results.jacobian([0.0, np.log(9)], scale=0.5)
    agrees(found, {"pair_norm": 2 * 0.9 * 0.1, "spread_norm": 2 * 0.75 * 0.25})


def test_typical_measures_new_rows():
    trace = np.array([0.0, 0.01234, 0.0555, 0.4, 0.12])
    found = results.typical(trace, keys=3, std=2.0, rng=np.random.default_rng(1))
    rows = 2.0 * np.random.default_rng(1).standard_normal((5, 3))
    squares = (jacobians(weights(rows)) ** 2).sum(axis=(1, 2))
    agrees(
        found,
        {
            "square_32": squares.mean(),
            "square_32_error": squares.std() / np.sqrt(5),
            "mean_trace_32": trace.mean(),
            "median_trace_32": 0.056,
            "live_rows": 40.0,
        },
    )
    predicted = results.typical(trace, keys=16, std=32.0, rng=np.random.default_rng(1))
    m = 0.06149  # one minus the mean of Σp² when 16 logits spread by 32
    assert predicted["square_32_expected"] == pytest.approx(m * (1 - m) / 3, rel=1e-3)


def test_ratio_table_takes_geometric_means_of_the_seeds():
    rows = [
        {"d": d, "n": n, "x": [2.0 * d, top * n]}
        for d in SIZES
        for n in SIZES
        for top in (1.0, 1.0, 8.0)
    ]
    expected = [[n / d for n in SIZES] for d in SIZES]  # 8 has the geometric mean 2
    np.testing.assert_allclose(results.ratio_table(rows, "x"), expected, rtol=1e-12)
    table = results.ratio_table(rows, "x", rule=0, below=1)
    np.testing.assert_allclose(table, 1 / np.array(expected), rtol=1e-12)
    assert results.ratios(rows, "x", 64, 16).tolist() == [0.125, 0.125, 1.0]
    assert results.ratio(rows, "x", 64, 16) == pytest.approx(0.25)
    with pytest.raises(KeyError, match="d = 5"):
        results.ratio(rows, "x", 5, 16)


def flow_rows(seeds=(1 / 8, 1.0, 8.0)):
    """Rows of "gradient_flow": every ratio is a power law times the seed's factor."""
    return [
        {
            "d": d,
            "n": n,
            "query_median": [s / n, s * s * typical_law(d, n) / n],
            "w_query": [2.0, 2 * s * 3 * d / n, 0.5 * s / d],
            "w_key": [2.0, s * d / n],
            "w_value": [1.0, s * (d * n) ** 0.5],
            "logits_median": [1.0, s * d / n**2],
        }
        for d, n in SETTINGS
        for s in seeds
    ]


def typical_law(d, n):
    return 64 / n * (d / 64) ** 0.25


def test_who_counts_settings_and_finds_extremes():
    found = results.who(flow_rows())
    law = np.array([typical_law(d, n) for d, n in SETTINGS])
    five = [random_layer(64, 5, 1024, np.random.default_rng([40, seed])) for seed in range(5)]
    ratios = [median_length(x, 1.0) / median_length(x, 1 / 8) for x in five]
    agrees(
        found,
        {
            "settings": 36,
            "settings_vanish": (law < 1).sum(),
            "settings_mixed": ((law < 1) & (8 * law > 1)).sum(),
            "settings_tenth": (law < 0.1).sum(),
            "typical_64_256": 1 / 4,
            "typical_64_256_low": 1 / 32,
            "typical_64_256_high": 2.0,
            "matrix_64_256": 3 / 4,
            "matrix_smallest": 3 * 4 / 4096,
            "matrix_largest": 3 * 4096 / 4,
            "every_smallest": 4 / 4096 / 16,
            "value_smallest": 4.0,
            "value_largest": 4096.0,
            "typical_64_16": 4.0,
            "five_low": min(ratios),
            "five_high": max(ratios),
            "logits_64_4": 4.0,
            "logits_64_64": 1 / 64,
            "logits_64_256": 1 / 1024,
            "unscaled_64_4": 16 * (1 / 64 + 1 + 64) / 3 / 4,
            "unscaled_64_4096": (1 / 64 + 1 + 64) / 3 / 64 / 4096,
            "scaled_64_4": (1 / 8 + 1 + 8) / 3 / 4,
            "scaled_64_4096": (1 / 8 + 1 + 8) / 3 / 4096,
            "typical_4_at_1024": 30.0,
        },
    )
    assert 0 < found["settings_tenth"] < found["settings_vanish"] < 36
    assert 0 < found["settings_mixed"] < found["settings_vanish"]


def test_depth_reads_medians_ends_and_factors():
    def runs(factors, draws):
        return np.outer(draws, np.cumprod([1.0, *factors]))

    full = {
        "β = 1": runs(range(2, 14), (1.0, 3.0, 7.0)),
        "β = 1/√d": runs([1.5, *[1.0] * 10, 0.5], (2.0, 3.0, 10.0)),
    }
    plain = {
        "β = 1": runs([0.5] * 12, (4.0, 5.0, 7.0)),
        "β = 1/√d": runs([2.0] * 12, (1.0, 2.0, 9.0)),
    }
    last = float(np.prod(range(2, 14)))
    full["β = 1"][2], full["β = 1/√d"][2] = 7 * last, 7.5  # a draw that keeps its length
    expected = {
        "depth_scaled": 2.25,
        "depth_unscaled": 3 * last,
        "depth_unscaled_low": last,
        "depth_unscaled_high": 7 * last,
        "depth_scaled_high": 7.5,
        "factor_top": 2.0,
        "factor_bottom": 13.0,
        "factor_top_scaled": 1.5,
        "factor_bottom_scaled": 0.5,
        "plain_first": 2.5,
        "plain_six": 5 / 64,
        "plain_scaled": 2.0 * 4096,
        "plain_unscaled": 5 / 4096,
        "plain_unscaled_low": 4 / 4096,
        "plain_unscaled_high": 7 / 4096,
    }
    agrees(results.depth(plain, full), expected)


def test_clipping_gives_the_values_their_share():
    layer = random_layer(8, 4, 32, np.random.default_rng(5))
    start = measure_flow(layer, 0.5)["w_query"]
    # The gradient to W_q is linear in the values: eight times them, eight times as long.
    found = results.clipping(
        np.array([1.0, 2.0, 8.0]), start * np.array([1.0, 5.0, 40.0]), layer, 0.5
    )
    agrees(found, {"clip_values": 8.0, "clip_rest": 5.0, "clip_growth": 40.0, "clip_last": 8.0})


def test_curves_and_the_best_rate_of_stored_rows():
    rows = [
        {"d": 4, "optimiser": "adam", "rate": rate, "losses": [1.0, last]}
        for rate, last in ((0.001, 0.9), (0.003, 0.5), (0.01, 0.7), (0.03, 0.8), (0.1, 2.0))
        for _ in range(2)
    ]
    assert results.curves(rows, rate=0.01).tolist() == [[1.0, 0.7], [1.0, 0.7]]
    assert results.best_rate(rows, d=4, optimiser="adam") == 0.003
    with pytest.raises(KeyError, match="d = 5"):
        results.best_rate(rows, d=5, optimiser="adam")


def test_the_best_rate_is_the_median_seeds():
    errors = {0.001: (0.4, 0.5, 0.6), 0.003: (0.0, 0.7, 0.7), 0.01: (0.45, 0.45, 9.0)}
    errors |= {0.03: (1.0, 1.0, 1.0), 0.1: (1.0, 1.0, 1.0)}
    rows = [
        {"optimiser": "adam", "rate": rate, "losses": [x - 0.1, x + 0.1]}
        for rate, seeds in errors.items()
        for x in seeds
    ]
    assert results.best_rate(rows, optimiser="adam") == 0.01


def test_the_end_and_the_first_step_below():
    losses = np.array([[3.0, 1.0, 0.2, 0.3, 0.1, 0.0, 0.4], [3.0, 1.0, 1.0, 1.0, 0.5, 0.5, 0.5]])
    three = np.array([[1.0, 0.4], [1.0, 0.4], [1.0, 9.0]])
    assert results.final(losses) == pytest.approx([0.2, 0.7])
    assert results.first_below(losses, window=20) == 100
    assert results.first_below(three, window=20) == 40  # the median seed decides
    assert results.first_below(losses, window=20, limit=0.7) == 60
    with pytest.raises(ValueError, match=r"never below 0\.1"):
        results.first_below(losses, window=20, limit=0.1)


LATE = {0.5: 5, 0.0: 10, 1.0: 2}  # windows at an error of two, before the end is reached
BEST = {"adam": 0.01, "sgd": 1.0}


def end(d, optimiser, power, rate, seed):
    """Return the error at which a made-up run ends."""
    if optimiser == "sgd" and rate == 0.1 and d == 64 and power != 1.0:
        return 0.5 + (seed == 9) if power else (0.9 if seed < 6 else 0.1)
    if optimiser == "sgd" and rate == 10.0 and power == 0.5:
        return 1000.0 if seed < 2 else 1.5
    if optimiser == "sgd" and rate == 3.0 and power == 0.5 and seed == 9:
        return 50.0  # one seed diverges, the median does not
    if optimiser == "sgd" and rate > (3.0 if power else 1.0):
        return 2.0
    if rate != BEST[optimiser]:
        return 0.8 + seed**2 / 1e3 + rate / 1e3 + (power + (optimiser == "sgd")) / 1e4
    level = {0.5: 0.01, 0.0: 0.1 if optimiser == "adam" else 0.46, 1.0: 0.15}[power]
    return level + seed**2 / 1e3 + d / 1e5


def ablation_rows():
    return [
        {
            "d": d,
            "power": p,
            "optimiser": o,
            "rate": rate,
            "seed": seed,
            "steps": 400,
            "window": 20,
            "n": 3,
            "batch": 4,
            "losses": [2.0] * LATE[p] + [end(d, o, p, rate, seed)] * (20 - LATE[p]),
            "spread_before": d**-p * (1 + seed**2) + rate,
            "spread_after": d**-p * (3 + seed**2) + rate,
        }
        for d, p, o in product(DIMENSIONS, LATE, RATES)
        for rate in RATES[o]
        for seed in range(10)
    ]


def middle_end(d, optimiser, power, rate=None):
    """Return the median over the ten seeds, whose errors ascend."""
    rate = rate or BEST[optimiser]
    return np.mean([end(d, optimiser, power, rate, seed) for seed in (4, 5)])


def run_mean(d, optimiser, power):
    """Mean over the run, median of the ten seeds."""
    last = middle_end(d, optimiser, power)
    return (2 * LATE[power] + (20 - LATE[power]) * last) / 20


def test_training_reads_the_stored_runs():
    best = {(d, o, p): BEST[o] for d, o, p in product(DIMENSIONS, RATES, LATE)}
    found = results.training(ablation_rows(), best)
    middle = {setting: middle_end(*setting) for setting in best}
    agrees(
        found,
        {
            "adam_unscaled": middle[256, "adam", 0.0],
            "adam_scaled": middle[256, "adam", 0.5],
            "sgd_unscaled": middle[256, "sgd", 0.0],
            "sgd_scaled": middle[256, "sgd", 0.5],
            "sgd_inverse": middle[256, "sgd", 1.0],
            "step_unscaled": 220,
            "step_scaled": 120,
            "learned": 30 + 7 * 3,  # all with Adam; seeds 0 to 6 of ten with gradient descent
            "unscaled_runs": 60,
            "learned_256": 17,
            "adam_slow_unscaled": middle_end(256, "adam", 0.0, rate=0.001),
            "adam_slow_scaled": middle_end(256, "adam", 0.5, rate=0.001),
            "sgd_inverse_3": middle_end(256, "sgd", 1.0, rate=3.0),
            "adam_inverse_run": run_mean(256, "adam", 1.0),
            "adam_scaled_run": run_mean(256, "adam", 0.5),
            "adam_better_64": 10,
            "adam_better_16": 10,
            **{
                f"gap_{d}": run_mean(d, "adam", 0.0) - run_mean(d, "adam", 0.5) for d in DIMENSIONS
            },
            "unscaled_wins": 0,
            "end_scaled": middle[64, "sgd", 0.5],
            "end_unscaled": middle[64, "sgd", 0.0],
            "slow_ahead": 4,
            "slow_stuck": 6,
            "largest_scaled": 3.0,
            "largest_unscaled": 1.0,
            "slow_unscaled": 0.9,
            "slow_scaled": 0.5,
            "before_scaled": 21.5 / 16 + 0.01,
            "after_scaled": 23.5 / 16 + 0.01,
            "before_unscaled": 21.51,
            "after_unscaled": 23.51,
            "wild_runs": 6,
        },
        rtol=1e-9,
    )


def test_training_counts_wins_seed_by_seed():
    """With the rules' names exchanged, and seeds 7, 8 and 9 of d = 16 spoilt for β = 1/d."""
    rows = ablation_rows()
    for row in rows:
        row["power"] = {0.0: 0.5, 0.5: 0.0, 1.0: 1.0}[row["power"]]
        if row["d"] == 16 and row["power"] == 1.0 and row["seed"] > 6:
            row["losses"] = [2.0] * 20
    best = {(d, o, p): BEST[o] for d, o, p in product(DIMENSIONS, RATES, LATE)}
    found = results.training(rows, best)
    agrees(found, {"unscaled_wins": 60, "adam_better_16": 7, "adam_better_64": 10})


def test_training_repeats_the_first_step_of_the_stored_runs():
    def loss(w_query, rest, made, scale):
        logits = scale * (made.question @ w_query) @ (made.tokens @ rest[0]).swapaxes(1, 2)
        return jnp.mean((jax.nn.softmax(logits) @ (made.tokens @ rest[1]) - made.answer) ** 2)

    lengths = []
    for seed in range(10):
        rng = np.random.default_rng([seed, 64])
        first, *rest = initial_weights(rng, 64)
        made = retrieval_batch(rng, 4, 3)
        grads = [jax.grad(loss)(jnp.asarray(first), rest, made, scale) for scale in (1.0, 1 / 8)]
        lengths.append([float(jnp.linalg.norm(grad)) for grad in grads])
    best = {(d, o, p): BEST[o] for d, o, p in product(DIMENSIONS, RATES, LATE)}
    unscaled, scaled = np.array(lengths).T
    agrees(
        results.training(ablation_rows(), best),
        {
            "first_unscaled": np.median(unscaled),
            "first_scaled": np.median(scaled),
            "first_ratio": np.median(unscaled / scaled),
        },
        rtol=1e-4,
    )


def sweep_rows():
    """Rows of "gradient_scale": bumps on a logarithmic axis, and broken power laws."""
    stds, rows = np.array(STDS), []
    for d, n, peaks, power in ((256, 128, (20, 20, 24), 1.0), (64, 16, (22, 22, 22), 0.25)):
        for seed, peak in enumerate(peaks):
            bump = 10.0 ** -(np.log10(stds / stds[peak]) ** 2)
            low, high = (np.log(np.clip(stds, *ends)) for ends in ((0, 0.1), (10, None)))
            slopes = np.exp(0.75 * (low - low[8]) + power * (high - high[24]))
            rows.append(
                {
                    "d": d,
                    "n": n,
                    "stds": list(STDS),
                    "query_median": (bump if peak == 20 or n == 16 else bump / 10).tolist(),
                    "w_query": ((1 + seed) * slopes).tolist(),
                }
            )
    return rows


def test_by_size_keeps_the_seeds():
    found = results.by_size(sweep_rows(), "w_query")
    assert [*found] == [(256, 128), (64, 16)]
    assert found[64, 16].shape == (3, 33)
    assert found[64, 16][:, 16].tolist() == [1.0, 2.0, 3.0]


def test_textbook_finds_peaks_and_powers():
    found = results.textbook(sweep_rows(), flow_rows())
    far, near = np.array(STDS)[[20, 22]]
    at_one = 10.0 ** -np.array([0.25, 1.0, 0.5625])  # of the bumps at places 20, 24 and 22
    top = (2 + 10.0 ** -(0.25 + 1)) / 3
    agrees(
        found,
        {
            "peak_low": far / np.sqrt(2 * np.log(128)),
            "peak_high": near / np.sqrt(2 * np.log(16)),
            "share_low": 100 * at_one[2],
            "share_high": 100 * (2 * at_one[0] + at_one[1] / 10) / 3 / top,
            "peak_one_seed": STDS[24] / np.sqrt(2 * np.log(128)),
            "slope_large": 1.0,
            "slope_large_low": 0.25,
            "slope_large_high": 1.0,
            "slope_small": 0.75,
            "starve_64": 4 * 64,
            "starve_4096": 4 * 4096,
        },
        rtol=1e-4,
    )
