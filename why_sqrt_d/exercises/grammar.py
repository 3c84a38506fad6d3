"""Numbers typed as text, turned into a Python expression that `ast` reads and nothing runs.

The page's `book/assets/exercises/grammar.js` takes the same notations;
`tests/course/exercises/grammar_cases.json` holds the two together.
"""

import ast
import math
import operator
import re
from typing import Any

from .messages import say

_SIGNS = {"-": "−–—﹣－", "*": "×·⋅∙∗•", "/": "÷⁄∕", " pi ": "π", " sqrt ": "√", " inf ": "∞"}
_SIGNS[" "] = "\t\n\r\f\v\u00a0\u202f" + "".join(map(chr, range(0x2002, 0x200B)))
_PLAIN = {ord(c): sign for sign, characters in _SIGNS.items() for c in characters}
_SUPERSCRIPTS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
# What may stand before a number, "x =", "β ≈", "="; and a number whose digits stand in threes.
LEAD = re.compile(r"^(?:[A-Za-zΑ-Ωα-ω][A-Za-z0-9_₀-₉]* *[=≈]|[=≈~]) *")
_GROUPS = re.compile(r"[+-]? ?[1-9][0-9]{0,2}(?: [0-9]{3})+(?:[.,][0-9]+)?")
_TOKEN = re.compile(
    r"(?P<number>[0-9.,]*[0-9][0-9.,]*(?:e[+-]?[0-9]+)?)|(?P<power>⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)"
    r"|(?:(?:np|numpy|math)\.)?(?P<word>log10|log2|[a-z]+)|(?P<sign>\*\*|[^ ])",
    re.ASCII | re.IGNORECASE,
)
_WRITTEN = {**{c: c for c in "+-*/)"}, "**": "**", "^": "**", "x": "*", "%": ".percent"}
_CONSTANTS = {"pi": math.pi, "e": math.e}
_FUNCTIONS: dict[str, Any] = {"ln": math.log}
_FUNCTIONS |= {name: getattr(math, name) for name in ("sqrt", "exp", "log2", "log10", "tanh")}
_OPERATORS: dict[type, Any] = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Pow: pow}
_OPERATORS |= {ast.Mult: operator.mul, ast.MatMult: operator.mul, ast.Div: operator.truediv}
_OPERATORS |= {ast.UAdd: operator.pos, ast.USub: operator.neg}
_KNOWN = {"log": "log", "inf": "inf", "infinity": "inf", "nan": "nan"}
_KNOWN |= dict.fromkeys("ij", "complex")


class NotANumber(ValueError):
    """Text that is no number; its message is the line for the learner."""

    def __init__(self, key: str, **fields: object) -> None:
        super().__init__(say(key, **fields))


def _numeral(text: str) -> float:
    """Read digits with points and commas, whichever of them is the decimal sign."""
    body, e, exponent = text.lower().partition("e")
    point, joined = body.replace(",", "."), body.replace(",", "")
    if re.fullmatch(r"[1-9]\d{0,2},\d{3}", body):
        raise NotANumber("ambiguous", text=text, a=point + e + exponent, b=joined + e + exponent)
    if re.fullmatch(r"\d*\.?\d*|\d*,\d+", body):
        body = point
    elif re.fullmatch(r"\d{1,3}(,\d{3})+(\.\d*)?", body):
        body = joined
    elif re.fullmatch(r"\d{1,3}(\.\d{3})+(,\d+)?", body):
        body = body.replace(".", "").replace(",", ".")
    else:
        raise NotANumber("numeral", text=text)
    return _finite(float(body + e + exponent))


def _finite(x: Any) -> float:
    if isinstance(x, complex) or math.isnan(x):
        raise NotANumber("real")
    if math.isinf(x):
        raise NotANumber("huge")
    return float(x)


