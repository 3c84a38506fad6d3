"""Rows of several geometries, their half scales, and the laws that predict them."""

import numpy as np
import pytest
from scipy import stats
from stored_outputs import from_the_page, numbers_of

import attn_helpers as ah
from why_sqrt_d.ch6.lengths import (
    HALF,
    clustered_law,
    clustered_rows,
    competitors,
    gaussian_law,
    half_scale,
    normal_tail,
    spherical_law,
    spherical_rows,
    top_rows,
)
from why_sqrt_d.ch6.stored_runs import GEOMETRIES, draw_rows

mean_entropy = from_the_page("6b-lengths", "mean_entropy")


def agree(one: np.ndarray, two: np.ndarray, apart: float = 0.0) -> bool:
    """Whether two samples' means differ by less than five standard errors."""
    error = np.hypot(np.std(one) / len(one) ** 0.5, np.std(two) / len(two) ** 0.5)
    return bool(abs(np.mean(one) - np.mean(two)) < 5 * error + apart)


def test_the_best_key_has_half_of_the_weight_at_the_half_scale() -> None:
    rng = np.random.default_rng(0)
    for geometry in GEOMETRIES:
        z = draw_rows(geometry, 50, 20, rng)
        best = ah.softmax(half_scale(z)[:, None] * z).max(axis=-1)
        assert best == pytest.approx(0.5, rel=1e-6)
    assert half_scale([3.0, 1.0]) == 0
    found = half_scale([[2.0, 0.0, 0.0], [5.0, 5.0, 1.0]])
    assert found == pytest.approx([np.log(2) / 2, np.inf])
    many = half_scale([[2.0, 1.0, 0.0, 0.0, 0.0]])  # a score can stand for several keys
    assert half_scale([[2.0, 1.0, 0.0]], [[1, 1, 3]]) == pytest.approx(many)


def test_half_scales_and_sums_give_chapter_6s_shares() -> None:
    """A false alarm is a half scale below b; a found needle outweighs the others' sum."""
    said, rng = numbers_of("06-temperature"), np.random.default_rng(1)
    alarms = 100 * np.mean(half_scale(rng.standard_normal((4000, 1024))) < 6)
    assert said["alarm_loss"] == pytest.approx(alarms, abs=4)
    others, needle = rng.standard_normal((4000, 1023)), 6 + rng.standard_normal(4000)
    enough = 6 - np.sqrt(36 - 2 * np.log(1023))
    for name, b in (("root", 1.0), ("enough", enough)):
        found = 100 * np.mean(b * needle > np.log(np.exp(b * others).sum(axis=1)))
        assert said[f"found_{name}"] == pytest.approx(found, abs=4)


def test_the_normal_tail_is_that_of_scipy() -> None:
    levels = np.array([0.01, 0.7, 5.0, 14.0])
    assert normal_tail(levels) == pytest.approx(stats.norm.isf(np.exp(-levels)), abs=1e-5)


def test_top_rows_are_the_top_of_rows() -> None:
    rng = np.random.default_rng(5)
    for n in (16, 64, 2048):
        z, many = top_rows(n, 4000, rng)
        assert many.sum(axis=-1) == pytest.approx(np.full(4000, n))
        assert (np.diff(z) < 0).all()
        drawn = np.sort(rng.standard_normal((4000, n)))[:, ::-1]
        assert all(agree(z[:, j], drawn[:, j]) for j in (0, 1, 15))
        for b in (0.5, 2.0):  # the crowd, too
            sums = np.sum(many * np.exp(b * z), axis=-1)
            assert agree(sums, np.exp(b * drawn).sum(axis=-1), 2e-3 * sums.mean())
            entropies = ah.entropy(ah.softmax(b * drawn)).mean()
            assert mean_entropy(z[:, :1] - z, many, b) == pytest.approx(entropies, abs=0.02)


def test_competitors_are_counted_by_their_gaps() -> None:
    z = np.random.default_rng(1).standard_normal((7, 30))
    gaps = z.max(axis=-1, keepdims=True) - z
    within = [0.1, 1.0, 9.0]
    expected = [np.mean(np.sum(gaps <= edge, axis=-1)) - 1 for edge in within]
    assert competitors(z, within) == pytest.approx(expected)


def test_spherical_scores_are_those_of_vectors() -> None:
    rng = np.random.default_rng(3)
    for d in (2, 3, 64):
        z = spherical_rows(4000, 5, d, rng)
        keys = rng.standard_normal((20_000, d))
        real = np.sqrt(d) * keys[:, 0] / np.linalg.norm(keys, axis=-1)
        assert np.mean(z**2) == pytest.approx(1, abs=0.05)
        levels = (0.05, 0.5, 0.95)
        assert np.quantile(z, levels) == pytest.approx(np.quantile(real, levels), abs=0.06)


