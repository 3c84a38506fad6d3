"""A training step of the encoder against PyTorch's, JAX's, and its own matrix products alone."""

from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.interleaved import Timing, time_in_turns
from benchmarks.report import Target
from benchmarks.reverse_rivals import MAX_NORM, RATE, Batch, jax_step, torch_steps
from why_sqrt_d.encoder.model import _BLOCK, EncoderSettings, initialise, loss_and_gradient
from why_sqrt_d.encoder.optimiser import Adam, clip_by_norm
from why_sqrt_d.encoder.task import make_strings

SHORT, LONG = "n=20,", "n=200,"
TARGETS = (
    Target("torch", 1 / 2.0, SHORT),
    Target("jax", 1 / 1.7, SHORT),
    Target("products", 2.0, SHORT),
    Target("torch", 1 / 1.15, LONG),
    Target("products", 1.2, LONG),
)
SIZES = ((100, 20), (1000, 20), (100, 200))
STRINGS = 128


def cases() -> Iterator[tuple[str, dict[str, Timing]]]:
    """Yield the name and the timings of each case, in float32."""
    for vocabulary, length in SIZES:
        settings = EncoderSettings(vocabulary, length)
        rng = np.random.default_rng(0)
        start = initialise(settings, rng, np.float32)
        batch = make_strings(rng, STRINGS, vocabulary, length)
        contenders: dict[str, Callable[[], object]] = {
            "ours": our_step(start.copy(), batch, settings),
            "products": products(settings),
            "jax": jax_step(start.copy(), batch, settings),
            **torch_steps(start.copy(), batch, settings),
        }
        losses = {name: step() for name, step in contenders.items() if name != "products"}
        assert np.ptp(list(losses.values())) < 1e-4, f"they compute different things: {losses}"
        yield f"step {vocabulary} tokens n={length}, d={length}", time_in_turns(contenders)


def our_step(params: np.ndarray, batch: Batch, settings: EncoderSettings) -> Callable[[], float]:
    """Return a training step of ours on one batch."""
    optimiser = Adam(params)

    def step() -> float:
        loss, _, gradient = loss_and_gradient(params, *batch, settings)
        optimiser.step(clip_by_norm(gradient, MAX_NORM), RATE)
        return loss

    return step


def products(settings: EncoderSettings) -> Callable[[], object]:
    """Return the matrix products of a step alone, at the shapes and the layout that it uses."""
    rng, d = np.random.default_rng(1), settings.length
    layers = [
        shape
        for name, shape in settings.weight_shapes.items()
        if len(shape) == 2 and name != "input"
    ]
    size = max(1, _BLOCK // d)
    strings = [min(size, STRINGS - first) for first in range(0, STRINGS, size)]
    weights = [rng.random(shape, np.float32) for shape in layers]
    work = [_block(rng, weights, b, d) for b in strings]

    def step() -> None:
        for linear, attention in work:
            for left, right, out in linear:
                np.matmul(left, right, out=out)
            one, (weight, column) = attention
            for _ in range(3):  # scores, output; to the weights, values, queries, keys
                np.matmul(one.swapaxes(1, 2), one, out=weight)
                np.matmul(one, weight, out=column)

    return step


def _block(rng: np.random.Generator, weights: list[np.ndarray], b: int, d: int) -> tuple:
    """Return the factors and the places of the products over b strings."""
    linear = []
    for w in weights:
        x, g = (rng.random((features, b * d), np.float32) for features in w.shape[::-1])
        for left, right in ((w, x), (g, x.T), (w.T, g)):
            linear.append((left, right, np.empty((left.shape[0], right.shape[1]), np.float32)))
    one, column = (rng.random((d, b, d), np.float32).swapaxes(0, 1) for _ in range(2))
    weight = rng.random((d, b, d), np.float32).swapaxes(0, 1)
    return linear, (one, (weight, column))
