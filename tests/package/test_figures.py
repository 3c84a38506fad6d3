"""The figures: each draws, describes itself from its data, and leaves the global style alone."""

import base64
import importlib
import io
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from PIL import Image

import attn_helpers as ah
from attn_helpers import figures
from attn_helpers.figures import (
    COLORS,
    Picture,
    chapter1,
    chapter2,
    chapter3,
    chapter3_phases,
    chapter5,
    chapter5_sizes,
    chapter6,
    chapter7,
    chapter7_limits,
    new_figure,
    picture,
)

RNG = np.random.default_rng(0)
BEFORE = dict(mpl.rcParams)


def drawn() -> dict[str, Picture]:
    """Every figure of the course on small data."""
    rows = {d: ah.softmax(ah.simulate_rows(ah.Gaussian(), d, 5, 9, RNG)) for d in (4, 64)}
    d = np.array([2, 4, 8, 16, 32, 64])
    scores = {size: RNG.normal(size / 4, 1, 500) for size in (3, 100, 1000)}
    x = np.linspace(-6, 6, 481)
    exact = {n: np.sqrt(n) * ah.gaussian_score_pdf(x * np.sqrt(n), n) for n in (2, 8, 64)}
    compared = ah.compare_scores([ah.Gaussian(mean=m) for m in (0.0, 1.0)], 8, 400, RNG)
    dial = chapter2.Dial("Mean", "mean", np.array([0.0, 1.0]), compared.variance)
    return {
        "typical_weights": chapter1.typical_weights(rows),
        "growth": chapter1.growth(d, {"cube": d**3.0, "line": 2.0 * d, "root": d**0.5}),
        "histograms": chapter1.histograms(scores),
        "variance_line": chapter1.variance_line(
            d, {"a": RNG.random((3, 6)), "b": RNG.random((3, 6))}, 7 / 144, "7d/144"
        ),
        "rows_of_scores": chapter1.rows_of_scores(RNG.normal(size=(6, 10))),
        "after_dividing": chapter1.after_dividing(
            d, {"one": np.ones(6), "sixth": np.ones(6) / 6, "less": 1.0 / d}
        ),
        "three_laws": chapter2.three_laws(
            {"A": RNG.normal(0, 8, 500), "B": RNG.normal(0, 14, 500), "C": 64 * np.ones(9)}, 64
        ),
        "assumption_dial": chapter2.assumption_dial([dial] * 4),
        "exact_densities": chapter2.exact_densities(
            x, exact, {n: RNG.standard_normal(500) for n in exact}
        ),
        "initialisations": chapter2.initialisations(
            {"GPT-2": 0.3072}, {"GPT-2": np.array([0.30, 0.31])}
        ),
        **saturated(),
    }


def saturated() -> dict[str, Picture]:
    """The figures of chapter 3 on small data."""
    margin = np.linspace(0, 4, 9)
    inside = (np.array([1.0, 2.0]), np.array([0.7, 0.8]))
    outside = (np.array([1.0, 2.0]), np.array([0.7, 0.99]))
    weights = {n: np.exp(margin) / (np.exp(margin) + n - 1) for n in (2, 4)}
    sizes = np.array([2.0, 16.0, 16384.0])
    ratios, curve = np.array([0.5, 2.0]), np.array([0.5, 0.25])
    points = {64: (curve, curve / 100), 1024: (curve, curve / 100)}
    return {
        "which_is_saturated": chapter3.which_is_saturated(
            {"3 and 0": np.array([3.0, 0.0]), "many": np.zeros(10)}
        ),
        "margin_bounds": chapter3.margin_bounds(
            margin, {2: margin / 4, 4: margin / 5}, margin / 4, {4: inside, 2: outside}
        ),
        "how_large": chapter3.how_large(margin, weights, (0.5, 0.9)),
        "more_keys": chapter3.more_keys(
            [2, 16],
            {
                name: np.full((3, 2), level)
                for name, level in zip("abc", (0.5, 0.2, 0.1), strict=True)
            },
        ),
        "phase_map": chapter3_phases.phase_map(
            np.array([1.0, 64.0]), sizes, np.array([[0.7, 0.9], [0.3, 0.8], [0.1, 0.6]])
        ),
        "predictions": chapter3_phases.predictions(
            ratios, points, points, dict.fromkeys(points, (ratios, curve, curve / 2))
        ),
        "largest_histograms": chapter3_phases.largest_histograms(
            {0.5: np.array([0.8, 0.2]), 2.0: np.array([0.4, 0.6])}, {0.5: 0.2, 2.0: 0.7}, n=8
        ),
        **chapter_5(),
        **chapter_6(),
        **chapter_7(),
    }


