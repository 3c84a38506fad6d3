"""Arrays written as text: `0.1 0.2 0.7`, `[0.1, 0.2]`, `1 2; 3 4`, or what NumPy prints."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .grammar import LEAD, NotANumber, parse_number

MAX_TEXT, MAX_ENTRIES = 4000, 1000

_DECIMAL_COMMA = re.compile(r"[-−+]?[0-9]+,[0-9]+")
_COMMA_BETWEEN_DIGITS = re.compile(r"[0-9],[0-9]")
_ARRAY_CALL = re.compile(r"(?:(?:np|numpy)\.)?array\((.*)\)", re.DOTALL)


@dataclass(frozen=True)
class Grid:
    """Numbers in row-major order with their shape."""

    shape: tuple[int, ...]
    values: tuple[float, ...]


def pieces(text: str) -> list[str]:
    """Cut at blanks, commas, semicolons, line ends and square brackets outside parentheses.

    Semicolons and line ends stay as ``";"``, square brackets as themselves.
    """
    found: list[str] = []
    current, depth = "", 0
    for c in text:
        depth += (c == "(") - (c == ")")
        if depth <= 0 and c in " ,;\n[]":
            found += [current] if current else []
            found += [";" if c == "\n" else c] if c in ";\n[]" else []
            current = ""
        else:
            current += c
    return found + ([current] if current else [])


def stack(rows: list[Grid]) -> Grid:
    """Put grids of one shape on top of one another."""
    for row in rows:
        if row.shape != rows[0].shape:
            raise NotANumber("ragged", a=_length(rows[0]), b=_length(row))
    values = tuple(v for row in rows for v in row.values)
    return Grid((len(rows), *(rows[0].shape if rows else ())), values)


def _length(grid: Grid) -> int:
    return grid.shape[0] if grid.shape else 1


def _entry(text: str) -> Grid:
    return Grid((), (parse_number(text, alone=False),))


def _bracketed(items: list[str], at: int, depth: int) -> tuple[Grid, int]:
    """Read one ``[...]`` that opens at `at`; return it and where it ends."""
    if depth > 5:
        raise NotANumber("deep")
    rows: list[Grid] = []
    at += 1
    while at < len(items) and items[at] != "]":
        if items[at] == "[":
            row, at = _bracketed(items, at, depth + 1)
            rows.append(row)
        elif items[at] == ";":
            at += 1
        else:
            rows.append(_entry(items[at]))
            at += 1
    if at >= len(items):
        raise NotANumber("bracket")
    return stack(rows), at + 1


def _rows(items: list[str]) -> Grid:
    """Read numbers without brackets; semicolons and line ends separate rows."""
    rows: list[list[Grid]] = [[]]
    for item in items:
        if item == ";":
            rows.append([])
        elif item == "]":
            raise NotANumber("bracket")
        else:
            rows[-1].append(_entry(item))
    rows = [row for row in rows if row]
    if all(len(row) == 1 for row in rows):
        return stack([row[0] for row in rows])
    return stack(rows[0]) if len(rows) == 1 else stack([stack(row) for row in rows])


def _unwrapped(text: str) -> str:
    """Take off `array(...)` or one pair of parentheses around everything."""
    if match := _ARRAY_CALL.fullmatch(text):
        return match[1].strip()
    depth = 0
    for i, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if depth == 0:
            return text[1:-1].strip() if text[0] == "(" and i == len(text) - 1 else text
    return text


def has_decimal_comma(text: str) -> bool:
    """Tell whether a comma that may be meant as a decimal one stands in the text."""
    return bool(_COMMA_BETWEEN_DIGITS.search(text))


def _semicolons(text: str, length: int) -> Grid | None:
    """Read `length` numbers between semicolons, some with a decimal comma: `0,5; 0,25`."""
    parts = [part.strip(" ") for part in re.split(r"[;\n]", text)]
    if len(parts) != length or length < 2 or not has_decimal_comma(text):
        return None
    if not all(_DECIMAL_COMMA.fullmatch(p) or (p and not re.search(r"[ ,[\]]", p)) for p in parts):
        return None
    return stack([_entry(part) for part in parts])


def parse_array(text: str, length: int = 0) -> Grid:
    """Read an array.

    Parameters
    ----------
    text : str
        For example ``"0.1 0.2 0.7"``, ``"[[1, 2], [3, 4]]"`` or ``"p = [1/2, 1/2]"``.
    length : int
        How many numbers are asked for if it is a plain list of them, else 0: with it,
        ``"0,5; 0,25"`` has one reading.

    Raises
    ------
    NotANumber
        With the line to show; also for empty text.
    """
    if len(text) > MAX_TEXT:
        raise NotANumber("long")
    text = re.sub(r"[\t\r\f\v\u00a0\u2009\u202f]", " ", text).strip(" \n")
    text = LEAD.sub("", text, count=1) if LEAD.match(text) else text
    text = _unwrapped(text) if text else text
    if grid := _semicolons(text, length):
        return grid
    items = pieces(text)
    if not items:
        raise NotANumber("blank")
    if len(items) > MAX_ENTRIES:
        raise NotANumber("long")
    words = [w for w in re.split(r"[ ;\n]+", text) if w]
    if len(words) > 1 and all(_DECIMAL_COMMA.fullmatch(w) for w in words):
        raise NotANumber("commas")
    if items[0] != "[":
        return _rows(items) if "[" not in items else _refuse()
    grid, end = _bracketed(items, 0, 1)
    if end < len(items):
        return _refuse()
    return grid


def _refuse() -> Grid:
    raise NotANumber("bracket")
