"""Exercises answered with a function."""

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from html import escape
from typing import Any, ClassVar, NamedTuple

import numpy as np

from .. import verdicts
from ..answers import is_empty_function
from ..messages import SAY, shape_text
from ..model import Kind, Note, Reply, Wrong, quiet
from .chosen import Choice
from .mechanism import LARGE, Mechanism, Outcome, call_text, numbers_text, run
from .typed import Array, Number, text_field

_FEW = 8
_SEED = 2017
_CLEAR = re.compile(r"digits after that|by rounding|rounded to|[?]$")  # says all by itself
_CAST = "Cannot cast ufunc"  # what NumPy raises when floats are written into whole numbers
RANDOM = "random inputs"
AGAIN = "gives two results for one input: leave out what is drawn at random or kept between calls."
ASSUMED = "The small examples are right; this input has {}. What do you take for granted?"

_DIGITS = "The result is rounded: return all of its digits."
#: What may have been done to the right result, and the sentence that says so.
SLIPS: tuple[tuple[Callable[[np.ndarray], np.ndarray], str], ...] = (
    (lambda x: -x, "That is the right result with its sign turned."),
    (np.trunc, "The result is cut to whole numbers: return it as it is."),
    *((partial(np.round, decimals=k), _DIGITS) for k in range(7)),
    (np.abs, "The sizes are right, but negative results have lost their sign."),
    (
        lambda x: x[::-1] if x.ndim == 1 else x,
        "These are the right numbers in the opposite order.",
    ),
    (
        lambda x: x.T if x.ndim == 2 else x,
        "That is the right result with rows and columns exchanged.",
    ),
    (np.sqrt, "That is the square root of the right result."),
    (np.square, "That is the square of the right result."),
    (lambda x: 2 * x, "That is twice the right result."),
    (lambda x: x / 2, "That is half of the right result."),
)

Inputs = Callable[[np.random.Generator], Iterable[Mechanism]]
Asked = tuple[Number | Array | Choice, tuple[Wrong, ...]]  # a kind and its wrong answers


class Trial(NamedTuple):
    """A call, what the reference does with it, and the name under which a failure is listed."""

    call: Mechanism
    expected: Outcome
    group: str


class Tried(NamedTuple):
    """A trial, what the learner's function did, and the words for what is wrong, or ""."""

    trial: Trial
    got: Outcome
    trouble: str


@dataclass(frozen=True, eq=False)
class Instead:
    """What the static page asks in place of a function's result, with its wrong answers."""

    question: str  #: plain Unicode
    kind: Number | Array | Choice
    wrong: tuple[Wrong, ...]


