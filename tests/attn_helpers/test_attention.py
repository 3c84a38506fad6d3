"""Attention and its gradient against JAX, whole and in blocks of two logits, and bad input."""

import jax
import numpy as np
import pytest

import attn_helpers.attention
from attn_helpers import scaled_dot_product_attention as attention
from attn_helpers import scaled_dot_product_attention_vjp as attention_vjp

RNG = np.random.default_rng(0)


@pytest.fixture(autouse=True, params=[2**17, 1, 2])
def block(request, monkeypatch):
    """Every test is run as it is called, and with as many blocks as can be."""
    monkeypatch.setattr(attn_helpers.attention, "_BLOCK", request.param)
    return request.param


def inputs(lead_q=(2,), lead_k=(2,), lead_v=(2,), n_q=3, n=4, d_k=5, d_v=6, size=1.0):
    shapes = ((*lead_q, n_q, d_k), (*lead_k, n, d_k), (*lead_v, n, d_v))
    return [size * RNG.normal(size=shape) for shape in shapes]


@jax.jit
def oracle(query, key, value, bias, scale, grad):
    """PyTorch's reference implementation (its documentation), in JAX, and its gradients."""

    def attention(query, key, value):
        return jax.nn.softmax(query @ key.swapaxes(-1, -2) * scale + bias, axis=-1) @ value

    output, pullback = jax.vjp(attention, query, key, value)
    return output, pullback(grad)


def expected(query, key, value, grad, mask=None, scale=None, causal=False):
    """Give all options to the oracle as arrays of one shape, which it is compiled for once."""
    n_q, n = query.shape[-2], key.shape[-2]
    scale = query.shape[-1] ** -0.5 if scale is None else float(scale)
    if causal:
        mask = np.arange(n) <= np.arange(n_q)[:, None]
    bias = 0.0 if mask is None else np.where(mask, 0.0, -np.inf) if mask.dtype == bool else mask
    return oracle(query, key, value, np.broadcast_to(bias, (n_q, n)), scale, grad)


SHAPES = {
    "one query, no leading axes": {"lead_q": (), "lead_k": (), "lead_v": (), "n_q": 1},
    "broadcast query": {"lead_q": (3, 1), "lead_k": (2,), "lead_v": (2,), "n_q": 7, "n": 2},
    "broadcast value": {"lead_q": (2,), "lead_k": (1,), "lead_v": (4, 1)},
    "one key of one component": {"n": 1, "d_k": 1, "d_v": 1},
    "large logits": {"size": 10.0},
}


def options(n_q, n):
    some = RNG.random((n_q, n)) < 0.6
    some[:, 0] = True
    return [
        {},
        {"scale": 0.3},
        {"scale": 0},
        {"causal": True},
        {"mask": some},
        {"mask": some[:1]},
        {"mask": RNG.normal(size=(n_q, n)), "scale": 0.7},
        {"mask": np.where(some, 0.0, -np.inf)},
    ]


def ours(option):
    names = {"mask": "attn_mask", "causal": "is_causal", "scale": "scale"}
    return {names[k]: v for k, v in option.items()}


@pytest.mark.parametrize("case", SHAPES)
def test_values_and_gradients_agree_with_jax(case, block):
    q, k, v = inputs(**SHAPES[case])
    for option in options(q.shape[-2], k.shape[-2]):
        output, weights = attention(q, k, v, **ours(option), return_weights=True)
        grad, before = RNG.normal(size=output.shape), [a.copy() for a in (q, k, v)]
        wanted, slopes = expected(q, k, v, grad, **option)
        np.testing.assert_allclose(output, wanted, atol=1e-12)
        again = attention(q, k, v, **ours(option))
        np.testing.assert_allclose(again, output, rtol=1e-12, atol=0 if block > 2 else 1e-14)
        np.testing.assert_allclose(weights @ v, wanted, atol=1e-12)
        grads = attention_vjp(q, k, v, grad, **ours(option))
        for got, want, source in zip(grads, slopes, (q, k, v), strict=True):
            assert got.shape == source.shape
            np.testing.assert_allclose(got, want, atol=1e-10)
        for source, own in zip((q, k, v), before, strict=True):
            np.testing.assert_array_equal(source, own)


