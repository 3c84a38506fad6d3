"""Exercises of chapter 1, "Dot products grow"."""

import numpy as np

from attn_helpers._checks import FloatArray
from why_sqrt_d.exercises import (
    Array,
    Choice,
    Exercise,
    Function,
    Mechanism,
    Number,
    Wrong,
    one_number,
)

EXAMPLE = Exercise(
    id="1.1",
    title="How much of it was dimension?",
    difficulty=1,
    statement=(
        "From $d = 2$ to $d = 6$ the worked example grows from $11$ to $133$, about twelve times. "
        "Had the *mean contribution of a component* stayed what it was at $d = 2$, how far would "
        "the product have grown by adding components alone?"
    ),
    kind=Choice(
        {
            "a": "twelve times: dimension did all of it",
            "b": "three times, to 33",
            "c": "nine times: the square of three",
            "d": "about 1.7 times: the square root of three",
        },
        right="b",
    ),
    wrong=(
        Wrong("a", "Twelve times is both effects together: the new components are larger too."),
        Wrong("c", "Each component adds its own product once, so the sum grows as d, not as d²."),
        Wrong(
            "d", "The square root is how the spread grows; these components have a nonzero mean."
        ),
    ),
    forms=("B", "(b)"),
    hints=(
        "At $d = 2$ the two components contribute $3$ and $8$. What is their mean?",
        "With a mean contribution of $5.5$ a component, what is the sum of six of them?",
    ),
    solution=(
        "At $d = 2$ a component contributes $11/2 = 5.5$ on average. Six such components give "
        "$33$: three times as much, because there are three times as many. The other factor of "
        "four comes from the components themselves, whose mean contribution at $d = 6$ is "
        "$133/6 \\approx 22$."
    ),
)

STANDARD_DEVIATION = Exercise(
    id="1.2",
    title="The standard deviation at d = 512",
    difficulty=1,
    statement=(
        "All components of $q$ and $k$ are independent and standard normal, and $d_k = 512$. What "
        "is the standard deviation of the unscaled scores? (This is the first exercise of the "
        "course section [[Source C, n.d.](bibliography.md#source-c)].)"
    ),
    kind=Number(np.sqrt(512), rtol=2e-3),
    wrong=(
        Wrong(512, "That is the variance; the standard deviation is its square root."),
        Wrong("1/sqrt(512)", "That is the scale β that undoes it, not the standard deviation."),
        Wrong(1, "One is what is left after scaling; the question is about unscaled scores."),
        Wrong(8, "That is the value at d = 64."),
        Wrong(256, "You halved d; take its square root."),
        Wrong(
            "sqrt(7*512/144)", "7/144 belongs to uniform components; these are standard normal."
        ),
        Wrong(32, "That is the square root of 1024: a score adds up d products, not 2d."),
    ),
    forms=("sqrt(512)", "16√2", "22,63", "512^0.5"),
    hints=(
        "Variances of independent terms add. What is the variance of one term?",
        "Each term has variance $1$, so the sum has variance $512$. Which root is asked for?",
    ),
    solution=(
        "Each product has variance $1$, the $512$ products are independent, so "
        "$\\text{Var}(q\\cdot k) = 512$ and the standard deviation is $\\sqrt{512} = 16\\sqrt2 \\approx "
        "22.63$."
    ),
)

OTHER_UNIFORM = Exercise(
    id="1.3",
    title="Another uniform recipe",
    difficulty=2,
    statement=(
        "Now every component is uniform between $-1$ and $1$, independent of all the others. What "
        "is the variance of $q\\cdot k$ at $d = 90$?"
    ),
    kind=Number(10, rtol=1e-3),
    wrong=(
        Wrong("90*7/144", "7/144 belongs to the interval from 0 to 1; here the mean is zero."),
        Wrong(30, "1/3 is the variance of one component; a product has 1/3 times 1/3."),
        Wrong("sqrt(10)", "That is the standard deviation; the question asks for the variance."),
        Wrong(
            "90/12",
            "1/12 belongs to an interval of length one; here both intervals have length two.",
        ),
        Wrong("90/36", "1/36 is the row part for the interval from 0 to 1."),
        Wrong("1/9", "That is the variance of one product; there are 90 of them."),
        Wrong(
            "90/144", "1/12 is the variance on an interval of length one; this one has length 2."
        ),
        Wrong(90, "You took variance one a component; a uniform component on (−1, 1) has 1/3."),
    ),
    forms=("90/9", 10.0, "10,0"),
    hints=(
        "What are the mean and the variance of one component?",
        "The mean is zero, so $\\text{Var}(xy) = \\mathbb{E}[x^2]\\,\\mathbb{E}[y^2]$, and $\\mathbb{E}[x^2] = \\tfrac13$.",
    ),
    solution=(
        "A component has mean $0$ and variance $2^2/12 = \\tfrac13$. With zero means "
        "$\\text{Var}(xy) = \\tfrac13\\cdot\\tfrac13 = \\tfrac19$, and $90$ independent products give "
        "$90/9 = 10$. Nothing is shift here: with $\\mu_k = 0$ the row sees all of it."
    ),
)