@dataclass(frozen=True, eq=False)
class Function(Kind):
    """A function the learner writes; its mechanisms are tested one at a time, then random inputs.

    The first failure is explained, the others are listed. `inputs` draws the random ones, as
    ``case("integers", array)``: several shapes, negative, fractional, whole numbers. That the
    arguments are left alone, and that a second call gives the same, is tested after them. On a
    page without Python the reader runs the function in the notebook on the probe and types the
    result. Where right functions differ in what they return, no result can be compared: then the
    page asks `instead`.
    """

    name: str
    stub: str  #: the Python text the learner starts from
    reference: Callable[..., Any]
    mechanisms: tuple[Mechanism, ...]
    probe: tuple[Any, ...]
    inputs: Inputs | None = None
    instead: Instead | None = None

    kind_name: ClassVar[str] = "function"

    def judge(self, answer: Any, wrong: Sequence[Wrong], note: Note = quiet) -> Reply:
        """Try everything, explain the first failure and list the others."""
        if is_empty_function(answer):
            return Reply(False, SAY["blank"], blank=True)
        if not callable(answer):
            line = f"The function itself is asked for, {self.name} without brackets after it"
            return Reply(False, f"{line}; yours is of type {type(answer).__name__}.")
        done = [self._tested(answer, trial, note) for trial in self.trials]
        changing = [tried for tried in done if tried.got.changed]
        failures = [tried for tried in done if tried.trouble]
        if changing and all(_CAST in failed.trouble for failed in failures):
            return self._changed(changing, wrong)
        if failures:
            line, step = self._explained(answer, done, wrong)
            others = _others(failures, bool(changing))
            said = (line, step or "", others) if step else (line, others)
            inputs = failures[0].trial.call.args
            return Reply(False, " ".join(filter(None, said)), inputs=inputs, hint=step is None)
        for trial, got, _ in done[:1] + done[-1:]:
            if not run(answer, trial.call).equals(got):
                return Reply(False, f"{trial.call.call_text(self.name)} {AGAIN}")
        return verdicts.right()

    @cached_property
    def trials(self) -> tuple[Trial, ...]:
        """Every call that is made, with what the reference does."""
        return self.drawn(_SEED, self.mechanisms)

    def drawn(self, seed: int, first: Iterable[Mechanism] = ()) -> tuple[Trial, ...]:
        """Return the trials of `first`, and those of the random inputs of one seed."""
        trials = [Trial(m, run(self.reference, m), m.name) for m in first]
        if self.inputs:
            for drawn in self.inputs(np.random.default_rng(seed)):
                said = replace(drawn, say=ASSUMED.format(drawn.name))
                trials.append(Trial(said, run(self.reference, drawn), RANDOM))
        return tuple(trials)

    def _tested(self, function: Callable[..., Any], trial: Trial, note: Note = quiet) -> Tried:
        """Return what the function does in one trial, and what is wrong with it."""
        note(trial.call.call_text(self.name))
        got = run(function, trial.call)
        return Tried(trial, got, got.trouble or _trouble(got, trial.expected, trial.call))

    def _explained(
        self, function: Callable[..., Any], done: Sequence[Tried], wrong: Sequence[Wrong]
    ) -> tuple[str, str | None]:
        """Return the first failing call with what is wrong, and the mistake or a step to take.

        The step is None where the exercise's first hint should follow, "" where nothing should.
        """
        failed = next(tried for tried in done if tried.trouble)
        call = failed.trial.call
        line = f"{call.call_text(self.name)} {failed.trouble}"
        if " shape (" in line.partition(")")[0]:
            line = f"{line} The arguments are in check(…).inputs."
        if named := self._named(function, failed, done, wrong) or _slip(done):
            return line, named
        if failed.got.trouble:  # nothing came back; was it this call that was one too many?
            return line, call.say if failed is not done[0] else ""
        if call.overflow and failed.got.finite:
            return line, None
        wanted, _, shape = failed.trouble.partition("yours has shape")
        shaped = shape and "one number" not in wanted and "shape" not in call.say
        return line, "" if shaped or _CLEAR.search(failed.trouble) else call.say

    def _named(
        self,
        function: Callable[..., Any],
        failed: Tried,
        done: Sequence[Tried],
        wrong: Sequence[Wrong],
    ) -> str:
        """Return the known mistake that the function shares: on two inputs, and on all tried."""
        outcomes = {id(tried.trial.call): tried.got for tried in done}
        for known in wrong:
            if not failed.got.equals(run(known.answer, failed.trial.call)):
                continue
            shared = []
            for call, right in self._elsewhere(failed.trial.call):
                theirs = run(known.answer, call)
                if theirs.equals(right):
                    continue  # where the mistake does not show, agreement says nothing
                got = outcomes.get(id(call)) or run(function, call)
                if got.finite or not theirs.finite:  # or another mistake hides it
                    shared.append(got.equals(theirs))
            if shared and all(shared):
                return known.say
        return ""

    def _elsewhere(self, first: Mechanism) -> Iterator[tuple[Mechanism, Outcome]]:
        """Yield other calls than `first`: the other trials, and `first` with other numbers."""
        yield from ((t.call, t.expected) for t in self.trials if t.call is not first)
        for seed in (1, 2):
            call = first.shaken(seed)
            expected = run(self.reference, call)
            moved = any(a is not b for a, b in zip(call.args, first.args, strict=True))
            if moved and not expected.trouble:
                yield call, expected

    def _changed(self, changing: list[Tried], wrong: Sequence[Wrong]) -> Reply:
        """Say that the result is right and which argument was changed."""
        call = changing[0].trial.call
        names = list(inspect.signature(self.reference).parameters)
        changed = ", ".join(names[i] for i in changing[0].got.changed)
        step = f"Work on a copy of {changed}: what you write into it, the caller finds there."
        for known in wrong:
            if all(f.got.equals(run(known.answer, f.trial.call)) for f in changing):
                step = known.say
                break
        line = f"{call.call_text(self.name)} is right, but it changed its own input. {step}"
        return Reply(False, line, inputs=call.args)

    def right_answers(self) -> tuple[Any, ...]:
        """Return the reference."""
        return (self.reference,)

    def _probed(self, function: Callable[..., Any]) -> np.ndarray | None:
        """Run a trusted function on the probe; None if it gives no finite numbers."""
        outcome = run(function, Mechanism("probe", self.probe, ""))
        if outcome.trouble or outcome.result.dtype.kind == "c" or not outcome.finite:
            return None
        return outcome.result.astype(float)

    def probe_kind(self, wrong: Sequence[Wrong]) -> Asked:
        """Return what a page without Python asks: `instead`, or the probe's result.

        Wrong functions that give the right result on the probe, the result of an earlier one, or
        no finite numbers are dropped.
        """
        if self.instead:
            return self.instead.kind, self.instead.wrong
        right = self._probed(self.reference)
        if right is None:
            raise ValueError("the probe's right result is not finite")
        seen, kept = [right], list[Wrong]()
        for known in wrong:
            result = self._probed(known.answer)
            if result is None or any(_alike(result, s) for s in seen):
                continue
            if right.ndim or not result.ndim:  # a field for one number takes no array
                seen.append(result)
                kept.append(Wrong(result if result.ndim else float(result), known.say))
        kind = Array(right) if right.ndim else Number(float(right), atol=1e-8)
        return kind, tuple(kept)

    def spec(self, wrong: Sequence[Wrong]) -> dict[str, Any]:
        """Return the probe's spec."""
        kind, kept = self.probe_kind(wrong)
        return kind.spec(kept)

    def fields(self, prefix: str) -> str:
        """Return the probe's call and the field for its result."""
        if self.instead:
            return f"<p>{escape(self.instead.question)}</p>{self.instead.kind.fields(prefix)}"
        kind, _ = self.probe_kind(())
        assert not isinstance(kind, Choice)
        intro = '<p class="exercise-label">Run your function in the notebook on this:</p>'
        text = escape(call_text(self.name, self.probe, {}))
        probe = f'<pre class="exercise-probe"><code>{text}</code></pre>'
        return intro + probe + text_field(prefix, "What it gives", kind.help)

    def validate(self, wrong: Sequence[Wrong]) -> None:
        """At least one mechanism has to compare values, or anything of the right form passes."""
        if self.instead:
            self.instead.kind.validate(self.instead.wrong)
        elif all(m.check is not None for m in self.mechanisms):
            raise ValueError("no mechanism compares with the reference")


