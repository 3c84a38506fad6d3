"""What chapters 3, 5 and 7 quote, from hand-made inputs with known answers.

Closed forms of `attn_helpers` that a function only hands on are tested with `attn_helpers`.
"""

from collections.abc import Callable
from decimal import Decimal
from statistics import NormalDist

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import softmax

import attn_helpers as ah
from why_sqrt_d import ch3, ch5, ch7
from why_sqrt_d.experiments import stored

DEAL = np.random.default_rng


def close(found: dict[str, float], **wanted: float) -> None:
    assert {name: found[name] for name in wanted} == pytest.approx(wanted)


# --------------------------------------------------------------------------------- chapter 3


def test_three_margins() -> None:
    found = ch3.results.margins()
    logits = np.array([5.0, 0.0, *[-np.inf] * 1022])
    close(found, margin_high=ah.softmax(logits)[0], margin_low=ah.softmax(5 * np.eye(1024)[0])[0])
    most, less = (
        ah.softmax([5.0, 3.0, 1.0, *[0.0] * crowd])[0]
        for crowd in (found["outweighs"] - 1, found["outweighs"])
    )
    assert most > 0.5 > less
    close(found, thousand=1 / ah.softmax([5.0, *[0.0] * 1000])[0] - 1)


def test_three_how_large() -> None:
    for n, p in ((4, 0.5), (16384, 0.99)):
        row = np.zeros(n)
        row[0] = ch3.results.logit_for(n, p)
        assert ah.softmax(row)[0] == pytest.approx(p)
    found = ch3.results.how_large()
    close(found, price_99=np.log(99), x_99_long=np.log(16383 * 99))


def grid(seeds: int = 2) -> list[dict]:
    """Rows whose results tell where they come from."""
    return [
        {"d": d, "n": n, "scaled": scaled, "seed": seed}
        | {f"{name}_q": [0.0, value + seed, 9.0] for name, value in shown(d, n, scaled).items()}
        | {"largest": d / n, "largest_se": 3.0 + seed}
        for d in ch3.experiment.DIMENSIONS
        for n in ch3.experiment.KEYS
        for scaled in (False, True)
        for seed in range(seeds)
    ]


def shown(d: int, n: int, scaled: bool) -> dict[str, float]:
    return {"largest": d / n + scaled, "effective": n / d}


def share_rows() -> list[dict]:
    return [
        {"d": 64, "n": n, "scaled": scaled, "rows": 10_000}
        | {"above_90": 0.5 - scaled / 2, "above_99": 0.02, "effective_q": [1.0, n / 7, 3.0]}
        | {"largest_q": [0.1, 1 / n, 1.0]}
        for n in (2, 16, 1024, 16384)
        for scaled in (False, True)
    ]


def test_three_more_keys() -> None:
    found = ch3.results.more_keys(grid(), share_rows())
    half = 0.5  # the two seeds' mean
    close(found, few_16=16 / 64 + half, few_16384=256 + half, top_16=1 / 16)
    close(found, gap_2=2 / np.pi**0.5)
    assert found["gap_2"] > found["gap_16384"] > 0
    low, middle, high = ch3.results.band(grid(), 64, True)
    assert (low == 0).all()
    assert (high == 9).all()
    np.testing.assert_allclose(middle, np.array(ch3.experiment.KEYS) / 64 + half)


def test_three_border() -> None:
    found = ch3.results.border()
    close(found, cross_64=np.exp(32 - 12 * np.log(10)), cross_16=3000)
    assert found["before_16"] == pytest.approx(6.95, abs=0.3)  # of 60 000 rows
    assert found["after_16"] == pytest.approx(8.42, abs=0.3)
    assert found["gpt2_keys"] == pytest.approx(25, abs=2)


