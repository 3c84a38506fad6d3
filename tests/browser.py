"""Finds a Chromium and starts it once for the whole process, whoever asks.

Playwright's synchronous interface cannot be started twice in one process, so every conftest that
needs a browser borrows it here:

    @pytest.fixture(scope="session")
    def browser():
        with borrowed_browser() as started:
            yield started
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

SKIPPED = "PAGE TESTS SKIPPED"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # A page that asks for another host gets an error here, with or without a network.
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
]
_shared: dict[str, Any] = {"users": 0}


def find_chromium(own: str = "") -> str | None:
    """Return the path of a Chromium: the one named in CHROMIUM, the system's, or Playwright's."""
    if named := os.environ.get("CHROMIUM"):
        return named if Path(named).exists() else None
    names = ("chromium", "chromium-browser", "google-chrome")
    candidates = ["/usr/bin/chromium", *map(shutil.which, names), own]
    return next((path for path in candidates if path and Path(path).exists()), None)


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
    path = find_chromium(playwright.chromium.executable_path)
    if path is None:
        playwright.stop()
        without_browser(
            "no Chromium. Install one (Debian: apt install chromium; elsewhere: "
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
