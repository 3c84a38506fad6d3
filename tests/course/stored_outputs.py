"""What the cells of a stored notebook show, and rows drawn key by key to hold against it."""

import nbformat
import numpy as np

from tools.marks import results
from tools.paths import BOOK


def numbers_of(page: str) -> dict[str, int | float | str]:
    """Return what a page's cells computed for the prose, by name."""
    return results(nbformat.read(BOOK / f"{page}.ipynb", as_version=4))


def text_of(page: str) -> str:
    """Return the text of all outputs of a page: figures' descriptions, tables, prints."""
    cells = nbformat.read(BOOK / f"{page}.ipynb", as_version=4).cells
    outputs = (output for cell in cells for output in cell.get("outputs", []))
    return "\n".join(o.get("text") or o.get("data", {}).get("text/plain", "") for o in outputs)


def drawn(d: int, n: int, rows: int, seed: int = 0) -> np.ndarray:
    """Return scores (rows, n) of queries and keys that are all drawn."""
    rng = np.random.default_rng(seed)
    return np.array([rng.standard_normal((n, d)) @ rng.standard_normal(d) for _ in range(rows)])
