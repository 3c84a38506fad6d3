"""Execute notebooks side by side and leave what came out in the cache that Sphinx reads.

MyST-NB would execute them too, but one after the other and without a word.
"""

import os
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

import nbformat
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn, JupyterCacheAbstract
from jupyter_cache.executors.utils import single_nb_execution
from nbformat import NotebookNode

from why_sqrt_d.live import FOR_SITE


def run(path: Path, timeout: int) -> tuple[NotebookNode, float, str]:
    """Return the executed notebook, the seconds it took, and what went wrong, if anything."""
    print(f"  {path.stem} runs", flush=True)
    notebook = nbformat.read(path, as_version=4)
    done = single_nb_execution(notebook, str(path.parent), timeout, allow_errors=False)
    return notebook, done.time, str(done.err or "")


def is_stored(cache: JupyterCacheAbstract, path: Path) -> bool:
    """Say whether the cache holds this notebook's code, executed."""
    try:
        cache.match_cache_notebook(nbformat.read(path, as_version=4))
    except KeyError:
        return False
    return True


def execute(paths: list[Path], folder: Path, timeout: int) -> list[str]:
    """Bring the cache in a folder up to date; return what went wrong, one text a notebook."""
    cache = get_cache(folder)
    # The last chapters take longest: begun first, they leave no core idle at the end.
    missing = [path for path in reversed(paths) if not is_stored(cache, path)]
    if not missing:
        return []
    os.environ[FOR_SITE] = "1"  # the kernels inherit it: live figures leave their stills
    jobs = min(len(missing), os.cpu_count() or 1)
    print(f"Executing {len(missing)} notebooks, {jobs} side by side:", flush=True)
    failures = []
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        running = {pool.submit(run, path, timeout): path for path in missing}
        for left, future in enumerate(as_completed(running), start=1 - len(missing)):
            path = running[future]
            try:
                notebook, seconds, error = future.result()
            except Exception as broken:  # the kernel died, or never came
                seconds, error = 0.0, f"{type(broken).__name__}: {broken}"
            print(f"  {path.stem} took {seconds:.0f} s; {-left} left", flush=True)
            if error:
                failures.append(f"{path.name} failed:\n{error}")
                continue
            bundle = CacheBundleIn(notebook, path, data={"execution_seconds": seconds})
            cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)
    return failures
