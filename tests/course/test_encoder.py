"""The encoder against JAX, Adam against the algorithm in print, a training against its pieces."""

import math
from dataclasses import replace
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from why_sqrt_d.encoder import (
    Adam,
    EncoderSettings,
    Training,
    TrainingSettings,
    clip_by_norm,
    forward,
    initialise,
    loss_and_gradient,
    make_strings,
    measure_accuracy,
    warmup_cosine,
)

TASK = TrainingSettings(vocabulary=5, length=4, samples=300, epochs=3, batch_size=64, warmup=2)


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
    """Loss, accuracy, logits and weights, and the gradient of the loss."""
    logits, weights = jax_model(params, tokens, settings)
    picked = jax.nn.one_hot(targets, settings.vocabulary) * jax.nn.log_softmax(logits)
    return -picked.sum(-1).mean(), ((logits.argmax(-1) == targets).mean(), logits, weights)


def case(vocabulary, length, batch, scale):
    """Settings, tokens, random targets, and parameters whose norms and biases are not 1 and 0."""
    rng = np.random.default_rng(length)
    settings = EncoderSettings(vocabulary, length, scale)
    params = initialise(settings, rng) + 0.2 * rng.normal(size=settings.parameter_count)
    tokens, targets = rng.integers(vocabulary, size=(2, batch, length))
    return settings, tokens, targets, params


@pytest.mark.parametrize(
    ("vocabulary", "length", "batch", "scale"), [(9, 3, 6, None), (3, 70, 4, 0.3)]
)
def test_both_passes_against_jax(vocabulary, length, batch, scale):
    settings, tokens, targets, params = case(vocabulary, length, batch, scale)
    found = jax_loss(params, tokens, targets, settings=settings)
    (expected, (share, expected_logits, weights)), slope = found
    logits, cache = forward(params, tokens, settings)
    np.testing.assert_allclose(logits, expected_logits, rtol=1e-10, atol=1e-11)
    np.testing.assert_allclose(cache["weights"], weights, atol=1e-12)
    loss, accuracy, gradient = loss_and_gradient(params, tokens, targets, settings)
    assert loss == pytest.approx(float(expected), rel=1e-12, abs=1e-14)
    assert accuracy == pytest.approx(float(share))
    for name, part in settings.views(np.array(slope)).items():
        error = np.linalg.norm(settings.views(gradient)[name] - part)
        assert error <= 1e-10 * np.linalg.norm(part) + 1e-15, name


@pytest.mark.parametrize("scale", [None, 3.0, 1e6])
def test_float32_stays_float32_and_close(scale):
    settings, tokens, targets, params = case(10, 8, 16, scale)
    loss, _, gradient = loss_and_gradient(params, tokens, targets, settings)
    near, _, slope = loss_and_gradient(params.astype("f4"), tokens, targets, settings)
    assert slope.dtype == np.float32
    assert near == pytest.approx(loss, rel=1e-5)
    assert np.linalg.norm(slope - gradient) < 1e-3 * np.linalg.norm(gradient)


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


def test_a_seed_draws_what_it_drew_for_the_stored_runs():
    run = Training(TrainingSettings(10, 20, 8000), seed=0)
    assert run.unseen(1)[0][0, :8].tolist() == [8, 3, 3, 5, 1, 4, 6, 2]


def algorithm_1(x, gradients, rates, b1=0.9, b2=0.999, epsilon=1e-8):
    """Kingma & Ba's algorithm 1."""
    m = v = 0.0
    for t, (g, rate) in enumerate(zip(gradients, rates, strict=True), 1):
        m = b1 * m + (1 - b1) * g
        v = b2 * v + (1 - b2) * g**2
        x = x - rate * (m / (1 - b1**t)) / (np.sqrt(v / (1 - b2**t)) + epsilon)
    return x


