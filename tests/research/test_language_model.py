"""The language model: its forward pass by attn_helpers, its arms as one function, its descent."""

from collections.abc import Iterator

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import attn_helpers as ah
from research.ch5 import language_model as lm
from research.ch5 import language_runs, start_and_speed
from research.ch5.settings import ARMS, STARTS, TASKS, TrainingSettings

LETTERS, STEPS = 65, 30
forward = jax.jit(lm.forward, static_argnums=3)


def drawn_for(arm: str, rng: np.random.Generator, d: int = 64) -> lm.Parameters:
    return lm.initialise(TrainingSettings(arm, 0.003, 0, d=d), LETTERS, rng)


def normed(x: np.ndarray) -> np.ndarray:
    return x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + 1e-6)


def in_numpy(parameters: lm.Parameters, codes: np.ndarray, scale: float, d: int) -> np.ndarray:
    """Return log-probabilities (T, letters), attention from attn_helpers."""
    p = {name: np.asarray(value, float) for name, value in parameters.items()}
    stream = p["tokens"][codes] + p["positions"][: len(codes)]
    for i in range(lm.sizes(parameters)[0]):
        x, heads = normed(stream), []
        for h in range(x.shape[1] // d):
            part = slice(h * d, (h + 1) * d)
            q, k, v = (x @ p[f"W_{name}{i}"][:, part] for name in "qkv")
            if f"gain_q{i}" in p:
                q, k = normed(q) * p[f"gain_q{i}"], normed(k) * p[f"gain_k{i}"]
            heads.append(ah.scaled_dot_product_attention(q, k, v, is_causal=True, scale=scale))
        stream = stream + np.concatenate(heads, axis=-1) @ p[f"W_o{i}"]
        hidden = normed(stream) @ p[f"up{i}"]
        # GELU by its approximation with tanh (Hendrycks and Gimpel, 2016), JAX's default.
        bent = np.tanh(np.sqrt(2 / np.pi) * (hidden + 0.044715 * hidden**3))
        stream = stream + hidden * (1 + bent) / 2 @ p[f"down{i}"]
    return np.log(ah.softmax(normed(stream) @ p["head"]))


@pytest.mark.parametrize(("name", "d"), [("1/√d", 16), ("none", 64), ("QK norm", 64)])
def test_forward_is_that_of_attn_helpers(name: str, d: int) -> None:
    rng = np.random.default_rng(0)
    arm = ARMS[name]
    parameters = drawn_for(name, rng, d)
    parameters = {n: x * rng.uniform(0.5, 2, x.shape) for n, x in parameters.items()}
    codes, scale = rng.integers(0, LETTERS, (2, 20)), arm.beta(d)
    found, _ = forward(parameters, jnp.asarray(codes), scale, d)
    for string, own in zip(codes, found, strict=True):
        np.testing.assert_allclose(own, in_numpy(parameters, string, scale, d), atol=2e-5)


def logits_at_start(name: str, d: int) -> list[np.ndarray]:
    arm = ARMS[name]
    parameters = drawn_for(name, np.random.default_rng(1), d)
    codes = np.random.default_rng(2).integers(0, LETTERS, (2, 20))
    _, logits = forward(parameters, jnp.asarray(codes), arm.beta(d), d)
    return [np.where(np.isfinite(x), x, 0) for x in logits]


def test_which_arms_start_as_one_function() -> None:
    divided, undivided = logits_at_start("1/√d", 64), logits_at_start("none", 64)
    for name, same in {
        "start only": divided, "both": divided, "folded": divided, "speed only": undivided,
    }.items():  # fmt: skip
        for own, other in zip(logits_at_start(name, 64), same, strict=True):
            np.testing.assert_allclose(own, other, atol=2e-5)
    for own, other in zip(divided, undivided, strict=True):
        # The first layer's logits are 8 times larger; the second's see another stream.
        np.testing.assert_allclose(8 * divided[0], undivided[0], atol=1e-4)
        assert np.abs(own - other).max() > 1


def test_halves_that_cancel_start_calm_from_matrices_as_large_as_drawn() -> None:
    drawn, usual = (
        {name: np.asarray(x) for name, x in drawn_for(arm, np.random.default_rng(1)).items()}
        for arm in ("cancelled", "none")
    )
    for name in ("W_q0", "W_k1"):
        sizes = (np.linalg.norm(x[name]) for x in (drawn, usual))
        assert np.divide(*sizes) == pytest.approx(1, abs=0.02)
    # A logit by hand: of (a, a) · (b + εc, εc - b) the part with b is gone.
    x, y = np.random.default_rng(2).normal(size=(2, 128))
    q, k = x @ drawn["W_q0"][:, :64], y @ drawn["W_k0"][:, :64]
    a, c = q[:32], y @ usual["W_k0"][:, 32:64]
    assert q @ k == pytest.approx(2 * a @ c / np.sqrt(128), rel=1e-3)
    spreads = [logits_at_start(arm, 64)[0].std() for arm in ("cancelled", "1/√d")]
    assert np.divide(*spreads) == pytest.approx(1, abs=0.2)


@pytest.fixture(scope="module", autouse=True)
def _nothing_cut() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lm, "MAX_NORM", 1e9)
        yield
    lm.several_steps.clear_cache()  # compiled with that number


