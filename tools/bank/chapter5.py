"""Questions on chapter 5, "Temperature"."""

from math import exp, log, sqrt
from statistics import NormalDist

from .asked import Asked, question, shown


@question("limits", gap=[0.5, 1, 2, 3], times=[19, 99, 999])
def how_cold(gap: float, times: int) -> Asked:
    return Asked(
        f"Two keys have scores that differ by ${gap}$. At which $\\beta$ does the better one get "
        f"${times}$ times the weight of the other?",
        log(times) / gap,
        f"$e^{{{gap}\\beta}} = {times}$.",
    )


@question("limits", n=[4, 5, 8, 10], above=[2, 3, 4], beta=[0.01, 0.02])
def how_hot(n: int, above: int, beta: float) -> Asked:
    return Asked(
        f"The best of ${n}$ scores lies ${above}$ above the *mean* of the row. At $\\beta = "
        f"{beta}$, by how much does its weight exceed $1/{n}$, to first order in $\\beta$?",
        beta * above / n,
        "$p_i \\approx \\frac1n\\,(1 + \\beta\\,(s_i - \\bar s))$.",
    )


@question("gradient", a=[1, 2, 3], b=[-1, 0], beta=[0.5, 1, 2])
def slope_of_the_loss(a: int, b: int, beta: float) -> Asked:
    weight = 1 / (1 + exp(-beta * (a - b)))
    mean = weight * a + (1 - weight) * b
    return Asked(
        f"Two keys have the scores ${a}$ and ${b}$; the target is the second. What is the "
        f"derivative of $-\\ln p_2$ with respect to the scale at $\\beta = {beta}$?",
        mean - b,
        f"It is the mean score under the weights, ${shown(mean)}$, less the target's.",
    )


@question("gradient", a=[0.5, 1, 2], spread=[2, 3, 4])
def best_scale(a: float, spread: int) -> Asked:
    return Asked(
        f"One key of a row, at a random place, is $k = {a}\\,q + \\varepsilon$, the others are "
        f"$\\varepsilon'$; all $\\varepsilon$ are independent and normal with mean zero and "
        f"standard deviation ${spread}$ in each component. Which scale $\\beta$ has the smallest "
        "mean of $-\\ln p$ of that key?",
        a / spread**2,
        "$a/\\sigma^2$: at that scale the softmax is the probability, given query and keys, that "
        "a key is the one. Neither $d$ nor $n$ is in it.",
    )


@question("needle", needle=[4, 5, 6], n=[20, 100, 500])
def smallest_scale_for_a_needle(needle: int, n: int) -> Asked:
    root = sqrt(needle**2 - 2 * log(n))
    return Asked(
        f"The logits are $bz$, where $z$ is standard normal for ${n}$ keys and ${needle}$ for the "
        "needle. From which $b$ on does the needle hold about half of the weight, if the sum over "
        "the others is taken at its mean?",
        needle - root,
        f"$n\\,e^{{b^2/2}} = e^{{bD}}$ at $b = D - \\sqrt{{D^2 - 2\\ln n}}$ with $D = {needle}$ "
        f"and $n = {n}$.",
    )


@question("needle", needle=[2.5, 3, 3.5, 4], n=[100, 1000, 5000])
def needle_that_no_scale_finds(needle: float, n: int) -> Asked:
    return Asked(
        f"A needle stands ${needle}$ standard deviations above the mean of ${n}$ other keys, whose "
        "scores are independent and normal. With which probability is another key above it, so "
        "that no scale gives the needle more than half of the weight?",
        1 - NormalDist().cdf(needle) ** n,
        f"All others are below with probability $\\Phi({needle})^{{{n}}}$.",
    )


@question("length", beta=[4, 5, 6, 8])
def keys_that_a_bounded_logit_survives(beta: int) -> Asked:
    return Asked(
        f"Queries and keys are brought to length one, and $\\beta = {beta}$. The best key has "
        "cosine $1$, all others have cosine $0$. Among how many *others* does it keep half of the "
        "weight? (A real number, not rounded.)",
        exp(beta),
        f"$e^{{{beta}}} = n$: a bounded logit survives a bounded number of keys, and to let $n$ "
        "grow, $\\beta$ has to grow like $\\ln n$.",
    )


@question("length", beta=[4, 6, 8], n=[100, 1000], times=[10, 100, 1000])
def scale_for_a_longer_row(beta: int, n: int, times: int) -> Asked:
    return Asked(
        f"The others' logits are all $0$, the best one's is $\\beta$, and among ${n}$ others "
        f"$\\beta = {beta}$ gives the best key some weight. By how much must $\\beta$ rise for the "
        f"same weight among ${n * times}$ others?",
        log(times),
        f"Only $\\beta - \\ln n$ counts, so by $\\ln {times}$.",
    )


@question("aligned", d=[64, 256, 1024], rho=[0.2, 0.4, 0.5])
def aligned_score_with_the_root(d: int, rho: float) -> Asked:
    return Asked(
        f"The components of a query and of its key have mean $0$, variance $1$ and correlation "
        f"${rho}$, and $d = {d}$. What is the mean of their logit with $\\beta = 1/\\sqrt d$?",
        rho * sqrt(d),
        f"The mean score is $\\rho d$; divided by $\\sqrt d$ it is ${rho}\\cdot\\sqrt{{{d}}}$, and "
        "grows.",
    )


@question("aligned", d=[64, 100, 400], rho=[0.2, 0.4, 0.5])
def noise_with_one_over_d(d: int, rho: float) -> Asked:
    return Asked(
        f"With $\\beta = 1/d$ and $d = {d}$: how many standard deviations of the *unrelated* keys' "
        f"logits is the mean logit of a key whose components have correlation ${rho}$ with the "
        "query's? (All have mean $0$ and variance $1$.)",
        rho * sqrt(d),
        "The mean is $\\rho$, the others spread by $1/\\sqrt d$: the ratio is $\\rho\\sqrt d$, "
        "which no scale changes.",
    )