def test_adam_is_algorithm_1():
    rng = np.random.default_rng(0)
    start, gradients = rng.normal(size=4), rng.normal(size=(12, 4)) * [1, 1e-8, 1e3, 0]
    rates, params = rng.random(12), start.copy()
    adam = Adam(params)
    for gradient, rate in zip(gradients, rates, strict=True):
        adam.step(gradient, rate)
    np.testing.assert_allclose(params, algorithm_1(start, gradients, rates), rtol=1e-12)


def test_clip_shortens_only_what_is_long():
    assert clip_by_norm(np.array([3.0, 4.0]), 1.0) == pytest.approx([0.6, 0.8], rel=1e-14)
    assert clip_by_norm(np.array([3.0, 4.0]), 5.0).tolist() == [3.0, 4.0]
    huge = clip_by_norm(np.array([3e30, 4e30], np.float32), 1.0)
    np.testing.assert_allclose(huge, [0.6, 0.8], rtol=1e-6)
    with pytest.raises(ValueError, match="norm nan"):
        clip_by_norm(np.array([1.0, np.nan]), 1.0)


def test_warmup_cosine_closed_values():
    for step, warmup, total, share in (
        (5, 10, 100, 0.5 * (1 + math.cos(math.pi / 20)) / 2),
        (75, 100, 300, 0.75 * (1 + math.sqrt(0.5)) / 2),
        (100, 10, 100, 0.0),
    ):
        assert warmup_cosine(step, warmup, total) == pytest.approx(share, abs=1e-15)


def test_a_run_is_adam_on_clipped_gradients_under_the_schedule():
    """Write the loop out once more, from the pieces that are tested on their own."""
    settings = replace(TASK, max_norm=0.2)  # so that some gradients are cut
    run = Training(settings, seed=3)
    params, model, losses, cut = run.params.copy(), run.model, [], 0
    tokens, targets = run.strings
    np.testing.assert_array_equal(targets, tokens[:, ::-1])
    order = np.random.default_rng(3).spawn(4)[2]
    optimiser = Adam(params)
    for _ in range(3):
        shuffled = order.permutation(300)[:256].reshape(4, 64)  # 44 strings are left over
        for rows in shuffled:
            loss, _, gradient = loss_and_gradient(params, tokens[rows], targets[rows], model)
            cut += np.linalg.norm(gradient) > 0.2
            rate = 5e-4 * warmup_cosine(len(losses), 2, 12)
            optimiser.step(clip_by_norm(gradient, 0.2), rate)
            losses.append(loss)
    run.finish()
    assert run.losses == losses
    np.testing.assert_array_equal(run.params, params)
    assert cut
    with pytest.raises(RuntimeError, match="over after its 12 steps"):
        run.step()


def test_gain_and_rate_multiply_query_and_key_only():
    plain, wide, fast = (
        Training(replace(TASK, warmup=0, query_key_gain=gain, query_key_rate=rate), 0)
        for gain, rate in ((1.0, 1.0), (3.0, 1.0), (1.0, 2.0))
    )
    factor = np.ones_like(plain.params)
    plain.model.views(factor)["qkv.weight"][:8] = 3
    np.testing.assert_array_equal(wide.params, plain.params * factor)
    start = plain.params.copy()
    plain.step()
    fast.step()
    once, double = (plain.model.views(run.params - start) for run in (plain, fast))
    for name, moved in once.items():
        factor = np.ones_like(moved)
        if name in ("qkv.weight", "qkv.bias"):
            factor[:8] = 2
        # In float32 a difference of nearly equal numbers keeps about three digits here.
        np.testing.assert_allclose(double[name], factor * moved, rtol=2e-3, err_msg=name)


def test_accuracy_counts_positions_also_in_pieces():
    model = EncoderSettings(3, 20)
    params = initialise(model, np.random.default_rng(0))
    tokens, targets = make_strings(np.random.default_rng(1), 2500, 3, 20)  # more than one piece
    expected = float((forward(params, tokens, model)[0].argmax(-1) == targets).mean())
    assert measure_accuracy(params, tokens, targets, model) == pytest.approx(expected, abs=1e-12)
