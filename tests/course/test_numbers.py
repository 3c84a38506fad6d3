"""Named results: what a notebook shows for its prose."""

from fractions import Fraction
from typing import Any

import nbformat
import numpy as np
import pytest
from IPython.testing.globalipapp import start_ipython

from tools.marks import filled, results
from why_sqrt_d import notebook


@pytest.fixture
def displayed(monkeypatch: pytest.MonkeyPatch) -> list[tuple[dict[str, str], dict[str, Any]]]:
    """What is displayed in a notebook: bundles and their metadata."""
    start_ipython()
    shown: list[tuple[dict[str, str], dict[str, Any]]] = []
    monkeypatch.setattr(
        "IPython.display.display", lambda bundle, raw, metadata: shown.append((bundle, metadata))
    )
    return shown


def test_results_are_shown_with_ten_digits(displayed: list) -> None:
    notebook.numbers(
        a=0.1 + 0.2, b=np.float64(2) / 3, c=np.float32(0.5), d=np.int64(7), e=1e-300, f=True
    )
    notebook.numbers(third=Fraction(1, 3), text="to the last bit")
    one, two = (bundle["text/plain"].splitlines() for bundle, _ in displayed)
    assert one == ["a = 0.3", "b = 0.6666666667", "c = 0.5", "d = 7", "e = 1e-300", "f = 1"]
    assert two == ["third = 0.3333333333", "text = to the last bit"]
    with pytest.raises(TypeError, match="broken must be a number or text, got ndarray"):
        notebook.numbers(broken=np.ones(2))


def test_what_a_cell_shows_is_what_the_prose_gets(displayed: list) -> None:
    notebook.numbers(share=0.25, fall=-1.5, runs="1, 2 and 3")
    [(bundle, metadata)] = displayed
    output = nbformat.v4.new_output("display_data", bundle, metadata=metadata)
    cells = [nbformat.v4.new_code_cell("", outputs=[output])]
    computed = results(nbformat.v4.new_notebook(cells=cells))
    assert computed == {"share": 0.25, "fall": -1.5, "runs": "1, 2 and 3"}
    text = "?<!-- =share:.1f -->, 9<!-- =fall:+.2f --> in ?<!-- =runs -->, 7<!-- said a -->"
    once = filled(text, computed)
    assert once == (
        "0.2<!-- =share:.1f -->, −1.50<!-- =fall:+.2f --> "
        "in <!--=-->1, 2 and 3<!-- =runs -->, 7<!-- said a -->"
    )
    assert filled(once, computed) == once


def test_a_mark_without_a_result_or_a_value_is_an_error() -> None:
    with pytest.raises(KeyError, match="no cell computes what '1<!-- =none -->' asks for"):
        filled("1<!-- =none -->", {"one": 1})
    with pytest.raises(ValueError, match=r"no value before them: .*eighty<!-- =one"):
        filled("eighty<!-- =one -->", {"one": 1})


def test_a_table_is_aligned_text_and_markdown(displayed: list) -> None:
    notebook.table(["β", "right"], [["1/√d", "17 %"], ["6.55", "72 %"]])
    [(bundle, _)] = displayed
    assert bundle["text/plain"] == "β     right\n1/√d  17 %\n6.55  72 %"
    assert bundle["text/markdown"].splitlines() == [
        "| β | right |",
        "| --- | --- |",
        "| 1/√d | 17 % |",
        "| 6.55 | 72 % |",
    ]
    for row in (["1"], ["a|b", "c"], ["a", "b\nc"]):
        with pytest.raises(ValueError):  # noqa: PT011  (too short; would break the Markdown)
            notebook.table(["one", "two"], [row])
