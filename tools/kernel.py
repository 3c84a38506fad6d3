"""The environment in which notebooks are executed: the same for the book, the tests and storing.

One thread for linear algebra (sums then come out in the same order everywhere), none of the
user's own settings of IPython and Matplotlib, and no log line about the kernel's transport.
"""

import os
import subprocess
import sys

from tools.paths import BUILD

SETTINGS = "c = get_config()\nc.IPKernelApp.log_level = 40\n"


def prepare_environment() -> None:
    """Set the variables that every kernel started from this process inherits."""
    folder = BUILD / "ipython"
    profile = folder / "profile_default" / "ipython_kernel_config.py"
    profile.parent.mkdir(parents=True, exist_ok=True)
    profile.write_text(SETTINGS)
    os.environ["IPYTHONDIR"] = str(folder)
    # Memory that is freed stays with the process: a training spends a fifth less on page faults.
    os.environ |= {"MALLOC_MMAP_THRESHOLD_": str(2**25), "MALLOC_TOP_PAD_": str(2**26)}
    _prepare_matplotlib()
    use_one_thread()


def use_one_thread() -> None:
    """Give linear algebra one thread, here if NumPy is not loaded yet, and in what is started."""
    for library in ("OMP", "OPENBLAS", "MKL"):
        os.environ[f"{library}_NUM_THREADS"] = "1"


def _prepare_matplotlib() -> None:
    """List the fonts before any page is made: a slow first listing would warn on the page."""
    folder = BUILD / "matplotlib"
    folder.mkdir(parents=True, exist_ok=True)
    os.environ["MPLCONFIGDIR"] = str(folder)
    if not any(folder.glob("fontlist*.json")):
        listing = [sys.executable, "-c", "import matplotlib.font_manager"]
        subprocess.run(listing, capture_output=True, check=False)