@pytest.mark.filterwarnings("error")
def test_a_fully_masked_query_gets_zeros_and_no_gradient():
    n = 4
    q, k, v = inputs(n_q=n, n=n)
    mask = np.ones((n, n), bool)
    mask[1] = False
    for m in (mask, np.where(mask, 0, -np.inf)):
        output, weights = attention(q, k, v, m, return_weights=True)
        for found in (output, attention(q, k, v, m)):
            assert (found[:, 1] == 0).all()
            assert (found[:, 0] != 0).all()
        assert (weights[:, 1] == 0).all()
        np.testing.assert_allclose(weights.sum(-1)[:, [0, 2, 3]], 1)
        grad_query, grad_key, _ = attention_vjp(q, k, v, np.ones_like(output), m)
        assert (grad_query[:, 1] == 0).all()
        assert np.isfinite(grad_key).all()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_huge_scores_neither_overflow_nor_warn(dtype):
    q, k, v = (a.astype(dtype) for a in inputs(size=100.0))
    output = attention(q, k, v)
    assert output.dtype == dtype
    assert np.isfinite(output).all()
    assert np.isfinite(attention(q, k, v, np.full((3, 4), -1e300))).all()


def test_an_infinite_logit_is_an_error():
    q, k, v = inputs(lead_q=(), lead_k=(), lead_v=())
    mask = np.zeros((3, 4))
    mask[2, 1] = np.inf
    with pytest.raises(
        ValueError, match=r"^attention: the matrix of logits holds \+inf at index \(2, 1\)"
    ):
        attention(q, k, v, mask)
    q[1], k[0] = 1e200, 1e200
    with np.errstate(over="ignore"), pytest.raises(ValueError, match=r"at index \(1, 0\)"):
        attention(q, k, v)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_float_dtypes_are_kept(dtype):
    q, k, v = (a.astype(dtype) for a in inputs())
    mask = np.zeros((3, 4))  # float64, and takes no part in choosing the dtype
    output, weights = attention(q, k, v, mask, return_weights=True)
    results = [output, weights, *attention_vjp(q, k, v, output)]
    assert {a.dtype for a in results} == {np.dtype(dtype)}
    exact = attention(*(a.astype(float) for a in (q, k, v)))
    np.testing.assert_allclose(results[0], exact, atol=8 * np.finfo(dtype).eps)


def test_mixed_dtypes_are_promoted_and_integers_are_float64():
    q, k, v = (a.astype(t) for a, t in zip(inputs(), "efd", strict=True))
    assert attention(q, k, k).dtype == np.float32
    assert attention(q, k, v).dtype == np.float64
    assert attention([[1]], [[1]], [[1]]).dtype == np.float64


Z = np.zeros
BAD = [
    ((Z((2, 4)), Z((3, 8)), Z((3, 1))), {}, ValueError, "query has d_k = 4 but key has 8"),
    ((Z((2, 4)), Z((3, 4)), Z((5, 1))), {}, ValueError, "key has n = 3 but value has 5"),
    ((Z(4), Z((3, 4)), Z((3, 1))), {}, ValueError, r"need at least two axes, .*query \(4,\)"),
    ((Z((2, 4)), Z((0, 4)), Z((0, 1))), {}, ValueError, r"got shape \(0, 4\)"),
    ((Z((2, 1, 4)), Z((3, 1, 4)), Z((1, 1))), {}, ValueError, r"query \(2,\), key \(3,\)"),
    ((1j * Z((2, 4)), Z((3, 4)), Z((3, 1))), {}, TypeError, "^query must be real numbers, got"),
]
GOOD = (Z((2, 4)), Z((3, 4)), Z((3, 1)))
SCALE = "^scale must be a finite number >= 0, got "
BAD += [
    (GOOD, {"scale": -0.5}, ValueError, SCALE + "-0.5$"),
    (GOOD, {"scale": np.nan}, ValueError, SCALE + "nan$"),
    (GOOD, {"scale": True}, TypeError, SCALE + "True$"),
    (GOOD, {"attn_mask": Z((2, 3), int)}, TypeError, "^attn_mask must be boolean .* dtype int64$"),
    (GOOD, {"attn_mask": Z((3, 2))}, ValueError, r"^attn_mask has shape \(3, 2\), .*\(2, 3\)$"),
    (GOOD, {"attn_mask": Z((2, 3)), "is_causal": True}, ValueError, "not both$"),
]


@pytest.mark.parametrize(("arrays", "kwargs", "error", "message"), BAD)
def test_bad_input_is_named(arrays, kwargs, error, message):
    with pytest.raises(error, match=message):
        attention(*arrays, **kwargs)
    with pytest.raises(error, match=message):
        attention_vjp(*arrays, Z((2, 1)), **kwargs)


def test_gradient_of_the_wrong_shape_is_named():
    message = r"^grad has shape \(2, 3\) but the output has shape \(2, 1\)$"
    with pytest.raises(ValueError, match=message):
        attention_vjp(*GOOD, Z((2, 3)))
