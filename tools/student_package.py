"""What a student needs besides the notebooks and the package: how to begin."""

from collections.abc import Iterable
from pathlib import Path

README = """\
# Why √d? Notebooks to work through

## Begin

You need Python 3.11 or newer. In this folder:

```sh
python3 -m venv .venv
.venv/bin/pip install jupyterlab {wheel}
.venv/bin/jupyter lab
```

On Windows write `.venv\\Scripts\\pip` and `.venv\\Scripts\\jupyter`. On Colab, upload the folder
and run `%pip install {wheel}` in a first cell.

## Work

{chapters}

{own}Run a notebook from the top. Each exercise has a cell to answer in, with three dots where your
answer goes, and below it a cell that checks it: ✓ right, ✗ not yet and why, · no answer. Try as
often as you like. The last cell of a notebook counts what you have solved. Keep the names that the
answer cells begin with (`answer_1_1`, or the function's name); you may add cells.

## Hand in

Save the notebook and hand in the `.ipynb` file.
"""


OWN = """\
You are asked with numbers of your own. Write your id, in quotes, into the cell at the top of each
notebook, exactly as your teacher has told you: it decides on the numbers.

"""


def readme(wheel: str, written: Iterable[Path], own: bool = False) -> str:
    """Return the README of the handout."""
    chapters = "\n".join(f"- `{path.name}`" for path in written)
    return README.format(wheel=wheel, chapters=chapters, own=OWN if own else "")
