"""Source D's claims but those on its table, decided again. D21, D23, D31 and D61 are read."""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import product
from math import prod

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from learning_curves import as_power
from scipy.special import log_softmax, softmax

import attn_helpers as ah
from why_sqrt_d.ch8 import real_models as models

Outcome = tuple[Fraction, tuple[int, ...], tuple[int, ...]]  #: probability, query, key


def mean(outcomes: Iterable[Outcome], of: Callable) -> Fraction:
    """Return the exact mean of a function of query and key."""
    return sum((p * of(q, k) for p, q, k in outcomes), Fraction())


def score(q: Sequence[int], k: Sequence[int]) -> int:
    return sum(a * b for a, b in zip(q, k, strict=True))


def variance(outcomes: Sequence[Outcome]) -> Fraction:
    """Return Var(q·k) exactly."""
    return mean(outcomes, lambda q, k: score(q, k) ** 2) - mean(outcomes, score) ** 2


def uncorrelated(outcomes: Sequence[Outcome]) -> bool:
    """Whether all components have mean 0 and variance 1 and every covariance between two is 0."""
    assert sum(p for p, _, _ in outcomes) == 1

    def moment(*places: int) -> Fraction:
        return mean(outcomes, lambda q, k: prod((*q, *k)[place] for place in places))

    every = range(2 * len(outcomes[0][1]))
    centred = all(moment(i) == 0 for i in every)
    return centred and all(moment(i, j) == (i == j) for i, j in product(every, repeat=2))


def shared_sign(d: int) -> list[Outcome]:
    """Return q = ±1 in each component, and k = q or k = -q."""
    signs = list(product((-1, 1), repeat=d))
    return [
        (Fraction(1, 2 ** (d + 1)), q, tuple(t * x for x in q)) for q in signs for t in (-1, 1)
    ]


def shared_magnitude(d: int) -> list[Outcome]:
    """Return q_i = r_i s_i and k_i = r_i s'_i, where r_i is 2 in a quarter of cases and else 0."""
    one = [(Fraction(3, 4), 0, 0)]
    one += [(Fraction(1, 16), q, k) for q in (-2, 2) for k in (-2, 2)]
    found = []
    for chosen in product(one, repeat=d):
        ps, qs, ks = zip(*chosen, strict=True)
        found.append((prod(ps), qs, ks))
    return found


def test_d1(settle):
    """Every condition of Proposition 1 holds exactly, and the variance is d², 4d or 0."""
    turned = [(Fraction(1, 8), (a, b), (-t * b, t * a)) for a, b, t in product((-1, 1), repeat=3)]
    found = {}
    for name, outcomes in (
        ("sign", shared_sign(3)),
        ("magnitude", shared_magnitude(3)),
        ("turned", turned),
    ):
        assert uncorrelated(outcomes), name
        found[name] = variance(outcomes)
    assert list(found.values()) == [3**2, 4 * 3, 0]
    independent = [(Fraction(1, 64), x[:3], x[3:]) for x in product((-1, 1), repeat=6)]
    assert uncorrelated(independent)
    assert variance(independent) == 3  # as the row says of the statement that is right
    said = r"less $q_i = \pm1$ $k = \pm q$ all every", as_power(float(found["sign"]), 3, "d")
    settle("false" if found["sign"] != 3 else "holds", *said)


def test_d3(settle):
    """With a shared sign the products are all one variable; with a shared magnitude Var is 4."""
    outcomes = shared_sign(3)
    assert all(len({a * b for a, b in zip(q, k, strict=True)}) == 1 for _, q, k in outcomes)
    add_up = variance(outcomes) == 3 * mean(outcomes, lambda q, k: (q[0] * k[0]) ** 2)
    one = shared_magnitude(1)
    assert variance(one) == mean(one, lambda q, k: q[0] ** 4) == 4
    first = r"$k = \pm q$ all $q_i = \pm1$ $q_ik_i$ all $q_i = \pm r_i$ $k_i = \pm r_i$ $r_i$"
    second = r"$\mathbb{E}[r_i^2] = 1$ $q_ik_i$ $\mathbb{E}[r_i^4]$ more $r_i^2$"
    settle("holds" if add_up and variance(one) == 1 else "false", first, second)


