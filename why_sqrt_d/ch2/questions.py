"""Exercises of chapter 2, "The variance proof"."""

import numpy as np

from attn_helpers._checks import FloatArray
from why_sqrt_d.exercises import Array, Choice, Exercise, Function, Mechanism, Number, Order, Wrong

PROOF = Exercise(
    id="2.1",
    title="Put the proof in order",
    difficulty=1,
    statement=(
        "Both vectors have mean zero and unit variances, they are independent of each other, and "
        "the components of $k$ are uncorrelated. Put the five steps of the proof of "
        "$\\text{Var}(q\\cdot k) = d$ in an order in which each uses only what stands before it."
    ),
    kind=Order(
        steps=(
            ("mean", "E[q·k] = 0, so Var(q·k) = E[(q·k)²]"),
            ("expand", "that mean square is the double sum over i and j of E[qᵢqⱼkᵢkⱼ]"),
            ("factor", "q and k are independent, so each of its terms is E[qᵢqⱼ] E[kᵢkⱼ]"),
            ("cross", "for i ≠ j the factor E[kᵢkⱼ] is zero: only the terms i = j are left"),
            (
                "count",
                "each of the d terms left is E[qᵢ²] E[kᵢ²] = 1, so the sum, the variance, is d",
            ),
        ),
        needs=(
            (
                "expand",
                "mean",
                "the mean square is expanded, and only the first step brings it in",
            ),
            ("factor", "expand", "the terms that are factored come from the double sum"),
            ("cross", "factor", "the factor E[kᵢkⱼ] exists only once the terms are factored"),
            ("count", "cross", "one counts the terms that are left, so the others must be gone"),
        ),
    ),
    wrong=(
        Wrong(
            ("mean", "expand", "cross", "factor", "count"),
            "The mixed terms cannot be dropped before independence has split them: E[kᵢkⱼ] = 0 "
            "alone says nothing about E[qᵢqⱼkᵢkⱼ].",
        ),
        Wrong(
            ("expand", "mean", "factor", "cross", "count"),
            "Say first why the variance is the mean square; then expand the square.",
        ),
        Wrong(
            ("mean", "expand", "factor", "count", "cross"),
            "Counting to d works only when the mixed terms are already gone.",
        ),
    ),
    hints=(
        "Start from what variance is when the mean is zero, and end with the number $d$.",
        "Independence must come before any single factor is set to zero.",
    ),
    solution=(
        "Mean, expand, factor, cross, count. The step that carries the proof is the third: only "
        "independence of the two vectors splits $\\mathbb{E}[q_iq_jk_ik_j]$ into a product, and only then "
        "can $\\mathbb{E}[k_ik_j] = 0$ remove the mixed terms."
    ),
)

BROKEN = Exercise(
    id="2.2",
    title="What does the shared sign break?",
    difficulty=1,
    statement=(
        "In the recipe $k = t\\,q$ with fair signs, which assumption of the theorem fails?"
    ),
    kind=Choice(
        {
            "a": "the means are not zero",
            "b": "the variances are not one",
            "c": "the components of k are correlated with one another",
            "d": "the vectors q and k are not independent",
        },
        right="d",
    ),
    wrong=(
        Wrong("a", "Every component is +1 or −1 with equal chance, so its mean is zero."),
        Wrong("b", "A fair ±1 has mean square one and mean zero, so its variance is one."),
        Wrong("c", "kᵢkⱼ = t²qᵢqⱼ = qᵢqⱼ, whose mean is zero for i ≠ j: uncorrelated."),
    ),
    forms=("D", "(d)"),
    hints=(
        "Check the four one by one; three of them you can compute in your head.",
        "If I tell you $q$, how many values can $k$ still take?",
    ),
    solution=(
        "Given $q$, only two vectors are possible for $k$, $q$ and $-q$; without $q$ there are "
        "$2^d$. So they are far from independent, although no covariance shows it: each "
        "$\\mathbb{E}[q_ik_j] = \\mathbb{E}[t]\\,\\mathbb{E}[q_iq_j] = 0$ because $t$ has mean zero."
    ),
)

