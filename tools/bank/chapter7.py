"""Questions on chapter 7, "What real models do"."""

from math import cosh, log, sqrt, tanh

from .asked import Asked, question, shown


@question("line", d=[64, 128], scalar=[144, 168, 224, 256])
def scalar_in_the_code(d: int, scalar: int) -> Asked:
    return Asked(
        f"A model with `head_dim = {d}` has the line `self.scaling = "
        f"config.query_pre_attn_scalar ** -0.5`, and `query_pre_attn_scalar = {scalar}`. By which "
        "factor do its logits differ from those of the textbook's rule?",
        sqrt(d / scalar),
        f"$\\sqrt{{{d}}}/\\sqrt{{{scalar}}}$.",
    )


@question("line", d=[64, 128], layer=[3, 5, 7, 11])
def inverse_layer_index(d: int, layer: int) -> Asked:
    return Asked(
        "In a model's code the scores are divided by `head_dim ** 0.5`, and then by `layer_idx + "
        f"1`. `head_dim` is ${d}$. What is $\\beta$ in the layer with `layer_idx = {layer}`?",
        1 / sqrt(d) / (layer + 1),
        f"$1/(\\sqrt{{{d}}}\\cdot{layer + 1})$.",
    )


@question("formula", cap=[20, 30, 50], times=[0.5, 1, 2])
def soft_cap(cap: int, times: float) -> Asked:
    logit = cap * times
    return Asked(
        f"Logits are soft-capped, $z \\mapsto c\\tanh(z/c)$ with $c = {cap}$. With which factor "
        f"does a gradient pass the cap at $z = {shown(logit)}$?",
        1 / cosh(times) ** 2,
        f"The slope is $1 - \\tanh^2(z/c) = 1 - {shown(tanh(times))}^2$.",
    )


@question("formula", n=[1000, 4096, 8192], start=[256, 512])
def scale_with_the_length(n: int, start: int) -> Asked:
    return Asked(
        f"A model multiplies its logits by $\\ln n/\\ln {start}$, where $n$ is the number of keys. "
        f"Without that factor a row of ${n}$ keys has logits that spread by one. What is their "
        "spread with it?",
        log(n) / log(start),
        f"The factor multiplies every difference of logits: $\\ln {n}/\\ln {start}$.",
    )


@question("heads", width=[768, 1024, 2048], heads=[8, 12, 16])
def divisor_of_a_layer(width: int, heads: int) -> Asked:
    width = heads * (width // heads)
    return Asked(
        f"A layer has width ${width}$ and ${heads}$ heads. By which number does the textbook "
        "divide the scores?",
        sqrt(width / heads),
        f"A score is a sum over one head's ${width // heads}$ components.",
    )


@question("heads", d=[32, 64], heads=[4, 8, 16])
def heads_added_before_the_softmax(d: int, heads: int) -> Asked:
    return Asked(
        f"By mistake the scores of ${heads}$ independent heads with $d = {d}$, textbook's "
        "components, are *added* before one softmax. By which number should the sum be divided to "
        "have variance one?",
        sqrt(d * heads),
        f"The sum has ${heads}\\cdot{d}$ independent terms of variance one.",
    )


@question("mistakes", d=[64, 128], heads=[4, 9, 16])
def root_of_the_width(d: int, heads: int) -> Asked:
    return Asked(
        f"A layer with ${heads}$ heads of $d = {d}$ divides by the root of the *model's* width. "
        "What is the standard deviation of the logits, for the textbook's vectors?",
        1 / sqrt(heads),
        f"$\\sqrt{{{d}}}/\\sqrt{{{d * heads}}}$: too flat.",
    )


@question("mistakes", d=[16, 64, 100, 256])
def divided_twice(d: int) -> Asked:
    return Asked(
        f"The query is divided by $\\sqrt{{{d}}}$ after the projection, and the attention "
        "function, called with its default, divides again. What is the standard deviation of the "
        f"logits, for the textbook's vectors with $d = {d}$?",
        1 / sqrt(d),
        f"The score spreads by $\\sqrt{{{d}}}$ and is divided by ${d}$.",
    )


@question("rule", width=[64, 256])
def rule_for_many_widths(width: int) -> Asked:
    return Asked(
        f"You tune the learning rate (of Adam) on a narrow model with heads of $d = {width}$ and "
        "want to keep it when you make the heads much wider. Which scale keeps what training adds "
        "to a logit level?",
        "$1/d$, with a constant in front",
        "A step of Adam adds to a logit in proportion to $d$, not to its root.",
        ("$1/\\sqrt d$", "a scale of $1$", "$1/\\ln d$"),
    )


@question("rule", large=[500, 1000, 2000])
def logits_that_run_away(large: int) -> Asked:
    return Asked(
        f"In training the largest logits climb past ${large}$ because $W_q$ and $W_k$ grow. Which "
        "change makes the *weights* independent of that growth?",
        "a norm of queries and keys in each head",
        "A norm takes the size of both matrices out. A cap bounds the logits and still saturates, "
        "and a constant only delays.",
        (
            "a soft cap of the logits at 50",
            "division by $d$ in place of $\\sqrt d$",
            "subtracting the largest logit of each row",
        ),
    )