def few_steps(
    name: str, steps: int = STEPS, optimiser: str = "adam", release: int = 0
) -> tuple[lm.State, np.ndarray]:
    """Train at a rate of 0.003 for a few steps, the gradient never cut."""
    training, d = TrainingSettings(name, 0.003, 0, steps=steps), 64
    drawn = lm.initialise(training, LETTERS, np.random.default_rng(4))
    zeros = {n: jnp.zeros_like(x) for n, x in drawn.items()}
    rates = lm.rates_of(training)._replace(constant=1.0, release=release)
    batches = jnp.asarray(np.random.default_rng(3).integers(0, LETTERS, (steps, 4, 17)))
    state = lm.State(drawn, zeros, zeros, jnp.asarray(0))
    state, losses = lm.several_steps(state, batches, rates, d, optimiser)
    return state, np.asarray(losses)


def test_under_adam_a_scale_is_a_start_and_a_speed() -> None:
    # Proposition: with β = c, W_q and W_k follow √c times what they would follow at β = 1.
    scaled, losses = few_steps("1/√d")
    both, same = few_steps("both")
    np.testing.assert_allclose(losses, same, atol=2e-4)
    for name in ("W_q0", "W_k1"):
        found = np.asarray(scaled.parameters[name]) / 64**0.25
        np.testing.assert_allclose(found, both.parameters[name], atol=2e-4)
    for half in ("start only", "speed only"):
        assert np.abs(few_steps(half)[1] - losses).max() > 0.02, half


def test_momentum_moves_against_the_mean_gradient() -> None:
    state, _ = few_steps("1/√d", steps=1, optimiser="momentum")
    d = 64
    drawn = drawn_for("1/√d", np.random.default_rng(4))
    strings = jnp.asarray(np.random.default_rng(3).integers(0, LETTERS, (1, 4, 17))[0])
    grads = jax.jit(jax.grad(lm.loss_of), static_argnums=3)(drawn, strings, d**-0.5, d)
    for name, grad in grads.items():
        moved = np.asarray(state.parameters[name]) - np.asarray(drawn[name])
        np.testing.assert_allclose(moved, -0.003 * grad, atol=2e-6)


def test_it_reads_each_part_of_the_text_once() -> None:
    text = lm.read_text()
    whole = np.concatenate([text.train, text.validation, text.test])
    assert "".join(text.letters[i] for i in whole) == lm.TEXT.read_text("utf-8")
    strings = lm.strings_of(text.validation)
    np.testing.assert_array_equal(strings[:-1, -1], strings[1:, 0])  # the last is read again


def test_every_declared_arm_task_and_start_is_known() -> None:
    wanted = {"arm": {*ARMS}, "task": {*TASKS}, "start": {*STARTS}}
    for experiment in (*language_runs.EXPERIMENTS, *start_and_speed.EXPERIMENTS):
        for name, known in wanted.items():
            given = {(experiment.fixed | row).get(name) for row in experiment.rows}
            assert given <= known | {None}
    assert ARMS["1/8"].beta(16) == ARMS["1/8"].beta(128) == ARMS["1/√d"].beta(64) == 1 / 8


def test_a_copied_passage_stands_twice_and_frozen_matrices_stand_still() -> None:
    text, rng = lm.read_text(), np.random.default_rng(5)
    plain = lm.strings_of(text.validation)[:200]
    strings, known = lm.copied(plain, text.letters, rng)
    for before, string, second in zip(plain, strings, known, strict=True):
        (places,) = np.nonzero(second)
        passage = string[places[0] - 2 : places[-1] + 1]
        assert len(passage) == lm.PASSAGE
        assert "".join(text.letters[i] for i in passage).islower()
        line = "".join(text.letters[i] for i in string)
        first = line.index("".join(text.letters[i] for i in passage))
        assert first + lm.PASSAGE <= places[0] - 2
        kept = np.ones(len(string), bool)
        kept[first : first + lm.PASSAGE] = kept[places[0] - 2 : places[-1] + 1] = False
        np.testing.assert_array_equal(string[kept], before[kept])
    drawn = drawn_for("none", np.random.default_rng(4))
    for release, frozen in ((STEPS, True), (STEPS - 1, False)):
        state, _ = few_steps("none released", release=release)
        assert bool((state.parameters["W_q0"] == drawn["W_q0"]).all()) == frozen
        assert (state.parameters["W_v0"] != drawn["W_v0"]).any()


def test_a_copy_is_measured_where_it_can_be_known() -> None:
    # The loss of the second copy by hand, from log-probabilities; and chance where all are equal.
    text, rng = lm.read_text(), np.random.default_rng(6)
    strings, known = lm.copied(lm.strings_of(text.test)[:8], text.letters, rng)
    arm, d = ARMS["1/√d"], 64
    drawn = drawn_for("1/√d", rng)
    log_p, _ = forward(drawn, jnp.asarray(strings[:, :-1]), arm.beta(d), d)
    by_hand = [
        -float(log_p[b, t - 1, strings[b, t]]) for b, t in zip(*np.nonzero(known), strict=True)
    ]
    loss, _ = lm.copy_of(drawn, jnp.asarray(strings), jnp.asarray(known), arm.beta(d), d)
    np.testing.assert_allclose(float(loss), np.mean(by_hand), rtol=1e-5)
    drawn["head"] = jnp.zeros_like(drawn["head"])
    loss, _ = lm.copy_of(drawn, jnp.asarray(strings), jnp.asarray(known), arm.beta(d), d)
    np.testing.assert_allclose(float(loss), np.log(len(text.letters)), rtol=1e-6)
