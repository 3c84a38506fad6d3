"""Renew the lock files and environment.yml from pyproject.toml: `python -m tools.lock`.

Four locks, so that a reader never installs what only teachers, `make lite` or the tests need.
Every line carries the hashes of its files and no download address, so that any mirror of the
package index will do.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from tools.environment import environment_text
from tools.paths import ROOT

OPTIONS = (
    "--universal",
    "--python-version=3.11",
    "--generate-hashes",
    "--no-emit-index-url",
    "--no-header",
    "--no-annotate",
    "--quiet",
)


def _compile(uv: Path, target: str, *arguments: str) -> None:
    command = [str(uv), "pip", "compile", "pyproject.toml", *OPTIONS, *arguments, "-o", target]
    subprocess.run(command, cwd=ROOT, check=True)


def main() -> int:
    """Resolve the book's requirements, then the others' to agree with them."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        bin_folder = Path(folder) / "bin"
        subprocess.run([str(bin_folder / "pip"), "install", "--quiet", "uv"], check=True)
        uv = bin_folder / "uv"
        book = ("--extra=book", "--extra=experiments")
        _compile(uv, "requirements.txt", *book, "--upgrade")
        constraint = "--constraints=requirements.txt"
        _compile(uv, "requirements-teach.txt", "--extra=teach", constraint)
        _compile(uv, "requirements-lite.txt", "--extra=lite", constraint)
        extras = ("--extra=teach", "--extra=test")
        _compile(uv, "requirements-test.txt", *book, *extras, constraint)
    (ROOT / "environment.yml").write_text(environment_text())
    return 0


if __name__ == "__main__":
    sys.exit(main())
