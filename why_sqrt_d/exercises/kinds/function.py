"""Exercises answered with a function."""

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from html import escape
from itertools import combinations
from time import monotonic
from typing import Any

import numpy as np

from ..answers import NotReadable, is_empty_function
from ..messages import SAY
from ..model import Kind, Verdict, Wrong
from ..time_limit import Stopped, limited
from .chosen import Choice
from .mechanism import (
    LARGE,
    RANDOM,
    Mechanism,
    Outcome,
    Seed,
    numbers_text,
    run,
    shapes,
)

_FEW = 8
_SEED = 2017
_IN_USE = 8  # seconds that a function may take where it is put to use
_CLEAR = re.compile(r"digits after that|by rounding|rounded to|[?]$")  # says all by itself
_CAST = "Cannot cast ufunc"  # what NumPy raises when floats are written into whole numbers
AGAIN = "gives two results for one input: leave out what is drawn at random or kept between calls."

_DIGITS = "The result is rounded: return all of its digits."
Change = Callable[..., Any]
#: What may have been done to the right result, and the sentence that says so.
SLIPS: tuple[tuple[Change, str], ...] = (
    (lambda x: -x, "That is the right result with its sign turned."),
    (np.trunc, "The result is cut to whole numbers: return it as it is."),
    *((lambda x, k=k: np.round(x, k), _DIGITS) for k in range(7)),
    (np.abs, "The sizes are right, but negative results have lost their sign."),
    (lambda x: x[::-1], "These are the right numbers in the opposite order."),
    (np.transpose, "That is the right result with its axes exchanged."),
    (np.sqrt, "That is the square root of the right result."),
    (np.square, "That is the square of the right result."),
    *((log, "That is the logarithm of the right result.") for log in (np.log, np.log10)),
    (lambda x: 2 * x, "That is twice the right result."),
    (lambda x: x / 2, "That is half of the right result."),
)

Inputs = Callable[[np.random.Generator], Iterable[Mechanism]]
Use = Callable[[Callable[..., Any]], str]  # puts a function to work, and says what comes of it
Done = Mapping[Mechanism, Outcome]  # every call, and what the learner's function did
Failures = Mapping[Mechanism, str]  # the calls that it got wrong, and what is wrong with them


@dataclass(frozen=True, eq=False)
class Instead:
    """What a page asks a reader without Python in place of a function."""

    question: str  #: plain Unicode
    kind: Choice
    wrong: tuple[Wrong, ...]


