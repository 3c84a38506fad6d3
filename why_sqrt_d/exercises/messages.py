"""The sentences the engine itself says.

The static page says the same ones: the site's builder hands the table to its scripts
(`forms.sentences_script`).
"""

from decimal import ROUND_HALF_UP, Context, Decimal

SAY: dict[str, str] = {
    "right": "Right.",
    "blank": "No answer yet.",
    "hint": "The first hint may help.",
    # Reading a number or an array from text.
    "long": "That is longer than an answer needs to be: a number or a short expression will do.",
    "deep": "There are too many brackets or signs inside one another.",
    "ambiguous": "“{text}” can be read two ways, as {a} or as {b}: write one of these two.",
    "commas": "The commas can be read two ways: write decimals with a point, as in 1.5 2.5.",
    "slash": "A product without a sign after / can be read two ways: add brackets.",
    "root": "“^1/” can be read two ways: put the exponent in brackets, as in 2^(1/2).",
    "sides": "The two sides of the equals sign are not equal.",
    "only": "Write only the numbers, with blanks or commas between them.",
    "masked": "“--” stands for a masked entry, which has no value: fill it in.",
    "log": "“log” can be read two ways: write ln, log2 or log10.",
    "numeral": "“{text}” is not a number: use digits and one decimal point.",
    "side": "Two numbers stand side by side: put a sign between them, or leave out the space.",
    "word": "“{text}” is not understood. Numbers, + - * / ^, brackets, sqrt, exp, ln, log2, "
    "log10, tanh, pi and e are.",
    "letter": "“{text}” stands for a number here: write that number in its place.",
    "digits": "Write “{text}” in digits.",
    "range": "A range is not read: choose one number, or put a comma between two.",
    "char": "“{text}” is not understood at that place.",
    "unfinished": "That stops in the middle: something is missing at the end.",
    "bracket": "The brackets do not match.",
    "zero": "That divides by zero.",
    "real": "That is not a real number: look at the root, the power or the logarithm.",
    "huge": "That is too large to be computed as an ordinary number.",
    "nan": "nan means “not a number”: somewhere 0/0 or inf - inf was computed.",
    "inf": "The answer is finite, and yours is infinite.",
    "complex": "The answer is a real number, and yours is complex.",
    "ragged": "The rows have different lengths: {a} and {b}.",
    # Judging a number.
    "sign": "The size is right; the sign is not.",
    "percent": "That is off by a factor of 100: look at the per cent sign.",
    "near": "That is close: keep more digits, or look for a small slip.",
    "coarse": "That is right to {a}, and {b} are asked for.",
    "numbercoarse": "Number {i} is right to {a}, and {b} are asked for.",
    "entrycoarse": "The entry at index {i} is right to {a}, and {b} are asked for.",
    "positive": "The answer is positive.",
    "negative": "The answer is negative.",
    "large": "Too large.",
    "larger": "Too large, by more than a factor of ten.",
    "small": "Too small.",
    "smaller": "Too small, by more than a factor of ten.",
    # Meeting a guess, and a value that is tried.
    "guesshit": "Right. It comes out at {a}.",
    "guessclose": "Close: it comes out at {a}, and you said {b}.",
    "guesslarge": "Far: it comes out at {a}, and you said {b} times as much.",
    "guesssmall": "Far: it comes out at {a}, which is {b} times what you said.",
    "guessfar": "Far: it comes out at {a}, and you said {b}.",
    "guessright": "Right. So it comes out.",
    "guessmiss": "It comes out as in {a}, “{b}”.",
    "trialpositive": "Try a positive number.",
    "trialnear": "The page has tried {a}, the nearest number in its table.",
    "trialend": "The page has tried numbers from {a} to {b}; the notebook tries any.",
    # Python on the page.
    "pythonloads": "Loading Python …",
    "pythonnumpy": "NumPy could not be had from {a}. Try again when you are online, or run the "
    "chapter's notebook.",
    "pythonfails": "Python could not be started here ({a}). The notebook does the same.",
    "pythonruns": "Running …",
    "pythonbusy": "Python is still at work on another exercise.",
    "pythonstopped": "Stopped.",
    "pythonslow": "Stopped after {a} seconds: is there a loop that never ends?",
    # Judging an array.
    "shape": "The shape should be {a}; yours is {b}.",
    "count": "{a} asked for; {b}.",
    "counts": "no one two three four five six seven eight nine ten eleven twelve",
    "point": "Write decimals with a point.",
    "transposed": "These are the right numbers with rows and columns exchanged.",
    "shuffled": "These are the right numbers in another order.",
    "sum": "The weights should sum to 1; yours sum to {a}.",
    "rowsum": "Each row should sum to 1; row {i} of yours sums to {a}.",
    "negated": "The sizes are right, and all signs are turned.",
    "percents": "Each is 100 times too large: write per cent with its sign, as in 27 %.",
    "early": "These are the right numbers, but rounded: {b} digits are asked for.",
    "factor": "The numbers stand in the right proportion; one factor is wrong in all alike.",
    "entry": "The first entry that differs is at index {i}, where yours is {a}.",
    "entrynear": "The entry at index {i} is close: keep more digits, or look for a small slip.",
    "entrynan": "The entry at index {i} is nan, “not a number”.",
    "entryinf": "The entry at index {i} is infinite.",
    "number": "Number {i} is not right; yours is {a}.",
    "onlyentry": "Only the entry at index {i} is not right; yours is {a}.",
    "onlynumber": "Only number {i} is not right; yours is {a}.",
    "numbernear": "Number {i} is close: keep more digits, or look for a small slip.",
    "numbernan": "Number {i} is nan, “not a number”.",
    "numberinf": "Number {i} is infinite.",
    # Judging a choice or an order.
    "letters": "Answer with one of the letters {a}.",
    "once": "Use each of the letters {a} once: {b} is missing.",
    "twice": "Use each of the letters {a} once: {b} is there twice.",
    "stranger": "Use each of the letters {a} once: {b} is not one of them.",
    "signs": "Write only the letters, in your order, as in “BAC”.",
    "needs": "{a} stands before {b}, but {c}",
    "notfirst": "Step {a} does not come first.",
    "notnext": "The order holds up to step {a}; step {b} does not come next.",
}


