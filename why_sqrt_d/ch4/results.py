"""Chapter 4 in numbers: what its cells computed → the named values that its sections quote."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from attn_helpers.checks import Float64Array
from attn_helpers.extremes import critical_std, expected_maximum
from attn_helpers.weights import (
    jacobian_norm,
    jacobian_trace,
    softmax,
    softmax_vjp,
)
from why_sqrt_d.ch4.experiment import DIMENSIONS, RATES, SIZES
from why_sqrt_d.ch4.flow import Layer, measure_flow, random_layer
from why_sqrt_d.ch4.retrieval import (
    initial_weights,
    logit_spread,
    retrieval_batch,
    retrieval_loss,
    train_retrieval,
)
from why_sqrt_d.experiments.digits import rounded
from why_sqrt_d.experiments.store import Row
from why_sqrt_d.experiments.summary import select, statistics

Rows = Sequence[Row]
Numbers = dict[str, float]
Setting = tuple[int, str, str]  #: d, optimiser, and where the scale lives

IN_BETA, IN_QUERY, NOWHERE, INVERSE = "in β", "in W_q", "nowhere", "β = 1/d"
NAMED = ((IN_BETA, "beta"), (IN_QUERY, "folded"), (NOWHERE, "nowhere"))
EVERY_PLACE = (IN_BETA, IN_QUERY, NOWHERE, INVERSE)
PLACES = {0.5: IN_BETA, 0.0: NOWHERE, 1.0: INVERSE}  # of the power p of β = d^-p

HUNDRED_STEPS = 5  # windows of 20 steps, at the end of a learning curve
LARGE = slice(-9, None)  # the last decade of β in the experiment "gradient_scale"


def puzzle(rows: Rows) -> Numbers:
    """Say how the gradients of a layer change without the scale, from "gradient_puzzle".

    The first row is the layer that the page draws, the others have other seeds.
    """
    median, rms = (np.array([row[name] for row in rows]) for name in ("query_median", "query_rms"))
    shorter, longer = median[:, 0] / median[:, 1], rms[:, 1] / rms[:, 0]
    return {
        "hero_shorter": times_shorter(rows),
        "hero_shorter_low": rounded(shorter.min(), 2),
        "hero_shorter_high": rounded(shorter.max(), 2),
        "hero_longer": longer[0],
        **statistics(longer, hero_longer_low="min", hero_longer_high="max"),
        "hero_top": 100 * rows[0]["query_top_share"][1],
    }


def times_shorter(rows: Rows) -> float:
    """Return how many times shorter the typical query's gradient is without the scale.

    In the first row of "gradient_puzzle", with two digits.
    """
    scaled, unscaled = rows[0]["query_median"]
    return rounded(scaled / unscaled, 2)


def predicted_factor(
    d: int, n: int, rng: np.random.Generator, rows: int = 100_000
) -> dict[str, float]:
    """Predict how many times longer gradients are without the scale, in root mean square.

    With the scale ‖J‖² is the mean over `rows` of n standard normal logits; without it it is m/3.
    """
    size = float(np.sqrt(np.mean(jacobian_norm(softmax(rng.standard_normal((rows, n)))) ** 2)))
    open_rows = float(np.sqrt(expected_maximum(n) / d**0.5 / 3))
    return {
        "norm_scaled": size,
        "norm_unscaled": open_rows,
        "factor_predicted": d**0.5 * open_rows / size,
    }


def growth_with_d(rows: Rows, keys: Sequence[int] = (4, 16), wide: int = 64) -> Numbers:
    """Return p of the power d^p by which the gradients to W_q part, from "gradient_flow".

    For each of the numbers of keys, over the dimensions from `wide` on.
    """
    d = [size for size in SIZES if size >= wide]
    return {
        f"power_{n}": _power(np.array(d), np.array([ratio(rows, "w_query", x, n) for x in d]))
        for n in keys
    }


def mean_squares(
    rng: np.random.Generator, draws: int = 2_000_000
) -> tuple[Float64Array, Float64Array]:
    """Predict the root mean square gradient to a query, with the scale and without it.

    Both are (len(SIZES), len(SIZES)) over d and n: the root of β² d ((d + 1) E‖J‖² + E(tr J)²),
    with expectations over rows of independent normal logits of variance (β√d)², at most `draws`
    logits for each n.
    """
    found = np.empty((2, len(SIZES), len(SIZES)))
    for j, n in enumerate(SIZES):
        z = rng.standard_normal((min(20_000, draws // n), n))
        for i, d in enumerate(SIZES):
            for rule, scale in enumerate((d**-0.5, 1.0)):
                p = softmax(scale * d**0.5 * z)
                inside = (d + 1) * jacobian_norm(p) ** 2 + jacobian_trace(p) ** 2
                found[rule, i, j] = scale * np.sqrt(d * inside.mean())
    return found[0], found[1]


def measured_squares(rows: Rows) -> tuple[Float64Array, Float64Array]:
    """Return what "gradient_flow" measured of that, root mean square over seeds and queries."""
    squares = np.array(
        [
            [
                np.mean([np.square(r["query_rms"]) for r in select(rows, d=d, n=n)], axis=0)
                for n in SIZES
            ]
            for d in SIZES
        ]
    )
    return np.sqrt(squares[..., 0]), np.sqrt(squares[..., 1])


def by_formula(measured: Sequence[Float64Array], predicted: Sequence[Float64Array]) -> Numbers:
    """Say how well the formula fits: gradients with the scale and without it, (6, 6) each."""
    wide = np.array(SIZES) >= 64
    off = [have / want for have, want in zip(measured, predicted, strict=True)]
    ratios = off[1] / off[0]
    return {
        **statistics(off[1][wide], formula_low="min", formula_high="max"),
        **statistics(off[1][~wide], formula_narrow_low="min"),
        **statistics(ratios, formula_ratio_low="min", formula_ratio_high="max"),
        "rms_longer": int((measured[1] > measured[0]).sum()),
    }


def fresh_tokens(d: int = 4, n: int = 4, draws: int = 400) -> Numbers:
    """Say how well the formula fits rows (without the scale) over their tokens, and over others.

    Root mean square gradient to a query, over what the rows' own Jacobians predict: with the keys
    and values that the rows were made from, and with those of another layer of the same kind.
    """
    squares, expected = np.zeros(2), 0.0
    for draw in range(draws):
        rng = np.random.default_rng([41, draw])
        layer, other = (random_layer(d, n, 1024, rng) for _ in range(2))
        p = softmax(layer.query @ layer.key.swapaxes(-1, -2))
        for i, (key, value) in enumerate(((layer.key, layer.value), (other.key, other.value))):
            to_query = softmax_vjp(p, layer.grad @ value.swapaxes(-1, -2)) @ key
            squares[i] += np.mean(np.sum(to_query**2, axis=-1))
        inside = (d + 1) * jacobian_norm(p) ** 2 + jacobian_trace(p) ** 2
        expected += float(d * np.mean(inside))
    own, fresh = np.sqrt(squares / expected)
    return {"rows_own": own, "rows_fresh": fresh}


def halfway(squares: Mapping[int, Float64Array], traces: Mapping[int, Float64Array]) -> Numbers:
    """Say how far predictions of the means of ‖J‖² and tr J are off at twice the critical spread.

    `squares` and `traces` (rows,) for each number of keys. The limit is m (1 - m)/3 with m = ½,
    chapter 4's M_n/(3σ); both in per cent of the mean of ‖J‖² that was measured.
    """
    found = {n: float(values.mean()) for n, values in squares.items()}
    limit = [100 * (1 - 1 / 12 / mean) for mean in found.values()]
    chapter = [100 * (_close_races(n) / mean - 1) for n, mean in found.items()]
    return {
        **statistics(np.abs(limit), limit_off="max"),
        **statistics(chapter, races_off_low="min", races_off_high="max"),
        "trace_few": float(traces[min(traces)].mean()),
        "trace_many": float(traces[max(traces)].mean()),
    }


def halfway_table(
    squares: Mapping[int, Float64Array],
) -> tuple[list[str], list[list[str]]]:
    """Return head and lines of a table of the means of ‖J‖², with their standard errors."""
    head = ["keys", "measured", "m (1 − m)/3", "chapter 4's m/3"]
    lines = []
    for n, values in squares.items():
        error = values.std() / np.sqrt(values.size)
        measured = f"{values.mean():.4f} ± {error:.4f}"
        lines.append([str(n), measured, f"{1 / 12:.4f}", f"{_close_races(n):.4f}"])
    return head, lines


def _close_races(n: int) -> float:
    """Return M_n/(3σ) at twice the critical spread."""
    return expected_maximum(n) / (2 * critical_std(n)) / 3


def races(gaps: Float64Array, n: int, std: float) -> Numbers:
    """Say how far the best logit leads (rows,), where n of them spread by `std`."""
    return {
        "race_best": expected_maximum(n),
        "race_predicted": std / expected_maximum(n),
        "race_median": float(np.median(gaps)),
        "race_one_in": float(1 / np.mean(gaps < 1)),
    }


def norms(
    stds: Float64Array, keys: int, rng: np.random.Generator, rows: int = 20_000
) -> tuple[Float64Array, Float64Array, Float64Array, Float64Array]:
    """Return root mean square and median of the Jacobian's norm at each deviation (k,).

    And what is predicted for the two, √(m/3) and 2 exp(-cσ), with c the median gap of `rows` other
    rows; NaN where m is above 0.5, which is too near the critical spread for either.
    """
    found = [jacobian_norm(softmax(std * rng.standard_normal((rows, keys)))) for std in stds]
    best = np.sort(rng.standard_normal((rows, keys)))[:, -2:]
    m = expected_maximum(keys) / stds
    rms = np.array([np.sqrt(np.mean(norm**2)) for norm in found])
    median = np.array([np.median(norm) for norm in found])
    lines = np.sqrt(m / 3), 2 * np.exp(-stds * np.median(best[:, 1] - best[:, 0]))
    line, typical = (np.where(m < 0.5, values, np.nan) for values in lines)
    return rms, median, line, typical


def ratios(rows: Rows, name: str, d: int, n: int, rule: int = 1, below: int = 0) -> Float64Array:
    """Return one gradient at one rule over that at another, for every seed of (d, n)."""
    found = [row[name] for row in select(rows, d=d, n=n)]
    return np.array([values[rule] / values[below] for values in found])


def ratio(rows: Rows, name: str, d: int, n: int, rule: int = 1, below: int = 0) -> float:
    """Return the geometric mean of these ratios over the seeds."""
    return float(np.exp(np.mean(np.log(ratios(rows, name, d, n, rule, below)))))


def ratio_table(rows: Rows, name: str, rule: int = 1, below: int = 0) -> Float64Array:
    """Return these means over `SIZES` of d and of n: (6, 6)."""
    return np.array([[ratio(rows, name, d, n, rule, below) for n in SIZES] for d in SIZES])


def folded(table: Float64Array) -> Float64Array:
    """Turn ratios (len(SIZES), len(SIZES)) to β = 1/√d into ratios to 1/√d in the first W_q.

    The function is the same and W_q is √d times smaller there, so its gradient is √d times longer.
    """
    return np.asarray(table / np.sqrt(SIZES)[:, None])


def who(rows: Rows) -> Numbers:
    """Return where unscaled gradients are larger and where smaller, from "gradient_flow"."""
    at = {size: place for place, size in enumerate(SIZES)}
    typical, matrix, value, logits = (
        ratio_table(rows, name) for name in ("query_median", "w_query", "w_value", "logits_median")
    )
    sizes = list(product(SIZES, SIZES))
    most_in_vanishing = [
        ratios(rows, "query_median", d, n).max() for d, n in sizes if typical[at[d], at[n]] < 1
    ]
    five = [_ratio_of_a_draw(64, 5, seed) for seed in range(5)]
    return {
        "settings": typical.size,
        "settings_vanish": len(most_in_vanishing),
        "settings_mixed": sum(most > 1 for most in most_in_vanishing),
        "typical_64_256": typical[at[64], at[256]],
        "typical_64_1024": typical[at[64], at[1024]],
        "settings_longer": typical.size - len(most_in_vanishing),
        "folded_below": int((folded(matrix) < 1).sum()),
        "folded_shrinks": folded(matrix)[at[4096], at[4]] / folded(matrix)[at[256], at[4]],
        **statistics(value, value_smallest="min", value_largest="max"),
        "typical_64_16": typical[at[64], at[16]],
        **statistics(five, five_low="min", five_high="max"),
        **{f"logits_64_{n}": logits[at[64], at[n]] for n in (64, 256)},
        "millionths_4_at_1024": 1e6 * typical[at[1024], at[4]],
    }


def _ratio_of_a_draw(d: int, n: int, seed: int) -> float:
    layer = random_layer(d, n, 1024, np.random.default_rng([40, seed]))
    unscaled, scaled = (measure_flow(layer, scale)["query_median"] for scale in (1.0, d**-0.5))
    return unscaled / scaled


def depth(
    plain: Mapping[str, Float64Array], full: Mapping[str, Float64Array], squares: Float64Array
) -> Numbers:
    """Return what twelve layers do to a gradient.

    `plain` and `full` map a rule to the gradient's length (draws, 13) after 0, 1, … layers: of
    attention alone, and with residual and normalisation. `squares` (draws, 13) are mean squares
    of the residual stream at the same places, of `full` without a scale.
    """
    unscaled, alone = full["β = 1"], plain["β = 1"]
    each = unscaled[:, 1:] / unscaled[:, :-1]
    factors = np.median(each, axis=0)
    # A layer that adds c/√square times the gradient, at right angles, has factor² - 1 = c²/square.
    added = np.median((each**2 - 1) * squares[:, 1:], axis=0)
    return {
        **statistics(full["β = 1/√d"][:, -1], depth_scaled="median"),
        **statistics(full["β = 0"][:, -1], depth_values="median"),
        **statistics(unscaled[:, -1], depth_unscaled="median"),
        **statistics(unscaled[:, -1], depth_unscaled_low="min", depth_unscaled_high="max"),
        "factor_top": factors[0],
        "factor_bottom": factors[-1],
        **statistics(added, added_low="min", added_high="max"),
        **statistics(alone[:, 1], plain_first="median"),
        **statistics(alone[:, 5], plain_five="median"),
        **statistics(alone[:, -1], plain_low="min", plain_high="max"),
    }


def depth_table(
    rows: Rows, stacks: Mapping[tuple[int, int], Sequence[Float64Array]]
) -> tuple[list[str], list[list[str]]]:
    """Return head and lines of a table: one layer of "gradient_flow", and twelve.

    `stacks` map d and n to the lengths (draws, 13) with the scale and without it.
    """
    head = ["d", "n", "one layer: without / with", "twelve: with", "twelve: without"]
    lines = []
    for (d, n), both in stacks.items():
        one = f"{ratio(rows, 'query_median', d, n):.2g}"
        ends = [lengths[:, -1] for lengths in both]
        digits = [[_two(x) for x in (np.median(end), end.min(), end.max())] for end in ends]
        found = [f"{middle} ({low} to {high})" for middle, low, high in digits]
        lines.append([str(d), str(n), one, *found])
    return head, lines


def _two(value: float) -> str:
    """Write a positive number with two digits, and never a power of ten."""
    return f"{rounded(value, 2):g}"


def clipping(growths: Float64Array, lengths: Float64Array, layer: Layer, scale: float) -> Numbers:
    """Share the growth of a gradient between the values and the logits.

    `growths` (k,) are factors on W_q, W_k and W_v, from one on; `lengths` (k,) say how long the
    gradient to W_q of `layer` is then, at β = `scale`.
    """
    grown = layer._replace(value=growths[-1] * layer.value)
    by_values = measure_flow(grown, scale)["w_query"] / lengths[0]
    growth = lengths[-1] / lengths[0]
    return {
        "clip_values": by_values,
        "clip_rest": growth / by_values,
        "clip_growth": growth,
        "clip_last": growths[-1],
    }


def curves(rows: Iterable[Row], **wanted: Any) -> Float64Array:
    """Return the losses of the stored runs with these settings, a row a seed."""
    return np.array([row["losses"] for row in select(rows, **wanted)])


def best_rate(rows: Rows, **wanted: Any) -> float:
    """Return the learning rate with the least error averaged over the run, median of the seeds."""
    error = {
        rate: float(np.median(curves(rows, rate=rate, **wanted).mean(axis=1)))
        for rate in RATES[wanted["optimiser"]]
    }
    return min(error, key=lambda rate: error[rate])


def final(losses: Float64Array) -> Float64Array:
    """Return each seed's mean error over the last hundred steps: (seeds,)."""
    return losses[:, -HUNDRED_STEPS:].mean(axis=1)


