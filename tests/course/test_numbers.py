"""Named results: what a notebook shows for its prose."""

from typing import Any

import nbformat
import numpy as np
import pytest
from IPython.testing.globalipapp import start_ipython

from tools.marks import filled, results
from why_sqrt_d import notebook


def test_what_a_cell_shows_is_what_the_prose_gets(monkeypatch: pytest.MonkeyPatch) -> None:
    start_ipython()
    shown: list[tuple[dict[str, str], dict[str, Any]]] = []
    monkeypatch.setattr(
        "IPython.display.display", lambda bundle, raw, metadata: shown.append((bundle, metadata))
    )
    notebook.numbers(share=np.float32(0.25), fall=-1.5, runs="1, 2 and 3")
    [(bundle, metadata)] = shown
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
    with pytest.raises(TypeError, match="broken must be a number or text, got ndarray"):
        notebook.numbers(broken=np.ones(2))


def test_a_table_says_of_each_thing_what_its_columns_do(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notebook, "in_notebook", lambda: False)
    columns = [("mean", lambda x: f"{x.mean():.1f}"), ("mean", lambda x: f"{x.mean():.0%}")]
    notebook.table_of({"few": np.ones(2), "none": np.zeros(3)}, columns, first="row")
    assert capsys.readouterr().out.splitlines() == [
        "row   mean  mean",
        "few   1.0   100%",
        "none  0.0   0%",
    ]


def test_a_mark_without_a_result_or_a_value_is_an_error() -> None:
    with pytest.raises(KeyError, match="no cell computes what '1<!-- =none -->' asks for"):
        filled("1<!-- =none -->", {"one": 1})
    with pytest.raises(ValueError, match=r"no value before them: .*eighty<!-- =one"):
        filled("eighty<!-- =one -->", {"one": 1})


def test_a_bound_is_rounded_to_its_side_and_a_number_is_read_whole() -> None:
    computed = {"error": 0.00437, "fall": -0.541, "keys": 16384}
    marked = {
        "0.005<!-- =error:≤.3f -->": "?<!-- =error:≤.3f -->",
        "0.004<!-- =error:≥.3f -->": "?<!-- =error:≥.3f -->",
        "−0.54<!-- =fall:≤.2f -->": "-0.5<!-- =fall:≤.2f -->",
        "−0.55<!-- =fall:≥.2f -->": "−7<!-- =fall:≥.2f -->",
        "16 384<!-- =keys:,d -->": "5 120 384<!-- =keys:,d -->",
        "among 16384<!-- =keys:d -->": "among 16 383<!-- =keys:d -->",
    }
    for right, before in marked.items():
        assert filled(before, computed) == right == filled(right, computed)