def say(key: str, **fields: object) -> str:
    """Return the engine's sentence `key` with its blanks filled."""
    text = SAY[key]
    for name, value in fields.items():
        text = text.replace("{" + name + "}", str(value))
    return text


def with_hint(sentence: str) -> str:
    """End a sentence that does not know the mistake; an exercise puts its first hint there."""
    return f"{sentence} {SAY['hint']}"


_FOUR = Context(prec=4, rounding=ROUND_HALF_UP)


def four(x: float) -> str:
    """Write `x` to four significant digits, as the page's JavaScript does."""
    if x != x or x in (float("inf"), float("-inf")):
        return {True: "nan"}.get(x != x, "inf" if x > 0 else "-inf")
    if x == 0:
        return "0"
    # Ties go away from zero, as in JavaScript's toPrecision; Python's own format goes to even.
    digits, exponent = f"{_FOUR.plus(Decimal(x)):e}".lower().split("e")
    power = int(exponent)
    if -5 <= power < 7:
        text = f"{Decimal(digits).scaleb(power):f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    mantissa = digits.rstrip("0").rstrip(".") if "." in digits else digits
    return f"{mantissa}e{power}"


def shape_text(shape: tuple[int, ...]) -> str:
    """Write a shape as Python does: `(3,)`, `(2, 3)`."""
    return f"({shape[0]},)" if len(shape) == 1 else "(" + ", ".join(map(str, shape)) + ")"


def one_line(text: str, limit: int = 400) -> str:
    """Make any text one printable line of at most `limit` characters."""
    words = " ".join(text[: 4 * limit].split())
    clean = "".join(c if c.isprintable() else "�" for c in words)
    return clean if len(clean) <= limit else clean[: limit - 1] + "…"
