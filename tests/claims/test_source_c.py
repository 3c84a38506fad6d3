"""Source C's claims, decided again. One test a row of the ledger; C12, C23 and C30 are read."""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from jax_layers import draw_layer, gradients
from learning_curves import as_power, ends, least_loss, way
from scipy import integrate, stats
from scipy.special import softmax

import attn_helpers as ah
from why_sqrt_d import opened_models
from why_sqrt_d.ch8 import real_models as models
from why_sqrt_d.rows import select, stored

SHOWN = [9.2, -3.1, 8.8, -5.4, 1.2]  # the scores of the section's example


def test_c2(settle):
    """Three values with mean 0 and variance 1, all nine pairs; 64 of such products."""
    values = np.array([-np.sqrt(3 / 2), 0.0, np.sqrt(3 / 2)])
    products = np.outer(values, values)
    right = products.mean() == pytest.approx(0) and products.var() == pytest.approx(1)
    spread = math.sqrt(64 * products.var())
    settle("holds" if right else "false", rf"$\sqrt{{{spread**2:.0f}}}$", spread)


def test_c4(settle):
    """The variance of scaled scores of normal vectors, at three widths."""
    rng = np.random.default_rng(4)
    found = [rng.standard_normal((2, 20_000, d)).prod(axis=0).sum(-1) for d in (1, 64, 512)]
    scaled = [scores.var() / d for scores, d in zip(found, (1, 64, 512), strict=True)]
    settle("holds" if scaled == pytest.approx([1, 1, 1], rel=0.08) else "false")


def test_c5(settle):
    """Kurtosis and tails of a score, a row's law, and the spreads that real starts give."""
    rng = np.random.default_rng(2)
    scores = rng.standard_normal((2, 400_000, 8)).prod(axis=0).sum(axis=-1)
    assert stats.kurtosis(scores, fisher=False) == pytest.approx(3 + 6 / 8, rel=0.03)
    far = 4 * 8**0.5
    tail = 2 * integrate.quad(lambda x: ah.sampling.gaussian_score_pdf(x, 8), far, np.inf)[0]
    assert tail > 10 * 2 * stats.norm.sf(4)
    q = rng.standard_normal(8)
    row = rng.standard_normal((20_000, 8)) @ q
    assert stats.kstest(row / np.linalg.norm(q), "norm").pvalue > 1e-3
    starts = ah.initialisation.INITIALISATIONS.values()
    # The variance of a component of a query and of a key, of normalised tokens of width 768.
    components = [[768 * std**2 for std in start.stds(768, 64)] for start in starts]
    other = sum(not np.allclose(variances, 1) for variances in components)
    excess = round(8 * (ah.Gaussian().moments(8).kurtosis - 3))
    said = f"$3 + {excess}/d_k$", r"$\lVert q\rVert^2$"
    holds = scores.var() == pytest.approx(8, rel=0.02), other == 0
    settle(holds, *said, other, len(components))


def test_c6(settle):
    """The ratio of two weights whatever the other keys are, and the printed one."""
    for others in ([], [0.0] * 50, [8.0, 8.4, -3.0], [20.0]):
        weights = softmax([8.5, -2.1, 7.9, *others])
        assert weights[0] / weights[2] == pytest.approx(1.82, abs=0.005)
    least = 0.985 / 0.015  # rounding cannot explain it
    ratio = weights[0] / weights[2]
    said = f"$e^{{8.5 - 7.9}} = e^{{{8.5 - 7.9:.1f}}} = {ratio:.2f}$"
    settle("false" if least > ratio else "holds", said, 0.99 / 0.01)


