"""The trained model of `stories`, opened: what its heads make of 24 stories of our own.

A row is one query with the keys that it sees. The first `FEW` rows of a story, which see few keys,
are left out. Arrays are (LAYERS, HEADS, rows), or (LAYERS, HEADS) for what is said of a head.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_helpers.checks import FloatArray
from attn_helpers.saturation import row_statistics
from why_sqrt_d import stories

FEW = 20
Statistics = dict[str, NDArray[Any]]


@cache
def seen() -> tuple[tuple[FloatArray, FloatArray], ...]:
    """Return the queries and keys (LAYERS, HEADS, T, D) of each story, as attention sees them."""
    pairs = []
    for tokens in stories.ours():
        layers: list[stories.Seen] = []
        stories.forward(tokens, seen=layers)
        query, key, _ = (np.stack(part) for part in zip(*layers, strict=True))
        pairs.append((query, key))
    return tuple(pairs)


def rows(
    pairs: Sequence[Sequence[FloatArray]] = (), chosen: NDArray[Any] | None = None
) -> Statistics:
    """Return (LAYERS, HEADS, rows) of what is measured of each row, under these names.

    `pairs` are queries and keys (LAYERS, HEADS, T, D) of each story in place of the model's.

    `keys`, how many it sees; `spread`, the standard deviation of its logits; `margin`, by how much
    the best logit leads, and `best`, how many spreads it lies above the mean; `top` and
    `effective`, the largest weight and the effective number of keys; `chosen`, the place of the
    key of the largest weight, or the one given. From every key the mean key of its row is
    subtracted; then `winner` is the cosine of the query with the chosen key, and `length` the
    product of their lengths over √d.
    """
    pairs = pairs or seen()
    given = [None] * len(pairs) if chosen is None else by_story(chosen)
    found = [_rows(q, k, at) for (q, k), at in zip(pairs, given, strict=True)]
    return {name: np.concatenate([story[name] for story in found], axis=-1) for name in found[0]}


def _rows(query: FloatArray, key: FloatArray, chosen: NDArray[Any] | None) -> Statistics:
    query, count = query[..., FEW:, :], np.arange(FEW, key.shape[-2])[:, None] + 1
    logits = query @ key.swapaxes(-1, -2) / stories.D**0.5  # (LAYERS, HEADS, T - FEW, T)
    logits = np.where(np.arange(key.shape[-2]) < count, logits, -np.inf)
    at = logits.argmax(axis=-1) if chosen is None else chosen
    mean = key.cumsum(axis=-2)[..., FEW:, :] / count
    apart = np.take_along_axis(key, at[..., None], axis=-2) - mean
    length = np.linalg.norm(query, axis=-1) * np.linalg.norm(apart, axis=-1)
    return _of_logits(logits) | {
        "chosen": at,
        "winner": (query * apart).sum(axis=-1) / np.maximum(length, 1e-30),
        "length": length / stories.D**0.5,
    }


def _of_logits(logits: FloatArray) -> Statistics:
    """Return what logits (…, n) alone say of rows, -inf where a key is not seen."""
    row, visible = row_statistics(logits), logits > -np.inf
    above = logits.max(axis=-1) - logits.mean(axis=-1, where=visible)
    return {
        "keys": visible.sum(axis=-1),
        "spread": row.spread,
        "margin": row.margin,
        "best": above / np.maximum(row.spread, 1e-30),
        "top": row.largest,
        "effective": row.effective,
    }


def by_story(values: NDArray[Any]) -> list[NDArray[Any]]:
    """Return the parts (…, rows of one of our stories) of an array (…, rows)."""
    ends = np.cumsum([len(tokens) - FEW for tokens in stories.ours()])
    return np.split(values, ends[:-1], axis=-1)


def twins(model: Statistics, rng: np.random.Generator) -> Statistics:
    """Return what `rows` says of logits, of normal ones in the place of the `model`'s rows.

    Each row has as many logits, with the same spread.
    """
    shape, found = model["spread"].shape, []
    for head in np.ndindex(shape[:-1]):
        keys, spread = model["keys"][head], model["spread"][head]
        visible = np.arange(keys.max()) < keys[:, None]
        z = rng.standard_normal(visible.shape)
        z *= (spread / z.std(axis=-1, where=visible))[:, None]
        found.append(_of_logits(np.where(visible, z, -np.inf)))
    return {name: np.reshape([one[name] for one in found], shape) for name in found[0]}


def elsewhere(rng: np.random.Generator) -> list[tuple[FloatArray, FloatArray]]:
    """Return pairs as in `seen`, with queries of the same heads from anywhere in the stories.

    They are drawn as they were before the positions turned them, and turned to their new places.
    """
    asking = np.concatenate([stories.rotate(q, back=True) for q, _ in seen()], axis=2)
    return [(stories.rotate(rng.choice(asking, k.shape[2], axis=2)), k) for _, k in seen()]


def variances(pairs: Sequence[Sequence[FloatArray]] = ()) -> Statistics:
    """Return (LAYERS, HEADS) variances of q·k over the pairs in these rows, and predictions.

    `pairs` as in `rows`. `measured` is the variance itself. `vectors` would be it if q and k were
    independent of each other, tr(E[qqᵀ] E[kkᵀ]) − (E[q]·E[k])²; `terms` if the d products were
    uncorrelated too; `textbook`, Σ Var(qᵢ) Var(kᵢ), if the components had mean zero besides.
    `mean_key` is the share of the mean key in E|k|². `keys`, `queries`, `keys_before` and
    `queries_before` are mean |correlations| between two components, the last two before the
    rotation by positions.
    """
    pairs = pairs or seen()
    scores, mean, second = _moments(pairs)
    diagonal = np.arange(stories.D)
    squares = second[..., diagonal, diagonal]  # E[qᵢ²] and E[kᵢ²], the first axis being q and k
    variance = squares - mean**2
    meeting = mean.prod(axis=0).sum(axis=-1)  # E[q]·E[k]
    heads = {
        "measured": scores,
        "vectors": second.prod(axis=0).sum(axis=(-1, -2)) - meeting**2,
        "terms": (squares.prod(axis=0) - mean.prod(axis=0) ** 2).sum(axis=-1),
        "textbook": variance.prod(axis=0).sum(axis=-1),
        "mean_key": (mean[1] ** 2).sum(axis=-1) / squares[1].sum(axis=-1),
    }
    heads["queries"], heads["keys"] = _correlations(mean, second)
    unturned = [tuple(stories.rotate(x, back=True) for x in story) for story in pairs]
    heads["queries_before"], heads["keys_before"] = _correlations(*_moments(unturned)[1:])
    return heads


def _moments(pairs: Iterable[Sequence[FloatArray]]) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return Var(q·k), and the means and second moments of q and k in its pairs, q first."""
    count, scores, squares, mean, second = (np.zeros(()) for _ in range(5))
    for query, key in pairs:
        place = np.arange(query.shape[-2])
        visible = (place <= place[:, None]) & (place[:, None] >= FEW)
        both = np.stack([query, key])
        often = np.stack([visible.sum(axis=1), visible.sum(axis=0)])[:, None, None, :, None]
        score = np.where(visible, query @ key.swapaxes(-1, -2), 0)
        count = count + visible.sum()
        scores = scores + score.sum(axis=(-1, -2))
        squares = squares + (score**2).sum(axis=(-1, -2))
        mean = mean + (often * both).sum(axis=-2)
        second = second + (often * both).swapaxes(-1, -2) @ both
    return squares / count - (scores / count) ** 2, mean / count, second / count


def _correlations(mean: FloatArray, second: FloatArray) -> FloatArray:
    """Return the mean size of the correlations between two components."""
    covariance = second - mean[..., :, None] * mean[..., None, :]
    spread = np.sqrt(np.diagonal(covariance, axis1=-2, axis2=-1))
    correlations = covariance / (spread[..., :, None] * spread[..., None, :])
    return np.abs(correlations[..., ~np.eye(stories.D, dtype=bool)]).mean(axis=-1)