def test_d6(settle):
    """The variance of a query's component where tokens meet weights of each initialisation."""
    rng, found = np.random.default_rng(1), {}
    x = rng.standard_normal((400, 768))
    names = "Xavier, one matrix each", "Xavier, fused q, k, v", "nn.Linear default", "GPT-2"
    for name in names:
        std, _ = ah.initialisation.INITIALISATIONS[name].stds(768, 64)
        found[name] = (x @ rng.normal(0, std, (768, 768))).var()
    assert found["nn.Linear default"] == pytest.approx(1 / 3, rel=0.02)
    square, *others = (abs(variance - 1) < 0.02 for variance in found.values())
    exact = 1 / 2, 768 * 0.02**2
    assert (found["Xavier, fused q, k, v"], found["GPT-2"]) == pytest.approx(exact, rel=0.02)
    sides = "$W_q$ is a square matrix of its own", "matrix fused with $W_k$ and $W_v$"
    settle((square, all(others)), *exact, sides=sides)


def test_d7(settle):
    """The product formula for two tokens, and for a normal token with itself: 1 + 2/d_x."""
    rng, runs, d_x, d_k = np.random.default_rng(2), 60_000, 8, 4
    agrees = []
    for same in (False, True):
        tokens = rng.standard_normal((2, runs, 1, d_x))
        w_q, w_k = (rng.normal(0, std, (runs, d_x, d_k)) for std in (0.5, 0.7))
        scores = (tokens[0] @ w_q * (tokens[0 if same else 1] @ w_k)).sum(axis=(1, 2))
        measured, formula = ah.score_statistics(scores), (d_x * 0.5**2) * (d_x * 0.7**2) * d_k
        agrees.append(abs(measured.variance - formula) < 5 * measured.variance_se)
    assert abs(measured.variance - formula * (1 + 2 / d_x)) < 5 * measured.variance_se
    further = round(d_x * (measured.variance / formula - 1))
    settle((agrees[0], agrees[1]), f"$1 + {further}/d_x$")


def test_d10(settle):
    """A query of equal components keeps the variance; small weights have zero covariances."""
    rng = np.random.default_rng(4)
    key, repeated = rng.standard_normal((40_000, 8)), rng.standard_normal((40_000, 1))
    measured = ah.score_statistics((key * repeated).sum(axis=-1))
    kept = abs(measured.variance - 8) < 5 * measured.variance_se
    q = rng.normal(0, 0.02, (40_000, 2, 64)) @ rng.standard_normal(64)
    zero = np.abs(q.mean(axis=0)).max() < 5 * q.std() / np.sqrt(len(q))
    zero &= abs(np.corrcoef(q.T)[0, 1]) < 5 / np.sqrt(len(q))
    settle("false" if kept and zero and q.var() < 0.1 else "holds", "more")


def test_d11(settle):
    """The largest exponent and the first whole one that overflows, by format, found by trying."""
    kinds = (np.float64, np.float32, np.float16)
    with np.errstate(over="ignore"):
        bounds = [np.log(np.float64(np.finfo(kind).max)) for kind in kinds]
        first = [next(n for n in range(1000) if np.isinf(np.exp(kind(n)))) for kind in kinds]
    settle((first[0] == 710, max(first[1:]) >= 710), *bounds, *first)


def test_d13(settle):
    """Powers of ten as β, far beyond where the exponential overflows."""
    finite = True
    for power in range(-300, 301, 50):
        weights = ah.softmax(10.0**power * np.array([1.5, 1.0, -2.0]))
        finite &= np.isfinite(weights).all() and abs(weights.sum() - 1) < 1e-12
    with np.errstate(over="ignore"):
        overflows = np.isinf(np.exp(1e3 * 1.5))
    settle("misleading" if overflows and finite else "holds", r"every $\beta z$")