def test_three_random_rows_are_what_their_names_say() -> None:
    found = ch3.results.random_rows(64, (16, 1024), 400, seed=1)
    assert list(found) == [
        f"{n} keys, {how}" for n in (16, 1024) for how in ("undivided", "divided")
    ]
    few, even, many, thin = (np.median(weights.max(axis=-1)) for weights in found.values())
    assert even < 0.3 < many < few
    assert thin == pytest.approx(0.0144, rel=0.1)
    as_is, divided = list(found.values())[:2]
    margins = (np.log(w).max(axis=-1) - np.log(w).min(axis=-1) for w in (as_is, divided))
    np.testing.assert_allclose(next(margins) / next(margins), 8)
    plain, scaled = ch3.results.typical_in_both(as_is, divided)
    assert plain.max() == pytest.approx(few, rel=0.05)
    assert scaled.max() == pytest.approx(even, rel=0.05)
    np.testing.assert_allclose(np.log(plain / plain[0]), 8 * np.log(scaled / scaled[0]))


def test_three_the_story_with_an_n() -> None:
    head, lines = ch3.results.story_table(share_rows(), scaled=False)
    assert head[:4] == ["undivided", "n = 2", "16", "1024"]
    assert head[4].split() == ["16", "384"]
    assert lines[0] == ["above 0.9", *["50 %"] * 4]
    assert lines[1] == ["above 0.99", *["2.0 %"] * 4]
    assert lines[2] == ["eff. keys", "0.3", "2.3", "146", "2341"]
    head, lines = ch3.results.story_table(share_rows(), scaled=True)
    assert (head[0], lines[0]) == ("divided", ["above 0.9", *["0 %"] * 4])
    found = ch3.results.textbook_breaks(grid())
    close(found, dilute_16=5.5, dilute_16384=1.5 + 64 / 16384)


def test_three_start_table() -> None:
    """The border of each initialisation is where its own spread is critical."""
    lines = ch3.results.start_table(400, seed=0)
    names = [line[0] for line in lines]
    assert names == ["T5", "GPT-2", "nn.Linear", "Xavier, fused", "Xavier, separate"]
    assert [float(line[1]) for line in lines] == [1.0, 2.5, 2.7, 4.0, 8.0]
    assert [line[2] for line in lines] == ["< 2", "20", "35", "2981", "8·10¹³"]
    counts = [float(line[3]) for line in lines]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] == pytest.approx(396, rel=0.03)
    assert counts[1] == pytest.approx(25, rel=0.15)
    assert counts[-1] == pytest.approx(1.8, abs=0.2)
    assert ah.critical_std(20) < 0.02 * 64**0.5 * 768 * 0.02 < ah.critical_std(21)


def test_three_slopes_of_a_middling_key() -> None:
    found = ch3.results.middling_slopes(2001, seed=1)
    divided = np.exp(-0.5) / 1024  # the middle logit is 0, and the mean of e^z is e^(1/2)
    assert found["slope_divided"] == pytest.approx(divided, rel=0.03)
    assert found["slope_less"] == pytest.approx(100, rel=0.25)


def test_three_formats_agree_with_numpy() -> None:
    half, short, *_ = ch3.results.formats()
    assert short == ["bfloat16", "3.39e38", "88.72", "4"]
    assert half[-1] == "0.5"
    for name, largest, highest, step in ch3.results.formats():
        if name == "bfloat16":  # NumPy has none
            continue
        kind = getattr(np, name)
        ratio = float(Decimal(largest) / Decimal(float(np.finfo(kind).max)))
        assert ratio == pytest.approx(1, abs=0.004)
        with np.errstate(all="ignore"):
            assert np.isfinite(np.exp(kind(np.floor(float(highest)))))
            assert np.isinf(np.exp(kind(np.ceil(float(highest)))))
        spacing = float(np.spacing(kind(1000)))
        assert float(step.replace("−", "-")) == pytest.approx(spacing, rel=0.15)


def test_three_printed_rows() -> None:
    found = ch3.results.printed_rows([1.0, 1.0, 1.0], [0.5, 0.25])
    close(found, ratio_right=np.exp(0.6), ratio_printed=99, sum_printed=0.75)
    close(found, unscaled_effective=3)
    close(ch3.results.two_keys(), seven=1 / (1 + np.exp(-2)), five=1 / (1 + np.exp(2)))


def test_three_the_long_way() -> None:
    products = [
        {"d": 4, "n": 2, "scaled": False, "rows": 64, "largest": 2.0, "largest_se": 0.0},
        {"d": 4, "n": 4, "scaled": True, "rows": 16, "largest": 6.0, "largest_se": 6.0},
    ]
    found = ch3.results.long_way(products, grid())
    close(found, fewest=16, most=64, cells=2, apart=5 / 6.5)  # the grid's error: 5/2, and 6
    first, second = ch3.results.long_way_table(products, grid())
    assert first == ["4", "2", "no", "2.0000 ± 0.0000", "2.0000 ± 2.5000"]
    assert second[2] == "yes"


