"""What is counted in the table's rows, on rows made by hand."""

import pytest

from why_sqrt_d.ch7.table import PAPER, TableRow, paper_rows, root_factor, successes, table_rows


def test_a_row_of_the_table_takes_its_own_runs_and_no_others() -> None:
    runs = [
        {**settings, "seed": seed, "test_accuracy": number / 100 + seed / 1000}
        for number, settings in enumerate(table_rows())
        for seed in (0, 1)
    ]
    found = paper_rows(runs[::-1])
    for number, (row, paper) in enumerate(zip(found, PAPER, strict=True)):
        assert row.accuracies == [number / 100 + 1 / 1000, number / 100]
        assert (row.settings["vocabulary"], row.settings["samples"]) == (paper[0], paper[2])
        assert row.stated == paper[-1]
        assert row.searched == (row.settings["scale"] is not None)
    assert sum(row.searched for row in found) == 7
    with pytest.raises(KeyError, match="no stored row has vocabulary = 100"):
        paper_rows(runs[2:])


def test_ranks_count_ties_as_one_half() -> None:
    row = TableRow({"scale": None}, 0.5, [0.5, 0.2, 0.4, 0.5, 0.9])
    assert (row.lower, row.higher) == (2, 1 + 2 / 2)
    assert successes([0.949, 0.95, 0.951, 1.0]) == 2


def test_the_factor_on_both_matrices_makes_the_papers_scale_of_the_textbooks() -> None:
    for tokens, beta in ((10, 6.55), (100, 5.0)):
        factor = root_factor({"vocabulary": tokens, "length": 20})
        assert factor**2 / 20**0.5 == pytest.approx(beta, rel=1e-6)
