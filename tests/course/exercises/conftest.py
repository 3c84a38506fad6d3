"""Fixtures of the exercise tests: the demos registered, a page that judges and reads."""

from pathlib import Path

import demo
import pytest

from why_sqrt_d.exercises.forms import sentences_script

ASSETS = Path(__file__).resolve().parents[3] / "book" / "assets" / "exercises"


# By module, so that no other test sees the demos among the exercises.
@pytest.fixture(scope="module", autouse=True)
def demos():
    with demo.added():
        yield demo.EXERCISES


@pytest.fixture
def page(browser):
    """An empty page with the scripts that read and judge."""
    opened = browser.new_page()
    opened.add_script_tag(content=sentences_script())
    for name in ("grammar", "judging"):
        opened.add_script_tag(path=ASSETS / f"{name}.js")
    yield opened
    opened.close()
