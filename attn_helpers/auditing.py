"""An audit for any attention function: what it computes, told by its answers alone.

In the spirit of scikit-learn's ``check_estimator``: some forty small calls on inputs whose answer
is known. With values that are rows of the identity an answer is its weights, and for two keys
``log(w_0 / w_1)`` is the difference of their logits.
"""

from __future__ import annotations

import inspect
import math
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from html import escape
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from attn_helpers.weights import softmax

Array = NDArray[Any]
LAYOUTS: dict[str, Callable[[Array], Array]] = {  # where (heads, n, d) goes
    "(batch, heads, n, d)": lambda x: x[None],
    "(batch, n, heads, d)": lambda x: x.swapaxes(0, 1)[None],
    "(batch, n, d)": lambda x: x[:1],
    "(n, d)": lambda x: x[0],
}
LAWS = {
    "1/√d": (-0.5, 1),
    "1, no scale": (0, 1),
    "1/d": (-1, 1),
    "√d": (0.5, 1),
}  # p, c of c · d^p
#: Of what was found: how usual it is, who else does so, and what it costs.
NOTES = {
    "1/√d": "usual",
    "1, no scale": "as T5 and keras.layers.Attention; sharp by √d unless the first W_q has it",
    "1/d": "μP's rule, or 1/√d twice: at the start weights are nearly even",
    "√d": "multiplied where it should be divided: one key takes nearly all",
    "0": "weights do not depend on the scores",
    "not positive": "the better a key fits, the less weight it gets",
    "lengths do not matter": "a norm of q or k, as QK norm and cosine attention have",
    "True takes part": "usual: torch's scaled_dot_product_attention, JAX, Keras, ONNX",
    "True is removed": "as torch.nn.MultiheadAttention; masks of other functions show the future",
    "added as a number": "True adds one to a logit: nothing is hidden",
    "mask ignored": "what was to be hidden is seen",
    "transposed": "it hides queries from keys: row and column are exchanged",
    "zero in place of a score": "what is hidden keeps a weight; -1e9 was meant, or −inf",
    "after the softmax": "what is left does not sum to one: hide before it",
    "after the scale": "usual",
    "read as boolean": "any number but zero is True, −inf too; a bias is lost",
    "before the scale": "a bias such as ALiBi's is multiplied by β as well",
    "zeros": "as torch's scaled_dot_product_attention",
    "mean of values": "as JAX with a boolean mask: what is padding gets an answer",
    "NaN": "as a plain softmax of −inf: the next layer spreads it",
    "clean": "finite",
    "not finite": "the step that follows spoils all weights: let no row be empty",
    "as if unmasked": "where a mask hides everything it is lost",
    "top-left": "usual: torch, JAX, Keras, ONNX; beside a cache of keys give a mask",
    "bottom-right": "as MLX: the last query sees all keys, as decoding with a cache wants",
    "causal ignored": "every query sees the future",
    "without itself": "a query does not see its own key, the first none: the diagonal is hidden",
    "only the future": "what was to be hidden is seen",
    "the factor": "usual; 1/√d is given as d**-0.5",
    "ignored": "what is given has no effect",
    "the divisor": "give √d where others want 1/√d",
    "on top of its own": "a scale of 1/√d gives 1/d",
    "both": "usual: a key is seen if both let it",
    "mask": "causal is ignored: every query sees the future",
    "causal": "the mask is ignored: padding is seen",
    "consecutive": "usual: query heads 0 and 1 share key head 0",
    "cyclic": "query heads 0 and 2 share key head 0: weights trained elsewhere do not fit",
    "exact": "scores are kept in float32 until after the softmax, or scaled before",
    "before the product": "then q·k cannot overflow before it is divided",
    "overflows": "scores beyond 65 504, or 3.4e38, are infinite before they are divided",
    "nan eps": "exp of large logits is infinite: subtract each row's maximum first",
    "wrong": "scores lose their digits before the softmax: give it float32",
}


