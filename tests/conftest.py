"""What every test needs: settled properties, one browser."""

import os

import pytest
from browser import SKIPPED, borrowed_browser
from hypothesis import settings

# JAX is the oracle of many tests: in float64, set before the first of them imports it.
os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ["JAX_ENABLE_X64"] = "1"

# A busy machine is no fault of the code; continuous integration tries the same cases each time.
settings.register_profile("course", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("course")


@pytest.fixture(scope="session")
def browser():
    with borrowed_browser() as started:
        yield started


def pytest_terminal_summary(terminalreporter):
    """Say so once more at the very end, where it cannot be overlooked."""
    reports = terminalreporter.stats.get("skipped", [])
    lines = [str(r.longrepr[2]) for r in reports if isinstance(r.longrepr, tuple)]
    loud = [line.removeprefix("Skipped: ") for line in lines if SKIPPED in line]
    if loud:
        terminalreporter.write_sep("!", f"{len(loud)} {SKIPPED}", red=True, bold=True)
        terminalreporter.write_line(loud[0], red=True, bold=True)
