"""Numbered formulas, read from the pages and evaluated, against other ways to what they say.

No tag is left out. Of each formula every right side is read, but for the sum in the middle of
(1.1), whose terms are variances; left sides mostly are names. Which relation stands between, such
as ≤ or ≈, is not read, nor is O(β²).
"""

import math
import re
from functools import cache

import numpy as np
import pytest
from scipy.special import digamma, gamma, kv, softmax, zeta
from scipy.stats import chi, lognorm, norm
from stored_outputs import sources

import attn_helpers as ah
from attn_helpers.attention import Projections
from attn_helpers.extremes import expected_maximum
from attn_helpers.laws import Aligned, Gaussian
from attn_helpers.needle import match_capacity, needle_weight
from attn_helpers.weights import jacobian_norm, jacobian_trace
from tools.paths import notebooks, pages

PLAIN = (  # what is only looks, then what is one name here
    (r"\\[,;!]|\\(?:left|right|[bB]ig)(?![a-z])|\\(?:begin|end)\{aligned\}|&|\{\}", " "),
    (r"\\underbrace|(?:_\{|\\ )\\text\{[^}]*\}\}?|\\cdot|\\textstyle", " "),
    (r"(?:\\mathrm )?\bd([xpqzv])(?![a-z])", r"\\d\1"),
    (r"\\tfrac|\\frac(?=\d)", r"\\frac"),
    (r"\\frac(\d)(\w)", r"\\frac{\1}{\2}"),
    (r"\\lVert *(\\?\w+'?) *\\rVert(?:_F)?", r"\\norm_{\1}"),
    (r"\\text\{Var\}_p\(s\)", r"\\variance"),
    (r"\\mathbb\{E\}_p\[s\]|\\bar s", r"\\mean"),
    (r"\\text\{(\w+)\}|\\mathbb\{(E)\}", r"\\\1\2"),
    (r"\((\\Sigma_\w)\)_", r"\1_"),
    (r"\)_\{i\}", ")"),
    (r"\|(\w)\|", r"\\abs{\1}"),
    (r"_0\^\\infty", r"_{0\\infty}"),
    (r"\^([A-Z])", r"_\1"),
)
TOKEN = re.compile(r"\\[A-Za-z]+|\d+|[A-Za-z]|\S")
RELATION = re.compile(r"=|\\(?:le|ge|to|sim|approx)\b|,?\s*\\\\")
LONG = ("sum", "int", "sin")  # of all that follows in the product, not of the next factor
KNOWN = (
    {"e": math.e, "pi": math.pi, "top": None, "ln": np.log, "sin": np.sin, "abs": abs}
    | {"Gamma": gamma, "psi": digamma, "Phi": norm.cdf, "int": np.sum, "int_0\\infty": np.sum}
    | {"tr": np.trace, "diag": np.diagflat, "Concat": np.hstack, "softmax": ah.softmax}
    | {"E": lambda draws: draws.mean(0, keepdims=True), "sum_i,j": np.sum, "sum_j": np.sum}
    | {"sum_i": lambda last: last.sum(-1), "sum_j\\ge2": lambda from_one: from_one[1:].sum()}
)


@cache
def formulas() -> dict[str, str]:
    """Return each numbered formula's TeX by its tag."""
    texts = [*map("\n".join, map(sources, notebooks())), *(p.read_text("utf8") for p in pages())]
    pattern = r"\$\$((?:(?!\$\$).)*)\\tag\{(.*?)\}"
    return {tag: tex for text in texts for tex, tag in re.findall(pattern, text, re.S)}


@cache
def sides(tag: str) -> list[str]:
    """Return a formula between its relations, line after line."""
    text = formulas()[tag]
    for pattern, put in PLAIN:
        text = re.sub(pattern, put, text)
    return [x.strip() for x in RELATION.split(re.sub(r"[.,\s]+$", "", text))]


def value(tex: str, **names):
    """Evaluate the few signs of TeX that the formulas have; products have no sign.

    A name is a number, a function or an array: two of two axes are multiplied as matrices.
    """
    tokens, names = TOKEN.findall(tex), KNOWN | names

    def take(*wanted: str) -> str:
        return tokens.pop(0) if tokens and (not wanted or tokens[0] in wanted) else ""

    def total():
        found = product() if tokens[0] not in "+-" else 0.0
        while sign := take("+", "-"):
            found = found + product() if sign == "+" else found - product()
        return found

    def product():
        found = power()
        while tokens and tokens[0] not in (*"+-)}],/",):
            factor = power()
            both = np.ndim(found) == np.ndim(factor) == 2
            found = found @ factor if both else found * factor
        while take("/"):
            found = found / product()
        return found

    def power():
        base = atom()
        if not take("^"):
            return base
        return base.T if (exponent := atom()) is None else base**exponent

    def atom():
        token = take()
        if token in "({[":
            found = [total()]
            while take(","):
                found.append(total())
            assert take(")", "}", "]")
            return found if found[1:] else found[0]
        if token.isdigit():
            return float(token)
        name = token.lstrip("\\")
        if name == "frac":
            return atom() / atom()
        if name == "sqrt":
            return np.sqrt(atom())
        while take("_"):
            inside = [take()]
            while inside[0] == "{" and inside[-1] != "}":
                inside.append(take())
            name += "_" + "".join(inside).strip("{}").replace("{", "")
        found = names[name + take("'")]
        if not callable(found):
            return found
        return found(product() if name[:3] in LONG else atom())

    found = total()
    assert not tokens, (tex, tokens)
    return found