def _python(text: str) -> tuple[str, dict[int, str]]:
    """Write the text in Python's grammar; return also which function each `~` in it stands for.

    An implicit product becomes `@` and a function without brackets `~`: they have the precedence
    that is meant. A superscript becomes a subscript and % an attribute: they bind closest.
    """
    out, depth, complete, prefixes = "", 0, False, dict[int, str]()
    if odd := re.search(r"[^-+*/^%()⁻⁰¹²³⁴⁵⁶⁷⁸⁹A-Za-z0-9., ]", text):
        known = odd[0].isprintable() and odd[0] < "\u2c00"
        shown = odd[0] if known else f"U+{ord(odd[0]):04X}"
        raise NotANumber("char", text=shown)
    for match in _TOKEN.finditer(text):
        kind, token = match.lastgroup, match[match.lastgroup or 0].lower()
        if kind == "number":
            if complete:
                raise NotANumber("side")
            out += repr(_numeral(match[0]))
        elif token == "(" or (kind == "word" and token != "x"):
            if token not in {"(", *_CONSTANTS, *_FUNCTIONS}:
                raise NotANumber(_KNOWN.get(token, "word"), text=token)
            out += "@" * complete
            if token in _FUNCTIONS and not re.match(r" *\(", text[match.end() :]):
                prefixes[len(out)], token = token, "~"
            out += token
        elif token == ")" and not (complete and depth):
            raise NotANumber("bracket")
        elif (kind == "sign" and token not in _WRITTEN) or (
            not complete and (token not in "+-" or out.endswith("~"))
        ):
            raise NotANumber("char", text=token)
        else:
            out += _WRITTEN.get(token) or f"[{token.translate(_SUPERSCRIPTS)}]"
        depth += (token == "(") - (token == ")")
        complete = kind in ("number", "power") or token in {")", "%", *_CONSTANTS}
    if depth or not complete:
        raise NotANumber("bracket" if complete else "unfinished" if out else "blank")
    return out, prefixes


def _value(node: Any, prefixes: dict[int, str]) -> float:
    """Compute the value of an expression."""
    function: Any
    match node:
        case ast.Constant(int() | float() as number):
            return float(number)
        case ast.Name():
            return _CONSTANTS[node.id]
        case ast.Attribute(part):
            function, parts = (lambda x: x / 100), [part]
        case ast.Subscript(base, exponent):
            function, parts = pow, [base, exponent]
        case ast.Call(ast.Name(name), parts):
            function = _FUNCTIONS[name]
        case ast.UnaryOp(sign, part):
            function, parts = _OPERATORS.get(type(sign)), [part]
            function = function or _FUNCTIONS[prefixes[node.col_offset]]
        case ast.BinOp(left, sign, right):
            divided = isinstance(left, ast.BinOp) and isinstance(left.op, ast.Div)
            bracket = left.col_offset > node.col_offset
            if isinstance(sign, ast.MatMult) and divided and not bracket:
                raise NotANumber("slash")
            function, parts = _OPERATORS[type(sign)], [left, right]
    values = [_value(part, prefixes) for part in parts]
    try:
        result = function(*values)
    except ArithmeticError as error:
        raise NotANumber("zero" if isinstance(error, ZeroDivisionError) else "huge") from None
    except ValueError:  # outside of the function's domain
        raise NotANumber("real") from None
    return _finite(result)


def parse_number(text: str, *, alone: bool = True) -> float:
    """Read one number or short expression: `1/2`, `16·√2`, `22,63`, `98.2 %`, `exp(-1)`.

    Only when it stands `alone`, and is no entry of an array, may a name stand before it
    (`x = 5.7`) and blanks between groups of three digits (`13 360`).
    """
    if len(text) > 200:
        raise NotANumber("long")
    text = text.translate(_PLAIN).strip(" ")
    text = LEAD.sub("", text) if alone else re.sub("^[=≈~] *", "", text)
    text = text.replace(" ", "") if alone and _GROUPS.fullmatch(text) else text
    source, prefixes = _python(text)
    try:
        return _value(ast.parse(source, mode="eval").body, prefixes)
    except (RecursionError, MemoryError):
        raise NotANumber("deep") from None
