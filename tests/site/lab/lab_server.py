"""A JupyterLab server of its own, on this machine only, with nothing of the user's in it."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from why_sqrt_d.live import FOR_SITE

ROOT = Path(__file__).resolve().parents[3]
PATIENCE = 120  # seconds until a server that says nothing counts as dead
OPTIONS = (
    "--no-browser",
    "--ServerApp.ip=127.0.0.1",
    "--ServerApp.port=0",
    "--ServerApp.allow_root=True",
    "--ServerApp.shutdown_no_activity_timeout=900",  # should nobody be left to stop it
    "--LabApp.expose_app_in_browser=True",
    "--LabApp.extension_manager=readonly",  # these three would ask other servers
    "--LabApp.news_url=None",
    "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
)
SETTINGS = {
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    "notebook-extension/tracker": {"windowingMode": "none"},  # all cells, not those near the view
}


def _environment(folder: Path, token: str) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if k not in (FOR_SITE, "JUPYTER_PATH")}
    names = ("JUPYTER_CONFIG", "JUPYTER_DATA", "JUPYTER_RUNTIME")
    names += ("JUPYTERLAB_SETTINGS", "JUPYTERLAB_WORKSPACES")
    places = {f"{name}_DIR": str(folder / name) for name in names}
    return {**kept, **places, "JUPYTER_TOKEN": token, "PYTHONPATH": str(ROOT)}


def _address(process: subprocess.Popen, folder: Path) -> str:
    """Wait until the server has written where it listens."""
    end = time.monotonic() + PATIENCE
    while process.poll() is None and time.monotonic() < end:
        found = list((folder / "JUPYTER_RUNTIME").glob("jpserver-*.json"))
        try:
            return json.loads(found[0].read_text())["url"]
        except (IndexError, ValueError):  # not there, or half written
            time.sleep(0.1)
    log = (folder / "log").read_text(errors="replace")
    raise AssertionError(f"JupyterLab did not start:\n{log[-3000:]}")


@contextmanager
def running_lab(folder: Path) -> Iterator[tuple[str, str]]:
    """Run JupyterLab on a free port and give its address and its token.

    Everything that it reads or writes lies in `folder`; it shows `folder / "notebooks"`.
    """
    token = os.urandom(16).hex()
    notebooks = folder / "notebooks"
    notebooks.mkdir()
    for name, chosen in SETTINGS.items():
        file = f"JUPYTERLAB_SETTINGS/@jupyterlab/{name}.jupyterlab-settings"
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(json.dumps(chosen))
    command = [sys.executable, "-m", "jupyterlab", *OPTIONS, f"--ServerApp.root_dir={notebooks}"]
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(
            command, cwd=folder, env=_environment(folder, token), stdout=log, stderr=log
        )
        try:
            yield _address(process, folder), token
        finally:
            process.terminate()  # it stops its kernels, and they end too when it is gone
            process.wait(60)
