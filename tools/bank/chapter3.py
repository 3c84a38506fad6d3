"""Questions on chapter 3, "Softmax saturation"."""

from math import exp, log

from .asked import Asked, question


@question("margins", n=[10, 50, 100, 500], margin=[3, 4, 5, 6])
def guaranteed_by_a_margin(n: int, margin: int) -> Asked:
    return Asked(
        f"In a row of ${n}$ logits the largest is ${margin}$ above the second. At least how large "
        "is the largest weight?",
        1 / (1 + (n - 1) * exp(-margin)),
        f"At worst all ${n - 1}$ others lie right at the margin: "
        f"$1/(1 + {n - 1}\\,e^{{-{margin}}})$.",
    )


@question("margins", margin=[0.5, 1, 2, 3], n=[8, 32, 128])
def allowed_by_a_margin(margin: float, n: int) -> Asked:
    return Asked(
        f"In a row of ${n}$ logits the largest is ${margin}$ above the second. The largest weight "
        "is below a bound that it can come as close to as one likes. Which?",
        1 / (1 + exp(-margin)),
        f"At best all others but the second are far below and take nothing: "
        f"$1/(1 + e^{{-{margin}}})$, whatever $n$ is.",
    )


@question("saturated", n=[64, 256, 1024, 4096])
def critical_width(n: int) -> Asked:
    return Asked(
        f"Normal logits with standard deviation $\\sigma$ go from a crowd that shares to a few "
        f"keys that take nearly everything around $\\sigma_c = \\sqrt{{2\\ln n}}$. For which "
        f"head dimension $d$ do undivided scores of the textbook's vectors spread by $\\sigma_c$ "
        f"among ${n}$ keys? (A real number, not rounded.)",
        2 * log(n),
        "Undivided scores spread by $\\sqrt d$, so $d = 2\\ln n$.",
    )


@question("saturated", d=[8, 10, 12, 16])
def critical_number_of_keys(d: int) -> Asked:
    return Asked(
        f"Undivided scores of the textbook's vectors with $d = {d}$: from how many keys on, about, "
        "does the critical spread $\\sqrt{2\\ln n}$ exceed that of the scores, so that a crowd "
        "begins to share the weight again? (A real number, not rounded.)",
        exp(d / 2),
        f"$\\sqrt{{2\\ln n}} = \\sqrt{{{d}}}$ at $n = e^{{{d}/2}}$: more keys make a row less "
        "saturated.",
    )


@question("effective", a=[2, 3, 4], b=[4, 5, 8])
def keys_that_take_part(a: int, b: int) -> Asked:
    return Asked(
        f"Half of the weight of a row is shared evenly by ${a}$ keys, the other half evenly by "
        f"${a * b}$ keys. What is the effective number of keys, $1/\\sum_i p_i^2$?",
        1 / (1 / (4 * a) + 1 / (4 * a * b)),
        f"$\\sum_i p_i^2 = {a}\\,(1/{2 * a})^2 + {a * b}\\,(1/{2 * a * b})^2$.",
    )


@question("effective", n=[10_000, 20_000, 50_000], spread=[0.5, 1, 1.2])
def keys_of_a_random_row(n: int, spread: float) -> Asked:
    return Asked(
        f"A row has ${n}$ independent normal logits with standard deviation ${spread}$. About how "
        "many effective keys, $1/\\sum_i p_i^2$, does it have?",
        n * exp(-(spread**2)),
        f"For many keys $\\sum_i p_i^2 \\approx n\\,\\mathbb E[e^{{2z}}]/(n\\,\\mathbb E[e^z])^2 = "
        f"e^{{\\sigma^2}}/n$, so about $n\\,e^{{-\\sigma^2}}$ with $\\sigma = {spread}$.",
    )


@question("overflow", top=[800, 1000, 2000], name=["z", "logits", "scores"])
def which_cannot_overflow(top: int, name: str) -> Asked:
    return Asked(
        f"`{name}` is a row whose largest entry is ${top}$. Which line gives its softmax?",
        f"`e = np.exp({name} - {name}.max()); e / e.sum()`",
        "Subtracting the maximum changes no weight, and the largest power is then $e^0$. Dividing "
        "the logits, or clipping them, changes the weights.",
        (
            f"`e = np.exp({name}); e / e.sum()`",
            f"`e = np.exp({name} / {name}.max()); e / e.sum()`",
            f"`e = np.exp(np.minimum({name}, 700)); e / e.sum()`",
        ),
    )


@question("overflow", top=[900, 1200, 5000], below=[1, 2, 3])
def logarithm_of_the_sum(top: int, below: int) -> Asked:
    return Asked(
        f"A row has the logits ${top}$, ${top}$ and ${top - below}$. What is $\\ln\\sum_i e^{{z_i}}"
        f" - {top}$?",
        log(2 + exp(-below)),
        f"Take $e^{{{top}}}$ out of the sum before anything overflows: $\\ln(2 + e^{{-{below}}})$.",
    )
