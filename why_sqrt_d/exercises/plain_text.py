"""Markdown with TeX as text that reads well where neither is drawn."""

import re

_SYMBOLS = {
    **{"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "varepsilon": "ε", "epsilon": "ε"},
    **{"theta": "θ", "kappa": "κ", "lambda": "λ", "mu": "μ", "pi": "π", "rho": "ρ", "sigma": "σ"},
    **{"tau": "τ", "phi": "φ", "Phi": "Φ", "Delta": "Δ", "Sigma": "Σ", "Omega": "Ω", "chi": "χ"},
    **{"cdot": "·", "times": "×", "approx": "≈", "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥"},
    **{"ne": "≠", "neq": "≠", "pm": "±", "to": "→", "infty": "∞", "sum": "Σ", "prod": "Π"},
    **{"lVert": "‖", "rVert": "‖", "lfloor": "⌊", "rfloor": "⌋", "lceil": "⌈", "rceil": "⌉"},
    **{"top": "T", "circ": "∘", "in": "∈", "propto": "∝", "ll": "≪", "gg": "≫", "sim": "~"},
    **{"partial": "∂", "nabla": "∇", "dots": "…", "ldots": "…", "cdots": "…", "mid": "|"},
    **{"quad": "  ", "qquad": "    ", "left": "", "right": "", "odot": "⊙", "bar": "mean "},
    **{"langle": "⟨", "rangle": "⟩", "lvert": "|", "rvert": "|", "int": "∫", "ell": "ℓ"},
}
_WORDS = "text|mathrm|mathbf|mathbb|mathcal|operatorname"
_SHIFTED = {
    "^": dict(zip("0123456789+-n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ", strict=True)) | {"T": "ᵀ", "d": "ᵈ"},
    "_": dict(zip("0123456789ijkmnt", "₀₁₂₃₄₅₆₇₈₉ᵢⱼₖₘₙₜ", strict=True)),
}
_UP, _DOWN = "\ue000", "\ue001"  # signs that are not to be read again
_ARGUMENT = r"(?:\{((?:[^{}]|\{[^{}]*\})*)\}|\s*(\w))"


def _bracketed(part: str) -> str:
    """Put what is longer than a word or a number in brackets."""
    return part if re.fullmatch(rf"√?\w+(?:[.{_DOWN}]\w+)?", part) else f"({part})"


def _shifted(match: re.Match[str]) -> str:
    sign, table = match[1], _SHIFTED[match[1]]
    part = match[2] or match[3] or ""
    if part and all(c in table for c in part):
        return "".join(table[c] for c in part)
    return {"^": _UP, "_": _DOWN}[sign] + _bracketed(part)


def formula(tex: str) -> str:
    r"""Write a formula on one line: `\tfrac12\sqrt{d_k}` as `1/2 √(d_k)`."""
    text = re.sub(rf"\\(?:{_WORDS})\{{([^{{}}]*)\}}", r"\1", tex)
    text = re.sub(rf"\\(?:{_WORDS})\s*(\w)", r" \1", text)
    text = re.sub(r"\\(?:begin|end)\{\w+\}", "|", text).replace(r"\\", "; ").replace("&", "  ")
    text = re.sub(r"\\[,;:! ]", " ", text).replace("~", " ")
    text = re.sub(
        r"\\([A-Za-z]+)",
        lambda m: m[0] if m[1] in {"sqrt", "frac", "tfrac", "dfrac"} else _named(m[1]),
        text,
    )
    text = text.replace("\\%", "%").replace("\\{", "{").replace("\\}", "}")
    for _ in range(4):  # from the inside out
        text = re.sub(r"([\^_])" + _ARGUMENT.replace(r"\w", r"[\w+-]"), _shifted, text)
        text = re.sub(r"\\sqrt" + _ARGUMENT, lambda m: f"√{_bracketed(m[1] or m[2] or '')}", text)
        text = re.sub(
            r"\\[td]?frac" + 2 * _ARGUMENT,
            lambda m: f"{_bracketed(m[1] or m[2])}/{_bracketed(m[3] or m[4])}",
            text,
        )
    text = re.sub(r"[{}]", "", text).replace("-", "−").replace(_UP, "^").replace(_DOWN, "_")
    text = re.sub(r"(?<=[a-z][a-z]) (?=\()", "", " ".join(text.split()))
    return re.sub(r"([·√∘(⌊‖±]) | (?=[)⌋])", r"\1", text)


def _named(name: str) -> str:
    """Return a symbol, or a name such as ln between spaces."""
    return _SYMBOLS.get(name, f" {name} ")


def plain_text(markdown: str) -> str:
    r"""Return Markdown without its marks; code and its fences stay as they are.

    >>> plain_text(r"The *scale* is $\tfrac1{\sqrt{d_k}}$, see [chapter 1](01.md).")
    'The scale is 1/√dₖ, see chapter 1.'
    """
    parts = re.split(r"(```.*?```|`[^`]*`)", markdown.strip(), flags=re.S)
    return "".join(p if p.startswith("`") else _prose(p) for p in parts)


def _prose(text: str) -> str:
    text = re.sub(r"\$\$(.+?)\$\$", lambda m: formula(m[1]), text, flags=re.S)
    text = re.sub(r"\$([^$]+)\$", lambda m: formula(m[1]), text)
    text = re.sub(r"\[([^\[\]]*)\]\([^()\s]*\)", r"\1", text)
    return re.sub(r"(\*\*|\*|__)(?=\S)(.+?)(?<=\S)\1", r"\2", text, flags=re.S)