def places(ablation: Rows, folded_rows: Rows) -> list[Row]:
    """Join "scaling_ablation" and "folded_scale"; every row says where its scale lives."""
    return [{**row, "place": PLACES[row["power"]]} for row in ablation] + [
        {**row, "place": IN_QUERY} for row in folded_rows
    ]


def best_rates(rows: Rows) -> dict[Setting, float]:
    """Return the `best_rate` of every head dimension, optimiser and place of the scale."""
    return {
        (d, optimiser, place): best_rate(rows, d=d, optimiser=optimiser, place=place)
        for d, optimiser, place in product(DIMENSIONS, RATES, EVERY_PLACE)
    }


def tuned_curves(rows: Rows) -> dict[Setting, Float64Array]:
    """Return the losses (seeds, windows) of every setting at its best rate."""
    return {
        (d, optimiser, place): curves(rows, d=d, optimiser=optimiser, place=place, rate=rate)
        for (d, optimiser, place), rate in best_rates(rows).items()
    }


def against_rate(rows: Rows, d: int, optimiser: str, place: str) -> Float64Array:
    """Return the error over the run at every rate of the optimiser: (seeds, rates)."""
    found = [
        curves(rows, d=d, optimiser=optimiser, place=place, rate=rate).mean(axis=1)
        for rate in RATES[optimiser]
    ]
    return np.stack(found, axis=1)


