"""Every figure of the course, drawn from small data."""

import numpy as np

import attn_helpers as ah
from why_sqrt_d import ch1, ch2, ch3, ch4, ch5, ch6, ch7
from why_sqrt_d.pictures import Picture

RNG = np.random.default_rng(0)


def chapters_1_and_2() -> dict[str, Picture]:
    d = np.array([2, 4, 8, 16, 32, 64])
    scores = {size: RNG.normal(size / 4, 1, 500) for size in (3, 100, 1000)}
    x = np.linspace(-6, 6, 481)
    exact = {n: np.sqrt(n) * ah.sampling.gaussian_score_pdf(x * np.sqrt(n), n) for n in (2, 8, 64)}
    return {
        "larger_scores": ch1.figures.larger_scores(
            {"as it is": np.array([0.0, np.log(3.0)]), "up": np.array([-9.0, 9.0])}
        ),
        "growing_sums": ch1.figures.growing_sums(np.cumsum(np.ones((3, 64)), axis=1)),
        "growth": ch1.figures.growth(d, {"cube": d**3.0, "line": 2.0 * d, "root": d**0.5}),
        "histograms": ch1.figures.histograms(scores),
        "variance_line": ch1.figures.variance_line(
            d, {"a": RNG.random((3, 6)), "b": RNG.random((3, 6))}, 7 / 144, "7d/144"
        ),
        "rows_of_scores": ch1.figures.rows_of_scores(RNG.normal(size=(6, 10))),
        "after_dividing": ch1.figures.after_dividing(
            d, {"one": np.ones(6), "sixth": np.ones(6) / 6, "less": 1.0 / d}
        ),
        "with_and_without": ch1.figures.with_and_without(d, d / 64, np.full(6, 0.25)),
        "own_slope": ch1.figures.own_slope({4: 0.5, 64: 0.9, 1024: 1.0}, 0.25),
        "three_draws": ch2.figures.three_draws(
            {"A": RNG.normal(0, 8, 500), "B": RNG.normal(0, 14, 500), "C": 64 * np.ones(9)}, 64
        ),
        "what_is_shared": ch2.figures.what_is_shared(
            (np.array([1.0, 1.0, -2.0, -2.0]), np.array([1.0, -1.0, 2.0, -2.0])),
            (np.array([1, 1, 1, -1]), np.array([1, 1, 1, -1])),
        ),
        "entry_by_entry": ch2.figures.entry_by_entry(
            [(np.eye(2), np.full((2, 2), 0.5)), (np.full((2, 2), 0.5), np.full((2, 2), 0.5))]
        ),
        "broken_assumptions": ch2.figures.broken_assumptions(
            [4, 64],
            {
                "the same correlation 0.4 inside both": ah.laws.Correlated(0.4),
                "correlation 0.4 inside q only": ah.laws.Correlated(0.4, 0.0),
            },
            {
                "the same correlation 0.4 inside both": [1.5, 11],
                "correlation 0.4 inside q only": [1, 1],
            },
        ),
        "aligned_and_unrelated": ch2.figures.aligned_and_unrelated(
            [4, 16], {"aligned": np.array([[1.0, 2], [3, 4]]), "unrelated": np.zeros((2, 2))}, 0.5
        ),
        "exact_densities": ch2.figures.exact_densities(
            x, exact, {n: RNG.standard_normal(500) for n in exact}
        ),
        "one_query_and_all": ch2.figures.one_query_and_all(
            x, {8: exact[8]}, {8: np.array([exact[64], exact[2]])}, {8: 12.3}
        ),
        "initialisations": ch2.figures.initialisations(
            {"GPT-2": 0.3072}, {"GPT-2": np.array([0.30, 0.31])}
        ),
    }


def chapter_3() -> dict[str, Picture]:
    margin = np.linspace(0, 4, 9)
    weights = {n: np.exp(margin) / (np.exp(margin) + n - 1) for n in (2, 4)}
    ratios, curve = np.array([0.5, 2.0]), np.array([0.5, 0.25])
    points = {64: (curve, curve / 100), 1024: (curve, curve / 100)}
    return {
        "which_is_saturated": ch3.figures.which_is_saturated(
            {"3 and 0": ah.softmax([3.0, 0.0]), "many": np.full(10, 0.1)}
        ),
        "how_large": ch3.figures.how_large(margin, weights, (0.5, 0.9)),
        "effective_keys": ch3.figures.effective_keys(
            [2, 16, 128],
            {
                name: np.outer([0.5, 1.0, 2.0], [1.0, level, 2 * level])
                for name, level in zip("abc", (12.0, 2.0, 1.0), strict=True)
            },
            shaded="c",
        ),
        "reach": ch3.figures.reach(
            {1: np.array([0.5, 1.5, -1.0, 0.0]), 8: 8 * np.arange(-2.0, 3)}
        ),
        "keys_map": ch3.figures.keys_map(
            np.array([1.0, 2, 4, 8, 16, 32]),
            np.array([2.0, 16, 128, 1024]),
            np.outer([1.0, 2, 4, 8], [2.0, 1.8, 1.6, 1.4, 1.2, 1.0]),
            (2, 10),
        ),
        "predictions": ch3.figures.predictions(
            ratios, points, points, dict.fromkeys(points, (ratios, curve, curve / 2))
        ),
        "largest_histograms": ch3.figures.largest_histograms(
            {0.5: np.array([0.8, 0.2]), 2.0: np.array([0.4, 0.6])}, {0.5: 0.2, 2.0: 0.7}, n=8
        ),
    }


