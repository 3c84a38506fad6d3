"""Numbers and functions of chapter 4's exercises; their words stand in questions.md."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import attn_helpers as ah
from attn_helpers.checks import FloatArray
from why_sqrt_d.digits import rounded
from why_sqrt_d.exercises import (
    Mechanism,
    Questions,
    Values,
    call,
    case,
    shape_only,
)
from why_sqrt_d.rows import stored

QUESTIONS = Questions(__file__)


_SCALED, _UNSCALED = stored("gradient_puzzle")[0]["query_median"]  # of the layer on the page
QUESTIONS.numbers("4.0", lambda: {"times": rounded(_SCALED / _UNSCALED, 2)})


_PEAKED = ((8, 1, 1), (7, 2, 1), (6, 3, 1), (6, 2, 2))


def _peaked(tenths: FloatArray) -> Values:
    p = np.array(tenths) / 10
    eye, diag, outer, again = np.eye(3), np.diag(p), np.outer(p, p), ah.softmax(p)
    jacobian = diag - outer
    names = {f"p{i}": x for i, x in enumerate(p, 1)}
    names |= {f"q{i}": f"{1 - x:.1f}" for i, x in enumerate(p, 1)}
    names |= {"o12": outer[0, 1], "o13": outer[0, 2], "o23": outer[1, 2]}
    names |= {"trace": np.trace(jacobian), "p": p, "eye": eye, "diag": diag, "outer": outer}
    names |= {"jacobian": jacobian.round(12), "off": diag**2 - outer, "d": np.diag(jacobian)}
    return names | {"again": np.diag(again) - np.outer(again, again)}


QUESTIONS.numbers("4.5", _peaked, tenths=lambda random: random.sample(random.choice(_PEAKED), 3))
QUESTIONS.numbers("4.3", d=[root**2 for root in range(4, 34)])


Mean = Callable[[FloatArray, FloatArray], Any]


def softmax_vjp(
    weights: FloatArray,
    grad: FloatArray,
    *,
    mean: Mean = lambda p, g: (p * g).sum(axis=-1, keepdims=True),
) -> FloatArray:
    """Gradient to the logits, p (g - Σpg) along the last axis."""
    return np.asarray(weights * (grad - mean(weights, grad)))


def _vjp_inputs(rng: np.random.Generator) -> Iterator[Mechanism]:
    """Draw rows of weights, each with a gradient of order one."""
    for about, shape in {
        "negative numbers and fractions": (3,),
        "five rows of three": (5, 3),
        "two rows of seven": (2, 7),
        "three axes": (2, 3, 4),
        "one key a row": (3, 1),
        "four axes and many keys": (2, 3, 11, rng.integers(65, 80)),
    }.items():
        decimals = 3 if shape[-1] < 9 else 12  # with few, none is rounded to zero
        weights = np.sort(ah.softmax(2 * rng.standard_normal(shape)).round(decimals))
        weights[..., -1] += 1 - weights.sum(axis=-1)  # to the largest: none is negative
        yield case(about, weights, rng.standard_normal(shape).round(2))
    zeros = np.array([[0.0, 0.25, 0.75, 0.0], [1.0, 0.0, 0.0, 0.0]])
    yield case("weights of exactly zero", zeros, rng.standard_normal((2, 4)).round(2))
    peaked = ah.softmax(30 * rng.standard_normal((4, 5)))
    yield case("very small weights", peaked, 100 * rng.standard_normal((4, 5)))
    even = ah.softmax(rng.standard_normal((3, 4)))
    yield case("a large number added to the gradient", even, rng.standard_normal((3, 4)) + 2e4)
    yield case("whole numbers for a gradient", ah.softmax(np.eye(3)), rng.integers(-5, 6, (3, 3)))


_P = np.array([0.5, 0.25, 0.25])
_PAIR = np.array([[0.5, 0.5], [0.75, 0.25]])

QUESTIONS.function(
    "4.2",
    softmax_vjp,
    taken=ah.softmax_vjp,
    mechanisms={
        "shape": call(_PAIR, [[1.0, 0.0], [0.0, 1.0]], check=shape_only((2, 2))),
        "one dimension": call(_P, [8.0, 0.0, 4.0], check=shape_only((3,))),
        "constant": call(_P, [2.0, 2.0, 2.0]),
        "one row": call(_P, [8.0, 0.0, 4.0]),
        "rows": call(_PAIR, [[2.0, 0.0], [4.0, 8.0]]),
        "more axes": call([[[0.5, 0.5]], [[0.25, 0.75]]], [[[2.0, 0.0]], [[0.0, 4.0]]]),
    },
    inputs=_vjp_inputs,
    wrong={
        "diag only": {"mean": lambda p, g: 0},
        "diagonal only": {"mean": lambda p, g: p * g},
        "plus": {"mean": lambda p, g: -(p * g).sum(axis=-1, keepdims=True)},
        "turned": lambda p, g: -softmax_vjp(p, g),
        "plain mean": {"mean": lambda p, g: g.mean(axis=-1, keepdims=True)},
        "centred": lambda p, g: g - (p * g).sum(axis=-1, keepdims=True),
        "first axis": {"mean": lambda p, g: (p * g).sum(axis=0, keepdims=True)},
        "all rows": {"mean": lambda p, g: (p * g).sum()},
        "mean of products": {"mean": lambda p, g: (p * g).mean(axis=-1, keepdims=True)},
        "sum alone": lambda p, g: p * g - (p * g).sum(axis=-1, keepdims=True),
        "softmax again": lambda p, g: softmax_vjp(ah.softmax(p), g),
        "one row": lambda p, g: (np.diag(p) - np.outer(p, p)) @ g,
    },
    also=[lambda p, g: p * g - p * np.einsum("...i,...i->...", p, g)[..., None]],
)


def query_gradient(
    query: FloatArray,
    key: FloatArray,
    value: FloatArray,
    grad: FloatArray,
    scale: float,
    *,
    weights: Callable[[FloatArray], FloatArray] = ah.softmax,
    powers: tuple[int, int] = (1, 1),
    last: Callable[..., FloatArray] = lambda q, k, v, dz: dz @ k,
    **back: Mean,
) -> FloatArray:
    """Gradient to the queries, β dz K; `powers` of β stand in front and inside."""
    found = weights(scale ** powers[1] * query @ key.T)
    dz = softmax_vjp(found, grad @ value.T, **back)
    return np.asarray(scale ** powers[0] * last(query, key, value, dz))


def _query_inputs(rng: np.random.Generator) -> Iterator[Mechanism]:
    """Draw queries, keys, values and gradients whose logits are of order one."""
    for about, (n_q, n, d, d_v), scale in (
        ("one query and two keys of one number each", (1, 2, 1, 1), 0.8),
        ("two queries, five keys and values of another width", (2, 5, 3, 2), 0.6),
        ("five queries and three keys", (5, 3, 2, 4), 1.5),
        ("as many queries as keys", (4, 4, 6, 6), 0.4),
        ("one key", (3, 1, 4, 2), 0.5),
        ("many queries and keys, of which some have little weight", (13, 70, 11, 12), 1.8),
        ("a scale of zero", (2, 3, 4, 5), 0.0),
    ):
        shapes = (n_q, d), (n, d), (n, d_v), (n_q, d_v)
        yield case(about, *(rng.standard_normal(s).round(2) for s in shapes), scale)
    whole = [rng.integers(-3, 4, s) for s in ((3, 2), (4, 2), (4, 3), (3, 3))]
    yield case("whole numbers", *whole, 0.25)
    sizes = {(3, 5): 5e-5, (6, 5): 2e4, (6, 4): 3e4, (3, 4): 4e4}
    parts = [size * rng.standard_normal(shape) for shape, size in sizes.items()]
    yield case("entries of very different sizes", *parts, 0.7)
    parts = [parts[0] * 4e8, parts[1] / 4e8, parts[2] / 3e4 + 2e4, parts[3] / 4e4]
    yield case("a negative scale, large queries and values", *parts, -0.7)
    near = rng.standard_normal((2, 4)).round(3)
    keys = np.stack([[1.0, 1.0, 1.0, -1.0], near[0] / 1000], axis=-1)
    heights = np.array([[2000.0, 1000.0], [-2000.0, 1000.0], [1.0, 1.0]])
    about = "a row of scores near 2000 and one near −2000"
    yield case(about, heights, keys, near.T, np.ones((3, 2)), 1.0)
    yield case("large scores, a negative scale", heights, keys, near.T, np.ones((3, 2)), -1.0)


_KEY = np.array([[1.0, 0.0], [0.0, 1.0]])
_VALUE = np.array([[2.0, 0.0], [0.0, 4.0]])
_GRAD = np.array([[1.0, 0.0]])
_QUERIES, _GRADS = np.array([[2.0, 0.0], [0.0, 1.0]]), np.array([[1.0, 0.0], [2.0, 1.0]])

QUESTIONS.function(
    "4.6",
    query_gradient,
    mechanisms={
        "shape": call(
            *map(np.ones, ((2, 4), (3, 4), (3, 5), (2, 5))), 1.0, check=shape_only((2, 4))
        ),
        "comparison": call(np.zeros((1, 2)), _KEY, [[3.0], [3.0]], np.ones((1, 1)), 1.0),
        "beta one": call(np.zeros((1, 2)), _KEY, _VALUE, _GRAD, 1.0),
        "outer beta": call(np.zeros((1, 2)), _KEY, _VALUE, _GRAD, 0.5),
        "inner beta": call([[2.0, 0.0]], _KEY, _VALUE, _GRAD, 0.25),
        "two queries": call(_QUERIES, _KEY, _VALUE, _GRADS, 1.0),
        "large scores": call([[2000.0, 1999.0]], _KEY, _VALUE, _GRAD, 1.0),
    },
    inputs=_query_inputs,
    wrong={
        "no Jacobian": lambda q, k, v, g, scale: scale * (g @ v.T) @ k,
        "diag only": {"mean": lambda p, g: 0},
        "values": {"last": lambda q, k, v, dz: dz @ v},
        "queries": {"last": lambda q, k, v, dz: dz @ q},
        "transposed": {"last": lambda q, k, v, dz: dz.T @ k},
        "not transposed": lambda q, k, v, g, scale: query_gradient(q, k, v.T, g, scale),
        "own scale": lambda q, k, v, g, scale: query_gradient(q, k, v, g, k.shape[-1] ** -0.5),
        "none in front": {"powers": (0, 1)},
        "twice in front": {"powers": (2, 1)},
        "none inside": {"powers": (1, 0)},
        "plain mean": {"mean": lambda p, g: g.mean(axis=-1, keepdims=True)},
        "all queries": {"mean": lambda p, g: (p * g).sum()},
        "whole matrix": {"weights": lambda z: ah.softmax(z.ravel()).reshape(z.shape)},
        "along queries": {"weights": lambda z: ah.softmax(z, axis=0)},
    },
    also=[
        lambda q, k, v, g, scale: softmax_vjp(ah.softmax(scale * q @ k.T), g @ v.T) @ (scale * k)
    ],
)
