"""One look for every figure: sizes that survive a phone, colours that survive grey print.

A figure function is decorated with ``picture``: it yields the figure, then sentences made from the
numbers that it draws, which are its description. The notebook shows the picture, the page gives
its description to screen readers, and the stored notebook keeps the description, so that the tests
compare its numbers.

A figure is as wide as the page's text. For the site it is drawn a second time, for phones:
narrower, with letters of the same size.

Blue is the page's accent and red its hot colour, for the one thing to look at; the others are from
Okabe and Ito, "Color Universal Design" (2008). In grey print green, red and purple look alike:
lines that share an axis differ in lightness, dash or marker.
"""

import io
import os
import re
import threading
import warnings
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import wraps
from itertools import combinations, cycle
from pathlib import Path
from typing import Any, NamedTuple, ParamSpec, TypeVar, cast

import matplotlib as mpl
from matplotlib import font_manager
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.text import Text

Parameters = ParamSpec("Parameters")
Name = TypeVar("Name")
Values = TypeVar("Values")
Drawn = Iterator[Figure | str]  # what a figure function yields: the figure, then sentences

COLORS = {
    "blue": "#0f5ea8",
    "orange": "#E69F00",
    "green": "#009E73",
    "red": "#c8501e",
    "purple": "#CC79A7",
    "grey": "#5A5A5A",
}
EDGED: Any = {"mec": "white", "mew": 0.4}  # points that lie on each other stay points
# Matplotlib's settings belong to the whole process, and JupyterLab may run a control's callback in
# another thread than the cells: one picture at a time.
DRAWING = threading.RLock()

WIDTH = 6.2  # inches; the page shows it 43 rem wide, so 11 points are 17 pixels there
NARROW = 4.4  # inches; on a phone 360 pixels wide, so 11 points are 12.5 pixels there
# The site's builder sets this in the environment of the kernels.
FOR_SITE = "WHY_SQRT_D_FOR_SITE"
for _font in (Path(__file__).parent / "fonts").glob("*.ttf"):
    font_manager.fontManager.addfont(_font)

STYLE: Any = {
    "figure.dpi": 192,
    "font.family": ["Course Sans", "DejaVu Sans"],  # what the first lacks is in the second
    "font.size": 11,
    "mathtext.fontset": "dejavusans",  # it has every sign
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 11,
    "axes.labelcolor": "#1d2127",
    "axes.edgecolor": "#5b626d",
    "text.color": "#1d2127",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e4e1da",
    "grid.linewidth": 0.7,
    "legend.frameon": False,
    "legend.fontsize": 10.5,
    "lines.linewidth": 2.0,
    "lines.markersize": 6,
    "savefig.facecolor": "white",
    "xtick.color": "#5b626d",
    "ytick.color": "#5b626d",
    "xtick.labelcolor": "#3a4048",
    "ytick.labelcolor": "#3a4048",
    "xtick.major.size": 3,
    "ytick.major.size": 0,
    "xtick.minor.visible": False,
}


class Look(NamedTuple):
    """A colour, a marker and a dash that belong together; `line` and `points` unpack into plot."""

    color: str
    marker: str
    dash: str

    @property
    def line(self) -> dict[str, Any]:
        """Colour and dash, no marker."""
        return {"color": self.color, "ls": self.dash}

    @property
    def points(self) -> dict[str, Any]:
        """Colour and marker, no line."""
        return {"color": self.color, "marker": self.marker, "ls": "none"}

    @property
    def both(self) -> dict[str, Any]:
        """A line with markers on it."""
        return {"color": self.color, "marker": self.marker, "ls": self.dash}


def looks(
    named: Mapping[Name, Values], colors: str, dashes: str = "-", markers: str = "o s ^ D v P"
) -> Iterator[tuple[Name, Values, Look]]:
    """Yield each name, its values, and how they are drawn; what runs out starts again.

    Names of `COLORS`, Matplotlib's dashes and its markers have spaces between them.

    >>> [(n, look.line["ls"]) for n, _, look in looks({"a": 1, "b": 2}, "red blue", "- --")]
    [('a', '-'), ('b', '--')]
    """
    cycles = (cycle(words.split()) for words in (colors, markers, dashes))
    for (name, values), color, marker, dash in zip(named.items(), *cycles, strict=False):
        yield name, values, Look(COLORS[color], marker, dash)


def new_figure(
    rows: int = 1, columns: int = 1, height: float = 3.6, **options: Any
) -> tuple[Figure, Any]:
    """Return a figure as wide as the page's text column, and its axes, without global state.

    There are `rows` times `columns` axes; the `height` is in inches; `options` go to
    ``Figure.subplots``, such as ``sharex=True``.

    >>> figure, axes = new_figure(columns=2)
    >>> len(axes), bool(figure.get_figheight() == 3.6)
    (2, True)
    """
    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    return figure, figure.subplots(rows, columns, **options)


