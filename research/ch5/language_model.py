"""A causal language model on characters, and its training, in JAX: one file, read from the top.

The model is a small GPT: token and position embeddings, blocks of causal attention and a
feed-forward layer, each behind an RMS norm without gains (Zhang and Sennrich, 2019), and a linear
map to the next character. What the course asks of it is how attention's scale acts: an `Arm` says
which scale multiplies the scores, how W_q and W_k start, and how fast they learn. What it reads is
plain text, or text with a passage of random letters that stands twice (`copied`), which no model
without attention can predict.

Arrays are float32; B strings of T characters, width W, heads of width d. A run is fixed by its
settings and its seed, and runs that share a seed read the same strings in the same order.
"""

from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path
from string import ascii_lowercase
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from research.ch5.settings import TrainingSettings
from research.experiments.definition import early
from why_sqrt_d import DATA
from why_sqrt_d.digits import rounded, short

TEXT = DATA / "shakespeare.txt"
CONTEXT = 64  # characters that a string has
STEPS_AT_ONCE = 10  # that one compiled call makes
LATER_STEPS = 500  # after the training, where it goes on
MAX_NORM = 1.0  # the length at which the gradient of all parameters together is cut
MOMENTS = {"adam": (0.9, 0.99), "momentum": (0.9, 0.0)}
LOGGED = (0, 10, 30, 100, 300, 500, 750, 1000, 1500, 2000, 3000, 4000, 6000, 8000, 12000, 16000)
PASSAGE = 20  # letters that stand twice in a string of the task "copy"
EARLIER = 32  # a logged row has at least so many keys

Parameters = dict[str, Array]


# The text ------------------------------------------------------------------------------------


class Text(NamedTuple):
    """The characters as numbers from 0 on, in three parts: 90, 5 and 5 of a hundred."""

    letters: str
    train: np.ndarray
    validation: np.ndarray
    test: np.ndarray


@cache
def read_text(path: Path = TEXT) -> Text:
    """Read the text and number its characters in the order of their code points."""
    text = path.read_text(encoding="utf-8")
    letters = "".join(sorted(set(text)))
    number = {letter: i for i, letter in enumerate(letters)}
    codes = np.array([number[letter] for letter in text], dtype=np.int32)
    first, second = int(0.9 * len(codes)), int(0.95 * len(codes))
    return Text(letters, codes[:first], codes[first:second], codes[second:])


def strings_of(part: np.ndarray) -> np.ndarray:
    """Cut a part into strings (count, CONTEXT + 1) that follow one another."""
    count = (len(part) - 1) // CONTEXT
    return np.stack([part[i * CONTEXT : (i + 1) * CONTEXT + 1] for i in range(count)])


def drawn_strings(
    part: np.ndarray, rng: np.random.Generator, count: int, strings: int
) -> np.ndarray:
    """Draw batches (count, strings, CONTEXT + 1) of strings that begin anywhere."""
    begins = rng.integers(0, len(part) - CONTEXT, (count, strings, 1))
    return part[begins + np.arange(CONTEXT + 1)]