def _alike(a: np.ndarray, b: np.ndarray) -> bool:
    """Tell whether two results are the same number or array to a reader of the page."""
    return a.shape == b.shape and bool(np.allclose(a, b, rtol=1e-3, atol=1e-8))


def _slip(done: Sequence[Tried]) -> str:
    """Return what was done to the right result, if all calls agree and two at least show it."""
    for change, sentence in SLIPS:
        shown, agree = 0, True
        for trial, got, _ in done:
            right = trial.expected
            if not right.finite:
                continue
            with np.errstate(invalid="ignore"):
                changed = replace(right, result=change(right.result.astype(float)))
            agree = agree and replace(got, changed={}).equals(changed)
            shown += not changed.equals(right)
        if agree and shown > 1:
            return sentence
    return ""


def _others(failures: Sequence[Tried], changing: bool) -> str:
    """List what else failed, without what fails for the same reason: a call that never works."""
    first, *more = failures
    if first.got.trouble and all(f.got.trouble == first.got.trouble for f in more):
        return ""
    names = dict.fromkeys(f.trial.group for f in more if f.trial.group != first.trial.group)
    line = [f"Also not right yet: {', '.join(names)}."] * bool(names)
    return " ".join([*line, *["It changes its argument, too."] * changing])


def _trouble(got: Outcome, expected: Outcome, call: Mechanism) -> str:
    """Return what is wrong with the result of one call, or nothing."""
    theirs, ours = got.result, expected.result
    if theirs.size > ours.size + LARGE:
        return _shapes(ours, theirs)
    if theirs.dtype.kind == "c" != ours.dtype.kind:
        return "should be real; yours is complex."
    if call.check is None:
        rtol, atol = call.rtol, call.atol
        if got.foreign and theirs.dtype.itemsize < ours.dtype.itemsize:
            # JAX computes in float32 unless told: its rounding is that of its largest input.
            largest = max(map(_largest, (*call.args, *call.kwargs.values(), ours)))
            rtol, atol = max(rtol, 1e-4), max(atol, 2e-6 * max(1.0, largest))
        line = _difference(ours, theirs, rtol, atol)
        return line or _rounded(got, ours)
    try:
        line = call.check(theirs, *call.arguments(), **call.kwargs) or ""
    except Exception:  # an odd shape or dtype the check did not think of
        line = "gives something that cannot be checked."
        if theirs.shape != ours.shape:
            line = _shapes(ours, theirs)
    if not line and any(getattr(x, "dtype", None) == np.float64 for x in call.args):
        return _rounded(got, ours)
    return line if not line or line.endswith((".", "?")) else f"{line}."


