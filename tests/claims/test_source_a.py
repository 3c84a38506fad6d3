"""Source A's claims, computed again. One test a row of the ledger."""

import math

import nbformat
import numpy as np
import pytest
from numpy.typing import ArrayLike
from own_layers import (
    Layer,
    draw_layer,
    matrix_gradients,
    query_gradients,
    stack_lengths,
)
from scipy.special import log_softmax
from settling import settle, word

import attn_helpers as ah
from tools.marks import results
from tools.paths import BOOK
from why_sqrt_d.ch4.flow import flow_gradients, random_layer
from why_sqrt_d.ch4.stack import random_stack, stack_gradients
from why_sqrt_d.ch4.stored_runs import best_rate, curves
from why_sqrt_d.encoder import clip_by_norm
from why_sqrt_d.experiments import select, stored

NAMES = ("query", "key", "value")


def top_share(lengths: ArrayLike) -> float:
    """Return which share of the sum of squares the longest 5 % hold."""
    squares = np.sort(np.square(lengths, dtype=float))[::-1]
    return float(squares[: round(0.05 * squares.size)].sum() / squares.sum())


def example(d: int) -> int:
    """Return the dot product of the post's example, continued to any d."""
    return int(np.arange(1, d + 1) @ np.arange(3, d + 3))


def test_a1() -> None:
    """Growth with a fixed distribution: the mean as d, the spread as √d; none at fixed length."""
    small, large = ah.Uniform(0, 1).moments(16), ah.Uniform(0, 1).moments(256)
    assert large.mean == pytest.approx(16 * small.mean)
    assert large.variance == pytest.approx(16 * small.variance)
    rng = np.random.default_rng(0)
    spread = []
    for d in (16, 256):
        q, k = rng.standard_normal((2, 20_000, d))
        cosine = (q * k).sum(-1) / (np.linalg.norm(q, axis=-1) * np.linalg.norm(k, axis=-1))
        spread.append(cosine.std())
    assert spread[1] / spread[0] == pytest.approx(1 / 4, rel=0.05)
    settle("A1", "holds if")


def test_a2() -> None:
    """The three products, added by hand, and half of the scores."""
    sums = (3 + 8, 3 + 8 + 15 + 24, 3 + 8 + 15 + 24 + 35 + 48)
    right = [a == b == example(d) for a, b, d in zip(sums, (11, 50, 133), (2, 4, 6), strict=True)]
    right.append([score / math.sqrt(4) for score in (14, 10)] == [7, 5])
    settle("A2", "holds" if all(right) else "false", word(len(right)))


def test_a5() -> None:
    """The example grows as d³; adding components of the first two's size would triple it."""
    assert example(2000) / example(1000) == pytest.approx(2**3, rel=0.01)
    page = results(nbformat.read(BOOK / "1a-measuring-a-variance.ipynb", as_version=4))
    assert 2.8 < page["slope_post"] < 3  # up to d = 512
    alone, last = np.tile([1, 2], 3) @ np.tile([3, 4], 3), example(6)
    verdict = "misleading" if last > alone else "holds"
    settle("A5", verdict, word(3), example(2), alone, word(6), last)


def test_a6() -> None:
    """Size alone does nothing, and a margin counts only against the number of rivals."""
    close, small = (1 / (1 + math.exp(-gap)) for gap in (1, 4))
    assert ah.softmax([1001.0, 1000.0])[0] == pytest.approx(close, rel=1e-12)
    assert ah.softmax([-3.0, -7.0])[0] == pytest.approx(small, rel=1e-12)
    crowd = [math.exp(10) / (math.exp(10) + n - 1) for n in (2, 100, 10**6)]
    found = [ah.softmax([10.0] + (n - 1) * [0.0])[0] for n in (2, 100, 10**6)]
    np.testing.assert_allclose(found, crowd, rtol=1e-9)
    assert crowd[0] > 0.9999 > crowd[1] > 0.99
    assert crowd[2] < 0.03
    settle("A6", "holds if", f"{close:.2f}", f"{small:.2f}")


