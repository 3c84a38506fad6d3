"""Exercises of chapter 3, "Softmax saturation": margins, numbers of keys, effective keys."""

import numpy as np

from attn_helpers import softmax
from attn_helpers._checks import FloatArray
from why_sqrt_d.exercises import Array, Choice, Exercise, Function, Mechanism, Number, Order, Wrong

SORT = Exercise(
    id="3.1",
    title="Sort five rows",
    difficulty=1,
    statement=(
        "Here are five rows of logits. Put them in order of their largest weight, from the most "
        "even row to the most saturated one."
    ),
    kind=Order(
        steps=(
            ("crowd", "one 5 and a thousand 0s"),
            ("equal", "1000, 1000"),
            ("sized", "101, 100"),
            ("three", "14, 11, 11"),
            ("negative", "−3, −7"),
        ),
        needs=(
            (
                "equal",
                "crowd",
                "e⁵ is 148, so the first key has 148 parts of 1148, less than a half",
            ),
            ("sized", "equal", "two equal logits share evenly, and a margin of 1 does not"),
            ("three", "sized", "the rivals add 2e⁻³ to the 1 of the largest, which is below e⁻¹"),
            ("negative", "three", "one rival at margin 4 adds e⁻⁴, which is below 2e⁻³"),
        ),
    ),
    wrong=(
        Wrong(
            ("negative", "crowd", "three", "sized", "equal"),
            "That is the order of the largest logits; their size changes no weight.",
        ),
        Wrong(
            ("equal", "sized", "three", "negative", "crowd"),
            "That is the order of the margins; a thousand rivals count a thousand times.",
        ),
        Wrong(
            ("negative", "three", "sized", "equal", "crowd"),
            "That is the reverse: start with the most even row.",
        ),
        Wrong(
            ("crowd", "equal", "sized", "negative", "three"),
            "Two rivals at margin 3 take more than one rival at margin 4: 2e⁻³ against e⁻⁴.",
        ),
    ),
    hints=(
        "Subtract each row's largest logit from the row first. Nothing changes, and all five rows "
        "become comparable.",
        "The largest weight is $1/(1 + S)$ with $S = \\sum e^{-\\text{margin}}$ over the rivals. "
        "Compute $S$ for each row.",
    ),
    solution=(
        "The rivals' sums are $1000\\,e^{-5} \\approx 6.7$, then $1$, $e^{-1} \\approx 0.37$, "
        "$2e^{-3} \\approx 0.10$ and $e^{-4} \\approx 0.02$. The largest weights are "
        "$1/(1 + \\text{sum})$: $0.13$, $0.50$, $0.73$, $0.91$, $0.98$. The row with the largest "
        "numbers is among the flat ones, and the only negative row is the most saturated."
    ),
)

