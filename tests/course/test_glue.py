"""Named results: what a notebook stores for its prose."""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell

from why_sqrt_d import notebook


@pytest.fixture
def published(monkeypatch: pytest.MonkeyPatch) -> list:
    """Collect what would be displayed."""
    found: list = []
    monkeypatch.setattr(notebook, "_publish", lambda name, text: found.append((name, text)))
    return found


@pytest.fixture
def shell() -> Iterator[None]:
    """An IPython to display in; nothing of it stays."""
    running = InteractiveShell.instance()
    yield
    running.restore_sys_module_state()
    InteractiveShell.clear_instance()


@pytest.mark.parametrize(
    ("value", "stored"),
    [
        (0.1 + 0.2, "0.3"),
        (np.float64(2) / 3, "0.6666666667"),
        (np.float32(0.5), "0.5"),
        (np.int64(7), "7"),
        (Fraction(1, 3), "0.3333333333"),
        (1e-300, "1e-300"),
        (True, "1"),
        ("to the last bit", "'to the last bit'"),
    ],
)
def test_results_are_stored_as_plain_python(published: list, value: object, stored: str) -> None:
    notebook.numbers(result=value)
    assert published == [("result", stored)]


def test_results_are_printed_too(published: list, capsys: pytest.CaptureFixture) -> None:
    notebook.numbers(one=1, word="two")
    assert capsys.readouterr().out == "one = 1\nword = two\n"


@pytest.mark.parametrize("bad", [None, [1.0], np.ones(2), 1j])
def test_other_things_are_refused_by_name(published: list, bad: object) -> None:
    with pytest.raises(
        TypeError, match=f"broken must be a number or text, got {type(bad).__name__}"
    ):
        notebook.numbers(broken=bad)
    assert published == []


@pytest.mark.usefixtures("shell")
def test_the_record_is_the_one_that_myst_nb_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same display call, argument for argument, as MyST-NB's own glue makes."""
    from myst_nb import glue as original

    ours, theirs = [], []
    monkeypatch.setattr("IPython.display.display", lambda *a, **k: ours.append((a, k)))
    monkeypatch.setattr("myst_nb.ext.glue.ipy_display", lambda *a, **k: theirs.append((a, k)))
    notebook.numbers(answer=0.25)
    original("answer", 0.25, display=False)
    assert ours == theirs


@pytest.mark.usefixtures("shell")
def test_a_table_is_aligned_text_and_markdown(monkeypatch: pytest.MonkeyPatch) -> None:
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