def best_table(
    rows: Rows, dimensions: Sequence[int], several: Sequence[str]
) -> tuple[list[str], list[list[str]]]:
    """Return head and lines of a table: errors at the best rate, for these places of the scale."""
    head = ["d, optimiser, scale", "error over the run", "at the end", "best rate"]
    lines = []
    rates, tuned = best_rates(rows), tuned_curves(rows)
    for d, optimiser, place in product(dimensions, RATES, several):
        losses = tuned[d, optimiser, place]
        both = [_median_range(errors) for errors in (losses.mean(axis=1), final(losses))]
        name = {"adam": "Adam", "sgd": "descent"}[optimiser]
        lines.append([f"{d}, {name}, {place}", *both, f"{rates[d, optimiser, place]:g}"])
    return head, lines


def start_or_rate(rows: Rows, alone: Rows) -> tuple[list[str], list[list[str]]]:
    """Return head and lines of a table: what a smaller start does, and what a smaller rate.

    `rows` are those of `places`, `alone` those of "start_or_rate": the error over the run with
    Adam at d = 256, at two rates.
    """
    rates = sorted({row["rate"] for row in alone})
    common = {"d": 256, "optimiser": "adam"}
    found: dict[str, tuple[Rows, dict[str, Any]]] = {
        "both as at β = 1/√d": (rows, {"place": IN_BETA}),
        "start of 1/d": (alone, {"power": 0.5}),
        "rate of 1/d": (alone, {"power": 1.0}),
        "both as at β = 1/d": (rows, {"place": INVERSE}),
    }
    lines = [
        [name, *(_median_range(curves(r, rate=x, **common, **w).mean(axis=1)) for x in rates)]
        for name, (r, w) in found.items()
    ]
    return ["W_q and W_k", *(f"rate {rate:g}" for rate in rates)], lines


