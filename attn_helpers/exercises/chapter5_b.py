"""Exercises of chapter 5, "Temperature": length, normalisation, caps and alignment."""

import numpy as np

from attn_helpers.exercises.kinds import Array, Choice, Number
from attn_helpers.exercises.model import Exercise, Wrong

LENGTH = Exercise(
    id="5.6",
    title="From a thousand keys to a million",
    difficulty=2,
    statement=(
        "A needle stands far above the others ($D$ is large). At $n = 10^3$ keys a scale of "
        "$b_1/\\sqrt d$ is just enough to keep half of the weight on it. The row grows to $n = 10^6$. By "
        "which factor must the scale grow, about, to keep it?"
    ),
    kind=Choice(
        {
            "a": "not at all: the needle and its score have not changed",
            "b": "by 1.4, the square root of two",
            "c": "by 2",
            "d": "by 32, the square root of a thousand",
            "e": "by 1000",
        },
        right="c",
    ),
    wrong=(
        Wrong("a", "The needle has not changed, but a thousand times as many keys outvote it."),
        Wrong("b", "The square root of ln n is the rule that holds the entropy of random scores."),
        Wrong("d", "√n is far too fast: weights are exponential in the scale."),
        Wrong("e", "The number of keys enters through its logarithm, not directly."),
    ),
    forms=("C", "(c)"),
    hints=(
        "The smallest sufficient scale is about $\\ln n/D$, in units of $1/\\sqrt d$.",
        "$\\ln 10^6 = 2\\ln 10^3$.",
    ),
    solution=(
        "$b(n) \\approx \\ln n/D$, and $\\ln 10^6$ is twice $\\ln 10^3$. Squaring the number of "
        "keys doubles the scale. The exact $D - \\sqrt{D^2 - 2\\ln n}$ grows "
        "faster: a little while $2\\ln n$ is well below $D^2$, more towards $n = e^{D^2/2}$."
    ),
)

CAPACITY = Exercise(
    id="5.7",
    title="The capacity of a normalised head",
    difficulty=2,
    statement=(
        "Queries and keys have mean square one, $\\beta = 1/\\sqrt d$ and $d = 100$. One key matches "
        "the query exactly, the others point in random directions. Up to how many other keys, "
        "about, does the match keep half of the weight?"
    ),
    kind=Number("exp(9.5)", rtol=3e-2),
    wrong=(
        Wrong("exp(10)", "The other keys' scores scatter: their mean of exp(z) is e^½, not 1."),
        Wrong("exp(9)", "The price of the scatter is b²/2 = ½, not 1."),
        Wrong("exp(99.5)", "The largest logit is √d = 10, not d: the scale divides by √d."),
        Wrong("exp(10.5)", "The scatter of the others costs capacity; subtract ½."),
        Wrong("exp(7.5)", "That is d = 64, where √d = 8."),
        Wrong(10, "That is the logit of the match; the number of keys is exponential in it."),
        Wrong("exp(100)", "That takes d for the logit of the match; 1/√d makes it √d = 10."),
        Wrong(9.5, "That is the logarithm of the number of keys; take its exponential."),
        Wrong(100, "That is d; the number of keys is exponential in √d."),
    ),
    forms=("e^9.5", "13360", "13 360", "n ≈ 13 400", 13000, 13359.7),
    hints=(
        "The logit of an exact match is $\\sqrt d = 10$. What is the mean of $e^z$ over the others?",
        "Set $n\\,e^{1/2} = e^{10}$.",
    ),
    solution=(
        "The match contributes $e^{10}$, the others together about $n\\,e^{1/2}$. They are equal at "
        "$n = e^{9.5} \\approx 13\\,360$. Without a gain the match cannot score higher; training "
        "could only turn the other keys away from the query."
    ),
)