MAGNITUDE = Exercise(
    id="2.3",
    title="A heavier shared magnitude",
    difficulty=2,
    statement=(
        "Take shared magnitudes that are $3$ with probability $\\tfrac19$ and $0$ otherwise, with "
        "independent signs as before, and $d = 10$. What is $\\text{Var}(q\\cdot k)$?"
    ),
    kind=Number(90, rtol=1e-3),
    wrong=(
        Wrong(
            10, "That is what Proposition 1 promises; here the squares of qᵢ and kᵢ go together."
        ),
        Wrong(810, "E[r⁴] is 3⁴ times the probability 1/9."),
        Wrong(9, "That is one product's variance; there are ten of them."),
        Wrong(80, "You subtracted E[r²]² = 1; but qᵢkᵢ has mean zero, so nothing is subtracted."),
        Wrong(100, "d² belongs to the shared sign; here the products are uncorrelated."),
        Wrong("sqrt(90)", "That is the standard deviation; the question asks for the variance."),
    ),
    forms=("10*81/9", "9*10", 90.0),
    hints=(
        "The products $q_ik_i$ are uncorrelated with mean zero, so their variances add.",
        "$\\text{Var}(q_ik_i) = \\mathbb{E}[q_i^2k_i^2] = \\mathbb{E}[r^4]$, and $r^4$ is $81$ or $0$.",
    ),
    solution=(
        "$\\mathbb{E}[r^2] = 9\\cdot\\tfrac19 = 1$, so the variances are one as required. "
        "$\\mathbb{E}[r^4] = 81\\cdot\\tfrac19 = 9$, and ten products give $90$. A rarer and larger "
        "magnitude makes it as large as you like."
    ),
)

KURTOSIS = Exercise(
    id="2.4",
    title="How heavy are the tails at d = 64?",
    difficulty=1,
    statement=(
        "All components are independent $N(0,1)$ and $d = 64$. What is the kurtosis "
        "$\\mathbb{E}[(q\\cdot k)^4]/\\text{Var}(q\\cdot k)^2$?"
    ),
    kind=Number(3.09375, rtol=2.5e-3),
    wrong=(
        Wrong(3, "Three is the normal distribution's kurtosis, reached only as d grows."),
        Wrong("6/64", "That is the excess over the normal's; the kurtosis adds three."),
        Wrong(9, "That is d = 1, the product of two single normal variables."),
        Wrong("3-2/64", "That is for components ±1, whose own kurtosis is 1."),
        Wrong("3+3/64", "The numerator is κqκk − 3 with both kurtoses three: 9 − 3."),
    ),
    forms=("3+6/64", "99/32", "3,09375", "3.1"),
    hints=(
        "The formula is $3 + (\\kappa_q\\kappa_k - 3)/d$.",
        "A normal component has kurtosis $3$, so $\\kappa_q\\kappa_k - 3 = 6$.",
    ),
    solution=(
        "$3 + 6/64 = 3.09375$. One product of two normal variables has kurtosis $3\\cdot3 = 9$, an "
        "excess of $6$ over the normal's $3$; adding up $64$ independent ones divides the excess by "
        "$64$. That is close to normal, and yet a score beyond four standard deviations is about "
        "twice as likely as for a normal variable."
    ),
)

ALIGNED = Exercise(
    id="2.5",
    title="An aligned pair",
    difficulty=2,
    statement=(
        "Each pair $(q_i, k_i)$ is jointly normal with mean zero, variance one and correlation "
        "$\\rho = \\tfrac12$; different $i$ are independent; $d = 64$. Give two numbers: the mean "
        "and the variance of the unscaled score $q\\cdot k$."
    ),
    kind=Array([32.0, 80.0], rtol=1e-3),
    wrong=(
        Wrong([0, 64], "That is for independent vectors; aligned ones have mean ρd."),
        Wrong([32, 64], "The mean is right; the variance has the factor 1 + ρ²."),
        Wrong([32, 96], "Subtract the squared mean: 1 + 2ρ² is the mean square of one product."),
        Wrong([32, 8.944], "The second number is the standard deviation; give the variance."),
        Wrong([32, 48], "It is 1 + ρ², not 1 − ρ²: alignment adds to the variance."),
        Wrong(
            [4, 1.25], "These are after dividing by √d; the question asks for the unscaled score."
        ),
        Wrong([0.5, 1.25], "These are for one component; the score adds up 64 of them."),
    ),
    forms=("32 80", (32, 80), "[32, 80]"),
    hints=(
        "The mean of one product is its covariance, $\\rho$.",
        "For jointly normal variables $\\mathbb{E}[q_i^2k_i^2] = 1 + 2\\rho^2$. Subtract the squared mean.",
    ),
    solution=(
        "The mean is $\\rho d = 32$. One product has variance $1 + 2\\rho^2 - \\rho^2 = 1 + \\rho^2 "
        "= 1.25$, and $64$ of them give $80$. Scaled by $\\tfrac18$: mean $4$, standard deviation "
        "$1.1$. The logit of an unrelated key has mean $0$ and standard deviation $1$, so the "
        "aligned one stands about four standard deviations above it."
    ),
)