def other_criteria(rows: Rows, level: float = 0.5) -> Numbers:
    """Compare places of the scale otherwise than by the error over the run at the best rate.

    In how many pairs of seeds the undivided head first gets below `level` in a later window of
    steps than the one with the scale in β, and in how many in an earlier one; and the error over
    the run of gradient descent with β = 1/d at d = 256, at its best rate and at the largest.
    """
    tuned, settings = tuned_curves(rows), list(product(DIMENSIONS, RATES))
    nowhere, beta = (
        np.concatenate([_first_below(tuned[*setting, place], level) for setting in settings])
        for place in (NOWHERE, IN_BETA)
    )
    inverse = np.median(against_rate(rows, 256, "sgd", INVERSE), axis=0)
    return {
        "half_later": int((nowhere > beta).sum()),
        "half_earlier": int((nowhere < beta).sum()),
        "inverse_rate": RATES["sgd"][int(inverse.argmin())],
        "inverse_best": inverse.min(),
        "inverse_top": inverse[-1],
    }


def _first_below(losses: Float64Array, level: float) -> Float64Array:
    """Return each seed's first window below the level: (seeds,), infinite if there is none."""
    below = losses < level
    return np.where(below.any(axis=1), below.argmax(axis=1), np.inf)


def _median_range(errors: Float64Array) -> str:
    return f"{np.median(errors):.2f} ({errors.min():.2f} to {errors.max():.2f})"


