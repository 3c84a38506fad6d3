"""Numbered formulas, read from the pages and evaluated, against other ways to what they say."""

import math
import re
from functools import cache

import nbformat
import numpy as np
import pytest
from scipy.special import softmax

import attn_helpers as ah
from attn_helpers.laws import Aligned, Gaussian
from attn_helpers.needle import needle_weight
from tools.paths import BOOK

RNG = np.random.default_rng(12)
PLAIN = (  # what is only looks, then what is one name here
    (r"\\[,;!]|\\(?:left|right|[bB]ig)(?![a-z])|\\(?:begin|end)\{aligned\}|&|\{\}", " "),
    (r"\\underbrace|_\{\\text\{[^}]*\}\}|\\cdot", " "),
    (r"\\tfrac|\\frac(?=\d)", r"\\frac"),
    (r"\\frac(\d)(\w)", r"\\frac{\1}{\2}"),
    (r"\\lVert *(\w'?) *\\rVert(?:_F)?", r"\\norm_{\1}"),
    (r"\\text\{tr\} *J", r"\\trace"),
    (r"\\text\{Var\}_p\(s\)", r"\\variance"),
    (r"\\mathbb\{E\}_p\[s\]|\\bar s", r"\\mean"),
)
TOKEN = re.compile(r"\\[A-Za-z]+|\d+|[A-Za-z]|\S")
KNOWN = {"e": math.e, "pi": math.pi}


@cache
def sides(tag: str) -> list[str]:
    """Return a formula between its relations, line after line."""
    for path in BOOK.glob(f"{tag.partition('.')[0]:0>2}-*.ipynb"):
        for cell in nbformat.read(path, as_version=4).cells:
            if found := re.search(rf"\$\$((?:(?!\$\$).)*)\\tag\{{{tag}\}}", cell.source, re.S):
                text = found[1]
                for pattern, put in PLAIN:
                    text = re.sub(pattern, put, text)
                text = re.sub(r"[.,\s]+$", "", text)
                return [x.strip() for x in re.split(r"=|\\le\b|\\approx|\\ge\b|,?\s*\\\\", text)]
    raise KeyError(tag)


def value(tex: str, **names: float) -> float:
    """Evaluate the few signs of TeX that the formulas have; products have no sign."""
    tokens, names = TOKEN.findall(tex), KNOWN | names

    def take(*wanted: str) -> str:
        return tokens.pop(0) if tokens and (not wanted or tokens[0] in wanted) else ""

    def total() -> float:
        found = product() if tokens[0] not in "+-" else 0.0
        while sign := take("+", "-"):
            found += product() if sign == "+" else -product()
        return found

    def product() -> float:
        found = power()
        while tokens and tokens[0] not in (*"+-)}|/",):
            found *= power()
        while take("/"):
            found /= product()
        return found

    def power() -> float:
        base = atom()
        return base ** atom() if take("^") else base

    def atom() -> float:
        token = take()
        if token in "({":
            found = total()
            assert take(")", "}")
            return found
        if token.isdigit():
            return float(token)
        name = token.lstrip("\\")
        if name == "frac":
            return atom() / atom()
        if name == "sqrt":
            return math.sqrt(atom())
        if name == "ln":
            return math.log(power())
        if take("_"):
            inside = [take()]
            while inside[0] == "{" and inside[-1] != "}":
                inside.append(take())
            name += "_" + "".join(inside).strip("{}").replace("{", "")
        return names[name + take("'")]

    found = total()
    assert not tokens, (tex, tokens)
    return found


def slope(f, x: float, h: float = 1e-5) -> float:
    return (f(x + h) - f(x - h)) / (2 * h)


