"""The answers by their questions' names, computed from the numbers that are drawn."""

from collections.abc import Callable
from math import cosh, exp, log, sqrt, tanh
from statistics import NormalDist


def logistic(z: float) -> float:
    """Return the weight of the better of two keys whose logits differ by `z`."""
    return 1 / (1 + exp(-z))


def slope(z: float) -> float:
    """Return p(1 - p) for the two keys."""
    return logistic(z) * logistic(-z)


ANSWERS: dict[str, Callable[..., float]] = {
    "wider_and_smaller": lambda factor, shrunk: sqrt(factor) / shrunk,
    "mean_overtakes_spread": lambda mean, ratio: ratio**2 * (1 + 2 * mean**2) / mean**4,
    "dice_and_coins": lambda d, faces, coin: d * coin**2 * (faces**2 - 1) / 12,
    "sparse_queries": lambda d, share, spread: d * share * spread**2,
    "share_within_rows": lambda q, k, var_q, var_k: (
        var_k * (var_q + q**2) / (var_k * (var_q + q**2) + k**2 * var_q)
    ),
    "shifted_keys": lambda gap, mean, d: logistic(gap),
    "width_for_a_winner": lambda weight: log(weight / (1 - weight)) ** 2 / 2,
    "nudge_a_logit": lambda p, step: p * (1 - p) * step,
    "unequal_variances": lambda d, a, b: d * (a + b) / 2,
    "one_shared_size": lambda d, m: d * m,
    "two_sizes": lambda d, m: d,
    "aligned_pair": lambda d, rho: rho * sqrt(d) / sqrt(1 + rho**2),
    "correlated_components": lambda d, c: d + d * (d - 1) * c**2,
    "glorot": lambda width, d: width * 2 / (width + d),
    "tokens_without_a_norm": lambda square, width, d: square,
    "guaranteed_by_a_margin": lambda n, margin: 1 / (1 + (n - 1) * exp(-margin)),
    "allowed_by_a_margin": lambda margin, n: logistic(margin),
    "critical_width": lambda n: 2 * log(n),
    "critical_number_of_keys": lambda d: exp(d / 2),
    "keys_that_take_part": lambda a, b: 4 * a * b / (b + 1),
    "keys_of_a_random_row": lambda n, spread: n * exp(-(spread**2)),
    "logarithm_of_the_sum": lambda top, below: log(2 + exp(-below)),
    "one_entry": lambda a, b: -a * b / 100,
    "norm_with_two_keys": lambda p: 2 * p * (1 - p),
    "gap_undivided": lambda gap, d: slope(gap * sqrt(d)) * sqrt(d) / slope(gap),
    "share_of_close_races": lambda m: 1 - 0.1**m,
    "gradient_with_a_shared_root": lambda d: d**0.25,
    "step_in_another_place": lambda d: d,
    "slope_of_an_even_row": lambda n, beta: (n - 1) / n**2 / beta,
    "too_small_a_scale": lambda beta, times: 1 / times,
    "who_moves_the_matrix": lambda queries, loud: sqrt(loud / queries),
    "how_cold": lambda gap, times: log(times) / gap,
    "how_hot": lambda n, above, beta: beta * above / n,
    "slope_of_the_loss": lambda a, b, beta: logistic(beta * (a - b)) * (a - b),
    "scale_for_noisier_keys": lambda times: 1 / times**2,
    "smallest_scale_for_a_needle": lambda needle, n: needle - sqrt(needle**2 - 2 * log(n)),
    "needle_that_no_scale_finds": lambda needle, n: 1 - NormalDist().cdf(needle) ** n,
    "keys_that_a_bounded_logit_survives": lambda beta: exp(beta),
    "scale_for_a_longer_row": lambda beta, n, times: log(times),
    "width_that_outruns_the_crowd": lambda rho, n: 2 * log(n) / rho**2,
    "noise_with_one_over_d": lambda d, rho: rho * sqrt(d),
    "runs_until_one_succeeds": lambda share, sure: log(1 - sure) / log(1 - share),
    "error_of_a_share": lambda runs, share: sqrt(share * (1 - share) / runs),
    "one_matrix_alone": lambda f: f,
    "scalar_in_the_code": lambda d, scalar: sqrt(d / scalar),
    "inverse_layer_index": lambda d, layer: 1 / sqrt(d) / (layer + 1),
    "soft_cap": lambda cap, times: 1 / cosh(times) ** 2,
    "scale_with_the_length": lambda n, start: log(n) / log(start),
    "more_heads": lambda few, times: sqrt(times),
    "heads_added_before_the_softmax": lambda d, heads: sqrt(d * heads),
    "root_of_the_width": lambda d, heads: 1 / sqrt(heads),
    "divided_twice": lambda d: 1 / sqrt(d),
}
# What else the words of a question quote.
QUOTED: dict[str, Callable[..., dict[str, float]]] = {
    "sparse_queries": lambda d, share, spread: {"rest": 1 - share, "square": spread**2},
    "share_within_rows": lambda q, k, var_q, var_k: {
        "within": var_k * (var_q + q**2),
        "between": k**2 * var_q,
    },
    "width_for_a_winner": lambda weight: {"gap": log(weight / (1 - weight))},
    "nudge_a_logit": lambda p, step: {"slope": p * (1 - p)},
    "guaranteed_by_a_margin": lambda n, margin: {"others": n - 1},
    "keys_that_take_part": lambda a, b: {"many": a * b, "twice": 2 * a, "more": 2 * a * b},
    "logarithm_of_the_sum": lambda top, below: {"third": top - below},
    "one_entry": lambda a, b: {"c": 1 - a - b, "entry": -a * b},
    "norm_with_two_keys": lambda p: {"other": 1 - p},
    "gap_undivided": lambda gap, d: {"wide": gap * sqrt(d), "root": sqrt(d)},
    "slope_of_the_loss": lambda a, b, beta: {"mean": b + logistic(beta * (a - b)) * (a - b)},
    "scale_for_a_longer_row": lambda beta, n, times: {"longer": n * times},
    "runs_until_one_succeeds": lambda share, sure: {"rest": 1 - share, "miss": 1 - sure},
    "error_of_a_share": lambda runs, share: {"rest": 1 - share},
    "inverse_layer_index": lambda d, layer: {"number": layer + 1},
    "soft_cap": lambda cap, times: {"logit": cap * times, "tanh": tanh(times)},
    "more_heads": lambda few, times: {"many": few * times},
    "root_of_the_width": lambda d, heads: {"width": d * heads},
}