def training(rows: Rows) -> Numbers:
    """Return how one head learns, by where its scale lives; `rows` are those of `places`."""
    tuned = tuned_curves(rows)
    return {**_ends(tuned), **_by_end(rows), **_whole_runs(tuned)}


def rates(rows: Rows) -> Numbers:
    """Return what other rates than the best say, and other scales; `rows` as for `training`."""
    return {
        **_other_rates(rows),
        **_first_gradients(rows[0]["batch"], rows[0]["n"]),
        **_logit_spreads(rows),
    }


def _ends(tuned: Mapping[Setting, Float64Array]) -> Numbers:
    """Each rule at its best rate: how far it gets."""
    ends = {setting: final(losses) for setting, losses in tuned.items()}
    every = np.concatenate([errors for (*_, place), errors in ends.items() if place == NOWHERE])
    return {
        **{f"adam_256_{name}": np.median(ends[256, "adam", place]) for place, name in NAMED},
        **{f"sgd_64_{name}": np.median(ends[64, "sgd", place]) for place, name in NAMED},
        "learned": int((every < 0.5).sum()),
        "nowhere_runs": every.size,
    }


def _by_end(rows: Rows) -> Numbers:
    """Count the undivided heads that learn at the rate with the least error at the end."""
    learned = 0
    for d, optimiser in product(DIMENSIONS, RATES):
        wanted = {"d": d, "optimiser": optimiser, "place": NOWHERE}
        found = [final(curves(rows, rate=rate, **wanted)) for rate in RATES[optimiser]]
        learned += int((min(found, key=np.median) < 0.5).sum())
    return {"learned_by_end": learned}


