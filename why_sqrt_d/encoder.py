"""A small transformer that is trained in NumPy: its forward and backward pass, Adam, a training.

The model of Lippe's "Tutorial 6: Transformers and Multi-Head Attention" (UvA Deep Learning
Tutorials): a linear embedding with sines for positions, one block of post-norm attention with one
head and a feed-forward part of twice the width, and two linear layers for the answer. Its task is
the tutorial's too: read a string of random tokens, say it backwards. Every position must look at
exactly one other, n - 1 - i, which a single attention head can learn.

Activations are (tokens, features), a batch's strings one below the other; only the attention sees
the strings apart. All parameters lie in one flat vector, so that Adam is a few lines of vectors.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from attn_helpers import scaled_dot_product_attention, scaled_dot_product_attention_vjp
from attn_helpers.checks import FloatArray
from attn_helpers.weights import log_softmax

IntArray = NDArray[np.integer[Any]]
Views = dict[str, FloatArray]  # parameters or their gradients by name, "qkv.weight", "qkv.bias" …
Cache = dict[str, Any]  # what the backward pass needs: a layer's input under the layer's name

_EPSILON = 1e-5  # under the square root of LayerNorm, as PyTorch


# The model


@dataclass(frozen=True)
class EncoderSettings:
    """What fixes the model: how many different tokens, how long a string, which scale β.

    The model dimension d equals `length`; β is `scale`, by default d^-1/2.

    >>> settings = EncoderSettings(vocabulary=10, length=16)
    >>> settings.beta, settings.parameter_count
    (0.25, 2874)
    """

    vocabulary: int
    length: int
    scale: float | None = None

    @property
    def beta(self) -> float:
        """The scale β that multiplies the scores q·k."""
        return 1 / math.sqrt(self.length) if self.scale is None else float(self.scale)

    @property
    def weight_shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape (out, in) of each layer's weight, (d,) for a norm; a bias is (out,)."""
        d = self.length
        return {
            "input": (d, self.vocabulary),
            "qkv": (3 * d, d),
            "projection": (d, d),
            "norm1": (d,),
            "widen": (2 * d, d),
            "narrow": (d, 2 * d),
            "norm2": (d,),
            "hidden": (d, d),
            "norm3": (d,),
            "output": (self.vocabulary, d),
        }

    @property
    def parameter_count(self) -> int:
        """How many parameters there are; every layer has a weight and a bias."""
        return sum(math.prod(shape) + shape[0] for shape in self.weight_shapes.values())

    def views(self, params: FloatArray) -> Views:
        """Return the parts of a flat vector, ``"qkv.weight"`` (3d, d), ``"qkv.bias"`` (3d,) ..."""
        views, start = {}, 0
        for layer, shape in self.weight_shapes.items():
            for name, part in ((f"{layer}.weight", shape), (f"{layer}.bias", shape[:1])):
                stop = start + math.prod(part)
                views[name] = params[start:stop].reshape(part)
                start = stop
        return views


def initialise(
    settings: EncoderSettings, rng: np.random.Generator, dtype: DTypeLike = np.float64
) -> FloatArray:
    """Return parameters drawn as the tutorial draws them, shape (settings.parameter_count,).

    Attention: Xavier-uniform (Glorot & Bengio 2010, equation 16: ± sqrt(6 / (inputs + outputs))),
    qkv as one (3d, d) matrix, biases zero. Norms: one and zero. Other layers, weight and bias:
    uniform in ±1/sqrt(inputs), the default of ``torch.nn.Linear``.
    """
    params = np.zeros(settings.parameter_count)
    views = settings.views(params)
    for layer, shape in settings.weight_shapes.items():
        weight, bias = views[f"{layer}.weight"], views[f"{layer}.bias"]
        if layer.startswith("norm"):
            weight[...] = 1
        elif layer in ("qkv", "projection"):
            bound = math.sqrt(6 / sum(shape))
            weight[...] = rng.uniform(-bound, bound, shape)
        else:
            bound = 1 / math.sqrt(shape[1])
            weight[...] = rng.uniform(-bound, bound, shape)
            bias[...] = rng.uniform(-bound, bound, shape[0])
    return params.astype(dtype)


def positions(d: int) -> FloatArray:
    """Return sin and cos of position / 10000^(2i/d) by turns, (n = d, d): Vaswani, section 3.5."""
    position, i = np.ogrid[:d, :d]
    angle = position / 10000.0 ** ((i - i % 2) / d)
    return np.where(i % 2 == 0, np.sin(angle), np.cos(angle))


