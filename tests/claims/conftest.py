"""Every test of a claim must settle its row of the ledger: verdict and numbers."""

import re
from collections.abc import Iterator

import pytest
from settling import settled


@pytest.fixture(autouse=True)
def settles(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a claim's test that has compared nothing with the row."""
    yield
    if found := re.fullmatch(r"test_([a-d]\d+)", request.node.name):
        assert found[1].upper() in settled, f"the row of {found[1].upper()} is not compared"
