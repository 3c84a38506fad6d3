"""Rows of several geometries, their half scales, and the laws that predict them."""

import numpy as np
import pytest
from scipy import stats

from why_sqrt_d.ch5.experiment import GEOMETRIES, draw_rows, half_scales
from why_sqrt_d.ch5.lengths import (
    HALF,
    clustered_law,
    clustered_rows,
    competitors,
    gaussian_law,
    gaussian_rows,
    half_scale,
    normal_tail,
    spherical_constant,
    spherical_law,
    spherical_rows,
    spherical_tail,
    top_rows,
)


def test_the_best_key_has_half_of_the_weight_at_the_half_scale() -> None:
    rng = np.random.default_rng(0)
    for geometry in GEOMETRIES:
        z = draw_rows(geometry, 50, 20, rng)
        b = half_scale(z)[:, None]
        best = 1 / np.sum(np.exp(b * (z - z.max(axis=-1, keepdims=True))), axis=-1)
        assert best == pytest.approx(0.5, rel=1e-6)


def test_two_keys_and_ties() -> None:
    assert half_scale([3.0, 1.0]) == 0
    assert half_scale([1.0, 1.0, 0.0]) == np.inf
    found = half_scale([[2.0, 0.0, 0.0], [5.0, 5.0, 1.0]])
    assert found == pytest.approx([np.log(2) / 2, np.inf])


def test_a_score_can_stand_for_several_keys() -> None:
    many = half_scale([[2.0, 1.0, 0.0, 0.0, 0.0]])
    assert half_scale([[2.0, 1.0, 0.0]], [[1, 1, 3]]) == pytest.approx(many)


def test_tails_are_those_of_scipy() -> None:
    levels = np.array([0.01, 0.7, 5.0, 14.0])
    assert normal_tail(levels) == pytest.approx(stats.norm.isf(np.exp(-levels)), abs=1e-5)
    for d in (3, 9, 64):
        x = spherical_tail(d)(levels) / np.sqrt(d)
        shares = stats.beta.sf((1 + x) / 2, (d - 1) / 2, (d - 1) / 2)  # of (1 + cos)/2
        assert shares == pytest.approx(np.exp(-levels), rel=1e-3)


def test_top_rows_are_the_top_of_rows() -> None:
    rng = np.random.default_rng(5)
    for n in (16, 64, 2048):
        z, many = top_rows(normal_tail, n, 4000, rng)
        assert many.sum(axis=-1) == pytest.approx(np.full(4000, n))
        assert (np.diff(z) < 0).all()
        drawn = np.sort(rng.standard_normal((4000, n)))[:, ::-1]
        for j in (0, 1, 15):
            error = np.hypot(z[:, j].std(), drawn[:, j].std()) / 4000**0.5
            assert abs(z[:, j].mean() - drawn[:, j].mean()) < 5 * error
        for b in (0.5, 2.0):  # the crowd, too
            sums = np.sum(many * np.exp(b * z), axis=-1), np.exp(b * drawn).sum(axis=-1)
            error = np.hypot(*(s.std() for s in sums)) / 4000**0.5
            assert abs(sums[0].mean() - sums[1].mean()) < 5 * error + 2e-3 * sums[1].mean()


def test_competitors_are_counted_by_their_gaps() -> None:
    z = np.random.default_rng(1).standard_normal((7, 30))
    gaps = z.max(axis=-1, keepdims=True) - z
    within = [0.1, 1.0, 9.0]
    expected = [np.mean(np.sum(gaps <= edge, axis=-1)) - 1 for edge in within]
    assert competitors(z, within) == pytest.approx(expected)


def test_the_sum_of_powers_is_the_count_averaged_over_gaps() -> None:
    z = np.random.default_rng(2).standard_normal((1, 40))
    gaps = np.sort(z.max() - z[0])[1:]
    g = np.linspace(0, 30, 300_001)
    for b in (0.7, 3.0):
        integral = np.sum(competitors(z, g) * b * np.exp(-b * g)) * (g[1] - g[0])
        assert integral == pytest.approx(np.exp(-b * gaps).sum(), rel=1e-3)


def test_spherical_scores_are_those_of_vectors() -> None:
    rng = np.random.default_rng(3)
    for d in (2, 3, 64):
        z = spherical_rows(4000, 5, d, rng)
        assert np.mean(z**2) == pytest.approx(1, abs=0.05)
        assert abs(np.mean(z)) < 0.05
        keys = rng.standard_normal((20_000, d))
        real = np.sqrt(d) * keys[:, 0] / np.linalg.norm(keys, axis=-1)
        levels = (0.05, 0.5, 0.95)
        assert np.quantile(z, levels) == pytest.approx(np.quantile(real, levels), abs=0.06)
    with pytest.raises(ValueError, match="at least 2"):
        spherical_rows(4, 1, 1, rng)


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
    assert z[:, 1:].mean() == pytest.approx(real[:, 1:].mean(), abs=0.1)
    assert z[:, 1:].mean() == pytest.approx(rho * np.sqrt(d), abs=0.15)
    assert z[:, 1:].std(axis=-1).mean() == pytest.approx(np.sqrt(1 - rho), rel=0.02)
    assert real[:, 1:].std(axis=-1).mean() == pytest.approx(np.sqrt(1 - rho), rel=0.02)


def test_the_half_of_the_frozen_law() -> None:
    assert np.sin(np.pi * HALF) / (np.pi * HALF) == pytest.approx(0.5, rel=1e-12)
    rng = np.random.default_rng(5)
    measured = np.median([half_scale(gaussian_rows(4096, 50, rng)) for _ in range(20)])
    assert 0.8 < measured / gaussian_law(4096) < 1.02


def test_the_laws_of_clusters_and_spheres_hold_on_drawn_rows() -> None:
    rng = np.random.default_rng(6)
    for n, d, rho in ((256, 1024, 0.5), (1024, 64, 0.3)):
        found = np.median(half_scale(clustered_rows(n, 300, d, rho, rng)))
        assert found == pytest.approx(clustered_law(n, d, rho), rel=0.03)
    assert np.isnan(clustered_law(2**20, 16, 0.5))
    unit = clustered_law(2**12, 10**8, 0.75) * 10**4 / np.log(2**12)
    assert unit == pytest.approx(4, rel=1e-3)
    for n, d in ((512, 3), (4096, 5)):
        found = np.median([half_scale(spherical_rows(n, 100, d, rng)) for _ in range(20)])
        assert found == pytest.approx(spherical_law(n, d), rel=0.12)
    assert spherical_constant(1.0) == spherical_constant(1.0)


def test_a_stored_run_is_computed_again_from_its_settings() -> None:
    one, two = (half_scales(geometry="Gaussian", n=32, seed=4) for _ in range(2))
    assert one == two
    assert one["rows"] == 200
    low, middle, high = one["quartiles"]
    assert 0 < low < middle < high