def test_clustered_scores_are_those_of_vectors() -> None:
    rng = np.random.default_rng(4)
    d, rho, n = 32, 0.6, 400
    z = clustered_rows(n, 200, d, rho, rng)
    centre = rng.standard_normal((200, 1, d))
    centre *= np.sqrt(d) / np.linalg.norm(centre, axis=-1, keepdims=True)
    keys = np.sqrt(rho) * centre + np.sqrt(1 - rho) * rng.standard_normal((200, n, d))
    query = keys[:, :1] * np.sqrt(d) / np.linalg.norm(keys[:, :1], axis=-1, keepdims=True)
    real = (keys @ query.swapaxes(1, 2))[..., 0] / np.sqrt(d)
    assert z[:, 0] == pytest.approx(np.sqrt(d))
    for found in (z[:, 1:], real[:, 1:]):
        assert found.mean() == pytest.approx(rho * np.sqrt(d), abs=0.15)
        assert found.std(axis=-1).mean() == pytest.approx(np.sqrt(1 - rho), rel=0.02)


def test_the_half_of_the_frozen_law() -> None:
    assert np.sin(np.pi * HALF) / (np.pi * HALF) == pytest.approx(0.5, rel=1e-12)
    rows = top_rows(4096, 20_000, np.random.default_rng(5))
    assert 0.88 < np.median(half_scale(*rows)) / gaussian_law(4096) < 1


def test_the_laws_of_clusters_and_spheres_hold_on_drawn_rows() -> None:
    rng = np.random.default_rng(6)
    for n, d, rho in ((256, 1024, 0.5), (1024, 64, 0.3), (2**16, 64, 0.5)):
        b = clustered_law(n, d, rho)  # by definition, and on rows
        price = np.log(n - 1) + b**2 * (1 - rho) / 2
        assert price == pytest.approx(b * (1 - rho) * np.sqrt(d))
        if n < 2**16:
            assert np.median(half_scale(clustered_rows(n, 300, d, rho, rng))) == pytest.approx(
                b, rel=0.03
            )
    assert np.isnan(clustered_law(2**20, 16, 0.5))
    for n, d in ((512, 3), (4096, 5)):
        found = np.median([half_scale(spherical_rows(n, 100, d, rng)) for _ in range(20)])
        assert found == pytest.approx(spherical_law(n, d), rel=0.12)


def test_no_needle_asks_for_less_growth_than_the_logarithms_ratio() -> None:
    """ "Weaker needles need more, and none needs less", as 6b says of log_L n."""
    for L, n in ((64, 128), (8192, 2**17)):
        growth = [
            ah.needle.sufficient_scale(n, D) / ah.needle.sufficient_scale(L, D)
            for D in (5.0, 6.0, 8.0, 30.0)
        ]
        assert growth == sorted(growth, reverse=True)
        assert growth[-1] == pytest.approx(np.log(n) / np.log(L), rel=0.01)
        assert growth[-1] > np.log(n) / np.log(L)


def test_a_spread_holds_the_entropy_when_rows_grow() -> None:
    """(6b.2), on rows whose keys are all drawn: the factor from 512 keys to 4096."""
    rng = np.random.default_rng(9)
    short, long = (rng.standard_normal((400, n)) for n in (512, 4096))
    for s in (0.7, 1.3):
        f = np.sqrt(1 + 2 * np.log(8) / s**2)
        before, after = (
            ah.entropy(ah.softmax(b * z)).mean() for b, z in ((s, short), (f * s, long))
        )
        assert after == pytest.approx(before, abs=0.1)


def test_capacities_of_bounded_logits() -> None:
    """e^(√d − 1/2) and e^(c − 1/2), as 6a says, against means over drawn keys."""
    drawn = np.random.default_rng(3).standard_normal(200_000)
    for cap, rel in ((5, 0.06), (50, 0.02)):
        crowd = np.mean(np.exp(ah.soft_cap(drawn, cap)))
        assert np.exp(cap - 0.5) == pytest.approx(np.exp(cap) / crowd, rel=rel)
    twice, gained = np.exp(np.sqrt(128) - 0.5), ah.needle.match_capacity(64, 1.5)
    assert twice == pytest.approx(gained, rel=0.1)  # "the gain of 1.5 about as much"