BOUNDS = Exercise(
    id="3.2",
    title="What a margin guarantees",
    difficulty=2,
    statement=(
        "A row has $n = 101$ keys, and its largest logit stands $5$ above the second largest. "
        "Nothing else is known. Give two numbers: the smallest and the largest value that the "
        "largest weight can have (as a limit, if it is only approached; three digits)."
    ),
    kind=Array([1 / (1 + 100 * np.exp(-5)), 1 / (1 + np.exp(-5))], rtol=2e-3),
    wrong=(
        Wrong(
            [1 / (1 + np.exp(-5)), 1 / (1 + 100 * np.exp(-5))],
            "The two are swapped: many rivals close by make the weight small.",
        ),
        Wrong(
            [1 / (1 + 101 * np.exp(-5)), 1 / (1 + np.exp(-5))],
            "Of the 101 keys one is the largest; it has 100 rivals.",
        ),
        Wrong(
            [1 / (1 + 99 * np.exp(-5)), 1 / (1 + np.exp(-5))],
            "The second largest is a rival too: 101 keys make 100 rivals, not 99.",
        ),
        Wrong(
            [0, 1 / (1 + np.exp(-5))],
            "The rivals all stand 5 below, so a hundred of them cannot push the weight to 0.",
        ),
        Wrong(
            [0, 1],
            "Any weight lies between 0 and 1; the margin of 5 and the number of keys say more.",
        ),
        Wrong(
            [1 - 1 / (1 + 100 * np.exp(-5)), 1 - 1 / (1 + np.exp(-5))],
            "Those are the rivals' shares; the largest weight is one minus each.",
        ),
        Wrong(
            [1 - 1 / (1 + np.exp(-5)), 1 - 1 / (1 + 100 * np.exp(-5))],
            "Those are the rivals' shares, from small to large; the largest weight is the rest.",
        ),
        Wrong([1 / 101, 1], "These bounds hold for any row; the margin of 5 narrows them."),
        Wrong(
            [1 / (1 + np.exp(-5)), 1],
            "0.993 is one rival's case, and the row has a hundred; they may all be close.",
        ),
        Wrong(
            [1 / (1 + 100 * np.exp(-5)), 1],
            "The second largest logit is exactly 5 below, so it keeps e⁻⁵ against 1.",
        ),
        Wrong(
            [1 / (1 + 100 * np.exp(5)), 1 / (1 + np.exp(5))],
            "The sign of the margin is turned round: the rivals' terms are e⁻⁵.",
        ),
    ),
    forms=("1/(1+100e^-5), 1/(1+e^-5)", "0.597 0.993", "0,597; 0,993"),
    hints=(
        "The row has 100 rivals, one of them at margin 5. Where must the rest stand to take as "
        "much as they can? As little?",
        "Largest weight $= 1/(1 + \\sum e^{-\\text{margin}})$: all hundred rivals at margin $5$, or "
        "one at $5$ and the rest far below.",
    ),
    solution=(
        "All hundred rivals at margin $5$ gives $1/(1 + 100\\,e^{-5}) \\approx 0.597$. One rival "
        "at $5$ and the others far below gives, in the limit, $1/(1 + e^{-5}) \\approx 0.993$. "
        "Between the two everything is possible."
    ),
)

REPAIR = Exercise(
    id="3.3",
    title="Repair a printed row",
    difficulty=1,
    statement=(
        "The course section prints the scaled logits $[1.15, -0.39, 1.10, -0.68, 0.15]$ with the "
        "weights $[0.31, 0.07, 0.30, 0.05, 0.12]$ [[Source C, n.d.](bibliography.md#source-c)]. What should the five weights "
        "be? (Two digits are enough.)"
    ),
    kind=Array(softmax([1.15, -0.39, 1.10, -0.68, 0.15]), rtol=1e-3, atol=0.0045),
    wrong=(
        Wrong([0.31, 0.07, 0.30, 0.05, 0.12], "That is the printed row; add it up."),
        Wrong(
            [0.3647, 0.0824, 0.3529, 0.0588, 0.1412],
            "You rescaled the printed row, and with it the rounding of its two digits; start from the logits.",
        ),
        Wrong(
            [0.599, 0, 0.401, 0, 0],
            "That is the row without the scale; the logits here are already divided by 8.",
        ),
        Wrong(
            [0.865, -0.293, 0.827, -0.511, 0.113],
            "You divided the logits by their sum; take exponentials first.",
        ),
        Wrong(
            [3.158, 0.677, 3.004, 0.507, 1.162],
            "These are the exponentials; divide them by their sum.",
        ),
        Wrong(
            [0.31, 0.07, 0.30, 0.05, 0.27],
            "You gave the missing 0.15 to the last key; the other four weights are wrong as well.",
        ),
        Wrong(
            [37, 8, 35, 6, 14],
            "Those are per cent: divide by 100, so that the weights sum to one.",
        ),
    ),
    forms=("0.37 0.08 0.35 0.06 0.14", "[0.371, 0.080, 0.353, 0.060, 0.137]"),
    hints=(
        "Weights sum to one. What does the printed row sum to?",
        "Take the five exponentials, $3.16$, $0.68$, $3.00$, $0.51$, $1.16$, and divide by their "
        "sum.",
    ),
    solution=(
        "The exponentials sum to $8.51$, and dividing gives $[0.37, 0.08, 0.35, 0.06, 0.14]$. The "
        "printed weights sum to $0.85$: they are the right ones times about $0.845$, rounded. The "
        "ratios are right, and what the exponentials were divided by is too large."
    ),
)

