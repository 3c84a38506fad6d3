"""What a student needs besides the notebooks: both packages as a wheel, and how to begin.

The wheel has the stored results too, wherever the notebook lies that reads them.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from tools.paths import BOOK, ROOT

EPOCH = "315532800"  # 1 January 1980: the wheel carries no time of its building
PARTS = ("pyproject.toml", "README.md", "LICENSE")
PACKAGES = ("attn_helpers", "why_sqrt_d")
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

Run a notebook from the top. Each exercise has a cell to answer in, with three dots where your
answer goes, and below it a cell that checks it: ✓ right, ✗ not yet and why, · no answer. Try as
often as you like. The last cell of a notebook counts what you have solved. Keep the names that the
answer cells begin with (`answer_1_1`, or the function's name); you may add cells.

## Hand in

Save the notebook and hand in the `.ipynb` file.
"""


def build_wheel(folder: Path) -> Path:
    """Build the wheel into `folder`; the same code gives the same file."""
    with tempfile.TemporaryDirectory() as scratch:
        tree = Path(scratch) / "package"
        tree.mkdir()
        for name in PARTS:
            shutil.copyfile(ROOT / name, tree / name)
        ignored = shutil.ignore_patterns("__pycache__")
        for name in PACKAGES:
            shutil.copytree(ROOT / name, tree / name, ignore=ignored)
        shutil.copytree(BOOK / "data", tree / "book" / "data")  # what figures and checks read
        options = ("--no-deps", "--no-build-isolation", "--disable-pip-version-check", "--quiet")
        command = [sys.executable, "-m", "pip", "wheel", *options, "-w", str(folder), str(tree)]
        environment = os.environ | {"SOURCE_DATE_EPOCH": EPOCH}
        subprocess.run(command, env=environment, check=True)
    return next(folder.glob("*.whl"))


def readme(wheel: str, written: Iterable[Path]) -> str:
    """Return the README of the handout."""
    chapters = "\n".join(f"- `{path.name}`" for path in written)
    return README.format(wheel=wheel, chapters=chapters)
