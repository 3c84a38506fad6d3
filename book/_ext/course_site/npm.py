"""What npm has brought for the build (`tools.pyodide` fetches it), run by PyPI's Node."""

import json
import subprocess
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinxcontrib import katex

BUILD = 'JSON.parse(process.argv[1]).forEach(require("esbuild").buildSync)'


def has_esbuild(app: Sphinx) -> bool:
    """Say whether esbuild has come."""
    return Path(app.srcdir, "node_modules", "esbuild").exists()


def esbuild(app: Sphinx, *asked: dict[str, Any]) -> None:
    """Have esbuild make each file that is asked for, with all that it imports."""
    always = {"bundle": True, "minify": True, "charset": "utf8", "logLevel": "error"}
    builds = json.dumps([always | one for one in asked])
    subprocess.run([katex.NODEJS_BINARY, "-e", BUILD, builds], cwd=app.srcdir, check=True)