def test_three_the_map() -> None:
    dims, keys, counts = ch3.results.medians(grid(), widest=64)
    assert (dims[-1], keys[-1], counts.shape) == (64, 16384, (14, 7))
    np.testing.assert_allclose(counts[-1, -1], 256.5)
    phases = [
        {"n": n, "ratio": ratio, "seed": seed, "effective_q": [0.0, n * ratio + seed, 9.0e9]}
        for n in (1024, 16, 16384)
        for ratio in (0.5, 1.0)
        for seed in (0, 1)
    ]
    close(ch3.results.on_the_border(phases), border_few=16.5, border_many=16384.5)


def test_three_effective_keys_at_the_critical_spread() -> None:
    found = ch3.results.on_the_border(stored("phases"))
    rows = 2.355 * DEAL(8).standard_normal((20_000, 16))  # σ_c of 16 keys
    weights = softmax(rows, axis=-1)
    count = np.median(1 / (weights**2).sum(axis=-1))
    assert found["border_few"] == pytest.approx(count, rel=0.03)


def test_three_dilution_slopes() -> None:
    found = ch3.results.dilution_slopes(grid())
    n = np.log(ch3.experiment.KEYS[-4:])
    falling = np.polyfit(n, np.log(1.5 + 64 / np.exp(n)), 1)[0]
    close(found, seen_slope=-falling, bound_slope=-np.polyfit(n, (2 * n) ** 0.5 - n, 1)[0])
    close(found, tipped_wide=200 * NormalDist().cdf(-np.log(9) / 2**0.5))
    gaps = ch3.results.gaps()
    assert gaps["gap_2"] > gaps["gap_1024"] > gaps["gap_16384"]
    assert gaps["gap_predicted"] == pytest.approx((20 * np.log(2)) ** -0.5)


def test_three_curves_and_histograms_are_the_stored_rows() -> None:
    rows = [
        {"n": n, "ratio": ratio, "seed": seed, "entropy": n + seed, "entropy_se": 2.0}
        | {"participation": ratio, "participation_se": 1.0}
        | {"histogram": [0.25 + seed / 2, 0.75 - seed / 2], "largest": ratio / 8 + seed}
        for n in (64, 1024)
        for ratio in (0.5, 2.0)
        for seed in (0, 1)
    ]
    ratios, entropy, participation, predicted = ch3.results.phase_curves(rows, [64])
    assert list(ratios) == [0.5, 2.0]
    np.testing.assert_allclose(entropy[64][0] * np.log(64), 64.5)
    np.testing.assert_allclose(entropy[64][1] * np.log(64), 2**0.5)
    np.testing.assert_allclose(participation[64][0], ratios)
    fine, shares, squares = predicted[64]
    assert np.isnan(shares[fine == 1]).all()
    std = 0.3 * ah.critical_std(64)
    at = np.isclose(fine, 0.3)
    assert shares[at][0] == pytest.approx(ah.extremes.predicted_entropy(64, std) / np.log(64))
    assert squares[at][0] == pytest.approx(np.exp(std**2) / 64)
    shares_of, means = ch3.results.largest_weights(rows, [2.0])
    np.testing.assert_allclose(shares_of[2.0], [0.5, 0.5])
    assert means == {2.0: 0.75}


