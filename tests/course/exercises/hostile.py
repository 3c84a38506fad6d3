"""Answers no learner means and some pass anyway."""

import os
import sys
import time
from decimal import Decimal

import numpy as np

from why_sqrt_d.exercises import check


def assert_harmless(exercise_id, answer):
    """Check that an answer gets one line of refusal in time."""
    start = time.perf_counter()
    verdict = check(exercise_id, answer)
    elapsed = time.perf_counter() - start
    text = str(verdict)
    assert verdict.passed is False, text
    assert "\n" not in text
    assert 5 < len(text) < 500
    assert "itself failed" not in text
    text.encode("utf-8")
    assert elapsed < 5, text


def circular():
    loop = [1.0]
    loop.append(loop)
    return loop


def quick():
    """Return harmless nonsense by name; a few milliseconds each."""
    return {
        "none": None,
        "ellipsis": ...,
        "empty": "",
        "blank": "  \n",
        "text": "forty-two",
        "long": "9" * 100_000,
        "tower": "9**9**9",
        "deep": "(" * 5000,
        "code": "__import__('os')",
        "surrogate": "\ud800",
        "null": "\0",
        "bytes": b"1",
        "dict": {"a": 1},
        "set": {1, "a"},
        "nan": float("nan"),
        "inf": -np.inf,
        "complex": 1 + 2j,
        "true": True,
        "huge": 10**5000,
        "decimal": Decimal("NaN"),
        "strange": Decimal("Infinity"),
        "empty list": [],
        "nested": [[[[[[[[1]]]]]]]],
        "ragged": [[1], [1, 2]],
        "circular": circular(),
        "object array": np.array([object()], dtype=object),
        "dates": np.array(["2020-01-01"], "M8[D]"),
        "structured": np.zeros(2, dtype="i4,f8"),
        "zeros": np.zeros((0, 3)),
        "big": np.zeros(10**6),
        "module": sys,
        "type": type(None),
        "generator": (x for x in ()),
    }


class Liar:
    """Says it is a float, equals everything, and reads as nothing."""

    __class__ = float

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 0

    def __repr__(self):
        raise RuntimeError("no repr")

    __str__ = __repr__

    def __getattr__(self, name):
        raise ValueError(name)


class Looping:
    def __array__(self, dtype=None, copy=None):
        while True:
            pass


class Exiting:
    def __array__(self, dtype=None, copy=None):
        os._exit(0)

    def __float__(self):
        os._exit(0)


class Text(str):
    def __eq__(self, other):
        return True

    def __hash__(self):
        return 0

    def strip(self, *a):
        raise SystemExit

    def __len__(self):
        return 1


class DuckFrame:
    """Looks like a table of pandas."""

    shape, dtypes, ndim = (2, 2), "float", 2

    def __array__(self, dtype=None, copy=None):
        return np.array([["a", "b"], ["c", "d"]], dtype=object)


class Equal(np.ndarray):
    """An array that says it equals everything."""

    def __array_ufunc__(self, *a, **k):
        return True


def endless():
    while True:
        yield 1.0


def evil():
    """Return objects whose own methods bite, by name."""
    return {
        "liar": Liar(),
        "exits": Exiting(),
        "text": Text("b?"),
        "frame": DuckFrame(),
        "equal": np.zeros(3).view(Equal),
        "endless": endless(),
        "list": [Liar()],
    }


def raises(*a):
    raise ValueError("first line\nsecond line \ud800" + "x" * 10_000)


class Rude(Exception):
    def __str__(self):
        raise KeyboardInterrupt


def raises_rudely(*a):
    raise Rude


def recurses(*a):
    return recurses(*a)


def mutates(scores):
    scores[...] = 0
    return scores


def floods(*a):
    for _ in range(20_000):
        print("flood", file=sys.stdout)
        print("flood", file=sys.stderr)
    os.write(1, b"flood\n" * 1000)


def interrupts(*a):
    raise KeyboardInterrupt


def forks(*a):
    os.fork()


def aborts(*a):
    os.abort()


def hogs(*a):
    return np.empty(6 << 30, dtype=np.uint8)  # never touched, so only the limit stops it


async def waits(*a):
    return a


def functions():
    """Return functions that misbehave and come back, by name."""
    return {
        "raises": raises,
        "rude": raises_rudely,
        "recurses": recurses,
        "mutates": mutates,
        "floods": floods,
        "interrupts": interrupts,
        "exits": lambda *a: sys.exit(0),
        "leaves": lambda *a: os._exit(0),
        "aborts": aborts,
        "hogs": hogs,
        "async": waits,
        "forks": forks,
        "no argument": lambda: 1,
        "many": lambda a, b, c, d, e: 1,
        "class": Liar,
        "generator": lambda *a: endless(),
        "liar": lambda *a: Liar(),
        "text": lambda *a: "right",
        "broadcast": lambda *a: np.broadcast_to(0.0, (10**5, 10**5)),
        "dict": lambda *a: {},
        "object": lambda *a: np.array([Liar()], dtype=object),
        "function": lambda *a: print,
        "input": lambda *a: input(),
        "kills": lambda *a: os.kill(os.getpid(), 9),
        "closes": lambda *a: os.closerange(0, 100),
        "builtin": len,
        "method": [].append,
        "equal": lambda *a: np.zeros((2, 2)).view(Equal),
        "masked": lambda *a: np.ma.masked,
    }


def slow():
    """Return functions that never come back."""

    def loops(*a):
        while True:
            try:
                while True:
                    pass
            except BaseException:
                pass

    return {
        "loops": loops,
        "sums": lambda *a: sum(range(10**12)),
        "sleeps": lambda *a: time.sleep(99),
    }