@dataclass(frozen=True, eq=False)
class Function(Kind):
    """A function the learner writes; its mechanisms are tested one at a time, then random inputs.

    The first failure is explained. `inputs` draws the random ones: several shapes, negative,
    fractional, whole numbers. That the arguments are left alone, and that a second call gives the
    same, is tested after them. A function whose results have the right shapes is put to `use`, if
    it has one.
    """

    name: str
    stub: str  #: the Python text the learner starts from
    reference: Callable[..., Any]
    mechanisms: tuple[Mechanism, ...]
    inputs: Inputs | None = None
    instead: Instead | None = None
    use: Use | None = None
    taken: Callable[..., Any] | None = None  #: what the package has of it, and is no answer

    def judge(self, answer: Any, wrong: Sequence[Wrong]) -> Verdict:
        """Try everything, and explain the first failure."""
        if is_empty_function(answer):
            return Verdict(False, SAY["blank"], blank=True)
        if not callable(answer):
            line = f"The function itself is asked for, {self.name} without quotes or brackets"
            return Verdict(False, f"{line}; yours is of type {type(answer).__name__}.")
        done = {call: self._run(answer, call) for call in self.trials}
        failures = {x: line for x, got in done.items() if (line := _trouble(got, x))}
        changing = [call for call, got in done.items() if got.changed]
        if changing and all(_CAST in line for line in failures.values()):
            return self._changed(changing[0], done[changing[0]])
        if failures:
            call, trouble = next(iter(failures.items()))
            named, line = self._named(done, call, wrong), f"{call.call_text(self.name)} {trouble}"
            step = "" if named else self._step(done, failures)
            also = "It changes its argument, too." * bool(changing)
            sentence = " ".join(filter(None, (named, line, step, self._used(answer, done), also)))
            return Verdict(False, sentence, inputs=call.args, hint=step is None)
        for call in (self.trials[0], self.trials[-1]):
            if not self._run(answer, call).equals(done[call]):
                return Verdict(False, f"{call.call_text(self.name)} {AGAIN}")
        return Verdict(True, " ".join(filter(None, (SAY["right"], self._used(answer, done)))))

    def _used(self, function: Callable[..., Any], done: Done) -> str:
        """Say what comes of a learner's function where it is put to use."""
        use, shapes = self.use, [(x.expected.result, got.result) for x, got in done.items()]
        if not use or any(ours.shape != theirs.shape for ours, theirs in shapes):
            return ""

        last = monotonic() + _IN_USE

        def works(*args: Any) -> np.ndarray:
            if monotonic() > last:
                raise TimeoutError
            got = run(function, Mechanism("", args, ""))
            if got.trouble:
                raise ValueError(got.trouble)
            return got.result

        try:
            return limited(lambda: use(works), calls=5)
        except TimeoutError:  # right or wrong, a plain loop may be too slow for so many calls
            return f"(Put to use it would take more than {_IN_USE} s: that is left out.)"
        except (Stopped, ValueError) as error:
            return f"Put to use, it {error}"

    @cached_property
    def trials(self) -> tuple[Mechanism, ...]:
        """Every call that is made, with what the reference does."""
        return (*map(self._expecting, self.mechanisms), *self.drawn(_SEED))

    def drawn(self, seed: int) -> tuple[Mechanism, ...]:
        """Return the random inputs of one seed."""
        calls = self.inputs(np.random.default_rng(seed)) if self.inputs else ()
        return tuple(map(self._expecting, calls))

    def _expecting(self, call: Mechanism) -> Mechanism:
        return replace(call, expected=run(self.reference, call))

    def _run(self, function: Callable[..., Any], call: Mechanism) -> Outcome:
        """Call a learner's function."""
        try:
            return limited(lambda: run(function, call), self.taken)
        except Stopped as stopped:
            raise NotReadable(f"{call.call_text(self.name)} {stopped}") from None

    def _step(self, done: Done, failures: Failures) -> str | None:
        """Return a step to take; None where the first hint should follow, "" where nothing."""
        call, trouble = next(iter(failures.items()))
        if _CLEAR.search(trouble):
            return ""
        if call.name == RANDOM:
            return _where(failures, done)
        if done[call].trouble and call is self.trials[0]:
            return None  # what a call is about says nothing of one that raised
        if call.overflow and done[call].finite:
            return None
        wanted, _, shape = trouble.partition("yours has shape")
        shaped = shape and "one number" not in wanted and "shape" not in call.say
        return "" if shaped else call.say

    def _named(self, done: Done, failed: Mechanism, wrong: Sequence[Wrong]) -> str:
        """Return the mistake, or two, that the function shares in every call where it shows."""

        def shared(known: Wrong, call: Mechanism, got: Outcome) -> bool:
            theirs = run(known.answer, call)
            # Where the mistake does not show, agreement says nothing; or another one hides it.
            hidden = call.expected.finite and theirs.finite and not got.finite
            silent = hidden or (got.trouble and theirs.trouble) or not _trouble(theirs, call)
            return bool(silent) or got.equals(theirs)

        drawn = any(isinstance(x, Seed) for x in failed.args)  # then there is no one right result
        for known in (*wrong, *_pairs(wrong), *(() if drawn else self._slips)):
            theirs = run(known.answer, failed)
            if not done[failed].equals(theirs) or not _trouble(theirs, failed):
                continue
            if all(shared(known, call, got) for call, got in done.items()):
                return known.say
        return ""

    @property
    def _slips(self) -> Iterator[Wrong]:
        """Yield the wrong functions that spoil the right result in one of the usual ways."""
        for change, sentence in SLIPS:

            def slipped(*args: Any, change: Change = change, **options: Any) -> Any:
                return change(np.asarray(self.reference(*args, **options), dtype=float))

            yield Wrong(slipped, sentence)

    def _changed(self, call: Mechanism, got: Outcome) -> Verdict:
        """Say that the result is right and which argument was changed."""
        names = list(inspect.signature(self.reference).parameters)
        first, *_ = changed = [names[i] for i in got.changed]
        line = (
            f"{call.call_text(self.name)} is right, but it changed its own input. Work on a copy"
        )
        line = f"{line} of {', '.join(changed)}: the caller finds there what {first}[…] = … writes"
        return Verdict(False, f"{line}, or {first} += … or {first} /= ….", inputs=call.args)

    def right_answers(self) -> tuple[Any, ...]:
        """Return the reference."""
        return (self.reference,)

    def asked(self, wrong: Sequence[Wrong]) -> tuple[Kind, Sequence[Wrong]]:
        """Return what is asked `instead`, if there is something."""
        return (self.instead.kind, self.instead.wrong) if self.instead else (self, wrong)

    def spec(self, wrong: Sequence[Wrong]) -> dict[str, Any]:
        """Return the spec of what is asked `instead`; without it the page cannot judge."""
        return self.instead.kind.spec(self.instead.wrong) if self.instead else {"kind": "function"}

    def fields(self, prefix: str) -> str:
        """Return what is asked `instead`; nothing where nothing is."""
        if not self.instead:
            return ""
        return f"<p>{escape(self.instead.question)}</p>{self.instead.kind.fields(prefix)}"

    def validate(self, wrong: Sequence[Wrong]) -> None:
        """At least one mechanism has to compare values, or anything of the right form passes."""
        if self.instead:
            self.instead.kind.validate(self.instead.wrong)
        elif all(m.check is not None for m in self.mechanisms):
            raise ValueError("no mechanism compares with the reference")