def chapter_5() -> dict[str, Picture]:
    """Chapter 5's figures on small data."""
    n, scales = [2**k for k in range(4, 14)], np.linspace(0.01, 10, 40)
    z = np.linspace(0, 4, 41)
    weights = ah.softmax(scales[:, None] * np.array([2.0, 1.0, 0.0]))
    flat, half = np.full((10, 3), 0.25), np.linspace(1, 0, 10)
    maps = {"hot": np.full((2, 2), 0.5), "cold": np.eye(2)}
    return {
        "lost_needle": chapter5.lost_needle(n, {"A": flat, "B": half[:, None] * np.ones(3)}),
        "hot_to_cold": chapter5.hot_to_cold(scales, weights, weights, ah.entropy(weights)),
        "attention_maps": chapter5.attention_maps(["a", "b"], maps, {"hot": 0.69, "cold": 0.0}),
        "learned_scale": chapter5.learned_scale(
            np.tile(np.linspace(1, 3, 301), (2, 1)), 3, scales, (scales - 3) ** 2 + 1
        ),
        "weight_by_scale": chapter5_sizes.weight_by_scale(
            scales, {4: np.full(40, 0.5), 16: np.full(40, 0.25)}, lambda n, b: 1 / n, 5.0
        ),
        "length_rules": chapter5_sizes.length_rules(
            n, np.linspace(0.5, 2.3, 10), {"one": np.ones(10), "two": np.full(10, 2.0)}
        ),
        "capacity": chapter5_sizes.capacity(n, {"gain 1": flat}, {"gain 1": half}),
        "soft_cap": chapter5_sizes.soft_cap(z, np.tanh(z), 1 - np.tanh(z) ** 2, 1.0),
        "aligned_logits": chapter5_sizes.aligned_logits(
            [4, 16, 64],
            {
                "1/√d": {"ρ = 0": np.ones(3), "ρ = 1": np.array([2.0, 4.0, 8.0])},
                "1/d": {"ρ = 0": np.ones(3), "ρ = 1": np.ones(3)},
            },
        ),
    }


def chapter_6() -> dict[str, Picture]:
    """Chapter 6's figures on small data."""
    seeds = [0.2, 0.3, 1.0]
    groups = [chapter6.Strip("old", seeds, 0.25), chapter6.Strip("new", [0.9], strong=True)]
    return {
        "strips": chapter6.strips(groups, "searched", "fixed"),
        "through_training": chapter6.through_training(
            {"old": np.array([[0.1, 0.4], [0.3, 0.6]])}, "logit spread", 1.0, "one"
        ),
        "against": chapter6.against([0.1, 1.0], {"slow": [seeds, [1.0]]}, "β", {"here": 0.3}),
    }


def chapter_7() -> dict[str, Picture]:
    """Chapter 7's figures on small data."""
    found = [ah.RuleStatistics(s, 3 * s, 1 - 1 / s, 1 / s, 0.1) for s in (1.0, 2.0, 4.0)]
    sizes = np.array([16, 64, 256])
    return {
        "largest_weights": chapter7.largest_weights({"A": found[0], "B": found[2]}, keys=9),
        "landscape": chapter7.landscape(
            np.array([0.1, 1.0, 10.0]),
            np.array([1.0, 0.9, 0.1]),
            np.array([0.001, 0.01, 0.1]),
            {"two\nmodels": 0.9},
        ),
        "width_transfer": chapter7.width_transfer(
            sizes,
            {
                "rule": {"random": (sizes / 16, sizes / 16), "step": (1.0 / sizes, 1.0 / sizes)},
                "other": {"random": (sizes / 16, sizes / 16), "step": (1.0 / sizes, 1.0 / sizes)},
            },
        ),
        "growing_weights": chapter7_limits.growing_weights((1, 2, 4), {"cap": found}),
        "length_factors": chapter7_limits.length_factors(
            [1024, 4096, 2**20], {"YaRN": np.array([1.0, 1.5, 2.5])}
        ),
        "wrong_divisors": chapter7_limits.wrong_divisors(
            {"right": found[0], "forgotten": found[2]}, right="right"
        ),
    }


FIGURES = drawn()