def forward(
    params: FloatArray, tokens: ArrayLike, settings: EncoderSettings
) -> tuple[FloatArray, Cache]:
    """Return the logits, (batch, n, vocabulary), and what the backward pass needs.

    Of the latter ``"weights"`` is (batch, queries, keys). `params` is flat, of float32 or float64,
    and sets the dtype of the work; `tokens` are integers, (batch, n).

    >>> settings = EncoderSettings(vocabulary=5, length=3)
    >>> params = initialise(settings, np.random.default_rng(0))
    >>> logits, cache = forward(params, [[0, 4, 1], [2, 2, 3]], settings)
    >>> logits.shape, cache["weights"].shape
    ((2, 3, 5), (2, 3, 3))
    """
    p, d, strings = settings.views(params), settings.length, np.asarray(tokens)  # n = d
    cache: Cache = {}
    table = p["input.bias"] + positions(d).astype(params.dtype)  # (n, d)
    # A one-hot picks its column of the weight.
    x = p["input.weight"].T[strings] + table  # (batch, n, d)
    x = x.reshape(-1, d)  # (T, d): T = batch · n tokens, string below string
    qkv = linear("qkv", x, p, cache).reshape(-1, d, 3, d)  # (T, 3d), (batch, n, 3, d)
    cache["attention"] = query, key, value = qkv.transpose(2, 0, 1, 3)  # (batch, n, d) each
    context, cache["weights"] = scaled_dot_product_attention(
        query, key, value, scale=settings.beta, return_weights=True
    )
    context = context.reshape(-1, d)  # (batch, n, d), (T, d)
    x = norm("norm1", x + linear("projection", context, p, cache), p, cache)  # (T, d)
    wide = np.maximum(linear("widen", x, p, cache), 0)  # (T, 2d)
    x = norm("norm2", x + linear("narrow", wide, p, cache), p, cache)  # (T, d)
    x = np.maximum(norm("norm3", linear("hidden", x, p, cache), p, cache), 0)  # (T, d)
    logits = linear("output", x, p, cache)  # (T, vocabulary)
    return logits.reshape(*strings.shape, -1), cache  # (batch, n, vocabulary)


def loss_and_gradient(
    params: FloatArray, tokens: ArrayLike, targets: ArrayLike, settings: EncoderSettings
) -> tuple[float, float, FloatArray]:
    """Return the mean cross-entropy, the accuracy, and the gradient of the loss to `params`.

    The accuracy is the share of positions where the largest logit is the target's. `params`,
    `tokens` and `settings` are as for `forward`; `targets`, (batch, n), are the right answers.
    With all parameters zero every token is equally likely.

    >>> settings = EncoderSettings(vocabulary=2, length=3)
    >>> zeros = np.zeros(settings.parameter_count)
    >>> loss, accuracy, gradient = loss_and_gradient(zeros, [[0, 1, 1]], [[1, 1, 0]], settings)
    >>> round(loss, 6), gradient.shape == zeros.shape
    (0.693147, True)
    """
    logits, cache = forward(params, tokens, settings)
    wanted = np.ravel(targets)
    logs = log_softmax(logits.reshape(wanted.size, -1))  # (batch, n, vocabulary), (T, vocabulary)
    right = np.arange(wanted.size), wanted
    loss = -logs[right].mean(dtype=np.float64)
    g = np.exp(logs)  # the gradient to the logits is (softmax - one-hot) / T
    g[right] -= 1
    g /= wanted.size
    gradient = backward(g, params, np.ravel(tokens), settings, cache)
    return float(loss), float((logs.argmax(axis=1) == wanted).mean()), gradient


def backward(
    g: FloatArray, params: FloatArray, tokens: IntArray, settings: EncoderSettings, cache: Cache
) -> FloatArray:
    """Return the gradient of a loss to `params` from `g`, (T, vocabulary), that to the logits."""
    gradient = np.zeros_like(params)
    p, out, d = settings.views(params), settings.views(gradient), settings.length
    g = linear_back("output", g, p, cache, out)  # (T, d)
    g = norm_back("norm3", g * (cache["output"] > 0), p, cache, out)  # (T, d)
    g = norm_back("norm2", linear_back("hidden", g, p, cache, out), p, cache, out)  # (T, d)
    wide = linear_back("narrow", g, p, cache, out) * (cache["narrow"] > 0)  # (T, 2d)
    g = norm_back("norm1", g + linear_back("widen", wide, p, cache, out), p, cache, out)  # (T, d)
    context = linear_back("projection", g, p, cache, out).reshape(-1, d, d)  # (batch, n, d)
    query, key, value = cache["attention"]  # (batch, n, d) each
    three = scaled_dot_product_attention_vjp(query, key, value, context, scale=settings.beta)
    qkv = np.stack(three, axis=2).reshape(-1, 3 * d)  # (batch, n, 3, d), (T, 3d)
    g = g + linear_back("qkv", qkv, p, cache, out)  # (T, d)
    out["input.bias"][...] = g.sum(axis=0)  # (d,)
    np.add.at(out["input.weight"].T, tokens, g)  # each row of g to its token's column
    return gradient


