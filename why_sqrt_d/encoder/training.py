"""Train the encoder on the reverse task: every choice a named setting, every draw from one seed.

The defaults are those of Lippe's "Tutorial 6: Transformers and Multi-Head Attention" (UvA Deep
Learning Tutorials): Adam, 50 steps of warm-up under a cosine that ends at zero, 10 epochs of
batches of 128 from a fixed set that is shuffled anew each epoch, gradients cut to norm 5.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from attn_helpers.checks import FloatArray, finite, positive, positive_int
from why_sqrt_d.encoder.layers import IntArray
from why_sqrt_d.encoder.model import EncoderSettings, forward, initialise, loss_and_gradient
from why_sqrt_d.encoder.optimiser import Adam, clip_by_norm, warmup_cosine
from why_sqrt_d.encoder.task import batches, make_strings

_DTYPES = {"float32": np.float32, "float64": np.float64}
_CHUNK = 40_000  # tokens that a test pushes through the model at a time


@dataclass(frozen=True)
class TrainingSettings:
    """What fixes a run but its seed; tokens are 0..vocabulary - 1, d equals `length`."""

    vocabulary: int
    length: int
    samples: int  #: strings in the training set, at least `batch_size`
    scale: float | None = None  #: β at the start; None is d^-1/2
    epochs: int = 10
    batch_size: int = 128
    learning_rate: float = 5e-4  #: Adam's, at the top of the schedule
    warmup: int = 50  #: steps in which the learning rate rises
    max_norm: float = 5.0  #: the length at which gradients are cut
    query_key_gain: float = 1.0  #: factor on the initial W_q and W_k
    query_key_rate: float = 1.0  #: factor on the learning rate of W_q and W_k and their biases
    dtype: str = "float32"  #: or "float64"

    def __post_init__(self) -> None:
        for name in ("samples", "epochs", "batch_size"):
            positive_int(getattr(self, name), name)
        for name in ("learning_rate", "max_norm", "query_key_gain"):
            positive(getattr(self, name), name)
        finite(self.query_key_rate, "query_key_rate", low=0)
        if self.samples < self.batch_size:
            raise ValueError(
                f"samples = {self.samples} do not fill one batch of {self.batch_size}"
            )
        if self.dtype not in _DTYPES:
            raise ValueError(f"dtype must be 'float32' or 'float64', got {self.dtype!r}")
        _ = self.encoder

    @property
    def encoder(self) -> EncoderSettings:
        """The model with its scale at the start."""
        return EncoderSettings(self.vocabulary, self.length, self.scale)

    @property
    def steps(self) -> int:
        """How many steps the run takes; the last partial batch of an epoch is dropped."""
        return self.epochs * (self.samples // self.batch_size)


class Training:
    """One run: its data, its parameters, and the step that changes them.

    Runs of one seed share data, initial parameters and the order of batches. `params`, the flat
    vector, is changed in place; `losses` and `accuracies` have one number a step, measured on its
    batch before the step.

    >>> settings = TrainingSettings(vocabulary=5, length=4, samples=256, epochs=2)
    >>> run = Training(settings, seed=0)
    >>> run.finish()
    >>> len(run.losses), run.losses[-1] < run.losses[0]
    (4, True)
    """

    def __init__(self, settings: TrainingSettings, seed: int) -> None:
        data, start, order, unseen = np.random.default_rng(seed).spawn(4)
        self.settings, self.model = settings, settings.encoder
        self.strings = make_strings(data, settings.samples, settings.vocabulary, settings.length)
        self.params = initialise(self.model, start, _DTYPES[settings.dtype])
        self.losses: list[float] = []
        self.accuracies: list[float] = []
        self._order, self._unseen = order, unseen
        self._optimiser = Adam(self.params)
        self._rates = self._learning_rates()
        self._batches: Iterator[tuple[IntArray, IntArray]] = iter(())
        query_and_key = self.model.views(self.params)["qkv.weight"][: 2 * settings.length]
        query_and_key *= settings.query_key_gain

    def step(self) -> None:
        """Take one step on the next batch; raise RuntimeError when the run is over."""
        done, settings = len(self.losses), self.settings
        if done == settings.steps:
            raise RuntimeError(f"the run is over after its {done} steps")
        if done % (settings.samples // settings.batch_size) == 0:
            self._batches = batches(self._order, *self.strings, settings.batch_size)
        loss, accuracy, gradient = loss_and_gradient(self.params, *next(self._batches), self.model)
        self._optimiser.step(
            clip_by_norm(gradient, settings.max_norm),
            settings.learning_rate * warmup_cosine(done, settings.warmup, settings.steps),
            self._rates,
        )
        self.losses.append(loss)
        self.accuracies.append(accuracy)

    def finish(self) -> None:
        """Take all the steps that are left."""
        while len(self.losses) < self.settings.steps:
            self.step()

    def set_scale(self, scale: float | None) -> None:
        """Go on with another β; None is d^-1/2."""
        self.model = replace(self.model, scale=scale)

    def unseen(self, samples: int) -> tuple[IntArray, IntArray]:
        """Return new strings and their answers, from a stream that training does not touch."""
        return make_strings(self._unseen, samples, self.model.vocabulary, self.model.length)

    def _learning_rates(self) -> FloatArray | None:
        """Return each parameter's factor on the learning rate; None when all are one."""
        if self.settings.query_key_rate == 1:
            return None
        rates = np.ones_like(self.params)
        views, d = self.model.views(rates), self.settings.length
        for part in ("weight", "bias"):
            views[f"qkv.{part}"][: 2 * d] = self.settings.query_key_rate
        return rates


def measure_accuracy(
    params: FloatArray, tokens: ArrayLike, targets: ArrayLike, settings: EncoderSettings
) -> float:
    """Return the share of positions at which the model names the right token.

    `tokens` and `targets`, (samples, n), are worked through in pieces, so that memory stays small.
    """
    x, y = np.asarray(tokens), np.asarray(targets)
    if x.shape != y.shape:
        raise ValueError(f"targets have shape {y.shape} but tokens have {x.shape}")
    right, size = 0, max(1, _CHUNK // settings.length)
    for first in range(0, len(x), size):
        logits, _ = forward(params, x[first : first + size], settings)
        right += int((logits.argmax(axis=-1) == y[first : first + size]).sum())
    return right / x.size
