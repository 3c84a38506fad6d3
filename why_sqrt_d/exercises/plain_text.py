"""A hint as one plain line, for a verdict: Markdown without its marks, formulas in Unicode."""

import re

from why_sqrt_d.digits import true_minus

_SYMBOLS = {
    **{"alpha": "α", "beta": "β", "delta": "δ", "varepsilon": "ε", "eta": "η", "lambda": "λ"},
    **{"mu": "μ", "pi": "π", "rho": "ρ", "sigma": "σ", "tau": "τ", "Sigma": "Σ", "cdot": "·"},
    **{"times": "×", "approx": "≈", "le": "≤", "ge": "≥", "ne": "≠", "infty": "∞", "sum": "Σ"},
    **{"lVert": "‖", "rVert": "‖", "top": "T", "partial": "∂", "dots": "…", "sqrt": "√"},
    **{"left": "", "right": "", "quad": " ", "mathrm": "", "mathbb": "", "mathbf": "", "text": ""},
}
_SHIFTED = {
    "^": dict(zip("0123456789-nTd", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻ⁿᵀᵈ", strict=True)),
    "_": dict(zip("0123456789ijkmnt", "₀₁₂₃₄₅₆₇₈₉ᵢⱼₖₘₙₜ", strict=True)),
}


def _shifted(match: re.Match[str]) -> str:
    sign, part = match[1], match[2] or match[3]
    if all(c in _SHIFTED[sign] for c in part):
        return "".join(_SHIFTED[sign][c] for c in part)
    return f"{sign}{part}" if len(part) == 1 else f"{sign}({part})"


def _formula(tex: str) -> str:
    text = re.sub(r"\\(?:begin|end)\{\w+\}", "|", tex).replace(r"\\", "; ").replace("&", " ")
    text = re.sub(r"\\[,;:! ]", " ", text)
    text = re.sub(r"\\sqrt\{(\w+)\}", r"√\1", text)
    text = re.sub(r"\\sqrt\{([^{}]*)\}", r"√(\1)", text)
    text = re.sub(r"\\[td]?frac(?:\{([^{}]*)\}\{([^{}]*)\}|(\d)(\d))", r"\1\3/\2\4", text)
    text = re.sub(r"\\([A-Za-z]+)", lambda m: _SYMBOLS.get(m[1], f"{m[1]} "), text)
    for sign in ("_", r"\^"):
        text = re.sub(rf"({sign})(?:\{{([^{{}}]*)\}}|(\w))", _shifted, text)
    text = re.sub(r"(?<=[·√‖]) | (?= )|(?<=[a-z]) (?=[(])", "", re.sub(r"[{}]", "", text))
    return true_minus(text).strip()


def plain_text(markdown: str) -> str:
    r"""Return Markdown without its marks.

    >>> plain_text(r"The *scale* is $\frac{1}{\sqrt{d_k}}$, see [chapter 1](01.md).")
    'The scale is 1/√dₖ, see chapter 1.'
    """
    text = re.sub(r"\$([^$]+)\$", lambda m: _formula(m[1]), markdown)
    text = re.sub(r"\[([^\[\]]*)\]\([^()\s]*\)", r"\1", text)
    return re.sub(r"(\*\*|\*|`)(?=\S)(.+?)(?<=\S)\1", r"\2", text)
