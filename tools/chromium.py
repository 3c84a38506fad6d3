"""Finds a Chromium, for what prints the book, measures the pages and tests them."""

import os
import shutil
from pathlib import Path

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
