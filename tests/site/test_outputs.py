"""What the notebooks store is what the code gives: the build ran them, and here both are compared.

The build's cache is emptied whenever the code or the stored rows change, so what it holds was
computed by this code.
"""

from itertools import groupby

import nbformat
import pytest
from jupyter_cache import get_cache

from tools.build_book import EXECUTION_CACHE
from tools.paths import notebooks

TEXTS = ("text/plain", "text/markdown", "text/html")


def texts(notebook):
    """Return what each cell says in words; streams come in pieces, as it happens."""
    said = []
    for cell in notebook.cells:
        if cell.cell_type == "code":
            parts = [part for output in cell.outputs for part in _parts(output)]
            said.append([(k, "".join(t for _, t in run)) for k, run in groupby(parts, _kind)])
    return said


def _kind(part):
    return part[0]


def _parts(output):
    if output.output_type == "stream":
        return [(output.name, output.text)]
    return [(kind, output.data[kind]) for kind in TEXTS if kind in output.get("data", {})]


@pytest.mark.parametrize("path", notebooks(), ids=lambda path: path.stem)
def test_a_fresh_run_gives_what_is_stored(path):
    stored = nbformat.read(path, as_version=4)
    cache = get_cache(EXECUTION_CACHE)
    fresh = cache.get_cache_bundle(cache.match_cache_notebook(stored).pk).nb
    expected, found = texts(stored), texts(fresh)
    assert any(expected)
    for number, (old, new) in enumerate(zip(expected, found, strict=True), start=1):
        assert new == old, f"code cell {number}: run `make notebooks` if the change is meant"
