from decimal import Decimal, localcontext

import numpy as np
import pytest
import scipy.special
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from attn_helpers import log_softmax, softmax, softmax_jacobian, softmax_vjp

RNG = np.random.default_rng(0)
matrices = hnp.arrays(
    np.float64,
    hnp.array_shapes(min_dims=1, max_dims=3, max_side=6),
    elements=st.floats(-50, 50, width=32),
)
FLOATS = [np.float16, np.float32, np.float64]


@given(matrices, st.sampled_from([1.0, 40.0]), st.data())
def test_agrees_with_scipy_along_every_axis(x, scale, data):
    x, axis = scale * x, data.draw(st.integers(-x.ndim, x.ndim - 1))
    before, expected = x.copy(), scipy.special.softmax(x, axis)
    np.testing.assert_allclose(softmax(x, axis), expected, rtol=1e-13, atol=1e-300)
    logs = scipy.special.log_softmax(x, axis)
    np.testing.assert_allclose(log_softmax(x, axis), logs, rtol=1e-13, atol=1e-13)
    np.testing.assert_array_equal(x, before)


@pytest.mark.filterwarnings("error")
def test_large_inputs_neither_overflow_nor_warn():
    np.testing.assert_array_equal(softmax([1e308, -1e308, 1e308]), [0.5, 0.0, 0.5])
    np.testing.assert_array_equal(log_softmax([0.0, -1e300]), [0.0, -1e300])
    tiny = np.finfo(np.float32).min
    np.testing.assert_array_equal(softmax(np.array([tiny, 1e35], np.float32)), [0, 1])


@pytest.mark.filterwarnings("error")
def test_minus_infinity_is_weight_zero_and_a_row_of_it_gives_zeros():
    x = np.array([[0.0, -np.inf, 0.0], [-np.inf] * 3])
    np.testing.assert_array_equal(softmax(x), [[0.5, 0, 0.5], [0, 0, 0]])
    np.testing.assert_allclose(
        log_softmax(x), [[-np.log(2), -np.inf, -np.log(2)], [-np.inf] * 3], rtol=1e-15
    )


@pytest.mark.filterwarnings("error")
def test_nan_stays_in_its_row():
    x = np.array([[0.0, np.nan, np.inf], [0.0, 0.0, 0.0]])
    for f in (softmax, log_softmax):
        assert np.isnan(f(x)[0]).all()
        assert np.isfinite(f(x)[1]).all()


@pytest.mark.parametrize("function", [softmax, log_softmax])
def test_plus_infinity_is_an_error_also_behind_a_nan_row(function):
    x = np.zeros((3, 4))
    x[1, 3] = np.inf
    name = function.__name__
    message = rf"^{name}: x holds \+inf at index \(1, 3\); softmax is undefined there$"
    with pytest.raises(ValueError, match=message):
        function(x)
    x[0, 0] = np.nan
    with pytest.raises(ValueError, match=message):
        function(x)


@pytest.mark.parametrize("function", [softmax, log_softmax])
@pytest.mark.parametrize("dtype", FLOATS)
def test_float_dtypes_are_kept(function, dtype):
    x = RNG.normal(size=(2, 3)).astype(dtype)
    assert function(x).dtype == dtype
    np.testing.assert_allclose(
        function(x), function(x.astype(float)), rtol=4 * np.finfo(dtype).eps
    )


HARD = {
    "large": [1e4, 9999, -1e4],
    "wide": np.linspace(-700, 700, 300),
    "subnormal": [0, 5e-324, -5e-324],
    "many": np.append(np.zeros(10**6 - 1), 12.0),  # a sum of 1s in float16 stops at 2048
    "random": RNG.normal(0, 3, 5000),
}


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("row", HARD)
def test_the_error_is_within_its_bound_of_fifty_digits(row, dtype):
    x = np.array(HARD[row], dtype)
    logits, first, counts = np.unique(x, return_index=True, return_counts=True)
    with localcontext(prec=50):
        powers = [(Decimal(float(z)) - Decimal(float(x.max()))).exp() for z in logits]
        total = sum(p * int(n) for p, n in zip(powers, counts, strict=True))
        bounds = 2 * (1 + float(x.max()) - logits.astype(float))
        bounds += x.size // 8192 / 2  # NumPy 2.0 sums a row pairwise in such pieces, then these
        bounds *= float(np.finfo(dtype).eps)
        smallest = Decimal(float(np.finfo(dtype).smallest_subnormal))
        for found, p, bound in zip(softmax(x)[first], powers, bounds, strict=True):
            error = abs(Decimal(float(found)) - p / total)
            assert error <= Decimal(float(bound)) * p / total + smallest


def test_jacobian_agrees_with_central_differences():
    x = RNG.normal(size=(2, 4))
    h = 1e-6
    numeric = np.stack(
        [(softmax(x + h * e) - softmax(x - h * e)) / (2 * h) for e in np.eye(4)], axis=-1
    )
    np.testing.assert_allclose(softmax_jacobian(softmax(x)), numeric, atol=1e-9)


@given(matrices, st.data())
def test_vjp_is_the_jacobian_transposed(x, data):
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    weights, grad = softmax(x, axis), np.random.default_rng(1).normal(size=x.shape)
    before = weights.copy(), grad.copy()
    got = softmax_vjp(weights, grad, axis)
    np.testing.assert_array_equal((weights, grad), before)
    p, g = np.moveaxis(weights, axis, -1), np.moveaxis(grad, axis, -1)
    expected = np.einsum("...ji,...j->...i", softmax_jacobian(p), g)
    np.testing.assert_allclose(got, np.moveaxis(expected, -1, axis), atol=1e-14)


@pytest.mark.parametrize("dtype", FLOATS)
def test_jacobian_and_vjp_keep_the_dtype(dtype):
    p = softmax(np.arange(3, dtype=dtype))
    assert softmax_jacobian(p).dtype == dtype
    assert softmax_vjp(p, p).dtype == dtype
    assert softmax_vjp(p, np.ones(3)).dtype == np.float64


@pytest.mark.parametrize("function", [softmax, log_softmax])
@pytest.mark.parametrize(
    ("x", "axis", "error", "message"),
    [
        ([1j, 2.0], -1, TypeError, ": x must be real numbers, got dtype complex128"),
        (1.0, -1, ValueError, r": x is a scalar \(shape \(\)\); at least one axis is needed"),
        ([[1.0]], 2, ValueError, r": x: axis 2 is out of range for shape \(1, 1\)"),
        ([[]], 1, ValueError, r": x: axis 1 of shape \(1, 0\) is empty"),
        ([1.0], (0,), TypeError, r": x: axis must be one integer, got \(0,\)"),
    ],
)
def test_bad_input_is_named(function, x, axis, error, message):
    with pytest.raises(error, match=f"^{function.__name__}{message}$"):
        function(x, axis)


def test_bad_input_of_the_derivatives_is_named():
    message = r"^softmax_vjp: weights has shape \(2,\) but grad has shape \(3,\)$"
    with pytest.raises(ValueError, match=message):
        softmax_vjp([0.5, 0.5], [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match=r"^softmax_jacobian: weights is a scalar"):
        softmax_jacobian(0.5)
