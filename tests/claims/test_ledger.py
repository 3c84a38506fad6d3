"""The ledger, its tests, the sections that settle its claims and the pages on the texts agree."""

import re
from collections import Counter

import numpy as np
import pytest

from tools.paths import BOOK, ROOT
from why_sqrt_d.ch7.table import PAPER
from why_sqrt_d.rows import select, stored

VERDICTS = ("holds", "holds if", "misleading", "false", "open")
SECTION = re.compile(r'<a id=\\?"((?:ch\d[a-z]?|text-[a-d])-[\w-]+)\\?"></a>')


def page(name: str) -> str:
    """Return a page's text, without its marks."""
    return re.sub(r"<!--.*?-->", "", (BOOK / f"{name}.md").read_text())


def test_ids_are_in_order_and_each_is_kept_by_one_row(claims):
    told = sorted(
        name for claim in claims.values() for name in (claim["id"], *claim.get("also", ()))
    )
    assert len(set(told)) == len(told)
    assert list(claims) == sorted(claims, key=lambda name: (name[0], int(name[1:])))
    for source, most in zip("ABCD", (21, 15, 38, 61), strict=True):
        assert {f"{source}{i}" for i in range(1, most + 1)} <= set(told)


def test_rows_are_complete(claims):
    needed = {"id", "topic", "where", "says", "verdict", "why", "section"}
    for name, claim in claims.items():
        assert needed <= set(claim) <= needed | {"headline", "also"}, name
        assert claim["why"].startswith("It holds if ") == (claim["verdict"] == "holds if"), name
        assert ("would settle it" in claim["why"]) == (claim["verdict"] == "open"), name
    ranks = sorted(claim["headline"] for claim in claims.values() if "headline" in claim)
    assert ranks == list(range(1, 11))


def test_every_row_has_its_test_or_is_read(claims):
    text = "\n".join(path.read_text() for path in (ROOT / "tests/claims").glob("test_source_*.py"))
    tested = [name.upper() for name in re.findall(r"^def test_([a-d]\d+)\(", text, flags=re.M)]
    read = [name for name, claim in claims.items() if claim["why"].startswith("By reading")]
    assert sorted(tested + read) == sorted(claims)


def test_the_sections_exist(claims):
    known = {
        label
        for path in (*BOOK.glob("*.ipynb"), *BOOK.glob("*.md"))
        for label in SECTION.findall(path.read_text())
    }
    assert {claim["section"] for claim in claims.values()} <= known


@pytest.mark.parametrize("source", "ABCD")
def test_a_number_on_a_texts_page_is_in_one_of_its_rows(claims, source):
    """Small whole numbers, as of chapters, years and fractions excepted."""
    prose = re.sub(r"\$[^$]*\\frac[^$]*\$", " ", page(f"text-{source.lower()}"))
    prose = re.sub(r"(?:\[[A-D]\d+)?\]\([^)]*\)|<[^>]*>|18 October|section \d", " ", prose)
    told = " ".join(c["says"] + c["why"] for c in claims.values() if c["id"][0] == source)
    stated = set(re.findall(r"\d+(?:\.\d+)?", prose)) - set(re.findall(r"\d+(?:\.\d+)?", told))
    assert {x for x in stated if not re.fullmatch(r"20\d\d|\d", x)} == set()


def test_the_verdicts_are_counted_right(claims):
    counts = Counter(row["verdict"] for row in claims.values())
    said = re.search(
        r"Of the (\d+) rows of .* (\d+) hold and (\d+) hold under a condition; "
        r"(\d+) are misleading, (\d+) are false and (\d+) are open\.",
        page("four-texts"),
    )
    assert said
    assert [int(x) for x in said.groups()] == [len(claims), *(counts[v] for v in VERDICTS)]


def test_an_answer_on_the_page_is_the_verdict_of_its_row(claims):
    answers = page("four-texts").partition("Our verdicts")[2]
    found = re.findall(r"^\d\. \*(Holds|Holds if|False)\b\.?\*.*?\(\[([A-D]\d+)\]", answers, re.M)
    assert len(found) == 5
    for verdict, claim in found:
        assert claims[claim]["verdict"] == verdict.lower()


def test_the_table_of_four_lines():
    lines = re.findall(
        r"^\| ((?:10|100|1000) tokens.*?) \| “([\d.]+)” \| “([\d.]+)” \| (\d+) \|$",
        page("text-d"),
        re.M,
    )
    assert len(lines) == 4
    for strings, old, new, ours in lines:
        tokens, length = int(strings.split()[0]), 200 if "200" in strings else 20
        rows = [
            r for r in PAPER if r[:2] == (tokens, length) and (tokens < 1000 or r[2] == 35_000)
        ]
        printed = [f"{100 * accuracy:g}" for *_, accuracy in rows]
        assert printed[:2] == [old, new]
        setting = {"vocabulary": tokens, "length": length, "samples": rows[0][2], "scale": None}
        found = select(stored("table1_rates"), learning_rate=0.003, **setting)
        assert ours == f"{100 * min(row['test_accuracy'] for row in found):.0f}"


def test_the_searched_scale_is_shared_between_two_matrices():
    """As the page on text D says: as factors, from 20 on, that is about five for each."""
    times = [scale * 20**0.5 for _, length, _, scale, _ in PAPER if scale and length == 20]
    assert min(times) > 20
    assert all(4.5 < root < 5.5 for root in np.sqrt(times))
