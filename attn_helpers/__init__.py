"""Attention mathematics in plain NumPy: the package behind the course "Why √d?"."""

from attn_helpers.attention import scaled_dot_product_attention, scaled_dot_product_attention_vjp
from attn_helpers.attention_rule import AttentionRule, RuleStatistics, rule_statistics
from attn_helpers.entropy import effective_keys, entropy
from attn_helpers.exact import (
    ComponentCovariances,
    ExactMoments,
    component_covariances,
    exact_score_law,
    exact_score_moments,
    independent_outcomes,
    shared_magnitude_outcomes,
    shared_sign_outcomes,
)
from attn_helpers.extremes import expected_gap, expected_maximum, predicted_largest
from attn_helpers.initialisation import (
    INITIALISATIONS,
    Initialisation,
    initial_logit_std,
    measure_initial_logits,
)
from attn_helpers.jacobian import (
    jacobian_bounds,
    jacobian_norm,
    jacobian_trace,
    predicted_jacobian_square,
)
from attn_helpers.multi_head import (
    Projections,
    merge_heads,
    multi_head_attention,
    split_heads,
)
from attn_helpers.needle import draw_needle_rows, match_capacity, simulate_needle, sufficient_scale
from attn_helpers.projected import projected_score_variance, sample_projected, weight_std
from attn_helpers.query_key_norm import QueryKeyNorm, RootMeanSquare, UnitLength
from attn_helpers.random_energy import (
    critical_std,
    frozen_parameter,
    needle_weight,
    predicted_entropy,
    predicted_participation,
    qk_norm_capacity,
)
from attn_helpers.real_models import REAL_MODELS, RealModel
from attn_helpers.saturation import (
    Saturation,
    query_lengths,
    row_saturation,
    saturation_of_products,
    simulate_saturation,
)
from attn_helpers.scaling import (
    Constant,
    InverseDim,
    InverseSqrt,
    Learned,
    LogitTransform,
    LogLength,
    ScaleRule,
    SoftCap,
)
from attn_helpers.scaling_variants import LengthSteps, Multiplied
from attn_helpers.score_comparison import Comparison, ScoreComparison, compare_scores
from attn_helpers.score_density import gaussian_score_pdf
from attn_helpers.score_dependence import Aligned, Correlated, SharedMagnitude, SharedSign
from attn_helpers.score_laws import Gaussian, IndependentPairLaw, Rademacher, ScoreLaw, Uniform
from attn_helpers.score_simulation import simulate_rows, simulate_scores
from attn_helpers.scores import (
    Component,
    Moments,
    ScoreStatistics,
    independent_score_moments,
    score_statistics,
)
from attn_helpers.softmax import log_softmax, naive_softmax, softmax, softmax_jacobian, softmax_vjp
from attn_helpers.temperature import (
    ScaleLoss,
    entropy_slope,
    learn_scale,
    scale_gradient,
    sweep_scales,
    target_loss,
)
from attn_helpers.word_vectors import TALE, cooccurrence_vectors, words_of

__version__ = "0.1.0"

__all__ = [
    "INITIALISATIONS",
    "REAL_MODELS",
    "TALE",
    "Aligned",
    "AttentionRule",
    "Comparison",
    "Component",
    "ComponentCovariances",
    "Constant",
    "Correlated",
    "ExactMoments",
    "Gaussian",
    "IndependentPairLaw",
    "Initialisation",
    "InverseDim",
    "InverseSqrt",
    "Learned",
    "LengthSteps",
    "LogLength",
    "LogitTransform",
    "Moments",
    "Multiplied",
    "Projections",
    "QueryKeyNorm",
    "Rademacher",
    "RealModel",
    "RootMeanSquare",
    "RuleStatistics",
    "Saturation",
    "ScaleLoss",
    "ScaleRule",
    "ScoreComparison",
    "ScoreLaw",
    "ScoreStatistics",
    "SharedMagnitude",
    "SharedSign",
    "SoftCap",
    "Uniform",
    "UnitLength",
    "compare_scores",
    "component_covariances",
    "cooccurrence_vectors",
    "critical_std",
    "draw_needle_rows",
    "effective_keys",
    "entropy",
    "entropy_slope",
    "exact_score_law",
    "exact_score_moments",
    "expected_gap",
    "expected_maximum",
    "frozen_parameter",
    "gaussian_score_pdf",
    "independent_outcomes",
    "independent_score_moments",
    "initial_logit_std",
    "jacobian_bounds",
    "jacobian_norm",
    "jacobian_trace",
    "learn_scale",
    "log_softmax",
    "match_capacity",
    "measure_initial_logits",
    "merge_heads",
    "multi_head_attention",
    "naive_softmax",
    "needle_weight",
    "predicted_entropy",
    "predicted_jacobian_square",
    "predicted_largest",
    "predicted_participation",
    "projected_score_variance",
    "qk_norm_capacity",
    "query_lengths",
    "row_saturation",
    "rule_statistics",
    "sample_projected",
    "saturation_of_products",
    "scale_gradient",
    "scaled_dot_product_attention",
    "scaled_dot_product_attention_vjp",
    "score_statistics",
    "shared_magnitude_outcomes",
    "shared_sign_outcomes",
    "simulate_needle",
    "simulate_rows",
    "simulate_saturation",
    "simulate_scores",
    "softmax",
    "softmax_jacobian",
    "softmax_vjp",
    "split_heads",
    "sufficient_scale",
    "sweep_scales",
    "target_loss",
    "weight_std",
    "words_of",
]
