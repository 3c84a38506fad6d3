"""Attention mathematics in plain NumPy: the package behind the course "Why √d?".

What several chapters call stands here; the rest is in its module, such as `attn_helpers.needle`.
"""

from attn_helpers import exact, initialisation, needle, saturation, temperature  # noqa: F401
from attn_helpers.attention import (
    merge_heads,
    multi_head_attention,
    scaled_dot_product_attention,
    scaled_dot_product_attention_vjp,
    split_heads,
)
from attn_helpers.auditing import audit
from attn_helpers.extremes import critical_std
from attn_helpers.laws import Gaussian, Uniform
from attn_helpers.norms import rms_norm, soft_cap, unit_length
from attn_helpers.sampling import simulate_rows, simulate_scores
from attn_helpers.scores import score_statistics
from attn_helpers.weights import (
    effective_keys,
    entropy,
    log_softmax,
    softmax,
    softmax_jacobian,
    softmax_vjp,
)

__version__ = "0.3.0"

__all__ = [
    "Gaussian",
    "Uniform",
    "audit",
    "critical_std",
    "effective_keys",
    "entropy",
    "log_softmax",
    "merge_heads",
    "multi_head_attention",
    "rms_norm",
    "scaled_dot_product_attention",
    "scaled_dot_product_attention_vjp",
    "score_statistics",
    "simulate_rows",
    "simulate_scores",
    "soft_cap",
    "softmax",
    "softmax_jacobian",
    "softmax_vjp",
    "split_heads",
    "unit_length",
]
