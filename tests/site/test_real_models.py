"""The table of real models and the rules that run: they name one another and agree."""

import re
import sys
from pathlib import Path

import pytest
import yaml

import attn_helpers as ah
from tools.paths import BOOK

sys.path.insert(0, str(BOOK / "_ext"))
from course_site.model_table import KINDS, read_models

ROWS = read_models(BOOK.parent)
BIB = set(re.findall(r"^@\w+\{([\w-]+),", (BOOK / "references.bib").read_text(), flags=re.M))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["model"])
def test_row_is_complete(row: dict) -> None:
    assert {"model", "kind", "formula", "where"} <= set(row)
    assert set(row) <= {"model", "kind", "formula", "where", "rule", "paper"}
    assert row["kind"] in KINDS
    assert row.get("paper", "vaswani2017") in BIB
    assert row.get("rule", "GPT-2") in ah.models.REAL_MODELS
    assert "paper" in row or "paper" not in row["where"]
    # A place in code names a repository at a commit, or Hugging Face's, for which one is named.
    if ":" in row["where"]:
        assert "@" in row["where"] or row["where"].startswith("HF "), row["where"]


def test_names_are_unique_and_every_rule_has_a_row() -> None:
    names = [row["model"] for row in ROWS]
    assert len(set(names)) == len(names)
    rules = [row["rule"] for row in ROWS if "rule" in row]
    assert sorted(rules) == sorted(ah.models.REAL_MODELS)


@pytest.mark.parametrize("row", [r for r in ROWS if "rule" in r], ids=lambda row: row["model"])
def test_kind_is_that_of_the_rule(row: dict) -> None:
    d, rule = ah.models.REAL_MODELS[row["rule"]]
    textbook = rule == ah.AttentionRule()
    assert textbook == (row["kind"] == "root")
    assert (row["kind"] == "norm") == (rule.norm is not None and "learned" not in row["kind"])
    if row["kind"] == "cap":
        assert rule.transform is not None or rule.sink is not None
    if row["kind"] == "length":
        assert rule.scale(d, 2**20) > 1.3 * d**-0.5


def test_the_data_are_plain_yaml_without_duplicates() -> None:
    text = (BOOK / "real-models.yml").read_text()
    assert yaml.safe_load(text) == ROWS
    assert Path(BOOK / "real-models.yml").stat().st_size < 20_000
