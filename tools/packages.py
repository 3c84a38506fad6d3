"""Build both Python packages, as one wheel or one sdist; the same code gives the same file."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Literal

from tools.paths import ROOT

EPOCH = "315532800"  # 1 January 1980: a package carries no time of its building
PARTS = ("pyproject.toml", "README.md", "LICENSE", "CITATION.cff")
PACKAGES = ("attn_helpers", "why_sqrt_d")
DATA = "book/data"


def build_package(folder: Path, kind: Literal["wheel", "sdist"]) -> Path:
    """Build into `folder` and return the file; the stored results are in it."""
    with tempfile.TemporaryDirectory() as scratch:
        tree = Path(scratch) / "package"
        tree.mkdir()
        for name in PARTS:
            shutil.copyfile(ROOT / name, tree / name)
        for name in (*PACKAGES, DATA):
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / name, tree / name, ignore=ignored)
        hook = f"from setuptools.build_meta import build_{kind} as b; print(b({str(folder)!r}))"
        environment = os.environ | {"SOURCE_DATE_EPOCH": EPOCH}
        command = [sys.executable, "-c", hook]
        done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"the {kind} was not built: {done.stderr}")
    return folder / done.stdout.splitlines()[-1]
