"""The table of real models, `real_models.toml`, and each formula as one that runs.

A formula is a Python expression in the score `s` = q·k, in `q`, `k`, the head's width `d`, the
number of keys `n`, the query's place `i` counted from one, the numbers of its own `let`, and the
functions in `NAMES`.
"""

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from attn_helpers import rms_norm, unit_length
from attn_helpers.checks import FloatArray
from why_sqrt_d.opened_models import first_spread

#: What a formula does, most frequent first; a library is listed under what it does unasked.
KINDS = {
    "root": "1/√d",
    "norm": "q and k normalised",
    "length": "changed for long contexts",
    "width": "1/d",
    "other": "another constant",
    "cap": "capped or clamped",
    "folded": "1/√d inside the initial weights",
    "library": "a library’s default",
}
ANY_WIDTH = 64  # the head in a run whose formula is not tied to one
NAMES: dict[str, Any] = {
    "dot": lambda q, k: q @ k.swapaxes(-1, -2),
    "unit": unit_length,
    "rms": rms_norm,
    "layernorm": lambda x: rms_norm(x - x.mean(axis=-1, keepdims=True)),
    "clamp": lambda x, bound: np.clip(x, -bound, bound),
    "sqrt": np.sqrt,
    "ln": np.log,
    "floor": np.floor,
    "tanh": np.tanh,
    "max": np.maximum,
}


@dataclass(frozen=True)
class Model:
    """One entry; ``real_models.toml`` says what each part is. Without a `year` it has none, 0."""

    name: str
    kind: str
    formula: str
    code: str
    where: str
    year: int = 0
    d: int = 0
    sizes: str = ""
    let: Mapping[str, float] = field(default_factory=dict)
    paper: str = ""

    @property
    def width(self) -> int:
        """The head's width in a run."""
        return self.d or ANY_WIDTH


@cache
def _file() -> Mapping[str, Any]:
    return tomllib.loads(Path(__file__).with_name("real_models.toml").read_text(encoding="utf-8"))


@cache
def read() -> Mapping[str, Model]:
    """Return the entries by name, in the file's order."""
    return {entry["name"]: Model(**entry) for entry in _file()["model"]}


def logits(model: Model, query: ArrayLike, key: ArrayLike) -> FloatArray:
    """Return the model's logits of `query` ``(..., n_q, d)`` and `key` ``(..., n, d)``.

    Every query sees all n keys, as the one at place i = n does. Learned gains stand at one, or at
    their start; position terms are left out.

    >>> logits(read()["Gemma 2 27B"], [[24.0]], [[1.0], [100.0]]).round(3)
    array([[ 1.999, 49.966]])
    """
    q, k = np.asarray(query, dtype=float), np.asarray(key, dtype=float)
    n = k.shape[-2]
    known = {"q": q, "k": k, "s": NAMES["dot"](q, k), "d": q.shape[-1], "n": n, "i": n}
    return np.asarray(eval(model.code, {**NAMES, **known, **model.let}))


def spread(model: Model, size: float = 1) -> float:
    """Return the root mean square of the standard deviations within rows of a model's logits.

    400 queries and 20 sets of 100 keys are normal, with components of the standard deviation
    `size`, and as wide as the model's head.
    """
    rng = np.random.default_rng(74)
    query, key = (size * rng.standard_normal((20, many, model.width)) for many in (20, 100))
    return float(np.sqrt(np.mean(np.var(logits(model, query, key), axis=-1))))


def start(model: Model) -> float:
    """Return the spread of the first logits, with the model's own initial weights, or nan.

    Tokens have mean square one, and a component of q or k the variance that `first_spread` has.
    Where the initial weights hold the scale, those of q are smaller by √d, else as in a textbook.

    >>> [round(start(read()[name]), 1) for name in ("LLaMA 1", "Qwen3", "T5, mT5, UMT5")]
    [1.6, 1.0, 1.0]
    """
    if model.kind == "norm":
        return spread(model)
    if model.kind == "folded":
        return spread(model, model.width**-0.25)
    if model.name not in _file()["starts"]:
        return math.nan
    return spread(model, math.sqrt(first_spread(*_file()["starts"][model.name])))
