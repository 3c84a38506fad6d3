"""The ledger, its tests and the sections that settle its claims agree one to one."""

import re

import yaml

from tools.paths import BOOK, ROOT

VERDICTS = {"holds", "holds if", "misleading", "false", "open"}
TOPICS = {"growth", "variance", "softmax", "gradients", "temperature", "training", "models"}
CLAIMS = yaml.safe_load((BOOK / "claims.yml").read_text())
PAGES = [*BOOK.glob("*.ipynb"), *BOOK.glob("*.md")]
SECTION = re.compile(r'<a id=\\?"((?:ch\d[a-z]?|text-[a-d])-[\w-]+)\\?"></a>')
NAMED = re.compile(r"\[Claim (\w+): ([a-z ]+)\]\(claims\.md#claim-(\w+)\)")


def sections() -> dict[str, str]:
    """Return the text of every labelled section: from its label to the next."""
    found = {}
    for page in PAGES:
        pieces = SECTION.split(page.read_text())
        found |= dict(zip(pieces[1::2], pieces[2::2], strict=True))
    return found


def test_ids_are_in_order_and_each_is_kept_by_one_row() -> None:
    told = sorted(name for claim in CLAIMS for name in (claim["id"], *claim.get("also", ())))
    assert len(set(told)) == len(told)
    ids = [claim["id"] for claim in CLAIMS]
    assert ids == sorted(ids, key=lambda name: (name[0], int(name[1:])))
    for source, most in zip("ABCD", (21, 15, 38, 61), strict=True):
        assert {f"{source}{i}" for i in range(1, most + 1)} <= set(told)


def test_rows_are_complete() -> None:
    needed = {"id", "topic", "where", "says", "verdict", "why", "section"}
    for claim in CLAIMS:
        assert needed <= set(claim) <= needed | {"headline", "also"}, claim["id"]
        assert claim["verdict"] in VERDICTS, claim["id"]
        assert claim["topic"] in TOPICS, claim["id"]
        assert claim["says"].endswith("."), claim["id"]
        assert claim["why"].endswith((".", ".)")), claim["id"]
        conditional = claim["why"].startswith("It holds if ")
        assert conditional == (claim["verdict"] == "holds if"), claim["id"]


def test_ten_rows_are_headlines() -> None:
    assert sorted(c["headline"] for c in CLAIMS if "headline" in c) == list(range(1, 11))


def test_every_row_has_its_test_and_every_test_its_row() -> None:
    for source in "ABCD":
        files = (ROOT / "tests" / "claims").glob(f"test_source_{source.lower()}*.py")
        text = "\n".join(path.read_text() for path in files)
        tested = re.findall(rf"^def test_({source.lower()}\d+)\(", text, flags=re.M)
        rows = [claim["id"].lower() for claim in CLAIMS if claim["id"][0] == source]
        assert sorted(tested) == sorted(rows)


def test_the_sections_exist() -> None:
    known = sections()
    assert [claim["id"] for claim in CLAIMS if claim["section"] not in known] == []


def test_a_link_to_a_claim_says_its_verdict() -> None:
    verdicts = {
        name: claim["verdict"]
        for claim in CLAIMS
        for name in (claim["id"], *claim.get("also", ()))
    }
    found = [link for page in PAGES for link in NAMED.findall(page.read_text())]
    assert found
    for name, verdict, anchor in found:
        assert (verdict, anchor) == (verdicts.get(name), name.lower())


def test_a_number_on_a_texts_page_is_in_one_of_its_rows() -> None:
    """Small whole numbers, as of chapters, and fractions (test_text_pages.py) excepted."""
    for source in "ABCD":
        page = (BOOK / f"text-{source.lower()}.md").read_text()
        page = re.sub(r"\$[^$]*\\frac[^$]*\$", " ", page)
        prose = re.sub(
            r"(?:\[[A-D]\d+)?\]\([^)]*\)|<[^>]*>|18 October|[Ss]tage \d|section \d",
            " ",
            page,
        )
        told = " ".join(c["says"] + c["why"] for c in CLAIMS if c["id"][0] == source)
        known = set(re.findall(r"\d+(?:\.\d+)?", told))
        stated = set(re.findall(r"\d+(?:\.\d+)?", prose)) - {str(i) for i in range(10)}
        assert {x for x in stated if not re.fullmatch(r"20\d\d", x)} <= known, source
