"""Attention in blocks: against exact arithmetic, against the whole matrix, and what it holds."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from measured import peak

import attn_helpers.attention
from attn_helpers import scaled_dot_product_attention as attention
from attn_helpers import scaled_dot_product_attention_vjp as attention_vjp

BITS = 256  # of the fixed-point numbers that stand for exact ones


def exact_exp(x: Fraction) -> Fraction:
    """Return e^x by its series, to some 200 bits."""
    halvings = max(0, math.ceil(abs(x))).bit_length()
    small = round(abs(x) / 2**halvings * 2**BITS)
    term = total = 1 << BITS
    for k in range(1, 60):
        term = term * small // (k << BITS)
        total += term
    for _ in range(halvings):
        total = total * total >> BITS
    return Fraction(total, 1 << BITS) if x >= 0 else Fraction(1 << BITS, total)


def exact_attention(q, k, v, scale: float) -> tuple[list[list[Fraction]], Fraction]:
    """Return softmax(scale · q kᵀ) v, and the largest scale · Σ|q_i k_i|, as fractions."""
    q, k, v = ([[Fraction(float(x)) for x in row] for row in a] for a in (q, k, v))
    rows, largest, beta = [], Fraction(0), Fraction(scale)
    for query in q:
        products = [[beta * a * b for a, b in zip(query, key, strict=True)] for key in k]
        largest = max(largest, *(sum(map(abs, row)) for row in products))
        powers = [exact_exp(sum(row)) for row in products]
        rows.append(
            [
                sum(p * x for p, x in zip(powers, column, strict=True)) / sum(powers)
                for column in zip(*v, strict=True)
            ]
        )
    return rows, largest


def test_the_yardstick_itself():
    for x in (Fraction(0), Fraction(1, 3), Fraction(-41), Fraction(700)):
        assert float(exact_exp(x)) == pytest.approx(math.exp(x), rel=1e-13)
    assert exact_exp(Fraction(30)) * exact_exp(Fraction(-30)) == 1


@given(
    st.sampled_from([np.float32, np.float64]),
    st.integers(1, 9),
    st.sampled_from([0.1, 1.0, 2.5]),
    st.sampled_from([1, 4, 2**17]),
    st.data(),
)
def test_its_error_is_bounded(dtype, n, scale, block, data):
    """At most 2 eps ((d_k + 6) A + 7 n + 8) of the largest value, A the largest β Σ|q_i k_i|.

    A logit's error is (d_k + 1) A eps, subtracting the shifts adds (3 A + 2 ln n) eps, and the
    shrinking, whose exponents sum to 2 A, as much and three roundings a block. A weight is off by
    that share, numerator and denominator alike, and sums of n terms add n eps each.
    """
    width = np.finfo(dtype).bits
    q, k, v = (
        data.draw(arrays(dtype, (m, 3), elements=st.floats(-4, 4, width=width))) for m in (2, n, n)
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(attn_helpers.attention, "_BLOCK", block)
        found = attention(q, k, v, scale=scale)
    expected, a = exact_attention(q, k, v, scale)
    errors = [
        abs(Fraction(float(x)) - y)
        for row, exact in zip(found, expected, strict=True)
        for x, y in zip(row, exact, strict=True)
    ]
    eps, largest = Fraction(float(np.finfo(dtype).eps)), Fraction(float(np.abs(v).max()))
    tiny = Fraction(float(np.finfo(dtype).smallest_normal))  # what an underflow may cost
    assert max(errors) <= 2 * eps * ((3 + 6) * a + 7 * n + 8) * largest + n * tiny


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("size", [0.5, 6.0])  # without a maximum, and with
def test_many_keys_as_with_the_matrix(dtype, size):
    rng = np.random.default_rng(0)
    q, k, v = ((size * rng.normal(size=(2, 600, 8))).astype(dtype) for _ in range(3))
    largest = (np.abs(q) @ np.abs(k).swapaxes(-1, -2)).max() / 8**0.5
    slack = 4 * (1 + float(largest)) * float(np.abs(v).max()) * np.finfo(dtype).eps
    some = rng.random((600, 600)) < 0.4
    some[5] = False
    options = ({}, {"is_causal": True}, {"attn_mask": some}, {"attn_mask": np.log(some + 1e-9)})
    for option in options:
        found = attention(q, k, v, **option)
        whole, _ = attention(q, k, v, **option, return_weights=True)
        assert found.dtype == dtype
        np.testing.assert_allclose(found, whole, rtol=0, atol=slack)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("size", [1e-30, 1e-15, 1e25, 3e38])
def test_values_of_any_size_are_averaged(size):
    """Sums of 600 of the largest numbers would overflow."""
    x = np.random.default_rng(1).normal(size=(600, 4)).astype(np.float32)
    value = np.full((600, 2), size, np.float32)
    for q in (x, 9 * x):
        np.testing.assert_allclose(attention(q, q, value), size, rtol=2e-5)


def test_nan_and_infinity_far_down_are_found():
    x = np.random.default_rng(2).normal(size=(3, 700, 2))
    bad = x.copy()
    bad[1, 650, 0] = np.nan
    assert np.isnan(attention(x, bad, x)[1]).all()
    assert np.isfinite(attention(x, bad, x)[[0, 2]]).all()
    assert np.isnan(attention(x, bad, x, is_causal=True)[1, 650:]).all()
    assert np.isfinite(attention(x, bad, x, is_causal=True)[1, :512]).all()
    mask = np.zeros((700, 700))
    mask[690, 680] = np.inf
    for function in (attention, lambda *a: attention_vjp(*a[:3], x, a[3])):
        with pytest.raises(ValueError, match=r"holds \+inf at index \(0, 690, 680\)"):
            function(x, x, x, mask)


def test_a_tiny_scale_rescues_a_product_that_would_overflow():
    q = np.full((2, 4), 1e30, np.float32)
    assert attention(q, q, np.ones((2, 1), np.float32), scale=1e-60) == pytest.approx(1)


def test_what_is_held_does_not_grow_with_the_matrix():
    """4096 by 4096 logits take 64 MB in float32."""
    x = np.random.default_rng(3).normal(size=(4096, 16)).astype(np.float32)
    for function, most in ((attention, 8e6), (lambda *a: attention_vjp(*a, x), 50e6)):
        assert peak(function, x, x, x)[1] < most
