"""Scores of projected tokens: q = W_q x and k = W_k x' with random weights, as at initialisation.

Given the tokens, q_i and k_i are independent over i with variances ‖x‖²σ_wq² and ‖x'‖²σ_wk², so
Var(q·k) = d_k σ_wq² σ_wk² E[‖x‖²‖x'‖²]. That expectation is (d_x σ_x²)² for two independent
tokens, and (d_x σ_x²)² (1 + 2/d_x) for a Gaussian token with itself.
"""

from collections.abc import Callable
from math import sqrt

import numpy as np

from attn_helpers._validate import finite, positive_int
from attn_helpers.score_laws import Float64Array
from attn_helpers.score_simulation import BLOCK

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
        ``'xavier'``: sqrt(2/(d_in + d_out)), Glorot & Bengio (2010), equation 16.
        ``'xavier_fused_qkv'``: the same for one matrix of shape (3·d_out, d_in), as in
        ``torch.nn.MultiheadAttention``.
        ``'linear'``: 1/sqrt(3·d_in), the default of ``torch.nn.Linear``, uniform on
        ±1/sqrt(d_in).
        ``'gpt2'``: 0.02, the released code (openai/gpt-2, src/model.py).
        ``'t5_query'``: (d_model·d_kv)^-½ and ``'t5_key'``: d_model^-½, Raffel et al. (2020), the
        released code (Mesh TensorFlow), which folds 1/sqrt(d_kv) into the query.
    d_in : int
        Width of the token.
    d_out : int
        Rows of the projection: all heads together, except for ``'t5_query'``, where it is d_kv,
        the width of one head.

    Returns
    -------
    float
        The standard deviation.

    Raises
    ------
    TypeError, ValueError
        If a width is not a positive integer; ValueError for an unknown scheme.

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

    Parameters
    ----------
    d_x, d_k : int
        Width of a token, and head dimension.
    std_x, std_w_query, std_w_key : float
        Standard deviations of the i.i.d. zero-mean entries of token, W_q and W_k.
    same_token : bool
        x' = x, with Gaussian entries, instead of two independent tokens.

    Returns
    -------
    float
        (d_x σ_x² σ_wq²)(d_x σ_x² σ_wk²) d_k, times 1 + 2/d_x for a token with itself.

    Raises
    ------
    TypeError, ValueError
        If a width is not a positive integer or a deviation not finite and >= 0.

    Notes
    -----
    Given the tokens, q_i and k_i are independent over i with variances ‖x‖²σ_wq² and ‖x′‖²σ_wk²,
    so the variance is d_k σ_wq² σ_wk² E[‖x‖²‖x′‖²]; the expectations are those of Glorot &
    Bengio (2010), section 4.2.1, taken one product further.

    Examples
    --------
    >>> round(projected_score_variance(512, 64, 1.0, 512**-0.5, 512**-0.5), 9)
    64.0
    """
    d_x, d_k = positive_int(d_x, "d_x"), positive_int(d_k, "d_k")
    variance_q = d_x * finite(std_x, "std_x", 0) ** 2 * finite(std_w_query, "std_w_query", 0) ** 2
    variance_k = d_x * float(std_x) ** 2 * finite(std_w_key, "std_w_key", 0) ** 2
    return variance_q * variance_k * d_k * (1 + 2 / d_x if same_token else 1)


def sample_projected(
    rng: np.random.Generator,
    rows: int,
    d_x: int,
    d_k: int,
    std_w_query: float,
    std_w_key: float,
    same_token: bool = False,
    std_x: float = 1.0,
) -> Float64Array:
    """Return independent scores (W_q x)·(W_k x'), Gaussian throughout.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of randomness.
    rows : int
        Number of scores. Each has its own tokens and its own two weight matrices: scores that
        shared weights would not be independent.
    d_x, d_k, std_w_query, std_w_key, same_token, std_x
        As for `projected_score_variance`.

    Returns
    -------
    ndarray
        Shape ``(rows,)``, float64.

    Raises
    ------
    TypeError, ValueError
        As `projected_score_variance`.

    Notes
    -----
    Costs 2·rows·d_x·d_k normal draws, made in blocks of about 8 MB.

    Examples
    --------
    >>> sample_projected(np.random.default_rng(0), 4, 8, 2, 0.1, 0.1).shape
    (4,)
    """
    rows, d_x, d_k = (
        positive_int(v, name) for v, name in ((rows, "rows"), (d_x, "d_x"), (d_k, "d_k"))
    )
    finite(std_w_query, "std_w_query", 0), finite(std_w_key, "std_w_key", 0)
    scores = np.empty(rows)
    step = max(1, BLOCK // (d_x * d_k))
    for start in range(0, rows, step):
        part = scores[start : start + step]
        x = rng.normal(0, finite(std_x, "std_x", 0), (part.size, d_x, 1))
        other = x if same_token else rng.normal(0, std_x, x.shape)
        query = rng.normal(0, std_w_query, (part.size, d_k, d_x)) @ x  # (rows, d_k, 1)
        key = rng.normal(0, std_w_key, (part.size, d_k, d_x)) @ other
        np.einsum("rki,rki->r", query, key, out=part)
    return scores
