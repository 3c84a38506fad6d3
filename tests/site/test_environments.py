"""The declared, the locked and the installed packages agree."""

import re
import subprocess
import sys
import tomllib

import yaml

from tools.environment import FILE, environment_text
from tools.paths import ROOT

BOOK, TEST = "requirements/book.txt", "requirements/test.txt"
OTHERS = ("requirements/teach.txt", "requirements/lite.txt")


def pins(name: str) -> set[tuple[str, str]]:
    """Return every package and version that a lock file names."""
    return set(re.findall(r"^([\w.-]+)(?:\[.*\])?==([^ ;\\]+)", (ROOT / name).read_text(), re.M))


def declared(*extras: str) -> set[str]:
    """Return the names that pyproject.toml asks for: the package's own and these extras'."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [*project["dependencies"], *(project["optional-dependencies"][e] for e in extras)]
    flat = [name for row in wanted for name in ([row] if isinstance(row, str) else row)]
    names = {re.split(r"[<>=~! ]", name)[0].lower() for name in flat}
    return {name for name in names if not name.startswith("attn-helpers[")}


def test_the_environment_has_all_that_a_reader_needs_in_the_locked_versions() -> None:
    assert FILE.read_text() == environment_text()
    *conda, pip = yaml.safe_load(FILE.read_text())["dependencies"]
    named = {row.partition("=")[0] for row in [*conda, *pip["pip"]]}
    assert declared("course", "book", "experiments") | {"nbval"} <= named


def test_the_locks_have_all_that_is_declared_and_agree() -> None:
    extras = ("course", "book", "experiments", "language", "check", "teach", "test")
    assert declared(*extras) <= {name for name, _ in pins(TEST)}
    assert pins(BOOK) <= pins(TEST)
    for other in OTHERS:
        known = {name for name, _ in pins(TEST)}
        assert {pin for pin in pins(other) if pin[0] in known} <= pins(TEST)


def test_everything_imports_with_numpy_and_matplotlib_alone() -> None:
    """Block IPython, anywidget and the book's packages; the chapters' imports still work."""
    code = """
import sys
for name in ("IPython", "anywidget", "scipy", "yaml", "nbformat", "sphinx", "myst_nb"):
    sys.modules[name] = None
import attn_helpers, why_sqrt_d.notebook, why_sqrt_d.exercises
from why_sqrt_d.ch1 import figures as chapter1
from why_sqrt_d.ch2 import figures as chapter2
why_sqrt_d.notebook.numbers(answer=42)
assert why_sqrt_d.exercises.check("3.1", ...) is not None
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert "answer = 42" in done.stdout
