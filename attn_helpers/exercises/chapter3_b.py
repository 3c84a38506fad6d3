"""Exercises of chapter 3, "Softmax saturation": overflow and the maximum trick."""

import numpy as np

from attn_helpers.exercises import _chapter3_softmax as functions
from attn_helpers.exercises.kinds import Choice, Function, Mechanism
from attn_helpers.exercises.model import Exercise, Wrong

OVERFLOW = Exercise(
    id="3.7",
    title="Which number format overflows?",
    difficulty=1,
    statement=(
        "The row of logits is $[60, 20]$, and softmax is computed as the textbook writes it, "
        "without subtracting anything. In which formats does $e^{60}$ overflow?"
    ),
    kind=Choice(
        {
            "a": "in none of them",
            "b": "in float16 only",
            "c": "in float16 and float32",
            "d": "in float16, float32 and float64",
        },
        right="b",
    ),
    wrong=(
        Wrong("a", "float16 ends at 65504, and e⁶⁰ is about 10²⁶."),
        Wrong("c", "float32 reaches e⁸⁸·⁷, so e⁶⁰ still fits."),
        Wrong("d", "float64 reaches e⁷⁰⁹·⁸, far beyond e⁶⁰."),
    ),
    forms=("B", "(b)"),
    hints=(
        "A format's bound for the exponent is the natural logarithm of its largest number.",
        "The bounds of the table are near $11$, $89$ and $710$. Where does $60$ lie?",
    ),
    solution=(
        "Only in float16, whose bound is near $11$; float32 goes to about $88.7$ and float64 to "
        "about $709.8$. With the row maximum subtracted the exponents are $0$ and $-40$ and "
        "nothing overflows anywhere."
    ),
)

_FAR_APART = np.array([[0.0, np.log(3.0)], [-2000.0, -2000.0]])
_CUBE = np.array([[[0.0, 1.0], [2.0, 0.0], [1.0, 1.0]], [[3.0, 0.0], [0.0, 0.0], [1.0, 2.0]]])
_SQUARE = np.array([[0.0, np.log(3.0)], [5.0, 5.0]])

STABLE = Exercise(
    id="3.8",
    title="A softmax that does not break",
    difficulty=3,
    statement=(
        "Write `stable_softmax(x, axis=-1)`: the softmax of an array of any shape along one axis. "
        "It must survive logits of $\\pm10^4$, give weight zero to a logit of $-\\infty$ (a masked "
        "key; at least one key of each row is not masked), and leave its argument unchanged."
    ),
    kind=Function(
        name="stable_softmax",
        stub="def stable_softmax(x, axis=-1):\n    ...",
        reference=functions.stable_softmax,
        mechanisms=(
            Mechanism(
                "values",
                args=(np.array([0.0, np.log(3.0)]),),
                say="The exponentials are 1 and 3, so the weights are 1/4 and 3/4.",
            ),
            Mechanism(
                "rows",
                args=(_SQUARE,),
                say="Each row has its own maximum and its own sum: use axis and keepdims=True.",
            ),
            Mechanism(
                "axis",
                args=(_SQUARE,),
                kwargs={"axis": 0},
                say="With axis=0 every column sums to one.",
            ),
            Mechanism(
                "three axes",
                args=(_CUBE,),
                kwargs={"axis": 1},
                say="With three axes the middle one has to work too: hand axis on to max and sum.",
            ),
            Mechanism(
                "overflow",
                args=(np.array([10_000.0, 0.0, 0.0, 9_999.0]),),
                say="Subtract the maximum first, so that no exponent is above zero.",
            ),
            Mechanism(
                "underflow",
                args=(np.array([-10_000.0, -10_000.0, -10_001.0]),),
                say="A row of very negative logits must not end in 0/0: subtract its maximum.",
            ),
            Mechanism(
                "rows far apart",
                args=(_FAR_APART,),
                say="Each row needs its own maximum: with a common one a low row becomes 0/0.",
            ),
            Mechanism(
                "mask",
                args=(np.array([1.0, -np.inf, 1.0]),),
                say="A logit of −inf gets weight zero, and the others share as if it were absent.",
            ),
        ),
        probe=(np.array([1000.0, 1000.0 + float(np.log(3.0)), 990.0]),),
    ),
    wrong=(
        Wrong(
            functions.not_normalised,
            "Divide by the sum: weights add up to one.",
            mechanism="values",
        ),
        Wrong(
            functions.divided,
            "You divided by the maximum; that changes the margins. Subtract it.",
            mechanism="values",
        ),
        Wrong(
            functions.global_sum,
            "You divided by the sum of all rows; give sum the axis, with keepdims=True.",
            mechanism="rows",
        ),
        Wrong(
            functions.no_keepdims,
            "Without keepdims=True the row's sum is lined up with the columns.",
            mechanism="rows",
        ),
        Wrong(
            functions.last_axis_only,
            "Your function takes axis and does not use it.",
            mechanism="axis",
        ),
        Wrong(
            functions.rows_only,
            "A row may be a plain vector: use the axis you are given.",
            mechanism="values",
        ),
        Wrong(
            functions.two_axes_only,
            "Your function knows rows and columns only; hand axis on to max and sum as it is.",
            mechanism="three axes",
        ),
        Wrong(
            functions.naive,
            "You did not subtract the maximum: an exponential overflows, and inf/inf is nan.",
            mechanism="overflow",
        ),
        Wrong(
            functions.clipped,
            "Cutting the logits also cuts their margin; subtract the maximum instead.",
            mechanism="overflow",
        ),
        Wrong(
            functions.absolute_maximum,
            "The largest absolute value belongs to the most negative logit here; take the maximum.",
            mechanism="underflow",
        ),
        Wrong(
            functions.global_maximum,
            "You subtracted the maximum of all rows; the low row underflows to 0/0.",
            mechanism="rows far apart",
        ),
        Wrong(
            functions.masked_as_zero,
            "You turned −inf into 0, which is a logit like any other; leave it −inf.",
            mechanism="mask",
        ),
        Wrong(
            functions.in_place,
            "Your function changed its argument; write x - maximum, not x -= maximum.",
            mechanism="mutation",
        ),
    ),
    forms=(
        lambda x, axis=-1: np.exp(
            x
            - x.max(axis, keepdims=True)
            - np.log(np.exp(x - x.max(axis, keepdims=True)).sum(axis, keepdims=True))
        ),
    ),
    hints=(
        "Three lines: a maximum, an exponential, a division. Each needs to know the axis.",
        "`x.max(axis=axis, keepdims=True)` keeps the axis, so that it can be subtracted from `x`.",
    ),
    solution=(
        "```python\ndef stable_softmax(x, axis=-1):\n"
        "    top = x.max(axis=axis, keepdims=True)\n"
        "    powers = np.exp(x - top)\n"
        "    return powers / powers.sum(axis=axis, keepdims=True)\n```\n\n"
        "After the subtraction the largest term is $e^0 = 1$: nothing overflows, the sum is at "
        "least $1$, and a term that underflows to zero was too small to matter. A row in which "
        "*every* key is masked still gives nan here; `attn_helpers.softmax` returns zeros for it."
    ),
)

EXERCISES = (OVERFLOW, STABLE)
