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
from attn_helpers.checks import FloatArray, finite, positive_int

_WEIGHT_STD: dict[str, Callable[[int, int], float]] = {
    "xavier": lambda d_in, d_out: sqrt(2 / (d_in + d_out)),
    "xavier_fused_qkv": lambda d_in, d_out: sqrt(2 / (d_in + 3 * d_out)),
    "linear": lambda d_in, d_out: sqrt(1 / (3 * d_in)),
    "gpt2": lambda d_in, d_out: 0.02,
    "t5_query": lambda d_in, d_out: sqrt(1 / (d_in * d_out)),
    "t5_key": lambda d_in, d_out: sqrt(1 / d_in),
}


def weight_std(scheme: str, d_in: int, d_out: int) -> float:
    """Return the standard deviation of one entry of a query or key projection.

    Parameters
    ----------
    scheme : str
        ``'xavier'``: sqrt(2/(d_in + d_out)), Glorot & Bengio (2010), equation 16;
        ``'xavier_fused_qkv'``: the same for one matrix of shape (3·d_out, d_in), as in
        ``torch.nn.MultiheadAttention``; ``'linear'``: 1/sqrt(3·d_in), the default of
        ``torch.nn.Linear``, uniform on ±1/sqrt(d_in); ``'gpt2'``: 0.02, the released code
        (openai/gpt-2, src/model.py); ``'t5_query'``: (d_model·d_kv)^-½ and ``'t5_key'``:
        d_model^-½, Raffel et al. (2020), the released code (Mesh TensorFlow), which folds
        1/sqrt(d_kv) into the query.
    d_in : int
        The width of the token.
    d_out : int
        The rows of the projection: all heads together, except for ``'t5_query'``, where it is
        d_kv, the width of one head.

    Returns
    -------
    float
        In the units of the weights.

    Examples
    --------
    >>> weight_std("xavier", d_in=512, d_out=512) == 512**-0.5
    True
    """
    if scheme not in _WEIGHT_STD:
        raise ValueError(f"scheme must be one of {', '.join(_WEIGHT_STD)}, got {scheme!r}")
    return _WEIGHT_STD[scheme](positive_int(d_in, "d_in"), positive_int(d_out, "d_out"))


def projected_score_variance(
    d_x: int,
    d_k: int,
    std_x: float,
    std_w_query: float,
    std_w_key: float,
    same_token: bool = False,
) -> float:
    """Return Var(q·k) for q = W_q x and k = W_k x', over tokens and weights.

    (d_x σ_x² σ_wq²)(d_x σ_x² σ_wk²) d_k, times 1 + 2/d_x for a token with itself: Glorot & Bengio
    (2010), section 4.2.1, taken one product further.

    Parameters
    ----------
    d_x, d_k : int
        Width of a token, and of q and k.
    std_x, std_w_query, std_w_key : float
        Standard deviations, >= 0, of the i.i.d. zero-mean entries of token, W_q and W_k.
    same_token : bool
        Whether x' is x itself, then with Gaussian entries, or another token.

    Returns
    -------
    float
        The variance of a score, before scaling.

    Examples
    --------
    >>> round(projected_score_variance(512, 64, 1.0, 512**-0.5, 512**-0.5), 9)
    64.0
    """
    d_x, d_k = positive_int(d_x, "d_x"), positive_int(d_k, "d_k")
    variance_q = d_x * finite(std_x, "std_x", 0) ** 2 * finite(std_w_query, "std_w_query", 0) ** 2
    variance_k = d_x * float(std_x) ** 2 * finite(std_w_key, "std_w_key", 0) ** 2
    return variance_q * variance_k * d_k * (1 + 2 / d_x if same_token else 1)


@dataclass(frozen=True)
class Initialisation:
    """How a model draws the projections of queries and keys, and what it multiplies scores by.

    Parameters
    ----------
    query, key : str
        Schemes of `weight_std`.
    uniform : bool
        Whether the weights are uniform or normal.
    scaled : bool
        Whether scores are multiplied by d_k^-½.
    """

    query: str
    key: str
    uniform: bool = False
    scaled: bool = True

    def stds(self, d_model: int, d_k: int) -> tuple[float, float]:
        """Return the standard deviations of one weight of W_q and of W_k."""
        width = d_k if self.query == "t5_query" else d_model
        return weight_std(self.query, d_model, width), weight_std(self.key, d_model, d_model)

    def scale(self, d_k: int) -> float:
        """Return β."""
        return d_k**-0.5 if self.scaled else 1.0


INITIALISATIONS = {
    "Xavier, one matrix each": Initialisation("xavier", "xavier", uniform=True),
    "Xavier, fused q, k, v": Initialisation("xavier_fused_qkv", "xavier_fused_qkv", uniform=True),
    "nn.Linear default": Initialisation("linear", "linear", uniform=True),
    "GPT-2": Initialisation("gpt2", "gpt2"),
    "T5, no scale": Initialisation("t5_query", "t5_key", scaled=False),
}


def initial_logit_std(scheme: Initialisation, d_model: int, heads: int) -> float:
    """Return the standard deviation of a logit between two different normalised tokens.

    Over tokens and weights: Chuang (2023), section 2, times the scale; exact for independent
    zero-mean weights.

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
    variance = projected_score_variance(d_model, d_k, 1.0, *scheme.stds(d_model, d_k))
    return scheme.scale(d_k) * sqrt(variance)


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
        Where chance comes from.
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
