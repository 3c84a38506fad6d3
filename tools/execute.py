"""Execute notebooks side by side, and only those whose outputs may have changed.

What came out lies in the cache that MyST-NB reads. It holds as long as a notebook's code cells and
every file of the course that its kernel opened are what they were: a hook of Python's notes the
files. Two kinds count not. Styles and modules for the browser are only shown. And what an exercise
shows is its declaration's words, which are put in its cell's output here, without a kernel. So a
typo in a page, a hint or a style runs nothing, and a change of the code what it may have changed.
"""

import copy
import hashlib
import os
import re
import sys
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

import nbformat
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from nbclient import NotebookClient
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_output

from tools.kernel import prepare_environment
from tools.paths import BUILD, ROOT
from why_sqrt_d.exercises import get
from why_sqrt_d.exercises.registry import ASKS
from why_sqrt_d.exercises.show import markdown, plain
from why_sqrt_d.live import FOR_SITE

CACHE = BUILD / ".jupyter_cache"
TIMEOUT = 600  # seconds, for a cell: on a busy machine one of 15 s takes minutes
COUNTED = ("attn_helpers/", "why_sqrt_d/", "book/", "requirements/book.txt")
COMPILED = re.compile(r"__pycache__/([^/.]+)\.[^/]*$")  # digits follow while it is written
SHOWN = re.compile(r"\.(js|css|md)$|^why_sqrt_d/(exercises/|ch\d/questions\.py)")
LISTEN = """\
import sys
_opened = set()
sys.addaudithook(lambda event, args: event == "open" and _opened.add(str(args[0])))"""
TELL = "print(*list(_opened), sep='\\n')"


def run(path: Path, timeout: int) -> tuple[NotebookNode, list[str]]:
    """Return the executed notebook, and the files that its kernel opened."""
    print(f"  {path.stem} runs", flush=True)
    notebook = nbformat.read(path, as_version=4)
    notebook.cells = [new_code_cell(LISTEN), *notebook.cells, new_code_cell(TELL)]
    where = {"metadata": {"path": str(path.parent)}}
    # How a stream is cut into pieces is a matter of timing: one piece, so that texts compare.
    NotebookClient(
        notebook, timeout=timeout, resources=where, coalesce_streams=True, record_timing=False
    ).execute()
    _, *notebook.cells, last = notebook.cells
    for cell in notebook.cells:
        if said := [o.text for o in cell.get("outputs", []) if o.get("name") == "stderr"]:
            raise RuntimeError(f"a cell wrote to standard error: {said[0]}")
    return notebook, last.outputs[0].text.splitlines()


def run_with_retry(path: Path, timeout: int) -> tuple[NotebookNode, list[str]]:
    """Run a notebook, once more if its kernel never came: two programs may choose one port."""
    try:
        return run(path, timeout)
    except RuntimeError as never:
        if "before replying" not in str(never):
            raise
    return run(path, timeout)


def hashes(opened: list[str], folder: Path) -> dict[str, str]:
    """Return the hashes of those files whose change may change what a notebook gives."""
    found = {"python": sys.version}
    for name in [*opened, str(ROOT / "requirements/book.txt")]:
        path = folder / COMPILED.sub(r"\1.py", name)
        if path.is_file() and path.is_relative_to(ROOT):
            name = path.relative_to(ROOT).as_posix()
            if name.startswith(COUNTED) and not SHOWN.search(name):
                found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def exercise_output(exercise_id: str) -> NotebookNode:
    """Return the output of a cell that shows an exercise."""
    found = get(exercise_id)
    return new_output(
        "display_data", {"text/markdown": markdown(found), "text/plain": plain(found)}
    )


def from_cache(path: Path, folder: Path = CACHE) -> NotebookNode | None:
    """Return a notebook with its outputs from the cache; None if it has to run."""
    cache = get_cache(folder)
    try:
        pk, notebook = cache.merge_match_into_notebook(nbformat.read(path, as_version=4))
        files = cache.get_cache_bundle(pk).record.data["files"]
    except KeyError:
        return None
    if hashes([str(ROOT / name) for name in files], ROOT) != files:
        return None
    before = copy.deepcopy(notebook)
    for cell in notebook.cells:
        *_, last = cell.source.strip().splitlines() or [""]  # imports may stand above
        if asked := cell.cell_type == "code" and ASKS.fullmatch(last):
            cell.outputs = [exercise_output(asked[1])]
    if notebook != before:
        keep(notebook, path, files, folder)
    return notebook


def keep(notebook: NotebookNode, path: Path, files: dict[str, str], folder: Path) -> None:
    """Put an executed notebook into the cache."""
    bundle = CacheBundleIn(notebook, path, data={"files": files})
    get_cache(folder).cache_notebook_bundle(bundle, check_validity=False, overwrite=True)


def execute(paths: list[Path], folder: Path = CACHE, timeout: int = TIMEOUT) -> list[str]:
    """Bring the cache in a folder up to date; return what went wrong, one text a notebook."""
    missing = [path for path in paths if from_cache(path, folder) is None]
    if not missing:
        return []
    prepare_environment()
    os.environ[FOR_SITE] = "1"  # the kernels inherit it: live figures leave their stills
    jobs = min(len(missing), os.cpu_count() or 1)
    print(f"Executing {len(missing)} notebooks, {jobs} side by side:", flush=True)
    failures = []
    with ThreadPoolExecutor(jobs) as pool:
        # The last chapters take longest: begun first, they leave no core idle at the end.
        running = {pool.submit(run_with_retry, path, timeout): path for path in reversed(missing)}
        for future in as_completed(running):
            path = running[future]
            if broken := future.exception():  # a cell's error, or the kernel died, or never came
                failures.append(f"{path.name} failed:\n{type(broken).__name__}: {broken}")
            else:
                notebook, opened = future.result()
                keep(notebook, path, hashes(opened, path.parent), folder)
    return failures
