"""Statistics of the rows of logits of a layer's heads, gathered over inputs."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

import attn_helpers as ah
from attn_helpers.checks import FloatArray

FEWEST_KEYS = 8  # a spread over fewer keys says little
HIDDEN = -1e4  # an additive mask is below it, a logit is not


class Layer:
    """Gathers rows of all heads of one layer."""

    def __init__(self) -> None:
        self._rows: dict[str, list[FloatArray]] = {}  # each (heads, rows of one input)
        self._squares: list[FloatArray] = []  # each (3, heads): sums over q², k² and cosines²
        self._counts: list[FloatArray] = []
        self._d = 0

    def see(self, logits: ArrayLike, query: ArrayLike, key: ArrayLike) -> None:
        """Add one input: logits (heads, n_q, n), query (heads, n_q, d), key (heads, n, d).

        Masked logits are below `HIDDEN`, in all heads alike. A row counts if it has `FEWEST_KEYS`.
        """
        z, q, k = (np.asarray(one, dtype=float) for one in (logits, query, key))
        kept = (z[0] > HIDDEN).sum(axis=-1) >= FEWEST_KEYS
        if not kept.any():
            return
        z, q, self._d = z[:, kept], q[:, kept], q.shape[-1]
        seen = z > HIDDEN
        z = np.where(seen, z, 0)
        shown = np.where(seen, z, -np.inf)
        # The key that most rows of a head look at is dropped once, so that a sink is no spread.
        best = shown.argmax(axis=-1)  # (heads, rows)
        sink = [np.bincount(one, minlength=z.shape[-1]).argmax() for one in best]
        rest = seen & (np.arange(z.shape[-1]) != np.reshape(sink, (-1, 1, 1)))
        weights, top = ah.softmax(shown), np.partition(shown, -2, axis=-1)[..., -2:]
        without = ah.softmax(np.where(rest, z, -np.inf))
        taken = weights.max(axis=-1) > 0.99
        found = {
            "spread": z.std(axis=-1, where=seen),
            "spread_without": z.std(axis=-1, where=rest),
            "effective": ah.effective_keys(weights),
            "keys": seen.sum(axis=-1).astype(float),
            "margin": top[..., 1] - top[..., 0],
            "over_99": taken.astype(float),
            "over_99_sink": (taken & (best == np.reshape(sink, (-1, 1)))).astype(float),
            "over_99_without": (without.max(axis=-1) > 0.99).astype(float),
        }
        for name, rows in found.items():
            self._rows.setdefault(name, []).append(rows)
        lengths = (np.linalg.norm(one, axis=-1, keepdims=True) for one in (q, k))
        q_unit, k_unit = (x / np.maximum(n, 1e-30) for x, n in zip((q, k), lengths, strict=True))
        cosines = np.where(seen, q_unit @ k_unit.swapaxes(-1, -2), 0)
        self._squares.append(np.array([(x**2).sum(axis=(1, 2)) for x in (q, k, cosines)]))
        pairs = seen.sum(axis=(1, 2))
        self._counts.append(np.array([0 * pairs + q[0].size, 0 * pairs + k[0].size, pairs]))

    def heads(self) -> list[dict[str, Any]]:
        """Return of each head the medians over rows, shares over 0.99, root mean squares."""
        found = {name: np.concatenate(rows, axis=1) for name, rows in self._rows.items()}
        told = {
            name: x.mean(axis=1) if name.startswith("over_99") else np.median(x, axis=1)
            for name, x in found.items()
        }
        squares = np.sqrt(np.sum(self._squares, axis=0) / np.sum(self._counts, axis=0))
        told |= dict(zip(("rms_q", "rms_k", "rms_cosine"), squares, strict=True))
        count = found["spread"].shape[1]
        return [
            {name: float(f"{x[head]:.5g}") for name, x in told.items()}
            | {"d": self._d, "rows": count}
            for head in range(len(squares[0]))
        ]


def all_heads(layers: Mapping[int, Layer]) -> list[dict[str, Any]]:
    """Return a dict a head, with its name, "layer.head", of a whole model."""
    return [
        {"head": f"{layer}.{i}"} | head
        for layer, one in sorted(layers.items())
        for i, head in enumerate(one.heads())
    ]
