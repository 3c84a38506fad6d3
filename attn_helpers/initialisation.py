"""Logits before training: what real initialisation schemes give, predicted and measured.

A scheme draws W_q and W_k for all heads at once, and the tokens come from a layer normalisation.
The prediction is `projected_score_variance` times the square of the scheme's scale; the
measurement draws the matrices and computes every logit between two different tokens.
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from attn_helpers._validate import positive_int
from attn_helpers.projected import projected_score_variance, weight_std
from attn_helpers.score_laws import Float64Array


@dataclass(frozen=True)
class Initialisation:
    """How a model draws the projections of queries and keys, and what it multiplies scores by.

    Attributes
    ----------
    query, key : str
        Schemes of `weight_std` for W_q and W_k.
    uniform : bool
        Whether the weights are uniform; otherwise they are normal.
    scaled : bool
        Whether the model multiplies the scores by d_k^-½.

    Raises
    ------
    ValueError
        If `weight_std` does not know a scheme (when it is used).

    Examples
    --------
    >>> INITIALISATIONS["T5, no scale"].scaled
    False
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

    Parameters
    ----------
    scheme : Initialisation
        For example ``INITIALISATIONS["GPT-2"]``.
    d_model, heads : int
        Width of a token, and number of heads; d_k = d_model / heads.

    Returns
    -------
    float
        The standard deviation over tokens and weights.

    Raises
    ------
    TypeError, ValueError
        If a size is not a positive integer, or `heads` does not divide `d_model`.

    Notes
    -----
    Chuang (2023), section 2, times the scale; exact for independent zero-mean weights.

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
        Source of randomness.
    tokens : int
        Number of layer-normalised tokens, at least 2; a token's logit with itself is left out.

    Returns
    -------
    float
        Over ``heads * tokens * (tokens - 1)`` logits of one draw of the weights.

    Raises
    ------
    TypeError, ValueError
        As `initial_logit_std`, and if there are fewer than 2 tokens.

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
        _split_heads(x @ _weights(scheme, std, d_model, rng), heads)
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
) -> Float64Array:
    if scheme.uniform:
        return rng.uniform(-sqrt(3) * std, sqrt(3) * std, (d_model, d_model))
    return rng.normal(0.0, std, (d_model, d_model))


def _split_heads(x: Float64Array, heads: int) -> Float64Array:
    """(tokens, d_model) → (heads, tokens, d_k)."""
    return x.reshape(len(x), heads, -1).swapaxes(0, 1)