def test_three_predictions() -> None:
    def row(n: int, ratio: float) -> dict:
        std = ratio * ah.critical_std(n)
        entropy = ah.extremes.predicted_entropy(n, std) / 1.25
        participation = ah.extremes.predicted_participation(n, std) / 0.75
        return {"n": n, "ratio": ratio, "entropy": entropy, "participation": participation}

    cells = ((1024, 0.3), (1024, 1.25), (1024, 3.0), (16, 3.0), (16384, 3.0))
    errors = {"entropy_se": 3.0, "participation_se": 0.0}
    rows = [row(n, ratio) | errors for n, ratio in cells for _ in range(2)]
    found = ch3.results.predictions(rows)
    close(found, h_shared=-25, h_frozen=25, h_few=25, h_long=25)
    close(found, p_shared=-25, p_frozen=25, p_few=25)
    close(found, h_near_predicted=1.25 * found["h_near_measured"], h_near_error=3 / 2**0.5)
    smallest = min(r["entropy"] for r in rows)
    close(found, p_off_error=0, h_off_error=125 * 3 / 2**0.5 / smallest)
    close(found, critical_1024=(2 * np.log(1024)) ** 0.5)
    drawn = DEAL(0).standard_normal((2000, 1024)).max(axis=-1)
    assert found["max_1024"] == pytest.approx(drawn.mean(), abs=0.03)


# --------------------------------------------------------------------------------- chapter 5


def test_five_puzzle() -> None:
    fixed = np.linspace(1, 0.2, 9)[:, None] + np.array([-0.1, 0, 0.1])
    found = ch5.results.puzzle({"fixed": fixed, "growing": np.full((9, 3), 0.619)})
    close(found, fixed_16=1, fixed_million=0.2, growing_worst=0.619)
    b = found["enough_million"]  # the crowd and the price of sharpness are what the match earns
    assert 6 * b - b**2 / 2 == pytest.approx(20 * np.log(2))


def test_five_rows_that_find_the_needle() -> None:
    found, most = ch5.results.rows_that_find((4, 64), (0.5, 40.0))
    for n, share in found.items():
        assert abs(share[1] - most[n]) < 5 * np.sqrt(most[n] * (1 - most[n]) / 2000)
    told = ch5.results.too_small_too_large()
    close(told, end_fixed=np.exp(5.5), lost_1024=100 * (1 - 0.998650101968**1024))
    close(told, border_1024=np.sqrt(20 * np.log(2)), leads_1024=100 * 0.99976737092097**1024)


def test_five_half_scales() -> None:
    n = ch5.experiment.LENGTHS

    def row(geometry: str, size: int, seed: int) -> dict:
        b = (1 + seed) * np.log(size)
        return {"geometry": geometry, "n": size, "seed": seed, "quartiles": [0.0, b, 9.9]}

    rows = [row(g, size, seed) for g in ch5.experiment.GEOMETRIES for size in n for seed in (0, 1)]
    assert ch5.results.half_scale_of(rows, "Gaussian") == pytest.approx(1.5 * np.log(n))
    assert ch5.results.half_scale_error(rows) == pytest.approx(1 / 3)
    found = ch5.results.grown(rows)
    close(found, grow_gaussian=2, grow_cluster=2, grow_sphere_3=2, grow_sphere_64=2)
    close(found, half_error=34, capacity_64=np.exp(7.5))
    b = ch5.lengths.clustered_law(2**8, 64, 0.5)
    late = b * found["root_cluster"]  # others have the mean √64/2 and the variance 1/2
    assert np.log(2**16 - 1) + late * 4 + late**2 / 4 == pytest.approx(late * 8)
    head, lines = ch5.results.cluster_table(rows)
    assert lines[0] == ["64", "0.5", "6.000 (1.105)", "6.000 (1.287)"]
    assert all(len(line) == len(head) for line in lines)


def test_five_counts_and_shapes() -> None:
    counts = ch5.results.gap_counts(64, 20, seed=1)
    assert len(counts) == 3
    for gap, count, scale in counts.values():
        assert gap.shape == count.shape
        assert (np.diff(count) >= 0).all()
        assert count.max() <= 63
        assert scale > 0
    assert set(ch5.results.laws()) == set(ch5.experiment.GEOMETRIES) - {"sphere, d = 64"}


def drawn(tail: Callable, n: int, rows: int, seed: int) -> np.ndarray:
    """Half scales of rows whose keys are all drawn, by a brute search."""
    found = []
    for z in tail(DEAL(seed).exponential(size=(rows, n))):
        gaps = z.max() - np.delete(z, z.argmax())
        found.append(brentq(lambda b, gaps=gaps: np.exp(-b * gaps).sum() - 1, 1e-6, 1e6))
    return np.array(found)


