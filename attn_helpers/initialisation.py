"""Scores of projected tokens: q = W_q x and k = W_k x' with random weights, as at initialisation.

Given the tokens, q_i and k_i are independent over i with variances ‖x‖²σ_wq² and ‖x'‖²σ_wk², so
Var(q·k) = d_k σ_wq² σ_wk² E[‖x‖²‖x'‖²].
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt

import numpy as np

from attn_helpers.attention import split_heads
from attn_helpers.checks import FloatArray, positive_int


@dataclass(frozen=True)
class Initialisation:
    """How a model draws the projections of queries and keys, and what it multiplies scores by.

    Parameters
    ----------
    stds : callable
        Takes the width of a token and of a head; returns the standard deviations of one weight of
        W_q and of one of W_k.
    uniform : bool
        Whether the weights are uniform or normal.
    scaled : bool
        Whether scores are multiplied by d_k^-½.
    """

    stds: Callable[[int, int], tuple[float, float]]
    uniform: bool = False
    scaled: bool = True

    def scale(self, d_k: int) -> float:
        """Return β."""
        return d_k**-0.5 if self.scaled else 1.0


INITIALISATIONS = {
    # sqrt(2/(d_in + d_out)): Glorot & Bengio (2010), equation 16.
    "Xavier, one matrix each": Initialisation(lambda d, _: 2 * (sqrt(1 / d),), uniform=True),
    # The same for one matrix of shape (3·d_model, d_model), as in torch.nn.MultiheadAttention.
    "Xavier, fused q, k, v": Initialisation(lambda d, _: 2 * (sqrt(1 / (2 * d)),), uniform=True),
    # Uniform on ±1/sqrt(d_in), the default of torch.nn.Linear.
    "nn.Linear default": Initialisation(lambda d, _: 2 * (sqrt(1 / (3 * d)),), uniform=True),
    # The released code (openai/gpt-2, src/model.py).
    "GPT-2": Initialisation(lambda d, _: (0.02, 0.02)),
    # Raffel et al. (2020), the released code (Mesh TensorFlow): 1/sqrt(d_k) is folded into W_q.
    "T5, no scale": Initialisation(
        lambda d, d_k: (sqrt(1 / (d * d_k)), sqrt(1 / d)), scaled=False
    ),
}


def initial_logit_std(scheme: Initialisation, d_model: int, heads: int) -> float:
    """Return the standard deviation of a logit between two different normalised tokens.

    Over tokens and weights: Chuang (2023), section 2, times the scale; exact for independent
    zero-mean weights. A component of a query has the variance d_model·σ_wq², as Glorot & Bengio
    (2010), section 4.2.1, have it, and a score adds d_k products.

    Parameters
    ----------
    scheme : Initialisation
        How weights are drawn, such as ``INITIALISATIONS["GPT-2"]``.
    d_model, heads : int
        Width of a token, and how many heads it is cut into: d_k = d_model / heads.

    Returns
    -------
    float
        Of the logits: after the scale.

    Examples
    --------
    >>> round(initial_logit_std(INITIALISATIONS["GPT-2"], d_model=768, heads=12), 4)
    0.3072
    """
    d_k = _head_dimension(d_model, heads)
    std_query, std_key = scheme.stds(d_model, d_k)
    return scheme.scale(d_k) * d_model * std_query * std_key * sqrt(d_k)


def measure_initial_logits(
    scheme: Initialisation,
    d_model: int,
    heads: int,
    rng: np.random.Generator,
    tokens: int = 256,
) -> float:
    """Draw one W_q, one W_k and some tokens; return the standard deviation of all logits.

    Parameters
    ----------
    scheme, d_model, heads
        As for `initial_logit_std`.
    rng : numpy.random.Generator
    tokens : int
        How many layer-normalised tokens, at least 2.

    Returns
    -------
    float
        A token's logit with itself is left out.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> round(measure_initial_logits(INITIALISATIONS["GPT-2"], 768, 12, rng), 2)
    0.31
    """
    d_k = _head_dimension(d_model, heads)
    if positive_int(tokens, "tokens") < 2:
        raise ValueError(f"two different tokens need tokens >= 2, got {tokens}")
    x = rng.standard_normal((tokens, d_model))
    x = (x - x.mean(axis=-1, keepdims=True)) / x.std(axis=-1, keepdims=True)
    query, key = (
        split_heads(x @ _weights(scheme, std, d_model, rng), heads)
        for std in scheme.stds(d_model, d_k)
    )
    logits = scheme.scale(d_k) * (query @ key.swapaxes(-1, -2))
    return float(logits[:, ~np.eye(tokens, dtype=bool)].std())


def _head_dimension(d_model: int, heads: int) -> int:
    d_model, heads = positive_int(d_model, "d_model"), positive_int(heads, "heads")
    if d_model % heads:
        raise ValueError(f"heads must divide d_model, got d_model = {d_model} and heads = {heads}")
    return d_model // heads


def _weights(
    scheme: Initialisation, std: float, d_model: int, rng: np.random.Generator
) -> FloatArray:
    if scheme.uniform:
        return rng.uniform(-sqrt(3) * std, sqrt(3) * std, (d_model, d_model))
    return rng.normal(0.0, std, (d_model, d_model))
