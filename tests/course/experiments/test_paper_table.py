"""The paper's table beside stored runs."""

import pytest

from why_sqrt_d.ch6.table import PAPER, paper_rows, table_rows


def test_the_numbers_are_as_printed():
    stated = [row[-1] for row in PAPER]
    assert len(stated) == 13
    assert sum(row["scale"] is None for row in table_rows()) == 6
    assert stated.count(0.1856) == 2
    assert stated[-1] - stated[-2] == pytest.approx(0.0024)


@pytest.mark.parametrize(
    ("accuracies", "lower"),
    [((0.5, 0.7), 2), ((0.9, 0.97), 1), ((0.97, 0.99), 0), ((0.96,), 0)],
)
def test_each_row_has_its_runs_and_the_papers_number_among_them(accuracies, lower):
    settings = table_rows()
    runs = [{**one, "seed": 0, "test_accuracy": 0.25} for one in settings[:1] + settings[2:]]
    runs += [
        {**settings[1], "seed": seed, "test_accuracy": x} for seed, x in enumerate(accuracies)
    ]
    rows = paper_rows(runs)
    assert [row.settings for row in rows] == settings
    assert [row.stated for row in rows] == [row[-1] for row in PAPER]
    assert rows[1].accuracies == list(accuracies)
    assert rows[1].measured.n == len(accuracies)
    assert rows[1].lower == lower


def test_a_row_without_runs_is_named():
    with pytest.raises(KeyError, match=r"vocabulary = 100, length = 20, .* scale = None"):
        paper_rows([])
