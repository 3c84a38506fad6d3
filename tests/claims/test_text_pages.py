"""What the pages on the four texts count and compute themselves."""

import re
from collections import Counter
from fractions import Fraction

import numpy as np
from settling import CLAIMS

from tools.paths import BOOK
from why_sqrt_d.ch6.table import PAPER
from why_sqrt_d.experiments import select, stored

VERDICTS = ("holds", "holds if", "misleading", "false", "open")


def page(name: str) -> str:
    """Return a page's text, without its marks."""
    return re.sub(r"<!--.*?-->", "", (BOOK / f"{name}.md").read_text())


def test_the_verdicts_are_counted_right() -> None:
    counts = Counter(row["verdict"] for row in CLAIMS.values())
    said = re.search(
        r"Of the (\d+) rows of .* (\d+) hold and (\d+) hold under a condition; "
        r"(\d+) are misleading, (\d+) are false and (\d+) are open\.",
        page("four-texts"),
    )
    assert said
    assert [int(x) for x in said.groups()] == [len(CLAIMS), *(counts[v] for v in VERDICTS)]
    changes = page("changelog")
    assert f"The [ledger](claims.md) has {len(CLAIMS)} rows" in changes


def test_nearly_all_of_the_ten_findings_fail() -> None:
    ten = [row["verdict"] for row in CLAIMS.values() if "headline" in row]
    assert sum(verdict in ("misleading", "false") for verdict in ten) in (8, 9)


def test_an_answer_on_the_page_is_the_verdict_of_its_row() -> None:
    answers = page("four-texts").partition("Our verdicts")[2]
    found = re.findall(r"^\d\. \*(Holds|Holds if|False)\b\.?\*.*?\(\[([A-D]\d+)\]", answers, re.M)
    assert len(found) == 5
    for verdict, claim in found:
        assert CLAIMS[claim]["verdict"] == verdict.lower()


def test_the_parts_of_the_variance_of_a_product() -> None:
    """Uniform components: mean 1/2, mean square 1/3, variance 1/12."""
    mean, square, own = Fraction(1, 2), Fraction(1, 3), Fraction(1, 12)
    assert square**2 - mean**4 == Fraction(1, 9) - Fraction(1, 16) == Fraction(7, 144)
    assert square * own == Fraction(1, 36) == Fraction(4, 144)  # of q_i²/12, the mean
    assert mean**2 * own == Fraction(3, 144)  # of Σ q_i / 2


def test_the_table_of_four_lines() -> None:
    lines = re.findall(
        r"^\| ((?:10|100|1000) tokens.*?) \| “([\d.]+)” \| “([\d.]+)” \| (\d+) \|$",
        page("text-d"),
        re.M,
    )
    assert len(lines) == 4
    for strings, old, new, ours in lines:
        tokens, length = int(strings.split()[0]), 200 if "200" in strings else 20
        rows = [r for r in PAPER if r[:2] == (tokens, length)]
        if tokens == 1000:
            rows = [r for r in rows if r[2] == 35_000]
        printed = [f"{100 * accuracy:g}" for *_, accuracy in rows]
        assert printed[:2] == [old, new]
        setting = {"vocabulary": tokens, "length": length, "samples": rows[0][2], "scale": None}
        found = select(stored("table1_rates"), learning_rate=0.003, **setting)
        assert 3 <= len(found) <= 5
        assert ours == f"{100 * min(row['test_accuracy'] for row in found):.0f}"


def test_the_searched_scale_is_shared_between_two_matrices() -> None:
    times = [scale * 20**0.5 for _, length, _, scale, _ in PAPER if scale and length == 20]
    assert min(times) > 20
    assert all(4.5 < root < 5.5 for root in np.sqrt(times))
