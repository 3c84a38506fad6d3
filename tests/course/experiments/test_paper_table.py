"""The paper's table beside stored runs."""

import pytest

from why_sqrt_d.ch6.table import STATED, paper_rows, table_rows


def run(settings, accuracy, seed=0):
    return {**settings, "seed": seed, "test_accuracy": accuracy}


def test_thirteen_numbers_as_printed():
    assert len(STATED) == len(table_rows()) == 13
    assert STATED.count(0.1856) == 2
    assert STATED[-1] - STATED[-2] == pytest.approx(0.0024)


def test_rows_without_runs_are_left_out_and_the_order_is_the_papers():
    settings = table_rows()
    rows = paper_rows([run(settings[3], 0.9), run(settings[1], 0.5), run(settings[1], 0.7, 1)])
    assert [row.settings for row in rows] == [settings[1], settings[3]]
    assert [row.stated for row in rows] == [0.96, 1.0]
    assert rows[0].accuracies == [0.5, 0.7]
    assert rows[0].measured.n == 2


@pytest.mark.parametrize(
    ("accuracies", "verdict"),
    [((0.5, 0.7), "above"), ((0.9, 0.97), "within"), ((0.97, 0.99), "below"), ((0.96,), "within")],
)
def test_the_papers_number_among_the_seeds(accuracies, verdict):
    settings = table_rows()[1]
    [row] = paper_rows([run(settings, a, seed) for seed, a in enumerate(accuracies)])
    assert row.stated == 0.96
    assert row.verdict == verdict
