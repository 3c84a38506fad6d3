"""A training step of the encoder against PyTorch's, and its own matrix products alone.

A step: cross-entropy and its gradient on one batch, clipping at norm 5, Adam at a fixed rate.
"""

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np

from benchmarks.timing import Target, compare
from why_sqrt_d.encoder.layers import positions
from why_sqrt_d.encoder.model import BLOCK, EncoderSettings, initialise, loss_and_gradient
from why_sqrt_d.encoder.optimiser import Adam, clip_by_norm
from why_sqrt_d.encoder.task import make_strings

TARGETS = (
    Target("torch", 1 / 2.0, "n=20,"),
    Target("products", 2.0, "n=20,"),
    Target("torch", 1 / 1.15, "n=200,"),
    Target("products", 1.2, "n=200,"),
)
SIZES = ((100, 20), (1000, 20), (100, 200))
STRINGS, RATE, MAX_NORM = 128, 5e-4, 5.0
Step = Callable[[], float]
Batch = tuple[np.ndarray, np.ndarray]


def run() -> list[str]:
    missed = []
    for vocabulary, length in SIZES:
        settings, rng = EncoderSettings(vocabulary, length), np.random.default_rng(0)
        start = initialise(settings, rng, np.float32)
        batch = make_strings(rng, STRINGS, vocabulary, length)
        contenders: dict[str, Callable[[], object]] = {
            "ours": our_step(start.copy(), batch, settings),
            "products": products(settings),
        }
        if find_spec("torch"):
            contenders["torch"] = torch_step(start.copy(), batch, settings)
        losses = {name: step() for name, step in contenders.items() if name != "products"}
        assert np.ptp(list(losses.values())) < 1e-4, f"they compute different things: {losses}"
        missed += compare(f"step {vocabulary} tokens n={length}, d={length}", contenders, TARGETS)
    return missed


def our_step(params: np.ndarray, batch: Batch, settings: EncoderSettings) -> Step:
    optimiser = Adam(params)

    def step() -> float:
        loss, _, gradient = loss_and_gradient(params, *batch, settings)
        optimiser.step(clip_by_norm(gradient, MAX_NORM), RATE)
        return loss

    return step


def torch_step(params: np.ndarray, batch: Batch, settings: EncoderSettings) -> Step:
    import torch
    from torch.nn import functional

    torch.set_num_threads(1)
    tokens, targets = (torch.from_numpy(part) for part in batch)
    place = torch.from_numpy(positions(settings.length, params.dtype).T.copy())
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
        return functional.layer_norm(x, x.shape[-1:], p[f"{name}.weight"], p[f"{name}.bias"])

    def step() -> float:
        optimiser.zero_grad(set_to_none=True)
        x = functional.embedding(tokens, p["input.weight"]) + p["input.bias"] + place
        query, key, value = linear("qkv", x).chunk(3, dim=-1)
        weights = torch.softmax(settings.beta * query @ key.transpose(-1, -2), dim=-1)
        x = norm("norm1", x + linear("projection", weights @ value))
        x = norm("norm2", x + linear("narrow", torch.relu(linear("widen", x))))
        logits = linear("output", torch.relu(norm("norm3", linear("hidden", x))))
        loss = functional.cross_entropy(logits.reshape(-1, logits.shape[-1]), targets.reshape(-1))
        loss.backward()
        torch.nn.utils.clip_grad_norm_(p.values(), MAX_NORM)
        optimiser.step()
        return float(loss.detach())

    return step


def products(settings: EncoderSettings) -> Callable[[], object]:
    """Return the matrix products of a step alone, at the shapes and the layout that it uses."""
    rng, d = np.random.default_rng(1), settings.length
    shapes = [s for name, s in settings.weight_shapes.items() if len(s) == 2 and name != "input"]
    weights = [rng.random(shape, np.float32) for shape in shapes]
    size = max(1, BLOCK // d)
    work = []
    for first in range(0, STRINGS, size):
        b, linear = min(size, STRINGS - first), []
        for w in weights:
            x, g = (rng.random((features, b * d), np.float32) for features in w.shape[::-1])
            for left, right in ((w, x), (g, x.T), (w.T, g)):
                linear.append((left, right, np.empty((len(left), right.shape[1]), np.float32)))
        work.append((linear, *rng.random((3, d, b, d), np.float32).swapaxes(1, 2)))

    def step() -> None:
        for linear, one, column, weight in work:
            for left, right, out in linear:
                np.matmul(left, right, out=out)
            for _ in range(3):  # scores, output; to the weights, values, queries, keys
                np.matmul(one.swapaxes(1, 2), one, out=weight)
                np.matmul(one, weight, out=column)

    return step
