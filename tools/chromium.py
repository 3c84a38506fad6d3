"""Finds a Chromium, for what prints the book, measures the pages and tests them."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # Of themselves a headless shell fetches pictures from farther away, since it does not measure
    # its line, and sets letters at other widths than a browser.
    "--blink-settings=lazyLoadingImageMarginPxUnknown=1250",
    "--font-render-hinting=none",
    # A page that asks for another host gets an error here, with or without a network.
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
]


def find_chromium(own: str = "") -> str | None:
    """Return the path of a Chromium: the one named in CHROMIUM, the system's, or Playwright's.

    A headless shell comes first: it is the same engine without windows, and a page in a context
    of its own is there after a fifth of the time; the tests open hundreds.
    """
    if named := os.environ.get("CHROMIUM"):
        return named if Path(named).exists() else None
    names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
    candidates = [*map(shutil.which, names), own]
    return next((path for path in candidates if path and Path(path).exists()), None)


class NoBrowser(Exception):
    """Says in a sentence what to install."""


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start a Chromium, as a context; `NoBrowser` if there is none, or no driver for it."""
    try:
        playwright = sync_playwright().start()
    except Exception as broken:  # Playwright's Node ends at once where a library is missing
        raise NoBrowser(
            "Playwright's driver does not start: it needs libatomic1 (Debian: apt install "
            "libatomic1 chromium-headless-shell)"
        ) from broken
    try:
        path = find_chromium(playwright.chromium.executable_path)
        if path is None:
            raise NoBrowser(
                "no Chromium. Install one (Debian: apt install chromium-headless-shell; "
                "elsewhere: .venv/bin/playwright install chromium) or name it: CHROMIUM=/its/path"
            )
        with playwright.chromium.launch(executable_path=path, args=FLAGS) as browser:
            yield browser
    finally:
        playwright.stop()