PASSES = Exercise(
    id="3.4",
    title="Where does it saturate?",
    difficulty=1,
    statement=(
        "The course section asks to plot $\\text{softmax}([x, 0, 0, 0])$ for $x$ from $0$ to $10$ and to "
        "say where it saturates [[Source C, n.d.](bibliography.md#source-c)]. Say it exactly: at which $x$ does the first "
        "weight reach $0.99$?"
    ),
    kind=Number("ln(297)", rtol=1.5e-3),
    wrong=(
        Wrong("ln(99)", "That is for a single rival; three rivals push back here."),
        Wrong("ln(396)", "There are four keys but three rivals: n − 1."),
        Wrong("ln(3)", "That is where the first weight is a half."),
        Wrong("ln(27)", "That is where it reaches 0.9."),
        Wrong("ln(2997)", "That is where it reaches 0.999."),
        Wrong("ln(33)", "You divided by the number of rivals; they make x larger."),
        Wrong(297, "That is eˣ; take the natural logarithm."),
        Wrong("ln(297)/ln(10)", "Softmax has base e: take the natural logarithm."),
        Wrong("log2(297)", "That is the logarithm to base 2; softmax has base e."),
        Wrong("ln(300)", "p/(1 − p) is 0.99/0.01 = 99, not 100."),
        Wrong("ln(3*0.99)", "You left out 1 − p: the ratio is 0.99/0.01."),
    ),
    forms=("ln(3*0.99/0.01)", "5,6937", 5.7, "x = 5.69", "x ≈ ln 297"),
    hints=(
        "Write the first weight: $e^x/(e^x + 3)$.",
        "Set $e^x/(e^x + 3) = p$ and solve: $e^x = 3p/(1-p)$.",
    ),
    solution=(
        "$e^x = 3\\cdot 0.99/0.01 = 297$, so $x = \\ln 297 \\approx 5.69$. With $n$ keys the $3$ "
        "becomes $n - 1$: every tenfold number of keys asks for another $2.3$ of margin."
    ),
)

EFFECTIVE = Exercise(
    id="3.5",
    title="How many keys take part?",
    difficulty=2,
    statement=(
        "A row has the weights $[\\tfrac12, \\tfrac14, \\tfrac14]$. Give two numbers: its effective "
        "number of keys $1/\\sum p_i^2$, and the other common count, $e^H$ with $H$ its entropy in "
        "nats (three digits)."
    ),
    kind=Array([8 / 3, 2 * np.sqrt(2)], rtol=2.6e-3),
    wrong=(
        Wrong([2 * np.sqrt(2), 8 / 3], "The two are swapped: 1/Σp² never exceeds eᴴ."),
        Wrong([3 / 8, 2 * np.sqrt(2)], "That is Σp²; its inverse counts keys."),
        Wrong([8 / 3, 1.5 * np.log(2)], "That is the entropy H; the count is eᴴ."),
        Wrong([8 / 3, np.exp(1.5)], "1.5 is the entropy in bits; in nats it is 1.5 ln 2."),
        Wrong([8 / 3, 1.5], "1.5 is the entropy in bits; the count is 2 to that power."),
        Wrong(
            [8 / 3, 2 ** (1.5 * np.log(2))],
            "With H in nats the count is e to the power H, not 2 to the power H.",
        ),
        Wrong([8 / 3, np.exp(-1.5 * np.log(2))], "The sign of H is turned: H = −Σ p ln p."),
        Wrong([3 / 8, 1.5 * np.log(2)], "Those are Σp² and H; the counts are 1/Σp² and eᴴ."),
        Wrong([3, 3], "Three is the number of keys; the first one takes half of the weight."),
        Wrong([2, 2], "2 is one over the largest weight; the other two keys still count."),
    ),
    forms=("8/3 2√2", "8/3, 2^1.5", (2.667, 2.828), "2,67; 2,83"),
    hints=(
        "Square each weight and add. For $H$, take $-p\\ln p$ of each weight and add.",
        "$\\sum p_i^2 = \\tfrac14 + \\tfrac1{16} + \\tfrac1{16}$, and $H = \\tfrac12\\ln 2 + "
        "2\\cdot\\tfrac14\\ln 4 = \\tfrac32\\ln 2$.",
    ),
    solution=(
        "$\\sum p^2 = \\tfrac38$, so $8/3 \\approx 2.67$ keys. $H = \\tfrac32\\ln2$, so $e^H = "
        "2^{3/2} \\approx 2.83$. Both are $1$ when one key has everything and $3$ when all three "
        "share evenly; $1/\\sum p^2$ listens more to the large weights."
    ),
)

