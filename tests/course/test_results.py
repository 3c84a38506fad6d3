"""What chapters 3, 5 and 7 quote, from hand-made inputs with known answers.

Closed forms of `attn_helpers` that a function only hands on are tested with `attn_helpers`.
"""

from decimal import Decimal
from statistics import NormalDist

import numpy as np
import pytest
from scipy.special import softmax

import attn_helpers as ah
from why_sqrt_d import ch3, ch7
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