def linear(layer: str, x: FloatArray, p: Views, cache: Cache) -> FloatArray:
    """Return x Wᵀ + b, (T, out)."""
    cache[layer] = x
    return x @ p[f"{layer}.weight"].T + p[f"{layer}.bias"]


def linear_back(layer: str, g: FloatArray, p: Views, cache: Cache, out: Views) -> FloatArray:
    """Store the gradients gᵀ x of W and Σ g of b; return that to x, g W, (T, in)."""
    out[f"{layer}.weight"][...] = g.T @ cache[layer]
    out[f"{layer}.bias"][...] = g.sum(axis=0)
    return g @ p[f"{layer}.weight"]


def norm(layer: str, x: FloatArray, p: Views, cache: Cache) -> FloatArray:
    """Return w ∘ x̂ + b, x̂ = (x - mean) / sqrt(variance + ε): Ba, Kiros & Hinton (2016)."""
    x = x - x.mean(axis=1, keepdims=True)
    inverse = 1 / np.sqrt(np.square(x).mean(axis=1, keepdims=True) + _EPSILON)  # (T, 1)
    x *= inverse
    cache[layer] = x, inverse
    return x * p[f"{layer}.weight"] + p[f"{layer}.bias"]


def norm_back(layer: str, g: FloatArray, p: Views, cache: Cache, out: Views) -> FloatArray:
    """Store the gradients of w and b; return that to x, (T, d).

    With h = w ∘ g it is (h - mean(h) - x̂ mean(h ∘ x̂)) / sqrt(variance + ε).
    """
    x, inverse = cache[layer]
    out[f"{layer}.weight"][...] = (g * x).sum(axis=0)
    out[f"{layer}.bias"][...] = g.sum(axis=0)
    h = g * p[f"{layer}.weight"]
    inner = (h * x).mean(axis=1, keepdims=True)
    return (h - h.mean(axis=1, keepdims=True) - x * inner) * inverse


# The optimiser


class Adam:
    """Adam with bias correction; `step` changes the parameters in place.

    Kingma & Ba (2015), "Adam: A Method for Stochastic Optimization", algorithm 1, with its
    recommended settings. `params` is kept, not copied.
    """

    def __init__(self, params: FloatArray) -> None:
        self.params, self.steps = params, 0
        self._mean = np.zeros_like(params)
        self._square = np.zeros_like(params)

    def step(
        self, gradient: FloatArray, learning_rate: float, factors: FloatArray | float = 1.0
    ) -> None:
        """Move `params` one step against `gradient`; `factors` multiply the rate of each."""
        self.steps += 1
        first, second = 0.9, 0.999  # how slowly the two means forget
        self._mean = first * self._mean + (1 - first) * gradient
        self._square = second * self._square + (1 - second) * gradient * gradient
        # Both means began at zero; 1 - beta^t is the share of real gradients in them.
        mean = self._mean / (1 - first**self.steps)
        root = np.sqrt(self._square) / math.sqrt(1 - second**self.steps)
        self.params -= learning_rate * factors * mean / (root + 1e-8)


def clip_by_norm(gradient: FloatArray, max_norm: float) -> FloatArray:
    """Return the gradient, shortened to `max_norm` if it is longer; else `gradient` itself.

    Pascanu, Mikolov & Bengio (2013), "On the difficulty of training recurrent neural networks",
    algorithm 1. The Euclidean norm over all entries is computed in float64 and must be finite.
    """
    length = float(np.linalg.norm(np.ravel(gradient).astype(np.float64)))
    if not math.isfinite(length):
        raise ValueError(f"gradient has norm {length}; a step along it means nothing")
    return gradient if length <= max_norm else gradient * (max_norm / length)