SPLIT = Exercise(
    id="1.4",
    title="Row and shift",
    difficulty=2,
    statement=(
        "The components of $q$ have mean $0$ and variance $1$, those of $k$ have mean $2$ and "
        "variance $1$; all are independent. Give three numbers, each *per dimension*: the variance "
        "of $q\\cdot k$, its row part, and its shift part."
    ),
    kind=Array([5.0, 1.0, 4.0], rtol=1e-3),
    wrong=(
        Wrong([5, 4, 1], "Row and shift are swapped: the shift comes from the mean of the keys."),
        Wrong(
            [1, 1, 0], "You forgot the mean of the keys: it moves a row's centre with the query."
        ),
        Wrong([3, 1, 2], "The mean of the keys enters squared."),
        Wrong([5, 1, 2], "The mean of the keys enters squared, and the parts must add up."),
        Wrong([9, 5, 4], "Only the keys have a mean of 2 here; the queries have mean 0."),
        Wrong([1, 1, 4], "The first number is the sum of the other two."),
        Wrong([5, 5, 0], "With the query given, only the keys scatter: the row has σ_k² E[q²]."),
    ),
    forms=("5 1 4", "[5, 1, 4]", (5, 1, 4)),
    hints=(
        "What scatters while the query is held fixed? And what moves when the query changes?",
        "The row part is $\\sigma_k^2(\\sigma_q^2 + \\mu_q^2)$, the shift $\\mu_k^2\\sigma_q^2$, and "
        "the two add up to the first number.",
    ),
    solution=(
        "Row: $\\sigma_k^2(\\sigma_q^2 + \\mu_q^2) = 1\\cdot(1 + 0) = 1$. Shift: "
        "$\\mu_k^2\\sigma_q^2 = 4\\cdot 1 = 4$. Together $5$. Four fifths of this variance would "
        "never change a weight."
    ),
)

CONSTANT = Exercise(
    id="1.5",
    title="Add a constant to every key",
    difficulty=2,
    statement=(
        "You add the same number $5$ to every component of every key. The scores of a row "
        "then move a long way. What happens to the softmax weights of that row?"
    ),
    kind=Choice(
        {
            "a": "they become sharper, because the scores move away from zero",
            "b": "they become flatter, because the scores are relatively closer together",
            "c": "nothing: they stay exactly as they were",
            "d": "it depends on the sign of the query's components",
        },
        right="c",
    ),
    wrong=(
        Wrong(
            "a", "Size alone sharpens nothing: every score of the row moves by the same amount."
        ),
        Wrong("b", "A softmax looks at differences, not at ratios, and the differences stay."),
        Wrong("d", "The sign decides which way the row moves, but all of it moves together."),
    ),
    forms=("C", "c)"),
    hints=(
        "Write the new score: $q\\cdot(k + 5\\cdot\\mathbf 1)$. What was added?",
        "What was added is $5\\sum_i q_i$. Does it depend on the key?",
    ),
    solution=(
        "$q\\cdot(k + 5\\cdot\\mathbf 1) = q\\cdot k + 5\\sum_i q_i$. The added number depends on "
        "the query only, so it is the same along the row, and $\\text{softmax}(z + c) = \\text{softmax}(z)$. "
        "The variance across pairs explodes all the same, which is why it is the wrong one to "
        "look at."
    ),
)


def row_variance(scores: FloatArray) -> float:
    """Mean over the rows of the variance within a row."""
    return float(np.mean(np.var(scores, axis=-1)))


def _total(scores: FloatArray) -> float:  # the teaching guide names it
    return float(np.var(scores))


def _in_place(scores: FloatArray) -> float:
    scores -= scores.mean(axis=-1, keepdims=True)
    return float(np.mean(scores**2))


