"""Torch's tensors for NumPy's arrays, and layers that do nothing but attend."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from functools import cache
from typing import Any

import ml_dtypes
import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional as F

from . import on

torch.set_num_threads(1)
if torch.version.cuda is None:  # then some torchvision lacks operators that attention needs not
    for name in ("nms", "qnms"):
        with contextlib.suppress(RuntimeError):
            torch.library.define(f"torchvision::{name}", "(Tensor x) -> Tensor")


def give(x: NDArray[Any]) -> Any:
    """Return an array as a tensor, bfloat16 by its bits."""
    half = x.dtype == ml_dtypes.bfloat16
    return torch.tensor(x.view(np.int16)).view(torch.bfloat16) if half else torch.tensor(x)


def back(x: Any) -> Any:
    """Return a tensor as an array."""
    half = x.dtype == torch.bfloat16
    return x.view(torch.int16).numpy().view(ml_dtypes.bfloat16) if half else x.numpy()


on_tensors = on(give, back, torch.no_grad)


def gradient(function: Callable[..., Any]) -> Callable[..., Any]:
    """Do as `jax.grad` does."""

    def slope(x: NDArray[Any]) -> Any:
        given = torch.tensor(x, requires_grad=True)
        return torch.autograd.grad(function(given), given)[0].numpy()

    return slope


class Part(torch.nn.Module):
    """In place of a learned matrix: takes part `i` of what was put side by side."""

    def __init__(self, width: int, i: int = 0) -> None:
        super().__init__()
        self.begin, self.end = width * i, width * (i + 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return columns of x (..., parts · width)."""
        return x[..., self.begin : self.end]


def layer(
    make: Callable[[int], Any],
    call: Callable[..., Any],
    masked: bool = False,
    causal: bool = False,
) -> Any:
    """Return `call(layer, q, k, v, mask, is_causal)` as a function of arrays (batch, n, d).

    The last two are left out of what is not `masked`, or takes no flag for `causal`.

    `make(2 * d)` makes a layer of two heads. Square matrices become the identity, and the vectors
    stand in the first head, zeros in the second: so 1/√(model width) differs from 1/√d.
    """

    @cache
    def made(width: int, dtype: torch.dtype) -> Any:
        found = make(width).eval()
        with torch.no_grad():
            for name, x in found.named_parameters():
                if "bias" in name:
                    x.zero_()
                elif x.ndim == 2 and x.shape[0] % x.shape[1] == 0:  # a fused one is several
                    x.copy_(torch.eye(x.shape[1]).repeat(x.shape[0] // x.shape[1], 1))
        return found.to(dtype)

    def attention(
        query: Any, key: Any, value: Any, attn_mask: Any = None, is_causal: bool = False
    ) -> Any:
        if query.ndim != 3:
            raise ValueError("a layer takes (batch, n, d)")
        d = query.shape[-1]
        wide = [F.pad(x, (0, d)) for x in (query, key, value)]
        more = [attn_mask, is_causal][: masked + causal]
        return call(made(2 * d, query.dtype), *wide, *more)[..., :d]

    if causal:
        return on_tensors(attention)
    if masked:
        return on_tensors(
            lambda query, key, value, attn_mask=None: attention(query, key, value, attn_mask)
        )
    return on_tensors(lambda query, key, value: attention(query, key, value))


def pair(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return queries, and keys and values side by side (batch, n, 2 · width)."""
    return q, torch.cat([k, v], -1)


def one(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """Return all three side by side; zeros are added to have as many queries as keys."""
    more = k.shape[-2] - q.shape[-2]
    if more < 0:
        raise ValueError("it has as many queries as keys")
    return torch.cat([F.pad(q, (0, 0, 0, more)), k, v], -1)