def score_variance(
    mean_q: FloatArray, cov_q: FloatArray, mean_k: FloatArray, cov_k: FloatArray
) -> float:
    """Var(q·k) for independent q and k, the theorem's equation."""
    return float(np.trace(cov_q @ cov_k) + mean_q @ cov_k @ mean_q + mean_k @ cov_q @ mean_k)


_ZERO, _ONE = np.zeros(2), np.eye(2)
_TILTED = np.array([[1.0, 0.5], [0.5, 1.0]])
_WIDE = np.diag([2.0, 3.0])

SCORE_VARIANCE = Exercise(
    id="2.6",
    title="The theorem as a function",
    difficulty=3,
    statement=(
        "Write `score_variance(query_mean, query_cov, key_mean, key_cov)` for independent $q$ and "
        "$k$: the means are arrays of shape `(d,)`, the covariances `(d, d)`, and the result is the "
        "number $\\text{Var}(q\\cdot k)$ of the theorem."
    ),
    kind=Function(
        name="score_variance",
        stub="def score_variance(query_mean, query_cov, key_mean, key_cov):\n    ...",
        reference=score_variance,
        mechanisms=(
            Mechanism(
                "textbook",
                args=(_ZERO, _ONE, _ZERO, _ONE),
                say="With zero means and identity covariances the variance is d, here 2.",
            ),
            Mechanism(
                "size",
                args=(_ZERO, _WIDE, _ZERO, _ONE),
                say="The variances of the query's components must enter: 2 + 3.",
            ),
            Mechanism(
                "correlation",
                args=(_ZERO, _TILTED, _ZERO, _TILTED),
                say="When both vectors are correlated the off-diagonal entries count too.",
            ),
            Mechanism(
                "means",
                args=(np.array([1.0, 2.0]), _ONE, _ZERO, _ONE),
                say="A mean of q multiplies the scatter of k: add μqᵀ Σk μq.",
            ),
            Mechanism(
                "crossing",
                args=(np.array([1.0, 0.0]), _ONE, np.array([0.0, 2.0]), _WIDE),
                say="Each mean meets the other vector's covariance, not its own.",
            ),
            Mechanism(
                "tilted means",
                args=(np.array([1.0, 2.0]), _ONE, _ZERO, _TILTED),
                say="A mean meets the whole covariance matrix, its off-diagonal entries too.",
            ),
            Mechanism(
                "both means",
                args=(np.array([1.0, 2.0]), _ONE, np.array([0.5, 0.0]), _ONE),
                say="The product of the two means is a constant and adds no variance.",
            ),
        ),
        probe=(np.array([1.0, 2.0]), _TILTED, np.array([0.5, 0.0]), _WIDE),
    ),
    wrong=(
        Wrong(
            lambda mean_q, cov_q, mean_k, cov_k: np.trace(cov_q) * np.trace(cov_k),
            "That is the product of two traces; the theorem has the trace of the product.",
            mechanism="textbook",
        ),
        Wrong(
            lambda mean_q, cov_q, mean_k, cov_k: len(mean_q),
            "That is d whatever the covariances are.",
            mechanism="size",
        ),
        Wrong(
            lambda mean_q, cov_q, mean_k, cov_k: (
                np.diag(cov_q) @ np.diag(cov_k) + mean_q @ cov_k @ mean_q + mean_k @ cov_q @ mean_k
            ),
            "You used the diagonals only; the trace of Σq Σk holds the correlations as well.",
            mechanism="correlation",
        ),
        Wrong(
            lambda mean_q, cov_q, mean_k, cov_k: np.sqrt(
                score_variance(mean_q, cov_q, mean_k, cov_k)
            ),
            "That is the standard deviation; leave out the root.",
            mechanism="textbook",
        ),
        Wrong(
            lambda mean_q, cov_q, mean_k, cov_k: np.trace(cov_q @ cov_k),
            "You left out the two terms with the means.",
            mechanism="means",
        ),
        Wrong(
            lambda mean_q, cov_q, mean_k, cov_k: np.trace(cov_q @ cov_k) + mean_q @ cov_k @ mean_q,
            "The term with the mean of k is missing: it meets the covariance of q.",
            mechanism="crossing",
        ),
        Wrong(
            lambda mean_q, cov_q, mean_k, cov_k: (
                np.trace(cov_q @ cov_k) + mean_q**2 @ np.diag(cov_k) + mean_k**2 @ np.diag(cov_q)
            ),
            "In the terms with the means you used the diagonals of the covariances only.",
            mechanism="tilted means",
        ),
        Wrong(
            lambda mean_q, cov_q, mean_k, cov_k: (
                score_variance(mean_q, cov_q, mean_k, cov_k) + (mean_q @ mean_k) ** 2
            ),
            "That is the mean square: the squared mean of q·k is not part of its variance.",
            mechanism="both means",
        ),
        Wrong(
            lambda mean_q, cov_q, mean_k, cov_k: (
                np.trace(cov_q @ cov_k) + mean_q @ cov_q @ mean_q + mean_k @ cov_k @ mean_k
            ),
            "You paired each mean with its own covariance; it is the other vector that scatters.",
            mechanism="crossing",
        ),
    ),
    forms=(
        lambda mean_q, cov_q, mean_k, cov_k: (
            (cov_q * cov_k).sum() + mean_q @ (cov_k @ mean_q) + mean_k @ (cov_q @ mean_k)
        ),
    ),
    hints=(
        "Three terms: one with both covariances, and one for each mean.",
        "`np.trace(query_cov @ key_cov)` is the first. In the second `query_mean` stands on both "
        "sides of `key_cov`.",
    ),
    solution=(
        "```python\ndef score_variance(query_mean, query_cov, key_mean, key_cov):\n"
        "    return (\n"
        "        np.trace(query_cov @ key_cov)\n"
        "        + query_mean @ key_cov @ query_mean\n"
        "        + key_mean @ query_cov @ key_mean\n"
        "    )\n```\n\n"
        "All the laws of the assumption dial but the last are special cases."
    ),
)

