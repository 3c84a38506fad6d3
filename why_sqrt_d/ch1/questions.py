"""Exercises of chapter 1, "Dot products grow"."""

import numpy as np

from attn_helpers import scaled_dot_product_attention, softmax
from attn_helpers._checks import FloatArray
from why_sqrt_d.exercises import (
    Array,
    Choice,
    Exercise,
    Function,
    Mechanism,
    Number,
    Wrong,
    shape_only,
)

QUADRUPLE = Exercise(
    id="1.1",
    title="Predict, then run: four times as wide",
    difficulty=1,
    statement=(
        "Choose a distribution of your own with mean zero, such as a die less $3.5$. Predict "
        "first: when $d$ goes from $64$ to $256$, by what factor does the standard deviation of "
        "$q\\cdot k$ grow? Then put your distribution into `draw` above and run it at both $d$."
    ),
    kind=Choice(
        {
            "a": "four times: there are four times as many products",
            "b": "twice",
            "c": "sixteen times",
            "d": "that depends on the distribution",
        },
        right="b",
    ),
    wrong=(
        Wrong("a", "Four is the factor of the variance; the standard deviation is its root."),
        Wrong(
            "c", "The number of products is four times as large, and so is the variance; not more."
        ),
        Wrong(
            "d",
            "The size of a score depends on it; the factor does not: each product adds as much.",
        ),
    ),
    forms=("B", "(b)"),
    hints=(
        "Each product adds the same variance, whatever the distribution. How many are there?",
        "The variance grows by $256/64 = 4$. And its square root?",
    ),
    solution=(
        "If one product has variance $v$, then $d$ independent products have variance $dv$ and "
        "standard deviation $\\sqrt{dv}$. From $d = 64$ to $d = 256$ that is a factor of "
        "$\\sqrt{256/64} = 2$, whatever $v$ is. Only a distribution without a finite variance "
        "escapes: try `rng.standard_cauchy`."
    ),
    right="The distribution decides the spread of one product, and d decides the growth.",
)