def chapter_4() -> dict[str, Picture]:
    five, seeds = np.array([1.0, 2.0, 4.0, 8.0, 16.0]), np.array([[1.0, 2, 4, 8, 16]] * 3)
    falling = {"β = 1": seeds, "β = 1/√d": 1 / seeds}
    return {
        "gradient_histograms": ch4.figures.gradient_histograms(
            {"scaled": np.array([3.0, 4, 5]), "unscaled": np.array([0.0, 1e-6, 100.0])}
        ),
        "gap_histogram": ch4.figures.gap_histogram(np.array([0.2, 1.5, 4.0, 9.0])),
        "mean_and_typical": ch4.figures.mean_and_typical(five, 1 / five, 1e-3 / five, five, five),
        "who_is_right": ch4.figures.who_is_right(
            [4, 16],
            [4, 64],
            {"typical": np.array([[1e-7, 2.0], [0.19, 30.0]])}
            | {"matrix": np.array([[1.5, 2.0], [3.0, 30.0]])},
        ),
        "against_scale": ch4.figures.against_scale(
            five, {"rms": seeds, "typical": seeds[:, [0, 1, 4, 2, 0]]}, {"β = 1": 4.0}
        ),
        "predicted_lengths": ch4.figures.predicted_lengths(
            {"with": (five, 1.1 * five), "without": (five, 0.9 * five)}
        ),
        "against_rate": ch4.figures.against_rate(
            {"Adam": ([0.1, 0.3, 1.0, 3.0, 10.0], {"in β": seeds / 9, "nowhere": seeds})}
            | {"descent": ([0.1, 0.3, 1.0, 3.0, 10.0], falling)}
        ),
        "clipping": ch4.figures.clipping(five, {"scaled": five, "clipped": 0 * five + 3}),
        "depth": ch4.figures.depth({"alone": falling, "full": falling}),
        "learning_curves": ch4.figures.learning_curves(
            [20, 40, 60, 80, 100], {"Adam": falling} | {"descent": falling}
        ),
    }


def chapter_5() -> dict[str, Picture]:
    n, scales = [2**k for k in range(4, 14)], np.linspace(0.01, 10, 40)
    z = np.linspace(0, 4, 41)
    scores = np.array([2.0, 1.0, 0.0])
    weights = ah.softmax(scales[:, None] * scores)
    flat, half = np.full((10, 3), 0.25), np.linspace(1, 0, 10)
    maps = {"hot": np.full((2, 2), 0.5), "cold": np.eye(2)}
    return {
        "lost_needle": ch5.figures.lost_needle(n, {"A": flat, "B": half[:, None] * np.ones(3)}),
        "hot_to_cold": ch5.figures.hot_to_cold(
            scales, scores, weights, weights, ah.entropy(weights)
        ),
        "attention_maps": ch5.figures.attention_maps(["a", "b"], maps, {"hot": 0.69, "cold": 0.0}),
        "learned_scale": ch5.figures.learned_scale(
            np.tile(np.linspace(1, 3, 301), (2, 1)), scales, (scales - 3) ** 2 / 50 + 1, 4.2
        ),
        "rows_found": ch5.figures.rows_found(
            scales, {4: np.linspace(0, 1, 40), 16: np.linspace(0, 0.4, 40)}, {4: 1.0, 16: 0.5}
        ),
        "counted": ch5.figures.counted(
            {
                "near": (np.linspace(0.1, 4, 40), np.arange(40.0), 1.25),
                "far": (np.linspace(0.1, 8, 40), np.maximum(0, np.arange(-20.0, 20)), 0.5),
            },
            64,
        ),
        "half_scales": ch5.figures.half_scales(
            n, {"slow": np.linspace(1, 2, 10), "fast": 2.0 ** np.arange(10)}, {"slow": np.ones(10)}
        ),
        "weight_by_scale": ch5.figures.weight_by_scale(
            scales, {4: np.full(40, 0.5), 16: np.full(40, 0.25)}, lambda n, b: 1 / n, 5.0
        ),
        "length_rules": ch5.figures.length_rules(
            n, np.linspace(0.5, 2.3, 10), {"one": np.ones(10), "two": np.full(10, 2.0)}
        ),
        "capacity": ch5.figures.capacity(n, {"gain 1": flat}, {"gain 1": half}),
        "soft_cap": ch5.figures.soft_cap(z, np.tanh(z), 1 - np.tanh(z) ** 2, 1.0),
        "aligned_logits": ch5.figures.aligned_logits(
            [4, 16, 64],
            {
                "1/√d": {"ρ = 0": np.ones(3), "ρ = 1": np.array([2.0, 4.0, 8.0])},
                "1/d": {"ρ = 0": np.ones(3), "ρ = 1": np.ones(3)},
            },
        ),
    }