THAW = Exercise(
    id="3.6",
    title="Where d = 16 thaws",
    difficulty=2,
    statement=(
        "Scores with $d = 16$ and no scale: $\\sigma = \\sqrt d$. At which number of keys does the "
        "line of the phase diagram say that such a row passes from frozen to shared?"
    ),
    kind=Number("e^8", rtol=1e-2),
    wrong=(
        Wrong(8, "That is ln n; the number of keys is its exponential."),
        Wrong("e^2", "You put σ = 2; the spread is √16 = 4, and σ² = 16."),
        Wrong("e^16", "That is eᵈ; the transition has σ² = 2 ln n, so ln n is d/2."),
        Wrong("e^4", "That is e to the power σ; the transition asks for σ²/2."),
        Wrong("e^32", "That is d = 64."),
        Wrong("2^16", "That is 2ᵈ; the logarithm is natural, and ln n is d/2, not d."),
        Wrong("2^8", "The logarithm is natural: e⁸, not 2⁸."),
        Wrong(16, "σ² = 2 ln n compares d with the logarithm of n, not with n."),
    ),
    forms=("exp(8)", 2981, "2980.96", "2 981", "n = 2981"),
    hints=(
        "Which number takes the place of $\\sigma$ in the line of the diagram?",
        "The line is $\\sqrt d = \\sqrt{2\\ln n}$. Square it.",
    ),
    right="Not a sharp border at finite n: near the line everything changes gradually.",
    solution=(
        "$d = 2\\ln n$ gives $n = e^{d/2} = e^8 \\approx 2981$. At $d = 4$ it is $e^2 \\approx 7$, "
        "at $d = 64$ it is $e^{32}$, about $8\\cdot10^{13}$: unscaled heads of usual width are "
        "frozen at every length that anyone runs."
    ),
)

DILUTION = Exercise(
    id="3.9",
    title="Twice the context",
    difficulty=2,
    statement=(
        "The logits of an untrained model have mean zero and standard deviation one, as "
        "$1/\\sqrt{d_k}$ promises. You double the number of keys from $8192$ to $16\\,384$. What "
        "happens to the typical largest weight of a row?"
    ),
    kind=Choice(
        {
            "a": "nothing: the scale has normalised the variance",
            "b": "it grows, because the largest of more logits is larger",
            "c": "it falls, to a bit more than half",
            "d": "it falls by the square root of two, as a standard error does",
        },
        right="c",
    ),
    wrong=(
        Wrong("a", "The variance stays one, but twice as many terms stand in the denominator."),
        Wrong("b", "The largest logit does grow, by less than 0.2 here; the denominator doubles."),
        Wrong("d", "Nothing is averaged here: the denominator grows as n, not as its root."),
    ),
    forms=("C", "(c)"),
    hints=(
        "The largest weight is $e^{\\max}$ over a sum. What does doubling do to each?",
        "The sum doubles. The largest logit is near $\\sqrt{2\\ln n}$; from $8192$ to $16\\,384$ "
        "that moves from $4.25$ to $4.41$.",
    ),
    solution=(
        "The denominator is close to $n\\,e^{1/2}$ and doubles. The largest logit grows by about "
        "$0.16$, which multiplies its exponential by about $1.17$. Together: a factor near $0.59$. "
        "Nothing in $1/\\sqrt{d_k}$ knows about $n$."
    ),
)


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