def _whole_runs(tuned: Mapping[Setting, Float64Array]) -> Numbers:
    """Each rule at its best rate: the error averaged over the run, seed by seed."""
    whole = {setting: losses.mean(axis=1) for setting, losses in tuned.items()}
    middle = {setting: np.median(errors) for setting, errors in whole.items()}
    settings = list(product(DIMENSIONS, RATES))
    better = {d: (whole[d, "adam", INVERSE] < whole[d, "adam", IN_BETA]).sum() for d in DIMENSIONS}
    return {
        "run_inverse": middle[256, "adam", INVERSE],
        "run_beta": middle[256, "adam", IN_BETA],
        **{f"adam_better_{d}": int(seeds) for d, seeds in better.items()},
        **{
            f"gap_{d}": middle[d, "adam", NOWHERE] - middle[d, "adam", IN_BETA] for d in DIMENSIONS
        },
        "nowhere_wins": _wins(whole, settings, NOWHERE, IN_BETA),
        "folded_wins": _wins(whole, settings, IN_QUERY, IN_BETA),
        "nowhere_beats_folded": _wins(whole, settings, NOWHERE, IN_QUERY),
    }


def _wins(
    whole: Mapping[Setting, Float64Array],
    settings: Iterable[tuple[int, str]],
    one: str,
    other: str,
) -> int:
    return sum(int((whole[d, o, one] < whole[d, o, other]).sum()) for d, o in settings)


def _other_rates(rows: Rows) -> Numbers:
    """Rates that are no rule's best: too small, the same for all, the largest that is stable."""

    def ends(optimiser: str, place: str, rate: float, d: int = 256) -> Float64Array:
        return final(curves(rows, d=d, optimiser=optimiser, place=place, rate=rate))

    def largest_rate(place: str) -> float:
        found = {
            rate: curves(rows, d=256, optimiser="sgd", place=place, rate=rate)[:, -1]
            for rate in RATES["sgd"]
        }
        return max(rate for rate, last in found.items() if np.median(last) < 1)

    inverse = best_rate(rows, d=256, optimiser="sgd", place=INVERSE)
    slow, slow_scaled, slow_folded = (
        ends("sgd", place, 0.1, d=64) for place in (NOWHERE, IN_BETA, IN_QUERY)
    )
    fast = curves(rows, optimiser="sgd", rate=10.0, place=IN_BETA)
    return {
        "sgd_inverse": np.median(ends("sgd", INVERSE, inverse)),
        "slow_ahead": int((slow < slow_scaled).sum()),
        "slow_stuck": int((slow > 0.8).sum()),
        "slow_nowhere": np.median(slow),
        "slow_beta": np.median(slow_scaled),
        "slow_folded": np.median(slow_folded),
        "folded_third": np.median(ends("adam", IN_QUERY, 0.003)),
        "largest_beta": largest_rate(IN_BETA),
        "largest_folded": largest_rate(IN_QUERY),
        "largest_nowhere": largest_rate(NOWHERE),
        "wild_runs": int((fast[:, -1] > 100).sum()),
    }


