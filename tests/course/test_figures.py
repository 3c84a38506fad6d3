"""The figures: each draws, describes itself from its data, and leaves the global style alone."""

import base64
import io
import itertools
import re

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.text import Text
from PIL import Image
from small_figures import every_figure
from test_colours import lab

from why_sqrt_d import ch2, ch3, ch4, ch5, ch6
from why_sqrt_d.pictures import COLORS, Picture, new_figure, picture
from why_sqrt_d.pictures.style import FOR_SITE, NARROW, STYLE, WIDTH, looks
from why_sqrt_d.rooms import chapter_modules

BEFORE = dict(mpl.rcParams)
SAID = [
    ("broken", "Their variances: one 4.00, two 1.00."),
    (
        "weights_beside_a_crowd",
        "weight is 0.98; with 100 more keys at logit 0 it is 0.35, and these share",
    ),
    (
        "heaviest_keys",
        "undivided the largest are 90 and 7.0 per cent, divided the largest are 50 and 30.0",
    ),
    ("needle_against_scale", "higher gives it at most 0.40, at b = 1."),
    ("grows_and_vanishes", "Its peaks: 0.250 at β = 1.00 with a gap of 2 of"),
    ("two_rates", "at 0.1 β = 1/√d 0.020 and β = 5 0.900"),
    ("needle_against_scale", "a typical row gives it 0.60, at the largest b 1.00"),
    ("growth", "cube: slope 3.00 from d = 16 on. line: slope 1.00"),
    ("growing_sums", "3 paths of partial sums"),
    ("growing_sums", "After 64 products their standard deviation is 0.0, and the root of 64 is 8"),
    ("growth", "root: slope 0.50"),
    ("histograms", "At d = 1000 the mean is 25"),
    ("variance_line", "which ends at 3.1."),
    ("after_dividing", "less: from 0.5 to 0.0156."),
    ("with_and_without", "Without a scale it rises from 0.03 to 1.00; divided by the root of d"),
    ("larger_scores", "as it is: scores from 0 to 1, the largest weight is 0.75."),
    ("larger_scores", "up: scores from −9 to 9, the largest weight is 1.00."),
    ("own_slope", "d = 64: at 0.90 the slope is 0.09. d = 1024: at 1.00 the slope is 0."),
    ("own_slope", "divided by √d: at 0.25 the slope is 0.19."),
    ("three_draws", "C: variance 0."),
    ("what_is_shared", "and the correlation is 0.0."),
    ("what_is_shared", "(-1, -1) 25 %, (-1, 1) 0 %, (1, -1) 0 %, (1, 1) 75 %."),
    ("entry_by_entry", "2 pairs of covariance matrices"),
    ("entry_by_entry", "the traces of Σ_qΣ_k, are 1.00 and 1.00."),
    ("broken_assumptions", "correlation 0.4 inside both: from 1.48 to 11.08."),
    ("broken_assumptions", "inside q only: from 1.00 to 1.00."),
    ("aligned_and_unrelated", "aligned: mean 1.5 at 4, 3.5 at 16. unrelated: mean 0.0 at 4"),
    ("exact_densities", "At d = 2 and four standard deviations it is 18.5"),
    ("initialisations", "GPT-2: predicted 0.31, measured 0.30 to 0.31."),
    ("one_query_and_all", "At d = 8 q·k is 12 times as likely as a normal variable to be beyond"),
    ("one_query_and_all", "single queries' rows have 0.40 to 0.71 in the middle"),
    ("which_is_saturated", "Logits 3 and 0: 0.953. Logits many: 0.100."),
    ("how_large", "With 4 keys it passes 0.5 at 1.10, 0.9 at 3.30."),
    ("effective_keys", "a: 1.0 of 2, 24 of 128. b: 1.0 of 2, 4.0 of 128."),
    (
        "reach",
        "σ = 1, below the critical 1.67: the weighted density peaks at 1, less than one key",
    ),
    ("keys_map", "d from 1 to 32, n from 2 to 1024, and the border d = 2 ln n. On the border"),
    ("keys_map", "at the largest n it is 16 for d = 1 and 8 for d = 32."),
    ("predictions", "at σ/σ_c = 2: entropy 0.25 of ln n against 0.25, Σp² 0.25 against 0.12."),
    ("largest_histograms", "At 2 σ_c the mean is 0.70; 60 % of the rows are in the last"),
    ("lost_needle", "B: 1.00 among 16, 0 among 8192."),
    ("hot_to_cold", "At β = 0.01 the largest is 0.34, at β = 10 it is 1.000."),
    ("attention_maps", "At hot a word gives itself and its copies 0.50"),
    ("learned_scale", "down to 1.00 at 3.08"),
    ("learned_scale", "end between 2.34 and 2.34."),
    ("rows_found", "Among 16: 0.00 at b = 0.01, 0.40 at b = 10, at most 0.50."),
    ("counted", "near: 19 competitors within 2, 39 within 4; half scale 1.25."),
    ("half_scales", "fast: 1 at n = 16, 512 at 8192."),
    ("weight_by_scale", "Among 16 at b = 10: measured 0.25, at least 0.06."),
    ("length_rules", "one: from 1.00 to 1.00, enough up to n = 64. two: from 2.00"),
    ("capacity", "gain 1: measured 0.250 at n = 16 and 0.250 at n = 8192, predicted 1.000"),
    ("soft_cap", "The slope is 0.42 at the cap and 0.07 at twice the cap."),
    ("aligned_logits", "1/√d, ρ = 1: from 2 at d = 4 to 8 at d = 64."),
    ("strips", "one task, old: 3 seeds from 20.0 to 100.0, mean 50.0 %; the paper states 25.00;"),
    ("strips", "at the larger rate from 90.0. one task, new: 1 seeds from 90.0"),
    ("mirrors", "flat: 0.25 on the mirrored position. mirror: 1.00 on the mirrored"),
    ("best_of", "high: one run 50.0, the best of 2 80.0 %; the paper states 100.00."),
    ("through_training", "old: from 0.20 to 0.50."),
    ("against", "A, slow: median 30 % at 0.1, at best 100 % at 1. B, slow: median 50 %"),
    ("gradient_histograms", "unscaled: median 1e-06, root mean square 57.7."),
    ("gap_histogram", "over 4 rows: median 2.8, mean 3.7; 25.0 per cent are below 1."),
    ("predicted_lengths", "with: measured over predicted from 1.10 to 1.10. without: measured"),
    ("against_rate", "Adam, in β: least 0.11, at 0.1. Adam, nowhere: least 1.00, at 0.1."),
    ("against_rate", "descent, β = 1/√d: least 0.06, at 10."),
    ("mean_and_typical", "At 16 the one is 0.062 (predicted 16.000)"),
    ("who_is_right", "typical: below one in 2 of 4 settings, from 1.0e-07 to 30."),
    ("against_scale", "typical: largest at 4."),
    ("clipping", "clipped: from 3 to 3."),
    ("depth", "alone, β = 1: median 16 after 4 layers."),
    ("learning_curves", "Adam, β = 1/√d: final error 0.062, first below 0.5 at step 60."),
    ("largest_weights", "A: 0.000. B: 0.750."),
    ("width_transfer", "rule, random: from 1.00 to 16.00. rule, step: from 0.06 to 0.00."),
    ("growing_weights", "cap: largest logit from 3.0 to 12.0, entropy from 1.00 through"),
    ("places", "1/√d: 5 at 1. 1/d: 1 at 0.12. 1/√d inside the initial weights: 1 at 8."),
    ("by_year", "2018: 1 1/√d alone, 2 q and k normalised, 3 changed for long contexts, 4 all"),
    ("wrong_divisors", "forgotten: spread 4.00, entropy 0.25."),
]


