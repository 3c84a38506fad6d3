"""What the encoder is given, checked: strings of tokens, and a mask."""

import numpy as np
from numpy.typing import ArrayLike

from attn_helpers.encoder_layers import IntArray, Mask


def checked_strings(tokens: ArrayLike, vocabulary: int, length: int, name: str) -> IntArray:
    """Return `tokens` checked: integers of the vocabulary, (batch, n)."""
    array = np.asarray(tokens)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name}s must be integers, got dtype {array.dtype}")
    if array.ndim != 2 or array.shape[1] != length or not len(array):
        wanted = f"(batch, {length}) with batch >= 1"
        raise ValueError(f"{name}s must have shape {wanted}, got {array.shape}")
    for value in (int(array.min()), int(array.max())):
        if not 0 <= value < vocabulary:
            outside = f"is outside the vocabulary of {vocabulary}"
            raise ValueError(f"{name} {value} {outside} (0 to {vocabulary - 1})")
    return array.astype(np.intp, copy=False)


def checked_mask(attn_mask: ArrayLike | None, strings: tuple[int, ...]) -> Mask:
    """Return the mask as (keys, batch, queries), or None."""
    if attn_mask is None:
        return None
    mask, shape = np.asarray(attn_mask), (*strings, strings[1])
    if mask.dtype.kind not in "bf":
        raise TypeError(f"attn_mask must be boolean or float, got dtype {mask.dtype}")
    try:
        return np.broadcast_to(mask, shape).transpose(2, 0, 1)
    except ValueError:
        raise ValueError(
            f"attn_mask has shape {mask.shape}, which does not broadcast to {shape}"
        ) from None
