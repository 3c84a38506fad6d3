"""Wrong functions as learners write them, read from the text beside this module."""

import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import attn_helpers as ah


def rows(x: Any, axis: int | None = -1) -> Any:
    """Return a stable softmax."""
    powers = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


def bare(x: Any, axis: int = -1) -> Any:
    """Return a softmax that overflows."""
    powers = np.exp(x)
    return powers / powers.sum(axis=axis, keepdims=True)


def spike(n: int, m: int = 1) -> Any:
    """Return n logits, m of them ahead of the others, with the standard deviation 1."""
    z = 1.0 * (np.arange(n) < m)
    return (z - z.mean()) / z.std()


def _read() -> tuple[dict[str, str], dict[str, list[str]]]:
    """Return each exercise's parameters, and its wrong bodies."""
    parameters, bodies = {}, {}
    text = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")
    for block in text.split("\n\n")[1:]:
        head, *lines = block.strip().splitlines()
        name, _, parameters_of = head.strip("[").partition("] ")
        parameters[name], bodies[name] = parameters_of, lines
    return parameters, bodies


PARAMETERS, WRONG = _read()


def source(exercise: str, body: str) -> str:
    """Return a function's source with that body, an expression or statements."""
    body = textwrap.dedent(body).strip()
    body = body if "return" in body else f"return {body}"
    text = textwrap.indent(body, "    ")
    return f"def answer({PARAMETERS[exercise]}):\n{text}"


def compiled(text: str) -> Callable[..., Any]:
    """Return the last function that a source defines."""
    names: dict[str, Any] = {"np": np, "ah": ah, "rows": rows, "bare": bare, "spike": spike}
    before = set(names)
    exec(compile(text, "<answer>", "exec"), names)
    return [x for name, x in names.items() if callable(x) and name not in before][-1]
