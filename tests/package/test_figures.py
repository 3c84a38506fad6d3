"""The figures: each draws, describes itself from its data, and leaves the global style alone."""

import base64
import io

import matplotlib as mpl
import numpy as np
import pytest
from PIL import Image

import attn_helpers as ah
from attn_helpers.figures import (
    COLORS,
    Picture,
    chapter1,
    chapter2,
    chapter3,
    chapter3_phases,
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
    ],
)
def test_descriptions_are_computed_from_the_data(name: str, said: str) -> None:
    assert said in FIGURES[name].description


def test_every_figure_function_is_tried_here() -> None:
    functions = {
        name
        for module in (chapter1, chapter2, chapter3, chapter3_phases)
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
