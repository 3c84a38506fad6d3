"""What every test needs: settled properties, one browser."""

import os

import pytest
from hypothesis import settings

from tools.chromium import NoBrowser, chromium
from tools.kernel import use_one_thread

use_one_thread()  # the workers have all cores between them
# JAX is the oracle of many tests: in float64, set before the first of them imports it.
os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ["JAX_ENABLE_X64"] = "1"
os.environ["JAX_DISABLE_MOST_OPTIMIZATIONS"] = "1"  # most of its time is compilation

# A busy machine is no fault of the code; continuous integration tries the same cases each time.
settings.register_profile("course", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("course")


def pytest_xdist_auto_num_workers(config):
    """One worker more than there are cores: many wait for a browser."""
    return (os.cpu_count() or 1) + 1


@pytest.fixture(scope="session")
def browser():
    """One browser for the whole process; where one is promised (CI), its absence is a failure."""
    try:
        with chromium() as started:
            yield started
    except NoBrowser as missing:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(str(missing))
