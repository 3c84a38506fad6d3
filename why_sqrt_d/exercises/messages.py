"""The sentences the engine itself says.

The static page says the same ones: the site's builder hands the table to its scripts
(`forms.sentences_script`).
"""

import math

SAY: dict[str, str] = {
    "right": "Right.",
    "blank": "No answer yet.",
    # Reading what was typed.
    "long": "That is longer than an answer needs to be: a number or a short expression will do.",
    "root": "“^1/” can be read two ways: put the exponent in brackets, as in 2^(1/2).",
    "rise": "A rise in per cent can be read two ways: for +50 % write 0.5 or 1.5.",
    "log": "“log” can be read two ways: write ln, log2 or log10.",
    # Judging a number.
    "percent": "That is off by a factor of 100: look at the per cent sign.",
    "near": "That is close: keep more digits, or look for a small slip.",
    "positive": "The answer is positive.",
    "large": "Too large.",
    "small": "Too small.",
    # Meeting a guess.
    "guesshit": "Right. It comes out at {a}.",
    "guessfar": "It comes out at {a}, and you said {b}.",
    "guessright": "Right. So it comes out.",
    "guessmiss": "It comes out as in {a}, “{b}”.",
    # Judging several numbers.
    "shuffled": "These are the right numbers in another order.",
    "sum": "The weights should sum to 1; yours sum to {a}.",
    "percents": "Each is 100 times too large: write per cent with its sign, as in 27 %.",
    "factor": "The numbers stand in the right proportion; one factor is wrong in all alike.",
    "count": "Numbers asked for: {a}; yours: {b}.",
    "entry": "Look at number {i}. {a}",
    "line": "It is not line {a}: put numbers into each line, from the first on.",
    # Judging a choice or an order.
    "letters": "Answer with one of the letters {a}.",
    "once": "Write each of the letters {a} once, in your order.",
    "missing": "{b} is missing.",
    "twice": "{b} is there twice.",
    "needs": "{a} stands before {b}, but {c}",
}


def say(key: str, **fields: object) -> str:
    """Return the engine's sentence `key` with its blanks filled."""
    return SAY[key].format(**fields)


def four(x: float) -> str:
    """Write `x` to four significant digits, as the page's JavaScript does."""
    if not math.isfinite(x):
        return str(float(x))
    digits, _, exponent = f"{x + 0.0:.3e}".partition("e")
    power = int(exponent)
    if -5 <= power < 7:
        text = f"{float(f'{x:.3e}') + 0.0:.{max(0, 3 - power)}f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    return f"{digits.rstrip('0').rstrip('.')}e{power}"


def one_line(text: str, limit: int = 400) -> str:
    """Make any text one printable line of at most `limit` characters."""
    words = " ".join(text[: 4 * limit].split())
    clean = "".join(c if c.isprintable() else "�" for c in words)
    return clean if len(clean) <= limit else clean[: limit - 1] + "…"
