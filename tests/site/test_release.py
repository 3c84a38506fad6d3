"""What is published says one thing everywhere, and nothing that it does not know."""

import re
import tarfile
import tomllib
import zipfile
from dataclasses import replace

import pytest
import yaml
from pybtex.database import parse_string

from tools import release
from tools.packages import build_package
from tools.paths import BOOK, ROOT
from why_sqrt_d.about import About

ABOUT = About.read(ROOT)
PEOPLE = (("Ada", "Lovelace"), ("B.", "O'Hara"), ("C", "D"))
PLACES = ("10.1234/5", "https://code.example/why", "https://why.example")
SIGNS = {"MIT": "publish, distribute, sublicense", "ISC": "copy, modify, and/or distribute"}
SIGNS |= {"SIL Open Font": "SIL OPEN FONT LICENSE", "Mozilla": "Mozilla Public License"}
FULL = About("Why? A course", "2.0.0", "2027-01-31", PEOPLE, *PLACES)
BARE = replace(FULL, authors=(), doi="", repository="", site="")


def test_the_stored_files_say_what_the_configuration_says() -> None:
    for path, text in release.written(ABOUT).items():
        assert path.read_text("utf-8") == text, f"{path.name}: run `make release`"


@pytest.mark.parametrize("about", [FULL, BARE])
def test_every_citation_says_the_same(about: About) -> None:
    for chapter, title in (("", ""), ("3a", "Random energies")):
        [entry] = parse_string(about.bibtex(chapter, title), "bibtex").entries.values()
        assert all(entry.fields.values())
        assert entry.fields.get("doi", "") == about.doi
        assert len(entry.persons["author"]) == max(1, len(about.authors))
        assert ("booktitle" in entry.fields) == bool(title)
    cited = yaml.safe_load(release.citation(about))
    project = tomllib.loads(release.project(about))["project"]
    assert all(cited.values())
    assert (cited["version"], cited["date-released"]) == (about.version, about.date)
    assert project["version"] == about.version
    people = [p.get("name") or f"{p['given-names']} {p['family-names']}" for p in cited["authors"]]
    assert people == [person["name"] for person in project["authors"]]
    assert cited.get("repository-code", "") == project["urls"].get("Repository", "")
    assert cited.get("url", "") == project["urls"].get("Homepage", "") == about.site


def test_what_a_release_lacks_is_named(monkeypatch, capsys) -> None:
    assert release.missing(FULL, "# Changelog\n\n## 2.0.0 (31 January 2027)\n") == []
    assert release.missing(FULL, "# Changelog\n\n## 2.0.1\n\n## 2.0.0\n") != []
    monkeypatch.setattr(release, "written", lambda about: {})
    monkeypatch.setattr(release.About, "read", lambda folder: replace(FULL, doi=""))
    built: list = []
    monkeypatch.setattr(release.subprocess, "run", lambda *command, **how: built.append(command))
    assert release.main() == 1
    assert "course.doi has no value" in capsys.readouterr().err
    assert built == []


def test_packages_hold_both_packages_and_the_stored_results_and_need_numpy_alone(tmp_path) -> None:
    wheel, sdist = (build_package(tmp_path, kind) for kind in ("wheel", "sdist"))
    with zipfile.ZipFile(wheel) as file:
        inside = {name.rpartition("/data/share/why-sqrt-d/")[2] for name in file.namelist()}
        (metadata,) = (n for n in file.namelist() if n.endswith(".dist-info/METADATA"))
        told = file.read(metadata).decode()
    assert re.findall(r"^Requires-Dist: ([\w-]+)[^;\n]*$", told, re.M) == ["numpy"]
    assert not [name for name in inside if name.startswith("research/")]
    with tarfile.open(sdist) as file:
        sources = {name.partition("/")[2] for name in file.getnames()}
    stored = {f"data/{path.name}" for path in (BOOK / "data").glob("*.jsonl")}
    assert stored <= inside
    for package in ("attn_helpers", "why_sqrt_d"):
        files = (path for path in (ROOT / package).rglob("*") if path.is_file())
        code = {path.relative_to(ROOT).as_posix() for path in files if "__pyc" not in str(path)}
        assert code <= inside
        assert code <= sources
    assert wheel.read_bytes() == build_package(tmp_path / "again", "wheel").read_bytes()


def test_every_folder_of_code_is_named_with_the_licence_of_code() -> None:
    named = (ROOT / "LICENSE").read_text("utf-8").partition("Text:")[0]
    for folder in {path.parent for path in ROOT.glob("[a-z]*/*.[ps][yh]")}:
        assert re.search(rf"\s{folder.name}/", named), folder.name


def test_what_others_made_has_its_owner_and_licence_named() -> None:
    _, _, others = (ROOT / "LICENSE").read_text("utf-8").partition("What others made")
    items = others.partition("What the build adds")[0].split("\n- ")[1:]
    folders = ("book", "tests/vendor", "why_sqrt_d")
    for path in (path for folder in folders for path in sorted((ROOT / folder).rglob("*"))):
        name = path.relative_to(ROOT).as_posix()
        if re.search(r"LICENSE|\.min\.|\.(woff2?|ttf|bin)$|/d3\.js|shakespeare", name):
            [said] = [x for x in items if name.startswith(x.partition(":")[0]) or name in x]
            assert re.search("copyright|public domain", said), name
            kinds = {kind for kind in SIGNS if kind in said}
            assert kinds or "public domain" in said, name
            if "LICENSE" in name:
                text = " ".join(path.read_text("utf-8").split())
                assert kinds == {kind for kind, sign in SIGNS.items() if sign in text}, name