def read(tag: str, part: int, **names):
    return value(sides(tag)[part], **names)


def slope(f, x: float, h: float = 1e-5) -> float:
    return (f(x + h) - f(x - h)) / (2 * h)


def cases(rng: np.random.Generator):
    """Yield each formula's tag and its two values, of one draw of what stands in it."""
    n, d = int(rng.integers(5, 400)), int(rng.integers(3, 90))
    a, b, c, rho = rng.uniform(0.3, 0.9, 4)
    far = 4 + a + math.sqrt(2 * math.log(n))  # such as a needle's height
    s, t, beta = rng.normal(size=5), 2, 0.7
    p = softmax(beta * s)
    own, jacobian = float(p @ s), ah.softmax_jacobian(p)
    moments = {"variance": p @ s**2 - own**2, "mean": own, "beta": beta, "s_t": s[t]}
    q, k, v, g = rng.normal(size=(4, 5, 3))  # of five tokens

    yield "1.1", read("1.1", -1, d=d), Gaussian().moments(d)[1]
    yield "1a.1", read("1a.1", 2, d=d), sum(i * (i + 2) for i in range(1, d + 1))
    yield "1a.1", read("1a.1", 3, d=1e7), read("1a.1", 2, d=1e7)
    four = {"sigma_q": a, "mu_q": b, "sigma_k": c, "mu_k": rho}
    squares = (a**2 + b**2) * (c**2 + rho**2)
    between = read("1a.2", 2, **four)
    yield "1a.2", read("1a.2", 1, **four) + between, squares - b**2 * rho**2
    yield "1a.2", between, (rho * a) ** 2

    means = {"mu_q": q.mean(0)[:, None], "mu_k": k.mean(0)[:, None]}
    spreads = {"Sigma_q": np.cov(q.T, bias=True), "Sigma_k": np.cov(k.T, bias=True)}
    yield "2b.2", read("2b.2", 1, **means, **spreads), (q @ k.T).var()  # every pair as likely
    centred = (q - q.mean(0)) @ (k - k.mean(0)).T
    flat = {f"{name}_ij": matrix.ravel() for name, matrix in spreads.items()}
    yield "2.1", read("2.1", 1, **flat), centred.var()
    left, right = np.repeat(q, 5, 0), np.tile(k, (5, 1))
    four = {"q_i": left[..., None], "q_j": left[:, None], "k_i": right[..., None]}
    four, square = four | {"k_j": right[:, None]}, ((q @ k.T) ** 2).mean()
    yield "2.2", read("2.2", 1, **four), square
    yield "2.2", read("2.2", 3, **four), square
    x = far * (a - b)
    bessel = {"K_(d-1)/2": lambda size: kv((d - 1) / 2, size)}
    density = chi(d).expect(lambda length: norm.pdf(x, 0, length))
    yield "2a.1", read("2a.1", 1, x=x, d=d, **bessel), density
    yield "2b.1", read("2b.1", 0, kappa_q=3, kappa_k=3, d=d), Gaussian().moments(d)[2]
    yield "2b.1", read("2b.1", 0, kappa_q=1, kappa_k=1, d=d), 3 - 2 / d

    yield "3.1", read("3.1", 1, Delta_j=s.max() - np.sort(s)[::-1]), softmax(s).max()
    low, _, high = (read("3.2", i, n=n, Delta=a) if i != 1 else 0 for i in range(3))
    yield "3.2", low, softmax([a, *[0] * (n - 1)])[0]
    yield "3.2", high, softmax([a, 0])[0]
    yield "3.3", softmax([read("3.3", 1, n=n, p=a), *[0] * (n - 1)])[0], a
    border = read("3a.1", 1, n=n)
    yield "3a.1", n * math.exp(-(border**2) / 2), 1
    grid = {"x": np.arange(-640, 640) / 64, "dx": 1 / 64}
    apart = n * (expected_maximum(n) - expected_maximum(n - 1))
    yield "3a.2", read("3a.2", 1, n=n, sigma=a, **grid), a * apart
    j, power = np.arange(1, n), 1 + a
    tail = zeta(power, 2) - zeta(power, n)
    yield "3a.3", read("3a.3", 0, Delta_j=power * np.log(j)), tail
    yield "3a.3", read("3a.3", 1, j=j, sigma=power * b, sigma_c=b), tail
    whole = n * lognorm(far).mean()  # of e^z, at the spread z that is `far`
    yield "3a.6", read("3a.6", 1, n=n, sigma=far), 2 * math.exp(far * border) / whole

    for i in (t, 0):
        names = {"p_i": p[i], "p_j": p[t], "delta_ij": float(i == t)}
        moved = slope(lambda h, i=i: softmax(beta * s + h * np.eye(5)[t])[i], 0)
        yield "4.1", read("4.1", 1, **names), moved
    yield "4.1", read("4.1", 3, p=p[:, None]), jacobian
    sums = {"s_2": p @ p, "s_3": p @ p**2}
    yield "4.2", read("4.2", 1, **sums), np.trace(jacobian)
    yield "4.2", read("4.2", 3, **sums), np.square(jacobian).sum()
    yield "4.2", read("4.2", 2, norm_J=a), a**2
    back = ah.scaled_dot_product_attention_vjp(q[:1], k, v, g[:1], scale=beta)[0][0]
    dp = read("4.3", 1, g=g[:1], v_i=v.T).T
    dz = read("4.3", 3, J=ah.softmax_jacobian(softmax(beta * k @ q[0])), dp=dp)
    yield "4.3", read("4.3", 5, beta=beta, dz_i=dz.T[0], k_i=k.T), back
    names = {"norm_g_i": np.full(n, a), "n_q": n, "norm_G": np.linalg.norm(np.full(n, a))}
    yield "4a.4", read("4a.4", 1, **names), n * a  # where all queries look at one key
    yield "4a.4", read("4a.4", 3, **names), n * a

    first = {"n": 5, "beta": 1e-6, "s_i": s[1], "mean": s.mean()}
    linear = value(sides("6.1")[1].partition("+ O")[0], **first)
    yield "6.1", (linear - 0.2) * 1e6, slope(lambda x: softmax(x * s)[1], 0)
    others = softmax([*[beta * a] * t, *[0] * (n - t)])[t:].sum()
    odds = read("6.2", 1, n=n, r=t, beta=beta, Delta=a)
    yield "6.2", odds, others / (1 - others)
    yield "6.3", read("6.3", 1, **moments), slope(lambda x: ah.entropy(softmax(x * s)), beta)
    lost = slope(lambda x: -np.log(softmax(x * s)[t]), beta)
    yield "6.6", read("6.6", 1, **moments), lost
    yield "6.6", read("6.6", 3, **moments), slope(lambda x: softmax(x * s) @ s, beta)
    (root, _) = sorted(np.roots([0.5, -far, math.log(n - 1)]))
    yield "6.4", read("6.4", 0, n=n, b=root), read("6.4", 1, b=root, D=far)
    yield "6.5", read("6.5", 1, n=n, D=far), root
    yield "6.5", read("6.5", 2, n=1e9, D=1e4), read("6.5", 1, n=1e9, D=1e4)
    with_needle, without = norm(a * q[0], c).logpdf(k), norm(0, c).logpdf(k)
    bayes = softmax((with_needle - without).sum(-1))
    yield "6.7", read("6.7", 0, a=a, sigma=c, q=q[:1], k=k.T)[0], bayes
    yield "6.8", read("6.8", 1, d=400_000), match_capacity(400_000)
    mean, variance, _ = Aligned(rho).moments(d)
    yield "6a.1", read("6a.1", 1, rho=rho, d=d), (variance + mean**2) / d
    yield "6b.1", read("6b.1", 1, n=n, b=a, D=far), needle_weight(n, far, a)
    more = {"n": 3 * n, "L": n, "s": c}
    f = read("6b.2", 3, **more)
    yield "6b.2", read("6b.2", 0, f=f, **more), read("6b.2", 1, f=f, **more)
    gaps, grid = rng.integers(1, 5000, 7) / 1000, {"dx": 1e-3, "x": np.arange(0.5, 6e4) / 1000}
    grid["N_n"] = lambda x: (x[:, None] > gaps).sum(1)
    yield "6b.3", read("6b.3", 1, b=b, Delta_j=gaps), np.exp(-b * gaps).sum()
    yield "6b.3", read("6b.3", 2, b=b, **grid), np.exp(-b * gaps).sum()
    wide = 80 * d
    root = read("6b.5", 1, d=wide, n=n, rho=rho)
    met = math.log(n - 1) + (1 - rho) * root**2 / 2
    yield "6b.5", root * (1 - rho) * math.sqrt(wide), met
    many = {"d": 1e9, "n": 1e9, "rho": rho}
    yield "6b.5", read("6b.5", 3, **many), read("6b.5", 1, **many)

    step = np.sign(np.outer(x := q[0], key := k[0]))  # what raises x W k
    names = {"beta": beta, "eta": a, "norm_x_1": abs(x).sum(), "norm_k_1": abs(key).sum()}
    yield "8.1", read("8.1", 1, **names), beta * a * x @ step @ key
    yield "8b.1", read("8b.1", 1, d=d), read("8b.1", 2, d=d)
    x, maps = rng.normal(size=(5, 6)), Projections(*rng.normal(size=(4, 6, 6)))
    parts = zip(*(np.split(x @ w, 3, axis=1) for w in maps[:3]), strict=True)
    heads = [read("8c.1", 1, beta=beta, Q_i=q, K_i=k, V_i=v) for q, k, v in parts]
    names = {"H_1": heads[0], "dots": heads[1], "H_h": heads[2], "W_O": maps.output}
    yield "8c.1", read("8c.1", 3, **names), ah.multi_head_attention(x, x, maps, 3, scale=beta)


