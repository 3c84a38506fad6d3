"""Exercises answered with a function."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, ClassVar

import numpy as np

from ..messages import SAY, shape_text
from ..model import Kind, Note, Reply, Wrong, quiet
from ..reading import is_empty_function
from .array import Array
from .mechanism import Mechanism, Outcome, call_text, numbers_text, run
from .number import Number
from .typed import text_field

_FEW = 8
MUTATION = "mutation"


@dataclass(frozen=True, eq=False)
class Instead:
    """What the static page asks in place of a function's result, with its wrong answers."""

    question: str  #: plain Unicode
    kind: Number | Array
    wrong: tuple[Wrong, ...]


@dataclass(frozen=True, eq=False)
class Function(Kind):
    """A function the learner writes; its mechanisms are tested one at a time.

    The first that fails is reported. That the inputs are left alone is tested after them, under
    the name "mutation". On the static page, where Python cannot run, the reader runs the function
    on the probe and types the result. Where right functions differ in what they return, no result
    can be compared: then the page asks `instead`.
    """

    name: str
    stub: str  #: the Python text the learner starts from
    reference: Callable[..., Any]
    mechanisms: tuple[Mechanism, ...]
    probe: tuple[Any, ...]
    instead: Instead | None = None

    kind_name: ClassVar[str] = "function"

    def judge(self, answer: Any, wrong: Sequence[Wrong], note: Note = quiet) -> Reply:
        """Test the mechanisms in order and report the first failing one."""
        if is_empty_function(answer):
            return Reply(False, SAY["blank"], blank=True)
        if not callable(answer):
            line = f"The function itself is asked for, {self.name} without brackets after it"
            return Reply(False, f"{line}; yours is of type {type(answer).__name__}.")
        mutated = ""
        for mechanism, got, trouble in self._tested(answer, note):
            call = mechanism.call_text(self.name)
            if trouble:
                return Reply(False, self._line(call, trouble, got, mechanism, wrong))
            mutated = mutated or (call if got.mutated else "")
        if mutated:
            known = [w.say for w in wrong if w.mechanism == MUTATION]
            advice = known[0] if known else "Work on a copy, or write out = scores - m, not -=."
            return Reply(False, f"{mutated} is right, but it changed its own input. {advice}")
        return Reply(True, SAY["right"])

    def _tested(
        self, function: Callable[..., Any], note: Note = quiet
    ) -> Iterator[tuple[Mechanism, Outcome, str]]:
        """Yield each mechanism with what the function did and what is wrong with it, or ""."""
        for mechanism in self.mechanisms:
            note(mechanism.call_text(self.name))
            got, expected = (run(f, mechanism) for f in (function, self.reference))
            yield mechanism, got, got.trouble or _trouble(got.result, expected.result, mechanism)

    def _line(
        self, call: str, trouble: str, got: Outcome, mechanism: Mechanism, wrong: Sequence[Wrong]
    ) -> str:
        """Put the call, what is wrong with it and the likely mistake into one line."""
        for known in wrong:
            likely = known.mechanism in ("", mechanism.name)
            if likely and got.equals(run(known.answer, mechanism)):
                return f"{call} {trouble} {known.say}"
        return f"{call} {trouble}" if got.trouble else f"{call} {trouble} {mechanism.say}"

    def right_answers(self) -> tuple[Any, ...]:
        """Return the reference."""
        return (self.reference,)

    def probe_text(self) -> str:
        """Write the probe as Python text."""
        return call_text(self.name, self.probe, {})

    def _probed(self, function: Callable[..., Any]) -> np.ndarray | None:
        """Run a trusted function on the probe; None if it gives no finite numbers."""
        outcome = run(function, Mechanism("probe", self.probe, ""))
        if outcome.trouble or outcome.result.dtype.kind == "c":
            return None
        result = outcome.result.astype(float)
        return result if np.all(np.isfinite(result)) else None

    def probe_kind(self, wrong: Sequence[Wrong]) -> tuple[Number | Array, tuple[Wrong, ...]]:
        """Turn the probe into a number or array exercise with the wrong functions' results.

        Wrong functions that give the right result on the probe, the result of an earlier one, or
        no finite numbers are dropped.
        """
        if self.instead:
            return self.instead.kind, self.instead.wrong
        right = self._probed(self.reference)
        if right is None:
            raise ValueError("the probe's right result is not finite")
        compared = Array(right)
        seen, kept = [right], list[Wrong]()
        for known in wrong:
            result = self._probed(known.answer)
            if result is None or any(compared.same(result, s) for s in seen):
                continue
            if right.ndim or not result.ndim:  # a field for one number takes no array
                seen.append(result)
                kept.append(Wrong(result if result.ndim else float(result), known.say))
        kind = compared if right.ndim else Number(float(right), compared.rtol, compared.atol)
        return kind, tuple(kept)

    def spec(self, wrong: Sequence[Wrong]) -> dict[str, Any]:
        """Return the probe's spec."""
        kind, kept = self.probe_kind(wrong)
        return kind.spec(kept)

    def fields(self, prefix: str) -> str:
        """Return the probe's call and the field for its result."""
        kind, _ = self.probe_kind(())
        if self.instead:
            asked = f'<p class="exercise-label">{escape(self.instead.question)}</p>'
            return asked + text_field(prefix, "Your answer", kind.help)
        intro = '<p class="exercise-label">Run your function in the notebook on this:</p>'
        probe = f'<pre class="exercise-probe"><code>{escape(self.probe_text())}</code></pre>'
        return intro + probe + text_field(prefix, "What it gives", kind.help)

    def validate(self, wrong: Sequence[Wrong]) -> None:
        """At least one mechanism has to compare values, or anything of the right form passes."""
        if not self.instead and all(m.check is not None for m in self.mechanisms):
            raise ValueError("no mechanism compares with the reference")
        if self.instead:
            self.instead.kind.validate(self.instead.wrong)
        names = {m.name for m in self.mechanisms} | {MUTATION, ""}
        for w in wrong:
            if not callable(w.answer) or w.mechanism not in names:
                raise ValueError(f"wrong {w.answer!r}: not a function, or unknown mechanism")