def copied(strings: np.ndarray, letters: str, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Put a passage of PASSAGE random lower-case letters into each string, at two places.

    Returns the new strings (..., CONTEXT + 1) and, in the same shape, which characters belong to
    the second copy from its third letter on: what one who has read the first copy can know.
    """
    small = np.array([i for i, letter in enumerate(letters) if letter in ascii_lowercase])
    passages = small[rng.integers(0, len(small), (*strings.shape[:-1], PASSAGE))]
    free = strings.shape[-1] - 2 * PASSAGE  # characters of the text that stay
    first, second = np.moveaxis(
        np.sort(rng.integers(0, free + 1, (*strings.shape[:-1], 2))), -1, 0
    )
    second = second + PASSAGE
    new, known = strings.copy(), np.zeros(strings.shape, bool)
    for begin in (first, second):
        places = begin[..., None] + np.arange(PASSAGE)
        np.put_along_axis(new, places, passages.astype(new.dtype), axis=-1)
    np.put_along_axis(known, second[..., None] + np.arange(2, PASSAGE), True, axis=-1)
    return new, known


def read_for(task: str, strings: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return the strings as the task has them: as they are, or with a copied passage."""
    return strings if task == "text" else copied(strings, read_text().letters, rng)[0]


# The model -----------------------------------------------------------------------------------


def initialise(training: TrainingSettings, letters: int, rng: np.random.Generator) -> Parameters:
    """Draw all matrices; what a block adds to the stream is divided by √(2 layers): GPT-2's."""
    arm, d, layers, width = training.resolved_arm, training.d, training.layers, training.width
    shapes = {"tokens": (letters, width), "positions": (CONTEXT, width), "head": (width, letters)}
    for i in range(layers):
        shapes |= {f"W_{name}{i}": (width, width) for name in "qkvo"}
        shapes |= {f"up{i}": (width, 4 * width), f"down{i}": (4 * width, width)}
    # A row of the two tables is a vector of the stream: there the width stands in place of inputs.
    inputs = {
        name: width if name in ("tokens", "positions") else n for name, (n, _) in shapes.items()
    }
    factors = {"W_q": d**arm.start_q, "W_k": d**arm.start_k}
    factors |= dict.fromkeys(("W_o", "down"), (2 * layers) ** -0.5)
    parameters = {}
    for name, shape in shapes.items():
        std = inputs[name] ** -0.5 if training.start == "textbook" else 0.02
        matrix = std * factors.get(name.rstrip("0123456789"), 1.0) * rng.standard_normal(shape)
        if arm.cancelled and name[:3] in ("W_q", "W_k"):
            matrix = cancelling(matrix, d, key=name[:3] == "W_k")
        parameters[name] = jnp.asarray(matrix, jnp.float32)
    if arm.norm:
        parameters |= {
            f"gain_{name}{i}": jnp.ones(d, jnp.float32) for name in "qk" for i in range(layers)
        }
    return parameters


def cancelling(matrix: np.ndarray, d: int, key: bool) -> np.ndarray:
    """Return W_q or W_k (W, heads · d) so that of each head's logit only 1/√d is left at first.

    A head's query is (a, a) and its key (b + εc, εc - b) with ε = 1/√(2d), a logit 2ε a·c: as
    large as that of full matrices divided by √d, from matrices that are as large as they.
    """
    first, second = matrix.reshape(len(matrix), -1, 2, d // 2).swapaxes(0, 2)  # (heads, W, d/2)
    small = second / np.sqrt(2 * d)
    halves = (small + first, small - first) if key else (first, first)
    return np.stack(halves).swapaxes(0, 2).reshape(matrix.shape)


def sizes(parameters: Parameters) -> tuple[int, int]:
    """Return the number of layers and the width of the stream."""
    return sum(name.startswith("W_q") for name in parameters), parameters["tokens"].shape[1]


def rms_norm(x: Array) -> Array:
    """Give the last axis the root mean square one."""
    return x * jax.lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-6)


def logits_of(parameters: Parameters, layer: int, x: Array, scale: Array, d: int) -> Array:
    """Return the masked logits (B, heads, T, T) of one layer for the normed stream x (B, T, W)."""

    def heads(name: str) -> Array:
        y = x @ parameters[f"W_{name}{layer}"]  # (B, T, W)
        y = y.reshape(*y.shape[:2], -1, d).swapaxes(1, 2)  # (B, T, heads, d), (B, heads, T, d)
        gain = parameters.get(f"gain_{name}{layer}")
        return y if gain is None else rms_norm(y) * gain

    logits = scale * heads("q") @ heads("k").swapaxes(-1, -2)  # (B, heads, T, T)
    seen = jnp.tril(jnp.ones(logits.shape[-2:], bool))
    return jnp.where(seen, logits, -jnp.inf)


def forward(
    parameters: Parameters, codes: Array, scale: Array, d: int
) -> tuple[Array, list[Array]]:
    """Return log-probabilities (B, T, letters) of the next character, and each layer's logits.

    `scale` is one number, or one for each head: (layers, heads, 1, 1).
    """
    (strings, length), (layers, width) = codes.shape, sizes(parameters)
    scales = jnp.broadcast_to(scale, (layers, width // d, 1, 1))
    stream = parameters["tokens"][codes] + parameters["positions"][:length]  # (B, T, W)
    all_logits = []
    for i in range(layers):
        x = rms_norm(stream)
        logits = logits_of(parameters, i, x, scales[i], d)  # (B, heads, T, T)
        value = x @ parameters[f"W_v{i}"]  # (B, T, W)
        value = value.reshape(strings, length, width // d, d)  # (B, T, heads, d)
        brought = jax.nn.softmax(logits) @ value.swapaxes(1, 2)  # (B, heads, T, d)
        brought = brought.swapaxes(1, 2).reshape(stream.shape)  # (B, T, heads, d), (B, T, W)
        stream = stream + brought @ parameters[f"W_o{i}"]  # (B, T, W)
        wide = jax.nn.gelu(rms_norm(stream) @ parameters[f"up{i}"])  # (B, T, 4 W)
        stream = stream + wide @ parameters[f"down{i}"]  # (B, T, W)
        all_logits.append(logits)
    return jax.nn.log_softmax(rms_norm(stream) @ parameters["head"]), all_logits


def loss_of(parameters: Parameters, strings: Array, scale: Array, d: int) -> Array:
    """Return the mean loss in nats a character of strings (B, T + 1)."""
    logs, _ = forward(parameters, strings[:, :-1], scale, d)
    return -jnp.take_along_axis(logs, strings[:, 1:, None], axis=-1).mean()


def copy_of(
    parameters: Parameters, strings: Array, known: Array, scale: Array, d: int
) -> tuple[Array, Array]:
    """Return the loss in nats and the share of right guesses where `known` (B, T + 1) is true."""
    logs, _ = forward(parameters, strings[:, :-1], scale, d)
    targets, chosen = strings[:, 1:], known[:, 1:]
    losses = -jnp.take_along_axis(logs, targets[..., None], axis=-1)[..., 0]
    right = logs.argmax(-1) == targets
    count = chosen.sum()
    return (losses * chosen).sum() / count, (right * chosen).sum() / count


# Training ------------------------------------------------------------------------------------


class State(NamedTuple):
    """All that a step changes: the parameters, and the two running means of Adam."""

    parameters: Parameters
    mean: Parameters
    square: Parameters
    step: Array


class Rates(NamedTuple):
    """The settings of a run that the compiled step takes as numbers."""

    scale: Array | float
    rate: Array | float
    query_key: Array | float  #: factor on the rate of W_q and W_k
    steps: Array | int
    constant: Array | float  #: 1 for a rate that stays, 0 for warm-up and cosine
    warmup: Array | int  #: steps in which the rate rises
    release: Array | int  #: steps in which W_q and W_k stand still
    decay: Array | float  #: of all matrices, times the rate (AdamW)


def rates_of(training: TrainingSettings) -> Rates:
    """Return the numbers that a training's steps take."""
    arm, d = training.resolved_arm, training.d
    return Rates(
        arm.beta(d), training.rate, d**arm.speed, training.steps, 0.0, training.warmup,
        arm.release, training.decay,
    )  # fmt: skip


def schedule(step: Array, rates: Rates) -> Array:
    """Return the rate of a step, counted from 0: warm-up times a cosine from one to a tenth."""
    cosine = 0.55 + 0.45 * jnp.cos(jnp.pi * step / rates.steps)
    planned = jnp.minimum(1.0, (step + 1) / rates.warmup) * cosine
    return rates.rate * jnp.where(rates.constant == 1, 1.0, planned)


@partial(jax.jit, static_argnames=("d", "optimiser"))
def several_steps(
    state: State, batches: Array, rates: Rates, d: int, optimiser: str
) -> tuple[State, Array]:
    """Make a step on each batch (count, B, T + 1); return the losses before them, too."""
    first, second = MOMENTS[optimiser]

    def one_step(state: State, strings: Array) -> tuple[State, Array]:
        loss, grads = jax.value_and_grad(loss_of)(state.parameters, strings, rates.scale, d)
        cut = jnp.minimum(1.0, MAX_NORM / length_of(grads))
        count, now = state.step + 1, schedule(state.step, rates)
        query_key = rates.query_key * (state.step >= rates.release)
        new, means, squares = {}, {}, {}
        for name, grad in grads.items():
            speed = now * (query_key if name[:3] in ("W_q", "W_k") else 1.0)
            g = cut * grad
            if optimiser == "adam":
                means[name] = first * state.mean[name] + (1 - first) * g
                squares[name] = second * state.square[name] + (1 - second) * g * g
                root = jnp.sqrt(squares[name] / (1 - second**count)) + 1e-8
                move = means[name] / (1 - first**count) / root
            else:
                move = means[name] = first * state.mean[name] + g
                squares[name] = state.square[name]
            new[name] = state.parameters[name] - speed * (
                move + rates.decay * state.parameters[name]
            )
        return State(new, means, squares, count), loss

    return jax.lax.scan(one_step, state, batches)


def length_of(grads: Parameters) -> Array:
    """Return the length of all arrays as one vector."""
    return jnp.sqrt(sum((g * g).sum() for g in grads.values()))


def train(
    training: TrainingSettings,
    multipliers: Sequence[float] = (),
    later_rates: Sequence[float] = (),
) -> dict[str, Any]:
    """Train once and return what a stored row holds.

    Losses are means in nats a character: "early" of some first steps, "losses" of each
    twentieth of the training, "worst" of a single batch after the warm-up, "validation" and "test"
    of all strings of these parts; of the task "copy" what `evaluate_copy` returns. "diverged" is
    the last of the ten steps in which a loss was not finite, or 0; "log" has what `logged` returns
    at the steps in `LOGGED`. With `multipliers` "bowls" has what `bowls` returns of the trained
    model, with `later_rates` "later" what `trained_on` does.
    """
    data = np.random.default_rng([training.seed, 1])  # what is read hangs on the seed alone
    first = np.random.default_rng([training.seed, 0])
    letters = len(read_text().letters)
    drawn = initialise(training, letters, first)
    zeros = {name: jnp.zeros_like(value) for name, value in drawn.items()}
    rates, d, warmup = rates_of(training), training.d, training.warmup
    state = State(drawn, zeros, zeros, jnp.asarray(0))
    history: dict[str, Any] = {"losses": [], "log": [logged(state, rates.scale, training)]}
    history["diverged"] = 0
    state = follow(state, rates, training.steps, training, data, history)
    losses = np.array(history.pop("losses"))
    history["early"] = early(losses)
    if history["diverged"]:
        return history
    measured = evaluate if training.task == "text" else evaluate_copy
    return history | {
        "losses": short([part.mean() for part in np.array_split(losses, 20)], 4),
        "worst": rounded(losses[warmup:].max(), 4) if len(losses) > warmup else None,
        **measured(state.parameters, rates.scale, d),
        **({"bowls": bowls(state.parameters, rates.scale, d, multipliers)} if multipliers else {}),
        **({"later": trained_on(state, rates, training, later_rates)} if later_rates else {}),
    }


def follow(
    state: State,
    rates: Rates,
    count: int,
    training: TrainingSettings,
    data: np.random.Generator,
    history: dict[str, Any],
) -> State:
    """Make `count` steps, and add what is logged to the history; stop at a loss of NaN."""
    for _ in range(count // STEPS_AT_ONCE):
        drawn = drawn_strings(read_text().train, data, STEPS_AT_ONCE, training.strings)
        batches = jnp.asarray(read_for(training.task, drawn, data))
        state, losses = several_steps(state, batches, rates, training.d, training.optimiser)
        history["losses"] += np.asarray(losses, float).tolist()
        if not np.isfinite(history["losses"][-STEPS_AT_ONCE:]).all():
            history["diverged"] = int(state.step)
            break
        if int(state.step) in LOGGED:
            history["log"].append(logged(state, rates.scale, training))
    return state


def trained_on(
    state: State, rates: Rates, training: TrainingSettings, later_rates: Sequence[float]
) -> list[dict[str, Any]]:
    """Train on from a state, at each of some constant rates, with the scale and without.

    It is "kept"; or "dropped", β = 1; or "absorbed", β = 1 with W_q and W_k times √scale: the same
    function, whose steps are those of β = 1. "at_once" is the loss on validation text before them.
    """
    factor = jnp.sqrt(rates.scale)
    absorbed = state._replace(
        parameters=query_key_times(state.parameters, factor),
        mean=query_key_times(state.mean, 1 / factor),
        square=query_key_times(state.square, 1 / factor**2),
    )
    ways = {"kept": (state, rates.scale), "dropped": (state, 1.0), "absorbed": (absorbed, 1.0)}
    ends = []
    for name, (begin, scale) in ways.items():
        at_once = evaluate(begin.parameters, scale, training.d)["validation"]
        for rate in later_rates:
            history: dict[str, Any] = {"losses": [], "log": [], "diverged": 0}
            again = rates._replace(scale=scale, rate=rate, constant=1.0)
            data = np.random.default_rng([training.seed, 2])
            end = follow(begin, again, LATER_STEPS, training, data, history)
            run = {"scale": name, "rate": rate, "at_once": at_once, "log": history["log"]}
            ended = {} if history["diverged"] else evaluate(end.parameters, scale, training.d)
            ends.append(run | ended)
    return ends


def query_key_times(arrays: Parameters, factor: Array | float) -> Parameters:
    """Multiply what belongs to W_q and W_k."""
    return {
        name: value * (factor if name[:3] in ("W_q", "W_k") else 1.0)
        for name, value in arrays.items()
    }


# What is measured ----------------------------------------------------------------------------


@partial(jax.jit, static_argnames="d")
def _mean_loss(parameters: Parameters, strings: Array, scale: Array, d: int) -> Array:
    return loss_of(parameters, strings, scale, d)


def evaluate(parameters: Parameters, scale: Array | float, d: int) -> dict[str, float]:
    """Return the loss on the whole of validation and test text, in nats a character."""
    text, means = read_text(), {}
    for name, part in (("validation", text.validation), ("test", text.test)):
        strings = strings_of(part)
        whole = strings[: len(strings) // 64 * 64].reshape(-1, 64, CONTEXT + 1)
        losses = [float(_mean_loss(parameters, jnp.asarray(s), scale, d)) for s in whole]
        means[name] = rounded(np.mean(losses), 6)
    return means


_copy = partial(jax.jit, static_argnames="d")(copy_of)


def evaluate_copy(
    parameters: Parameters, scale: Array | float, d: int, every: int = 1
) -> dict[str, float]:
    """Return the loss on the second copy, in "validation" and "test" text.

    With "_right" behind the names the share of letters there that are guessed right. The strings
    and their passages are the same in every run; of 512 each `every`-th is taken.
    """
    text, measured = read_text(), dict[str, float]()
    for i, (name, part) in enumerate((("validation", text.validation), ("test", text.test))):
        strings = strings_of(part)
        strings = strings[np.linspace(0, len(strings) - 1, 512).astype(int)]
        second_copies = copied(strings, text.letters, np.random.default_rng([26, i]))
        chosen, known = (x[::every].reshape(-1, 64, CONTEXT + 1) for x in second_copies)
        several = [
            _copy(parameters, jnp.asarray(s), jnp.asarray(k), scale, d)
            for s, k in zip(chosen, known, strict=True)
        ]
        loss, right = np.mean(np.array(several, float), axis=0)
        measured |= {name: rounded(loss, 6), f"{name}_right": rounded(right, 5)}
    return measured


def bowls(
    parameters: Parameters, scale: Array | float, d: int, multipliers: Sequence[float]
) -> list[list[float]]:
    """Return the loss on 256 strings of the test text with the scale multiplied afterwards.

    The first list has the losses with all heads' scale times each multiplier, the others those
    with one head's, layer by layer.
    """
    strings = jnp.asarray(strings_of(read_text().test)[:768:3])
    layers, width = sizes(parameters)
    heads = np.eye(layers * (width // d)).reshape(-1, layers, width // d, 1, 1)
    lists = []
    for chosen in (np.ones_like(heads[0]), *heads):
        scales = [scale * np.where(chosen, m, 1.0) for m in multipliers]
        losses = [float(_mean_loss(parameters, strings, jnp.asarray(s), d)) for s in scales]
        lists.append(short(losses, 5))
    return lists


@partial(jax.jit, static_argnames="d")
def _looked_at(parameters: Parameters, strings: Array, scale: Array, d: int) -> Any:
    loss, grads = jax.value_and_grad(loss_of)(parameters, strings, scale, d)
    _, all_logits = forward(parameters, strings[:, :-1], scale, d)
    layers = []
    for i, logits in enumerate(all_logits):
        rows = logits[:, :, EARLIER:]  # (B, heads, T - EARLIER, T)
        seen, weights = jnp.isfinite(rows), jax.nn.softmax(rows)
        mean = jnp.where(seen, rows, 0).sum(-1, keepdims=True) / seen.sum(-1, keepdims=True)
        square = jnp.where(seen, rows - mean, 0) ** 2
        entropy = -jnp.where(weights > 0, weights * jnp.log(weights), 0).sum(-1)
        top = weights.max(-1)
        layers.append(
            {
                "spread": jnp.median(jnp.sqrt(square.sum(-1) / seen.sum(-1))),
                "top": jnp.median(top),
                "effective": jnp.median(jnp.exp(entropy)),
                "one_hot": (top > 0.99).mean(),
                "norm_q": jnp.linalg.norm(parameters[f"W_q{i}"]),
                "norm_k": jnp.linalg.norm(parameters[f"W_k{i}"]),
                "grad_q": jnp.linalg.norm(grads[f"W_q{i}"]),
                "grad_k": jnp.linalg.norm(grads[f"W_k{i}"]),
            }
        )
    return loss, length_of(grads), layers


def logged(state: State, scale: Array | float, training: TrainingSettings) -> dict[str, Any]:
    """Look at a state on the same 128 strings of validation text in every run.

    Spreads are medians over rows of at least EARLIER keys of the logits' standard deviation; "top"
    and "effective" are medians of the largest weight and of exp(entropy), "one_hot" the share of
    rows whose largest weight is above 0.99; norms are Frobenius norms, gradients before the cut.
    For the task "copy" all strings hold a passage twice, and "copy" and "copy_right" have the loss
    and the share of right letters on the second copy.
    """
    plain = strings_of(read_text().validation)[:512:4]
    strings = jnp.asarray(read_for(training.task, plain, np.random.default_rng(26)))
    loss, grad, layers = jax.device_get(_looked_at(state.parameters, strings, scale, training.d))
    entry: dict[str, Any] = {
        "step": int(state.step),
        "loss": rounded(loss, 5),
        "grad": rounded(grad, 4),
    }
    for name in layers[0]:
        entry[name] = short([layer[name] for layer in layers], 4)
    if training.task == "copy":
        measured = evaluate_copy(state.parameters, scale, training.d, every=4)
        entry |= {"copy": measured["validation"], "copy_right": measured["validation_right"]}
    return entry
