"""The first page's numbers against other ways to them."""

from pathlib import Path

import numpy as np
import pytest

import attn_helpers as ah
from why_sqrt_d import front


def test_top_weights_agree_with_rows_of_drawn_keys() -> None:
    rng = np.random.default_rng(0)
    for d, n in ((4, 10), (64, 3)):
        drawn = ah.simulate_rows(ah.Gaussian(), d, n=n, rows=4000, rng=rng)
        short = front.results.top_weights(d, n, 4000, rng)
        assert short.shape == (2, 4000)
        for scale, found in zip((1.0, d**-0.5), short, strict=True):
            kept = ah.softmax(scale * drawn).max(axis=-1)
            # Two samples of one law: the largest distance of their shares is below 0.043 with
            # probability 0.999 (Kolmogorov and Smirnov).
            grid = np.sort(np.concatenate([kept, found]))
            shares = [np.searchsorted(np.sort(x), grid, "right") / 4000 for x in (kept, found)]
            assert np.abs(shares[0] - shares[1]).max() < 0.043


def test_rows_are_drawn_in_pieces_of_bounded_size() -> None:
    rng = np.random.default_rng(3)
    assert front.results.top_weights(4, 16_384, 300, rng).shape == (2, 300)


def test_findings_and_table(capsys: pytest.CaptureFixture[str]) -> None:
    tops = front.results.cure(rows=5000)
    found = front.results.findings(tops)
    assert found["rate_factor"] == pytest.approx((5 * 20**0.5) ** 0.5, abs=1e-12)
    assert found["one_key"] == pytest.approx(79.3, abs=4 * found["one_key_error"])
    assert found["one_key_error"] == pytest.approx((79.3 * 20.7 / 5000) ** 0.5, rel=0.05)
    assert found["one_key_64"] == pytest.approx(34.2, abs=3)
    assert (tops[1024][1] <= 0.99).all()
    assert found["one_key_scaled"] == "not one of 5 000"
    tops[1024][1, :3] = 0.995
    assert front.results.findings(tops)["one_key_scaled"] == "3 of 5 000"
    front.results.cure_table({4: np.array([[0.1, 0.5, 0.9], [0.2, 0.25, 0.4]])})
    assert capsys.readouterr().out.split()[-3:] == ["4", "0.50", "0.25"]


def test_the_still_of_the_sampler_says_what_it_shows() -> None:
    shown = front.figures.sampler(np.full(50, 3.0), np.array([0.0, np.log(3)]), 4)
    assert "standard deviation is 0.0" in shown.description
    assert "the largest is 0.75" in shown.description


def test_the_readme_says_what_the_first_page_computes() -> None:
    found = front.results.findings(front.results.cure())
    readme = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")
    assert f"{found['one_key']:.0f} % of random queries" in readme
    assert found["one_key_scaled"] in readme
    assert f"typically gets {found['top_16384']:.3f} of the attention" in readme
    assert f"learn {found['rate_factor']:.2f} times as fast" in readme