@pytest.fixture(scope="module")
def drawn() -> dict[str, Picture]:
    return every_figure()


def opened(text: str) -> Image.Image:
    return Image.open(io.BytesIO(base64.b64decode(text)))


def test_a_picture_comes_with_its_description(drawn: dict[str, Picture]) -> None:
    for name, shown in drawn.items():
        bundle, metadata = shown._repr_mimebundle_()
        assert metadata["image/png"]["width"] == round(96 * WIDTH), name
        assert opened(bundle["image/png"]).width > 600, name
        assert bundle["text/plain"] == shown.description


def test_the_site_has_a_narrow_drawing_too(monkeypatch: pytest.MonkeyPatch) -> None:
    @picture
    def probe() -> tuple:
        return new_figure(height=3.0)[0], "a description that is long enough to describe something"

    shown = probe()
    monkeypatch.delenv(FOR_SITE, raising=False)  # a build in this process has set it
    assert shown._repr_mimebundle_()[1] == {"image/png": {"width": shown.width}}
    monkeypatch.setenv(FOR_SITE, "1")
    bundle, metadata = shown._repr_mimebundle_()
    about = metadata["image/png"]
    dots = STYLE["figure.dpi"]
    assert about["alt"] == shown.description
    assert opened(bundle["image/png"]).size == (round(WIDTH * dots), 3 * dots)
    assert opened(about["narrow"]).size == (int(NARROW * dots), 3 * dots)
    assert shown.figure.get_figwidth() == WIDTH