def test_c7(settle):
    """d = 64 undivided: the rows in which one key has nearly all, of 2, 5, 16 and 1024 keys."""
    rng, found, share = np.random.default_rng(3), [], {}
    for n, rows in {2: 4000, 5: 4000, 16: 2000, 1024: 1000}.items():
        largest, effective = [], []
        for _ in range(100):
            length = np.sqrt(rng.chisquare(64, (rows, 1)))  # a query's: scores are N(0, length²)
            scores = length.astype("f4") * rng.standard_normal((rows, n), dtype=np.float32)
            powers = np.exp(scores - scores.max(axis=-1, keepdims=True))  # the largest is 1
            largest.append(1 / powers.sum(axis=-1))
            effective.append(1 / np.square(powers * largest[-1][:, None]).sum(axis=-1))
        share[n] = np.mean(np.array(largest) > 0.9)
        found += [100 * share[n], n]
    starts = ah.initialisation.INITIALISATIONS
    spreads = [
        8 * ah.initialisation.initial_logit_std(starts[name], 768, 12)
        for name in ("GPT-2", "Xavier, fused q, k, v")
    ]
    for scores in (SHOWN, [8.5, -2.1, 7.9]):
        assert np.count_nonzero(softmax(scores) > 0.01) == 2
    few, many = share[5] > 0.5, share[1024] > 0.5  # its own case is a row of five
    found[-2:] = 10 * share[1024], 10, 1024
    said = "most $d = 64$ more most"
    numbers = 0.9, *found, np.median(effective), 2, *spreads, 8
    settle((few, many), said, *numbers, sides=["give undivided scores a standard deviation of #"])


def test_c37(settle):
    """Two of the five weights are large, and the rest is nothing."""
    first, second, *rest = sorted(softmax(SHOWN), reverse=True)
    verdict = "holds" if second > 0.1 and sum(rest) < 0.001 else "false"
    settle(verdict, "less above", first, second, len(rest), 0.001)


def test_c8(settle):
    """The unscaled row to three digits, and an eighth of each score to half a last digit."""
    right = np.round(softmax(SHOWN), 3).tolist() == [0.599, 0.0, 0.401, 0.0, 0.0]
    printed = [1.15, -0.39, 1.10, -0.68, 0.15]
    right &= np.abs(np.array(SHOWN) / 8 - printed).max() <= 0.005 + 1e-12
    settle("holds" if right else "false", "every" if right else "")


def test_c9(settle):
    """The printed weights against the right ones, which the reason names."""
    printed = [0.31, 0.07, 0.30, 0.05, 0.12]
    right = np.round(softmax([1.15, -0.39, 1.10, -0.68, 0.15]), 2).tolist()
    settle("holds" if right == printed else "false", f"${right}$", sum(printed))


def test_c10(settle):
    """Unit spread: several keys at n = 16, and a largest weight that goes to zero."""
    rng, largest, keys = np.random.default_rng(4), [], []
    for n in (16, 256, 4096, 65536):
        weights = softmax(rng.standard_normal((200, n)), axis=-1)
        keys.append(np.median(1 / (weights**2).sum(axis=-1)))
        largest.append(np.median(weights.max(axis=-1)))
    to_zero = all(a > 5 * b for a, b in pairwise(largest))
    settle((5 < keys[0] < 16, not to_zero), "more grows")


