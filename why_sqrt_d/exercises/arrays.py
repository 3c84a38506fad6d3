"""Arrays typed as text: `0.1 0.2 0.7`, `[0.1, 0.2]`, `1 2; 3 4`, or what NumPy prints."""

import json
import re
from itertools import accumulate
from typing import Any

import numpy as np

from .grammar import LEAD, NotANumber, parse_number, undressed

# What stands around or between the numbers: names, `tensor(…, dtype=…)`, "and".
_NAME = re.compile(r"(^|[ ,;])[A-Za-zΑ-Ωα-ω][A-Za-z0-9_₀-₉]*'? *[=≈] *")
_LABEL = re.compile(
    r"(^|[ ,;])(?!(?:sqrt|exp|ln|log|log2|log10|tanh|pi|inf|nan|array|tensor|matrix|np|math)"
    r"(?![A-Za-z]))[A-Za-z]{3,} *:? *(?=[-−+]?[.0-9√])"
)
_OPTION = re.compile(r", *(?:dtype|device|grad_fn|requires_grad)=[^,)\]]*")
_CALL = re.compile(r"(?:[A-Za-z]+[.])?(?:array|tensor|matrix)\((.*)\)", re.I)
_DECIMAL_COMMA = re.compile(r"[-−+]?[0-9]+,[0-9]+")


def has_decimal_comma(text: str) -> bool:
    """Tell whether a comma that may be meant as a decimal one stands in the text."""
    return re.search("[0-9],[0-9]", text) is not None


def _depths(text: str) -> list[int]:
    """Count the parentheses that are open after each character."""
    return list(accumulate((c == "(") - (c == ")") for c in text))


def _pieces(text: str) -> list[str]:
    """Cut at blanks, commas, semicolons and square brackets outside of parentheses."""
    cut = ""
    for c, depth in zip(text, _depths(text), strict=True):
        cut += c if depth > 0 or c not in " ,;[]" else f"\n{c}\n" if c in ";[]" else "\n"
    return [piece for piece in cut.split("\n") if piece]


def _nested(pieces: list[str]) -> Any:
    """Nest the entries, still as text: one bracketed array, or rows between semicolons."""
    if {"[", "]"} & set(pieces):
        if (pieces[0], pieces[-1]) != ("[", "]"):
            raise NotANumber("bracket")
        items = [p if p in "[]" else json.dumps(p) for p in pieces if p != ";"]
        try:
            return json.loads(",".join(items).replace("[,", "[").replace(",]", "]"))
        except RecursionError:
            raise NotANumber("deep") from None
        except ValueError:
            raise NotANumber("bracket") from None
    rows = [row.split("\n") for part in "\n".join(pieces).split(";") if (row := part.strip("\n"))]
    if all(len(row) == 1 for row in rows):
        return [row[0] for row in rows]
    return rows[0] if len(rows) == 1 else rows


def _numbers(nested: Any, depth: int = 0) -> Any:
    """Read the texts in a nested list; all lists of one depth have to be of one length."""
    if isinstance(nested, str):
        return parse_number(nested, alone=False)
    if depth > 4:
        raise NotANumber("deep")
    rows = [_numbers(item, depth + 1) for item in nested]
    for row in rows:
        if np.shape(row) != np.shape(rows[0]):
            raise NotANumber("ragged", a=(*np.shape(rows[0]), 1)[0], b=(*np.shape(row), 1)[0])
    return rows


def parse_array(text: str, length: int = 0) -> np.ndarray:
    """Read an array such as `0.1 0.2`, `[[1, 2], [3, 4]]` or `p = [1/2, 1/2]`.

    `length` is how many numbers are asked for if they are a plain list, else 0: with it,
    `0,5; 0,25` has one reading.
    """
    if len(text) > 4000:
        raise NotANumber("long")
    text = undressed(re.sub(r"[\t\r\f\v\u00a0\u2009\u202f]", " ", text)).strip(" \n")
    typed = ";" in text
    text = re.sub(r" +%", "%", text.replace("\n", ";").replace(" and ", " , "))
    text = _LABEL.sub(r"\1", _NAME.sub(r"\1", LEAD.sub("", _OPTION.sub("", text))))
    if "masked" in text or re.search(r"(?:^|[\[ ,;])--(?:$|[\] ,;])", text):
        raise NotANumber("masked")
    if call := _CALL.fullmatch(text):
        text = call[1].strip(" ;")
    elif re.fullmatch(r"\(.*\)", text) and min(_depths(text[1:-1]), default=0) >= 0:
        text = text[1:-1].strip(" ;")
    if re.fullmatch(r"\[[^[\]]*\]", text) and typed:
        text = text[1:-1]  # [1 2; 3 4]
    elif re.fullmatch(r"(?:\[[^[\]]*\][ ,;]*){2,}", text):
        text = f"[{text}]"  # [1, 2], [3, 4]
    words = [word.strip(" ") for word in text.split(";")]
    listed = len(words) == length > 1 and has_decimal_comma(text)
    if listed and all(_DECIMAL_COMMA.fullmatch(w) or re.fullmatch(r"[^ ,[\]]+", w) for w in words):
        nested: Any = words
    elif not (pieces := _pieces(text)):
        raise NotANumber("blank")
    elif len(words := re.findall("[^ ;]+", text)) > 1 and all(
        map(_DECIMAL_COMMA.fullmatch, words)
    ):
        raise NotANumber("commas")
    elif any(re.fullmatch("[-+*/=≈~]", piece) for piece in pieces):
        raise NotANumber("only")
    else:
        nested = _nested(pieces)
    return np.array(_numbers(nested), dtype=float)
