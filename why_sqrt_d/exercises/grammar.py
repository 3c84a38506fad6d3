"""Numbers typed as text, turned into a Python expression that `ast` reads and nothing runs.

The page's `book/assets/exercises/grammar.js` takes the same notations;
`tests/course/exercises/grammar_cases.json` holds the two together.
"""

import ast
import math
import operator
import re
from typing import Any

from .messages import SAY, say

_SIGNS = {"-": "−–—﹣－", "*": "×·⋅∙∗•", "/": "÷⁄∕", " pi ": "π", " sqrt ": "√", " inf ": "∞"}
_SIGNS[" "] = "\t\n\r\f\v\u00a0\u202f" + "".join(map(chr, range(0x2002, 0x200B)))
_PLAIN = {ord(c): sign for sign, characters in _SIGNS.items() for c in characters}
_SUPERSCRIPTS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
# What may stand before a number, "x =", "d' ≈", "=", "about"; a number whose digits stand in
# threes; one with a unit.
LEAD = re.compile(
    r"^ *(?:[A-Za-zΑ-Ωα-ω][A-Za-z0-9_₀-₉]*'? *[=≈]|[=≈~]"
    r"|(?:(?:about|around|roughly|approx[.]?|ca[.]?|divided|by|times|it|is|an?|the|factor|of)"
    r" +)+) *"
)
_GROUPS = re.compile(r"[+-]? ?[1-9][0-9]{0,2}(?: [0-9]{3})+(?:[.,][0-9]+)?")
_TOKEN = re.compile(
    r"(?P<number>[0-9.,]*[0-9][0-9.,]*(?:e[+-]?[0-9]+)?)|(?P<power>⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)"
    r"|(?:(?P<module>np|jnp|numpy|math|torch)\.)?(?P<word>log10|log2|[a-z]+)|(?P<sign>\*\*|[^ ])",
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
_REFUSED = dict.fromkeys(("to", "between", "or"), "range")
_DIGITS = ["half", "third", "quarter", "hundred", "thousand", "million", "billion"]
_REFUSED |= dict.fromkeys([*SAY["counts"].split(" ")[1:], *_DIGITS], "digits")
_REFUSED |= dict.fromkeys([*"abcdfghklmnopqrstuvwyz", "alpha", "beta", "rho", "sigma"], "letter")
_REFUSED |= _KNOWN
_UNIT = re.compile(r"(.*[0-9.)%⁰¹²³⁴⁵⁶⁷⁸⁹]) +([A-Za-z]{2,}(?: [A-Za-z]+)*)")
_NO_UNIT = {*_KNOWN, *_CONSTANTS, *_FUNCTIONS, "hundred", "thousand", "million", "billion"}
_READABLE = {*_NO_UNIT, "np", "jnp", "numpy", "math", "torch"}
_LETTERS = re.compile("[a-z]+")
_FRACTIONS = (
    "½ 1/2 ⅓ 1/3 ⅔ 2/3 ¼ 1/4 ¾ 3/4 ⅕ 1/5 ⅖ 2/5 ⅗ 3/5 ⅘ 4/5 ⅙ 1/6 ⅚ 5/6 ⅛ 1/8 ⅜ 3/8 ⅝ 5/8 ⅞ 7/8"
)
_PAIRS = _FRACTIONS.split(" ")
_VULGAR = dict(zip(_PAIRS[::2], _PAIRS[1::2], strict=True))
_DRESS = (  # how numbers come from TeX and from what Python prints
    (r"^ *\$+|\$+[ \n]*$|\\(?:left|right|[,;:!()\[\] ])", ""),
    (r"\\[td]?frac *([0-9])([0-9])", r"(\1/\2)"),
    *3
    * (
        (r"\\sqrt *\{([^{}]*)\}", r" sqrt(\1)"),
        (r"\\[td]?frac *\{([^{}]*)\} *\{([^{}]*)\}", r"((\1)/(\2))"),
        (r"\^ *\{([^{}]*)\}", r"^(\1)"),
    ),
    (r"\\(?:cdot|times)", "*"),
    (r"\\approx", "≈"),
    (r"\\%", "%"),
    (r"\\([A-Za-z]+)", r" \1 "),
    (r"(?:np|numpy)[.](?:float|int)[0-9]+(?=\()", ""),
    (r" *(?:percent|per cent)(?![A-Za-z])", "%"),
    (r"(?:(?:[Tt]he )?[Ss]quare )?\b[Rr]oot(?: of)? *(?=[0-9(])", " sqrt "),
    (r"([0-9)]) *(?:×|-?fold)[ \n]*$", r"\1"),
    (r"([0-9])(?:…|[.]{3})(?![0-9.])", r"\1"),
    (r"([0-9][.][0-9]+)[.][ \n]*$", r"\1"),
)


class NotANumber(ValueError):
    """Text that is no number; its message is the line for the learner."""

    def __init__(self, key: str, **fields: object) -> None:
        super().__init__(say(key, **fields))


def undressed(text: str) -> str:
    """Write TeX, fractions such as ½, and `np.float64(…)` in plain signs."""
    for pattern, plain in _DRESS:
        text = re.sub(pattern, plain, text)
    for sign, plain in _VULGAR.items():
        text = re.sub(f"([0-9]){sign}", rf"(\1+{plain})", text).replace(sign, f"({plain})")
    return text


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
        name = re.search("[A-Za-z]{1,5}_[A-Za-z0-9]+|[Α-Ωα-ω]", text)
        if name and odd[0] in name[0]:
            raise NotANumber("letter", text=name[0])
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
            token = "ln" if token == "log" and match["module"] else token
            if token not in {"(", *_CONSTANTS, *_FUNCTIONS}:
                raise NotANumber(_REFUSED.get(token, "word"), text=token)
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
    r"""Read one number or short expression: `1/2`, `16·√2`, `22,63`, `98.2 %`, `\sqrt{2}`.

    Only when it stands `alone`, and is no entry of an array, may a name stand before it
    (`x = 5.7`), a unit behind it (`620 steps`), equals signs within (`√2 ≈ 1.41`) and blanks
    between groups of three digits (`13 360`).
    """
    if len(text) > 200:
        raise NotANumber("long")
    text = undressed(text).translate(_PLAIN).strip(" ")
    if not alone:
        return _evaluated(re.sub("^[=≈~] *", "", text))
    if inside := re.fullmatch(
        r"(?:[a-z]+[.])?(?:array|tensor|matrix)\((.*)\)|(\[.*\])", text, re.I
    ):
        text = (inside[1] or inside[2]).strip(" []")
    *before, last = re.split("[=≈]", LEAD.sub("", text))
    sides = [side for side in before if _READABLE.issuperset(_LETTERS.findall(side.lower()))]
    if before and not all(side.strip(" ") for side in (*before, last)):
        raise NotANumber("char", text="=")
    values = [_evaluated(_bare(side.strip(" "))) for side in (*sides, last)]
    if any(abs(x - values[0]) > 0.05 * abs(values[0]) for x in values):
        raise NotANumber("sides")
    return values[0]


def _bare(text: str) -> str:
    """Return a number without its unit, the sign in `×5` or `5x`, and blanks between digits."""
    if (unit := _UNIT.fullmatch(text)) and _NO_UNIT.isdisjoint(unit[2].lower().split(" ")):
        text = unit[1]
    text = re.sub(r"^[*x] *(?=[0-9.])|(?<=[0-9.)]) *x$", "", text)
    return text.replace(" ", "") if _GROUPS.fullmatch(text) else text


def _evaluated(text: str) -> float:
    if re.search(r"(?:\^|\*\*) *1 */", text):
        raise NotANumber("root")
    source, prefixes = _python(text)
    try:
        return _value(ast.parse(source, mode="eval").body, prefixes)
    except (RecursionError, MemoryError):
        raise NotANumber("deep") from None