def _first_gradients(batch: int, n: int, d: int = 64, seeds: int = 10) -> Numbers:
    """How long the gradient to W_q is at the first step of the stored runs."""

    def first(seed: int, scale: float) -> float:
        rng = np.random.default_rng([seed, d])
        start = initial_weights(rng, d)
        _, gradients = retrieval_loss(start, retrieval_batch(rng, batch, n), scale)
        return float(np.linalg.norm(gradients[0]))

    nowhere, beta = (
        np.array([first(seed, scale) for seed in range(seeds)]) for scale in (1.0, d**-0.5)
    )
    return {
        "first_nowhere": np.median(nowhere),
        "first_beta": np.median(beta),
        "first_folded": np.median(beta) * d**0.5,
    }


def first_steps(steps: int = 20, rate: float = 0.01, d: int = 256, seeds: int = 5) -> Numbers:
    """How wide the logits are after a few steps of Adam where the first W_q holds the scale.

    The median over seeds of the spread within a row, before the first step and after the last.
    """
    before, after = np.empty(seeds), np.empty(seeds)
    for seed in range(seeds):
        data = retrieval_batch(np.random.default_rng([seed, d, 1]), batch=256, n=16)
        start = initial_weights(np.random.default_rng([seed, d]), d, d**-0.5)
        rng = np.random.default_rng([seed, d])
        run = train_retrieval(rng, d, 1.0, rate, steps, query_factor=d**-0.5)
        before[seed] = logit_spread(start, data, 1.0)
        after[seed] = logit_spread(run.weights, data, 1.0)
    return {"spread_start": np.median(before), "spread_folded": np.median(after)}


def _logit_spreads(rows: Rows) -> Numbers:
    """How far the logits spread before and after training with Adam at d = 256."""

    def middle(name: str, place: str) -> float:
        rate = best_rate(rows, d=256, optimiser="adam", place=place)
        runs = select(rows, d=256, optimiser="adam", place=place, rate=rate)
        return float(np.median([run[name] for run in runs]))

    return {
        "before_beta": middle("spread_before", IN_BETA),
        "after_beta": middle("spread_after", IN_BETA),
    }


def by_size(rows: Rows, name: str) -> dict[tuple[int, int], Float64Array]:
    """Return one gradient of "gradient_scale" for every (d, n): (seeds, scales)."""
    sizes = dict.fromkeys((row["d"], row["n"]) for row in rows)
    return {(d, n): np.array([row[name] for row in select(rows, d=d, n=n)]) for d, n in sizes}


def textbook(rows: Rows) -> Numbers:
    """Return at which scale gradients are largest, from "gradient_scale"."""
    stds = np.array(rows[0]["stds"])
    typical = by_size(rows, "query_median")
    means = {size: seeds.mean(axis=0) for size, seeds in typical.items()}
    peaks = [_vertex(stds, mean) / critical_std(n) for (_, n), mean in means.items()]
    at_one = stds.tolist().index(1.0)  # β = 1/√d
    shares = [100 * mean[at_one] / mean.max() for mean in means.values()]
    mean_square = by_size(rows, "query_rms")[256, 128].mean(axis=0)
    return {
        **statistics(peaks, peak_low="min", peak_high="max"),
        **statistics(shares, share_low="min", share_high="max"),
        "slope_large": _power(stds[LARGE], mean_square[LARGE]),
    }


def _vertex(x: Float64Array, y: Float64Array) -> float:
    """Return where y (k,) is largest between the x: a parabola through five points, on logs."""
    top = int(y.argmax())
    near = slice(max(top - 2, 0), top + 3)
    middle = np.log(x[top])
    bend, slope, _ = np.polyfit(np.log(x[near]) - middle, np.log(y[near]), 2)
    return float(np.exp(middle - slope / (2 * bend)))


def _power(x: Float64Array, y: Float64Array) -> float:
    """Return p of the power x^p that fits y best on logarithmic axes."""
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])