def normalised(x: FloatArray, axis: int = -1) -> FloatArray:
    """Return the exponentials of `x` over their sum along `axis`; nothing is subtracted."""
    powers = np.exp(x)
    return np.asarray(powers / powers.sum(axis=axis, keepdims=True))


def stable_softmax(x: FloatArray, axis: int = -1) -> FloatArray:
    """Return the softmax along `axis`, with the maximum along that axis subtracted."""
    return normalised(x - x.max(axis=axis, keepdims=True), axis)


def _global_sum(x: FloatArray, axis: int = -1) -> FloatArray:
    powers = np.exp(x - x.max(axis=axis, keepdims=True))
    return np.asarray(powers / powers.sum())


def _no_keepdims(x: FloatArray, axis: int = -1) -> FloatArray:
    powers = np.exp(x - x.max(axis=axis))
    return np.asarray(powers / powers.sum(axis=axis))


def _in_place(x: FloatArray, axis: int = -1) -> FloatArray:
    x -= x.max(axis=axis, keepdims=True)
    np.exp(x, out=x)
    x /= x.sum(axis=axis, keepdims=True)
    return x


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
        reference=stable_softmax,
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
            lambda x, axis=-1: np.exp(x - x.max(axis=axis, keepdims=True)),
            "Divide by the sum: weights add up to one.",
            mechanism="values",
        ),
        Wrong(
            lambda x, axis=-1: normalised(x / np.abs(x).max(axis=axis, keepdims=True), axis),
            "You divided by the maximum; that changes the margins. Subtract it.",
            mechanism="values",
        ),
        Wrong(
            _global_sum,
            "You divided by the sum of all rows; give sum the axis, with keepdims=True.",
            mechanism="rows",
        ),
        Wrong(
            _no_keepdims,
            "Without keepdims=True the row's sum is lined up with the columns.",
            mechanism="rows",
        ),
        Wrong(
            lambda x, axis=-1: stable_softmax(x),
            "Your function takes axis and does not use it.",
            mechanism="axis",
        ),
        Wrong(
            lambda x, axis=-1: stable_softmax(x, 1),
            "A row may be a plain vector: use the axis you are given.",
            mechanism="values",
        ),
        Wrong(
            lambda x, axis=-1: stable_softmax(x.T).T if axis == 0 else stable_softmax(x),
            "Your function knows rows and columns only; hand axis on to max and sum as it is.",
            mechanism="three axes",
        ),
        Wrong(
            normalised,
            "You did not subtract the maximum: an exponential overflows, and inf/inf is nan.",
            mechanism="overflow",
        ),
        Wrong(
            lambda x, axis=-1: stable_softmax(np.clip(x, -700, 700), axis),
            "Cutting the logits also cuts their margin; subtract the maximum instead.",
            mechanism="overflow",
        ),
        Wrong(
            lambda x, axis=-1: normalised(x - np.abs(x).max(axis=axis, keepdims=True), axis),
            "The largest absolute value belongs to the most negative logit here; take the maximum.",
            mechanism="underflow",
        ),
        Wrong(
            lambda x, axis=-1: normalised(x - x.max(), axis),
            "You subtracted the maximum of all rows; the low row underflows to 0/0.",
            mechanism="rows far apart",
        ),
        Wrong(
            lambda x, axis=-1: stable_softmax(np.where(np.isinf(x), 0.0, x), axis),
            "You turned −inf into 0, which is a logit like any other; leave it −inf.",
            mechanism="mask",
        ),
        Wrong(
            _in_place,
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

EXERCISES = (SORT, BOUNDS, REPAIR, PASSES, EFFECTIVE, THAW, DILUTION, OVERFLOW, STABLE)
