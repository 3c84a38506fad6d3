"""The numbers and the table of the first page."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from attn_helpers import softmax
from attn_helpers.checks import FloatArray
from attn_helpers.saturation import normal_rows
from why_sqrt_d.notebook import table

KEYS = 10
PUBLISHED, WIDTH = 5, 20  # a scale of the paper's Table 1, and its head dimension


def top_weights(d: int, n: int, rows: int, rng: np.random.Generator) -> FloatArray:
    """Return each row's largest weight without and with the scale 1/√d, shape (2, rows).

    Queries and keys have standard normal components; a block of rows is drawn at a time.
    """
    kept = []
    for some in np.array_split(np.arange(rows), -(-rows * n // 2**22)):
        scores = normal_rows(d, n, some.size, rng)
        kept.append([softmax(scale * scores).max(axis=-1) for scale in (1.0, d**-0.5)])
    return np.concatenate(kept, axis=1)


def cure(rows: int = 100_000, seed: int = 1) -> dict[int, FloatArray]:
    """Return `top_weights` of ten keys for three d."""
    rng = np.random.default_rng(seed)
    return {d: top_weights(d, KEYS, rows, rng) for d in (4, 64, 1024)}


def cure_table(tops: Mapping[int, FloatArray]) -> None:
    """Show the median largest weights (2, rows) for each d."""
    lines = [[str(d), *(f"{m:.2f}" for m in np.median(t, axis=-1))] for d, t in tops.items()]
    table(["d", "undivided", "divided by √d"], lines)


def findings(tops: Mapping[int, FloatArray], seed: int = 2) -> dict[str, Any]:
    """Return what the first page opens with.

    The per cent of rows in which one key of ten has more than 0.99, with its standard error; how
    many rows have that after dividing by √d; the median largest weight of scaled rows of 16 384
    keys; and the factor on the learning rate of W_q and W_k that a published scale is.
    """
    plain, scaled = tops[1024] > 0.99
    many = top_weights(64, 16_384, 2000, np.random.default_rng(seed))[1]
    return {
        "one_key": 100 * plain.mean(),
        "one_key_error": 100 * plain.std() / np.sqrt(plain.size),
        "one_key_64": 100 * (tops[64][0] > 0.99).mean(),
        "one_key_scaled": f"{scaled.sum() or 'not one'} of {plain.size:,}".replace(",", " "),
        "top_16384": float(np.median(many)),
        "rate_factor": np.sqrt(PUBLISHED * np.sqrt(WIDTH)),
    }
