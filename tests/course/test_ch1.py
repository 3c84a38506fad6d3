"""What the pages of chapter 1 compute, against closed forms and rows drawn in another way."""

import re
from itertools import combinations

import numpy as np
import pytest
from scipy.special import softmax
from stored_outputs import drawn, numbers_of, text_of

CHAPTER, MEASURED = (
    numbers_of(page) for page in ("01-dot-products-grow", "1a-measuring-a-variance")
)


def test_a_typical_row() -> None:
    scaled = np.median(softmax(drawn(1024, 10, 4000) / 32, axis=1).max(axis=1))
    assert CHAPTER["scaled_1024"] == pytest.approx(scaled, rel=0.04)


def test_the_rows_shown_are_typical_at_both_widths() -> None:
    for d, name in ((4, "d = 4"), (1024, "d = 1024")):
        [shown] = re.findall(
            rf"{name}: [^,]+, the largest weight is (\d\.\d\d)", text_of("01-dot-products-grow")
        )
        typical = np.median(softmax(drawn(d, 10, 4000), axis=1).max(axis=1))
        assert float(shown) == pytest.approx(typical, abs=0.02)


def test_within_a_row_of_uniform_components_the_variance_is_a_36th() -> None:
    assert abs(MEASURED["within_36"] - 1) < 4 * MEASURED["within_36_error"] < 0.02


def test_the_example_the_mean_and_the_spread_grow_with_these_powers() -> None:
    d = np.array([16, 32, 64, 128, 256, 512])
    example = [np.arange(1, m + 1) @ np.arange(3, m + 3) for m in d]
    steep = np.polyfit(np.log(d), np.log(example), 1)[0]
    assert MEASURED["slope_post"] == pytest.approx(steep)
    assert MEASURED["slope_mean"] == pytest.approx(1, abs=0.01)
    assert MEASURED["slope_spread"] == pytest.approx(0.5, abs=0.01)
    for m in (3, 1000):
        exact = (7 * m / 144) ** 0.5 / (m / 4)
        assert MEASURED[f"relative_{m}"] == pytest.approx(exact, rel=0.02)


def test_the_variance_of_uniform_vectors_is_the_line() -> None:
    found = MEASURED
    assert abs(found["slope_fresh"] - 7) < 4 * found["slope_fresh_error"] < 0.1
    assert abs(found["bend"]) < 4 * found["bend_error"]
    assert found["line_512"] == pytest.approx(7 * 512 / 144)
    # A variance of 4950 nearly normal numbers scatters by √(2/4949) of its size.
    assert found["noise_fresh"] == pytest.approx(100 * (2 / 4949) ** 0.5, rel=0.25)
    # Over all pairs of n vectors the mean of the products varies too: count the pairs that meet.
    meeting = sum(len({*pair} & {0, 1}) == 1 for pair in combinations(range(100), 2))
    lost = (meeting / 48 + 7 / 144) / (100 * 99 / 2)
    assert found["slope_shared_expected"] == pytest.approx(7 - 144 * lost)
    off = found["slope_shared"] - found["slope_shared_expected"]
    assert abs(off) < 4 * found["slope_shared_error"]
    assert found["noise_shared"] > 4 * found["noise_fresh"]
