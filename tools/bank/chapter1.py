"""Questions on chapter 1, "Dot products grow"."""

from math import exp, log, sqrt

from .asked import Asked, question, shown


@question("grow", factor=[4, 9, 16, 25], shrunk=[2, 3, 5])
def wider_and_smaller(factor: int, shrunk: int) -> Asked:
    return Asked(
        f"A layer is made ${factor}$ times as wide, and to keep its scores in hold somebody "
        f"divides every component of the queries by ${shrunk}$; all components are independent "
        f"with mean $0$. By what number is the spread of the scores multiplied?",
        sqrt(factor) / shrunk,
        f"The width multiplies it by $\\sqrt{{{factor}}}$, the smaller queries by $1/{shrunk}$: "
        f"the spread is linear in each vector, and grows with the root of the width alone.",
    )


@question("grow", mean=[0.1, 0.2, 0.25, 0.5], ratio=[2, 3, 4, 5])
def mean_overtakes_spread(mean: float, ratio: int) -> Asked:
    variance = 1 + 2 * mean**2
    return Asked(
        f"All components of $q$ and $k$ are independent, with mean ${mean}$ and variance $1$. At "
        f"which $d$ is the mean of $q\\cdot k$ equal to ${ratio}$ of its standard deviations?",
        ratio**2 * variance / mean**4,
        "The mean is $d\\mu^2$ and the variance $d\\,(1 + 2\\mu^2)$. Set $d\\mu^2 = "
        f"{ratio}\\sqrt{{d\\,(1 + 2\\mu^2)}}$ and solve for $d$: the mean grows like $d$, the "
        "spread like $\\sqrt d$.",
    )


@question("variance", d=[40, 60, 80, 120], a=[2, 3], b=[1, 4])
def two_uniforms(d: int, a: int, b: int) -> Asked:
    return Asked(
        f"The components of $q$ are uniform on $[-{a}, {a}]$, those of $k$ on $[-{b}, {b}]$, all "
        f"${2 * d}$ of them independent. What is the variance of $q\\cdot k$, where $d = {d}$?",
        d * a**2 * b**2 / 9,
        f"A uniform component on $[-c, c]$ has mean square $c^2/3$. A product has mean zero and "
        f"variance ${a}^2/3 \\cdot {b}^2/3$, and there are ${d}$ of them.",
    )


@question("variance", d=[50, 100, 200, 400], share=[0.1, 0.2, 0.3], spread=[2, 3])
def sparse_queries(d: int, share: float, spread: int) -> Asked:
    return Asked(
        f"Each component of $q$ is $0$ with probability ${1 - share:.1f}$, else $+1$ or $-1$ with "
        f"equal chances; those of $k$ are normal with mean $0$ and standard deviation "
        f"${spread}$. All are independent and $d = {d}$. What is the variance of $q\\cdot k$?",
        d * share * spread**2,
        f"The mean square of a component of $q$ is ${share}$, of $k$ ${spread**2}$. The "
        f"distribution does not matter beyond that: $d \\cdot {share} \\cdot {spread**2}$.",
    )


@question("seen", q=[0, 1, 2, 3], k=[1, 2, 3], var_q=[1, 2], var_k=[1, 3])
def share_within_rows(q: int, k: int, var_q: int, var_k: int) -> Asked:
    within, between = var_k * (var_q + q**2), k**2 * var_q
    return Asked(
        f"All components are independent: those of $q$ have mean ${q}$ and variance ${var_q}$, "
        f"those of $k$ mean ${k}$ and variance ${var_k}$. Which share of the variance of "
        "$q\\cdot k$ can a softmax over the keys see?",
        within / (within + between),
        f"It sees what lies within a row, $\\sigma_k^2(\\sigma_q^2 + \\mu_q^2) = {within}$ a "
        f"dimension; between rows there is $\\mu_k^2\\sigma_q^2 = {between}$.",
    )


@question("seen", gap=[0.5, 1, 1.5, 2], mean=[2, 3, 5, 10], d=[16, 64, 256])
def shifted_keys(gap: float, mean: int, d: int) -> Asked:
    return Asked(
        f"A query meets two keys with $d = {d}$; the first one's score is larger by ${gap}$, and "
        f"nothing is divided. Now ${mean}$ is added to every component of both keys. What is the "
        "weight of the first key?",
        1 / (1 + exp(-gap)),
        f"Both scores move by ${mean}\\sum_i q_i$, which cancels: $1/(1 + e^{{-{gap}}})$ as before.",
    )


@question("attention", weight=[0.9, 0.95, 0.99, 0.999])
def width_for_a_winner(weight: float) -> Asked:
    return Asked(
        "Two keys and a query have independent components with mean $0$ and variance $1$, and "
        "nothing is divided. At which $d$ is one standard deviation of the *difference* of the two "
        f"scores enough to give the better key the weight ${weight}$? (A real number, not rounded.)",
        log(weight / (1 - weight)) ** 2 / 2,
        "The difference has the variance $2d$, and the weight belongs to a difference of "
        f"$\\ln\\frac{{p}}{{1-p}} = {shown(log(weight / (1 - weight)))}$.",
    )


@question("attention", p=[0.9, 0.95, 0.99, 0.995], step=[0.01, 0.02])
def nudge_a_logit(p: float, step: float) -> Asked:
    return Asked(
        f"The best key has the weight ${p}$. Its logit is raised by the small amount ${step}$ and "
        "the other logits stay. By how much does its weight grow, to first order?",
        p * (1 - p) * step,
        f"The slope is $p(1-p) = {shown(p * (1 - p))}$, times ${step}$. A weight near one has all "
        "but stopped listening to its logit.",
    )
