"""Exercises of chapter 4, "Gradient flow", that are answered with a function."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from attn_helpers.exercises.kinds import Function, Mechanism
from attn_helpers.exercises.model import Exercise, Wrong

Floats = NDArray[np.float64]


def softmax_vjp(weights: Floats, grad: Floats) -> Floats:
    """Gradient to the logits, p (g - Σpg) along the last axis."""
    return np.asarray(weights * (grad - (weights * grad).sum(axis=-1, keepdims=True)))


def _no_mean(weights: Floats, grad: Floats) -> Floats:
    return np.asarray(weights * grad)


def _diagonal(weights: Floats, grad: Floats) -> Floats:
    return np.asarray(weights * (1 - weights) * grad)


def _plain_mean(weights: Floats, grad: Floats) -> Floats:
    return np.asarray(weights * (grad - grad.mean(axis=-1, keepdims=True)))


def _no_weights(weights: Floats, grad: Floats) -> Floats:
    return np.asarray(grad - (weights * grad).sum(axis=-1, keepdims=True))


def _wrong_axis(weights: Floats, grad: Floats) -> Floats:
    return np.asarray(weights * (grad - (weights * grad).sum(axis=0, keepdims=True)))


def _whole_sum(weights: Floats, grad: Floats) -> Floats:
    return np.asarray(weights * (grad - (weights * grad).sum()))


def _plus(weights: Floats, grad: Floats) -> Floats:
    return np.asarray(weights * (grad + (weights * grad).sum(axis=-1, keepdims=True)))


def _minus(weights: Floats, grad: Floats) -> Floats:
    return -softmax_vjp(weights, grad)


def _vjp_in_place(weights: Floats, grad: Floats) -> Floats:
    grad -= (weights * grad).sum(axis=-1, keepdims=True)
    return np.asarray(weights * grad)


_P = np.array([0.5, 0.25, 0.25])
_PAIR = np.array([[0.5, 0.5], [0.75, 0.25]])

SOFTMAX_VJP = Exercise(
    id="4.6",
    title="Back through the softmax",
    difficulty=2,
    statement=(
        "Write `softmax_vjp(weights, grad)`: given the weights $p$ of one or many rows (the keys are "
        "the last axis) and the gradient $g$ to the weights, an array of the same shape, return the "
        "gradient to the logits, $J g$ for every row. Do it without building $J$, and leave the "
        "arguments as they are."
    ),
    kind=Function(
        name="softmax_vjp",
        stub="def softmax_vjp(weights, grad):\n    ...",
        reference=softmax_vjp,
        mechanisms=(
            Mechanism(
                "shape",
                args=(_PAIR, np.array([[1.0, 0.0], [0.0, 1.0]])),
                say="Return an array of the shape of grad: one number a logit.",
                check=lambda got, *_: None if got.shape == (2, 2) else "should have shape (2, 2)",
            ),
            Mechanism(
                "constant",
                args=(_P, np.array([2.0, 2.0, 2.0])),
                say="A gradient that is the same for all weights must give zero: the weights "
                "always sum to one.",
            ),
            Mechanism(
                "one row",
                args=(_P, np.array([8.0, 0.0, 4.0])),
                say="Subtract from g its mean under the weights, then multiply by the weights.",
            ),
            Mechanism(
                "rows",
                args=(_PAIR, np.array([[2.0, 0.0], [4.0, 8.0]])),
                say="Each row has its own sum: add along the last axis and keep that axis.",
            ),
            Mechanism(
                "more axes",
                args=(
                    np.array([[[0.5, 0.5]], [[0.25, 0.75]]]),
                    np.array([[[2.0, 0.0]], [[0.0, 4.0]]]),
                ),
                say="The keys are the last axis, however many axes stand before it.",
            ),
        ),
        probe=(np.array([0.5, 0.3, 0.2]), np.array([1.0, 2.0, -1.0])),
    ),
    wrong=(
        Wrong(
            _no_mean,
            "You multiplied by diag(p) only; the term −p (p·g) is missing.",
            mechanism="constant",
        ),
        Wrong(
            _diagonal,
            "p (1 − p) g is the diagonal of J only; the other entries count as well.",
            mechanism="constant",
        ),
        Wrong(
            _plus,
            "The sign is minus: subtract the mean of g under the weights.",
            mechanism="constant",
        ),
        Wrong(
            _minus,
            "That is minus the right answer: subtract the mean from g, not g from the mean.",
            mechanism="one row",
        ),
        Wrong(
            _plain_mean,
            "You subtracted the plain mean of g; the mean under the weights, Σpg, is needed.",
            mechanism="one row",
        ),
        Wrong(
            _no_weights,
            "You centred the gradient and forgot to multiply by the weights.",
            mechanism="one row",
        ),
        Wrong(
            _wrong_axis,
            "You added along the first axis; a softmax works along the last.",
            mechanism="rows",
        ),
        Wrong(
            _whole_sum,
            "You added over all rows; every row has its own sum, so use axis=-1, keepdims=True.",
            mechanism="rows",
        ),
        Wrong(
            _vjp_in_place,
            "Your function changed one of its arguments: write grad - …, not grad -= ….",
            mechanism="mutation",
        ),
    ),
    forms=(
        lambda weights, grad: (
            weights * grad - weights * np.einsum("...i,...i->...", weights, grad)[..., None]
        ),
    ),
    hints=(
        "Write $Jg = (\\operatorname{diag}(p) - pp^{\\top})g$ and multiply out. What is $p^{\\top}g$?",
        "$Jg = p\\circ(g - p^{\\top}g)$: one number a row, subtracted from $g$, and then multiplied "
        "by $p$ entry by entry. `keepdims=True` keeps it broadcastable.",
    ),
    solution=(
        "```python\ndef softmax_vjp(weights, grad):\n"
        "    inner = (weights * grad).sum(axis=-1, keepdims=True)\n"
        "    return weights * (grad - inner)\n```\n\n"
        "The matrix would hold $n^2$ numbers a row; this needs $n$. With $n = 4096$ keys and as many "
        "queries that is the difference between half a terabyte and 134 megabytes."
    ),
)


def _weights(query: Floats, key: Floats, scale: float) -> Floats:
    logits = scale * query @ key.T
    powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))


def query_gradient(
    query: Floats, key: Floats, value: Floats, grad: Floats, scale: float
) -> Floats:
    """Gradient to the queries, β dz K."""
    to_logits = softmax_vjp(_weights(query, key, scale), grad @ value.T)
    return np.asarray(scale * to_logits @ key)


def _no_scale(query: Floats, key: Floats, value: Floats, grad: Floats, scale: float) -> Floats:
    return np.asarray(softmax_vjp(_weights(query, key, scale), grad @ value.T) @ key)


def _scale_twice(query: Floats, key: Floats, value: Floats, grad: Floats, scale: float) -> Floats:
    return scale * query_gradient(query, key, value, grad, scale)


def _unscaled_weights(
    query: Floats, key: Floats, value: Floats, grad: Floats, scale: float
) -> Floats:
    return np.asarray(scale * softmax_vjp(_weights(query, key, 1.0), grad @ value.T) @ key)


def _own_root(query: Floats, key: Floats, value: Floats, grad: Floats, scale: float) -> Floats:
    return query_gradient(query, key, value, grad, float(key.shape[-1] ** -0.5))


def _without_jacobian(
    query: Floats, key: Floats, value: Floats, grad: Floats, scale: float
) -> Floats:
    return np.asarray(scale * (grad @ value.T) @ key)


def _only_weights(query: Floats, key: Floats, value: Floats, grad: Floats, scale: float) -> Floats:
    return np.asarray(scale * (_weights(query, key, scale) * (grad @ value.T)) @ key)


def _values_for_keys(
    query: Floats, key: Floats, value: Floats, grad: Floats, scale: float
) -> Floats:
    to_logits = softmax_vjp(_weights(query, key, scale), grad @ value.T)
    return np.asarray(scale * to_logits @ value)


def _from_vjp(back: Callable[[Floats, Floats], Floats]) -> Callable[..., Floats]:
    """Return the query's gradient with another way through the softmax."""

    def gradient(query: Floats, key: Floats, value: Floats, grad: Floats, scale: float) -> Floats:
        return np.asarray(scale * back(_weights(query, key, scale), grad @ value.T) @ key)

    return gradient