def test_five_gaussian_half_scales() -> None:
    head, lines = ch5.results.gaussian_table(seed=61)
    assert [line[0] for line in lines[:3]] == ["16", "64", "256"]
    assert all(len(line) == len(head) for line in lines)
    found = [[float(word.split()[0]) for word in line[1:]] for line in lines]
    for n, (b, law, apart) in zip(ch5.experiment.LENGTHS, found, strict=True):
        assert law == pytest.approx(ch5.lengths.gaussian_law(n), abs=0.005)
        assert apart == pytest.approx(100 * (law / b - 1), abs=1)
    rows = np.random.default_rng(1).standard_normal((4000, 256))
    medians = np.median(ch5.lengths.half_scale(rows).reshape(20, 200), axis=1)
    assert found[2][0] == pytest.approx(medians.mean(), abs=5 * medians.std() / 20**0.5)
    apart = [row[2] for row in found]  # as the page says: within a tenth from 4096 on
    assert 30 < apart[0] < 40
    assert max(apart[4:]) <= 10 < min(apart[:4])


def test_five_powers_of_spheres() -> None:
    steps = np.array(ch5.results.STEPS)
    line = np.stack([3.0 * steps**0.5, 0.03 * steps**0.5], axis=-1)
    _, lines = ch5.results.power_table({"5": line, "∞": line})
    assert lines == [["5", "0.50", "0.50", "0.50"], ["∞", "0.50", "0.50", "0.00"]]
    close(ch5.results.powers({"64": line}), power_error=0.02, grow_sphere_64=16)
    found = ch5.results.spherical_medians(seed=62)
    assert [*found] == ["3", "5", "9", "64", "∞"]
    for d in (3, 64):  # against keys that are all drawn
        z = ch5.lengths.spherical_rows(256, 2000, d, DEAL(4))
        medians = np.median(ch5.lengths.half_scale(z).reshape(20, 100), axis=1)
        assert found[f"{d}"][1, 0] == pytest.approx(
            medians.mean(), abs=5 * medians.std() / 20**0.5
        )


def test_five_shapes_to_order() -> None:
    """How far below the limit: by a brute search, and about as far as h''/h'² says."""
    heading, lines = ch5.results.shape_table(seed=5)
    assert heading[1:] == ["n = 2⁸", "n = 2¹²", "n = 2¹⁶"]
    logs, m = np.log([2**8, 2**12, 2**16]), brentq(lambda m: np.sinc(m) - 0.5, 0.1, 0.9)
    laws = {"√(2E)": np.sqrt(2 * logs), "ln E": logs, "−1/E": logs**2}
    bends = {"√(2E)": 0.5, "ln E": 1, "−1/E": 2}
    tails = {"√(2E)": lambda e: np.sqrt(2 * e), "ln E": np.log, "−1/E": lambda e: -1 / e}
    for name, *cells in lines:
        short, bend = np.array([cell.strip(")").split(" (") for cell in cells], float).T
        assert bend == pytest.approx(100 * bends[name] / logs, abs=0.51)
        assert np.abs(short - bend).max() <= 7
        b = np.median(drawn(tails[name], 2**8, 1000, 6))
        assert short[0] == pytest.approx(100 * (1 - b * m / laws[name][0]), abs=8)


def test_five_a_scale_that_holds_the_entropy() -> None:
    z = np.random.default_rng(2).standard_normal((2000, 256))
    found = ch5.results.held_entropy(256, np.log(100), DEAL(55))
    assert found["root"] == pytest.approx(np.sqrt(2 * np.log(256 / 100)))
    for b, name in ((1.0, "fixed"), (found["root"], "at_root")):
        assert found[name] == pytest.approx(ah.entropy(ah.softmax(b * z)).mean(), abs=0.02)
    held = ah.entropy(ah.softmax(found["holds"] * z)).mean()
    assert held == pytest.approx(np.log(100), abs=0.02)
    _, lines = ch5.results.entropy_table(seed=55)
    first, last = (float(lines[i][-1]) for i in (0, -1))
    assert 2.7 < last / first < 3  # "nearly three times", where ln n doubles
    z = np.random.default_rng(3).standard_normal((100, 2**16))
    held = ah.entropy(ah.softmax(last * z)).mean(axis=0)
    assert held == pytest.approx(np.log(100), abs=0.4)