@pytest.mark.parametrize("name", FIGURES)
def test_the_description_travels_inside_the_png(name: str) -> None:
    bundle, metadata = FIGURES[name]._repr_mimebundle_()
    assert metadata == {"image/png": {"width": 538}}
    image = Image.open(io.BytesIO(base64.b64decode(bundle["image/png"])))
    assert image.width > 600
    assert image.text["Description"] == bundle["text/plain"] == FIGURES[name].description


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("growth", "cube: slope 3.00 from d = 16 on. line: slope 1.00"),
        ("growth", "root: slope 0.50"),
        ("histograms", "At d = 1000 the mean is 25"),
        ("variance_line", "which ends at 3.1."),
        ("after_dividing", "less: from 0.5 to 0.0156."),
        ("three_laws", "C: variance 0."),
        ("assumption_dial", "Mean: from 1.00 at 0.00 to 3.00 at 1.00."),
        ("exact_densities", "At d = 2 and four standard deviations it is 18.5"),
        ("initialisations", "GPT-2: predicted 0.31, measured 0.30 to 0.31."),
        ("which_is_saturated", "Logits 3 and 0: 0.953. Logits many: 0.100."),
        ("margin_bounds", "With 4 keys the lower bound at margin 4 is 0.800, and 100 %"),
        ("margin_bounds", "and 0 % of the random rows"),
        ("how_large", "With 4 keys it passes 0.5 at 1.10, 0.9 at 3.30."),
        ("more_keys", "a: 0.50 with 2 keys, 0.5 with 16."),
        ("phase_map", "it lies between 0.60 and 0.90, to the left between 0.1000 and 0.70."),
        ("predictions", "at σ/σ_c = 2: entropy 0.25 of ln n against 0.25, Σp² 0.25 against 0.12."),
        ("largest_histograms", "At 2 σ_c the mean is 0.70; 60 % of the rows are in the last"),
        ("lost_needle", "B: 1.00 among 16, 0 among 8192."),
        ("hot_to_cold", "At β = 0.01 the largest is 0.34, at β = 10 it is 1.000."),
        ("attention_maps", "At hot a word gives itself and its copies 0.50"),
        ("learned_scale", "between 2.34 and 2.34, theory says 3.00."),
        ("weight_by_scale", "Among 16 at b = 10: measured 0.25, predicted 0.06."),
        ("length_rules", "one: from 1.00 to 1.00, enough up to n = 64. two: from 2.00"),
        ("capacity", "gain 1: measured 0.250 at n = 16 and 0.250 at n = 8192, predicted 1.000"),
        ("soft_cap", "The slope is 0.42 at the cap and 0.07 at twice the cap."),
        ("aligned_logits", "1/√d, ρ = 1: from 2 at d = 4 to 8 at d = 64."),
        ("strips", "old: 3 seeds from 20.0 to 100.0, mean 50.0 %; the paper states 25.00."),
        ("through_training", "old: from 0.20 to 0.50."),
        ("against", "slow: median 100 % at 1, its best."),
        ("largest_weights", "A: 0.000. B: 0.750."),
        ("landscape", "two models: entropy 0.90 of its largest value, gradient 0.01."),
        ("width_transfer", "rule, random: from 1.00 to 16.00. rule, step: from 0.06 to 0.00."),
        ("growing_weights", "cap: largest logit from 3.0 to 12.0, entropy from 1.00 through"),
        ("length_factors", "YaRN: from 1.00 to 2.50."),
        ("wrong_divisors", "forgotten: spread 4.00, entropy 0.25."),
    ],
)
def test_descriptions_are_computed_from_the_data(name: str, said: str) -> None:
    assert said in FIGURES[name].description


def test_every_figure_function_is_tried_here() -> None:
    folder = Path(figures.__file__).parent
    modules = [
        importlib.import_module(f"attn_helpers.figures.{path.stem}")
        for path in folder.glob("chapter*.py")
    ]
    functions = {
        name
        for module in modules
        for name, thing in vars(module).items()
        if getattr(thing, "__wrapped__", None) is not None and thing.__module__ == module.__name__
    }
    assert functions == set(FIGURES)


def test_the_style_holds_while_drawing_and_only_then() -> None:
    seen = []

    @picture
    def probe() -> tuple:
        seen.append(mpl.rcParams["font.size"])
        return new_figure()[0], "a description that is long enough to describe something"

    probe()._repr_mimebundle_()
    assert seen == [12]
    assert dict(mpl.rcParams) == BEFORE


def test_a_picture_without_a_description_is_refused() -> None:
    with pytest.raises(ValueError, match="got 'figure'"):
        Picture(new_figure()[0], "figure")


def test_colours_differ_in_grey_print() -> None:
    """Relative luminance (WCAG 2) of the colours that share axes differs by a tenth or more."""

    def luminance(colour: str) -> float:
        channels = np.array(mpl.colors.to_rgb(colour))
        linear = np.where(
            channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4
        )
        return float(linear @ [0.2126, 0.7152, 0.0722])

    for together in (("blue", "orange"), ("green", "orange"), ("blue", "grey"), ("red", "orange")):
        one, two = (luminance(COLORS[name]) for name in together)
        assert abs(one - two) > 0.03, together
