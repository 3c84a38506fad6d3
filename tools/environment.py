"""Write environment.yml, for conda users and Binder, from pyproject.toml and the lock.

The pins are the lock's, so that there is one answer to "which versions".
"""

import re
import tomllib

from tools.paths import ROOT

HEADER = """\
# Made by `make lock` from pyproject.toml and requirements.txt: change those, not this.
# conda env create -f environment.yml && conda activate why-sqrt-d && jupyter lab book
name: why-sqrt-d
channels: [conda-forge]
dependencies:
  - python=3.11
  - pip
  - pip:
"""


def locked_versions() -> dict[str, str]:
    """Return the locked version of each package for Python 3.11."""
    versions = {}
    for line in (ROOT / "requirements.txt").read_text().splitlines():
        found = re.match(r"([A-Za-z0-9_.-]+)==([^ ;\\]+)\s*(?:;\s*(.*?))?\s*\\?$", line)
        if found and not re.search(r"python_full_version >= '3\.1[2-9]'", found[3] or ""):
            versions[found[1].lower()] = found[2]
    return versions


def direct_requirements() -> list[str]:
    """Return the names pyproject.toml asks for: the package's, the book's, the experiments'."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *extras["book"], *extras["experiments"]]
    names = (re.split(r"[<>=~! ]", requirement)[0].lower() for requirement in wanted)
    return list(dict.fromkeys(names))


def environment_text() -> str:
    """Return environment.yml as it should stand."""
    versions = locked_versions()
    pins = [f"      - {name}=={versions[name]}\n" for name in direct_requirements()]
    return HEADER + "".join(pins) + "      - --editable .\n"