def drawn(rng: np.random.Generator):
    """Yield the tag, the value and the simulated value of what holds for means or in a limit."""
    d, runs, s = 3, 60_000, rng.normal(size=4)
    jacobian = ah.softmax_jacobian(softmax(s))
    g, k = rng.standard_normal((runs, d)), rng.standard_normal((runs, 4, d))
    dq = np.einsum("ij,rd,rjd,rie->re", 0.3 * jacobian, g, k, k, optimize=True)
    names = {"beta": 0.3, "norm_J": np.linalg.norm(jacobian), "J": jacobian, "d": d}
    yield "4a.1", read("4a.1", 1, **names), (dq**2).sum(1).mean()
    x, other = rng.standard_normal((2, 5))
    w_q, w_k = rng.normal(0, 0.5, (runs, 5, d)), rng.normal(0, 0.7, (runs, 5, d))
    scores = np.einsum("i,rid,j,rjd->r", x, w_q, other, w_k, optimize=True)
    names = {"sigma_W_q": 0.5, "sigma_W_k": 0.7, "norm_x": np.linalg.norm(x), "d_k": d}
    names["norm_x'"] = np.linalg.norm(other)
    yield "2.3", read("2.3", 1, **names), scores.var()

    normal = norm.ppf((np.arange(1e6) + 0.5) / 1e6)  # a row with nothing random
    p, names = softmax(0.4 * normal), {"n": 1e6, "sigma": 0.4}
    most = math.log(1e6)
    yield "3a.4", read("3a.4", 1, **names) - most, ah.entropy(p) - most
    yield "3a.4", read("3a.4", 3, **names), (p**2).sum()
    # Poisson-Dirichlet weights, from a Poisson process; then a few normal logits that spread far.
    m = 0.4
    p = np.cumsum(rng.exponential(size=(runs, 200)), 1) ** (-1 / m)
    p /= p.sum(1, keepdims=True)
    yield "3a.5", read("3a.5", 1, m=m), (p**2).sum(1).mean()
    yield "3a.5", read("3a.5", 3, m=m), ah.entropy(p).mean()
    yield "6b.4", read("6b.4", 1, m=m), (p[:, 0] > 0.5).mean()
    ratio = read("4a.3", 1, m=m, U=rng.uniform(size=runs))
    yield "4a.3", np.quantile(ratio, (0.5, 0.8)), np.quantile(p[:, 1] / p[:, 0], (0.5, 0.8))
    yield "4a.3", read("4a.3", 3, m=m), jacobian_trace(p).mean()
    yield "4a.3", read("4a.3", 5, m=m), (jacobian_norm(p) ** 2).mean()
    z = np.sort(rng.normal(0, 40, (5 * runs, 5)))
    p, m = softmax(z, axis=1), expected_maximum(5) / 40
    yield "4a.2", read("4a.2", 1, m=m), (z[:, -1] - z[:, -2] < 1).mean()
    yield "4a.2", read("4a.2", 3, m=m), jacobian_trace(p).mean()
    yield "4a.2", read("4a.2", 5, m=m), (jacobian_norm(p) ** 2).mean()


@pytest.mark.parametrize("seed", range(3))
def test_numbered_formulas_are_what_they_say(seed):
    for tag, told, wanted in cases(np.random.default_rng(seed)):
        assert told == pytest.approx(wanted, rel=1e-6), tag


def test_those_of_means_and_limits_are_what_draws_show_and_no_tag_is_left_out():
    tags = {tag for tag, *_ in cases(np.random.default_rng(3))}
    for tag, told, wanted in drawn(np.random.default_rng(12)):
        assert told == pytest.approx(wanted, rel=0.05), tag
        tags.add(tag)
    assert tags == set(formulas())
