import dataclasses
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from attn_helpers import (
    Constant,
    InverseDim,
    InverseSqrt,
    Learned,
    LogLength,
    SoftCap,
)

RULES = [InverseSqrt(), InverseDim(8.0), Constant(0.3), Learned(-1.0), LogLength(0.5)]
GRID = [(1, 1), (4, 100), (64, 7), (512, 4096)]


@pytest.mark.parametrize(("d_k", "n"), GRID)
def test_closed_forms(d_k, n):
    assert InverseSqrt()(d_k, n) == pytest.approx(d_k**-0.5, rel=1e-15)
    assert InverseDim()(d_k, n) == 1 / d_k
    assert InverseDim(8.0)(d_k, n) == 8 / d_k
    assert Constant(0.3)(d_k, n) == 0.3
    assert Learned(-1.0)(d_k, n) == pytest.approx(math.exp(-1), rel=1e-15)


@pytest.mark.parametrize("rule", RULES)
def test_rules_share_one_interface(rule):
    assert type(rule(np.int64(64), np.int32(5))) is float
    assert rule == dataclasses.replace(rule)
    assert hash(rule) == hash(dataclasses.replace(rule))
    with pytest.raises(ValueError, match=r"^d_k must be an integer >= 1, got 0$"):
        rule(0, 5)
    with pytest.raises(ValueError, match=r"^n must be an integer >= 1, got -2$"):
        rule(64, -2)
    with pytest.raises(TypeError, match=r"^d_k must be an integer >= 1, got 64.0$"):
        rule(64.0, 5)
    with pytest.raises(TypeError, match=r"^n must be an integer >= 1, got True$"):
        rule(64, True)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: InverseDim(-1.0), "^numerator must be a finite number >= 0, got -1.0$"),
        (lambda: Constant(np.nan), "^value must be a finite number >= 0, got nan$"),
        (lambda: Learned(np.inf), "^log_scale must be a finite number .*, got inf$"),
        (lambda: Learned(710.0), "^log_scale must be a finite number <= 709.783, got 710.0$"),
        (lambda: LogLength(0.0), "^slope must be a finite number > 0, got 0.0$"),
        (lambda: LogLength(1.0, least=-1.0), "^least must be a finite number >= 0, got -1.0$"),
        (lambda: SoftCap(0.0), "^cap must be a finite number > 0, got 0.0$"),
    ],
)
def test_bad_parameters_are_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize("cap", [0.5, 50.0])
def test_soft_cap_agrees_with_jax(cap):
    z = np.random.default_rng(0).normal(size=(3, 4)) * 40
    expected, pullback = jax.vjp(lambda x: cap * jnp.tanh(x / cap), z)
    grad = np.random.default_rng(1).normal(size=z.shape)
    before = z.copy()
    np.testing.assert_allclose(SoftCap(cap)(z), expected, rtol=1e-13)
    np.testing.assert_allclose(
        SoftCap(cap).vjp(z, grad), pullback(jnp.asarray(grad))[0], rtol=1e-10, atol=1e-15
    )
    np.testing.assert_array_equal(z, before)
    assert (np.abs(SoftCap(cap)(z)) <= cap).all()


def test_soft_cap_keeps_the_dtype_and_names_a_wrong_shape():
    z = np.zeros(3, np.float32)
    assert SoftCap(5.0)(z).dtype == SoftCap(5.0).vjp(z, z).dtype == np.float32
    with pytest.raises(ValueError, match=r"^logits has shape \(3,\) but grad has shape \(2,\)$"):
        SoftCap(5.0).vjp(z, np.zeros(2))


@pytest.mark.parametrize(("d_k", "n"), [(64, 2), (64, 256), (8, 10**6)])
def test_log_length(d_k, n):
    assert LogLength(slope=1.0)(d_k, n) == pytest.approx(math.log(n) / d_k**0.5, rel=1e-15)
    assert LogLength(0.5, Constant(2.0))(d_k, n) == pytest.approx(math.log(n), rel=1e-15)
    trained = LogLength(slope=1 / math.log(256), least=1.0)
    assert trained(d_k, n) == pytest.approx(max(1, math.log(n, 256)) / d_k**0.5, rel=1e-14)
