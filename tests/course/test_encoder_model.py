import math
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from why_sqrt_d.encoder.model import EncoderSettings, forward, initialise, loss_and_gradient
from why_sqrt_d.encoder.task import make_strings

RNG = np.random.default_rng(0)


def jax_model(params, tokens, settings):
    """The tutorial's model as PyTorch writes it: (batch, n, d), one-hot, x Wᵀ + b."""
    d, vocabulary = settings.length, settings.vocabulary
    at = 0

    def take(*shape):
        nonlocal at
        at += math.prod(shape)
        return params[at - math.prod(shape) : at].reshape(shape)

    def linear(x, outputs):
        return x @ take(outputs, x.shape[-1]).T + take(outputs)

    def norm(x):
        mean, variance = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
        return (x - mean) / jnp.sqrt(variance + 1e-5) * take(d) + take(d)

    position = np.arange(d)[:, None]
    rate = np.exp(np.arange(0, d, 2) * (-math.log(10000.0) / d))
    table = np.zeros((d, d))
    table[:, 0::2] = np.sin(position * rate)
    table[:, 1::2] = np.cos(position * rate)[:, : d // 2]

    x = linear(jax.nn.one_hot(tokens, vocabulary, dtype=params.dtype), d) + table
    query, key, value = jnp.split(linear(x, 3 * d), 3, axis=-1)
    beta = d**-0.5 if settings.scale is None else settings.scale
    logits = beta * jnp.einsum("bqd,bkd->bqk", query, key)
    weights = jax.nn.softmax(logits, axis=-1)
    x = norm(x + linear(weights @ value, d))
    x = norm(x + linear(jax.nn.relu(linear(x, 2 * d)), d))
    return linear(jax.nn.relu(norm(linear(x, d))), vocabulary), weights


@partial(jax.jit, static_argnames="settings")
@partial(jax.value_and_grad, has_aux=True)
def jax_loss(params, tokens, targets, settings):
    """Loss and accuracy, and the gradient of the loss."""
    logits, _ = jax_model(params, tokens, settings)
    picked = jnp.take_along_axis(jax.nn.log_softmax(logits), targets[..., None], axis=-1)
    return -picked.mean(), (logits.argmax(-1) == targets).mean()


def case(vocabulary, length, batch, scale=None, seed=0, dtype=np.float64):
    """Settings, tokens, random targets, and parameters whose norms and biases are not 1 and 0."""
    rng = np.random.default_rng(seed)
    settings = EncoderSettings(vocabulary, length, scale)
    params = initialise(settings, rng) + 0.2 * rng.normal(size=settings.parameter_count)
    tokens, targets = rng.integers(vocabulary, size=(2, batch, length))
    return settings, tokens, targets, params.astype(dtype)


@pytest.mark.parametrize(
    ("vocabulary", "length", "count"),
    [(100, 20, 8000), (10, 20, 4310), (1000, 20, 44900), (100, 200, 403100)],
)
def test_parameter_counts(vocabulary, length, count):
    settings = EncoderSettings(vocabulary, length)
    params = initialise(settings, np.random.default_rng(0))
    assert settings.parameter_count == params.size == count
    assert sum(view.size for view in settings.views(params).values()) == count


@pytest.mark.parametrize(
    ("vocabulary", "length", "batch", "scale"),
    [
        (5, 6, 3, None),
        (9, 3, 6, 20.0),
        (1, 2, 2, 0.0),
        (6, 1, 3, 1.0),
        (3, 270, 15, 0.3),  # seven blocks of two strings, and one string left over
    ],
)
def test_both_passes_against_jax(vocabulary, length, batch, scale):
    settings, tokens, targets, params = case(vocabulary, length, batch, scale, seed=length)
    loss, accuracy, gradient = loss_and_gradient(params, tokens, targets, settings)
    (expected, share), slope = jax_loss(params, tokens, targets, settings=settings)
    assert loss == pytest.approx(float(expected), rel=1e-12, abs=1e-14)
    for name, part in settings.views(np.array(slope)).items():
        mine = settings.views(gradient)[name]
        error = np.linalg.norm(mine - part)
        assert error <= 1e-10 * np.linalg.norm(part) + 1e-15, name
    assert accuracy == pytest.approx(float(share))


def test_forward_against_jax():
    settings, tokens, _, params = case(5, 6, 3)
    logits, cache = forward(params, tokens, settings)
    expected, weights = jax_model(jnp.asarray(params), tokens, settings)
    assert logits.shape == (3, 6, 5)
    np.testing.assert_allclose(logits, expected, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(cache["weights"].transpose(1, 2, 0), weights, atol=1e-13)


def test_gradient_against_finite_differences():
    settings, tokens, targets, params = case(3, 3, 2, scale=1.5)
    gradient = loss_and_gradient(params, tokens, targets, settings)[2]
    for i in range(params.size):
        ends = []
        for step in (1e-5, -1e-5):
            moved = params.copy()
            moved[i] += step
            ends.append(loss_and_gradient(moved, tokens, targets, settings)[0])
        assert (ends[0] - ends[1]) / 2e-5 == pytest.approx(gradient[i], rel=1e-4, abs=1e-8), i


def test_a_token_that_never_occurs_has_no_gradient():
    settings, _, targets, params = case(5, 4, 2)
    gradient = loss_and_gradient(params, [[0, 1, 3, 3], [0, 0, 1, 3]], targets % 2, settings)[2]
    columns = np.abs(settings.views(gradient)["input.weight"]).sum(axis=0)
    assert (columns > 0).tolist() == [True, True, False, True, False]


def test_tokens_of_any_integer_dtype():
    settings, tokens, targets, params = case(5, 4, 2)
    expected = loss_and_gradient(params, tokens, targets, settings)
    for dtype in (np.uint8, np.int32, np.uint64):
        other = loss_and_gradient(params, tokens.astype(dtype), targets.astype(dtype), settings)
        assert expected[:2] == other[:2]
        np.testing.assert_array_equal(expected[2], other[2])


@pytest.mark.parametrize("scale", [None, 3.0])
def test_float32_stays_float32_and_close(scale):
    settings, tokens, targets, params = case(10, 8, 16, scale)
    loss, _, gradient = loss_and_gradient(params, tokens, targets, settings)
    single = params.astype(np.float32)
    near, _, slope = loss_and_gradient(single, tokens, targets, settings)
    assert slope.dtype == np.float32
    logits, cache = forward(single, tokens, settings)
    assert {logits.dtype, *(a.dtype for a in cache.values())} == {np.dtype(np.float32)}
    assert near == pytest.approx(loss, rel=1e-5)
    assert np.linalg.norm(slope - gradient) < 1e-4 * np.linalg.norm(gradient)


def test_initialisation_draws_what_it_says():
    settings = EncoderSettings(vocabulary=100, length=40)
    params = initialise(settings, np.random.default_rng(0))
    bounds = {"qkv": math.sqrt(6 / 160), "projection": math.sqrt(6 / 80)}
    for name, view in settings.views(params).items():
        layer, kind = name.split(".")
        if layer.startswith("norm"):
            assert (view == (kind == "weight")).all()
        elif layer in bounds and kind == "bias":
            assert not view.any()
        else:
            bound = bounds.get(layer, settings.weight_shapes[layer][-1] ** -0.5)
            assert 0.9 * bound < np.abs(view).max() <= bound, name
            assert view.std() == pytest.approx(bound / math.sqrt(3), rel=0.2), name
    single = initialise(settings, np.random.default_rng(0), np.float32)
    np.testing.assert_array_equal(single, params.astype(np.float32))


@pytest.mark.parametrize("vocabulary", [10, 100])
def test_loss_at_initialisation_is_that_of_guessing(vocabulary):
    settings = EncoderSettings(vocabulary, 20)
    params = initialise(settings, np.random.default_rng(1), np.float32)
    tokens, targets = make_strings(np.random.default_rng(2), 64, vocabulary, 20)
    loss, accuracy, _ = loss_and_gradient(params, tokens, targets, settings)
    assert loss == pytest.approx(math.log(vocabulary), abs=0.3)
    assert accuracy < 3 / vocabulary


def test_huge_logits_stay_finite():
    settings, tokens, targets, params = case(5, 4, 2, scale=1e6, dtype=np.float32)
    settings.views(params)["output.weight"][...] *= 1e6
    loss, _, gradient = loss_and_gradient(params, tokens, targets, settings)
    assert math.isfinite(loss)
    assert loss > 1000
    assert np.isfinite(gradient).all()


def test_default_scale_is_one_over_root_d():
    assert EncoderSettings(10, 16).beta == 0.25
    assert EncoderSettings(10, 16, scale=2).beta == 2.0


def test_inputs_stay_as_they_are():
    settings, tokens, targets, params = case(5, 4, 2)
    for given in (params, tokens, targets):
        given.flags.writeable = False
    first, _ = forward(params, tokens, settings)
    loss_and_gradient(params, tokens, targets, settings)
    np.testing.assert_array_equal(first, forward(params, tokens, settings)[0])


SMALL = EncoderSettings(vocabulary=10, length=2)
PARAMS = initialise(SMALL, np.random.default_rng(0))


def test_errors_quote_what_was_given():
    one = [[1, 2]]
    for call, error, message in (
        (lambda: forward(PARAMS, [[1, 10]], SMALL), ValueError, r"10 is .* of 10 \(0 to 9\)"),
        (lambda: forward(PARAMS, [[-1, 2]], SMALL), ValueError, "token -1 is outside"),
        (lambda: forward(PARAMS, [[1.0, 2.0]], SMALL), TypeError, "tokens .* dtype float64"),
        (lambda: forward(PARAMS, [[1, 2, 3]], SMALL), ValueError, r"\(batch, 2\).*got \(1, 3\)"),
        (lambda: forward(PARAMS, [1, 2], SMALL), ValueError, r"got \(2,\)"),
        (lambda: forward(PARAMS, np.ones((0, 2), int), SMALL), ValueError, r"got \(0, 2\)"),
        (lambda: forward(PARAMS[:-1], one, SMALL), ValueError, r"needs \(\d+,\)"),
        (lambda: forward(PARAMS.astype("f2"), one, SMALL), TypeError, "got dtype float16"),
        (
            lambda: loss_and_gradient(PARAMS, one, [[1, 11]], SMALL),
            ValueError,
            "target 11 is outside the vocabulary of 10",
        ),
        (
            lambda: loss_and_gradient(PARAMS, one, one * 2, SMALL),
            ValueError,
            r"targets have shape \(2, 2\) but tokens have \(1, 2\)",
        ),
        (lambda: initialise(SMALL, RNG, np.float16), TypeError, "float64, got float16"),
        (lambda: EncoderSettings(0, 3), ValueError, "vocabulary must be an integer >= 1, got 0"),
        (lambda: EncoderSettings(3, 2.5), TypeError, "length must be an integer >= 1, got 2.5"),
        (lambda: EncoderSettings(3, 2, -1.0), ValueError, r"scale .* >= 0, got -1\.0"),
    ):
        with pytest.raises(error, match=message):
            call()