CAP = Exercise(
    id="5.8",
    title="What a soft cap leaves of a margin",
    difficulty=1,
    statement=(
        "Two logits are $90$ and $100$. Both go through the soft cap $50\\tanh(z/50)$. How far "
        "apart are they afterwards? ($\\tanh 1.8 = 0.9468$ and $\\tanh 2 = 0.9640$.)"
    ),
    kind=Number(float(50 * (np.tanh(2.0) - np.tanh(1.8))), rtol=4e-3),
    wrong=(
        Wrong(10, "That is the margin before the cap."),
        Wrong("0.9640-0.9468", "Multiply by the cap, 50, as well."),
        Wrong(0, "Only hard clipping makes them equal; tanh keeps the order and a small margin."),
        Wrong(
            float(50 * np.tanh(0.2)), "Cap each logit first, then subtract: tanh is not linear."
        ),
        Wrong(
            float(10 * (1 - np.tanh(2.0) ** 2)),
            "That is 10 times the slope at 100 alone; the slope changes between 90 and 100.",
        ),
        Wrong(
            float(10 * (1 - np.tanh(1.8) ** 2)),
            "That is 10 times the slope at 90 alone; the cap flattens further on the way to 100.",
        ),
        Wrong(
            float(10 * (1 - np.tanh(1.9) ** 2)),
            "That is 10 times the slope at 95, which is close; subtract the two capped values.",
        ),
        Wrong(float(50 * np.tanh(2.0)), "That is the capped value of 100; subtract that of 90."),
        Wrong(
            float(50 * np.tanh(1.8)), "That is the capped value of 90; take it off that of 100."
        ),
    ),
    forms=(
        "50*(tanh(2) - tanh(1.8))",
        "50 tanh 2 - 50 tanh 1.8",
        "50*(0.9640-0.9468)",
        "0,861",
        0.86,
    ),
    hints=(
        "Divide both logits by $50$ first.",
        "$50\\tanh 2 \\approx 48.20$. Now the other one.",
    ),
    solution=(
        "$50\\tanh 2 - 50\\tanh 1.8 \\approx 48.20 - 47.34 = 0.86$. A margin of $10$ would give the "
        "larger logit all but $1/22\\,000$ of the weight of the pair; after the cap it gets about "
        "$70$ %. Far above the cap, the cap is a high temperature."
    ),
)

ALIGNED_LOGIT = Exercise(
    id="5.9",
    title="An aligned pair under two scales",
    difficulty=2,
    statement=(
        "After training, each pair of components $(q_i, k_i)$ of a query and its key has "
        "correlation $\\rho = \\tfrac14$, with mean zero and variance one, and $d = 256$. Give two "
        "numbers: the mean logit of the pair at $\\beta = 1/\\sqrt d$, and at $\\beta = 1/d$."
    ),
    kind=Array([4.0, 0.25], rtol=1e-3),
    wrong=(
        Wrong([0.25, 4], "The two are swapped: 1/d is the smaller scale."),
        Wrong([64, 64], "That is the mean of the score q·k; multiply by each scale."),
        Wrong([0, 0], "That is for unrelated vectors; here each product has mean ρ."),
        Wrong([1, 0.0625], "That is the standard deviation of an unrelated pair's logit."),
        Wrong([16, 1], "That is ρ = 1, a perfect match."),
        Wrong([1, 0.25], "ρd/√d is ρ√d = 0.25·16."),
        Wrong(
            [4, 0.0625],
            "The first is right; 1/16 at β = 1/d is the scatter of an unrelated pair, not the mean.",
        ),
        Wrong([64, 0.25], "The second is right; at 1/√d the mean score 64 is divided by 16."),
        Wrong(
            [np.sqrt(4368) / 16, np.sqrt(4368) / 256],
            "That is the root mean square, which the scatter is part of; the mean is asked for.",
        ),
        Wrong([4, 1], "The first is right; at 1/d the mean score 64 becomes 64/256, which is ρ."),
    ),
    forms=("4 0.25", "[4, 1/4]", (4, 0.25)),
    hints=(
        "The mean score adds up $d$ products, each with mean $\\rho$.",
        "The mean score is $\\rho d$. Each scale multiplies it.",
    ),
    solution=(
        "The mean score is $\\rho d = 64$, so the mean logits are $64/16 = \\rho\\sqrt d = 4$ and "
        "$64/256 = \\rho = 0.25$. Make the head four times as wide: the first doubles, the second "
        "stays. An unrelated key's logit scatters by $1$ and by $1/16$: the ratio of signal to "
        "noise is the same at every scale, only the temperature differs."
    ),
)

EXERCISES = (LENGTH, CAPACITY, CAP, ALIGNED_LOGIT)
