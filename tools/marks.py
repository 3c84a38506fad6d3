"""The numbers in the prose and the invisible marks that say where they come from.

``80<!-- =one_key:.0f -->`` is the result ``one_key`` of the same notebook in Python's format
``.0f``; ``<!-- =01-dot-products-grow.ipynb::one_key:.0f -->`` that of another one. A result with
blanks begins with a mark too: ``<!--=-->31, 97 and 100<!-- =lengths -->``. A bound is rounded to
the side on which it holds: ``at most 1.3<!-- =error:≤.1f -->``, and ``:≥.1f`` for "at least".
Thousands stand apart with ``:,d``. To quote a new result write ``?<!-- =name -->`` and run
`make notebooks`.
"""

import re
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from functools import cache
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from tools.paths import BOOK

Results = dict[str, int | float | str]
NUMBER = r"[−+-]?(?:\d{1,3}(?: \d{3})+(?!\d)|\d[\d.]*(?:e[-+]?\d+)?)"
MARK = re.compile(
    rf"(<!--=-->.*?|{NUMBER}|\?)<!-- =(?:([\w.-]+)::)?(\w+)(?::([^\s>]+))? -->", re.S
)


def results(notebook: NotebookNode) -> Results:
    """Return what a notebook's cells computed for the prose, by name."""
    found: Results = {}
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if output.get("metadata", {}).get("numbers"):
                for line in output["data"]["text/plain"].splitlines():
                    name, _, text = line.partition(" = ")
                    if name in found:
                        raise ValueError(f"two results are named {name}")
                    found[name] = _value(text)
    return found


def _value(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


@cache
def _stored(path: Path) -> Results:
    return results(nbformat.read(path, as_version=4))


def shown(value: int | float | str, spec: str) -> str:
    """Return a result as the prose has it; a minus is a minus."""
    if spec[:1] in ("≤", "≥"):
        way = ROUND_CEILING if spec[0] == "≤" else ROUND_FLOOR
        spec = spec[1:]
        last = Decimal(1).scaleb(-int(spec.strip("+.f")))
        value = float(Decimal(str(value)).quantize(last, way))
    text = re.sub(r"^-(?=[\d.]+$)", "−", format(value, spec))
    text = text.replace(",", " ") if "," in spec else text
    return text if re.fullmatch(NUMBER, text) else f"<!--=-->{text}"


def filled(text: str, own: Results) -> str:
    """Return a cell or a page in Markdown with every marked value as it was computed.

    `own` are the results of its notebook; those of others are read from where they are stored. A
    mark of a result that no cell computed is a KeyError, one behind no value a ValueError.
    """

    def value(match: re.Match[str]) -> str:
        _, file, name, spec = match.groups(default="")
        computed = _stored(BOOK / file) if file else own
        if name not in computed:
            raise KeyError(f"no cell computes what {match[0]!r} asks for")
        mark = match[0][len(match[1]) :]
        return shown(computed[name], spec) + mark

    if text.count("-- =") != len(MARK.findall(text)):
        strays = re.findall(r".{0,20}<!-- =.*?-->", MARK.sub("", text))
        raise ValueError(f"these marks have no value before them: {strays}")
    return MARK.sub(value, text)
