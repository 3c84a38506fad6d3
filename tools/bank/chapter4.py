"""Questions on chapter 4, "Gradient flow"."""

from math import exp, sqrt

from .asked import Asked, question, shown


@question("jacobian", a=[0.5, 0.6, 0.7], b=[0.1, 0.2, 0.25])
def one_entry(a: float, b: float) -> Asked:
    return Asked(
        f"A softmax gives three keys the weights ${a}$, ${b}$ and ${shown(1 - a - b)}$. By how "
        "much does the first weight change, to first order, when the second logit rises by one "
        "hundredth? (With its sign.)",
        -a * b / 100,
        f"$\\partial p_1/\\partial z_2 = -p_1p_2 = {shown(-a * b)}$, times $0.01$.",
    )


@question("jacobian", p=[0.5, 0.8, 0.9, 0.99])
def norm_with_two_keys(p: float) -> Asked:
    return Asked(
        f"Two keys share all the weight as ${p}$ and ${shown(1 - p)}$. What is the Frobenius norm "
        "of the Jacobian of the softmax?",
        2 * p * (1 - p),
        "All four entries are $\\pm p(1-p)$, so the norm is $2p(1-p)$; a tie has the largest, "
        "one half.",
    )


@question("vanish", gap=[4, 5, 6, 8], d=[16, 25, 64])
def gap_undivided(gap: int, d: int) -> Asked:
    root = sqrt(d)

    def slope(z: float) -> float:
        return exp(-z) / (1 + exp(-z)) ** 2

    ratio = slope(gap * root) * root / slope(gap)
    return Asked(
        f"A query meets two keys with $d = {d}$. Divided by $\\sqrt d$, their logits differ by "
        f"${gap}$. The gradient to the query is proportional to $\\beta\\,p(1-p)$. By which factor "
        "does it change when nothing is divided?",
        ratio,
        f"The gap becomes ${shown(gap * root)}$, so $p(1-p)$ falls to about "
        f"$e^{{-{shown(gap * root)}}}$ from about $e^{{-{gap}}}$; the $\\beta$ in front wins back "
        f"a factor ${shown(root)}$ only.",
    )


@question("vanish", m=[0.05, 0.1, 0.2, 0.25])
def share_of_close_races(m: float) -> Asked:
    return Asked(
        "Far beyond the critical spread the gap between the two largest logits of a row is "
        f"exponential with mean $1/m$, here $m = {m}$. In which share of the rows does the second "
        "key have more than a tenth of the weight of the first?",
        1 - 0.1**m,
        f"The gap has to be below $\\ln 10$: $1 - e^{{-m\\ln 10}} = 1 - 10^{{-{m}}}$. These few "
        "rows carry nearly the whole mean square of the gradient.",
    )


@question("moved", d=[16, 64, 100, 144, 256])
def gradient_in_another_place(d: int) -> Asked:
    return Asked(
        f"A layer has $\\beta = 1/\\sqrt{{{d}}}$. You write it with $\\beta = 1$ and $W_k$ divided "
        f"by $\\sqrt{{{d}}}$ instead; it computes the same function. By which factor does the "
        "gradient to $W_k$ change?",
        sqrt(d),
        f"The old matrix is $\\sqrt{{{d}}}$ times the new one; the chain rule gives that factor.",
    )


@question("moved", d=[16, 64, 100, 256])
def step_in_another_place(d: int) -> Asked:
    return Asked(
        f"A layer has $\\beta = 1/\\sqrt{{{d}}}$. You write it with $\\beta = 1$ and $W_q$ divided "
        f"by $\\sqrt{{{d}}}$ instead, and take one step of gradient descent in $W_q$ with the same "
        "small rate. By which factor is the change of the *logits* larger than before?",
        float(d),
        f"The gradient to the smaller matrix is $\\sqrt{{{d}}}$ times as long, and a change of it "
        f"moves the logits $\\sqrt{{{d}}}$ times as much: ${d}$ in all.",
    )


@question("starved", n=[10, 20, 50, 100], beta=[2, 4, 8])
def slope_of_an_even_row(n: int, beta: int) -> Asked:
    return Asked(
        f"All ${n}$ keys have the same score. The weight of one of them is differentiated with "
        f"respect to its *score*, with scale $\\beta = 1/{beta}$. What is the slope?",
        (n - 1) / n**2 / beta,
        f"$\\beta\\,p\\,(1-p)$ with $p = 1/{n}$.",
    )


@question("starved", beta=[0.5, 0.25, 0.125], times=[8, 10, 20])
def too_small_a_scale(beta: float, times: int) -> Asked:
    return Asked(
        f"At $\\beta = {beta}$ all rows of a layer are even already, as far as one can see. "
        f"$\\beta$ is made ${times}$ times as small. By which factor do the gradients to $W_q$ and "
        "$W_k$ change?",
        1 / times,
        "Even weights stay even, so the Jacobian is the same; but $\\beta$ stands in front of both "
        "gradients.",
    )


@question("judged", seeds=[5, 8, 10])
def which_run_is_missing(seeds: int) -> Asked:
    return Asked(
        "A head is trained with $\\beta = 1/\\sqrt d$ and with $\\beta = 1$, both at the learning "
        f"rate that suits the first, over ${seeds}$ seeds each. The first ends better. What has to "
        "be added before one may say that the scale makes the head learn better?",
        "runs with $\\beta = 1$ at its own best learning rate",
        "A scale changes the length of every gradient, and so which rate is right for it.",
        (
            f"{2 * seeds} seeds instead of {seeds}",
            "the length of the gradients at the first step",
            "runs with $\\beta = 1$ for more steps at the same rate",
        ),
    )


@question("judged", queries=[100, 400, 900], share=[0.01, 0.04, 0.09])
def who_moves_the_matrix(queries: int, share: float) -> Asked:
    loud = round(queries * share)
    return Asked(
        f"Of ${queries}$ queries ${loud}$ receive gradients of length $1$, the others none. The "
        "tokens are independent with mean zero. Compared with a layer in which all queries "
        "receive gradients of length $1$, how long is the gradient to $W_q$, in root mean square?",
        sqrt(loud / queries),
        f"Squares add: $\\sqrt{{{loud}/{queries}}}$. The typical query is silent, and the matrix "
        "learns all the same.",
    )
