"""The palette as readers with a colour-vision deficiency see it.

Full severity, matrices for linear RGB from Machado, Oliveira & Fernandes (2009), "A
Physiologically-based Model for Simulation of Color Vision Deficiency", IEEE TVCG 15(6), table 1.
"""

from itertools import combinations

import matplotlib as mpl
import numpy as np
import pytest

from why_sqrt_d.pictures import COLORS
from why_sqrt_d.pictures.style import lightness

SEEN = {
    "full": np.eye(3),
    "protan": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deutan": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritan": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
XYZ = np.array(
    [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
)  # sRGB, IEC 61966-2-1
NOTICEABLE = 10.0  # a difference of 2 is just noticeable side by side


def lab(colour: str, matrix: np.ndarray) -> np.ndarray:
    """Return CIE L*a*b* (D65) of a colour as seen through a deficiency."""
    channels = np.array(mpl.colors.to_rgb(colour))
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    ratio = (XYZ @ np.clip(np.asarray(matrix) @ linear, 0, 1)) / XYZ.sum(axis=1)
    f = np.where(ratio > (6 / 29) ** 3, np.cbrt(ratio), ratio * (29 / 6) ** 2 / 3 + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("vision", SEEN)
def test_colours_can_be_told_apart(vision: str) -> None:
    """By the CIE colour difference of 1976."""
    seen = {name: lab(colour, SEEN[vision]) for name, colour in COLORS.items()}
    for one, two in combinations(seen, 2):
        assert np.linalg.norm(seen[one] - seen[two]) > NOTICEABLE, f"{one} and {two}"


def test_known_values_of_the_colour_space() -> None:
    assert lab("#ffffff", SEEN["full"]) == pytest.approx([100, 0, 0], abs=0.02)
    assert lab("#ff0000", SEEN["full"]) == pytest.approx([53.24, 80.09, 67.20], abs=0.05)
    for colour in (*COLORS.values(), "black", "white", "#050505"):  # as Picture computes it
        assert lightness(colour) == pytest.approx(lab(colour, SEEN["full"])[0], abs=0.02)