class Finding(NamedTuple):
    """One behaviour: its value, and how usual it is, who else has it, what it costs."""

    name: str
    value: str
    note: str = ""


@dataclass(frozen=True)
class Audit:
    """What an audit found: prints as a table, and shows as one in a notebook."""

    findings: list[Finding]

    @property
    def values(self) -> dict[str, str]:
        """Each behaviour's value by its name."""
        return {one.name: one.value for one in self.findings}

    def __repr__(self) -> str:
        a, b, _ = (max(map(len, column)) for column in zip(*self.findings, strict=True))
        return "\n".join(f"{x:{a}}  {y:{b}}  {note}".rstrip() for x, y, note in self.findings)

    def _repr_html_(self) -> str:
        row = "<tr><th>{}</th><td>{}</td><td>{}</td></tr>"
        return f"<table>{''.join(row.format(*map(escape, x)) for x in self.findings)}</table>"


class _Stop(BaseException):  # nothing that catches an error of a call stops it
    """Says why no further call is made."""


def audit(
    attention: Callable[..., Any],
    *,
    attn_mask: str | None = "attn_mask",
    is_causal: str | None = "is_causal",
    scale: str | None = "scale",
    gradient: Callable[..., Any] | None = None,
    seconds: float = 60.0,
) -> Audit:
    """Return what an attention function does, inferred from its answers to some forty calls.

    Parameters
    ----------
    attention : callable
        ``attention(query, key, value)`` on arrays ``(batch, heads, n, d)``, ``(batch, n, heads,
        d)``, ``(batch, n, d)`` or ``(n, d)``; its answer is made an array. Another library's is
        wrapped in two lines (below). A layer: of one head, matrices the identity, biases zero.
    attn_mask, is_causal, scale : str or None
        The names of its arguments for a mask, for causal attention and for β; one that it does
        not have is not used.
    gradient : callable, optional
        As ``jax.grad``: ``gradient(f)(x)`` for a number ``f(x)``. With it the audit tells whether
        a row that may see nothing spoils the gradients of others.
    seconds : float
        After so long no further call is made.

    Returns
    -------
    Audit
        Prints as a table. ``.values`` is a dict of what was found by name, ``.findings`` a list
        with a note to each. A call that raises is a finding. bfloat16 is asked if `ml_dtypes`
        was imported.

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
    uses = {"mask": attn_mask, "causal": is_causal, "scale": scale}
    names = {use: name for use, name in uses.items() if name and _takes(attention, name)}
    probe = _Probe(attention, names, gradient, seconds)
    try:
        for part in (probe.start, probe.scale, probe.masks, probe.heads, probe.precision):
            part()
    except _Stop as why:
        probe.say("stopped", str(why))
    return probe.report


def _takes(attention: Callable[..., Any], name: str) -> bool:
    """Whether a function has an argument of this name; a compiled one may not tell."""
    try:
        inspect.signature(attention).bind_partial(**{name: None})
    except (TypeError, ValueError) as error:
        return isinstance(error, ValueError)
    return True


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0][:70]}"


def _nearest(found: Any, kinds: dict[str, Any], otherwise: str, within: float = 0.01) -> str:
    """Return the first kind whose numbers were found."""
    fits = (kind for kind, x in kinds.items() if np.allclose(found, x, 0, within, equal_nan=True))
    return next(fits, otherwise)


def _drawn(seen: Array) -> str:
    return " ".join("".join(row) for row in np.where(seen, "#", "."))


class _Probe:
    """The calls, and what has been learned so far."""

    layout = to = ""  # where the arguments and the answer have their heads
    dtype = "float32"  # what models are run in
    cap = "none"
    calls = 0

    def __init__(self, attention: Any, names: dict[str, str], gradient: Any, limit: float) -> None:
        self.attention, self.names, self.gradient = attention, names, gradient
        self.limit, self.end, self.report = limit, time.monotonic() + limit, Audit([])

    def say(self, name: str, value: str, note: str = "") -> str:
        self.report.findings.append(Finding(name, value, note or NOTES.get(value, "")))
        return value

    def look(self, name: str, measure: Callable[..., str], *given: Any) -> str:
        """Say what a measurement finds, or that it raises."""
        try:
            return self.say(name, measure(*given))
        except Exception as error:
            return self.say(name, "raises", _said(error))

    def cast(self, x: Any) -> Any:
        """Return float64 as float32, until it is asked for float64 itself."""
        return x.astype(self.dtype, copy=False) if getattr(x, "dtype", 0) == np.float64 else x

    def ask(self, q: Array, k: Array, v: Array, **options: Any) -> Array:
        """Return the answer (heads, n_q, d_v) to query, key and value (heads, n, d)."""
        if time.monotonic() > self.end:
            raise _Stop(f"{self.calls} calls took {self.limit:g} s, the rest was not asked")
        self.calls += 1
        three = [LAYOUTS[self.layout](self.cast(x)) for x in (q, k, v)]
        named = {self.names[use]: self.cast(x) for use, x in options.items()}
        with np.errstate(all="ignore"):
            answer = self.attention(*three, **named)
        if isinstance(answer, tuple):
            raise TypeError("it returns a tuple: hand over the answer alone")
        found = np.asarray(answer)
        wanted = LAYOUTS[self.to](np.empty((*q.shape[:2], v.shape[2]))).shape
        if found.shape != wanted:
            raise ValueError(f"the answer has shape {found.shape}, not {wanted}")
        heads = found[0].swapaxes(0, 1) if "n, heads" in self.to else found
        return heads.reshape(-1, q.shape[1], v.shape[2])

    def weights(self, q: Array, k: Array, heads: int = 1, **options: Any) -> Array:
        """Return the first head's weights (n_q, n), a query for each key if one is given."""
        q = np.repeat(q, len(k), axis=0) if len(q) == 1 else q
        three = (q, k, np.eye(len(k), max(k.shape), dtype=q.dtype))
        found = self.ask(*(np.stack([x] * heads) for x in three), **options)
        return found[0, :, : len(k)].astype(float)

    def logit(self, d: int, score: float, keys: int = 2, long: float = 1, **options: Any) -> float:
        """Return the logit of a score, half the difference to that of its negative.

        Keys are `long`.
        """
        u = np.random.default_rng(d).standard_normal((1, d))
        u /= np.linalg.norm(u)
        k = np.concatenate([u, -u] * (keys // 2)) * long
        w = self.weights(score / long * u, k, **options)[-1, :2]
        return 0.5 * math.log(w[0] / w[1]) if w.min() > 0 else math.inf

    def start(self) -> None:
        """Find a layout in which it answers, twice the same, with weights."""
        rng, problems = np.random.default_rng(0), []
        given = [rng.standard_normal((2, n, 8)) for n in (3, 5)] + [np.stack([np.eye(5, 8)] * 2)]
        given = [x.astype(self.dtype) for x in given]
        before = [x.copy() for x in given]
        for self.layout, self.to in product(LAYOUTS, LAYOUTS):
            if self.layout != self.to and not ("heads" in self.layout and "heads" in self.to):
                continue
            q, k, v = (x if "heads" in self.layout else x[:1] for x in given)
            try:
                found, again = self.ask(q, k, v), self.ask(q, k, v)
                break
            except Exception as error:
                problems.append(f"{self.layout} {_said(error)}")
        else:
            raise _Stop(
                "attention(query, key, value) fails: " + "; ".join(dict.fromkeys(problems))
            )
        turned = [self.to] * (self.to != self.layout)
        note = "transpose the answer" * bool(turned)
        self.say("call", " to ".join([self.layout, *turned]), note)
        if not np.array_equal(found, again, equal_nan=True):
            raise _Stop("it is random, two equal calls differ: is dropout on?")
        if not all(map(np.array_equal, given, before)):
            self.say("inputs", "changed in place", "the caller's arrays are overwritten")
        if not np.allclose(found.sum(axis=-1), 1, atol=1e-2):
            whys = {
                ": is the softmax over the queries?": found.sum(axis=1)[:, :5] - 1,
                ": is the softmax over the heads?": found.sum(axis=0)[:, :5] - 1,
                ": does the softmax sum over everything?": found.sum() - 1,
                ": the values are not used": self.ask(q, k, 2 * v) - found,
            }
            many = ": are heads and rows mixed? one head is asked" * ("heads" not in self.layout)
            raise _Stop("rows of its weights do not sum to one" + _nearest(0, whys, many))
        if "batch" in self.layout:
            one = [LAYOUTS[self.layout](x) for x in (q, k, v)]
            with suppress(Exception):  # some wrappers take one text
                two = np.asarray(self.attention(*(np.concatenate([x, -x]) for x in one)))
                alone = np.asarray(self.attention(*one))
                if len(two) == 2 and not np.allclose(two[0], alone[0], atol=1e-2):
                    self.say("batch", "mixed", "another text in the batch changes an answer")
        self.hides = not found[0, 0, 1:5].any()
        if self.hides:
            self.say("no mask", "causal", "without a mask it hides later keys")
        scores = q @ k.swapaxes(-1, -2)
        cosines = scores / np.linalg.norm(k, axis=-1)[:, None]  # ordered alike in a row
        orders = [np.argsort(x * sign) for x in (scores, cosines) for sign in (1, -1)]
        told = not self.hides and np.ptp(found[..., :5]) > 1e-4
        if told and not any(np.array_equal(np.argsort(found[..., :5]), x) for x in orders):
            self.say("scores", "not q·k", "is key transposed, or only seen in another shape?")

    def scale(self) -> None:
        """Infer β at five widths and the law c · d^p; then a norm or a cap."""
        widths = np.array([8, 16, 32, 64, 128])
        found = np.array([self.logit(d, 1.0) for d in widths])
        self.beta, self.wide = map(float, found[3:])
        if not (found > 0).all():
            self.say("scale", "not positive" if found.any() else "0")
            return
        p, log_c = np.polyfit(np.log(widths), np.log(found), 1)
        c = math.exp(log_c)
        law = f"{c:.4g} at every width" if abs(p) < 0.005 else f"{c:.3g} · d^{p:.3g}"
        law = f"{c:.3g}/√d" if abs(p + 0.5) < 0.005 else law
        value = _nearest((p, c), LAWS, law, 0.02)
        if np.abs(np.log(found) - p * np.log(widths) - log_c).max() > 0.01:
            value = f"{found[0]:.3g} to {found[4]:.3g}, no power of d"
        note = f"at d = 64 1/√{self.beta**-2:.3g}: is that the model's width? the heads?"
        self.say("scale", value, NOTES.get(value, note * (self.beta < 1)))
        for what in ("keys", "heads") if "heads" in self.layout else ("keys",):
            self.depends(what, "8", **{what: 8})
        if "scale" in self.names:
            self.look("scale argument", self.given)
        small, far = (self.logit(64, logit / self.beta) for logit in (0.1, 15))
        long = self.logit(64, 1.0, long=3.0) / self.beta  # keys three times as long, q a third
        bent = "none" if math.isclose(far, 15, rel_tol=0.01) else "capped"
        self.cap = "lengths do not matter" if math.isclose(small, far, rel_tol=0.01) else bent
        if bent == "none" and not math.isclose(long, 1, rel_tol=0.01):
            self.cap = "a key's length does not count in full"
        notes = {
            "none": "of logits up to 15",
            "capped": f"15 becomes {far:.3g}; as Gemma 2's tanh; at the cap gradients vanish",
        }
        self.say("cap", self.cap, notes.get(self.cap, ""))

    def given(self) -> str:
        two, lost = self.logit(64, 1.0, scale=2.0), "; 0 raises"
        kinds = {"the factor": 2, "the divisor": 0.5, "on top of its own": 2 * self.beta}
        with suppress(Exception):
            none = self.logit(64, 1.0, scale=0.0)
            lost = "; 0 is taken for none" * math.isclose(none, self.beta, rel_tol=0.01)
        return _nearest(two, {**kinds, "ignored": self.beta}, f"with 2 it is {two:.3g}") + lost

    def depends(self, what: str, given: str, **more: Any) -> None:
        times = self.logit(64, 1.0, **more) / self.beta
        if not math.isclose(times, 1, rel_tol=0.01):
            note = f"with {given} {what} it is {times:.3g} times as large"
            self.say(f"scale and {what}", f"it depends on the {what}", note)

    def masks(self) -> None:
        """Find what True means, where a float mask is added, and what an empty row becomes."""
        if "mask" not in self.names:
            self.say("mask", "not offered")
            return
        told, hidden = self.look("bool mask", self.boolean), np.array([[True] * 2, [False] * 2])
        empties = {"boolean": hidden == (told == "True is removed")} if "True " in told else {}
        if empties and self.beta:  # where nothing is hidden
            self.depends("mask", "a", mask=np.full((2, 2), told == "True takes part"))
        if self.look("float mask", self.added) != "read as boolean":
            empties["−inf"] = np.where(hidden, -np.inf, 0.0)
        for kind, mask in empties.items():
            self.look(f"empty row, {kind}", self.empty, mask)
            if self.gradient is not None:
                self.look(f"gradient beside it, {kind}", self.beside, mask)

    def boolean(self) -> str:
        seen = np.array([[1, 0, 0], [1, 1, 0], [1, 0, 1]], bool)
        q = np.full((3, 64), (2 / 64 / self.beta) ** 0.5 if self.beta > 0 else 0.2)  # logits 2
        w = self.weights(q, q, mask=seen)
        kinds = {
            "True takes part": softmax(np.where(seen, 0, -np.inf)),
            "True is removed": softmax(np.where(seen, -np.inf, 0)),
            "mask ignored": np.full((3, 3), 1 / 3),
            "added as a number": softmax(1.0 * seen),
            "transposed": softmax(np.where(seen.T, 0, -np.inf)),
            "zero in place of a score": softmax(2.0 * seen),
            "after the softmax": seen / 3,
        }
        return _nearest(w, kinds, f"weights {w[0].round(3)}")

    def added(self) -> str:
        q = np.full((2, 64), 0.2)
        w = self.weights(q, 0 * q, mask=np.array([[0.0, 0.0], [1.0, 0.0]]))[1]
        if w.min() == 0:
            return "read as boolean"
        shift = math.log(w[0] / w[1])
        kinds = {"after the scale": 1, "mask ignored": 0, "before the scale": self.beta}
        return _nearest(shift, kinds, f"{shift:.3g}")

    def empty(self, mask: Array) -> str:
        q = np.full((2, 64), 0.2)
        keys = q * [[1], [0]]
        free, w = self.weights(q, keys), self.weights(q, keys, mask=mask)
        kinds = {"NaN": np.nan, "zeros": 0.0, "mean of values": 0.5, "as if unmasked": free[0]}
        spoilt = not np.allclose(w[1], free[1], atol=1e-3)
        return _nearest(w[0], kinds, f"{w[0]}", 1e-3) + "; other rows change" * spoilt

    def beside(self, mask: Array) -> str:
        named, x = {self.names["mask"]: self.cast(mask)}, self.cast(np.full((1, 2, 64), 0.2))
        slope = self.gradient(lambda x: self.attention(x, x, x, **named).reshape(2, -1)[1].sum())
        clean = np.isfinite(np.asarray(slope(LAYOUTS[self.layout](x)))).all()
        return "clean" if clean else "not finite"

    def heads(self) -> None:
        """See which keys causal queries see, and which of four query heads share a key head."""
        for n_q, n in ((2, 5), (5, 2)) if "causal" in self.names else ():
            self.look(f"causal, {n_q} × {n}", self.causal, n_q, n)
        told = self.report.values.get("bool mask", "")
        if "causal" in self.names and "True " in told:
            self.look("mask and causal", self.both, told == "True takes part")
        if "heads" in self.layout:
            self.look("grouped heads", self.shared)

    def causal(self, n_q: int, n: int) -> str:
        found = self.weights(np.zeros((n_q, 8)), np.zeros((n, 8)), causal=True)
        seen = found > 1e-6
        kinds = {"top-left": np.tri(n_q, n), "bottom-right": np.tri(n_q, n, n - n_q)}
        kinds["causal ignored"] = np.ones((n_q, n))
        some = np.abs(found[seen.any(axis=-1)].sum(axis=-1) - 1) > 0.01
        later = {
            "without itself": np.tri(n_q, n, -1)[1:],
            "only the future": 1 - np.tri(n_q, n)[1:],
        }
        drawn = _drawn(seen)  # of which the first row may be empty
        drawn = _nearest(seen[1:], later, drawn) if seen[1:].any() else drawn
        return _nearest(seen, kinds, drawn) + "; rows do not sum to one" * bool(some.any())

    def both(self, takes_part: bool) -> str:
        tri = np.tri(3, dtype=bool)
        seen = np.array([[1, 1, 1], [1, 1, 1], [0, 1, 1]], bool)
        q = np.zeros((3, 8))
        found = self.weights(q, q, mask=seen == takes_part, causal=True)
        kinds = {"NaN": np.nan * tri, "both": seen & tri, "mask": seen, "causal": tri}
        found = np.where(np.isnan(found), found, found > 1e-6)
        return _nearest(found, kinds, _drawn(found))

    def shared(self) -> str:
        value = np.arange(2.0)[:, None, None] * np.ones((2, 3, 8))
        try:
            found = self.ask(np.zeros((4, 3, 8)), np.zeros((2, 3, 8)), value)[:, 0, 0]
        except (ValueError, TypeError, RuntimeError, AssertionError):
            return "not offered"
        kinds = {"consecutive": [0, 0, 1, 1], "cyclic": [0, 1, 0, 1]}
        return _nearest(found, kinds, "".join(f"{x:.0f}" for x in found))

    def precision(self) -> None:
        """Try large scores in half precision and in float32; then hard rows against float64."""
        other, plain = [], self.cap == "none" and self.beta > 0
        for name, near in {
            "float16": 80.0625,
            "bfloat16": 80.5,
            "float32": 0,
            "float64": 0,
        }.items():
            self.dtype = "float64"  # which some do not have
            try:
                dtype = np.dtype(name)
            except TypeError:  # bfloat16, unless ml_dtypes was imported
                continue
            if near and plain:
                self.look(name, self.large, dtype, near)
            try:
                found = self.ask(*np.ones((3, 1, 2, 8), dtype))
                other += [f"{name} to {found.dtype}"] * (found.dtype != dtype)
            except Exception:
                other.append(f"{name} raises")
        self.say("dtype", ", ".join(other) or "kept")
        if plain and self.beta < 0.5:
            self.look("scale applied", self.early)
        if plain and not self.hides:
            self.look("error in float32", self.error)

    def large(self, dtype: Any, near: float) -> str:
        q, k = np.full((1, 128), 80, dtype), np.full((2, 128), 80, dtype)
        k[0, 0] = near
        w = self.weights(q, k)[1, 0]
        right = 1 / (1 + math.exp(-self.wide * 80 * (near - 80)))
        return "exact" if abs(w - right) < 0.02 else "wrong" if np.isfinite(w) else "overflows"

    def early(self) -> str:
        big = np.full((2, 128), 3e18, np.float32)  # q·k is beyond float32, q·k/√d is not
        fine = np.isfinite(self.weights(big, big)).all()
        return "before the product" if fine else "overflows"

    def error(self) -> str:
        q, k, v = np.random.default_rng(1).standard_normal((3, 1, 64, 64)).astype(np.float32)
        q *= np.float32(30 / (8 * self.beta))  # logits of standard deviation 30
        right = softmax(self.beta * (q[0].astype(float) @ k[0].astype(float).T)) @ v[0]
        return f"{np.abs(self.ask(q, k, v)[0] - right).max() / 2**-23:.0f} eps"
