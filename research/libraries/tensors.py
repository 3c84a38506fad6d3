"""Torch's tensors for NumPy's arrays, and layers that compute attention itself."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from typing import Any

import ml_dtypes
import numpy as np
import torch

torch.set_num_threads(1)


def tensor(x: Any) -> Any:
    """Return an array as a tensor, bfloat16 by its bits; all else as it is."""
    if not isinstance(x, np.ndarray):
        return x
    if x.dtype == ml_dtypes.bfloat16:
        return torch.tensor(x.view(np.int16)).view(torch.bfloat16)
    return torch.tensor(x)


def on_tensors(attention: Callable[..., Any]) -> Callable[..., Any]:
    """Let a function of tensors take and give arrays; given a tensor, it gives one."""

    @wraps(attention)
    def wrapped(query: Any, *others: Any, **named: Any) -> Any:
        traced = isinstance(query, torch.Tensor)
        with torch.set_grad_enabled(traced):
            named = {name: tensor(x) for name, x in named.items()}
            found = attention(*map(tensor, (query, *others)), **named)
        if traced:
            return found
        if found.dtype == torch.bfloat16:
            return found.view(torch.int16).numpy().view(ml_dtypes.bfloat16)
        return found.numpy()

    return wrapped


def gradient(function: Callable[..., Any]) -> Callable[..., Any]:
    """Do as `jax.grad` does."""

    def derived(x: np.ndarray) -> np.ndarray:
        given = torch.tensor(x, requires_grad=True)
        function(given).backward()
        assert given.grad is not None
        return given.grad.numpy()

    return derived


def plain(make: Callable[[int], Any]) -> Callable[..., Any]:
    """Return `layer(query)`: one of the query's width and dtype, its matrices the identity.

    A query that has heads is refused: a layer splits a token's vector itself.
    """

    @cache
    def made(width: int, dtype: torch.dtype) -> Any:
        layer = make(width).eval()
        with torch.no_grad():
            for name, x in layer.named_parameters():
                if x.ndim == 2:  # (k·width, width): fused matrices are k of them
                    x.copy_(torch.eye(x.shape[1]).repeat(-(-x.shape[0] // x.shape[1]), 1)[: len(x)])
                elif name.endswith("bias"):
                    x.zero_()
        return layer.to(dtype)

    def layer(query: torch.Tensor) -> Any:
        if query.ndim != 3:
            raise ValueError("a layer takes (batch, n, d)")
        return made(query.shape[-1], query.dtype)

    return layer
