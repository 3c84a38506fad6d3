"""One exercise of each kind, for the tests of the engine; not part of the course."""

import numpy as np

from why_sqrt_d.exercises import (
    Array,
    Choice,
    Exercise,
    Finding,
    Function,
    Mechanism,
    Number,
    Order,
    PredictChoice,
    PredictNumber,
    TriedNumber,
    Wrong,
    drawn,
    shape_only,
    sums_to_one,
)


def softmax_rows(scores):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def over_columns(scores):
    e = np.exp(scores - scores.max(axis=0, keepdims=True))
    return e / e.sum(axis=0, keepdims=True)


def not_normalised(scores):
    return np.exp(scores - scores.max(axis=-1, keepdims=True))


def overflowing(scores):
    e = np.exp(scores)
    return e / e.sum(axis=-1, keepdims=True)


def in_place(scores):
    scores -= scores.max(axis=-1, keepdims=True)
    e = np.exp(scores)
    return e / e.sum(axis=-1, keepdims=True)


def base_two(scores):
    e = 2.0 ** (scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def summed_away(scores):
    return softmax_rows(scores).sum(axis=-1)


def with_scipy_trick(scores):
    s = np.asarray(scores, dtype=float)
    return np.exp(
        s
        - np.log(np.exp(s - s.max(-1, keepdims=True)).sum(-1, keepdims=True))
        - s.max(-1, keepdims=True)
    )


SQUARE = np.array([[1.0, 2.0], [3.0, 5.0]])


def spread(d):
    """The standard deviation of a score at dimension d."""
    own = d == 512
    return Exercise(
        id="0.1",
        title="The size of a score",
        difficulty=1,
        statement="Components are independent with mean 0 and variance 1, and "
        f"$d = {d}$. What is the standard deviation of $q \\cdot k$?",
        solution="The variances of the $d$ products add up to $d$; the root is "
        f"$\\approx {d**0.5:.2f}$.",
        hints=("Variances of independent terms add up.", f"The variance is ${d}$; take its root."),
        kind=Number(f"sqrt({d})", rtol=1e-3),
        forms=FORMS if own else (),
        wrong=(
            Wrong(d, "That is the variance: the standard deviation is its root."),
            Wrong(f"1/sqrt({d})", "That is the factor that undoes the growth, not the growth."),
            Wrong("sqrt(64)", f"You took d = 64 as in the paper; here d is {d} </script>."),
        ),
        right=f"The variance is {d}.",
    )


FORMS = (
    np.sqrt(512),
    np.float32(22.6274),
    "16√2",
    "16·√2",
    "22,63",
    "512^(1/2)",
    "2**4.5",
    "= 22.627",
    np.array([22.627]),
    [22.627],
    "22.63 ",
)
NUMBER = drawn(spread, {"d": 512}, lambda random: {"d": 2 ** random.randint(6, 18)})

NEGATIVE = Exercise(
    id="0.2",
    title="A small number",
    difficulty=2,
    statement="What is $\\ln \\tfrac12$?",
    solution="$-\\ln 2 \\approx -0.693$, because $\\ln$ of a reciprocal changes the sign.",
    hints=("What is $\\ln 1$?", "$\\ln(a/b) = \\ln a - \\ln b$."),
    kind=Number(-0.6931471805599453, rtol=1e-4),
    forms=("-ln 2", "−ln(2)", "ln(1/2)", "ln 0.5", "-69.3147 %"),
    wrong=(
        Wrong("-log10(2)", "That is the logarithm to base 10."),
        Wrong(-1, "That is the logarithm to base 2."),
        Wrong(0.5, "That is the argument itself."),
    ),
)

CHOICE = Exercise(
    id="0.3",
    title="Which factor?",
    difficulty=1,
    statement="Which scale keeps the variance of the logits at 1?",
    solution="The variance of the score is $d$; dividing by $\\sqrt d$ divides it by $d$.",
    hints=("What does a factor do to a variance?", "It enters squared."),
    kind=Choice(
        {"a": "1/d", "b": "1/√d", "c": "√d", "d": 'It depends on n < 10 & "more".'}, right="b"
    ),
    wrong=(
        Wrong("a", "You divided by d: then the variance shrinks to 1/d."),
        Wrong("c", "That multiplies; the scores are already too large."),
        Wrong("d", "The number of keys does not enter the variance of one score."),
    ),
)

ORDER = Exercise(
    id="0.4",
    title="Order of the proof",
    difficulty=2,
    statement="Put the steps of the proof in order.",
    solution="Each step uses the one before it.",
    hints=("What is known at the start?", "The sum comes after its terms."),
    kind=Order(
        steps=(
            ("mean", "One product has mean 0."),
            ("square", "Its variance is the mean of its square."),
            ("term", "So each product has variance 1."),
            ("sum", "Variances of independent products add up to d."),
        ),
        needs=(
            ("square", "mean", "only with mean 0 is the variance the mean square."),
            ("term", "square", "it evaluates that mean square."),
        ),
    ),
    wrong=(
        Wrong(("sum", "mean", "square", "term"), "The sum is the last step, not the first."),
        Wrong(("mean", "square", "sum", "term"), "Before adding up, find what one term gives."),
        Wrong(("term", "square", "mean", "sum"), "You read the first three steps backwards."),
    ),
)

ORDER_FREE = Exercise(
    id="0.5",
    title="Several orders",
    difficulty=1,
    statement="Order the operations of attention.",
    solution="Queries and keys can be made in either order.",
    hints=("What does the softmax need?", "Scores need both queries and keys."),
    kind=Order(
        steps=(
            ("queries", "Make q."),
            ("keys", "Make k."),
            ("scores", "Take q·k."),
            ("softmax", "Apply softmax."),
        ),
        needs=(
            ("scores", "queries", "a score is a product of q and k."),
            ("scores", "keys", "a score is a product of q and k."),
            ("softmax", "scores", "softmax acts on the scores."),
        ),
        any_order=True,
    ),
    forms=(("keys", "queries", "scores", "softmax"),),
    wrong=(
        Wrong(("softmax", "queries", "keys", "scores"), "Softmax has nothing to act on yet."),
        Wrong(("scores", "queries", "keys", "softmax"), "No score exists before q and k do."),
        Wrong(("queries", "keys", "softmax", "scores"), "Softmax follows the scores."),
    ),
)

ARRAY = Exercise(
    id="0.6",
    title="A softmax by hand",
    difficulty=2,
    statement="Compute softmax(0, ln 2, ln 7).",
    solution="The exponentials are 1, 2 and 7; their sum is 10.",
    hints=("Exponentiate first.", "Then divide by the sum."),
    kind=Array([0.1, 0.2, 0.7], rtol=1e-3),
    forms=(
        "0.1 0.2 0.7",
        "0.1; 0.2; 0.7",
        "[1/10, 2/10, 7/10]",
        "10% 20% 70%",
        np.array([0.1, 0.2, 0.7]),
        (0.1, "1/5", 0.7),
        ["1/10", "1/5", "7/10"],
        [[0.1], [0.2], [0.7]],
    ),
    wrong=(
        Wrong([1, 2, 7], "Those are the exponentials: divide them by their sum."),
        Wrong([0.0, 0.263, 0.737], "You normalised the logits themselves."),
        Wrong([[0.1, 0.2], [0.7, 0.0]], "A plain list of three is asked for."),
    ),
    passage="[normalising](softmax.ipynb#sum)",
)

MATRIX = Exercise(
    id="0.7",
    title="A matrix",
    difficulty=1,
    statement="What is $QK^\\top$?",
    solution="Rows are queries, columns are keys.",
    hints=("Whose index comes first?", "Row i holds query i."),
    kind=Array([[1, 2, 3], [4, 5, 6]]),
    forms=(
        "1 2 3; 4 5 6",
        "[[1, 2, 3], [4, 5, 6]]",
        "array([[1., 2., 3.],\n       [4., 5., 6.]])",
    ),
    wrong=(
        Wrong([1, 2, 3, 4, 5, 6], "The numbers are right; they need two rows."),
        Wrong([[1, 2, 3], [4, 5, 7]], "The last score is one too large."),
        Wrong([[0, 0, 0], [0, 0, 0]], "Nothing was multiplied."),
    ),
)

FUNCTION = Exercise(
    id="0.8",
    title="Write softmax",
    difficulty=3,
    statement="Write softmax over the last axis.",
    solution="Subtract the row's maximum, exponentiate, divide by the row's sum.",
    hints=("Which axis do the weights sum over?", "Use keepdims=True."),
    kind=Function(
        name="softmax_rows",
        stub="def softmax_rows(scores):\n    ...",
        reference=softmax_rows,
        mechanisms=(
            Mechanism("shape", (SQUARE,), "Softmax keeps the shape.", check=shape_only((2, 2))),
            Mechanism("sum", (SQUARE,), "Did you sum over axis 0?", check=sums_to_one),
            Mechanism("values", (np.array([[0.0, 1.0, 2.0]]),), "Is the base e?"),
            Mechanism("stability", (np.array([[1000.0, 1001.0]]),), "Subtract the row's maximum."),
            Mechanism(
                "batch",
                (np.random.default_rng(0).normal(size=(2, 4, 6)),),
                "Use axis=-1.",
            ),
        ),
        probe=(np.array([[0.0, 1.0, 2.0], [0.0, 2.0, 0.0]]),),
    ),
    forms=(
        with_scipy_trick,
        lambda s: softmax_rows(np.array(s)),
        lambda s: softmax_rows(s).tolist(),
    ),
    wrong=(
        Wrong(over_columns, "You summed over axis 0: each column sums to 1.", "sum"),
        Wrong(not_normalised, "You left out the division by the sum.", "sum"),
        Wrong(summed_away, "You summed the weights away.", "shape"),
        Wrong(base_two, "You used powers of 2, not of e.", "values"),
        Wrong(overflowing, "exp(1000) overflows: subtract the row's maximum first.", "stability"),
        Wrong(
            in_place,
            "scores -= … changes the caller's array: write scores = scores - ….",
            "mutation",
        ),
    ),
)

GUESS = Exercise(
    id="0.9",
    title="Before you run",
    difficulty=1,
    statement="How many keys does a row of a thousand feel?",
    solution="About 370: $1000/e$.",
    hints=("The logits have variance 1.", "The entropy falls by one half."),
    kind=PredictNumber(368.0),
    forms=(360, "0.37e3"),
    wrong=(
        Wrong(1000, "That would be equal weights."),
        Wrong(1, "That would be a saturated row."),
        Wrong(-5, "A number of keys is positive."),
    ),
    learned="The [entropy](softmax.ipynb#entropy) says why.",
)

BET = Exercise(
    id="0.10",
    title="What happens?",
    difficulty=1,
    statement="The scale is left out. What happens?",
    solution="They learn, later.",
    hints=("Does a gradient arrive?", "It does."),
    kind=PredictChoice({"a": "nothing", "b": "they learn, later", "c": "overflow"}, right="b"),
    wrong=(
        Wrong("a", "The gradient is small, not zero."),
        Wrong("c", "The maximum is subtracted."),
    ),
)

TRIAL = Exercise(
    id="0.11",
    title="Find a step",
    difficulty=2,
    statement="Find a step with which ten steps of descent on $x^2$ from 1 come below 0.01.",
    solution="Between 0.19 and 0.81: each step multiplies $x$ by $1 - 2s$.",
    hints=("What does one step multiply by?", "$|1 - 2s|^{10} < 0.01$."),
    kind=TriedNumber(
        0.5,
        trial=lambda s: Finding(
            abs(1 - 2 * s) ** 10 < 0.01, f"At {s:.4g} ten steps end at {(1 - 2 * s) ** 10:.2g}."
        ),
        count=21,
    ),
    forms=(0.3, "1/4"),
    wrong=(
        Wrong(1, "A step of one jumps to the other side and back."),
        Wrong(0.01, "That is too small a step."),
        Wrong("1/1000", "That is much too small a step."),
    ),
    learned="Too large a step fails as too small a one does.",
)

EXERCISES = (
    *(NUMBER, NEGATIVE, CHOICE, ORDER, ORDER_FREE, ARRAY, MATRIX, FUNCTION),
    *(GUESS, BET, TRIAL),
)
