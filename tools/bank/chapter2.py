"""Questions on chapter 2, "The variance proof"."""

from math import sqrt

from .asked import Asked, question, shown


@question("enough", d=[8, 16, 32], normal=[True, False])
def what_is_not_needed(d: int, normal: bool) -> Asked:
    right = (
        "that the components are normally distributed"
        if normal
        else "that all components have the same distribution"
    )
    return Asked(
        f"In the proof of $\\text{{Var}}(q\\cdot k) = d$, here for $d = {d}$, which of these is "
        "*not* needed?",
        right,
        "Mean zero, variance one and independence are enough, whatever the distributions are.",
        (
            "that every component has variance one",
            "that every component has mean zero",
            "that $q$ is independent of $k$",
        ),
    )


@question("enough", d=[10, 20, 40], a=[1, 2, 3], b=[4, 5, 6])
def unequal_variances(d: int, a: int, b: int) -> Asked:
    return Asked(
        f"All components are independent with mean $0$. Those of $k$ have variance $1$; of the "
        f"${d}$ components of $q$ one half has variance ${a}$, the other ${b}$. What is the "
        "variance of $q\\cdot k$?",
        d * (a + b) / 2,
        "Each product has the variance of its query component, and independent terms add up: "
        "nothing asks for equal ones.",
    )


@question("counterexample", d=[16, 32, 64], m=[3, 4, 5])
def one_shared_size(d: int, m: int) -> Asked:
    return Asked(
        f"Let $s_i$ and $t_i$ be independent random signs and $r$ one number for *both* vectors, "
        f"independent of them: $r^2 = {m}$ with probability $1/{m}$, else $0$. Let $q_i = r s_i$ "
        f"and $k_i = r t_i$ for $i = 1, \\dots, {d}$. What is the variance of $q\\cdot k$?",
        float(d * m),
        f"$q\\cdot k = r^2\\sum_i s_it_i$ has mean zero and variance "
        f"$d\\,\\mathbb E[r^4] = {d} \\cdot {m}^2/{m}$, though all components are uncorrelated, "
        "with mean zero and variance one.",
    )


@question("counterexample", d=[16, 32, 64], m=[3, 4, 5])
def two_sizes(d: int, m: int) -> Asked:
    return Asked(
        f"Let $s_i$ and $t_i$ be independent random signs. Let $q_i = r s_i$ and $k_i = u t_i$ for "
        f"$i = 1, \\dots, {d}$, where $r$ and $u$ are independent of each other and of the signs, "
        f"and each has the square ${m}$ with probability $1/{m}$, else $0$. What is the variance "
        "of $q\\cdot k$?",
        float(d),
        "$\\mathbb E[r^2]\\,\\mathbb E[u^2]\\,d = d$: a size shared *within* a vector does no "
        "harm as long as the two vectors have each their own.",
    )


@question("assumptions", d=[64, 100, 256], rho=[0.1, 0.2, 0.3, 0.5])
def aligned_pair(d: int, rho: float) -> Asked:
    return Asked(
        f"The components of $q$ and of $z$ are independent standard normal, and $k = {rho}\\,q + "
        f"\\sqrt{{1 - {rho}^2}}\\,z$, with $d = {d}$. How many standard deviations is the mean of "
        "$q\\cdot k$ above zero?",
        rho * sqrt(d) / sqrt(1 + rho**2),
        f"The mean is $\\rho d$ and the variance $d\\,(1 + \\rho^2)$, with $\\rho = {rho}$.",
    )


@question("assumptions", d=[32, 64, 128], c=[0.1, 0.2, 0.25])
def correlated_components(d: int, c: float) -> Asked:
    return Asked(
        f"$q$ and $k$ are independent of each other, their components have mean $0$ and variance "
        f"$1$. Within each of the two vectors any two components have the correlation ${c}$. What "
        f"is the variance of $q\\cdot k$ for $d = {d}$?",
        d + d * (d - 1) * c**2,
        "$\\text{tr}(\\Sigma_q\\Sigma_k) = \\sum_{ij}\\Sigma_{ij}^2$: $d$ ones and $d(d-1)$ times "
        f"${c}^2$. It grows like $d^2$.",
    )


@question("initial", width=[256, 512, 768], d=[32, 64])
def glorot(width: int, d: int) -> Asked:
    entry = 2 / (width + d)
    return Asked(
        f"A token $x$ with $\\lVert x\\rVert^2 = {width}$ is multiplied by $W_q$ and another one "
        f"by $W_k$, both ${d}\\times{width}$ with independent entries of mean zero and variance "
        f"$2/({width} + {d})$. What is the standard deviation of the logit $q\\cdot k/\\sqrt{{{d}}}"
        "$ over draws of the matrices?",
        width * entry,
        "A component of $q$ has the variance $\\lVert x\\rVert^2\\sigma^2 = "
        f"{shown(width * entry)}$, one of $k$ too. $d$ products, divided by $\\sqrt d$: their "
        "standard deviation is that number.",
    )


@question("initial", std=[0.02, 0.01, 0.04], goal=[0.1, 0.25, 0.5])
def width_for_a_fixed_spread(std: float, goal: float) -> Asked:
    return Asked(
        f"All entries of $W_q$ and $W_k$ are independent, with mean zero and standard deviation "
        f"${std}$; tokens have mean square one in each of $d_x$ components. For which $d_x$ do "
        f"the logits $q\\cdot k/\\sqrt d$ of two tokens have the standard deviation ${goal}$?",
        goal / std**2,
        f"A component of $q$ or $k$ has variance $d_x\\sigma^2$, and so the logit has the standard "
        f"deviation $d_x\\sigma^2 = {goal}$.",
    )