ROW_VARIANCE = Exercise(
    id="1.6",
    title="Measure what a softmax sees",
    difficulty=3,
    statement=(
        "Write `row_variance(scores)`: given an array of scores of shape `(queries, keys)`, return "
        "one number, the mean over the queries of the variance within a row (divide by the number "
        "of keys). It must not change its argument."
    ),
    kind=Function(
        name="row_variance",
        stub="def row_variance(scores):\n    ...",
        reference=row_variance,
        mechanisms=(
            Mechanism(
                "one number",
                args=(np.array([[1.0, 3.0], [2.0, 4.0]]),),
                say="Return one number: the mean over the rows.",
                check=one_number,
            ),
            Mechanism(
                "centre",
                args=(np.array([[5.0, 5.0, 5.0]]),),
                say="A row whose scores are all equal has variance zero: subtract the row's mean.",
            ),
            Mechanism(
                "within rows",
                args=(np.array([[0.0, 3.0, 3.0], [10.0, 10.0, 16.0]]),),
                say="The rows have variances 2 and 8: take each row around its own mean.",
            ),
            Mechanism(
                "every row",
                args=(np.array([[0.0, 2.0], [0.0, 4.0], [0.0, 12.0]]),),
                say="The rows have variances 1, 4 and 36: every row counts alike.",
            ),
        ),
        probe=(np.array([[0.0, 2.0, 4.0], [10.0, 11.0, 15.0]]),),
    ),
    wrong=(
        Wrong(
            lambda scores: np.var(scores, axis=-1),
            "You return one variance a row; the exercise asks for their mean, one number.",
            mechanism="one number",
        ),
        Wrong(
            lambda scores: np.mean(scores**2),
            "That is the mean square; subtract each row's mean first.",
            mechanism="centre",
        ),
        Wrong(
            _total,
            "That is the variance of all scores together: it counts the shift between rows.",
            mechanism="within rows",
        ),
        Wrong(
            lambda scores: np.mean(np.var(scores, axis=0)),
            "You took the variance along the queries (axis 0); a softmax works along the keys.",
            mechanism="within rows",
        ),
        Wrong(
            lambda scores: np.var(np.mean(scores, axis=-1)),
            "That is the variance of the rows' means: the shift, the part a softmax cannot see.",
            mechanism="within rows",
        ),
        Wrong(
            lambda scores: np.mean(np.std(scores, axis=-1)),
            "That is the standard deviation; leave the square root out.",
            mechanism="within rows",
        ),
        Wrong(
            lambda scores: np.mean(np.var(scores, axis=-1, ddof=1)),
            "You divided by the number of keys less one; the exercise divides by their number.",
            mechanism="within rows",
        ),
        Wrong(
            lambda scores: np.sum(np.var(scores, axis=-1)),
            "You added the rows' variances; take their mean.",
            mechanism="within rows",
        ),
        Wrong(
            lambda scores: np.var(scores[0]),
            "That is the first row only; take the mean over all rows.",
            mechanism="within rows",
        ),
        Wrong(
            lambda scores: np.median(np.var(scores, axis=-1)),
            "That is the median over the rows; the exercise asks for the mean.",
            mechanism="every row",
        ),
        Wrong(
            _in_place,
            "Your function changed its argument: the caller's scores are now centred.",
            mechanism="mutation",
        ),
    ),
    forms=(lambda scores: float(((scores - scores.mean(-1, keepdims=True)) ** 2).mean()),),
    hints=(
        "NumPy's `var` takes an `axis`. Along which axis does a softmax work?",
        "`np.var(scores, axis=-1)` gives one variance a row. What is left to do?",
    ),
    solution=(
        "```python\ndef row_variance(scores):\n    return scores.var(axis=-1).mean()\n```\n\n"
        "Compare it with `scores.var()`, which counts the shift between rows as well: for "
        "uniform components that is $\\tfrac7{144}d$ in place of $\\tfrac1{36}d$."
    ),
)

UNIT_LENGTH = Exercise(
    id="1.7",
    title="Directions only",
    difficulty=2,
    statement=(
        "Two vectors point in independent random directions in $d = 256$ dimensions, and both have "
        "length one. What is the standard deviation of their dot product?"
    ),
    kind=Number(1 / 16, rtol=1e-2),
    wrong=(
        Wrong(
            16, "That is for vectors with standard normal components, whose length is about 16."
        ),
        Wrong("1/256", "That is the variance; take its square root."),
        Wrong(1, "One is the largest value the dot product can have, not its standard deviation."),
        Wrong(0, "That is the mean; the dot product still scatters around it."),
    ),
    forms=("1/16", "0,0625", "2^-4", "6.25 %"),
    hints=(
        "By symmetry fix one vector as the first axis. What is the dot product then?",
        "It is the first component of a random unit vector; the squares of all 256 add up to one.",
    ),
    solution=(
        "Turn the space so that $q$ is the first axis; then $q\\cdot k = k_1$. The squares of the "
        "components of $k$ add up to one and all have the same mean, so $\\mathbb{E}[k_1^2] = 1/256$, the "
        "mean of $k_1$ is zero, and the standard deviation is $1/16$. With length fixed, dot "
        "products shrink as $1/\\sqrt d$."
    ),
)

EXERCISES = (
    EXAMPLE,
    STANDARD_DEVIATION,
    OTHER_UNIFORM,
    SPLIT,
    CONSTANT,
    ROW_VARIANCE,
    UNIT_LENGTH,
)
