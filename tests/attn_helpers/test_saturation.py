"""Saturation of simulated rows: closed forms, the short way against the long way, memory."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from measured import peak
from scipy import stats

import attn_helpers as ah
from attn_helpers import saturation
from attn_helpers.saturation import (
    normal_rows,
    query_lengths,
    row_saturation,
    row_statistics,
    saturation_of_products,
    simulate_saturation,
)

RNG = np.random.default_rng(0)


def test_row_saturation_on_weights_known_by_hand() -> None:
    found = row_saturation([[0.0, 0.0, np.log(2.0)], [5.0, -np.inf, -np.inf]])
    np.testing.assert_allclose(found.largest, [0.5, 1.0])
    np.testing.assert_allclose(found.entropy, [1.5 * np.log(2), 0.0], atol=1e-12)
    np.testing.assert_allclose(found.effective, [8 / 3, 1.0])


def test_row_statistics_are_those_of_the_keys_that_a_row_sees() -> None:
    z = np.random.default_rng(2).normal(0, 3, (2, 4, 9))
    seen = np.sort(z[..., :5])  # (2, 4, 5)
    z[..., 5:] = -np.inf
    found = row_statistics(z)
    np.testing.assert_allclose(found.spread, seen.std(axis=-1))
    np.testing.assert_allclose(found.margin, seen[..., -1] - seen[..., -2])
    np.testing.assert_allclose(found[2:], row_saturation(seen))
    assert row_statistics([5.0, -np.inf])[:3] == (0, np.inf, 1)


@given(st.integers(1, 40), st.floats(0, 200), st.integers(0, 99))
def test_every_measure_stays_in_its_range(n: int, std: float, seed: int) -> None:
    found = simulate_saturation(n, [std, std], np.random.default_rng(seed))
    tiny = 1e-12
    assert np.all((1 / n - tiny <= found.largest) & (found.largest <= 1 + tiny))
    assert np.all((-tiny <= found.entropy) & (found.entropy <= np.log(n) + tiny))
    assert np.all((1 - tiny <= found.effective) & (found.effective <= n * (1 + tiny)))


@pytest.mark.parametrize("d", [2, 16])
def test_normal_rows_are_those_of_drawn_vectors(d: int) -> None:
    """The quick way, by the queries' lengths, against the plain one: two moments of a row."""
    quick = normal_rows(d, 10, 20_000, np.random.default_rng(1))
    plain = ah.simulate_rows(ah.Gaussian(), d, 10, 20_000, np.random.default_rng(2))
    for rows in (quick, plain):
        within = rows.var(axis=-1, ddof=1)
        assert within.mean() == pytest.approx(d, rel=0.05)
        # a row's variance scatters with the query's length (2d) and with ten keys
        assert within.var() == pytest.approx(2 * d + 2 / 9 * (d * d + 2 * d), rel=0.25)


@pytest.mark.parametrize(("d", "n", "scale"), [(1, 5, 1.0), (4, 300, 1.0), (64, 20, 0.125)])
def test_the_law_of_a_row_gives_what_dot_products_give(d: int, n: int, scale: float) -> None:
    rng = np.random.default_rng(5)
    long = saturation_of_products(ah.Gaussian(), d, n, 3000, rng, scale)
    short = simulate_saturation(n, scale * query_lengths(d, 3000, rng), rng)
    for one, other in zip(long, short, strict=True):
        assert stats.ks_2samp(one, other).pvalue > 1e-3


def test_blocks_change_no_number(monkeypatch: pytest.MonkeyPatch) -> None:
    spreads = np.linspace(0.5, 9, 40)
    whole = simulate_saturation(30, spreads, np.random.default_rng(6))
    monkeypatch.setattr(saturation, "BLOCK", 90)
    cut = simulate_saturation(30, spreads, np.random.default_rng(6))
    np.testing.assert_array_equal(np.array(whole), np.array(cut))
    # Blocks of products draw other keys, but as many rows, each of its own.
    drawn = saturation_of_products(ah.Gaussian(), 3, 30, 10, np.random.default_rng(7))
    assert len(set(drawn.largest)) == 10


def test_products_are_not_scaled_unasked() -> None:
    plain, one = (
        saturation_of_products(ah.Gaussian(), 4, 5, 9, np.random.default_rng(3), *scale)
        for scale in ((), (1.0,))
    )
    np.testing.assert_array_equal(plain.largest, one.largest)


def test_products_larger_than_memory_are_streamed() -> None:
    """Two rows of 16384 keys with 1024 components: 268 MB, were they held at once."""
    rng = np.random.default_rng(8)
    assert peak(saturation_of_products, ah.Gaussian(), 1024, 16384, 2, rng)[1] < 128e6


def test_many_rows_are_streamed() -> None:
    """1000 rows of 16384 logits: 131 MB, were they held at once, and as much for the weights."""
    rng = np.random.default_rng(9)
    assert peak(simulate_saturation, 16384, np.ones(1000), rng)[1] < 80e6


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: row_statistics([[1.0]]), ValueError, r"two keys in a row, got shape \(1, 1\)$"),
        (lambda: simulate_saturation(0, [1.0], RNG), ValueError, "n must be an integer >= 1"),
        (lambda: simulate_saturation(3, [], RNG), ValueError, r"rows >= 1, got \(0,\)$"),
        (lambda: simulate_saturation(3, [1.0, -2.0], RNG), ValueError, r"-2\.0 at \(1,\)$"),
        (lambda: simulate_saturation(3, [1.0], 7), TypeError, "Generator, got 7$"),
        (lambda: query_lengths(0, 3, RNG), ValueError, "d must be an integer >= 1, got 0$"),
        (
            lambda: saturation_of_products(ah.Gaussian(), 2, 3, 4, RNG, scale=0.0),
            ValueError,
            r"scale must be a finite number > 0, got 0\.0$",
        ),
    ],
)
def test_bad_input_is_quoted(call, error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        call()