def test_five_learned_scale() -> None:
    paths = np.concatenate([np.ones((2, 100)), np.full((2, 200), [[2.0], [4.0]])], axis=1)
    close(ch5.results.learned_scale(paths), learned=3, learned_error=1)


def test_five_the_page_draws_the_needle_that_it_says() -> None:
    paths = ch5.results.learn_five()
    assert paths.shape == (5, 601)
    assert (paths[:, 0] == 1).all()
    assert paths[:, -200:].mean() == pytest.approx(3, abs=0.03)  # the theorem's b = D
    scores, targets = ch5.results.fresh_rows()
    assert scores.shape == (20_000, 64)
    needles = scores[np.arange(20_000), targets]
    assert needles.mean() == pytest.approx(3 / 8 * 64, rel=0.01)
    assert scores.mean() == pytest.approx(3 / 8, abs=0.03)  # the others have mean zero


def test_five_survival() -> None:
    scales = ch5.experiment.SCALES

    def row(n: int, margin: float, seed: int, factor: float = 1.0) -> dict:
        mean = [ah.extremes.needle_weight(n, margin, b) * factor for b in scales]
        moved = [value + 1e-3 * (seed - 0.5) for value in mean]
        return {"n": n, "margin": margin, "seed": seed, "mean": moved, "median": scales}

    rows = [row(n, D, seed) for n in (2**10, 2**20) for D in (3.0, 5.0) for seed in (0, 1)]
    broken, apart = ch5.results.how_far_below(rows)
    assert broken == 0
    assert np.abs(apart).max() < 1e-12
    assert ch5.results.how_far_below(stored("needle"))[0] == 0  # as the page says
    assert len(apart) == 2 * 3 + 2 * 5  # b up to 1.86 and 2.63, two margins each
    found = ch5.results.survival(rows)
    close(found, points=48, million_5_error=0.5e-3, worst_below=0.1)
    close(found, million_5=found["million_5_predicted"], critical_million=np.sqrt(40 * np.log(2)))
    close(found, leads_million=(1 - 2.866515719e-7) ** 2**20)
    low = [row(2**10, D, seed, 0.5) for D in (3.0, 5.0) for seed in (0, 1)]
    assert ch5.results.how_far_below(low)[0] == sum(
        ah.extremes.needle_weight(2**10, D, b) > 4e-3 + 2e-6 for D in (3.0, 5.0) for b in scales
    )
    assert ch5.results.how_far_below(low)[1] == pytest.approx(
        [-0.5] * len(ch5.results.how_far_below(low)[1])
    )


def test_five_a_certain_needle() -> None:
    weights = ch5.results.certain_needle(1024, 3.0, [2.0, 12.0], seed=58)
    again = ah.needle.simulate_needle([2.0, 12.0], 3.0, 1024, 2000, DEAL(0))
    apart = np.abs(weights.mean(axis=0) - again.mean(axis=0))
    assert (apart < 5 * again.std(axis=0) / 2000**0.5).all()
    apart = np.abs(np.log(weights).mean(axis=0) - np.log(again).mean(axis=0))
    assert (apart < 5 * np.log(again).std(axis=0) / 2000**0.5).all()
    _, lines = ch5.results.gamble_table(seed=58)
    cells = [[cell.split()[0] for cell in line[1:]] for line in lines]
    mean, median, loss = np.array(cells, dtype=float).T
    error = float(lines[-1][-1].split()[-1])
    assert error == pytest.approx(np.log(again[:, 1]).std() / 20_000**0.5, abs=0.007)
    assert (np.diff(mean) > 0).all()  # as the page says: up, up and down, down and up
    assert np.median(weights[:, 1]) == pytest.approx(median[-1], abs=0.005)
    assert median[0] < median[1] < median[3] > 2 * median[-1]
    assert loss.argmin() == 2  # at b = 4, above D
    _, lines = ch5.results.certain_table(seed=59)
    border, best, there, at_3 = np.array([line[1:] for line in lines], dtype=float).T
    assert border == pytest.approx(np.sqrt(2 * np.log([16, 1024, 65536])), abs=0.005)
    assert (there <= at_3).all()
    assert best[0] > best[1] > best[2] == 3  # far below the border, what the crowd's mean says


