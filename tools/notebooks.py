"""Store the notebooks in their normal form: `python -m tools.notebooks [files]`.

Normal form: executed (`tools.execute` runs those that are out of date), text outputs kept (nbval
compares them), a figure as a small still, so that a repository shows it, widgets left out, the
numbers in the prose as they were computed (`tools.marks`; also those of the pages), execution
counts from 1 up, no editor's metadata but tags, a cell's name as it was unless it
stands twice, hidden cells collapsed, and, below the title, the cell that says how to get the
package.
"""

import io
import sys
from base64 import b64decode, b64encode
from pathlib import Path

import nbformat
import numpy as np
from nbformat import NotebookNode
from numpy.typing import NDArray
from PIL import Image

from tools.execute import execute, from_cache
from tools.marks import filled, results
from tools.paths import ROOT, notebooks, pages
from why_sqrt_d.about import About

WIDGET = "application/vnd.jupyter.widget-view+json"  # a random name; it dies with its kernel
STILL = 20_000  # bytes of a still at most
PIXELS = 0.05  # of 255: a mean difference from the stored still that rounding makes
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
SETUP = "try:\n    import matplotlib\n\n    import attn_helpers\nexcept ModuleNotFoundError"
SETUP_TAG, SETUP_ID = "remove-cell", "cell-001"
COLLAPSED = {"jupyter": {"source_hidden": True, "outputs_hidden": True}}  # of a `hide-cell`
KEPT = ("tags", "mystnb")  # of a cell's metadata


def setup_source() -> str:
    """Return the first cell: it gets the course, or says how, where a part of it is missing."""
    repository = About.read(ROOT).repository
    how = 'in the folder of its files run   pip install ".[course]"   (see README.md)'
    got = (
        f'    %pip install -q "attn-helpers[course] @ git+{repository}"'  # in Colab, for one
        if repository
        else "    raise ModuleNotFoundError(\n"
        f"        'The course is not installed: {how}'\n"
        "    ) from None"
    )
    return f"{SETUP}:\n{got}"


def normalised(notebook: NotebookNode) -> NotebookNode:
    """Return the notebook in normal form, text outputs as they are."""
    setup = nbformat.v4.new_code_cell(setup_source(), metadata={"tags": [SETUP_TAG]}, id=SETUP_ID)
    cells = [c for c in notebook.cells if not c.source.startswith(SETUP)]
    title = next(cell for cell in cells if cell.cell_type == "markdown")
    notebook.cells = [title, setup, *(cell for cell in cells if cell is not title)]
    count, computed, names = 0, results(notebook), set()
    for number, cell in enumerate(notebook.cells):
        if cell.id in names:  # a copied cell
            cell.id = f"{cell.id[:50]}-{number}"
        names.add(cell.id)
        kept = {key: cell.metadata[key] for key in KEPT if key in cell.metadata}
        hidden = COLLAPSED if "hide-cell" in kept.get("tags", ()) else {}
        cell.metadata = nbformat.from_dict(kept | hidden)
        cell.source = cell.source.strip()
        if cell.cell_type == "code":
            count += 1
            cell.execution_count = count
            cell.outputs = [_normal_output(output, count) for output in cell.outputs]
        else:
            cell.source = filled(cell.source, computed)
    notebook.metadata = nbformat.from_dict(METADATA)
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    return notebook


def _normal_output(output: NotebookNode, count: int) -> NotebookNode:
    if output.output_type == "execute_result":
        output.execution_count = count
    if "data" in output:
        output.data.pop(WIDGET, None)
        if png := output.data.get("image/png"):
            output.data["image/png"] = still(png)
            output.metadata.pop("image/png", None)  # how the site shows it
    return output


def still(png: str) -> str:
    """Return a figure, in base64, as it is kept: small, in few colours; a still as it is."""
    with Image.open(io.BytesIO(b64decode(png))) as image:
        if image.mode == "P":
            return png
        whole = image.convert("RGB")
    for width, colours in ((640, 32), (640, 16), (480, 16), (480, 8), (320, 8)):
        small, file = whole.copy(), io.BytesIO()
        small.thumbnail((width, 3 * width))
        small.quantize(colours).save(file, "PNG", optimize=True)
        if file.tell() <= STILL:
            break
    return b64encode(file.getvalue()).decode()


def keep_stills(notebook: NotebookNode, before: NotebookNode) -> None:
    """Keep a stored still that says and shows the same: another processor rounds a pixel off."""
    known = {cell.id: cell.get("outputs", []) for cell in before.cells}
    for cell in notebook.cells:
        for output, old in zip(cell.get("outputs", []), known.get(cell.id, []), strict=False):
            new, data = output.get("data", {}), old.get("data", {})
            if "image/png" not in new or "image/png" not in data:
                continue
            one, other = (_pixels(x["image/png"]) for x in (new, data))
            alike = one.shape == other.shape and np.abs(one - other).mean() < PIXELS
            if alike and new.get("text/plain") == data.get("text/plain"):
                new["image/png"] = data["image/png"]


def _pixels(png: str) -> NDArray[np.int64]:
    with Image.open(io.BytesIO(b64decode(png))) as image:
        return np.asarray(image.convert("RGB"), dtype=np.int64)


def text_of(notebook: NotebookNode) -> str:
    """Return the bytes' worth of a notebook as it is stored."""
    return nbformat.writes(notebook, indent=1, ensure_ascii=False) + "\n"


def rewrite(path: Path) -> bool:
    """Store an executed notebook, if it is not; the old file stays whole until the new one is."""
    notebook = from_cache(path)
    assert notebook is not None
    normal = normalised(notebook)
    keep_stills(normal, nbformat.read(path, as_version=4))
    text = text_of(normal)
    if text == path.read_text("utf-8"):
        return False
    temporary = path.with_suffix(".part")
    temporary.write_text(text, "utf-8")
    temporary.replace(path)
    return True


def main() -> int:
    """Rewrite the named notebooks (all when none is named), and the pages' numbers."""
    files = [Path(name).resolve() for name in sys.argv[1:]] or notebooks()
    if failures := execute(files):
        print("\n\n".join(failures), file=sys.stderr)
        return 1
    for path in files:
        if rewrite(path):
            print(f"stored {path.name}")
    for page in pages():
        text = page.read_text(encoding="utf-8")
        if (new := filled(text, {})) != text:
            page.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