def thousands(value: float) -> str:
    """Return a whole number as the course writes it: thin spaces from five digits on.

    >>> thousands(2048), thousands(16384).split()
    ('2048', ['16', '384'])
    """
    whole = f"{value:.0f}"
    return whole if len(whole.lstrip("-")) < 5 else f"{value:,.0f}".replace(",", "\u202f")


def short_count(value: float) -> str:
    """Return a number of effective keys: whole from ten on, else with one decimal."""
    return thousands(value) if value >= 9.95 else f"{value:.1f}"


def _small_letters(figure: Figure) -> Iterator[str]:
    """Name what is lower than 8.5 pixels on a phone 360 pixels wide, exponents counted too."""
    for text in figure.findobj(Text):
        exponent = re.search(r"\$.*[\^_]", text.get_text())
        points = float(text.get_fontsize()) * (0.7 if exponent else 1)
        if points / 72 / NARROW * 360 < 8.5:
            yield f"{text.get_text()!r} is too small for a phone"


def lightness(color: Any) -> float:
    """Return CIE L*, from 0 to 100."""
    linear = (v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in to_rgb(color))
    share = sum(w * v for w, v in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
    return 116 * share ** (1 / 3) - 16 if share > (6 / 29) ** 3 else share * (29 / 3) ** 3


def _alike(figure: Figure) -> Iterator[str]:
    """Name pairs of a legend that differ in colour, but not in lightness, dash or marker."""
    for axis in figure.axes:
        lines = [line for line in axis.lines if not str(line.get_label()).startswith("_")]
        for one, two in combinations(lines, 2):
            apart = abs(lightness(one.get_color()) - lightness(two.get_color()))
            drawn = [(line.get_linestyle(), line.get_marker()) for line in (one, two)]
            if 1e-6 < apart < 10 and drawn[0] == drawn[1]:
                yield f"{one.get_label()} and {two.get_label()} look alike in grey print"


@dataclass(frozen=True)
class Picture:
    """A figure with the text alternative that was computed from its data.

    The description has at least 40 characters, so that nobody writes "figure". Letters that
    nobody can read on a phone are warned of, and so are lines that look alike in grey print: no
    page is built with a warning.
    """

    figure: Figure
    description: str

    def __post_init__(self) -> None:
        if len(self.description) < 40:
            raise ValueError(f"describe what the figure shows; got {self.description!r}")
        for found in (*_small_letters(self.figure), *_alike(self.figure)):
            warnings.warn(found, stacklevel=4)

    def _repr_mimebundle_(self, **_: object) -> tuple[dict[str, str], dict[str, Any]]:
        """Return the picture and its description, and the width at which it is meant.

        The site is told the description with the picture, and how a phone has it.
        """
        png = self.base64(self.figure.get_figwidth())
        data = {"image/png": png, "text/plain": self.description}
        about: dict[str, Any] = {"width": self.width}
        if os.environ.get(FOR_SITE):
            about |= {"alt": self.description, "narrow": self.base64(NARROW)}
        return data, {"image/png": about}

    @property
    def width(self) -> int:
        """The width at which it is meant to be seen, in CSS pixels."""
        return round(96 * self.figure.get_figwidth())

    def base64(self, width: float) -> str:
        """Return the drawing as a PNG in base64, `width` inches wide."""
        return b64encode(self.png(width)).decode()

    def png(self, width: float) -> bytes:
        """Return the drawing as a PNG, `width` inches wide, its height and letters as they are.

        Only where every panel has a fixed shape does the height follow the width.
        """
        buffer = io.BytesIO()
        before, high = self.figure.get_size_inches()
        fixed = all(axis.get_aspect() != "auto" for axis in self.figure.axes)
        height = high * width / before if fixed else high
        with DRAWING, mpl.rc_context(STYLE):
            self.figure.set_size_inches(width, height)
            how: Any = {"metadata": {"Software": None}, "pil_kwargs": {"compress_level": 1}}
            self.figure.savefig(buffer, format="png", **how)
            self.figure.set_size_inches(before, high)
        return buffer.getvalue()


def picture(
    draw: Callable[Parameters, Iterable[Figure | str]],
) -> Callable[Parameters, Picture]:
    """Turn `draw`, which yields a figure and then what to say of it, into what makes a Picture.

    The course's style holds while the function draws, and only then.

    >>> @picture
    ... def line(slope):
    ...     figure, axes = new_figure()
    ...     yield figure
    ...     axes.plot([0, 1], [0, slope])
    ...     yield f"A line from the origin that rises to {slope} at one."
    >>> line(2).description
    'A line from the origin that rises to 2 at one.'
    """

    @wraps(draw)
    def drawn(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Picture:
        with DRAWING, mpl.rc_context(STYLE):
            figure, *sentences = draw(*args, **kwargs)
            return Picture(cast(Figure, figure), " ".join(map(str, sentences)))

    return drawn
