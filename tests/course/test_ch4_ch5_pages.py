"""What stands on pages 4a and 5c as code: the backward pass against JAX, and the descent."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from stored_outputs import from_the_page

from research.one_head import EXPERIMENTS, run_ablation, run_folded


def layer():
    """Return tokens, a gradient at the output and three matrices."""
    rng = np.random.default_rng(1)
    return *rng.standard_normal((2, 5, 6)), rng.standard_normal((3, 6, 6)) / 2


@pytest.mark.parametrize("beta", [0.0, 0.3, 1.0, 4.0])
def test_the_backward_pass_is_the_automatic_one(beta):
    x, g, matrices = layer()

    def loss(w):
        p = jax.nn.softmax(beta * (x @ w[0]) @ (x @ w[1]).T, axis=-1)
        return jnp.sum(g * (p @ (x @ w[2])))

    expected = jax.grad(loss)(jnp.asarray(matrices))
    found = from_the_page("4a-how-long-a-gradient", "backward")(x, *matrices, g, beta)
    np.testing.assert_allclose(np.stack(found), expected, atol=1e-10)


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
