"""Bind a row of the ledger to what its test has computed."""

import re
from pathlib import Path

import yaml

LEDGER = Path(__file__).resolve().parents[2] / "book" / "claims.yml"
CLAIMS = {row["id"]: row for row in yaml.safe_load(LEDGER.read_text(encoding="utf-8"))}
TO_TWENTY = [
    *("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen"),
    *("nineteen", "twenty"),
]
WORDS = [*TO_TWENTY[2:], "thirty", "forty", "fifty", "sixty", "hundred", "half", "twice"]
NO_RESULT = re.compile(
    r"\$[^$]*\$|`[^`]*`|\b[A-Za-z]+-\d[\w.]*|\b[A-Za-z]+\d\w*|\b\d+B\b"
    r"|\b(?:Llama|LLaMA|Gemma|Granite) \d\w*"
)
# "one" is mostly a pronoun; formulas, names (GPT-2, float64, 27B) and years are not results.
SPELLED = rf"(?<![\w.-])(?:{'|'.join(WORDS)})(?!\w)"
DIGITS = r"(?<![\w.])(?!(?:19|20)\d\d\b)\d+(?:[ ]\d{3})*(?:\.\d+)?"
NUMBER = re.compile(f"{SPELLED}|{DIGITS}", re.I)
settled: set[str] = set()


def numbers_in(text: str) -> list[str]:
    """Return the numbers of a sentence, digits or words, in order; those in formulas excepted."""
    plain = NO_RESULT.sub(" ", text)
    return [found.lower() for found in NUMBER.findall(plain)]


def settle(claim: str, verdict: str, *numbers: object) -> None:
    """Compare a row's verdict and, in order, all numbers of its reason with computed ones."""
    row = CLAIMS[claim]
    assert row["verdict"] == verdict, f"{claim} says {row['verdict']!r}, computed is {verdict!r}"
    computed = [str(number) for number in numbers]
    assert numbers_in(row["why"]) == computed, f"{claim}: {numbers_in(row['why'])}, {computed}"
    settled.add(claim)


def word(count: int) -> str:
    """Return a count as the ledger writes it: a word up to twenty."""
    return TO_TWENTY[count] if count <= 20 else thousands(count)


def thousands(count: int) -> str:
    """Return a count in digits, those of five and more in groups."""
    return f"{count:,}".replace(",", " ") if count > 9999 else str(count)
