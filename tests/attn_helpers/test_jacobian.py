"""The size of softmax's Jacobian: closed forms against the matrix itself."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from attn_helpers import softmax, softmax_jacobian
from attn_helpers.weights import (
    jacobian_norm,
    jacobian_trace,
)

RNG = np.random.default_rng(0)
logits = hnp.arrays(
    np.float64,
    hnp.array_shapes(min_dims=1, max_dims=3, min_side=2, max_side=6),
    elements=st.floats(-30, 30),
)


@given(logits)
def test_agree_with_the_matrix(z):
    p = softmax(z)
    matrix = softmax_jacobian(p)
    np.testing.assert_allclose(jacobian_trace(p), np.trace(matrix, axis1=-2, axis2=-1), atol=1e-14)
    np.testing.assert_allclose(jacobian_norm(p), np.linalg.norm(matrix, axis=(-2, -1)), atol=1e-14)


def test_nearly_one_hot_rows_keep_their_digits():
    tiny = 1e-30
    p = np.array([1.0, tiny])
    assert jacobian_trace(p) == pytest.approx(2 * tiny, rel=1e-12, abs=0)
    assert jacobian_norm(p) == pytest.approx(2 * tiny, rel=1e-12, abs=0)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: jacobian_trace(1.0), "scalar"),
        (lambda: jacobian_norm(np.empty((2, 0))), "empty"),
    ],
)
def test_bad_values_are_quoted(call, said):
    with pytest.raises(ValueError, match=said):
        call()
