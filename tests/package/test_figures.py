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
    chapter1_moving,
    chapter2,
    chapter2_moving,
    new_figure,
    picture,
    playground,
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
        "mean_and_spread": chapter1_moving.mean_and_spread(
            d, (0.0 * d, 0.0 * d), (d**0.5, 1.1 * d**0.5), "q·k, μ = 0"
        ),
        "logits_and_weights": chapter1_moving.logits_and_weights(
            scores[3], rows[64], (-6, 6), "normal, d = 3", "q·k"
        ),
        "scaled_scores": chapter2_moving.scaled_scores(
            RNG.standard_normal(500), ah.Moments(8.0, 32.0, None), 16, (-14, 24), "mean: 0.7"
        ),
        "with_and_without_scale": playground.with_and_without_scale([0, 4.0], 4),
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
        ("mean_and_spread", "q·k, μ = 0. The mean is zero at every d and not drawn."),
        ("mean_and_spread", "The spread goes from 1.414 to 8."),
        ("logits_and_weights", "a histogram of q·k with mean 0.8"),
        ("logits_and_weights", "a typical row of 5 softmax weights: the largest is "),
        ("scaled_scores", "Exact mean 2.00 and variance 2.00; simulated mean "),
        (
            "with_and_without_scale",
            "0.02, 0.98 with no scale, β = 1, and 0.12, 0.88 with β = 1/√4.",
        ),
        ("three_laws", "C: variance 0."),
        ("assumption_dial", "Mean: from 1.00 at 0.00 to 3.00 at 1.00."),
        ("exact_densities", "At d = 2 and four standard deviations it is 18.5"),
        ("initialisations", "GPT-2: predicted 0.31, measured 0.30 to 0.31."),
    ],
)
def test_descriptions_are_computed_from_the_data(name: str, said: str) -> None:
    assert said in FIGURES[name].description


def test_every_figure_function_is_tried_here() -> None:
    functions = {
        name
        for module in (chapter1, chapter1_moving, chapter2, chapter2_moving, playground)
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