def _from_softmax(axis: int | None) -> Callable[..., Floats]:
    """Return the query's gradient with weights that sum to one along another axis."""

    def gradient(query: Floats, key: Floats, value: Floats, grad: Floats, scale: float) -> Floats:
        powers = np.exp(scale * query @ key.T)
        weights = powers / powers.sum(axis=axis, keepdims=True)
        return np.asarray(scale * softmax_vjp(weights, grad @ value.T) @ key)

    return gradient


_KEY = np.array([[1.0, 0.0], [0.0, 1.0]])
_VALUE = np.array([[2.0, 0.0], [0.0, 4.0]])
_GRAD = np.array([[1.0, 0.0]])
_GRADS = np.array([[1.0, 0.0], [2.0, 1.0]])

QUERY_GRADIENT = Exercise(
    id="4.7",
    title="Back to the query, with every β in its place",
    difficulty=3,
    statement=(
        "Write `query_gradient(query, key, value, grad, scale)`: the gradient to the queries of "
        "`softmax(scale * query @ key.T) @ value`. Shapes: `query (n_q, d)`, `key (n, d)`, "
        "`value (n, d_v)`, and `grad (n_q, d_v)` is the gradient at the output."
    ),
    kind=Function(
        name="query_gradient",
        stub="def query_gradient(query, key, value, grad, scale):\n    ...",
        reference=query_gradient,
        mechanisms=(
            Mechanism(
                "shape",
                args=(np.ones((1, 2)), np.ones((3, 2)), np.ones((3, 1)), np.ones((1, 1)), 1.0),
                say="The gradient has the shape of the queries, here (1, 2).",
                check=lambda got, *_: None if got.shape == (1, 2) else "should have shape (1, 2)",
            ),
            Mechanism(
                "comparison",
                args=(np.zeros((1, 2)), _KEY, np.array([[3.0], [3.0]]), np.ones((1, 1)), 1.0),
                say="Equal values make all keys alike, so the query has nothing to learn: zero.",
            ),
            Mechanism(
                "beta one",
                args=(np.zeros((1, 2)), _KEY, _VALUE, _GRAD, 1.0),
                say="Chain: grad @ value.T, then the softmax's Jacobian, then @ key.",
            ),
            Mechanism(
                "outer beta",
                args=(np.zeros((1, 2)), _KEY, _VALUE, _GRAD, 0.5),
                say="The logits are scale · query @ key.T: the chain rule brings one factor scale.",
            ),
            Mechanism(
                "inner beta",
                args=(np.array([[2.0, 0.0]]), _KEY, _VALUE, _GRAD, 0.25),
                say="The weights are the softmax of the scaled scores.",
            ),
            Mechanism(
                "two queries",
                args=(np.array([[2.0, 0.0], [0.0, 1.0]]), _KEY, _VALUE, _GRADS, 1.0),
                say="Every query has its own row of weights and its own sum: work along the last "
                "axis.",
            ),
        ),
        probe=(
            np.array([[1.0, 0.0], [0.0, 2.0]]),
            np.array([[1.0, 2.0], [0.0, 1.0]]),
            np.array([[1.0], [3.0]]),
            np.array([[2.0], [1.0]]),
            0.5,
        ),
    ),
    wrong=(
        Wrong(
            _without_jacobian,
            "The softmax's Jacobian is missing between grad @ value.T and the keys.",
            mechanism="comparison",
        ),
        Wrong(
            _only_weights,
            "You multiplied by the weights; subtract their mean of the gradient first.",
            mechanism="comparison",
        ),
        Wrong(
            _values_for_keys,
            "The last product is with the keys: the query met the keys, not the values.",
            mechanism="shape",
        ),
        Wrong(
            _own_root,
            "You used 1/√d in place of the scale that was given.",
            mechanism="beta one",
        ),
        Wrong(
            _no_scale,
            "The factor β in front is missing: the logits are β times the scores.",
            mechanism="outer beta",
        ),
        Wrong(
            _scale_twice,
            "β stands in front twice; the chain rule brings it once.",
            mechanism="outer beta",
        ),
        Wrong(
            _unscaled_weights,
            "Your weights are the softmax of the scores without β.",
            mechanism="inner beta",
        ),
        Wrong(
            _from_vjp(_plain_mean),
            "You subtracted the plain mean of the gradient; the mean under the weights is needed.",
            mechanism="inner beta",
        ),
        Wrong(
            _from_vjp(_whole_sum),
            "You added over all queries; every query has its own mean under its own weights.",
            mechanism="two queries",
        ),
        Wrong(
            _from_softmax(None),
            "Your softmax runs over the whole matrix; every query's weights sum to one.",
            mechanism="two queries",
        ),
        Wrong(
            _from_softmax(0),
            "Your softmax runs along the queries; the keys are the last axis.",
            mechanism="comparison",
        ),
    ),
    forms=(
        lambda query, key, value, grad, scale: (
            softmax_vjp(_weights(query, key, scale), grad @ value.T) @ (scale * key)
        ),
    ),
    hints=(
        "Go back step by step: output, weights, logits, scores, query. Each step is one line.",
        "`softmax_vjp(p, grad @ value.T)` is the gradient to the logits. The logits are "
        "`scale * query @ key.T`: what is their derivative with respect to the query?",
    ),
    solution=(
        "```python\ndef query_gradient(query, key, value, grad, scale):\n"
        "    weights = ah.softmax(scale * query @ key.T)\n"
        "    to_logits = ah.softmax_vjp(weights, grad @ value.T)\n"
        "    return scale * to_logits @ key\n```\n\n"
        "$\\beta$ appears twice, once inside the softmax and once in front, and the two pull in "
        "opposite directions: a large $\\beta$ closes the Jacobian and enlarges what gets through. "
        "Leaving out the one in front is a classic mistake: with $\\beta = 1/\\sqrt{64}$ every "
        "gradient to queries and keys is then eight times too long."
    ),
)

EXERCISES = (SOFTMAX_VJP, QUERY_GRADIENT)