INITIALISATION = Exercise(
    id="2.7",
    title="The logits of GPT-2 before training",
    difficulty=2,
    statement=(
        "GPT-2 (small) has $d_x = 768$, $d_k = 64$, weights drawn with standard deviation $0.02$, "
        "and tokens whose components have mean square one. What is the standard deviation of a "
        "*logit*, $q\\cdot k/\\sqrt{d_k}$, between two different tokens?"
    ),
    kind=Number(768 * 0.0004, rtol=1e-2),
    wrong=(
        Wrong(1, "That is the textbook's assumption; 768 · 0.02² is not one."),
        Wrong("sqrt(768*0.0004)", "That is one component's: a score multiplies two, q's and k's."),
        Wrong("(768*0.0004)^2", "That is the variance; take the square root."),
        Wrong("8*768*0.0004", "That is the unscaled score; divide by √64."),
        Wrong(
            "768*0.0004/8", "You divided by √64 twice: a score's standard deviation has it once."
        ),
        Wrong("64*0.0004", "The sum runs over the token's 768 components, not over d_k."),
        Wrong("768*0.02", "The standard deviation 0.02 must be squared to add up variances."),
    ),
    forms=("768*0.02^2", "0,3072", "30.72 %", "0.31"),
    hints=(
        "A component of $q$ has variance $d_x\\,\\sigma_W^2$. How large is that here?",
        "$\\text{Var}(q\\cdot k) = (768\\cdot 0.02^2)^2\\cdot 64$. Divide by $64$ and take the root.",
    ),
    solution=(
        "A component of $q$ or $k$ has variance $768\\cdot 0.02^2 = 0.3072$. So "
        "$\\text{Var}(q\\cdot k) = 0.3072^2\\cdot 64$, and after dividing by $\\sqrt{64}$ the standard "
        "deviation is $0.3072$. The attention of an untrained GPT-2 is flatter than the textbook "
        "says."
    ),
)

EXERCISES = (PROOF, BROKEN, MAGNITUDE, KURTOSIS, ALIGNED, SCORE_VARIANCE, INITIALISATION)