def chapter_6() -> dict[str, Picture]:
    seeds = [0.2, 0.3, 1.0]
    groups = {
        "one task": [
            ch6.figures.Strip("old", seeds, 0.25, faster=[0.9, 1.0]),
            ch6.figures.Strip("new", [0.9], strong=True),
        ],
        "": [ch6.figures.Strip("none", seeds)],
    }
    best = {"high": np.array([0.5, 0.8]), "middle": np.array([0.4, 0.9]), "low": np.full(2, 0.1)}
    return {
        "strips": ch6.figures.strips(groups, "searched", "fixed", "faster"),
        "mirrors": ch6.figures.mirrors({"flat": np.full((4, 4), 0.25), "mirror": np.eye(4)[::-1]}),
        "best_of": ch6.figures.best_of(
            best, {"high": 1.0, "middle": 0.95, "low": 0.125}, ["high", "middle"]
        ),
        "through_training": ch6.figures.through_training(
            {"old": np.array([[0.1, 0.4], [0.3, 0.6]])}, "logit spread", 1.0, "one"
        ),
        "against": ch6.figures.against(
            [0.1, 1.0],
            {"A": {"slow": [seeds, [1.0]]}, "B": {"slow": [[0.5], [0.25]]}},
            "β",
            {"here": 0.3},
            {0.1: "0.1", 1: "1"},
        ),
    }


def chapter_7() -> dict[str, Picture]:
    found = [ah.models.RuleStatistics(s, 3 * s, 1 - 1 / s, 1 / s, 0.1) for s in (1.0, 2.0, 4.0)]
    sizes = np.array([16, 64, 256])
    groups = "1/√d alone", "q and k normalised", "changed for long contexts", "all others"
    return {
        "largest_weights": ch7.figures.largest_weights({"A": found[0], "B": found[2]}, keys=9),
        "places": ch7.figures.places(
            {
                **{f"model {k}": ("root", 1.0) for k in range(5)},
                "other": ("width", 0.125),
                "inside": ("folded", 8.0),
            }
        ),
        "by_year": ch7.figures.by_year(
            {
                "2017": dict(zip(groups, (3, 0, 0, 1), strict=True)),
                "2018": dict(zip(groups, (1, 2, 3, 4), strict=True)),
            }
        ),
        "width_transfer": ch7.figures.width_transfer(
            sizes,
            {
                "rule": {"random": (sizes / 16, sizes / 16), "step": (1.0 / sizes, 1.0 / sizes)},
                "other": {"random": (sizes / 16, sizes / 16), "step": (1.0 / sizes, 1.0 / sizes)},
            },
        ),
        "growing_weights": ch7.figures.growing_weights((1, 2, 4), {"cap": found}),
        "wrong_divisors": ch7.figures.wrong_divisors(
            {"right": found[0], "forgotten": found[2]}, right="right", critical=3.0
        ),
    }


def live_stills() -> dict[str, Picture]:
    """The still pictures of live figures."""
    return {
        "broken": ch2.live.stills.broken(
            {"one": np.array([0.0, 4.0]), "two": np.array([1.0, 3.0])}
        ),
        "weights_beside_a_crowd": ch3.live.stills.weights_beside_a_crowd(
            np.array([4.0, 0.0]), 100
        ),
        "heaviest_keys": ch3.live.stills.heaviest_keys(
            np.array([0.07, 0.9, 0.02, 0.01]), np.array([0.3, 0.5, 0.1, 0.1])
        ),
        "grows_and_vanishes": ch4.live.stills.grows_and_vanishes(
            np.array([0.1, 1.0, 5.0]), {2.0: np.array([0.01, 0.25, 0.001])}, 64
        ),
        "two_rates": ch6.live.stills.two_rates(
            {"0.1": [[[10, 20, 300], [10, 20, 100]], [[500, 990, 9000]]]}, "5"
        ),
        "needle_against_scale": ch5.live.stills.needle_against_scale(
            np.array([0.1, 1.0, 10.0]),
            np.array([[0.1, 0.6, 1.0], [0.1, 0.4, 0.0], [0.1, 0.8, 1.0]]),
            64,
            3.0,
        ),
    }


def every_figure() -> dict[str, Picture]:
    """Return each figure under the name of its function."""
    return {
        **chapters_1_and_2(),
        **chapter_3(),
        **chapter_4(),
        **chapter_5(),
        **chapter_6(),
        **chapter_7(),
        **live_stills(),
    }