def test_a7() -> None:
    """Both printed rows to one unit of the last digit."""
    rows = {(14, 10): (0.982, 0.018), (7, 5): (0.880, 0.120)}
    right = {z: 1 / (1 + math.exp(z[1] - z[0])) for z in rows}
    units = [round(1000 * abs(round(right[z], 3) - printed[0])) for z, printed in rows.items()]
    assert units == [0, 1]
    least, most = (min(right[z], 1 - right[z]) for z in rows)
    assert most > 6 * least  # "much more balanced"
    second = right[7, 5]
    verdict = "holds" if max(units) <= 1 else "false"
    settle("A7", verdict, f"{second:.3f}", f"{1 - second:.3f}")


def test_a9() -> None:
    """Two keys: one scaled row in eight above 0.9 (exactly known); aligned: margin ρ√d."""
    rng = np.random.default_rng(2)
    spreads = ah.saturation.query_lengths(64, 20_000, rng) / 8
    share = np.mean(ah.saturation.simulate_saturation(2, spreads, rng).largest > 0.9)
    # At σ = 1 the margin is |N(0, 2)|: P(|Z| > ln 9/√2) = erfc(ln 9/2).
    exact = math.erfc(math.log(9) / 2)
    assert share == pytest.approx(exact, abs=0.012)
    assert (
        np.mean(ah.saturation.simulate_saturation(16, spreads[:5000], rng).largest > 0.9) < 0.003
    )
    for d in (64, 1024):
        query = rng.standard_normal((4000, d))
        key = 0.5 * query + 0.75**0.5 * rng.standard_normal((4000, d))
        assert (query * key).sum(axis=-1).mean() / d**0.5 == pytest.approx(0.5 * d**0.5, rel=0.05)
    ensured = exact < 0.01  # no row to speak of is unbalanced
    settle("A9", "holds if" if ensured else "misleading", word(2), word(round(1 / exact)), 0.9)


def test_a10() -> None:
    """In an untrained layer W_q outgrows W_v, and few queries carry the squared gradient."""
    wide = [row for row in stored("gradient_flow") if row["d"] == 1024]
    assert len({row["n"] for row in wide}) == 6
    uneven = [[row["w_query"][i] / row["w_value"][i] for row in wide] for i in (0, 1)]
    ends = [f"{end:.1f}" for ratios in uneven for end in (min(ratios), max(ratios))]
    for scale, ratios in zip((1 / 32, 1.0), uneven, strict=True):
        to_query, _, to_value = matrix_gradients(draw_layer(1024, 16, 512, [10]), scale)
        assert 0.9 * min(ratios) < float(to_query / to_value) < 1.1 * max(ratios)
    shares = []
    for seed in range(5):
        layer = draw_layer(1024, 4, 1024, [10, seed])
        shares.append([top_share(query_gradients(layer, beta)) for beta in (1.0, 1 / 32)])
    known = [row for row in stored("gradient_flow") if (row["d"], row["n"]) == (1024, 4)]
    shares += [(row["query_top_share"][1], row["query_top_share"][0]) for row in known]
    assert max(scaled for _, scaled in shares) < 0.35
    least = min(unscaled for unscaled, _ in shares)
    narrow = [row for row in stored("gradient_flow") if row["d"] == 4]
    always = all(row["w_query"][1] > 2 * row["w_value"][1] for row in narrow)
    verdict = "false" if max(uneven[0]) > min(uneven[1]) else "holds" if always else "holds if"
    settle("A10", verdict, *ends, word(4), 5, math.floor(100 * least))


