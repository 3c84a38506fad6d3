"""The figures: each says what follows from its data, and leaves the global style alone.

That each draws, the notebooks' own test shows, which also compares their descriptions.
"""

import base64
import io
import re

import matplotlib as mpl
import numpy as np
import pytest
from PIL import Image
from stored_outputs import sources

from tools.paths import ROOT, notebooks
from why_sqrt_d import ch1, ch4, ch5, ch7
from why_sqrt_d.pictures import COLORS, Picture, new_figure, picture
from why_sqrt_d.pictures.style import FOR_SITE, NARROW, STYLE, WIDTH

BEFORE = dict(mpl.rcParams)
SAID = "a description that is long enough to describe something"
FIVE, D = np.array([1.0, 2.0, 4.0, 8.0, 16.0]), np.array([2, 4, 8, 16, 32, 64])
SEEDS = np.array([FIVE] * 3)
CURVES = {"none": SEEDS, "1/√d": 1 / SEEDS}


@picture
def probe() -> tuple:
    return new_figure(height=3.0)[0], SAID


def opened(text: str) -> Image.Image:
    return Image.open(io.BytesIO(base64.b64decode(text)))


def test_a_picture_is_said_and_for_the_site_drawn_narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = probe()
    monkeypatch.delenv(FOR_SITE, raising=False)  # a build in this process has set it
    bundle, metadata = shown._repr_mimebundle_()
    assert bundle["text/plain"] == SAID
    assert metadata == {"image/png": {"width": shown.width}}
    assert shown.width == round(96 * WIDTH)
    monkeypatch.setenv(FOR_SITE, "1")
    bundle, metadata = shown._repr_mimebundle_()
    about = metadata["image/png"]
    dots = STYLE["figure.dpi"]
    assert about["alt"] == shown.description
    assert opened(bundle["image/png"]).size == (round(WIDTH * dots), 3 * dots)
    assert opened(about["narrow"]).size == (int(NARROW * dots), 3 * dots)
    assert shown.figure.get_figwidth() == WIDTH


def test_every_figure_is_on_a_page_or_a_live_figures_still() -> None:
    cells = (text for path in notebooks() for text in sources(path, "code"))
    rooms = (ROOT / "why_sqrt_d").glob("*/live/__init__.py")
    code = "\n".join([*cells, *(path.read_text() for path in rooms)])
    for path in (ROOT / "why_sqrt_d").glob("*/**/*.py"):
        for name in re.findall(r"@picture\ndef (\w+)", path.read_text()):
            assert re.search(rf"figures\.{name}\b", code), f"{path}: {name}"


def test_descriptions_say_what_follows_from_the_data() -> None:
    reads = {
        "slope 3.00 from": ch1.figures.growth(D, {"cube": D**3.0}),
        "below one in 1 of 4 settings": ch4.figures.who_is_right(
            [4, 16],
            [4, 64],
            dict.fromkeys(("typical", "rms"), np.array([[1e-7, 2.0], [1.9, 30.0]])),
        ),
        "Adam, 1/√d: from 1 to 0.062": ch5.figures.by_step(
            [20, 40, 60, 80, 100], {"Adam": CURVES, "descent": CURVES}, "error"
        ),
        "2 seeds from 90.0 to 96.0, mean 93.0 %, 1 above 95 %": ch7.figures.strips(
            {"": [ch7.figures.Strip("A", [0.9, 0.96])]}, "new", "old"
        ),
        "A, slow: median 30 % at 0.1, at best 100 % at 1": ch7.figures.against(
            [0.1, 1.0],
            {"A": {"slow": [[0.2, 0.3, 1.0], [1.0]]}, "B": {"slow": [[0.5], [0.25]]}},
            "β",
            {"here": 0.3},
            {0.1: "0.1", 1: "1"},
        ),
    }
    for words, shown in reads.items():
        assert words in shown.description


def test_the_style_holds_while_drawing_and_only_then() -> None:
    seen = []

    @picture
    def drawn() -> tuple:
        seen.append(mpl.rcParams["font.size"])
        return new_figure()[0], SAID

    drawn()._repr_mimebundle_()
    assert seen == [STYLE["font.size"]] != [BEFORE["font.size"]]
    assert dict(mpl.rcParams) == BEFORE


def test_what_some_readers_cannot_read_is_warned_of() -> None:
    with pytest.raises(ValueError, match="got 'figure'"):
        Picture(new_figure()[0], "figure")
    for text, size in (("letters", 7), ("$10^{-6}$", 10)):
        figure, axis = new_figure()
        Picture(figure, SAID)
        axis.text(0, 0, text, fontsize=size)
        with pytest.warns(UserWarning, match="too small for a phone"):
            Picture(figure, SAID)
    figure, axis = new_figure()
    for color in ("green", "red"):  # of nearly the same lightness
        axis.plot([1, 2], color=COLORS[color], label=color)
    with pytest.warns(UserWarning, match="green and red look alike in grey print"):
        Picture(figure, SAID)
    axis.lines[1].set_linestyle("--")
    Picture(figure, SAID)
