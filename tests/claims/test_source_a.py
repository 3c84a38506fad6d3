"""Source A's claims, decided again. One test a row of the ledger; A20 is read."""

import math

import nbformat
import numpy as np
import pytest
from jax_layers import draw_layer, gradients
from learning_curves import as_power, ends, losses, way
from numpy.typing import ArrayLike
from scipy.special import softmax
from scipy.stats import ttest_1samp

from tools.marks import results
from tools.paths import BOOK
from why_sqrt_d import opened_models
from why_sqrt_d.ch4.stack import draws
from why_sqrt_d.ch5.language_curves import beyond_root, by_length, steps_to_match
from why_sqrt_d.encoder import clip_by_norm
from why_sqrt_d.rows import select, stored


def example(d: int) -> int:
    """Return the dot product of the post's example, continued to any d."""
    return int(np.arange(1, d + 1) @ np.arange(3, d + 3))


def top_share(lengths: ArrayLike) -> float:
    """Return which share of the sum of squares the longest 5 % hold."""
    squares = np.sort(np.square(lengths, dtype=float))[::-1]
    return float(squares[: round(0.05 * squares.size)].sum() / squares.sum())


def extremes(values: list[float]) -> tuple[float, float]:
    """Return the least and the greatest."""
    return min(values), max(values)


def test_a1(settle):
    """Growth with a fixed distribution: the mean as d, the spread as √d; none at fixed length."""
    rng, mean, spread, unit = np.random.default_rng(0), [], [], []
    for d in (16, 256):
        scores = rng.random((2, 20_000, d)).prod(axis=0).sum(axis=-1)
        mean.append(scores.mean())
        spread.append(scores.std())
        vectors = rng.standard_normal((2, 20_000, d))
        vectors /= np.linalg.norm(vectors, axis=-1, keepdims=True)
        unit.append(vectors.prod(axis=0).sum(axis=-1).std())
    assert mean[1] / mean[0] == pytest.approx(16, rel=0.01)
    grows = spread[1] / spread[0] == pytest.approx(4, rel=0.05)
    found = "grows", as_power(spread[1] / spread[0], 16, "d"), way(*unit[::-1], "grows shrinks")
    settle((grows, unit[1] >= unit[0]), "grows", *found)


def test_a2(settle):
    """The three products, added by hand, and half of the scores."""
    sums = (3 + 8, 3 + 8 + 15 + 24, 3 + 8 + 15 + 24 + 35 + 48)
    right = [said == by_hand for said, by_hand in zip((11, 50, 133), sums, strict=True)]
    right.append([score / math.sqrt(4) for score in (14, 10)] == [7, 5])
    settle("holds" if all(right) else "false", "all" if all(right) else "", len(right))


def test_a5(settle):
    """If dimensions alone made it grow, twice as many would double it; it is eight times."""
    growth = example(2000) / example(1000)
    alone = np.tile([1, 2], 3) @ np.tile([3, 4], 3)
    verdict = "misleading" if growth > 2.1 and alone < example(6) else "holds"
    said = way([5, 6, 7, 8], [1, 2, 3, 4]), "grows", as_power(growth, 2, "d")
    settle(verdict, *said, 3, example(2), alone, 6, example(6))


def test_a6(settle):
    """Large scores that are close, and a large margin against few rivals and many."""
    rows = [1001, 1000], [-3, -7]
    close, small = (softmax(row)[0] for row in rows)
    few, many = (softmax([10.0] + (n - 1) * [0.0])[0] for n in (2, 10**6))
    said = "more", way(few, many), "nothing", *(f"${row}$" for row in rows)
    settle((few > 0.9999, close > 0.99 or many > 0.99), *said, close, small)


def test_a7(settle):
    """Both printed rows to one unit of the last digit, and the second more balanced."""
    rows = {(14, 10): 0.982, (7, 5): 0.880}
    right = {z: 1 / (1 + math.exp(z[1] - z[0])) for z in rows}
    units = [round(1000 * abs(round(right[z], 3) - printed)) for z, printed in rows.items()]
    balanced = 1 - right[7, 5] > 6 * (1 - right[14, 10])
    second = right[7, 5]
    settle("holds" if units == [0, 1] and balanced else "false", second, 1 - second)


def test_a9(settle):
    """Two keys: one scaled row in eight above 0.9; and vectors that point the same way."""
    rng = np.random.default_rng(2)
    query, keys = rng.standard_normal((20_000, 64)), rng.standard_normal((2, 20_000, 64))
    share = np.mean(softmax((query * keys).sum(axis=-1) / 8, axis=0).max(axis=0) > 0.9)
    exact = math.erfc(math.log(9) / 2)  # the margin is |N(0, 2)|: P(|Z| > ln 9/√2)
    assert share == pytest.approx(exact, abs=0.012)
    aligned = []
    for d in (64, 1024):
        query, own = rng.standard_normal((2, 4000, d))
        aligned.append((query * (0.5 * query + 0.75**0.5 * own)).sum(axis=-1).mean() / d**0.5)
    ensured = exact < 0.01 and aligned[1] < 2 * aligned[0]
    said = "more nothing more grows", as_power(aligned[1] / aligned[0], 16, "d_k")
    settle("holds" if ensured else "misleading", *said, 2, 1 / exact, 0.9)


