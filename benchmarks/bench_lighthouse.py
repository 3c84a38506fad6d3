"""Lighthouse's scores for every page, on its mobile profile (npm's `lighthouse`, through `npx`).

Performance is measured three times a page and its median printed with the range, because a busy
machine counts as a slow phone. The other three scores do not vary.
"""

import json
import os
import shutil
import subprocess
import sys

from benchmarks.local_site import page_names, serving
from tools.chromium import find_chromium

GOALS = {"performance": 95, "accessibility": 100, "best-practices": 100, "seo": 100}


def _scores(address: str) -> list[int]:
    command = ["npx", "--yes", "lighthouse@12.8.2", address, "--quiet", "--output=json"]
    command.append("--chrome-flags=--headless=new --no-sandbox --disable-gpu")
    chrome = {**os.environ, "CHROME_PATH": find_chromium() or ""}
    found = subprocess.run(command, env=chrome, capture_output=True, text=True, check=False)
    if found.returncode:
        raise SystemExit(f"Lighthouse failed on {address}: {found.stderr.strip()[-400:]}")
    categories = json.loads(found.stdout)["categories"]
    return [round(100 * categories[kind]["score"]) for kind in GOALS]


def main() -> int:
    """Print one line a page; the exit status is 1 if a median misses its goal."""
    if not shutil.which("npx"):
        print("Lighthouse comes from npm: install Node with npx to measure it.")
        return 0
    missed = 0
    print("performance: median of 3 runs (range); " + ", ".join(list(GOALS)[1:]))
    with serving() as base:
        for name in page_names():
            runs = zip(*(_scores(base + name) for _ in range(3)), strict=True)
            speed, *others = (sorted(scores) for scores in runs)
            shown = [other[1] for other in others]
            print(f"{name:36} {speed[1]} ({speed[0]} to {speed[2]})", *shown, flush=True)
            missed += [speed[1] < 95, *(score < 100 for score in shown)].count(True)
    print(f"{missed} goals missed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
