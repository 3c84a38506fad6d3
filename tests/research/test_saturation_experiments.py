"""The stored experiments on saturation: reproducible, complete, and what theory says they are."""

import numpy as np
import pytest

import attn_helpers as ah
from research.ch3 import saturation
from why_sqrt_d.ch3.stored_runs import pooled, pooled_error
from why_sqrt_d.rows import stored

GRID, PRODUCTS = stored("saturation"), stored("saturation_products")


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


def test_every_dot_product_computed_gives_the_same() -> None:
    assert any((row["d"], row["n"]) == (4096, 16384) for row in PRODUCTS)
    for row in PRODUCTS:
        cell = {name: row[name] for name in ("d", "n", "scaled")}
        error = np.hypot(row["largest_se"], pooled_error(GRID, "largest", **cell))
        assert abs(row["largest"] - pooled(GRID, "largest", **cell)) < 4 * error