def test_a10(settle):
    """W_q against W_v in an untrained layer, and which share few queries have; at d = 4 too."""
    rows = stored("gradient_flow")
    wide = select(rows, d=1024)
    uneven = [[row["w_query"][i] / row["w_value"][i] for row in wide] for i in (0, 1)]
    shares = [row["query_top_share"][:2] for row in select(rows, d=1024, n=4)]
    for seed in range(3):
        layer = draw_layer(1024, 4, 1024, [10, seed])
        shares.append([top_share(gradients(layer, beta)[0]) for beta in (1 / 32, 1.0)])
    assert max(scaled for scaled, _ in shares) < 0.35
    least = min(undivided for _, undivided in shares)
    outgrown = min(uneven[1]) > max(uneven[0])
    narrow = all(row["w_query"][1] > 2 * row["w_value"][1] for row in select(rows, d=4))
    ends = (end for ratios in uneven for end in (min(ratios), max(ratios)))
    said = f"$d = {wide[0]['d']}$", "uneven none"
    numbers = *ends, 4, 5, math.floor(100 * least)
    how = way(uneven[1], uneven[0], "with_the_scale,_and_#_to_#_times_without. without_with")
    side = f"to $W_q$ is # to # times as long as that to $W_v$ {how.replace('_', ' ')}"
    settle((outgrown and least > 0.5, narrow), *said, *numbers, sides=[side])


def test_a11(settle):
    """All three gradients with β = 1 over those with 1/√d in β, and with it in W_q.

    There W_q is √d times shorter, and its gradient √d times longer than with it in β.
    """
    rows, names = stored("gradient_flow"), ("query", "key", "value")
    longer = all(row[f"w_{x}"][1] > row[f"w_{x}"][0] for row in rows for x in names)
    logs: dict[tuple, list] = {(row["d"], row["n"]): [] for row in rows}
    for row in rows:
        ratio = row["w_query"][1] / (row["d"] ** 0.5 * row["w_query"][0])
        logs[row["d"], row["n"]].append(math.log(ratio))
    shorter = sum(np.mean(found) < 0 for found in logs.values())
    said = (
        "all",
        "longer" if longer else "",
        r"$\beta = 1$ $\beta = 1/\sqrt d$ rises exceeds $\beta = 1$",
    )
    numbers = len(names), len(logs), shorter, len(logs)
    sides = "The one to $W_v$ rises", "initial $W_q$ instead, the gradient to $W_q$ exceeds"
    settle((longer, shorter == 0), *said, *numbers, sides=sides)


def test_a12(settle):
    """The page's intervals with and without the scale; what upper layers alone do."""
    page = results(nbformat.read(BOOK / "4a-how-long-a-gradient.ipynb", as_version=4))
    names = ("depth_undivided", "depth_scaled", "depth_four_undivided", "depth_four_scaled")
    told = [page[name + end] for name in names for end in ("", "_low", "_high")]
    apart = told[1] > 4 * told[5] > 4 and told[7] > 4 * told[11] > 4
    half = [draws([1.0], False, False, n=n, seeds=5)[0, :, 6] for n in (64, 4)]
    told[0:3] = round(told[0], -2), round(told[1], -1), round(told[2], -1)
    apart = apart, max(map(np.median, half)) > 1
    numbers = 64, 12, *told[:6], 100, 95, 4, 200, *told[6:], 6
    side = "# times without the scale (# to #) and # times with it"
    settle(apart, "$d = 64$", *numbers, sides=[side])


def test_a13(settle):
    """Root mean square gradients over d, and once the matrices have grown."""

    def size(layer, beta: float) -> float:
        return float(np.sqrt(np.mean(gradients(layer, beta)[0] ** 2) / layer.tokens.shape[-1]))

    narrow, wide = (draw_layer(d, 64, 512, [13]) for d in (64, 1024))
    grown = narrow._replace(weights=narrow.weights * np.array([8, 8, 1])[:, None, None])
    calm = size(wide, 1 / 32) == pytest.approx(size(narrow, 1 / 8), rel=0.3)
    wild = size(wide, 1.0) > 2 * size(narrow, 1.0) > 8 * size(narrow, 1 / 8)
    more = size(grown, 1 / 8) / size(narrow, 1 / 8)
    said = 2 * way(more, 1, "grow_ shrink_").replace("_", " ")
    side = "with the scale hardly depend on $d$, and those without it do" if calm and wild else ""
    settle((calm and wild, more < 3), said, sides=[side])


