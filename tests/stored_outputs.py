"""What the cells of a stored notebook show and define, and rows drawn key by key beside it."""

import ast
import re
from pathlib import Path
from typing import Any

import nbformat
import numpy as np

import attn_helpers as ah
from tools.marks import results
from tools.paths import BOOK
from why_sqrt_d import ch4, ch5, ch6


def sources(path: Path, kind: str = "markdown") -> list[str]:
    """Return the texts of a notebook's cells of a kind, "markdown" or "code"."""
    cells = nbformat.read(path, as_version=4).cells
    return [cell.source for cell in cells if cell.cell_type == kind]


def numbers_of(page: str) -> dict[str, int | float | str]:
    """Return what a page's cells computed for the prose, by name."""
    return results(nbformat.read(BOOK / f"{page}.ipynb", as_version=4))


def text_of(page: str) -> str:
    """Return the text of all outputs of a page: figures' descriptions, tables, prints."""
    cells = nbformat.read(BOOK / f"{page}.ipynb", as_version=4).cells
    outputs = (output for cell in cells for output in cell.get("outputs", []))
    return "\n".join(o.get("text") or o.get("data", {}).get("text/plain", "") for o in outputs)


def from_the_page(page: str, name: str) -> Any:
    """Return the function or class that a cell of a page defines."""
    cells = sources(BOOK / f"{page}.ipynb", "code")
    source = next(x for x in cells if re.search(rf"^(def|class) {name}\(", x, re.M))
    tree = ast.parse(source)
    defined = [n for n in tree.body if isinstance(n, (ast.FunctionDef, ast.ClassDef))]
    names: dict[str, Any] = {"np": np, "ah": ah, "ch4": ch4, "ch5": ch5, "lengths": ch6.lengths}
    exec(ast.unparse(ast.Module(defined, [])), names)
    return names[name]


def drawn(d: int, n: int, rows: int, seed: int = 0) -> np.ndarray:
    """Return scores (rows, n) of queries and keys that are all drawn."""
    rng = np.random.default_rng(seed)
    return np.array([rng.standard_normal((n, d)) @ rng.standard_normal(d) for _ in range(rows)])