def with_maximum(x: np.ndarray, axis: int = -1) -> np.ndarray:
    """Return a softmax as the source writes it."""
    powers = np.exp(x - x.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


def test_c11(settle):
    """The naive form overflows; the source's is SciPy's, but for a row that is all masked."""
    with np.errstate(over="ignore", invalid="ignore"):
        naive = np.exp([1000.0, 0.0]) / np.exp([1000.0, 0.0]).sum()
        assert np.isnan(with_maximum(np.full((1, 3), -np.inf))).all()
    x = np.random.default_rng(33).normal(0, 300, (4, 5, 6))
    x[0, 0, :5] = -np.inf
    same = all(np.allclose(with_maximum(x, axis), softmax(x, axis=axis)) for axis in (0, 1, -1))
    settle("holds" if np.isnan(naive).any() and same else "false", "above every")


def jacobian(p: np.ndarray) -> np.ndarray:
    """Return the softmax's Jacobian at the weights p, by the formula that C15 checks."""
    return np.diag(p) - np.outer(p, p)


def test_c13(settle):
    """The Jacobian where one key takes all, and where two share; in the section's example."""
    one, two = (jacobian(softmax([40.0, other, 0.0, 0.0])) for other in (0.0, 40.0))
    eigenvalue = np.linalg.eigvalsh(two)[-1]
    unscaled = softmax(SHOWN)
    sharing = np.sum(unscaled > 0.01)
    scaled = jacobian(softmax(np.array(SHOWN) / 8))
    assert np.linalg.norm(jacobian(unscaled)) > np.linalg.norm(scaled) + 0.05
    zero = np.abs(one).max() < 1e-15
    settle((zero, eigenvalue < 1e-15), "all every evenly", sharing, 2, eigenvalue)


def test_c14(settle, heads):
    """How many undivided heads learn, and those that start saturated; the language model."""
    pairs = [(d, how) for d in (16, 64, 256) for how in ("adam", "sgd")]
    last, scaled = (np.concatenate([ends(heads[*pair, p]) for pair in pairs]) for p in (0.0, 0.5))
    assert np.mean(last > scaled) > 0.5
    model = select(stored("language_rates"), start="textbook", d=64)
    assert least_loss(model, "1/√d") + 0.2 < least_loss(model, "none") < 3  # unlearned: 4
    wide = select(stored("scaling_ablation"), d=256, power=0.0)
    assert min(row["spread_before"] for row in wide) > 8
    for name in ("Gemma 3n", "Gemma 4"):
        assert models.read()[name].kind == "norm"
        assert "sqrt(d)" not in models.read()[name].code
    learned = last < 0.5
    start = np.median([row["spread_before"] for row in wide])
    seeds = learned.size // len(pairs)
    verdict = "false" if learned.mean() > 0.5 else "holds"
    ways = (least_loss(model, arm) for arm in ("none", "1/√d"))
    worse = way(*ways, "worse better")
    said = "all" if learned.all() else "most", "later most larger", worse
    numbers = learned.size, 3, 2, seeds, 2 * seeds, 256, start, wide[0]["n"]
    sides = (
        "# undivided heads learn",
        f"model without the division learns too, and ends {worse}",
        "Gemma 3n and Gemma 4 work without it, with a norm",
    )
    settle(verdict, *said, *numbers, sides=sides)


def test_c15(settle):
    """The formula against central differences; all of it is zero at a one-hot row."""
    z, step = np.array([0.3, -1.0, 2.0, 0.5]), 1e-6
    numeric = [(softmax(z + e) - softmax(z - e)) / (2 * step) for e in step * np.eye(4)]
    right = np.allclose(np.transpose(numeric), jacobian(softmax(z)), atol=1e-9)
    near_zero = not jacobian(np.array([1.0, 0.0, 0.0])).any()
    settle("holds" if right and near_zero else "false", "all" if near_zero else "")


def test_c17(settle):
    """The printed numbers, and what of an equal gradient arrives."""
    found = jacobian(np.array([0.3, 0.3, 0.2, 0.2]))
    right = np.allclose(np.diag(found), [0.21, 0.21, 0.16, 0.16])
    arrives = np.abs(found @ np.ones(4)).max() > 1e-12
    verdict = "holds" if arrives else "misleading"
    settle(verdict if right else "false", "opposite all nothing")


def test_c18(settle):
    """Undivided over divided, for the median query and for W_q: stored rows, and JAX's own."""
    rows, keys = stored("gradient_flow"), 5  # the source's own positions
    larger = [
        n
        for n in (4, 16, 64, 256, 1024, 4096)
        if all(r["query_median"][1] > r["query_median"][0] for r in select(rows, d=64, n=n))
    ]
    assert larger == [16, 64, 256, 1024, 4096]
    typical = {}
    for n, seed in ((keys, 0), (keys, 1), (larger[0], 0), (larger[0], 1)):
        layer = draw_layer(64, n, 1024 // n * n, [18, seed])
        (undivided, matrices), (divided, smaller) = (gradients(layer, b) for b in (1.0, 1 / 8))
        typical.setdefault(n, []).append(float(np.median(undivided) / np.median(divided)))
        assert (matrices[:2] > smaller[:2]).all()
    always = all(r[w][1] > r[w][0] for r in rows for w in ("w_query", "w_key"))
    sizes = len({(r["d"], r["n"]) for r in rows})
    said = [way(found, 1) for found in typical.values()]
    sides = (
        f"query gets a {said[1]} gradient without the scale. And $W_q$ and $W_k$, which are",
        "in the initial $W_q$ it is another story",
    )
    said.append("larger all" if always else "")
    numbers = keys, 64, larger[0], sizes
    settle("misleading" if always else "holds if", *said, *numbers, sides=sides)


def test_c19(settle, heads):
    """The price of no scale by width, and an interval for how the two widest differ; gradients."""
    rows = sorted(stored("gradient_flow"), key=lambda r: (r["d"], r["n"], r["seed"]))
    gap = np.array([r["w_query"][1] / r["w_query"][0] for r in rows]).reshape(6, 6, 5)
    assert (np.diff(gap.mean(axis=2), axis=0) > 0).all()
    price, middle = {}, []
    for d in (16, 64, 256):
        undivided, scaled = (ends(heads[d, "adam", p]) for p in (0.0, 0.5))
        price[d] = undivided - scaled
        middle += [np.median(undivided) - np.median(scaled)]
    low, high = (
        stats.mannwhitneyu(price[wide], price[narrow], alternative="greater")
        for narrow, wide in ((16, 64), (64, 256))
    )
    assert low.statistic == 100
    verdict = "holds" if max(low.pvalue, high.pvalue) < 0.01 else "holds if"
    said = [f"$d = {d}$" for d in price] + ["above larger widens every"]
    numbers = *middle, price[16].size, 64, 16, high.statistic, 100, 256, 64
    settle(verdict, *said, *numbers, sides=["The gap between the gradients to $W_q$ widens"])


def test_c20(settle, heads):
    """The pairs in which no scale ends lower; the factor in W_q; and where both diverge."""
    folded, rows, lower = stored("folded_scale"), stored("scaling_ablation"), []
    for d in (16, 64, 256):
        for how in ("adam", "sgd"):
            scaled, undivided = (ends(heads[d, how, p]) for p in (0.5, 0.0))
            lower.append(undivided < scaled)
            own = select(folded, d=d, optimiser=how)
            moved = min(
                np.median(ends(select(own, rate=rate))) for rate in {row["rate"] for row in own}
            )
            assert np.median(scaled) < moved < 1.05 * np.median(undivided)
    middle = [np.median(ends(heads[16, "sgd", p])) for p in (0.5, 0.0)]
    assert middle[0] == pytest.approx(middle[1], abs=0.005)
    wild = select(rows, power=0.5, optimiser="sgd", rate=10.0)
    diverges = min(row["losses"][-1] for row in wild) > 1
    counts, few = (np.sum(lower), np.size(lower)), np.mean(lower) < 0.1
    sides = (
        "the undivided head ended lower than the scaled one of the same seed in" if few else "",
        "it has the factor in its initial $W_q$",
    )
    said = "always lower all"
    settle("misleading" if diverges else "holds", said, *counts, sides=sides)


def test_c21(settle):
    """Half or twice the temperature in drawn rows: entropy by SciPy, and the order of the keys."""
    rng = np.random.default_rng(21)
    query, keys = rng.standard_normal((500, 1, 64)), rng.standard_normal((500, 20, 64))
    scores = (query * keys).sum(axis=-1)
    weights = [softmax(scores / tau, axis=-1) for tau in (4.0, 8.0, 16.0)]
    sharp, usual, soft = (stats.entropy(p, axis=-1) for p in weights)
    np.testing.assert_array_equal(weights[2].argsort(axis=-1), weights[1].argsort(axis=-1))
    low, high = (stats.entropy(softmax(b * scores, axis=-1), axis=-1) for b in (0.12499, 0.12501))
    rate = (high - low) / 2e-5
    variance = (weights[1] * scores**2).sum(-1) - (weights[1] * scores).sum(-1) ** 2
    np.testing.assert_allclose(rate, -variance / 8, rtol=1e-4, atol=1e-6)
    said = "grows every all", r"$\beta\,\text{Var}_p(z)$ $\text{Var}_p(z)$"
    falls = way(-rate, 0, "falls rises"), r"$\beta = 1/\tau$"
    orders = (sharp < usual).all() and (usual < soft).all()
    settle("holds" if orders else "false", *falls, *said)


# The squares of constants, by hand from the lines that the table of models links to.
WIDTH = Fraction(1, 128) ** 2
OTHER = dict.fromkeys(("Granite 3.x 8B, 4.x", "Cerebras-GPT 1.3B + μP"), WIDTH)
OTHER |= {"Gemma 3n": Fraction(1), "Gemma 4": Fraction(1)}
OTHER |= {"Gemma 2 27B": Fraction(32, 4608), "Gemma 3 27B": Fraction(32, 5376)}


def test_c26(settle):
    """The constants of the table's formulas, as they run, and those that were read in the code."""
    rows = models.read()
    for name, square in OTHER.items():
        d = rows[name].width
        query, key = np.ones((1, d)), np.where(np.arange(d) < d // 2 + 1, 1.0, -1.0)[None]
        runs = Fraction((models.logits(rows[name], query, key).item() / 2) ** 2)  # the score is 2
        assert runs.limit_denominator(20_000) == square, name
        assert rows[name].kind != "folded", name  # that has 1/√d in its weights
    kinds = [m.kind for m in rows.values() if m.kind != "library"]
    with_root = sum(
        m.kind in ("root", "length") or (m.kind == "norm" and abs(models.spread(m) - 1) < 0.1)
        for m in rows.values()
    )
    other = [square * rows[name].width != 1 for name, square in OTHER.items()]
    most = "Most, not all" if 0.6 < with_root / len(kinds) < 1 else ""
    settle("false" if all(other) else "holds", most, "$1/d_k$", name.split()[-1])


def test_c27(settle):
    """Formulas of the models of these names, written out again and on drawn queries and keys."""
    rows, rng = models.read(), np.random.default_rng(7)
    q, k = rng.standard_normal((2, 9, 128))
    axes = [x / np.linalg.norm(x, axis=-1, keepdims=True) for x in (q, k)]
    xcit = rows["XCiT (attention between channels)"]
    assert "learned" in xcit.formula
    np.testing.assert_allclose(models.logits(xcit, q, k), axes[0] @ axes[1].T)

    def is_standard(name: str) -> bool:
        return np.allclose(models.logits(rows[name], q, k), q @ k.T / 128**0.5)

    scout = models.logits(rows["Llama 4 Scout, rotary layers"], q, k)
    np.testing.assert_allclose(scout, 128 * axes[0] @ axes[1].T / 128**0.5)
    one, two = rng.standard_normal((2, 1, 64))
    times = 8 * models.logits(rows["gpt-oss"], one, two).item() / (one @ two.T).item()
    meant = all(is_standard(name) for name in ("LLaMA 1", "Llama 2", "Llama 3"))
    settle((meant, is_standard("Llama 4 Scout, rotary layers")), "later", times)


def test_c35(settle):
    """A first step of Adam at rate 1/(8d), by its signs: what it adds to a divided logit."""
    rng, added = np.random.default_rng(35), []
    for d in (64, 1024):
        x, k = rng.standard_normal(4 * d), rng.standard_normal(d)
        step = np.sign(np.outer(k, x)) / (8 * d)  # the gradient to W_q, without its size
        added.append((step @ x) @ k / d**0.5)
    times = round(added[1] / added[0])
    said = "every shrinks", as_power(added[1] / added[0], 16, "d"), "$d = 1024$ $d = 64$"
    sides = "Not even without *ensures*", "The division keeps the first logits in size"
    settle("false" if times > 1 else "holds", *said, times, sides=sides)


def test_c38(settle):
    """What leaving the scale out costs: from two starts, and in a trained model that trains on."""
    trained = stored("language_later")
    later = [run | {"arm": run["scale"]} for row in trained for run in row["later"]]
    cost = least_loss(later, "dropped") - least_loss(later, "kept")
    starts = [
        least_loss(rows, "none") - least_loss(rows, "1/√d")
        for start in ("textbook", "GPT-2")
        for rows in [select(stored("language_rates"), start=start, d=64)]
    ]
    ends_wide = np.median(
        [run["log"][-1]["spread"][1] for run in later if run["arm"] == "dropped"]
    )
    rates = {run["rate"] for run in later}
    released = opened_models.read().values()
    lost = [100 * model.lost(model.d**0.5).value for model in released]
    assert ends_wide > 5
    higher, trains = way(cost, 0, "higher lower"), "trains on for # steps,"
    settle(
        (starts[0] > 2 * cost, starts[1] > 2 * cost),
        higher,
        starts[0],
        stored("language_rates")[0]["steps"],
        500,
        cost,
        len(trained),
        len(rates),
        len(lost),
        min(lost),
        max(lost),
        0.02,
        starts[1],
        sides=[f"loses the division, and {trains} ends # {higher} than one that keeps it"],
    )
