"""A JupyterLab server of its own, on this machine only, with nothing of the user's in it."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from why_sqrt_d.live import FOR_SITE

ROOT = Path(__file__).resolve().parents[3]
KERNEL = {"name": "python3", "display_name": "Python 3", "language": "python"}
PATIENCE = 120  # seconds until a server that says nothing counts as dead
OPTIONS = (
    "--no-browser",
    "--ServerApp.ip=127.0.0.1",
    "--ServerApp.port=0",
    "--ServerApp.allow_root=True",
    "--ServerApp.shutdown_no_activity_timeout=900",  # should nobody be left to stop it
    "--MappingKernelManager.cull_idle_timeout=600",
    "--LabApp.expose_app_in_browser=True",
    "--LabApp.extension_manager=readonly",  # these three would ask other servers
    "--LabApp.news_url=None",
    "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
)
# The notebooks are to be read without it, and an environment may still have it.
WITHOUT = "jupyterlab-myst"
# What a reader may have answered when JupyterLab first asked about news.
NO_NEWS = "@jupyterlab/apputils-extension/notification.jupyterlab-settings"
# Every cell is drawn at once, and not only what is near the view.
WHOLE = "@jupyterlab/notebook-extension/tracker.jupyterlab-settings"


@dataclass(frozen=True)
class Lab:
    """A running server.

    Attributes
    ----------
    address : str
        With a slash at the end.
    token : str
    notebooks : Path
        The folder that it shows.
    """

    address: str
    token: str
    notebooks: Path


def _environment(folder: Path, token: str) -> dict[str, str]:
    own = {"CONFIG": "config", "DATA": "data", "RUNTIME": "runtime"}
    places = {f"JUPYTER_{name}_DIR": str(folder / where) for name, where in own.items()}
    kept = {k: v for k, v in os.environ.items() if k not in (FOR_SITE, "JUPYTER_PATH")}
    return {
        **kept,
        **places,
        "JUPYTERLAB_SETTINGS_DIR": str(folder / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(folder / "workspaces"),
        "JUPYTER_TOKEN": token,
        "PYTHONPATH": str(ROOT),
    }


def _address(process: subprocess.Popen, folder: Path) -> str:
    """Wait until the server has written where it listens."""
    end = time.monotonic() + PATIENCE
    while process.poll() is None and time.monotonic() < end:
        found = list((folder / "runtime").glob("jpserver-*.json"))
        try:
            return json.loads(found[0].read_text())["url"]
        except (IndexError, ValueError):  # not there, or half written
            time.sleep(0.1)
    log = (folder / "log").read_text(errors="replace")
    raise AssertionError(f"JupyterLab did not start:\n{log[-3000:]}")


def _stop(process: subprocess.Popen) -> None:
    """Stop the server; it stops its kernels, and they end too when it is gone."""
    process.terminate()
    try:
        process.wait(30)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@contextmanager
def running_lab(folder: Path) -> Iterator[Lab]:
    """Run JupyterLab on a free port; everything that it reads or writes lies in `folder`."""
    token = os.urandom(16).hex()
    notebooks = folder / "notebooks"
    notebooks.mkdir()
    for name, chosen in (
        (NO_NEWS, '{"fetchNews": "false", "checkForUpdates": false}'),
        (WHOLE, '{"windowingMode": "none"}'),
    ):
        settings = folder / "settings" / name
        settings.parent.mkdir(parents=True, exist_ok=True)
        settings.write_text(chosen)
    without = folder / "config" / "labconfig" / "page_config.json"
    without.parent.mkdir(parents=True)
    without.write_text(json.dumps({"disabledExtensions": {WITHOUT: True}}))
    command = [sys.executable, "-m", "jupyterlab", *OPTIONS, f"--ServerApp.root_dir={notebooks}"]
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(
            command, cwd=folder, env=_environment(folder, token), stdout=log, stderr=log
        )
        try:
            yield Lab(_address(process, folder), token, notebooks)
        finally:
            _stop(process)
