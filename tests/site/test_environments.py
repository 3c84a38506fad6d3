"""The declared, the locked and the installed packages agree."""

import re
import subprocess
import sys
from importlib.metadata import version

from tools.environment import direct_requirements, environment_text, locked_versions
from tools.paths import ROOT

LOCKS = (
    "requirements.txt",
    "requirements-teach.txt",
    "requirements-lite.txt",
    "requirements-test.txt",
)


def pins(name: str) -> dict[str, set[str]]:
    """Return every version that a lock file names for a package."""
    found: dict[str, set[str]] = {}
    for package, locked in re.findall(r"^([\w.-]+)==([^ ;\\]+)", (ROOT / name).read_text(), re.M):
        found.setdefault(package, set()).add(locked)
    return found


def test_environment_file_is_what_the_lock_gives() -> None:
    assert (ROOT / "environment.yml").read_text() == environment_text()


def test_every_direct_requirement_is_locked() -> None:
    assert set(direct_requirements()) <= set(locked_versions())


def test_the_locks_agree() -> None:
    book, teach, lite, test = map(pins, LOCKS)
    assert set(book) | set(teach) <= set(test)
    for lock in (book, teach):
        assert all(test[package] == versions for package, versions in lock.items())
    # What runs in the browser is the book's, but for JupyterLite itself.
    assert all(versions == book.get(package, versions) for package, versions in lite.items())


def test_locks_carry_hashes_and_no_addresses() -> None:
    for name in LOCKS:
        text = (ROOT / name).read_text()
        for block in re.split(r"^(?=[\w.-]+==)", text, flags=re.M)[1:]:
            assert "--hash=sha256:" in block, block.splitlines()[0]
        assert "://" not in text
        assert "--index-url" not in text
        assert "--find-links" not in text


def test_installed_versions_are_the_locked_ones() -> None:
    locked = pins("requirements.txt")
    for package in direct_requirements():
        assert version(package) in locked[package]


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
assert why_sqrt_d.exercises.check("1.2", "sqrt(512)").passed
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert "answer = 42" in done.stdout
