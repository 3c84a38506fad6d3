"""An audit for any attention function: what it computes, told by its answers alone.

In the spirit of scikit-learn's ``check_estimator``: some forty small calls on inputs whose answer
is known, each of which tells one convention apart from the others that libraries have.
"""

from __future__ import annotations

import inspect
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
LAYOUTS: dict[str, Callable[[Array], Array]] = {  # where (heads, n, d) goes
    "(batch, heads, n, d)": lambda x: x[None],
    "(batch, n, heads, d)": lambda x: x.swapaxes(0, 1)[None],
    "(batch, n, d)": lambda x: x[:1],
    "(n, d)": lambda x: x[0],
}
#: Of what was found: how usual it is, who else does so, and what it costs.
NOTES = {
    "1/√d": "usual",
    "1, no scale": "as T5 and keras.layers.Attention; sharp by √d unless the first W_q has it",
    "1/d": "μP's rule, or 1/√d twice: at the start weights are nearly even",
    "0": "scores are ignored",
    "lengths do not matter": "a norm of q or k, as QK norm and cosine attention have",
    "capped": "as Gemma 2's tanh; at the cap gradients vanish",
    "True takes part": "usual: torch's scaled_dot_product_attention, JAX, Keras, ONNX",
    "True is removed": "as torch.nn.MultiheadAttention; masks of other functions show the future",
    "added as a number": "True adds one to a logit: nothing is hidden",
    "mask ignored": "nothing is hidden",
    "after the scale": "usual",
    "read as boolean": "any number but zero is True, −inf too; a bias is lost",
    "before the scale": "a bias such as ALiBi's is multiplied by β as well",
    "zeros": "as torch's scaled_dot_product_attention",
    "mean of values": "as JAX with a boolean mask: what is padding gets an answer",
    "NaN": "as a plain softmax of −inf: the next layer spreads it",
    "as if unmasked": "where a mask hides everything it is lost",
    "top-left": "usual: torch, JAX, Keras, ONNX; beside a cache of keys give a mask",
    "bottom-right": "as MLX: the last query sees all keys, as decoding with a cache wants",
    "causal ignored": "every query sees the future",
    "consecutive": "usual: query heads 0 and 1 share key head 0",
    "cyclic": "query heads 0 and 2 share key head 0: weights trained elsewhere do not fit",
    "overflows": "scores beyond 65 504, or 3.4e38, are infinite before they are divided",
    "wrong": "scores lose their digits before the softmax: give it float32",
}


@dataclass(frozen=True)
class Finding:
    """One behaviour: its value, and how usual it is, who else has it, what it costs."""

    name: str
    value: str
    note: str = ""


@dataclass(frozen=True)
class Audit:
    """What an audit found: prints as a table, and shows as one in a notebook."""

    findings: list[Finding] = field(default_factory=list)

    @property
    def values(self) -> dict[str, str]:
        """Each behaviour's value by its name."""
        return {one.name: one.value for one in self.findings}

    def __repr__(self) -> str:
        wide = [max(len(getattr(f, x)) for f in self.findings) for x in ("name", "value")]
        lines = (f"{f.name:{wide[0]}}  {f.value:{wide[1]}}  {f.note}" for f in self.findings)
        return "\n".join(map(str.rstrip, lines))

    def _repr_html_(self) -> str:
        cells = ((escape(x) for x in (f.name, f.value, f.note)) for f in self.findings)
        rows = ("<tr><th>{}</th><td>{}</td><td>{}</td></tr>".format(*row) for row in cells)
        return f"<table>{''.join(rows)}</table>"


class _Stop(BaseException):  # nothing that catches an error of a call stops it
    """Says why no further call is made."""