def warmup_cosine(step: int, warmup: int, total: int) -> float:
    """Return min(step/warmup, 1) · (1 + cos(π step/total)) / 2, a share of the learning rate.

    ``CosineWarmupScheduler`` of Lippe's UvA Deep Learning Tutorial 6; the cosine is that of
    Loshchilov & Hutter (2017), "SGDR", equation 6. With a rise, step 0 gives zero; step `total`
    always does.
    """
    share = step / warmup if step < warmup else 1.0
    return share * (1 + math.cos(math.pi * step / total)) / 2


# The training


@dataclass(frozen=True)
class TrainingSettings:
    """What fixes a run but its seed; tokens are 0..vocabulary - 1, d equals `length`.

    The defaults are the tutorial's: Adam, 50 steps of warm-up under a cosine that ends at zero, 10
    epochs of batches of 128 from a fixed set, shuffled anew each epoch, gradients cut to norm 5.
    """

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
    vector, is changed in place, and `model` may be exchanged for one with another scale; `losses`
    and `accuracies` have one number a step, measured on its batch before the step.

    >>> settings = TrainingSettings(vocabulary=5, length=4, samples=256, epochs=2)
    >>> run = Training(settings, seed=0).finish()
    >>> len(run.losses), run.losses[-1] < run.losses[0]
    (4, True)
    """

    def __init__(self, settings: TrainingSettings, seed: int) -> None:
        data, start, self._order, self._unseen = np.random.default_rng(seed).spawn(4)
        self.settings, self.model = settings, settings.encoder
        self.strings = make_strings(data, settings.samples, settings.vocabulary, settings.length)
        self.params = initialise(self.model, start, np.float32)
        self.losses: list[float] = []
        self.accuracies: list[float] = []
        self._optimiser = Adam(self.params)
        self._factors = np.ones_like(self.params)  # on the learning rate
        for name, values, factor in (
            ("qkv.weight", self.params, settings.query_key_gain),
            ("qkv.weight", self._factors, settings.query_key_rate),
            ("qkv.bias", self._factors, settings.query_key_rate),
        ):
            self.model.views(values)[name][: 2 * settings.length] *= factor  # q and k, but not v

    def step(self) -> None:
        """Take one step on the next batch; after the last one there is none."""
        done, settings = len(self.losses), self.settings
        if done == settings.steps:
            raise RuntimeError(f"the run is over after its {done} steps")
        batches = settings.samples // settings.batch_size  # in an epoch
        if done % batches == 0:
            order = self._order.permutation(settings.samples)
            self._batches = order[: batches * settings.batch_size].reshape(batches, -1)
        tokens, targets = (part[self._batches[done % batches]] for part in self.strings)
        loss, accuracy, gradient = loss_and_gradient(self.params, tokens, targets, self.model)
        rate = settings.learning_rate * warmup_cosine(done, settings.warmup, settings.steps)
        self._optimiser.step(clip_by_norm(gradient, settings.max_norm), rate, self._factors)
        self.losses.append(loss)
        self.accuracies.append(accuracy)

    def finish(self) -> "Training":
        """Take all the steps that are left; return the run."""
        while len(self.losses) < self.settings.steps:
            self.step()
        return self

    def unseen(self, samples: int) -> tuple[IntArray, IntArray]:
        """Return new strings and their answers, from a stream that training does not touch."""
        return make_strings(self._unseen, samples, self.model.vocabulary, self.model.length)

    def test(self, samples: int) -> float:
        """Return the accuracy on so many unseen strings."""
        return measure_accuracy(self.params, *self.unseen(samples), self.model)


def make_strings(
    rng: np.random.Generator, samples: int, vocabulary: int, length: int
) -> tuple[IntArray, IntArray]:
    """Return random strings, uniform on 0..vocabulary - 1, and the same reversed: the task."""
    tokens = rng.integers(vocabulary, size=(samples, length))
    return tokens, tokens[:, ::-1].copy()


def measure_accuracy(
    params: FloatArray, tokens: IntArray, targets: IntArray, settings: EncoderSettings
) -> float:
    """Return the share of positions at which the model names the right token.

    `tokens` and `targets`, (samples, n), are worked through in pieces, so that memory stays small.
    """
    right, size = 0, max(1, 40_000 // settings.length)
    for first in range(0, len(tokens), size):
        logits, _ = forward(params, tokens[first : first + size], settings)
        right += int((logits.argmax(axis=-1) == targets[first : first + size]).sum())
    return right / targets.size