STANDARD_DEVIATION = Exercise(
    id="1.2",
    title="The standard deviation at d = 512",
    difficulty=1,
    statement=(
        "All components of $q$ and $k$ are independent and standard normal, and $d = 512$. What "
        "is the standard deviation of the scores, before any division?"
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

MINUS_ONE_TO_ONE = Exercise(
    id="1.3",
    title="Between −1 and 1",
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
        Wrong("90/36", "1/36 is the variance within a row for the interval from 0 to 1."),
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
        "$90/9 = 10$. With $\\mu_k = 0$ all of it is variance within a row: the softmax sees it."
    ),
)

CONSTANT = Exercise(
    id="1.4",
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


SPLIT = Exercise(
    id="1.5",
    title="Within a row and between rows",
    difficulty=2,
    statement=(
        "The components of $q$ have mean $0$ and variance $1$, those of $k$ have mean $2$ and "
        "variance $1$; all are independent. Give three numbers, each *per dimension*: the variance "
        "of $q\\cdot k$, its part within a row, and its part between rows."
    ),
    kind=Array([5.0, 1.0, 4.0], rtol=1e-3),
    wrong=(
        Wrong(
            [5, 4, 1],
            "The parts are swapped: the mean of the keys moves whole rows, so it counts between them.",
        ),
        Wrong(
            [1, 1, 0], "You forgot the mean of the keys: it moves a row's centre with the query."
        ),
        Wrong([3, 1, 2], "The mean of the keys enters squared."),
        Wrong([5, 1, 2], "The mean of the keys enters squared, and the parts must add up."),
        Wrong([9, 5, 4], "Only the keys have a mean of 2 here; the queries have mean 0."),
        Wrong([1, 1, 4], "The first number is the sum of the other two."),
        Wrong([5, 5, 0], "With the query given, only the keys scatter: within a row σ_k² E[q²]."),
    ),
    forms=("5 1 4", "[5, 1, 4]", (5, 1, 4)),
    hints=(
        "What scatters while the query is held fixed? And what moves when the query changes?",
        "Within a row it is $\\sigma_k^2(\\sigma_q^2 + \\mu_q^2)$, between rows "
        "$\\mu_k^2\\sigma_q^2$, and the two add up to the first number.",
    ),
    solution=(
        "Within a row: $\\sigma_k^2(\\sigma_q^2 + \\mu_q^2) = 1\\cdot(1 + 0) = 1$. Between rows: "
        "$\\mu_k^2\\sigma_q^2 = 4\\cdot 1 = 4$. Together $5$. Four fifths of this variance "
        "never change a weight."
    ),
)


def attention(q: FloatArray, k: FloatArray, v: FloatArray) -> FloatArray:
    """Return softmax(q kᵀ / √d_k) v for queries (n_q, d_k), keys (n, d_k), values (n, d_v)."""
    return _scaled(q, k, v, k.shape[-1] ** -0.5)


def _scaled(
    q: FloatArray, k: FloatArray, v: FloatArray, scale: float, axis: int = -1
) -> FloatArray:
    out: FloatArray = softmax(scale * (q @ k.T), axis=axis) @ v
    return out


def _over_queries(q: FloatArray, k: FloatArray, v: FloatArray) -> FloatArray:
    return _scaled(q, k, v, k.shape[-1] ** -0.5, axis=0)  # the teaching guide names it


_ONE_WIDE = (
    np.array([[0.0], [np.log(2.0)]]),
    np.array([[0.0], [0.0], [1.0]]),
    np.array([[0.0], [0.0], [4.0]]),
)
_FOUR_WIDE = (
    np.array([[1.0, 1.0, 0.0, 0.0], [0.0, 1.0, 1.0, 0.0]]),
    np.array([[1.0, 1, 0, 0], [1, 0, 0, 1], [0, 0, 1, 1], [0, -1, 0, 0], [0, 0, 0, 0]]),
    np.array([[8.0, 0, 0], [0, 8, 0], [0, 0, 8], [4, 4, 0], [0, 4, 4]]),
)
_RANDOM = np.random.default_rng(16)

ATTENTION = Exercise(
    id="1.6",
    title="Write attention",
    difficulty=2,
    statement=(
        "Write `attention(q, k, v)` for several queries at once. `q` has the shape $(n_q, d_k)$, "
        "`k` the shape $(n, d_k)$ and `v` the shape $(n, d_v)$: a query, a key and a value in each "
        "row. Divide the scores by $\\sqrt{d_k}$, give each query its softmax over the keys, and "
        "return the mixed values, of shape $(n_q, d_v)$. You may use `ah.softmax`."
    ),
    kind=Function(
        name="attention",
        stub="def attention(q, k, v):\n    ...",
        reference=attention,
        mechanisms=(
            Mechanism(
                "shape",
                args=(
                    np.array([[1.0]]),
                    np.array([[1.0], [2.0]]),
                    np.array([[1.0, 2, 3], [4, 5, 6]]),
                ),
                say="One output for each query, as wide as a value: the weights, times v.",
                check=shape_only((1, 3)),
            ),
            Mechanism(
                "equal scores",
                args=(np.zeros((2, 1)), np.array([[1.0], [2.0]]), np.array([[1.0], [3.0]])),
                say="With equal scores the output is the plain mean of the values.",
            ),
            Mechanism(
                "over the keys",
                args=_ONE_WIDE,
                say="The weights of one query sum to one: a third each, then 1/4, 1/4 and 1/2.",
            ),
            Mechanism(
                "scores",
                args=(
                    np.array([[1.0, 0.0]]),
                    np.array([[0.0, 5.0], [0.0, -5.0]]),
                    np.array([[0.0], [4.0]]),
                ),
                say="Both keys have the score 0 with this query: the scores are q @ k.T.",
            ),
            Mechanism(
                "scale",
                args=_FOUR_WIDE,
                say="Here d_k is 4: divide the scores by 2, before the softmax.",
            ),
            Mechanism(
                "any shape",
                args=(
                    _RANDOM.standard_normal((4, 5)),
                    _RANDOM.standard_normal((6, 5)),
                    _RANDOM.standard_normal((6, 3)),
                ),
                say="Take d_k from the arrays: it is k.shape[-1].",
            ),
        ),
        probe=(
            np.array([[1.0, 1.0, 0.0, 0.0]]),
            np.array([[1.0, 1.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]]),
            np.array([[8.0, 0.0], [0.0, 8.0], [0.0, 0.0]]),
        ),
    ),
    wrong=(
        Wrong(
            lambda q, k, v: _scaled(q, k, v, 1),
            "You left out the scale: divide the scores by √d_k.",
            mechanism="scale",
        ),
        Wrong(
            _over_queries,
            "Your softmax runs over the queries; along the last axis it runs over the keys.",
            mechanism="over the keys",
        ),
        Wrong(
            lambda q, k, v: _scaled(q, k, v, 1 / k.shape[-1]),
            "You divided by d_k; its square root is what the spread grows by.",
            mechanism="scale",
        ),
        Wrong(
            lambda q, k, v: _scaled(q, k, v, k.shape[-1] ** 0.5),
            "You multiplied by √d_k: that makes the spread larger still. Divide.",
            mechanism="scale",
        ),
        Wrong(
            lambda q, k, v: _scaled(q, k, v, len(k) ** -0.5),
            "You divided by the root of the number of keys; d_k is the width of a key.",
            mechanism="over the keys",
        ),
        Wrong(
            lambda q, k, v: _scaled(q, k, v, len(q) ** -0.5),
            "You divided by the root of the number of queries; d_k is the width of a query.",
            mechanism="over the keys",
        ),
        Wrong(
            lambda q, k, v: _scaled(q, k, v, v.shape[-1] ** -0.5),
            "You divided by √d_v, the width of a value; the scores add up d_k products.",
            mechanism="scale",
        ),
        Wrong(
            lambda q, k, v: softmax(q @ k.T) @ v / k.shape[-1] ** 0.5,
            "You divided after the softmax; that shrinks the output and leaves the weights sharp.",
            mechanism="scores",
        ),
        Wrong(
            lambda q, k, v: softmax(q @ k.T * k.shape[-1] ** -0.5),
            "Those are the weights; multiply them by the values.",
            mechanism="shape",
        ),
        Wrong(
            lambda q, k, v: q @ k.T * k.shape[-1] ** -0.5 @ v,
            "You left out the softmax: the logits themselves mix the values.",
            mechanism="equal scores",
        ),
        Wrong(
            lambda q, k, v: np.exp(q @ k.T * k.shape[-1] ** -0.5) @ v,
            "You took the exponentials and did not divide by their sum.",
            mechanism="equal scores",
        ),
        Wrong(
            lambda q, k, v: v[np.argmax(q @ k.T, axis=-1)],
            "You took the best key's value alone; a softmax mixes all of them.",
            mechanism="equal scores",
        ),
        Wrong(
            lambda q, k, v: _scaled(q, k, v, 0.5),
            "You divided by 2 whatever the arrays are; take the root of k.shape[-1].",
            mechanism="over the keys",
        ),
    ),
    forms=(
        scaled_dot_product_attention,
        lambda q, k, v: np.array([softmax(k @ one / np.sqrt(one.size)) @ v for one in q]),
    ),
    hints=(
        "`q @ k.T` holds all scores, a row for each query. What are its shape and that of `v`?",
        "Three steps: `logits = q @ k.T / np.sqrt(k.shape[-1])`, their softmax along the last "
        "axis, and a matrix product with `v`.",
    ),
    solution=(
        "```python\ndef attention(q, k, v):\n"
        "    logits = q @ k.T / np.sqrt(k.shape[-1])   # (n_q, n)\n"
        "    return ah.softmax(logits) @ v             # (n_q, d_v)\n```\n\n"
        "This is the whole of one attention head but for its three matrices and a mask. "
        "`ah.scaled_dot_product_attention` is the same with more care."
    ),
    right="That is one head of attention: the line that this course is about, and the one around it.",
)

UNIT_LENGTH = Exercise(
    id="1.7",
    title="A scale for directions",
    difficulty=2,
    statement=(
        "Queries and keys are random directions in $d = 256$ dimensions, all of length one. By "
        "what number must one *multiply* their scores, so that the logits within a row have "
        "standard deviation one?"
    ),
    kind=Number(16, rtol=1e-2),
    wrong=(
        Wrong("1/16", "That is the spread of the scores, and the textbook's scale; invert it."),
        Wrong(256, "A factor acts on the spread as it stands; on the variance it acts squared."),
        Wrong("1/256", "That is the variance of a score, and what dividing by √d would leave."),
        Wrong(1, "With the factor one the logits keep the spread of the scores, far below one."),
        Wrong(4, "Too small: the scores have the variance 1/d, so their spread is 1/√d."),
    ),
    forms=("sqrt(256)", "256^0.5", "16,0"),
    hints=(
        "Turn the space so that the query is the first axis. What is the dot product then?",
        "It is the first component of a random direction; the squares of all 256 add up to one.",
    ),
    solution=(
        "Turn the space so that $q$ is the first axis; then $q\\cdot k = k_1$. The squares of the "
        "components of $k$ add up to one and all have the same mean, so $\\mathbb{E}[k_1^2] = "
        "1/256$. The mean of $k_1$ is zero, so the spread of a score is $1/16$, and the factor is "
        "$16 = \\sqrt d$: where $1/\\sqrt d$ divides, directions need the inverse."
    ),
)

QUERY_MEAN = Exercise(
    id="1.8",
    title="Add a constant to every query",
    difficulty=3,
    statement=(
        "All components are independent and standard normal. Now you add $5$ to every component "
        "of every *query*, and leave the keys alone. By what factor does the standard deviation "
        "within a row grow? (Take the root of the mean variance within a row.)"
    ),
    kind=Number(np.sqrt(26), rtol=5e-3),
    wrong=(
        Wrong(1, "That is what happens when the keys get the 5. A query's mean makes it longer."),
        Wrong(26, "That is the factor of the variance; take its square root."),
        Wrong(6, "Means and standard deviations do not add; the mean square is 1 + 25."),
        Wrong(5, "The mean alone would give 5; the variance of 1 is still there: 1 + 25."),
        Wrong("sqrt(6)", "The mean enters squared: 1 + 25, not 1 + 5."),
        Wrong(25, "The mean square is 1 + 25, and the standard deviation is a square root."),
    ),
    forms=("sqrt(26)", "5,0990", "26^0.5"),
    hints=(
        "Proposition 1.2: which of its two parts is the one within a row?",
        "It is $\\sigma_k^2(\\sigma_q^2 + \\mu_q^2)$ a dimension: $1$ before, and now?",
    ),
    solution=(
        "Within a row the variance is $\\sigma_k^2(\\sigma_q^2 + \\mu_q^2)$ a dimension. It goes "
        "from $1\\cdot(1 + 0) = 1$ to $1\\cdot(1 + 25) = 26$, so the standard deviation grows by "
        "$\\sqrt{26} \\approx 5.1$. A mean of the keys cancels in a row; a mean of the queries "
        "makes every query longer, and so it stretches the row."
    ),
)

EXERCISES = (
    QUADRUPLE,
    STANDARD_DEVIATION,
    MINUS_ONE_TO_ONE,
    CONSTANT,
    SPLIT,
    ATTENTION,
    UNIT_LENGTH,
    QUERY_MEAN,
)
