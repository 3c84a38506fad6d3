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
STAMP = LITE / "stamp.json"


def _fingerprint(paths: Iterable[Path]) -> str:
    digest = hashlib.sha256(sys.version.encode())
    for path in sorted(paths):
        digest.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def _files(*folders: Path) -> list[Path]:
    return [
        path
        for folder in folders
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    ]


def fingerprints() -> dict[str, str]:
    """Hash the packages and what they read, what every page needs, and the pages themselves."""
    data = (BOOK / "data").glob("*.jsonl")
    packages = _files(ROOT / "attn_helpers", ROOT / "why_sqrt_d")
    code = [*packages, *data, ROOT / "requirements.txt"]
    site = [
        *_files(BOOK / "_ext", BOOK / "_templates", BOOK / "assets", BOOK / "root"),
        *BOOK.glob("*.yml"),
        *BOOK.glob("*.bib"),
        CONFIG,
        ROOT / "_toc.yml",
    ]
    return {
        "code": _fingerprint(code),
        "site": _fingerprint(site),
        "pages": _fingerprint([*pages(), *notebooks()]),
        "python": f"{fetched_version()} {os.environ.get('PYODIDE_DIST', '')}",
        "lite": STAMP.read_text() if STAMP.exists() else "",
    }


def _previous() -> dict[str, str]:
    try:
        return dict(json.loads(RECORD.read_text()))
    except (OSError, ValueError, TypeError):
        return {}


def notebook_stamp() -> dict[str, str]:
    """Return what the notebooks for the browser are made of."""
    now = fingerprints()
    return {part: now[part] for part in ("code", "pages", "python")}


def drop_old_notebooks() -> None:
    """Remove what `make lite` made of other notebooks than these."""
    if STAMP.exists() and json.loads(STAMP.read_text()) != notebook_stamp():
        print("The notebooks for the browser are older than these: give `make lite` again.")
        shutil.rmtree(LITE)


def build() -> int:
    """Bring `_build/html` up to date and return an exit code."""
    fetch()
    drop_old_notebooks()
    now, before = fingerprints(), _previous()
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
    if any(now[part] != before.get(part) for part in ("code", "site", "python", "lite")):
        command.append("--all")
        shutil.rmtree(HTML, ignore_errors=True)  # no page may outlive its source
    code = subprocess.run(command, cwd=ROOT, check=False).returncode
    if code == 0:
        RECORD.parent.mkdir(exist_ok=True)
        RECORD.write_text(json.dumps(now, indent=1))
    return code


def main() -> int:
    """Build, and say how long it took and where the site is."""
    start = time.monotonic()
    code = build()
    if code == 0:
        print(f"Built in {time.monotonic() - start:.0f} s. Open {HTML / 'index.html'}")
    else:
        print("The book was not built: see what stands above.", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
