"""Python for the pages' fields of code: Pyodide, the course's packages, and where NumPy is.

Pyodide comes from npm (`tools.pyodide`) and is copied to the site. NumPy is not on npm: it comes
from the folder that the publisher names with PYODIDE_DIST, which holds what Pyodide distributes,
or else from where Pyodide itself publishes it, once a reader asks for it. Either way the browser
compares its hash with the one in Pyodide's lock file.
"""

import hashlib
import json
import os
import shutil
import zipfile
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from sphinx.application import Sphinx

from why_sqrt_d.exercises.forms import PagePython
from why_sqrt_d.pyodide import PUBLISHED, version_in

FILES = (
    "pyodide.mjs",
    "pyodide.asm.mjs",
    "pyodide.asm.wasm",
    "python_stdlib.zip",
    "pyodide-lock.json",
)
NUMPY_SIZE = 3_000_000  # about, where its file is not here
WORKER = "python/worker.js"


def write_course(root: Path, path: Path) -> str:
    """Write the archive of the course's packages and stored rows; return its fingerprint."""
    packages = [p for name in ("attn_helpers", "why_sqrt_d") for p in (root / name).rglob("*")]
    sources = [p for p in packages if p.suffix in {".py", ".md", ".toml", ".bin"}]
    # The language model's rows are most of the data, and no cell that runs on a page reads them.
    data = root / "book" / "data"
    stored = [p for p in data.glob("*.jsonl") if "language" not in p.name]
    stored.append(data / "our-stories.txt")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for source in sorted([*sources, *stored]):
            entry = zipfile.ZipInfo(source.relative_to(root).as_posix())
            archive.writestr(entry, source.read_bytes(), zipfile.ZIP_DEFLATED)
    return fingerprint(path)


def fingerprint(path: Path) -> str:
    """Return what tells this file from an older one of its name."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:8]


def copy_numpy(given: Path, folder: Path) -> int:
    """Copy NumPy from what Pyodide distributes, and return its size; browsers check its hash."""
    lock = json.loads((folder / "pyodide-lock.json").read_text("utf-8"))
    return Path(shutil.copy(given / lock["packages"]["numpy"]["file_name"], folder)).stat().st_size


def bring_python(root: Path, static: Path) -> PagePython | None:
    """Put Python below `static`, and say where it is, as seen from there; None without npm's."""
    source = root / "node_modules" / "pyodide"
    if not (version := version_in(source)):
        return None
    folder = static / "python" / version
    folder.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        shutil.copy(source / name, folder)
    course = static / "python" / "course.zip"
    stamp = write_course(root, course)
    size = sum((folder / name).stat().st_size for name in FILES) + course.stat().st_size
    if given := os.environ.get("PYODIDE_DIST"):
        packages, size = f"python/{version}/", size + copy_numpy(Path(given), folder)
        says = f"Python with NumPy ({round(size / 1e6)} MB) from this site"
    else:
        packages, more = PUBLISHED.format(version), round(NUMPY_SIZE / 1e6)
        says = (
            f"Python ({round(size / 1e6)} MB) from this site, and NumPy (about {more} MB) "
            f"from {urlsplit(packages).hostname}"
        )
        size += NUMPY_SIZE
    return PagePython(
        worker=f"{WORKER}?v={fingerprint(root / 'book' / 'assets' / WORKER)}",
        pyodide=f"python/{version}/",
        course=f"python/course.zip?v={stamp}",
        packages=packages,
        size=size,
        says=f"The first run loads {says}.",
    )


def seen_from(docname: str, python: PagePython | None) -> PagePython | None:
    """Return the addresses as seen from a page."""
    if python is None:
        return None
    static = "../" * docname.count("/") + "_static/"
    own = ("worker", "pyodide", "course", *(["packages"] * ("://" not in python.packages)))
    return replace(python, **{name: static + getattr(python, name) for name in own})


def bring(app: Sphinx) -> None:
    """Do so before the pages are read."""
    html = app.builder.format == "html"
    app.page_python = bring_python(Path(app.srcdir), Path(app.outdir, "_static")) if html else None


def setup(app: Sphinx) -> None:
    """Run before the build begins."""
    app.connect("builder-inited", bring)
