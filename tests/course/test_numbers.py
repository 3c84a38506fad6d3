"""Named results: what a notebook shows for its prose."""

from fractions import Fraction

import nbformat
import numpy as np
import pytest
from IPython.testing.globalipapp import start_ipython

from tools.marks import filled, results
from why_sqrt_d import notebook


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.1 + 0.2, "0.3"),
        (np.float64(2) / 3, "0.6666666667"),
        (np.float32(0.5), "0.5"),
        (np.int64(7), "7"),
        (Fraction(1, 3), "0.3333333333"),
        (1e-300, "1e-300"),
        (True, "1"),
        ("to the last bit", "to the last bit"),
    ],
)
def test_results_are_shown_with_ten_digits(
    value: object, shown: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.setattr(notebook, "display_bundle", lambda *_: False)
    notebook.numbers(result=value, other=2)
    assert capsys.readouterr().out == f"result = {shown}\nother = 2\n"


@pytest.mark.parametrize("bad", [None, [1.0], np.ones(2), 1j])
def test_other_things_are_refused_by_name(bad: object) -> None:
    with pytest.raises(
        TypeError, match=f"broken must be a number or text, got {type(bad).__name__}"
    ):
        notebook.numbers(broken=bad)


def test_what_a_cell_shows_is_what_the_prose_gets(monkeypatch: pytest.MonkeyPatch) -> None:
    start_ipython()
    shown: list = []
    monkeypatch.setattr("IPython.display.display", lambda *a, **k: shown.append((a, k)))
    notebook.numbers(share=0.25, fall=-1.5, runs="1, 2 and 3")
    [((bundle,), options)] = shown
    output = nbformat.v4.new_output("display_data", bundle, metadata=options["metadata"])
    cells = [nbformat.v4.new_code_cell("", outputs=[output])]
    computed = results(nbformat.v4.new_notebook(cells=cells))
    assert computed == {"share": 0.25, "fall": -1.5, "runs": "1, 2 and 3"}
    text = "?<!-- =share:.1f -->, 9<!-- =fall:.2f --> in ?<!-- =runs -->, 7<!-- said a -->"
    assert filled(text, computed) == (
        "0.2<!-- =share:.1f -->, −1.50<!-- =fall:.2f --> "
        "in <!--=-->1, 2 and 3<!-- =runs -->, 7<!-- said a -->"
    )


def test_filling_twice_changes_nothing() -> None:
    computed = {"runs": "1, 2 and 3", "small": 6e-07, "gain": 6.4}
    once = filled("?<!-- =runs --> (?<!-- =small -->; ?<!-- =gain:+.1f -->)", computed)
    assert once == (
        "<!--=-->1, 2 and 3<!-- =runs --> (6e-07<!-- =small -->; +6.4<!-- =gain:+.1f -->)"
    )
    assert filled(once, computed) == once


def test_a_mark_without_a_result_or_a_value_is_an_error() -> None:
    with pytest.raises(KeyError, match="no cell computes what '1<!-- =none -->' asks for"):
        filled("1<!-- =none -->", {"one": 1})
    with pytest.raises(ValueError, match=r"no value before them: .*eighty<!-- =one"):
        filled("eighty<!-- =one -->", {"one": 1})


def test_a_table_is_aligned_text_and_markdown(monkeypatch: pytest.MonkeyPatch) -> None:
    start_ipython()
    shown: list = []
    monkeypatch.setattr("IPython.display.display", lambda *a, **k: shown.append((a, k)))
    notebook.table(["β", "right"], [["1/√d", "17 %"], ["6.55", "72 %"]])
    [((bundle,), options)] = shown
    assert options == {"raw": True, "metadata": {}}
    assert bundle["text/plain"].splitlines() == ["β     right", "1/√d  17 %", "6.55  72 %"]
    assert bundle["text/markdown"].splitlines() == [
        "| β | right |",
        "| --- | --- |",
        "| 1/√d | 17 % |",
        "| 6.55 | 72 % |",
    ]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([["1", "2"], ["3"]], "row 1 has 1 cells, the head has 2"),
        ([["a|b", "c"]], "neither a vertical bar nor a line break: 'a|b'"),
        ([["a", "b\nc"]], "neither a vertical bar nor a line break"),
    ],
)
def test_a_table_that_cannot_be_one_is_refused(rows: list, message: str) -> None:
    with pytest.raises(ValueError, match=message.replace("|", "[|]")):
        notebook.table(["one", "two"], rows)
