"""Put the notebooks into JupyterLite below the site: `python -m tools.lite`.

A reader opens a chapter in a tab of the browser, where Pyodide runs it. The course's own wheel
comes with it, and the pure ones that Pyodide does not distribute; NumPy, Matplotlib and IPython
come from the folder PYODIDE_DIST, or else from where Pyodide publishes them. The notebooks' folder
is called as the course's version, for a browser keeps the copy that a reader has changed.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat

from attn_helpers import __version__
from tools.build_book import build
from tools.packages import build_package
from tools.paths import LITE, ROOT, notebooks
from tools.pyodide import PYODIDE, fetch, fetched_version
from why_sqrt_d.pyodide import PUBLISHED

# What the course asks for and Pyodide does not distribute, in the versions of the book.
PURE = ("anywidget", "ipywidgets", "jupyterlab-widgets", "psygnal", "comm")
# What the kernel and the notebooks load from Pyodide's distribution.
LOADED = ("micropip", "ipython", "jedi", "numpy", "matplotlib", "typing-extensions")
KERNEL = "@jupyterlite/pyodide-kernel-extension:kernel"
INSTALL = "# The course, in this tab of the browser.\n%pip install -q attn-helpers[course]"


def write_notebooks(folder: Path) -> None:
    """Copy the notebooks, with a cell that installs the course's packages."""
    (place := folder / __version__).mkdir(parents=True)
    for path in notebooks():
        notebook = nbformat.read(path, as_version=4)
        notebook.cells.insert(0, nbformat.v4.new_code_cell(INSTALL))
        # In one string each: JupyterLite's table of contents stumbles over lists of lines.
        (place / path.name).write_text(nbformat.writes(notebook, split_lines=False), "utf-8")


def write_wheels(folder: Path) -> None:
    """Build the course's wheel; fetch the pure ones, with the hashes of requirements/book.txt."""
    folder.mkdir()
    build_package(folder, "wheel")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    locked = (ROOT / "requirements/book.txt").read_text("utf-8")
    lines = re.findall(rf"^(?:{'|'.join(PURE)})==.*(?:\n +--hash.*)*", locked, re.MULTILINE)
    asked = folder.with_name("pure.txt")
    asked.write_text("\n".join(lines) + "\n", "utf-8")
    kind = ("--platform=any", "--implementation=py", "--abi=none", "--python-version=3.14")
    fetched = ["download", "--no-deps", "--only-binary=:all:", *kind, "--require-hashes"]
    subprocess.run([*pip, *fetched, "-r", str(asked), "-d", str(folder)], check=True)


def needed(packages: dict[str, Any], names: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """Yield a lock file's entries of these packages and of all that they depend on."""
    seen, ahead = set[str](), list(names)
    while ahead:
        name = re.sub("[-_.]+", "-", ahead.pop()).lower()
        if name not in seen:
            seen.add(name)
            ahead += packages[name]["depends"]
            yield packages[name]


def copy_distribution(given: Path, folder: Path) -> None:
    """Copy what is loaded from what Pyodide distributes, with the hashes of its lock file."""
    lock = json.loads((folder / "pyodide-lock.json").read_text("utf-8"))
    for entry in needed(lock["packages"], LOADED):
        wheel = given / entry["file_name"]
        if not wheel.exists() or hashlib.sha256(wheel.read_bytes()).hexdigest() != entry["sha256"]:
            sys.exit(f"PYODIDE_DIST={given} lacks {wheel.name}, or has another one.")
        shutil.copy(wheel, folder)


def write_pyodide(folder: Path) -> dict[str, Any]:
    """Copy Pyodide, and return the kernel's settings."""
    shutil.copytree(PYODIDE, folder, ignore=shutil.ignore_patterns("*.map", "*.d.ts", "*.html"))
    settings: dict[str, Any] = {"disablePyPIFallback": True}
    if given := os.environ.get("PYODIDE_DIST"):
        copy_distribution(Path(given), folder)
    else:
        published = PUBLISHED.format(fetched_version())
        settings["loadPyodideOptions"] = {"packageBaseUrl": published}
    return settings


def copy_extensions(work: Path) -> None:
    """Copy what the environment has for JupyterLab, but for what `make student` has installed."""
    found = Path(sys.prefix, "share", "jupyter", "labextensions")
    place = shutil.copytree(found, work / "lab", ignore=shutil.ignore_patterns("nbgrader"))
    told = {
        "LiteBuildConfig": {"ignore_sys_prefix": ["federated_extensions"]},
        "FederatedExtensionAddon": {"extra_labextensions_path": [str(place)]},
    }
    (work / "jupyter_lite_config.json").write_text(json.dumps(told), "utf-8")


def write_lite(work: Path) -> None:
    """Build JupyterLite with the notebooks in `work / "site"`."""
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    copy_extensions(work)
    write_notebooks(work / "notebooks")
    write_wheels(work / "wheels")
    settings = write_pyodide(work / "static" / "pyodide")
    config = {"litePluginSettings": {KERNEL: settings}}
    told = {"jupyter-lite-schema-version": 0, "jupyter-config-data": config}
    (work / "jupyter-lite.json").write_text(json.dumps(told, indent=1), "utf-8")
    command = [sys.executable, "-m", "jupyter", "lite", "build", "--no-sourcemaps"]
    wheels = [f"--piplite-wheels={path}" for path in sorted((work / "wheels").glob("*.whl"))]
    places = ["--lite-dir=.", "--contents=notebooks", "--output-dir=site", "--apps=notebooks"]
    subprocess.run([*command, *places, *wheels], cwd=work, check=True)


def main() -> int:
    """Build it, and then the site with it and its buttons."""
    fetch()
    if not fetched_version():
        return 1
    write_lite(LITE)
    return build()


if __name__ == "__main__":
    sys.exit(main())
