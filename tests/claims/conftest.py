"""What every claim's test uses: the fixture that settles its row, and the tuned heads."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator

import numpy as np
import pytest
import yaml
from learning_curves import ends

from tools.paths import BOOK
from why_sqrt_d.rows import stored

SMALL = "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
SMALL += " sixteen seventeen eighteen nineteen twenty"
WORDS = {word: float(count) for count, word in enumerate(SMALL.split(), 2)}
WORDS |= {
    "thirty": 30.0,
    "forty": 40.0,
    "fifty": 50.0,
    "hundred": 100.0,
    "half": 0.5,
    "twice": 2.0,
}
# "one" is mostly a pronoun; formulas, names (GPT-2, float64, 27B) and years are not results.
NO_RESULT = re.compile(
    r"\$[^$]*\$|`[^`]*`|\b[A-Za-z]+-\d[\w.]*|\b[A-Za-z]+\d\w*|\b\d+B\b"
    r"|\b(?:Llama|LLaMA|Gemma|Granite) \d\w*"
)
DIGITS = r"(?<![\w.-])[-−]?(?!20[12]\d\b)\d+(?:[ ]\d{3})*(?:\.\d+)?"
# What a reason says besides: formulas, which way, how many, which size.
SAID = re.compile(
    r"\$[^$]+\$|\b\d+B\b|\b(?:all|every|most|none|never|always|more|less|fewer|above|below"
    r"|(?:larg|small|long|short|low|high|lat|earli|wid)er|better|worse|evenly|uneven|nothing"
    r"|grows?|shrinks?|falls?|rises?|widens|exceeds?|opposite)\b",
    re.I,
)
NAME = re.compile(r"\$(?:\\?[a-zA-Z]+|\w_\w)\$")  # of a number or a matrix
NUMBER = re.compile(rf"(?<![\w.-])(?:{'|'.join(WORDS)})(?!\w)|{DIGITS}", re.I)
# Which of two things: whoever swaps these turns a result around, and every number stays.
SIDE = re.compile(
    r"\bwithout\b|\bundivided\b|\bkeeps? (?:it|the)\b|\bloses? the\b|\$W_[qkv]\$", re.I
)


def numbers_in(text: str) -> list[tuple[float, int]]:
    """Return the numbers of a sentence, in digits or words, and their decimals; no formulas'."""
    found = []
    for said in NUMBER.findall(NO_RESULT.sub(" ", text)):
        value = WORDS.get(said.lower())
        value = float(said.replace(" ", "").replace("−", "-")) if value is None else value
        found.append((value, 1 if value == 0.5 else len(said.partition(".")[2])))
    return found


def said_in(text: str) -> list[str]:
    """Return what `SAID` finds in a sentence, in small letters and without blanks; no `NAME`."""
    found = (said for said in SAID.findall(text) if not NAME.fullmatch(said))
    return ["".join(said.split()).lower() for said in found]


@pytest.fixture(scope="session")
def claims() -> dict[str, dict]:
    """The ledger's rows by their ids."""
    return {row["id"]: row for row in yaml.safe_load((BOOK / "claims.yml").read_text("utf-8"))}


@pytest.fixture
def settle(request: pytest.FixtureRequest, claims: dict[str, dict]) -> Iterator[Callable]:
    """Compare the row of the test's name with a verdict and with all numbers of its reason.

    The verdict is a word, or a pair: is it so where the row's condition is met, and where not?
    The numbers come in order, unrounded: the row says with how many decimals. Strings among them
    are what `said_in` returns, in order, in one string or several. `sides` are the phrases around
    each `SIDE`, with # for a number; the test puts the words in by what it finds.
    """
    row, compared = claims[request.node.name.removeprefix("test_").upper()], []

    def compare(
        verdict: str | tuple[bool, bool], *given: float | str, sides: Iterable[str] = ()
    ) -> None:
        if isinstance(verdict, tuple):
            met, otherwise = verdict
            verdict = "false" if not met else "holds" if otherwise else "holds if"
        assert row["verdict"] == verdict, f"{row['id']}: computed is {verdict!r}"
        words = " ".join(x for x in given if isinstance(x, str))
        assert said_in(row["why"]) == said_in(words)
        numbers = [x for x in given if not isinstance(x, str)]
        told = numbers_in(row["why"])
        assert len(told) == len(numbers), f"{told}, {numbers}"
        for (said, decimals), number in zip(told, numbers, strict=True):
            assert abs(said - number) <= 0.5 * 10**-decimals + 1e-9, f"{told}, {numbers}"
        rest = row["why"]
        for side in sides:
            phrase = re.escape(side).replace(r"\#", f"(?:{NUMBER.pattern})")
            rest, found = re.subn(phrase, "", rest, flags=re.I)
            assert found == 1, f"{side!r} is not in {rest!r}"
        assert SIDE.findall(rest) == [], f"no phrase has these sides of {rest!r}"
        compared.append(row)

    yield compare
    assert compared


@pytest.fixture(scope="session")
def heads() -> dict[tuple[int, str, float], list[dict]]:
    """Each stored head at the rate at which the others end best, by width, optimiser and p."""
    found: dict[tuple, dict[float, list[dict]]] = defaultdict(lambda: defaultdict(list))
    for row in stored("scaling_ablation"):
        found[row["d"], row["optimiser"], row["power"]][row["rate"]].append(row)
    return {
        setting: [
            min(rates.values(), key=lambda rows: np.median(ends(rows[:seed] + rows[seed + 1 :])))[
                seed
            ]
            for seed in range(10)
        ]
        for setting, rates in found.items()
    }
