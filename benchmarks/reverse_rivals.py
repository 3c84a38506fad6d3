"""One training step of the reverse task's encoder in JAX and in PyTorch, from our parameters.

Each function returns a step without arguments that trains a copy of the parameters on one batch
and gives back its loss: cross-entropy, gradient, clipping at norm 5, Adam at a fixed rate.
"""

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from why_sqrt_d.encoder.layers import positions
from why_sqrt_d.encoder.model import EncoderSettings

Step = Callable[[], float]
RATE, MAX_NORM = 5e-4, 5.0
Batch = tuple[np.ndarray, np.ndarray]


def jax_step(params: np.ndarray, batch: Batch, settings: EncoderSettings) -> Step:
    """Compile the whole step; its arrays are donated, so that they are updated in place."""
    d, place = settings.length, jnp.asarray(positions(settings.length, params.dtype).T)

    def norm(x: jax.Array, weight: jax.Array, bias: jax.Array) -> jax.Array:
        mean = x.mean(-1, keepdims=True)
        return (x - mean) * jax.lax.rsqrt(x.var(-1, keepdims=True) + 1e-5) * weight + bias

    def loss_of(p: dict[str, jax.Array], tokens: jax.Array, targets: jax.Array) -> jax.Array:
        def linear(name: str, x: jax.Array) -> jax.Array:
            return x @ p[f"{name}.weight"].T + p[f"{name}.bias"]

        x = p["input.weight"].T[tokens] + p["input.bias"] + place
        query, key, value = jnp.split(linear("qkv", x), 3, axis=-1)
        weights = jax.nn.softmax(settings.beta * query @ key.swapaxes(-1, -2))
        x = norm(x + linear("projection", weights @ value), p["norm1.weight"], p["norm1.bias"])
        wide = jax.nn.relu(linear("widen", x))
        x = norm(x + linear("narrow", wide), p["norm2.weight"], p["norm2.bias"])
        x = jax.nn.relu(norm(linear("hidden", x), p["norm3.weight"], p["norm3.bias"]))
        logs = jax.nn.log_softmax(linear("output", x))
        return -jnp.take_along_axis(logs, targets[..., None], axis=-1).mean()

    def step(state: Any, tokens: jax.Array, targets: jax.Array) -> Any:
        p, mean, square, count = state
        loss, grad = jax.value_and_grad(loss_of)(p, tokens, targets)
        length = jnp.sqrt(sum((g * g).sum() for g in grad.values()))
        grad = {k: g * jnp.minimum(1.0, MAX_NORM / length) for k, g in grad.items()}
        count = count + 1
        mean = {k: 0.9 * mean[k] + 0.1 * g for k, g in grad.items()}
        square = {k: 0.999 * square[k] + 0.001 * g * g for k, g in grad.items()}
        moved = {
            k: v
            - RATE / (1 - 0.9**count) * mean[k] / (jnp.sqrt(square[k] / (1 - 0.999**count)) + 1e-8)
            for k, v in p.items()
        }
        return (moved, mean, square, count), loss

    compiled = jax.jit(step, donate_argnums=0)
    start = {name: jnp.array(view) for name, view in settings.views(params).items()}
    zeros = [{k: jnp.zeros_like(v) for k, v in start.items()} for _ in range(2)]
    state = [(start, *zeros, jnp.float32(0))]
    tokens, targets = (jnp.asarray(part) for part in batch)
    assert d == tokens.shape[1]

    def run() -> float:
        state[0], loss = compiled(state[0], tokens, targets)
        return float(loss)

    return run


def torch_steps(params: np.ndarray, batch: Batch, settings: EncoderSettings) -> dict[str, Step]:
    """Return PyTorch's step, eager and compiled; nothing if PyTorch is not installed."""
    if find_spec("torch") is None:
        return {}
    import torch
    from torch.nn import functional

    torch.set_num_threads(1)
    tokens, targets = (torch.from_numpy(part) for part in batch)
    place = torch.from_numpy(positions(settings.length, params.dtype).T.copy())
    d = settings.length

    def made(compiled: bool) -> Step:
        p = {
            name: torch.nn.Parameter(torch.from_numpy(view.copy()))
            for name, view in settings.views(params).items()
        }
        with torch.no_grad():  # an embedding looks its rows up
            p["input.weight"] = torch.nn.Parameter(p["input.weight"].T.contiguous())
        optimiser = torch.optim.Adam(p.values(), lr=RATE, fused=True)

        def linear(name: str, x: Any) -> Any:
            return functional.linear(x, p[f"{name}.weight"], p[f"{name}.bias"])

        def norm(name: str, x: Any) -> Any:
            return functional.layer_norm(x, (d,), p[f"{name}.weight"], p[f"{name}.bias"])

        def loss_of(tokens: Any, targets: Any) -> Any:
            x = functional.embedding(tokens, p["input.weight"]) + p["input.bias"] + place
            query, key, value = linear("qkv", x).chunk(3, dim=-1)
            weights = torch.softmax(settings.beta * query @ key.transpose(-1, -2), dim=-1)
            x = norm("norm1", x + linear("projection", weights @ value))
            x = norm("norm2", x + linear("narrow", torch.relu(linear("widen", x))))
            x = torch.relu(norm("norm3", linear("hidden", x)))
            logits = linear("output", x)
            return functional.cross_entropy(
                logits.reshape(-1, logits.shape[-1]), targets.reshape(-1)
            )

        loss_now = torch.compile(loss_of) if compiled else loss_of

        def step() -> float:
            optimiser.zero_grad(set_to_none=True)
            loss = loss_now(tokens, targets)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(p.values(), MAX_NORM)
            optimiser.step()
            return float(loss.detach())

        return step

    return {"torch": made(compiled=False), "torch.compile": made(compiled=True)}