def _trouble(got: np.ndarray, expected: np.ndarray, mechanism: Mechanism) -> str:
    """Return what is wrong with the result of one call, or nothing."""
    if got.dtype.kind == "c" != expected.dtype.kind:
        return "should be real; yours is complex."
    if mechanism.check is None:
        return _difference(expected, got, mechanism.rtol, mechanism.atol)
    try:
        line = mechanism.check(got, *mechanism.arguments(), **mechanism.kwargs) or ""
    except Exception:  # an odd shape or dtype the check did not think of
        line = "gives something that cannot be checked."
        if got.shape != expected.shape:
            line = _shapes(expected, got)
    return line if not line or line.endswith((".", "?")) else f"{line}."


def _difference(ours: np.ndarray, theirs: np.ndarray, rtol: float, atol: float) -> str:
    """Say how `theirs` differs from the expected array, or nothing."""
    if ours.shape != theirs.shape:
        return _shapes(ours, theirs)
    near = np.isclose(theirs, ours, rtol=rtol, atol=atol, equal_nan=True)
    if near.all():
        return ""
    if ours.size <= _FEW:
        verb, here, there = "give", numbers_text(ours), numbers_text(theirs)
        yours = "gives"
    else:
        index = tuple(int(i) for i in np.argwhere(~near)[0])
        place = f" at index {list(index)}"
        verb, here, there = "have", numbers_text(ours[index]) + place, numbers_text(theirs[index])
        yours = "has"
    if here.startswith(there):  # the difference does not show in four digits
        return f"should {verb} {here}; yours differs in the digits after that."
    return f"should {verb} {here}; yours {yours} {there}."


def _shapes(ours: np.ndarray, theirs: np.ndarray) -> str:
    if ours.ndim == 0:
        return f"should give one number; yours has shape {shape_text(theirs.shape)}."
    yours = f"has shape {shape_text(theirs.shape)}" if theirs.ndim else "is a single number"
    return f"should have shape {shape_text(ours.shape)}; yours {yours}."
