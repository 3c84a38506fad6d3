"""Lighthouse's scores for every page, on its mobile profile (npm's `lighthouse`, through `npx`).

Performance is measured several times a page and its median is printed with the range, because a
busy machine counts as a slow phone. The other three scores do not vary.
"""

import json
import os
import shutil
import statistics
import subprocess

from benchmarks.local_site import page_names, serving
from tools.chromium import find_chromium

PACKAGE = "lighthouse@12.8.2"
RUNS = 3
GOALS = {"performance": 95, "accessibility": 100, "best-practices": 100, "seo": 100}
TIMES = {
    "first-contentful-paint": "first paint",
    "largest-contentful-paint": "largest",
    "total-blocking-time": "blocked",
    "cumulative-layout-shift": "shift",
}


def _report(address: str) -> dict:
    command = ["npx", "--yes", PACKAGE, address, "--quiet", "--output=json"]
    flags = "--headless=new --no-sandbox --disable-gpu"
    found = subprocess.run(
        [*command, f"--chrome-flags={flags}"],
        env={**os.environ, "CHROME_PATH": find_chromium() or ""},
        capture_output=True,
        text=True,
        check=False,
    )
    if found.returncode:
        raise SystemExit(f"Lighthouse failed on {address}: {found.stderr.strip()[-400:]}")
    return json.loads(found.stdout)


def main() -> int:
    """Print one line a page; the exit status is 1 if a median misses its goal."""
    if not shutil.which("npx"):
        print("Lighthouse comes from npm: install Node with npx to measure it.")
        return 0
    missed = []
    print(f"performance: median of {RUNS} runs (range); then times of the median run")
    with serving() as base:
        for name in page_names():
            reports = [_report(base + name) for _ in range(RUNS)]
            reports.sort(key=lambda report: report["categories"]["performance"]["score"])
            scores = {
                kind: [round(100 * r["categories"][kind]["score"]) for r in reports]
                for kind in GOALS
            }
            audits = reports[RUNS // 2]["audits"]
            times = ", ".join(f"{t} {audits[key]['displayValue']}" for key, t in TIMES.items())
            speed, *others = scores.values()
            line = f"{name:36} {statistics.median(speed):.0f} ({speed[0]} to {speed[-1]})"
            print(line, *(min(other) for other in others), "|", times, flush=True)
            missed += [
                f"{name}: {kind} {statistics.median(found):.0f}"
                for kind, found in scores.items()
                if statistics.median(found) < GOALS[kind]
            ]
    print(f"{len(missed)} goals missed" + "".join(f"\n  {line}" for line in missed))
    return 1 if missed else 0
