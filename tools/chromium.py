"""Finds a Chromium; what prints the book and what tests the pages use the same one."""

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
    # A page that asks for another host gets an error here, with or without a network.
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
]


def find_chromium(own: str = "") -> str | None:
    """Return the path of a Chromium: the one named in CHROMIUM, the system's, or Playwright's."""
    if named := os.environ.get("CHROMIUM"):
        return named if Path(named).exists() else None
    names = ("chromium", "chromium-browser", "google-chrome")
    candidates = ["/usr/bin/chromium", *map(shutil.which, names), own]
    return next((path for path in candidates if path and Path(path).exists()), None)