def _where(failures: Failures, done: Done) -> str:
    """Say which of the random inputs fail, where no small example does."""
    failing = list(dict.fromkeys(call.say for call in failures))
    every = dict.fromkeys(call.say for call in done if call.name == RANDOM)
    passing = [about for about in every if about not in failing]
    if not passing:
        return "The small examples are right; all other inputs fail."
    right = f"The small examples are right, and so are {len(passing)} of {len(every)} others."
    fewer, verb = (failing, "fails") if len(failing) <= len(passing) else (passing, "passes")
    return f"{right} What {verb} has: {'; '.join(fewer)}."


def _pairs(wrong: Sequence[Wrong]) -> Iterator[Wrong]:
    """Yield every two mistakes at once, of those that are keyword arguments of the reference."""
    parts = [(x.answer, x.say) for x in wrong if isinstance(x.answer, partial)]
    for (one, why), (other, also) in combinations(parts, 2):
        if not one.keywords.keys() & other.keywords.keys():
            yield Wrong(partial(one, **other.keywords), f"{why} {also}")


def _trouble(got: Outcome, call: Mechanism) -> str:
    """Return what is wrong with what one call did, or nothing."""
    theirs, ours = got.result, call.expected.result
    if got.trouble:
        return got.trouble
    if theirs.size > ours.size + LARGE:
        return shapes(ours.shape, theirs.shape)
    if theirs.dtype.kind == "c" != ours.dtype.kind:
        return "should be real; yours is complex."
    if call.check is None:
        rtol, atol = call.rtol, call.atol
        if got.foreign and theirs.dtype.itemsize < ours.dtype.itemsize:
            # JAX computes in float32 unless told: its rounding is that of its largest input.
            largest = max(map(_largest, (*call.args, *call.kwargs.values(), ours)))
            rtol, atol = max(rtol, 1e-4), max(atol, 2e-6 * max(1.0, largest))
        return _difference(ours, theirs, rtol, atol) or _rounded(got, ours)
    try:
        line = call.check(theirs, *call.arguments(), **call.kwargs) or ""
    except Exception:  # an odd shape or dtype the check did not think of
        if theirs.shape != ours.shape:
            return shapes(ours.shape, theirs.shape)
        return "gives something that cannot be checked."
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
        return shapes(ours.shape, theirs.shape)
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
        return f"{line} Is something rounded, cast, added or estimated?"
    yours = {"give": "gives", "have": "has"}[verb]
    return f"should {verb} {here}{place}; yours {yours} {there}."
