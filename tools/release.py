"""Build what is published: `python -m tools.release`, which is `make release`.

First what `_config.yml` says of the course is written into the files that repeat it: CITATION.cff,
pyproject.toml, the package's version, the notebooks' first cells. What is not said there is named,
and nothing is built. Else `_build/release` gets the site with its notebooks for the browser, the
PDF, the wheel and the sdist.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import yaml

from tools.notebooks import normalised, text_of
from tools.packages import build_package
from tools.paths import BOOK, BUILD, CONFIG, HTML, ROOT, notebooks
from tools.print_book import FOLDER as PRINTED
from tools.print_book import NAME as PDF
from why_sqrt_d.about import NAMELESS, About, quoted

FOLDER = BUILD / "release"
CITATION = ROOT / "CITATION.cff"
PROJECT = ROOT / "pyproject.toml"
PACKAGE = ROOT / "attn_helpers" / "__init__.py"
CHANGELOG = BOOK / "changelog.md"
TARGETS = ("book", "lite", "pdf")


def replaced(text: str, **lines: str) -> str:
    """Give the one line `key = …` of a file another value."""
    for key, value in lines.items():
        line = f"{key} = {value}".replace("\\", "\\\\")
        text, count = re.subn(rf"^{key} = .*$", line, text, flags=re.M)
        if count != 1:
            raise ValueError(f"{count} lines begin with {key!r}, where there should be one")
    return text


def project_text(about: About, text: str) -> str:
    """Return pyproject.toml with the course's version, authors and addresses."""
    people = [person.name for person in about.authors] or [NAMELESS]
    authors = ", ".join(f"{{ name = {quoted(name)} }}" for name in people)
    places = {"Homepage": about.site, "Repository": about.repository}
    urls = ", ".join(f"{key} = {quoted(url)}" for key, url in places.items() if url)
    version = quoted(about.version)
    return replaced(
        text, version=version, authors=f"[{authors}]", urls=f"{{ {urls} }}" if urls else "{}"
    )


def written(about: About) -> dict[Path, str]:
    """Return the files that repeat what `_config.yml` says, as they should stand."""
    texts = {
        CITATION: about.citation_cff(),
        PROJECT: project_text(about, PROJECT.read_text("utf-8")),
        PACKAGE: replaced(PACKAGE.read_text("utf-8"), __version__=quoted(about.version)),
    }
    for path in notebooks():
        texts[path] = text_of(normalised(nbformat.read(path, as_version=4)))
    return texts


def missing(about: About, changelog: str) -> list[str]:
    """Say what a release lacks."""
    found = [f"_config.yml: {setting} has no value" for setting in about.missing()]
    newest = re.search(r"^## (\S+)", changelog, re.M)
    if newest is None or newest[1] != about.version:
        said = newest[1] if newest else "nothing"
        found.append(f"book/changelog.md: begins with {said}, not with {about.version}")
    return found


def main() -> int:
    """Write, check, build, and say what is there."""
    about = About.of(yaml.safe_load(CONFIG.read_text("utf-8")))
    for path, text in written(about).items():
        if path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")
            print(f"written: {path.relative_to(ROOT)}")
    if found := missing(about, CHANGELOG.read_text("utf-8")):
        print("Not released. What is missing:", *found, sep="\n  ", file=sys.stderr)
        return 1
    for target in TARGETS:
        subprocess.run(["make", "--no-print-directory", target], cwd=ROOT, check=True)
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    shutil.make_archive(str(FOLDER / f"why-sqrt-d-{about.version}-site"), "zip", HTML)
    shutil.copy(PRINTED / PDF, FOLDER)
    for kind in ("wheel", "sdist"):
        build_package(FOLDER, kind)
    for path in sorted(FOLDER.iterdir()):
        print(f"{path.stat().st_size / 1e6:6.1f} MB  {path.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
