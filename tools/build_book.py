"""Build the site: `python -m tools.build_book`.

`tools.execute` runs the notebooks that are out of date. Sphinx writes again the pages whose own
text has changed, but does not see what else is on them: code, figures, stored rows, the site's own
files. A fingerprint of all these says when every page has to be written; and when nothing at all
has changed there is nothing to do.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

from tools.execute import execute
from tools.paths import BOOK, BUILD, CONFIG, HTML, LITE, ROOT, notebooks, pages
from tools.pyodide import fetch, fetched_version

RECORD = BUILD / "fingerprints.json"
PASSING = {"__pycache__", ".ipynb_checkpoints", ".ruff_cache"}  # what tools leave behind


def _fingerprint(paths: Iterable[Path], *others: str) -> str:
    digest = hashlib.sha256("\0".join(others).encode())
    for path in sorted(paths):
        digest.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def fingerprints() -> dict[str, str]:
    """Hash the texts of the pages, and all else that is on them."""
    texts = {*pages(), *notebooks()}
    folders = (ROOT / "attn_helpers", ROOT / "why_sqrt_d", BOOK)
    found = {path for folder in folders for path in folder.rglob("*") if path.is_file()}
    rest = {path for path in found - texts if not PASSING & {*path.parts}}
    rest |= {ROOT / "requirements/book.txt", ROOT / "_toc.yml", CONFIG}
    python = (sys.version, fetched_version(), os.environ.get("PYODIDE_DIST", ""))
    lite = str(LITE.stat().st_mtime) if LITE.exists() else ""
    return {"texts": _fingerprint(texts), "rest": _fingerprint(rest, *python, lite)}


def build() -> int:
    """Bring `_build/html` up to date and return an exit code."""
    fetch()
    if LITE.exists() and LITE.stat().st_mtime < max(p.stat().st_mtime for p in notebooks()):
        print("The notebooks for the browser are older than these: give `make lite` again.")
        shutil.rmtree(LITE)
    now = fingerprints()
    before = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    if now == before and (HTML / "index.html").exists():
        return 0
    # Whatever stops the build half-way must not leave a record that says it is done.
    RECORD.unlink(missing_ok=True)
    if failures := execute(notebooks()):
        print("\n\n".join(failures), file=sys.stderr)
        return 1
    print("Writing the pages …", flush=True)
    builder = Path(sys.executable).with_name("jupyter-book")
    command = [str(builder), "build", str(ROOT), "-W", "-n", "--keep-going", "-q"]
    if now["rest"] != before.get("rest"):
        command.append("--all")
        shutil.rmtree(HTML, ignore_errors=True)  # no page may outlive its source
    code = subprocess.run(command, cwd=ROOT, check=False).returncode
    if code == 0:
        RECORD.write_text(json.dumps(now))
    return code


def main() -> int:
    """Build, and say how long it took and where the site is."""
    start = time.monotonic()
    code = build()
    if code == 0:
        print(f"Built in {time.monotonic() - start:.0f} s. Open {HTML / 'index.html'}")
    else:
        print(
            "The book was not built: see what stands above. The same command goes on from there.",
            file=sys.stderr,
        )
    return code


if __name__ == "__main__":
    sys.exit(main())