def audit(
    attention: Callable[..., Any],
    *,
    attn_mask: str | None = "attn_mask",
    is_causal: str | None = "is_causal",
    gradient: Callable[..., Any] | None = None,
    seconds: float = 60.0,
) -> Audit:
    """Return what an attention function does, inferred from its answers to some forty calls.

    Parameters
    ----------
    attention : callable
        ``attention(query, key, value)`` on arrays ``(batch, heads, n, d)``, ``(batch, n, heads,
        d)``, ``(batch, n, d)`` or ``(n, d)``; its answer is made an array. Another library's is
        wrapped in two lines (below). A layer: set its matrices to the identity, biases to zero.
    attn_mask, is_causal : str or None
        The names of its arguments for a mask and for causal attention; one that it does not have
        is not used.
    gradient : callable, optional
        As ``jax.grad``: ``gradient(f)(x)`` for a number ``f(x)``. With it the audit tells whether
        a row that may see nothing spoils the gradients of others.
    seconds : float
        After so long no further call is made.

    Returns
    -------
    Audit
        Prints as a table. ``.values`` is a dict of what was found by name, ``.findings`` a list
        with a note to each.

    Notes
    -----
    With values that are rows of the identity an answer is its weights, and for two keys
    ``log(w_0 / w_1)`` is the difference of their logits. A call that raises is a finding.

    Examples
    --------
    >>> audit(lambda query, key, value: query @ key.swapaxes(-1, -2) @ value)
    call     (batch, heads, n, d)
    stopped  rows of its weights do not sum to one

    >>> def in_torch(query, key, value, **others):
    ...     tensors = map(torch.as_tensor, (query, key, value))
    ...     others = {name: torch.as_tensor(x) for name, x in others.items()}
    ...     return torch.nn.functional.scaled_dot_product_attention(*tensors, **others).numpy()
    """
    probe = _Probe(attention, attn_mask, is_causal, gradient, seconds)
    try:
        probe.start()
        probe.scale()
        probe.masks()
        probe.causal_and_grouped()
        probe.precision()
    except _Stop as why:
        probe.say("stopped", str(why))
    return probe.report


