"""What the encoder's attention does to a batch: how wide its scores are, how sharp its weights."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from attn_helpers.checks import FloatArray
from attn_helpers.weights import entropy
from why_sqrt_d.encoder.model import EncoderSettings, forward


@dataclass(frozen=True)
class AttentionProbe:
    """Measurements over all rows of a batch, a row being one query against its n keys."""

    score_std: float  #: root of the mean variance of the scores within a row: what a softmax sees
    logit_std: float  #: the same of the logits: `score_std` times β
    score_std_all: float  #: of all scores together, the shift from row to row included
    entropy: float  #: mean entropy of the weights in nats, at most ln n
    max_weight: float  #: mean of a row's largest weight
    query_weight_std: float  #: of the entries of W_q
    key_weight_std: float  #: of the entries of W_k


def probe_attention(
    params: FloatArray, tokens: ArrayLike, settings: EncoderSettings
) -> AttentionProbe:
    """Measure the attention's scores and weights on `tokens`, (batch, n), as `forward` does it."""
    _, cache = forward(params, tokens, settings)
    d, batch = settings.length, len(np.asarray(tokens))
    query, key, _ = cache["attention"].reshape(3, d, batch, -1)  # (d, batch, n) each
    scores = np.einsum("dbk,dbq->kbq", key, query, dtype=np.float64)
    within = float(np.sqrt(scores.var(axis=0).mean()))
    weights = cache["weights"].astype(np.float64)  # (keys, batch, queries)
    projection = settings.views(params)["qkv.weight"]
    return AttentionProbe(
        score_std=within,
        logit_std=settings.beta * within,
        score_std_all=float(scores.std()),
        entropy=float(np.mean(entropy(weights, axis=0))),
        max_weight=float(weights.max(axis=0).mean()),
        query_weight_std=float(projection[:d].std()),
        key_weight_std=float(projection[d : 2 * d].std()),
    )
