"""The retrieval task: its data, its gradients against JAX, and that a head learns it."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from stored_outputs import from_the_page

from research.ch5.one_head import EXPERIMENTS, run_ablation, run_folded
from why_sqrt_d.ch5.retrieval import (
    ADDRESS,
    Batch,
    initial_weights,
    logit_spread,
    retrieval_batch,
    retrieval_loss,
    train_retrieval,
)
from why_sqrt_d.ch5.stored_runs import RATES, chosen_rates


def test_the_answer_is_the_content_of_the_token_with_the_address():
    made = retrieval_batch(np.random.default_rng(0), batch=50, n=7)
    for question, tokens, answer in zip(*made, strict=True):
        same = np.flatnonzero((tokens[:, :ADDRESS] == question[0, :ADDRESS]).all(axis=1))
        assert same.size == 1
        np.testing.assert_array_equal(answer[0], tokens[same[0], ADDRESS:])
        assert (question[0, ADDRESS:] == 0).all()


@pytest.mark.parametrize("scale", [0.0, 0.5])
def test_loss_and_gradients_agree_with_jax(scale):
    rng = np.random.default_rng(2)
    weights, data = initial_weights(rng, 16), retrieval_batch(rng, 5, 4)

    def loss(w):
        q, k, v = data.question @ w[0], data.tokens @ w[1], data.tokens @ w[2]
        out = jax.nn.softmax(scale * q @ k.swapaxes(-1, -2), axis=-1) @ v
        return jnp.mean((out - data.answer) ** 2)

    want, grads = jax.value_and_grad(loss)([jnp.asarray(w) for w in weights])
    got, found = retrieval_loss(weights, data, scale)
    assert got == pytest.approx(float(want), rel=1e-12)
    for one, other in zip(found, grads, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)


def test_plain_gradient_descent_takes_the_step_it_says():
    start = initial_weights(np.random.default_rng(6), 8)
    run = train_retrieval(np.random.default_rng(7), start, 0.5, 0.1, 1, "sgd", n=3, batch=4)
    data = retrieval_batch(np.random.default_rng(7), 4, 3)
    loss, grads = retrieval_loss(start, data, 0.5)
    assert run.losses[0] == loss
    for after, before, grad in zip(run.weights, start, grads, strict=True):
        np.testing.assert_allclose(after, before - 0.1 * grad, rtol=1e-12)


@pytest.mark.filterwarnings("error")
def test_a_run_that_diverges_ends_with_infinity():
    rng = np.random.default_rng(7)
    run = train_retrieval(rng, initial_weights(rng, 16), 1.0, 50.0, 100, "sgd")
    assert np.isinf(run.losses[-1])
    assert np.isfinite(run.losses[0])


def test_logit_spread_is_blind_to_the_centre_of_a_row():
    """Rows of scores 0, 2 and 10, 12: within each the deviation is one."""
    tokens = np.zeros((2, 2, 24))
    tokens[:, :, 0] = [[0, 2], [10, 12]]
    question = np.zeros((2, 1, 24))
    question[..., 0] = 1
    same = np.eye(24)
    data = Batch(question, tokens, np.zeros((2, 1, 8)))
    assert logit_spread((same, same, same[:, :8]), data, 0.5) == pytest.approx(0.5)


def test_a_seed_is_judged_at_the_rate_that_the_others_choose():
    """Rows in which one seed alone prefers another rate: only what it is judged at is unlike."""
    rows = [
        {"optimiser": "sgd", "rate": rate, "seed": seed, "losses": [9.0] * 15 + [error] * 5}
        for rate in RATES["sgd"]
        for seed, error in enumerate([0.1 + abs(rate - 1)] * 4 + [0.1 + abs(rate - 3)] * 3)
    ]
    assert chosen_rates(rows, optimiser="sgd") == [1.0] * 7
    fewer = [row for row in rows if row["seed"] != 3]  # three against three: each loses its vote
    for row in fewer:
        row["seed"] -= row["seed"] > 3
    assert chosen_rates(fewer, optimiser="sgd") == [3.0] * 3 + [1.0] * 3


def trained(factor, rate, scale, seed, d=16, steps=40):
    """Losses of Adam with W_q and W_k `factor` times as large and `rate` times as fast."""
    rng = np.random.default_rng([seed, d])
    weights = list(initial_weights(rng, d, factor, factor))
    means, squares, losses = [0.0] * 3, [0.0] * 3, []
    for t in range(1, steps + 1):
        loss, grads = retrieval_loss(weights, retrieval_batch(rng, 32, 16), scale)
        losses.append(loss)
        for i, grad in enumerate(grads):
            means[i] = 0.9 * means[i] + 0.1 * grad
            squares[i] = 0.999 * squares[i] + 0.001 * grad**2
            root = np.sqrt(squares[i] / (1 - 0.999**t))
            step = 0.03 * means[i] / (1 - 0.9**t) / (root + 1e-12)
            weights[i] = weights[i] - (rate if i < 2 else 1) * step
    return losses


def test_a_scale_is_a_start_and_a_rate():
    """d = 16: β = 1/d against 1/√d whose W_q and W_k start and move d^¼ = 2 times less."""
    common = {"optimiser": "adam", "rate": 0.03, "seed": 3, "steps": 40, "window": 1}
    common |= {"n": 16, "batch": 32, "d": 16}
    both = trained(0.5, 0.5, 1 / 4, seed=3)
    np.testing.assert_allclose(run_ablation(power=1.0, **common)["losses"], both, rtol=0.01)
    start = run_ablation(power=0.5, start=0.5, **common)["losses"]
    np.testing.assert_allclose(start, trained(0.5, 1, 1 / 4, seed=3), rtol=0.01)
    rate = run_ablation(power=1.0, start=2.0, **common)["losses"]
    np.testing.assert_allclose(rate, trained(1, 0.5, 1 / 4, seed=3), rtol=0.01)
    assert not np.allclose(start, both, rtol=0.1)
    assert not np.allclose(rate, both, rtol=0.1)


def test_a_rate_of_its_own_makes_the_two_spellings_one():
    descend = from_the_page("5c-rate-by-rate", "descend")
    beta = descend(16, 1 / 4, 1, (0.3, 0.3, 0.3), steps=60)
    own = descend(16, 1, 1 / 4, (0.3 / 16, 0.3, 0.3), steps=60)
    common = descend(16, 1, 1 / 4, (0.3, 0.3, 0.3), steps=60)
    np.testing.assert_allclose(own, beta, rtol=1e-7)
    assert common[0] == pytest.approx(beta[0], rel=1e-7)
    assert not np.allclose(common, beta, rtol=0.1)


def test_the_head_with_the_scale_in_its_first_matrix_starts_like_the_divided_one():
    fixed = next(e.fixed for e in EXPERIMENTS if e.name == "folded_scale") | {"steps": 20}
    setting = {"d": 16, "optimiser": "sgd", "rate": 1e-9, "seed": 3}
    folded, beta = run_folded(**setting, **fixed), run_ablation(power=0.5, **setting, **fixed)
    assert folded == beta