def _largest(value: Any) -> float:
    """Return the largest finite size in an argument, or zero."""
    array = np.asarray(value)
    if array.dtype.kind not in "iuf":
        return 0.0
    return float(np.max(np.abs(array), initial=0.0, where=np.isfinite(array)))


def _rounded(got: Outcome, ours: np.ndarray) -> str:
    """Say that digits were thrown away, if they were."""
    theirs = got.result
    if got.foreign or theirs.dtype.kind != "f" or theirs.dtype.itemsize >= ours.dtype.itemsize:
        return ""
    return f"should keep {ours.dtype.name}; yours is rounded to {theirs.dtype.name}."


def _difference(ours: np.ndarray, theirs: np.ndarray, rtol: float, atol: float) -> str:
    """Say how `theirs` differs from the expected array, or nothing."""
    if ours.shape != theirs.shape:
        return _shapes(ours, theirs)
    near = np.isclose(theirs, ours, rtol=rtol, atol=atol, equal_nan=True)
    if near.all():
        return ""
    verb, place = "give", ""
    if ours.size > _FEW:
        index = tuple(int(i) for i in np.argwhere(~near)[0])
        ours, theirs = ours[index], theirs[index]
        verb, place = "have", f" at index {list(index)}"
    here, there = numbers_text(ours), numbers_text(theirs)
    if here == there:  # the difference does not show in four digits
        line = f"should {verb} {here}{place}; yours differs in the digits after that."
        return f"{line} Are numbers rounded, or cast to a smaller type?"
    yours = {"give": "gives", "have": "has"}[verb]
    return f"should {verb} {here}{place}; yours {yours} {there}."


def _shapes(ours: np.ndarray, theirs: np.ndarray) -> str:
    if ours.ndim == 0:
        return f"should give one number; yours has shape {shape_text(theirs.shape)}."
    yours = f"has shape {shape_text(theirs.shape)}" if theirs.ndim else "is a single number"
    return f"should have shape {shape_text(ours.shape)}; yours {yours}."
