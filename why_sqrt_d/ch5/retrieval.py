"""A task for one attention head: find the token with the asked address and give its content.

A token is an address and a content, both of independent N(0, 1) entries. The question is the
address of one of the n tokens; the answer is that token's content. One head with trainable W_q,
W_k and W_v can do it, if it learns to compare addresses and to copy contents. This is associative
recall, as in Graves, Wayne & Danihelka (2014), "Neural Turing Machines", section 4.3, with vectors
in place of bits.
"""

from typing import NamedTuple

import numpy as np

from attn_helpers.attention import scaled_dot_product_attention, scaled_dot_product_attention_vjp
from attn_helpers.checks import FloatArray
from why_sqrt_d.encoder import Adam

Weights = tuple[FloatArray, FloatArray, FloatArray]  # W_q and W_k (24, d), W_v (24, 8)
ADDRESS, CONTENT = 16, 8  # entries of a token's address and of its content
_DIVERGED = 1e6  # a loss above this ends training


class Run(NamedTuple):
    """The result of a training: a loss a step, and the weights at the end."""

    losses: FloatArray
    weights: Weights


class Batch(NamedTuple):
    """Questions with their tokens and answers."""

    question: FloatArray  #: (batch, 1, 24): an address, and zeros for the content
    tokens: FloatArray  #: (batch, n, 24)
    answer: FloatArray  #: (batch, 1, 8)


def retrieval_batch(rng: np.random.Generator, batch: int, n: int) -> Batch:
    """Return fresh questions, each over `n` tokens; the asked token is uniform on the n."""
    tokens = rng.standard_normal((batch, n, ADDRESS + CONTENT))
    asked = tokens[np.arange(batch), rng.integers(n, size=batch)][:, None]
    question = asked.copy()
    question[..., ADDRESS:] = 0
    return Batch(question, tokens, asked[..., ADDRESS:])


def initial_weights(
    rng: np.random.Generator, d: int, query_factor: float = 1.0, key_factor: float = 1.0
) -> Weights:
    """Return W_q, W_k, shape ``(24, d)``, and W_v, ``(24, 8)``, with variance 1/24 an entry.

    The components of a token's key have variance one; a question's query two thirds of it, since
    its content is zero. W_q is then multiplied by `query_factor`, W_k by `key_factor`: with 1/√d
    on W_q and β = 1 the head starts as the one with β = 1/√d does.
    """
    width = ADDRESS + CONTENT
    query, key, value = (
        rng.standard_normal((width, columns)) / np.sqrt(width) for columns in (d, d, CONTENT)
    )
    return query_factor * query, key_factor * key, value


def retrieval_loss(weights: Weights, data: Batch, scale: float) -> tuple[float, Weights]:
    """Return the mean squared error of the head's answers, and its gradients to the weights.

    The mean is over questions and entries: answering zero costs one. `scale` is β.
    """
    inputs = (data.question, data.tokens, data.tokens)  # (batch, 1 or n, 24)
    # (batch, 1, d), (batch, n, d), (batch, n, 8)
    query, key, value = (_project(x, w) for x, w in zip(inputs, weights, strict=True))
    error = scaled_dot_product_attention(query, key, value, scale=scale) - data.answer
    grads = scaled_dot_product_attention_vjp(
        query, key, value, 2 * error / error.size, scale=scale
    )
    to_q, to_k, to_v = (  # xᵀ g summed over batch and tokens: (24, d), (24, d), (24, 8)
        np.tensordot(x, g, axes=([0, 1], [0, 1])) for x, g in zip(inputs, grads, strict=True)
    )
    return float(np.mean(error**2)), (to_q, to_k, to_v)


def train_retrieval(
    rng: np.random.Generator,
    start: Weights,
    scale: float,
    learning_rate: float,
    steps: int,
    optimiser: str = "adam",
    n: int = 16,
    batch: int = 32,
) -> Run:
    """Train one head from `start` on fresh questions, by "adam" or "sgd" (gradient descent).

    Each loss is of questions not seen before, and before the step that they cause. From the first
    one on that is above a million or not a number, training stops and the losses are infinite.
    `n` is tokens a question, `batch` questions a step.
    """
    params = np.concatenate([w.ravel() for w in start])
    parts = np.split(params, np.cumsum([w.size for w in start])[:-1])  # views: the steps move them
    w_q, w_k, w_v = (part.reshape(w.shape) for part, w in zip(parts, start, strict=True))
    adam = {"adam": Adam(params), "sgd": None}[optimiser]
    losses = np.full(steps, np.inf)
    for step in range(steps):
        data = retrieval_batch(rng, batch, n)
        loss, gradients = retrieval_loss((w_q, w_k, w_v), data, scale)
        if not loss <= _DIVERGED:
            break
        losses[step] = loss
        flat = np.concatenate([g.ravel() for g in gradients])
        if adam:
            adam.step(flat, learning_rate)
        else:
            params -= learning_rate * flat
    return Run(losses, (w_q, w_k, w_v))


def logit_spread(weights: Weights, data: Batch, scale: float) -> float:
    """Return the root mean square, over questions, of the logits' deviation within a row."""
    query, key = _project(data.question, weights[0]), _project(data.tokens, weights[1])
    logits = scale * (query @ key.swapaxes(-1, -2))  # (batch, 1, n)
    return float(np.sqrt(logits.var(axis=-1).mean()))


def _project(x: FloatArray, w: FloatArray) -> FloatArray:
    """Return x w as one product of matrices, which is faster than one a question."""
    flat = x.reshape(-1, x.shape[-1])  # (batch, n, 24), (batch · n, 24)
    return (flat @ w).reshape(*x.shape[:-1], w.shape[1])  # (batch, n, columns)
