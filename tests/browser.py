"""Finds a Chromium and starts it once for the whole process, whoever asks.

Playwright's synchronous interface cannot be started twice in one process, so every conftest that
needs a browser borrows it here:

    @pytest.fixture(scope="session")
    def browser():
        with borrowed_browser() as started:
            yield started
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tools.chromium import FLAGS, find_shell

SKIPPED = "PAGE TESTS SKIPPED"
_shared: dict[str, Any] = {"users": 0}


def without_browser(why: str) -> None:
    """Skip loudly; where a browser is promised (CI) its absence is a failure."""
    if os.environ.get("CI"):
        pytest.fail(f"page tests cannot run, and CI is set: {why}", pytrace=False)
    pytest.skip(f"{SKIPPED}: {why}")


def _start() -> None:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        without_browser("playwright is not installed (make test installs it)")
    playwright = sync_playwright().start()
    path = find_shell(playwright.chromium.executable_path)
    if path is None:
        playwright.stop()
        without_browser(
            "no Chromium. Install one (Debian: apt install chromium-headless-shell; elsewhere: "
            ".venv/bin/playwright install chromium) or name it: CHROMIUM=/path/to/chromium"
        )
    _shared["playwright"] = playwright
    _shared["browser"] = playwright.chromium.launch(executable_path=path, args=FLAGS)


@contextmanager
def borrowed_browser() -> Iterator[Any]:
    """Lend the process's one browser; the last borrower closes it."""
    if not _shared["users"]:
        _start()
    _shared["users"] += 1
    try:
        yield _shared["browser"]
    finally:
        _shared["users"] -= 1
        if not _shared["users"]:
            _shared.pop("browser").close()
            _shared.pop("playwright").stop()