def test_a14(settle):
    """Under weights that grow, the clipped gradient and the scaled one; and its direction."""
    layer, found = draw_layer(16, 8, 64, [14]), []
    for growth in (1, 9):
        grown = layer._replace(weights=growth * layer.weights)
        found.append(np.asarray(gradients(grown, 1 / 4)[0]))
    clipped = [clip_by_norm(x, 1.0) for x in found]
    bounded = [np.linalg.norm(x) < 1 + 1e-6 for x in clipped]
    assert all(bounded)
    np.testing.assert_allclose(clipped[1] * np.linalg.norm(found[1]), found[1], rtol=1e-5)
    runs_away = np.linalg.norm(found[1]) > 5 * np.linalg.norm(found[0])
    settle("misleading" if runs_away else "holds", "nothing" if runs_away else "")


def test_a15(settle):
    """The largest rate of gradient descent that learns; and a rate at which it diverges anyway."""
    rows = select(stored("scaling_ablation"), d=256, optimiser="sgd")

    def ends(rate: float, power: float) -> list[float]:
        return [row["losses"][-1] for row in select(rows, rate=rate, power=power)]

    rates = {row["rate"] for row in rows}
    scaled, undivided = (max(r for r in rates if np.median(ends(r, p)) < 1) for p in (0.5, 0.0))
    wild = ends(10.0, 0.5)
    assert min(wild + ends(10.0, 0.0)) > 100
    said = f"$d = {rows[0]['d']}$", "better all"
    numbers = scaled, undivided, 10, len(wild)
    side = "up to # with the scale, and up to # without it"
    settle("holds" if scaled > undivided else "false", *said, *numbers, sides=[side])


def test_a18(settle, heads):
    """What a sharp start costs over the run, and whether the heads that learn end sharp."""
    sharp, even = (np.median(losses(heads[256, "adam", p]).mean(axis=1)) for p in (0.0, 0.5))
    trained = heads[256, "adam", 0.5]
    sharpened = all(row["spread_after"] > 2 * row["spread_before"] for row in trained)
    settle((sharp > 1.1 * even, not sharpened), way(sharp, even))


def test_a21(settle, heads):
    """Scaled against unscaled of one seed; the language model; where undivided does better."""
    wins = np.concatenate(
        [
            ends(heads[d, how, 0.5]) < ends(heads[d, how, 0.0])
            for d in (16, 64, 256)
            for how in ("adam", "sgd")
        ]
    )
    costs = {start: beyond_root("none", start) for start in ("textbook", "GPT-2")}
    likely = {start: ttest_1samp(x, 0).confidence_interval() for start, x in costs.items()}

    def right(rate: float, scale: float | None) -> list[float]:
        wanted = {"vocabulary": 10, "learning_rate": rate, "scale": scale}
        return [row["test_accuracy"] for row in select(stored("scale_sweep"), **wanted)]

    assert {*right(0.003, None), *right(0.003, 1.0)} == {1}
    better, worse = (100 * np.mean(right(0.0005, scale)) for scale in (1.0, None))
    assert better > worse
    verdict = all(low > 0 for low, _ in likely.values()), worse > better
    late = steps_to_match("none")
    steps = select(stored("language_chosen"), arm="none", start="textbook")[0]["log"][-1]["step"]
    numbers = [steps, np.mean(costs["textbook"]), *likely["textbook"], 95, len(costs["textbook"])]
    numbers += [np.mean(costs["GPT-2"]), 0.02, *likely["GPT-2"], min(late), max(late)]
    left = [by_length("text", arm)[8000] for arm in ("none", "1/√d")]
    numbers += [8000, left[0].mean() - left[1].mean(), left[0].size]
    copied = [
        [100 * run["test_right"] for run in select(stored(name), task="copy", arm=arm, **length)]
        for name, arm, length in (
            ("start_and_speed_compared", "none", {}),
            ("start_and_speed_compared", "1/√d", {}),
            ("training_lengths", "none", {"steps": 8000}),
        )
    ]
    worst = max(copied[0], key=lambda right: abs(right - 5))  # all are 5 %
    numbers += [2, worst, steps, *extremes(copied[1]), len(copied[1])]
    numbers += [8000, *extremes(copied[2]), len(copied[2])]
    numbers += [wins.sum(), wins.size, 10, 0.003, 0.0005, better, worse, len(right(0.0005, 1.0))]
    undone = [model.rise(model.d**0.5) for model in opened_models.read().values()]
    assert min(rise.low for rise in undone) > 0
    numbers += [len(undone), min(undone).value, max(undone).value]
    lower, *said = (way(found, 0, "lower higher") for found in costs.values())
    sides = (
        f"nats a character {lower} with the scale than without",
        "much of this is delay: with the scale, that loss is reached by",
        "# % are right without the scale after # steps, and # to # % with it",
        "it is # to # % without",
        "perfect with and without the scale",
        "At # it is better without, # % right against # %",
    )
    settle(verdict, lower, *said, way(better, worse, "better worse"), *numbers, sides=sides)
