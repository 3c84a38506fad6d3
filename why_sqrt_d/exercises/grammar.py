"""Numbers and arrays written as text, read without `eval`.

A small recursive-descent parser; `book/assets/exercises/grammar.js` holds the same one, and
`tests/exercises/grammar_cases.json` and a fuzz test hold the two together::

    sum     = product {("+" | "-") product}
    product = signed {("*" | "/") signed | power}         implicit product: 16√2, 2π
    signed  = {"+" | "-"} power
    power   = postfix ["^" signed]
    postfix = atom {"%" | superscript}
    atom    = number | constant | function "(" sum ")" | function power | "(" sum ")"
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from .messages import say

MAX_NUMBER, MAX_DEPTH = 200, 40

_CHARACTERS = {
    **dict.fromkeys("−–—﹣－", "-"),
    **dict.fromkeys("×·⋅∙∗•", "*"),
    **dict.fromkeys("÷⁄∕", "/"),
    **dict.fromkeys("\t\n\r\f\v\u00a0\u202f", " "),
    **dict.fromkeys(map(chr, range(0x2002, 0x200B)), " "),
    "π": " pi ",
    "√": " sqrt ",
    "∞": " inf ",
}
_TABLE = {ord(k): v for k, v in _CHARACTERS.items()}
_SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_NUMBER = re.compile(r"[0-9.,]*[0-9][0-9.,]*(?:[eE][+-]?[0-9]+)?")
_WORD = re.compile(r"(?:(?:np|numpy|math)\.)?(log10|log2|[a-z]+)", re.ASCII | re.IGNORECASE)
_POWER = re.compile(r"⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
# What may stand before a number: "x =", "β ≈", "="; and a number whose digits stand in threes.
LEAD = re.compile(r"(?:[A-Za-zΑ-Ωα-ω][A-Za-z0-9_₀-₉]* *[=≈]|[=≈~]) *")
_GROUPS = re.compile(r"[+-]? ?[1-9][0-9]{0,2}(?: [0-9]{3})+(?:[.,][0-9]+)?")
_CONSTANTS = {"pi": math.pi, "e": math.e}

Token = tuple[str, str, float]


class NotANumber(ValueError):
    """Text that is no number; its message is the line for the learner."""

    def __init__(self, key: str, **fields: object) -> None:
        super().__init__(say(key, **fields))


def shown(character: str) -> str:
    """Return a character as it can be quoted in a sentence."""
    code = ord(character)
    plain = 33 <= code <= 126 or 0xA1 <= code < 0x2000 or 0x2190 <= code < 0x2C00
    return character if plain else f"U+{code:04X}"


def numeral(text: str) -> float:
    """Read digits with points and commas, whichever of them is the decimal sign."""
    body, e, exponent = text.replace("E", "e").partition("e")
    commas, dots = body.count(","), body.count(".")
    if commas == 1 and not dots and re.fullmatch(r"[1-9][0-9]{0,2},[0-9]{3}", body):
        point, joined = body.replace(",", "."), body.replace(",", "")
        raise NotANumber("ambiguous", text=text, a=point + e + exponent, b=joined + e + exponent)
    if commas == 0 and dots <= 1:
        pass
    elif commas == 1 and dots == 0 and re.fullmatch(r"[0-9]*,[0-9]+", body):
        body = body.replace(",", ".")
    elif re.fullmatch(r"[0-9]{1,3}(,[0-9]{3})+(\.[0-9]*)?", body):
        body = body.replace(",", "")
    elif re.fullmatch(r"[0-9]{1,3}(\.[0-9]{3})+(,[0-9]+)?", body):
        body = body.replace(".", "").replace(",", ".")
    else:
        raise NotANumber("numeral", text=text)
    return finite(float(body + e + exponent))


def finite(x: float) -> float:
    """Return `x` if it is an ordinary number, and say what it is otherwise."""
    if math.isnan(x):
        raise NotANumber("real")
    if math.isinf(x):
        raise NotANumber("huge")
    return x


def tokens(text: str) -> list[Token]:
    """Cut the text into numbers, words, superscripts and single signs."""
    text = text.translate(_TABLE).replace("**", "^")
    found: list[Token] = []
    at = 0
    while at < len(text):
        if text[at] == " ":
            at += 1
        elif match := _NUMBER.match(text, at):
            found.append(("number", match[0], numeral(match[0])))
            at = match.end()
        elif match := _WORD.match(text, at):
            word = match[1].lower()
            found.append(("sign", "*", 0.0) if word == "x" else ("word", word, 0.0))
            at = match.end()
        elif match := _POWER.match(text, at):
            digits = "".join(str(_SUPERSCRIPTS.index(c)) for c in match[0].lstrip("⁻"))
            found.append(("power", match[0], float(("-" if match[0][0] == "⁻" else "") + digits)))
            at = match.end()
        elif text[at] in "+-*/^()%":
            found.append(("sign", text[at], 0.0))
            at += 1
        else:
            raise NotANumber("char", text=shown(text[at]))
    return found


def power(a: float, b: float) -> float:
    """Raise `a` to the power `b` in floating point: at once, whatever the size."""
    if a == 0 and b < 0:
        raise NotANumber("zero")
    try:
        return finite(math.pow(a, b))
    except OverflowError:
        raise NotANumber("huge") from None
    except NotANumber:
        raise
    except ValueError:
        raise NotANumber("real") from None


def _exp(x: float) -> float:
    return math.inf if x > 709.78 else math.exp(x)


def _positive(function: Callable[[float], float]) -> Callable[[float], float]:
    return lambda x: function(x) if x > 0 else math.nan


_FUNCTIONS: dict[str, Callable[[float], float]] = {
    "sqrt": lambda x: math.sqrt(x) if x >= 0 else math.nan,
    "exp": _exp,
    "ln": _positive(math.log),
    "log2": _positive(math.log2),
    "log10": _positive(math.log10),
    "tanh": math.tanh,
}


class _Parser:
    """Walks over the tokens once; `depth` bounds the recursion."""

    def __init__(self, found: list[Token]) -> None:
        self.found, self.at, self.depth = found, 0, 0

    def peek(self) -> Token:
        return self.found[self.at] if self.at < len(self.found) else ("end", "", 0.0)

    def takes(self, *signs: str) -> str:
        kind, text, _ = self.peek()
        if kind == "sign" and text in signs:
            self.at += 1
            return text
        return ""

    def sum(self) -> float:
        total = self.product()
        while sign := self.takes("+", "-"):
            term = self.product()
            total = finite(total + term if sign == "+" else total - term)
        return total

    def product(self) -> float:
        total, last = self.signed(), ""
        while True:
            kind, text, _ = self.peek()
            if kind == "number":
                raise NotANumber("side")
            if sign := self.takes("*", "/"):
                total, last = self.times(total, sign, self.signed()), sign
            elif kind == "word" or text == "(":
                if last == "/":
                    raise NotANumber("slash")
                total = self.times(total, "*", self.power())
            else:
                return total

    @staticmethod
    def times(a: float, sign: str, b: float) -> float:
        if sign == "/" and b == 0:
            raise NotANumber("zero")
        return finite(a * b if sign == "*" else a / b)

    def signed(self) -> float:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise NotANumber("deep")
        sign = self.takes("+", "-")
        value = self.signed() if sign else self.power()
        self.depth -= 1
        return -value if sign == "-" else value

    def power(self) -> float:
        base = self.postfix()
        return power(base, self.signed()) if self.takes("^") else base

    def postfix(self) -> float:
        value = self.atom()
        while True:
            kind, _, exponent = self.peek()
            if kind == "power":
                self.at += 1
                value = power(value, exponent)
            elif self.takes("%"):
                value = value / 100
            else:
                return value

    def atom(self) -> float:
        kind, text, value = self.peek()
        if kind == "end":
            raise NotANumber("unfinished")
        self.at += 1
        if kind == "number":
            return value
        if kind == "word":
            return self.word(text)
        if text == "(":
            return self.closed()
        raise NotANumber("bracket") if text == ")" else NotANumber("char", text=text)

    def closed(self) -> float:
        value = self.sum()
        if not self.takes(")"):
            raise NotANumber("bracket") if self.peek()[0] == "end" else self.stray()
        return value

    def stray(self) -> NotANumber:
        text = self.peek()[1]
        return NotANumber("bracket") if text == ")" else NotANumber("char", text=text)

    def word(self, word: str) -> float:
        if word in _CONSTANTS:
            return _CONSTANTS[word]
        if word in _FUNCTIONS:
            self.depth += 1
            if self.depth > MAX_DEPTH:
                raise NotANumber("deep")
            value = self.closed() if self.takes("(") else self.power()
            self.depth -= 1
            return finite(_FUNCTIONS[word](value))
        known = {"log": "log", "inf": "inf", "infinity": "inf", "nan": "nan", "i": "complex"}
        known["j"] = "complex"
        raise NotANumber(known[word]) if word in known else NotANumber("word", text=word)


def parse_number(text: str, *, alone: bool = True) -> float:
    """Read one number or short expression.

    Parameters
    ----------
    text : str
        For example ``"1/2"``, ``"16·√2"``, ``"22,63"``, ``"98.2 %"`` or ``"exp(-1)"``.
    alone : bool
        Whether it is the whole answer and not an entry of an array: only then a name may stand
        before it (``"x = 5.7"``) and blanks between groups of three digits (``"13 360"``).

    Returns
    -------
    float
        Its value, always finite.

    Raises
    ------
    NotANumber
        With the line to show; also for empty text.
    """
    if len(text) > MAX_NUMBER:
        raise NotANumber("long")
    text = text.translate(_TABLE).strip(" ")
    if alone:
        text = LEAD.sub("", text, count=1) if LEAD.match(text) else text
        text = text.replace(" ", "") if _GROUPS.fullmatch(text) else text
    else:
        text = re.sub(r"^[=≈~] *", "", text)
    found = tokens(text)
    if not found:
        raise NotANumber("blank")
    parser = _Parser(found)
    value = parser.sum()
    if parser.at < len(found):
        raise parser.stray()
    return value