def test_d14(settle):
    """One number added along a row cancels, one for each key does not; and Boltzmann's ratios."""
    z = np.array([3.0, 1.0, 0.5, -0.5, -2.0])
    weights = softmax(0.5 * z)
    cancels = np.allclose(softmax(0.5 * z + 0.3), weights, rtol=1e-14)
    assert np.abs(softmax(0.5 * z + 0.3 * np.arange(5)) - weights).max() > 0.05
    boltzmann = np.exp(-np.array([0.3, 1.0, 2.5]) / 1.7)
    same = np.allclose(softmax(-np.array([0.3, 1.0, 2.5]) / 1.7), boltzmann / boltzmann.sum())
    settle("holds" if cancels and same else "false", "$e^{-E/T}$")


def aligned(rho: float, d: int = 64) -> np.ndarray:
    """Return scores of jointly normal pairs with this correlation."""
    query, own = np.random.default_rng(16).standard_normal((2, 40_000, d))
    return (query * (rho * query + (1 - rho**2) ** 0.5 * own)).sum(axis=-1)


def test_d16(settle):
    """The standard deviation of a score, for independent vectors and for aligned ones."""
    apart, together = aligned(0.0), aligned(0.5)
    assert together.std() == pytest.approx((1.25 * 64) ** 0.5, rel=0.02)
    assert together.mean() == pytest.approx(32, rel=0.02)
    said = r"$\sqrt{(1+\rho^2)\,d_k}$ $\rho d_k$ less"
    settle((abs(apart.std() - 8) < 0.1, abs(together.std() - 8) < 0.1), said)


def test_d17(settle):
    """Logits once pairs align; and whether another scale is better from the start."""
    spreads = [aligned(rho).std() / 8 for rho in (0.0, 0.25, 0.5)]
    scores = np.random.default_rng(17).normal(0, 8, (5000, 64))
    scores[:, 0] += 3 * 8  # a needle, three deviations out
    losses = [-log_softmax(beta * scores, axis=-1)[:, 0].mean() for beta in (1 / 8, 3 / 8)]
    best = losses[0] < 1.5 * losses[1]
    settle((abs(spreads[0] - 1) < 0.02, best or spreads[2] < 1.1), r"grow $1/\sqrt{d_k}$")


def test_d19(settle):
    """Concat(head_1, …) W_O against one einsum; and two heads that start equal, or not."""
    rng = np.random.default_rng(19)
    x, target = rng.normal(size=(2, 8, 6))

    def loss(weights: list) -> jax.Array:
        q, k, v = (jnp.einsum("nm,hmd->hnd", x, w) for w in weights[:3])
        p = jax.nn.softmax(q @ k.swapaxes(1, 2) / 3**0.5, axis=-1)
        return jnp.mean((jnp.einsum("hqk,hkd,hde->qe", p, v, weights[3]) - target) ** 2)

    free = [jnp.asarray(0.5 * rng.normal(size=s)) for s in (*3 * [(2, 6, 3)], (2, 3, 6))]
    tied = [jnp.stack([w[0], w[0]]) for w in free]
    apart = [[float(jnp.abs(g[0] - g[1]).max()) for g in jax.grad(loss)(x)] for x in (free, tied)]
    settle("holds" if min(apart[0]) > 1e-3 and max(apart[1]) < 1e-7 else "false")


def test_d22(settle):
    """Of the models of 2022 and 2023, most multiply by 1/sqrt(d) and do no more."""
    recent = [m for m in models.read().values() if m.year in (2022, 2023)]
    plain = []
    for model in recent:
        q, k = np.random.default_rng(22).standard_normal((2, 5, model.width))
        same = np.allclose(models.logits(model, q, k), q @ k.T / model.width**0.5)
        plain.append(same and model.kind == "root")
    said = r"more $\sqrt{d_k}$ nothing"
    settle("holds" if sum(plain) > len(recent) / 2 > 10 else "false", said, 0.5)


def test_d36(settle):
    """What sums to one if the exponentials are divided by the sum over the first index."""
    powers = np.exp(np.random.default_rng(36).standard_normal((4, 3)))
    printed = powers / powers.sum(axis=0)
    last_index = np.allclose(printed.sum(axis=-1), 1)
    assert np.allclose(printed.sum(axis=0), 1)
    settle("holds" if last_index else "false")