def test_five_growing_scale() -> None:
    found = ch5.results.growing_scale(4.0)
    close(found, end_fixed=np.exp(3.5), end_bound=np.exp(8) / 1e6)
    close(found, end_any=1e-6 * np.log(2) / 3.167124183312e-5)
    b = found["needed_1024"]
    assert np.log(1024) + b**2 / 2 == pytest.approx(4 * b)


def test_five_yarn_and_qwen_stay_below_the_puzzles_needle() -> None:
    for n in np.exp(np.arange(np.log(246), 18, 0.01)):
        s = max(n / 1024, 1)
        needed = ah.needle.sufficient_scale(int(n), ch5.results.PUZZLE)
        assert (0.1 * np.log(s) + 1) ** 2 < needed
        assert 1 + np.log(s) / np.log(1024) < needed
    for n in 2 ** np.arange(4, 26):  # all of the figure
        assert np.log(n) / np.log(16) >= ah.needle.sufficient_scale(int(n), ch5.results.PUZZLE)


def test_five_normalised_keys_and_caps() -> None:
    found = ch5.results.normalised_keys(DEAL(0))
    assert found["at_capacity"] == pytest.approx(0.5, abs=5 * found["at_capacity_error"] + 0.01)
    close(found, henry_gain=np.log2(1808 * 1807) / 8)
    assert found["henry_weight"] == pytest.approx(
        1 / (1 + 1808 / ah.needle.match_capacity(64, found["henry_gain"]))
    )
    assert 1000 * found["capacity_128"] > found["capacity_64"]
    # "about as much": what a gain of 1.5 gives at d = 64, and twice the dimension without one
    assert 1000 * found["capacity_128"] == pytest.approx(
        ah.needle.match_capacity(64, 1.5), rel=0.1
    )
    caps = ch5.results.soft_caps(ah.SoftCap(50.0))
    cap = {x: 50 * np.tanh(x / 50) for x in (5, 15, 70, 80)}
    close(caps, margin_low=cap[15] - cap[5], margin_high=cap[80] - cap[70])
    close(caps, slope_twice=1 - np.tanh(2) ** 2, few_keys=22.026466)
    unrelated = np.random.default_rng(3).standard_normal(200_000)
    crowd = np.mean(np.exp(5 * np.tanh(unrelated / 5)))  # the cap bends the others a little, too
    assert caps["unrelated_5"] == pytest.approx(np.exp(5) / crowd, rel=0.06)
    assert 1e21 * caps["unrelated_50"] == pytest.approx(
        np.exp(50) / np.mean(np.exp(unrelated)), rel=0.02
    )


def test_five_aligned_pairs() -> None:
    root, linear = ({"ρ = 0": [0, a], "ρ = 0.5": [0, b]} for a, b in ((1, 2), (3, 4)))
    found = ch5.results.aligned_pairs(root, linear)
    close(found, start_root_4096=1, aligned_root_4096=2, aligned_linear_4096=4)


# --------------------------------------------------------------------------------- chapter 7


def stats(size: float) -> ah.models.RuleStatistics:
    return ah.models.RuleStatistics(size, 3 * size, 1 / size, size / 10, 1 / size)


def test_seven_puzzle_and_step() -> None:
    models = {name: stats(k) for k, name in enumerate(ch7.results.TEN, 2)}
    found = ch7.results.puzzle(models)
    neo = models["GPT-Neo 1.3B"].top_weight
    close(found, top_neo=neo, scale_ratio=128)  # from 1 to 1/128
    rules = (ah.models.REAL_MODELS[name].rule for name in ch7.results.TEN)
    assert len({rule.scale(128, 100) for rule in rules}) == 5  # as the chapter's lede says
    close(ch7.results.hidden_scale(0.5, 4.0), step_ratio=8)


def test_seven_ten_models_by_hand() -> None:
    query, key, _ = ch7.results.draw(128, 0)
    found = ch7.results.ten_models()
    for name, scale in (("LLaMA 7B", 128**-0.5), ("Granite 8B", 1 / 128), ("T5-11B", 1.0)):
        z = scale * query @ key.swapaxes(-1, -2)
        p = np.exp(z - z.max(axis=-1, keepdims=True))
        p /= p.sum(axis=-1, keepdims=True)
        assert found[name].top_weight == pytest.approx(np.median(p.max(axis=-1)))