def test_letters_can_be_read_on_a_phone(drawn: dict[str, Picture]) -> None:
    """Where a figure is 360 pixels wide, none is lower than 8.5, an exponent counted too."""
    found = {
        name: min(
            text.get_fontsize() * (0.7 if re.search(r"\$.*[\^_]", text.get_text()) else 1)
            for text in shown.figure.findobj(Text)
            if text.get_text().strip()
        )
        for name, shown in drawn.items()
    }
    assert {name for name, points in found.items() if points / 72 / NARROW * 360 < 8.5} == set()


def test_descriptions_are_computed_from_the_data(drawn: dict[str, Picture]) -> None:
    for name, said in SAID:
        assert said in drawn[name].description
    assert {name for name, _ in SAID} == set(drawn) - {"rows_of_scores"}


def test_every_figure_function_is_tried_here(drawn: dict[str, Picture]) -> None:
    modules = [*chapter_modules("figures")]
    modules += [
        ch2.live.stills,
        ch3.live.stills,
        ch4.live.stills,
        ch5.live.stills,
        ch6.live.stills,
    ]
    functions = [
        name
        for module in modules
        for name, thing in vars(module).items()
        if hasattr(thing, "__wrapped__") and thing.__module__ == module.__name__
    ]
    assert sorted(functions) == sorted(drawn)


def test_looks_start_again_when_they_run_out() -> None:
    found = [look for _, _, look in looks(dict.fromkeys("abc"), "blue red", "- --", "o s")]
    assert found[0] == found[2] != found[1]
    assert found[1].both == found[1].line | found[1].points | {"ls": "--"}
    assert found[1].points["ls"] == "none"


def test_the_style_holds_while_drawing_and_only_then() -> None:
    seen = []

    @picture
    def probe() -> tuple:
        seen.append(mpl.rcParams["font.size"])
        return new_figure()[0], "a description that is long enough to describe something"

    probe()._repr_mimebundle_()
    assert seen == [STYLE["font.size"]] != [BEFORE["font.size"]]
    assert dict(mpl.rcParams) == BEFORE


def test_a_picture_without_a_description_is_refused() -> None:
    with pytest.raises(ValueError, match="got 'figure'"):
        Picture(new_figure()[0], "figure")


def test_lines_in_a_legend_differ_in_grey_print(drawn: dict[str, Picture]) -> None:
    """By ten or more of 100 in lightness (CIE L*), or else in dash or marker."""

    def clash(one: mpl.lines.Line2D, two: mpl.lines.Line2D) -> bool:
        lightness = [lab(line.get_color(), np.eye(3))[0] for line in (one, two)]
        same = (one.get_linestyle(), one.get_marker()) == (two.get_linestyle(), two.get_marker())
        return 1e-6 < abs(lightness[0] - lightness[1]) < 10 and same

    def clashes(figure: mpl.figure.Figure) -> list[str]:
        return [
            f"{one.get_label()} and {two.get_label()}"
            for axis in figure.axes
            for one, two in itertools.combinations(
                (line for line in axis.lines if not line.get_label().startswith("_")), 2
            )
            if clash(one, two)
        ]

    assert not {name: found for name, shown in drawn.items() if (found := clashes(shown.figure))}
    figure, axis = new_figure()
    axis.plot([1, 2], color=COLORS["green"], label="one")
    axis.plot([2, 1], color=COLORS["red"], label="two")
    assert clashes(figure) == ["one and two"]
