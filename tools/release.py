"""Build what is published: `python -m tools.release`, which is `make release`.

First what `_config.yml` says of the course is written into the files that repeat it: CITATION.cff,
pyproject.toml, the package's version, the notebooks' first cells. What is not said there is named,
and nothing is built. Else `_build/release` gets the site with its notebooks for the browser, the
PDF, the wheel and the sdist.
"""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import yaml

from tools.notebooks import normalised, text_of
from tools.packages import build_package
from tools.paths import BOOK, BUILD, HTML, ROOT, notebooks
from tools.print_book import FOLDER as PRINTED
from tools.print_book import NAME as PDF
from why_sqrt_d.about import About

FOLDER = BUILD / "release"
CITATION = ROOT / "CITATION.cff"
PROJECT = ROOT / "pyproject.toml"
PACKAGE = ROOT / "attn_helpers" / "__init__.py"


def replaced(text: str, **values: str) -> str:
    """Give the one line `key = …` of a file another value."""
    for key, value in values.items():
        text, count = re.subn(rf"^{key} = .*$", lambda _: f"{key} = {value}", text, flags=re.M)  # noqa: B023
        assert count == 1, f"{count} lines begin with {key!r}, where there should be one"
    return text


def citation(about: About) -> str:
    """Return CITATION.cff."""
    people = [{"given-names": given, "family-names": family} for given, family in about.authors]
    places = {"doi": about.doi, "repository-code": about.repository, "url": about.site}
    known = yaml.safe_load(CITATION.read_text("utf-8"))
    said = {key: value for key, value in places.items() if value}
    kept = {key: value for key, value in known.items() if key not in places}
    now = {"title": about.title, "version": about.version, "date-released": about.date}
    entry = kept | now | {"authors": people or [{"name": about.people}]} | said
    head = "# Made by `make release` from _config.yml: change that, not this.\n"
    return head + yaml.safe_dump(entry, allow_unicode=True, sort_keys=False, width=1000)


def project(about: About) -> str:
    """Return pyproject.toml with the course's version, authors and addresses."""
    names = [f"{given} {family}" for given, family in about.authors] or [about.people]
    quoted = [json.dumps(name, ensure_ascii=False) for name in names]
    places = {"Homepage": about.site, "Repository": about.repository}
    urls = ", ".join(f'{key} = "{url}"' for key, url in places.items() if url)
    return replaced(
        PROJECT.read_text("utf-8"),
        version=f'"{about.version}"',
        authors="[" + ", ".join(f"{{ name = {name} }}" for name in quoted) + "]",
        urls=f"{{ {urls} }}" if urls else "{}",
    )


def written(about: About) -> dict[Path, str]:
    """Return the files that repeat what `_config.yml` says, as they should stand."""
    package = replaced(PACKAGE.read_text("utf-8"), __version__=f'"{about.version}"')
    texts = {CITATION: citation(about), PROJECT: project(about), PACKAGE: package}
    for path in notebooks():
        texts[path] = text_of(normalised(nbformat.read(path, as_version=4)))
    return texts


def missing(about: About, changelog: str) -> list[str]:
    """Say what a release lacks."""
    asked = {
        "course.authors": about.authors,
        "course.doi": about.doi,
        "repository.url": about.repository,
        "html.baseurl": about.site,
    }
    found = [
        f"_config.yml: {setting} has no value" for setting, value in asked.items() if not value
    ]
    if not re.match(rf"[^#]*# [^#]*## {re.escape(about.version)}\s", changelog):
        found.append(f"book/changelog.md does not begin with {about.version}")
    return found


def main() -> int:
    """Write, check, build, and say what is there."""
    about = About.read(ROOT)
    for path, text in written(about).items():
        if path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")
            print(f"written: {path.relative_to(ROOT)}")
    if found := missing(about, (BOOK / "changelog.md").read_text("utf-8")):
        print("Not released. What is missing:", *found, sep="\n  ", file=sys.stderr)
        return 1
    for target in ("book", "lite", "pdf"):
        subprocess.run(["make", "--no-print-directory", target], cwd=ROOT, check=True)
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    shutil.make_archive(str(FOLDER / f"why-sqrt-d-{about.version}-site"), "zip", HTML)
    shutil.copy(PRINTED / PDF, FOLDER)
    build_package(FOLDER, "wheel")
    build_package(FOLDER, "sdist")
    print(*sorted(FOLDER.iterdir()), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
