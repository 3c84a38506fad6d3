"""Questions on chapter 6, "The dynamic-β algorithm"."""

from math import log, sqrt

from .asked import Asked, question


@question("replicate", share=[0.05, 0.1, 0.2, 0.3], sure=[0.9, 0.95, 0.99])
def runs_until_one_succeeds(share: float, sure: float) -> Asked:
    return Asked(
        f"Of a search for a scale only its best run was published, which reached the goal. With "
        f"plain settings each run reaches it with probability ${share}$. From how many independent "
        f"runs on does the best of *these* reach it with probability ${sure}$ too? Give the real "
        "number, not rounded.",
        log(1 - sure) / log(1 - share),
        f"All $n$ runs miss with probability ${1 - share:.2f}^n$. Set this to ${1 - sure:.2f}$ and "
        "take logarithms.",
    )


@question("replicate", runs=[10, 16, 25, 40], share=[0.2, 0.5, 0.8])
def error_of_a_share(runs: int, share: float) -> Asked:
    return Asked(
        f"A share ${share}$ of ${runs}$ independent runs succeeds. What is the standard error of "
        "that share?",
        sqrt(share * (1 - share) / runs),
        f"$\\sqrt{{{share}\\cdot{1 - share:.1f}/{runs}}}$: ten runs say little, and one says "
        "nothing.",
    )


@question("rate", factor=[4, 5, 6])
def control_for_a_larger_scale(factor: int) -> Asked:
    return Asked(
        f"A scale ${factor}$ times as large as $1/\\sqrt d$ trains better at one learning rate. "
        "Which run tells best whether it is the scale that helps, or a faster step of $W_q$ and "
        "$W_k$?",
        "$1/\\sqrt d$ with a larger learning rate for $W_q$ and $W_k$ alone",
        "It changes the speed of those two matrices and leaves the scale and all the rest.",
        (
            "$1/\\sqrt d$ with more epochs",
            f"a scale {factor} times as *small* as $1/\\sqrt d$",
            "the larger scale with a smaller learning rate for everything",
        ),
    )


@question("rate", rates=[3, 4, 5])
def table_at_one_rate(rates: int) -> Asked:
    return Asked(
        "A table compares a method with $1/\\sqrt d$ at a single learning rate, and the method "
        f"wins. At each of ${rates}$ larger rates both reach $100\\,\\%$. What does the table "
        "show?",
        "that the baseline's rate was too small",
        "A method that is ahead only where the rival has a bad setting stands in for that setting.",
        (
            "that the method is better",
            "that the method learns something which $1/\\sqrt d$ cannot",
            "nothing, since all differences are chance",
        ),
    )


@question("place", f=[4, 9, 16, 25])
def split_a_factor(f: int) -> Asked:
    return Asked(
        f"To train exactly as if $\\beta$ were ${f}$ times as large, one can, under Adam without "
        "weight decay, multiply the initial $W_q$ and $W_k$ (with their biases) by one number, "
        "and their learning rate by the same. By which?",
        sqrt(f),
        f"The score has one factor from $W_q$ and one from $W_k$: $\\sqrt{{{f}}}$ each. Adam's "
        "step does not feel the gradient's size, so the rate has to carry the same factor.",
    )


@question("place", f=[3, 4, 5])
def start_or_rate(f: int) -> Asked:
    return Asked(
        f"Under Adam a factor ${f}$ on $\\beta$ is two things at once. Which two?",
        "larger initial $W_q$ and $W_k$, and a larger learning rate for both",
        "Both matrices act as if multiplied by the root of the factor, at the start and in every "
        "step.",
        (
            "a larger learning rate for all weights, and a longer training",
            "larger initial $W_v$, and a larger learning rate for it",
            "a smaller softmax temperature, and a smaller learning rate for $W_q$ and $W_k$",
        ),
    )


@question("fair", trials=[5, 10, 20])
def what_the_rival_gets(trials: int) -> Asked:
    return Asked(
        f"Your method's constant was chosen as the best of ${trials}$ trainings. What does a fair "
        "comparison give the rival?",
        f"a search with {trials} trainings over a setting of its own",
        "The best of many is lucky as well as good; both sides get as many tries, and are then "
        "trained anew from other starts.",
        (
            "its published default, trained once",
            f"its published default, and the mean of {trials} seeds",
            "the constant that your search has found",
        ),
    )


@question("fair", k=[5, 10], seeds=[5, 10])
def where_to_choose(k: int, seeds: int) -> Asked:
    return Asked(
        f"Each of two methods has ${k}$ settings to try. On what is the setting chosen, and on "
        "what is the winner's number reported?",
        f"chosen on validation data; reported on test data, from {seeds} new starts",
        "What was used to choose flatters the chosen one.",
        (
            "chosen and reported on test data, from the same runs",
            "chosen and reported on validation data, from the same runs",
            f"chosen on test data; reported on validation data, from {seeds} new starts",
        ),
    )
