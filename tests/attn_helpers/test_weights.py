"""Entropy, the count of keys, and the size of softmax's Jacobian, from weights."""

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from attn_helpers import effective_keys, entropy, softmax, softmax_jacobian
from attn_helpers.weights import jacobian_norm, jacobian_trace

logits = hnp.arrays(
    np.float64,
    hnp.array_shapes(min_dims=1, max_dims=3, max_side=6),
    elements=st.floats(-800, 800, width=32),
)


@given(logits, st.data())
def test_agrees_with_scipy_and_by_definition(x, data):
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    p = softmax(x, axis)
    before = p.copy()
    np.testing.assert_allclose(entropy(p, axis), scipy.stats.entropy(p, axis=axis), atol=1e-12)
    np.testing.assert_allclose(effective_keys(p, axis), 1 / (p**2).sum(axis), rtol=1e-14)
    np.testing.assert_array_equal(p, before)


@pytest.mark.filterwarnings("error")
def test_one_hot_zero_and_nan_rows():
    p = np.array([[1.0, 0.0], [0.0, 0.0], [np.nan, 0.5]])
    np.testing.assert_array_equal(entropy(p), [0.0, 0.0, np.nan])
    assert not np.signbit(entropy(p)[:2]).any()
    np.testing.assert_array_equal(effective_keys(p), [1.0, 0.0, np.nan])


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_float_dtypes_are_kept(dtype):
    p = np.full((3, 4096), 1 / 4096, dtype)
    assert entropy(p).dtype == dtype
    # A count of keys has no place in float16, which ends at 65 504.
    assert effective_keys(p).dtype == (np.float32 if dtype == np.float16 else dtype)
    assert effective_keys(np.full(100_000, 1e-5, dtype)) == pytest.approx(1e5, rel=0.01)
    np.testing.assert_allclose(entropy(p), np.log(4096), rtol=2 * np.finfo(dtype).eps)
    np.testing.assert_allclose(effective_keys(p), 4096, rtol=2 * np.finfo(dtype).eps)


@pytest.mark.parametrize("function", [entropy, effective_keys])
def test_bad_input_is_named(function):
    name = function.__name__
    message = rf"^{name}: weights hold a negative number, -0.5, at index \(1,\)$"
    with pytest.raises(ValueError, match=message):
        function([0.0, -0.5, 1.5])
    with pytest.raises(ValueError, match=f"^{name}: weights is a scalar"):
        function(1.0)
    with pytest.raises(TypeError, match=f"^{name}: weights must be real numbers"):
        function([None])
    with pytest.raises(ValueError, match="scalar"):
        jacobian_trace(1.0)
    with pytest.raises(ValueError, match="empty"):
        jacobian_norm(np.empty((2, 0)))


@given(logits)
def test_the_jacobians_size_is_that_of_the_matrix(z):
    p = softmax(z)
    matrix = softmax_jacobian(p)
    np.testing.assert_allclose(jacobian_trace(p), np.trace(matrix, axis1=-2, axis2=-1), atol=1e-14)
    np.testing.assert_allclose(jacobian_norm(p), np.linalg.norm(matrix, axis=(-2, -1)), atol=1e-14)


def test_nearly_one_hot_rows_keep_their_digits():
    tiny = 1e-30
    p = np.array([1.0, tiny])
    assert jacobian_trace(p) == pytest.approx(2 * tiny, rel=1e-12, abs=0)
    assert jacobian_norm(p) == pytest.approx(2 * tiny, rel=1e-12, abs=0)
