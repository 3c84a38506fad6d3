"""The stored experiments on saturation: reproducible, complete, and what theory says they are."""

import numpy as np
import pytest

import attn_helpers as ah
from why_sqrt_d.ch3 import experiment as saturation
from why_sqrt_d.ch3.experiment import KEYS, pooled, pooled_error
from why_sqrt_d.experiments import stored

BY_NAME = {experiment.name: experiment for experiment in saturation.EXPERIMENTS}
GRID, PRODUCTS = stored("saturation"), stored("saturation-products")


@pytest.mark.parametrize("name", BY_NAME)
def test_every_setting_is_stored_once(name: str) -> None:
    experiment = BY_NAME[name]
    wanted = [{**experiment.fixed, **varied} for varied in experiment.settings()]
    found = [{key: row[key] for key in wanted[0]} for row in stored(name)]
    assert sorted(map(str, found)) == sorted(map(str, wanted))


@pytest.mark.parametrize(
    ("name", "index"), [("saturation", 3), ("saturation", 500), ("phases", 40), ("shares", 2)]
)
def test_a_stored_row_can_be_computed_again(name: str, index: int) -> None:
    experiment, row = BY_NAME[name], stored(name)[index]
    settings = {**experiment.fixed, **experiment.settings()[index]}
    for result, value in experiment.run(**settings).items():
        np.testing.assert_allclose(row[result], value, rtol=1e-3, atol=1e-9)


def test_the_summary_by_hand() -> None:
    found = saturation.summary(
        ah.saturation.Saturation(*np.array([[0.2, 0.95], [1.0, 3.0], [5.0, 1.25]]))
    )
    assert found["largest"] == 0.575
    assert (found["entropy"], found["entropy_se"]) == (2.0, 1.0)
    assert found["participation"] == pytest.approx(0.5)
    assert found["effective_q"] == [1.625, 3.125, 4.625]
    assert (found["above_90"], found["above_99"]) == (0.5, 0.0)


def test_pooling_over_seeds() -> None:
    rows = [{"n": n, "seed": s, "x": n + s, "x_se": 3.0 + s} for n in (1, 2) for s in (0, 1)]
    assert pooled(rows, "x", n=2) == 2.5
    assert pooled_error(rows, "x", n=2) == 2.5  # the root of 3² + 4², over two
    with pytest.raises(KeyError, match="n = 3"):
        pooled(rows, "x", n=3)


def test_the_two_seeds_agree() -> None:
    apart = []
    for d, n, scaled in {(row["d"], row["n"], row["scaled"]) for row in GRID}:
        one, two = (row for row in GRID if (row["d"], row["n"], row["scaled"]) == (d, n, scaled))
        error = np.hypot(one["largest_se"], two["largest_se"])
        apart.append((one["largest"] - two["largest"]) / max(error, 1e-5))
    assert np.std(apart) == pytest.approx(1, abs=0.2)


def test_every_dot_product_computed_gives_the_same() -> None:
    assert any((row["d"], row["n"]) == (4096, 16384) for row in PRODUCTS)
    for row in PRODUCTS:
        cell = {name: row[name] for name in ("d", "n", "scaled")}
        error = np.hypot(row["largest_se"], pooled_error(GRID, "largest", **cell))
        assert abs(row["largest"] - pooled(GRID, "largest", **cell)) < 4 * error


def test_more_keys_never_saturate_and_scaled_rows_hardly_know_d() -> None:
    for d, scaled in {(row["d"], row["scaled"]) for row in GRID}:
        cells = [{"d": d, "n": n, "scaled": scaled} for n in KEYS]
        line = [pooled(GRID, "largest", **cell) for cell in cells]
        errors = [pooled_error(GRID, "largest", **cell) for cell in cells]
        assert np.all(np.diff(line) < 4 * np.hypot(errors[1:], errors[:-1]))
    narrow, wide = (pooled(GRID, "largest", d=d, n=256, scaled=True) for d in (256, 4096))
    assert narrow == pytest.approx(wide, rel=0.05)


def test_the_histogram_has_the_mean_that_is_stored() -> None:
    middles = (np.arange(20) + 0.5) / 20
    for row in stored("phases")[::7]:
        assert np.sum(row["histogram"]) == pytest.approx(1, abs=1e-4)
        assert middles @ row["histogram"] == pytest.approx(row["largest"], abs=0.025)