def cases():
    """Yield each formula's tag and its two values, of one draw of what stands in it."""
    n, d = int(RNG.integers(5, 400)), int(RNG.integers(3, 90))
    a, b, c, rho = RNG.uniform(0.3, 0.9, 4)
    far = 4 + a + math.sqrt(2 * math.log(n))  # such as a needle's height
    s, t, beta = RNG.normal(size=5), 2, 0.7
    p = softmax(beta * s)
    own, jacobian = float(p @ s), ah.softmax_jacobian(p)
    moments = {"variance": p @ s**2 - own**2, "mean": own, "beta": beta, "s_t": s[t]}

    def read(tag: str, part: int, **names: float) -> float:
        return value(sides(tag)[part], **names)

    low, _, high = (read("3.2", i, n=n, Delta=a) if i != 1 else 0 for i in range(3))
    yield "3.2", low, softmax([a, *[0] * (n - 1)])[0]
    yield "3.2", high, softmax([a, 0])[0]
    yield "3.3", softmax([read("3.3", 1, n=n, p=a), *[0] * (n - 1)])[0], a
    sums = {"s_2": p @ p, "s_3": p @ p**2}
    yield "4.2", read("4.2", 1, **sums), np.trace(jacobian)
    yield "4.2", read("4.2", 3, **sums), np.square(jacobian).sum()
    yield "4.2, left", read("4.2", 2, norm_J=a), a**2
    first = {"n": 5, "beta": 1e-6, "s_i": s[1], "mean": s.mean()}
    linear = value(sides("6.1")[1].partition("+ O")[0], **first)
    yield "6.1", (linear - 0.2) * 1e6, slope(lambda x: softmax(x * s)[1], 0)
    yield "6.3", read("6.3", 1, **moments), slope(lambda x: ah.entropy(softmax(x * s)), beta)
    lost = slope(lambda x: -np.log(softmax(x * s)[t]), beta)
    yield "6.6", read("6.6", 1, **moments), lost
    (root, _) = sorted(np.roots([0.5, -far, math.log(n - 1)]))
    yield "6.4", read("6.4", 0, n=n, b=root), read("6.4", 1, b=root, D=far)
    yield "6.5", read("6.5", 1, n=n, D=far), root
    yield "1a.1", read("1a.1", 2, d=d), sum(i * (i + 2) for i in range(1, d + 1))
    four = {"sigma_q": a, "mu_q": b, "sigma_k": c, "mu_k": rho}
    squares = (a**2 + b**2) * (c**2 + rho**2)
    between = read("1a.2", 2, **four)
    yield "1a.2", read("1a.2", 1, **four) + between, squares - b**2 * rho**2
    yield "1a.2", between, (rho * a) ** 2
    yield "2b.1", value(sides("2b.1")[0], kappa_q=3, kappa_k=3, d=d), Gaussian().moments(d)[2]
    yield "2b.1", value(sides("2b.1")[0], kappa_q=1, kappa_k=1, d=d), 3 - 2 / d
    mean, variance, _ = Aligned(rho).moments(d)
    yield "6a.1", read("6a.1", 1, rho=rho, d=d), (variance + mean**2) / d
    yield "6b.1", read("6b.1", 1, n=n, b=a, D=far), needle_weight(n, far, a)
    more = {"n": 3 * n, "L": n, "s": c}
    f = read("6b.2", 3, **more)
    yield "6b.2", read("6b.2", 0, f=f, **more), read("6b.2", 1, f=f, **more)
    wide = 80 * d
    root = read("6b.5", 1, d=wide, n=n, rho=rho)
    met = math.log(n - 1) + (1 - rho) * root**2 / 2
    yield "6b.5", root * (1 - rho) * math.sqrt(wide), met
    yield "8b.1", read("8b.1", 1, d=d), read("8b.1", 2, d=d)


@pytest.mark.parametrize("_", range(3))
def test_numbered_formulas_are_what_they_say(_):
    for tag, told, wanted in cases():
        assert told == pytest.approx(wanted, rel=1e-6), tag


def test_two_numbered_means_are_those_of_draws():
    d, runs, s = 3, 60_000, RNG.normal(size=4)
    jacobian = ah.softmax_jacobian(softmax(s))
    g, k = RNG.standard_normal((runs, d)), RNG.standard_normal((runs, 4, d))
    dq = np.einsum("ij,rd,rjd,rie->re", 0.3 * jacobian, g, k, k, optimize=True)
    names = {"beta": 0.3, "norm_J": np.linalg.norm(jacobian), "trace": np.trace(jacobian)}
    assert value(sides("4a.1")[1], d=d, **names) == pytest.approx((dq**2).sum(1).mean(), rel=0.05)
    x, other = RNG.standard_normal((2, 5))
    w_q, w_k = RNG.normal(0, 0.5, (runs, 5, d)), RNG.normal(0, 0.7, (runs, 5, d))
    scores = np.einsum("i,rid,j,rjd->r", x, w_q, other, w_k, optimize=True)
    names = {"sigma_W_q": 0.5, "sigma_W_k": 0.7, "norm_x": np.linalg.norm(x), "d_k": d}
    told = value(sides("2.3")[1], **names, **{"norm_x'": np.linalg.norm(other)})
    assert told == pytest.approx(scores.var(), rel=0.06)