def test_a11() -> None:
    """All three gradients are larger unscaled in every stored run.

    With 1/√d in W_q itself its gradient is √d times longer, and the unscaled one is shorter in
    half of the sizes.
    """
    rows = stored("gradient_flow")
    assert len(rows) == 180
    longer = all(row[f"w_{x}"][1] > row[f"w_{x}"][0] for row in rows for x in NAMES)
    sizes = {(row["d"], row["n"]): [] for row in rows}
    for row in rows:
        ratio = row["w_query"][1] / (row["d"] ** 0.5 * row["w_query"][0])
        sizes[row["d"], row["n"]].append(math.log(ratio))
    shorter = sum(np.mean(logs) < 0 for logs in sizes.values())
    own = draw_layer(64, 16, 512, [11])
    assert all(matrix_gradients(own, 1.0) > 1.5 * matrix_gradients(own, 1 / 8))
    verdict = "false" if not longer else "holds if" if shorter else "holds"
    settle("A11", verdict, word(len(NAMES)), len(sizes), shorter, len(sizes))


def test_a12() -> None:
    """Twelve layers with residual and normalisation; attention alone shortens it at first."""
    layers, alone = 12, []
    ends = {
        (tokens, beta): stack_lengths(tokens, beta, 20, layers)
        for tokens in (64, 4)
        for beta in (1.0, 1 / 8)
    }
    for tokens, beta in ends:
        start = random_stack(layers, tokens, 64, np.random.default_rng([12, tokens]))
        grads, *_ = stack_gradients(*start, beta, False, False)
        alone.append(np.linalg.norm(grads[layers // 2]))
    apart = all(
        ends[n, 1 / 8].min() > 1 and ends[n, 1 / 8].max() < ends[n, 1.0].min() for n in (64, 4)
    )
    verdict = "holds if" if max(alone) < 1 and apart else "false"
    many, *others = (f"{np.median(found):.2g}" for found in ends.values())
    few, upper = word(4), word(layers // 2)
    numbers = round(float(many)), others[0], word(20), few, *others[1:]
    settle("A12", verdict, 64, word(layers), *numbers, upper)


def test_without_normalisation_the_scale_does_not_hold_the_gradient_of_a_stack() -> None:
    for spread, least in ((1, 20), (2, 1e4)):
        for seed in range(6):
            start = random_stack(12, 64, 64, np.random.default_rng([5, seed]))
            first_layer = np.linalg.norm(stack_gradients(*start, spread / 8, True, False)[0][-1])
            assert first_layer > least


def test_a13() -> None:
    """Scaled gradients hardly depend on d, unscaled ones do; scaled ones grow with the weights."""

    def size(layer: Layer, beta: float) -> float:
        lengths = np.asarray(query_gradients(layer, beta))
        return float(np.sqrt(np.mean(lengths**2 / layer.grad.shape[-1])))

    found = {}
    for d in (64, 1024):
        layer = draw_layer(d, 64, 512, [13])
        found[d, "scaled"], found[d, "unscaled"] = size(layer, d**-0.5), size(layer, 1.0)
    few = draw_layer(64, 64, 512, [13])
    grown = few._replace(weights=few.weights * np.array([8, 8, 1], np.float32)[:, None, None])
    calm = found[1024, "scaled"] < 1.3 * found[64, "scaled"] < 1.3 * 1.3 * found[1024, "scaled"]
    wild = found[1024, "unscaled"] > 2 * found[64, "unscaled"] > 8 * found[64, "scaled"]
    stays = size(grown, 1 / 8) < 3 * found[64, "scaled"]  # once the weights have grown
    in_a_stack = stack_lengths(64, 1 / 8, 6, 12).max() < 5 < stack_lengths(64, 1.0, 6, 12).min()
    assert calm
    assert wild
    assert in_a_stack
    settle("A13", "holds" if stays else "holds if")


def test_a14() -> None:
    """Clipping bounds the step and keeps its direction; scaling bounds nothing."""
    layer = random_layer(16, 8, 64, np.random.default_rng(14))
    lengths = []
    for growth in (1.0, 3.0, 9.0):
        grown = (growth * x for x in (layer.query, layer.key, layer.value))
        found = flow_gradients(*grown, layer.grad, 0.25).query
        clipped = clip_by_norm(found, 1.0)
        assert np.linalg.norm(clipped) == pytest.approx(1.0)
        assert (clipped * found).sum() == pytest.approx(np.linalg.norm(found))
        lengths.append(np.linalg.norm(found))
    assert lengths[2] > 5 * lengths[0]
    settle("A14", "misleading")


def test_a15() -> None:
    """The largest rate of gradient descent that learns; and a rate at which it diverges anyway."""
    rows = select(stored("scaling_ablation"), d=256, optimiser="sgd")

    def ends(rate: float, power: float) -> list[float]:
        return [row["losses"][-1] for row in select(rows, rate=rate, power=power)]

    rates, fast = {row["rate"] for row in rows}, 10.0
    largest = {p: max(r for r in rates if np.median(ends(r, p)) < 1) for p in (0.0, 0.5)}
    wild = ends(fast, 0.5)
    assert min(wild + ends(fast, 0.0)) > 100
    verdict = "holds" if largest[0.5] > largest[0.0] else "false"
    numbers = (f"{largest[0.5]:g}", f"{largest[0.0]:g}", f"{fast:g}", word(len(wild)))
    settle("A15", verdict, *numbers)


def test_a18() -> None:
    """The sharper start costs error over the run; every head that has learned is sharper."""
    rows, found = stored("scaling_ablation"), {}
    for power in (0.0, 0.5):
        wanted = {"d": 256, "optimiser": "adam", "power": power}
        found[power] = select(rows, rate=best_rate(rows, **wanted), **wanted)
        assert len(found[power]) == 10
    error = {power: [np.mean(row["losses"]) for row in rows] for power, rows in found.items()}
    assert np.median(error[0.0]) > 1.1 * np.median(error[0.5])
    spread = [(row["spread_before"], row["spread_after"]) for row in found[0.5]]
    assert all(after > 2 * before for before, after in spread)
    settle("A18", "holds if")


def test_a20() -> None:
    """The layer divides by the root of the width of a head's keys, whatever the model's width."""
    rng = np.random.default_rng(20)
    x, matrices = rng.standard_normal((5, 12)), rng.standard_normal((4, 12, 12)) / 12**0.5
    layer = ah.attention.Projections(*matrices)
    heads, d = 3, 4
    weights = ah.multi_head_attention(x, x, layer, heads, return_weights=True)[1]
    query, key = (ah.split_heads(x @ w, heads) for w in (layer.query, layer.key))
    assert key.shape[-1] == d
    logits = query @ key.swapaxes(-1, -2) / np.sqrt(d)
    np.testing.assert_allclose(weights, np.exp(log_softmax(logits, axis=-1)), atol=1e-12)
    settle("A20", "holds")


def test_a21() -> None:
    """Scaled against unscaled of one seed at best rates; and where undivided scores do better."""
    rows, wins = stored("scaling_ablation"), []
    for d in (16, 64, 256):
        for optimiser in ("adam", "sgd"):
            wanted = {"d": d, "optimiser": optimiser}
            scaled, unscaled = (
                curves(rows, power=p, rate=best_rate(rows, power=p, **wanted), **wanted)
                for p in (0.5, 0.0)
            )
            wins += (scaled.mean(axis=1) < unscaled.mean(axis=1)).tolist()

    def right(rate: float, scale: float | None) -> np.ndarray:
        wanted = {"vocabulary": 10, "learning_rate": rate, "scale": scale}
        return np.array([r["test_accuracy"] for r in select(stored("scale_sweep"), **wanted)])

    slow, fast = 5e-4, 3e-3
    better, worse = right(slow, 1.0), right(slow, None)
    assert all(wins)
    perfect = all((right(fast, scale) == 1).all() for scale in (None, 1.0))
    gains = any(right(rate, None).mean() > right(rate, 1.0).mean() for rate in (slow, fast))
    verdict = "holds if" if gains else "open" if perfect else "false"
    means = (f"{100 * found.mean():.0f}" for found in (better, worse))
    settle("A21", verdict, len(wins), word(10), fast, slow, *means, word(better.size))
