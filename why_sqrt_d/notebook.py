"""What a notebook shows besides pictures: named results that the prose quotes, tables.

The prose holds a result with an invisible mark of its name, ``0.45<!-- =top_4:.2f -->``.
``make notebooks`` fills it in from what `numbers` shows, and a test compares the two.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from numbers import Integral, Real
from typing import TypeVar

from why_sqrt_d.intervals import Interval

T = TypeVar("T")


def numbers(**results: object) -> None:
    """Hand results, numbers or text, under their names, to the prose; no reader sees them.

    Numbers are shown with ten significant digits, so that the last bits of another machine's
    arithmetic change no page. An `Interval` called x is the numbers x, x_low, x_high and x_half.

    >>> numbers(answer="forty-two", share=1 / 3)
    answer = forty-two
    share = 0.3333333333
    """
    each = (pair for name, value in results.items() for pair in _parts(name, value))
    shown = "\n".join(f"{name} = {_as_text(name, value)}" for name, value in each)
    # Whoever reads the page or the notebook gets HTML, in which there is nothing to see.
    if not display_bundle({"text/plain": shown, "text/html": "<!-- -->"}, {"numbers": True}):
        print(shown)


def _parts(name: str, value: object) -> list[tuple[str, object]]:
    if not isinstance(value, Interval):
        return [(name, value)]
    ends = {"low": value.low, "high": value.high, "half": (value.high - value.low) / 2}
    return [(name, value.value), *((f"{name}_{end}", x) for end, x in ends.items())]


def _as_text(name: str, value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, Integral):
        return repr(int(value))
    if isinstance(value, Real):
        return repr(float(f"{float(value):.10g}"))
    raise TypeError(f"numbers: {name} must be a number or text, got {type(value).__name__}")


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Show a table: as one on the page and in a notebook, as aligned text elsewhere.

    The cells of a row, as many as `head` has, are Markdown without vertical bars.

    >>> table(["β", "right"], [["1/√d", "17 %"], ["6.55", "72 %"]])
    β     right
    1/√d  17 %
    6.55  72 %
    """
    lines = [list(head), *(list(row) for row in rows)]
    widths = [max(len(cell) for cell in column) for column in zip(*lines, strict=True)]
    plain = "\n".join(
        "  ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)).rstrip() for line in lines
    )
    marked = [f"| {' | '.join(line)} |" for line in (lines[0], ["---"] * len(head), *lines[1:])]
    if not display_bundle({"text/plain": plain, "text/markdown": "\n".join(marked)}):
        print(plain)


def table_of(
    rows: Mapping[str, T], columns: Sequence[tuple[str, Callable[[T], str]]], first: str = "model"
) -> None:
    """Show a table of things: in each row a thing's name, and what each column says of it.

    A column is its heading, which may stand there twice, and a function of the thing; `first` is
    the heading of the names.

    >>> columns = [("square", lambda x: f"{x**2}"), ("root", lambda x: f"{x**0.5:.2f}")]
    >>> table_of({"three": 3, "four": 4}, columns, first="number")
    number  square  root
    three   9       1.73
    four    16      2.00
    """
    head = [first, *(heading for heading, _ in columns)]
    table(head, [[name, *(say(thing) for _, say in columns)] for name, thing in rows.items()])


def in_notebook() -> bool:
    """Tell whether IPython runs this: then it has been imported."""
    shell = sys.modules.get("IPython")
    return shell is not None and shell.get_ipython() is not None


def display_bundle(bundle: dict[str, str], metadata: dict[str, object] | None = None) -> bool:
    """Show a bundle in a running notebook; return whether there is one."""
    if not in_notebook():
        return False
    from IPython.display import display

    display(bundle, raw=True, metadata=metadata or {})
    return True
