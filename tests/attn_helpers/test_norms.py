"""Norms of queries and keys, and the soft cap."""

import math

import jax.numpy as jnp
import numpy as np
import pytest

import attn_helpers as ah

RNG = np.random.default_rng(1)
NORMS = pytest.mark.parametrize("norm", [ah.unit_length, ah.rms_norm])


@NORMS
def test_norms_fix_the_length(norm):
    x = RNG.normal(size=(3, 4, 7))
    length = 1.0 if norm is ah.unit_length else math.sqrt(7)
    np.testing.assert_allclose(np.linalg.norm(norm(x), axis=-1), length, rtol=1e-12)
    np.testing.assert_allclose(norm(1000 * x), norm(x), rtol=1e-12)
    x[0] = 0
    assert np.all(norm(x)[0] == 0)
    with pytest.raises(ValueError, match=r"^x is a scalar \(shape \(\)\)"):
        norm(3.0)


@pytest.mark.filterwarnings("error")
@NORMS
def test_norms_at_the_ends_of_a_dtype(norm):
    """A norm does not see the size of its vector."""
    direction = np.array([3.0, 4.0, 0.0])
    for dtype, sizes in {
        np.float16: (1e-4, 1e-2, 100, 1e4),
        np.float32: (1e-38, 3e-25, 3e25, 8e37),
        np.float64: (1e-307, 1e-200, 1e200, 4e307),
    }.items():
        close = {"rtol": 6 * np.finfo(dtype).eps, "atol": np.finfo(dtype).smallest_subnormal}
        for size in sizes:
            x = (size * direction).astype(dtype)
            exact = np.ldexp(x.astype(float), -np.frexp(float(x.max()))[1])
            np.testing.assert_allclose(norm(x), norm(exact), **close)
            assert norm(x).dtype == dtype


def test_norms_keep_every_digit_that_they_had():
    x = RNG.normal(size=(50, 7))
    length = np.sqrt(np.sum(x**2, axis=-1, keepdims=True))
    np.testing.assert_array_equal(ah.unit_length(x), x / length)


@pytest.mark.parametrize("cap", [0.5, 50.0])
def test_soft_cap_agrees_with_jax(cap):
    z = RNG.normal(size=(3, 4)) * 40
    capped, before = ah.soft_cap(z, cap), z.copy()
    np.testing.assert_allclose(capped, cap * jnp.tanh(z / cap), rtol=1e-13)
    np.testing.assert_array_equal(z, before)
    assert (np.abs(capped) <= cap).all()
    assert ah.soft_cap(z.astype("f4"), np.float64(cap)).dtype == np.float32
    with pytest.raises(ValueError, match=r"^cap must be a finite number > 0, got 0.0$"):
        ah.soft_cap(z, 0.0)
