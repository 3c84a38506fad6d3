"""Give environment.yml the lock's versions: `python -m tools.environment`, a part of `make lock`.

What stands in the file, and whether conda-forge or pip brings it, is written there by hand.
"""

import re

from tools.paths import ROOT

FILE = ROOT / "environment.yml"
PIN = re.compile(r"^( +- )([\w-]+)(==?)[\w.]+$", re.M)


def locked_versions() -> dict[str, str]:
    """Return the locked version of each package for Python 3.11."""
    locked = (ROOT / "requirements/test.txt").read_text()
    lines = re.findall(r"^([\w.-]+)(?:\[.*\])?==([^ ;\\]+)(.*)", locked, re.M)
    newer = re.compile(r"python_full_version >= '3\.1[2-9]'")
    return {name: version for name, version, where in lines if not newer.search(where)}


def environment_text() -> str:
    """Return environment.yml as it should stand."""
    versions = locked_versions() | {"python": "3.11"}
    return PIN.sub(lambda pin: f"{pin[1]}{pin[2]}{pin[3]}{versions[pin[2]]}", FILE.read_text())


if __name__ == "__main__":
    FILE.write_text(environment_text())