class _Probe:
    """The calls, and what has been learned so far."""

    def __init__(
        self, attention: Any, mask: Any, causal: Any, gradient: Any, seconds: Any
    ) -> None:
        self.attention, self.gradient, self.report = attention, gradient, Audit()
        self.begin, self.seconds, self.calls = time.monotonic(), seconds, 0
        self.layout, self.dtype = "", "float32"  # what models are run in
        try:
            known = dict(inspect.signature(attention).parameters)
            anything = any(p.kind is p.VAR_KEYWORD for p in known.values())
        except (TypeError, ValueError):  # a compiled function has no signature
            known, anything = {}, True
        names = {"mask": mask, "causal": causal}
        self.names = {use: x for use, x in names.items() if x and (anything or x in known)}

    def say(self, name: str, value: str, note: str = "") -> str:
        self.report.findings.append(Finding(name, value, note or NOTES.get(value, "")))
        return value

    def look(self, name: str, measure: Callable[[], str]) -> str:
        """Say what a measurement finds, or that it raises."""
        try:
            return self.say(name, measure())
        except Exception as error:
            message = str(error).strip().split("\n")[0][:70]
            return self.say(name, "raises", f"{type(error).__name__}: {message}")

    def cast(self, x: Any) -> Any:
        """Return float64 as float32, until it is asked for float64 itself."""
        return x.astype(self.dtype, copy=False) if x.dtype == np.float64 else x

    def ask(self, q: Array, k: Array, v: Array, **options: Any) -> Array:
        """Return the answer (heads, n_q, d_v) to query, key and value (heads, n, d)."""
        if time.monotonic() > self.begin + self.seconds:
            raise _Stop(f"{self.calls} calls took {self.seconds:g} s, the rest was not asked")
        put, self.calls = LAYOUTS[self.layout], self.calls + 1
        options |= {"mask": self.cast(options["mask"])} if "mask" in options else {}
        with np.errstate(all="ignore"):
            named = {self.names[use]: value for use, value in options.items()}
            three = (put(self.cast(x)) for x in (q, k, v))
            found = np.asarray(self.attention(*three, **named))
        wanted = put(np.empty((*q.shape[:2], v.shape[2]))).shape
        if found.shape != wanted:
            raise ValueError(f"the answer has shape {found.shape}, not {wanted}")
        heads = found[0].swapaxes(0, 1) if "n, heads" in self.layout else found
        return heads.reshape(-1, q.shape[1], v.shape[2])

    def weights(self, q: Array, k: Array, **options: Any) -> Array:
        """Return the weights (n_q, n) of one head: its values are rows of the identity."""
        n = len(k)
        v = np.eye(n, max(n, q.shape[-1]), dtype=q.dtype)
        return self.ask(q[None], k[None], v[None], **options)[0, :, :n].astype(float)

    def logit(self, d: int, score: float, length: float = 1.0) -> float:
        """Return the logit of a score, half the difference to that of its negative."""
        u = np.random.default_rng(d).standard_normal((1, d))
        u /= np.linalg.norm(u)
        w = self.weights(score * length * u, np.concatenate([u, -u]) / length)[0]
        return 0.5 * math.log(w[0] / w[1]) if w.min() > 0 else math.inf

    def start(self) -> None:
        """Find a layout in which it answers, twice the same, with weights."""
        rng, problems = np.random.default_rng(0), []
        given = [rng.standard_normal((2, n, 8)) for n in (3, 5)] + [np.zeros((2, 5, 8))]
        given[2][:, range(5), range(5)] = 1
        given = [x.astype(self.dtype) for x in given]
        before = [x.copy() for x in given]
        for self.layout in LAYOUTS:
            q, k, v = (x if "heads" in self.layout else x[:1] for x in given)
            try:
                found, again = self.ask(q, k, v), self.ask(q, k, v)
                break
            except Exception as error:
                message = str(error).strip().split("\n")[0][:70]
                problems.append(f"{self.layout} {type(error).__name__}: {message}")
        else:
            raise _Stop("attention(query, key, value) fails: " + "; ".join(problems))
        self.say("call", self.layout)
        if not np.array_equal(found, again, equal_nan=True):
            raise _Stop("it is random, two equal calls differ: is dropout on?")
        if not all(map(np.array_equal, given, before)):
            self.say("inputs", "changed in place", "the caller's arrays are overwritten")
        if not np.allclose(found.sum(axis=-1), 1, atol=1e-2):
            raise _Stop("rows of its weights do not sum to one")

    def scale(self) -> None:
        """Infer β at five widths and the law c · d^p; then a norm or a cap."""
        widths = np.array([8, 16, 32, 64, 128])
        found = np.array([self.logit(d, 1.0) for d in widths])
        self.beta = beta = float(found[3])
        self.cap = "none"
        if found.min() <= 0:
            self.say("scale", "not positive" if found.any() else "0")
            return
        p, log_c = np.polyfit(np.log(widths), np.log(found), 1)
        c, off = math.exp(log_c), np.abs(np.log(found) - p * np.log(widths) - log_c).max()
        laws = {"1/√d": (-0.5, 1), "1, no scale": (0, 1), "1/d": (-1, 1)}
        named = [name for name, law in laws.items() if np.allclose((p, c), law, atol=0.02)]
        value, note = f"{c:.3g} · d^{p:.3g}", f"{beta:.4g} at d = 64, where 1/√d is 0.125"
        if off > 0.01:
            value = f"{found[0]:.3g} to {found[4]:.3g}, no power of d"
        elif named:
            value, note = named[0], NOTES[named[0]]
        elif abs(p) < 0.005:
            value, note = f"{c:.4g} at every width", f"1/√{c**-2:.0f}: model width? heads?"
        self.say("scale", value, note)
        small, far = self.logit(64, 0.1 / beta), self.logit(64, 15 / beta)
        if math.isclose(small, far, rel_tol=0.01):
            self.cap = self.say("cap", "lengths do not matter")
        elif not math.isclose(far, 15, rel_tol=0.01):
            self.cap = self.say("cap", "capped", f"15 becomes {far:.3g}; {NOTES['capped']}")
        else:
            self.say("cap", "none")

    def masks(self) -> None:
        """Find what True means, where a float mask is added, and what an empty row becomes."""
        if "mask" not in self.names:
            self.say("mask", "not offered")
            return
        q, k = self.cast(np.full((2, 64), 0.2)), self.cast(np.zeros((2, 64)))

        def boolean() -> str:
            w = self.weights(q, k, mask=np.array([[True, False], [True, True]]))[0, 0]
            at = {0.0: "True is removed", 0.5: "mask ignored", 1.0: "True takes part"}
            at[1 / (1 + math.exp(-1))] = "added as a number"
            return next((said for x, said in at.items() if abs(w - x) < 0.01), f"weight {w:.3g}")

        def added() -> str:
            w = self.weights(q, k, mask=np.array([[1.0, 0.0], [0.0, 0.0]]))[0]
            if w.min() == 0:
                return "read as boolean"
            shift = math.log(w[0] / w[1])
            at = ((1.0, "after the scale"), (0.0, "mask ignored"), (self.beta, "before the scale"))
            return next((said for x, said in at if abs(shift - x) < 0.01), f"{shift:.3g}")

        def empty(mask: Array) -> Callable[[], str]:
            def measure() -> str:
                keys = np.concatenate([q[:1], k[:1]])
                free, w = self.weights(q, keys), self.weights(q, keys, mask=mask)
                kinds = {"NaN": np.nan, "zeros": 0.0, "mean of values": 0.5}
                kinds["as if unmasked"] = free[0]
                fits = (x for x, row in kinds.items() if np.allclose(w[0], row, 0, 1e-3, True))
                spoilt = not np.allclose(w[1], free[1], atol=1e-3)
                return next(fits, f"{w[0]}") + "; other rows change" * spoilt

            return measure

        def beside(mask: Array) -> str:
            put, use = LAYOUTS[self.layout], self.names["mask"]

            def other_row(x: Any) -> Any:
                out = self.attention(x, put(q[None]), put(q[None]), **{use: self.cast(mask)})
                return out.reshape(2, -1)[1].sum()

            assert self.gradient is not None
            clean = np.isfinite(np.asarray(self.gradient(other_row)(put(q[None])))).all()
            return "clean" if clean else "not finite"

        told = self.look("bool mask", boolean)
        number = self.look("float mask", added) != "read as boolean"
        empties = {"−inf": np.array([[-np.inf, -np.inf], [0.0, 0.0]])} if number else {}
        if told in ("True takes part", "True is removed"):
            yes = told == "True takes part"
            empties = {"boolean": np.array([[not yes] * 2, [yes] * 2])} | empties
        for kind, mask in empties.items():
            self.look(f"empty row, {kind}", empty(mask))
            if self.gradient is not None:
                self.look(f"gradient beside it, {kind}", partial(beside, mask))

    def causal_and_grouped(self) -> None:
        """See which keys causal queries see, and which of four query heads share a key head."""

        def seen(n_q: int, n: int) -> str:
            found = self.weights(np.zeros((n_q, 8)), np.zeros((n, 8)), causal=True) > 1e-6
            kinds = {"top-left": np.tri(n_q, n), "bottom-right": np.tri(n_q, n, n - n_q)}
            kinds["causal ignored"] = np.ones((n_q, n))
            drawn = " ".join("".join(".#"[int(x)] for x in row) for row in found)
            return next((x for x, kind in kinds.items() if (found == kind).all()), drawn)

        def shared() -> str:
            value = np.arange(2.0)[:, None, None] * np.ones((2, 3, 8))
            try:
                found = self.ask(np.zeros((4, 3, 8)), np.zeros((2, 3, 8)), value)[:, 0, 0]
            except (ValueError, TypeError, RuntimeError, AssertionError):
                return "not offered"
            order = "".join(f"{x:.0f}" for x in found)
            return {"0011": "consecutive", "0101": "cyclic"}.get(order, order)

        for sizes in ((2, 5), (5, 2)) if "causal" in self.names else ():
            self.look("causal, {} × {}".format(*sizes), partial(seen, *sizes))
        if "heads" in self.layout:
            self.look("grouped heads", shared)

    def precision(self) -> None:
        """Try large scores in half precision and in float32; then hard rows against float64."""
        d, other, beta = 128, [], self.logit(128, 1.0) if self.cap == "none" else 0.0

        def large(dtype: np.dtype[Any], near: float) -> str:
            q, k = np.full((1, d), 80, dtype), np.full((2, d), 80, dtype)
            k[0, 0] = near
            w = self.weights(q, k)[0, 0]
            right = 1 / (1 + math.exp(-beta * 80 * (near - 80)))
            if not np.isfinite(w):
                return "overflows"
            return "exact" if abs(w - right) < 0.02 else "wrong"

        def early() -> str:
            big = np.full((2, d), 3e18, np.float32)  # q·k is beyond float32, q·k/√d is not
            fine = np.isfinite(self.weights(big, big)).all()
            return "before the product" if fine else "overflows"

        def error() -> str:
            rng = np.random.default_rng(1)
            q, k, v = rng.standard_normal((3, 1, 64, 64)).astype(np.float32)
            q *= np.float32(30 / (8 * self.beta))  # logits of standard deviation 30
            logits = self.beta * (q[0].astype(float) @ k[0].astype(float).T)
            p = np.exp(logits - logits.max(axis=-1, keepdims=True))
            right = p / p.sum(axis=-1, keepdims=True) @ v[0].astype(float)
            return f"{np.abs(self.ask(q, k, v)[0] - right).max() / 2**-23:.0f} eps"

        halves = {"float16": 80.0625, "bfloat16": 80.5}
        for name, near in (halves | {"float32": 0, "float64": 0}).items():
            self.dtype = "float64"  # which some do not have
            try:
                dtype = np.dtype(name)
            except TypeError:  # bfloat16, unless ml_dtypes was imported
                continue
            if near and self.cap == "none" and self.beta > 0:
                self.look(name, partial(large, dtype, near))
            try:
                found = self.ask(*np.ones((3, 1, 2, 8), dtype))
                other += [f"{name} to {found.dtype}"] * (found.dtype != dtype)
            except Exception:
                other.append(f"{name} raises")
        self.say("dtype", ", ".join(other) or "kept")
        if self.cap == "none" and self.beta > 0:
            if self.beta < 0.5:
                self.look("scale applied", early)
            self.look("error in float32", error)