def test_seven_places() -> None:
    known, found = ch7.models.read(), ch7.results.places()
    assert set(found) == {name for name, model in known.items() if model.kind != "library"}
    for name, place in found.items():
        model = known[name]
        assert place.kind == model.kind
        if model.kind == "folded":
            assert place.spread == pytest.approx(model.width**0.5, rel=0.03)
        if model.kind in ("folded", "root"):
            assert place.start == pytest.approx(1, abs=0.03)
        else:
            assert place.start == place.spread


def test_seven_years() -> None:
    counted = ch7.results.by_year()
    dated = [m for m in ch7.models.read().values() if m.year]
    assert sum(sum(groups.values()) for groups in counted.values()) == len(dated)
    early = [m.kind for m in dated if m.year <= 2022]
    late = [m.kind for m in dated if m.year >= 2025]
    close(
        ch7.results.the_table(counted),
        early_root=early.count("root"),
        early_all=len(early),
        late_root=late.count("root"),
        late_all=len(late),
    )
    assert sorted(kind for group in ch7.results.GROUPS.values() for kind in group) == sorted(
        set(ch7.models.KINDS) - {"library"}
    )


def test_seven_one_step() -> None:
    d, seeds = np.array(ch7.results.WIDTHS), np.array([1.0, 3.0])
    parts = np.stack([np.ones((2, 6)), np.outer(seeds, d)], axis=-1)
    close(ch7.results.added(parts), added_64=2, added_64_error=1)
    root, linear = ch7.results.width_parts(parts).values()
    np.testing.assert_allclose(root["one step"][0], 2 * d**0.5)
    np.testing.assert_allclose(linear["one step"][0], 2)
    np.testing.assert_allclose(linear["random"][0], 1 / d)
    steps = ch7.results.steps(40)
    assert steps.shape == (40, 6, 2)
    assert steps[:, 5, 1].mean() / 512 == pytest.approx(1 / np.pi, rel=0.03)
    assert steps[:, 5, 0].mean() == pytest.approx(512**0.5, rel=0.03)


def test_seven_growth() -> None:
    query, key, _ = ch7.results.draw(128, seed=76, blocks=10)
    logits = 256 * query @ key.swapaxes(-1, -2) / 12
    assert ch7.results.cap_tied() == pytest.approx(100 * np.mean(50 * np.tanh(logits / 50) > 49))
    grown = ch7.results.grown()
    assert grown["normalised"][0].entropy_share == pytest.approx(
        grown["normalised"][-1].entropy_share
    )
    assert max(one.logit_max for one in grown["cap at 50"]) <= 50
    for growth, one in zip(ch7.results.GROWTH, grown["1/√d alone"], strict=True):
        largest = np.abs(growth * query @ key.swapaxes(-1, -2) / 128**0.5).max(axis=-1).mean()
        assert one.logit_max == pytest.approx(largest)


def test_seven_hidden_in_positions() -> None:
    close(ch7.results.hidden_in_positions(), as_wide=64 / (0.1 * np.log(32) + 1) ** 4)


def test_seven_longer_contexts(capsys: pytest.CaptureFixture[str]) -> None:
    ch7.results.longer_contexts()
    _, llama, qwen, deepseek = capsys.readouterr().out.splitlines()
    assert llama.split()[-4:] == ["1.00", "1.07", "1.14", "1.26"]
    assert qwen.split()[-2:] == [f"{np.log(3e4) / np.log(2048):.2f}", "–"]
    assert deepseek.split()[-4:] == 4 * [f"{(0.1 * np.log(40) + 1) ** 2:.2f}"]


def test_seven_divisors() -> None:
    found = ch7.results.wrong_divisors()
    times = {
        "√d: right": 1,
        "√224 for √256": (256 / 224) ** 0.5,
        "√n": (64 / 256) ** 0.5,
        "√(model width)": (64 / 512) ** 0.5,
        "d, or √d twice": 1 / 8,
        "√heads": 8**0.5,
        "forgotten": 8,
    }
    assert {*found} == {*times}
    for name, one in found.items():
        assert one.logit_std == pytest.approx(times[name] * found["√d: right"].logit_std)
