"""What is published says one thing everywhere, and nothing that it does not know."""

import tarfile
import tomllib
import zipfile
from dataclasses import replace

import pytest
import yaml
from pybtex.database import parse_string

import attn_helpers
from tools import release
from tools.packages import build_package
from tools.paths import BOOK, CONFIG, ROOT
from why_sqrt_d.about import NAMELESS, About, Author

ABOUT = About.of(yaml.safe_load(CONFIG.read_text("utf-8")))
FULL = About(
    title="Why? A course",
    version="2.0.0",
    date="2027-01-31",
    authors=(Author("Ada", "Lovelace", "https://orcid.org/0"), Author("B.", "O'Hara")),
    doi="10.1234/5",
    repository="https://code.example/why",
    site="https://why.example",
)
BARE = replace(FULL, authors=(), doi="", repository="", site="")


def test_the_stored_files_say_what_the_configuration_says() -> None:
    for path, text in release.written(ABOUT).items():
        assert path.read_text("utf-8") == text, f"{path.name}: run `make release`"
    assert attn_helpers.__version__ == ABOUT.version


def test_settings_are_read_with_or_without_values() -> None:
    course = {"title": "A? B", "version": 1.5, "date": "2026-01-02", "doi": "", "authors": None}
    bare = About.of({"course": course})
    assert (bare.name, bare.version, bare.people) == ("A?", "1.5", NAMELESS)
    assert bare.missing() == ["course.authors", "course.doi", "repository.url", "html.baseurl"]
    course |= {"doi": "https://doi.org/10.1/2", "authors": [{"given": "C", "family": "D"}]}
    full = About.of(
        {"course": course, "repository": {"url": "https://a/"}, "html": {"baseurl": "https://b/"}}
    )
    assert (full.doi, full.repository, full.site, full.people) == (
        "10.1/2",
        "https://a",
        "https://b",
        "C D",
    )
    assert full.missing() == []


@pytest.mark.parametrize(
    ("about", "address"),
    [
        (FULL, "https://doi.org/10.1234/5"),
        (replace(FULL, doi=""), "https://why.example"),
        (replace(FULL, doi="", site=""), "https://code.example/why"),
        (BARE, ""),
    ],
)
def test_the_address_is_the_one_that_lasts(about: About, address: str) -> None:
    assert about.address == address


def test_names_are_joined_as_in_a_sentence() -> None:
    three = (*FULL.authors, Author("C", "D"))
    assert FULL.people == "Ada Lovelace and B. O'Hara"
    assert replace(FULL, authors=three).people == "Ada Lovelace, B. O'Hara and C D"


@pytest.mark.parametrize("about", [FULL, BARE])
@pytest.mark.parametrize(("chapter", "title"), [("", ""), ("3a", "Random energies")])
def test_bibtex_reads_the_entry(about: About, chapter: str, title: str) -> None:
    [entry] = parse_string(about.bibtex(chapter, title), "bibtex").entries.values()
    assert all(entry.fields.values())
    assert entry.fields.get("doi", "") == about.doi
    assert entry.fields.get("chapter", "") == chapter
    assert len(entry.persons["author"]) == max(1, len(about.authors))
    assert ("booktitle" in entry.fields) == bool(title)


@pytest.mark.parametrize("about", [FULL, BARE])
def test_the_citation_file_and_the_project_have_the_same(about: About) -> None:
    cited = yaml.safe_load(about.citation_cff())
    project = tomllib.loads(release.project_text(about, release.PROJECT.read_text()))["project"]
    assert cited["version"] == project["version"] == about.version
    assert str(cited["date-released"]) == about.date
    people = [p.get("name") or f"{p['given-names']} {p['family-names']}" for p in cited["authors"]]
    assert people == [person["name"] for person in project["authors"]]
    assert cited.get("repository-code", "") == project["urls"].get("Repository", "")
    assert cited.get("url", "") == project["urls"].get("Homepage", "") == about.site
    assert all(cited.values())


def test_what_a_release_lacks_is_named(monkeypatch, capsys) -> None:
    assert release.missing(FULL, "# Changelog\n\n## 2.0.0 (31 January 2027)\n") == []
    assert release.missing(FULL, "## Unreleased\n") == [
        "book/changelog.md: begins with Unreleased, not with 2.0.0"
    ]
    monkeypatch.setattr(release, "written", lambda about: {})
    monkeypatch.setattr(release.About, "of", lambda settings: replace(FULL, doi=""))
    built = []
    monkeypatch.setattr(release.subprocess, "run", lambda *command, **how: built.append(command))
    assert release.main() == 1
    assert "course.doi has no value" in capsys.readouterr().err
    assert built == []


def test_a_line_that_is_not_there_once_is_an_error() -> None:
    assert release.replaced('a = "\\1"\nb = 2\n', b=r'"\1"') == 'a = "\\1"\nb = "\\1"\n'
    for text in ("", "a = 1\na = 2\n"):
        with pytest.raises(ValueError, match="should be one"):
            release.replaced(text, a="3")


def test_packages_hold_both_packages_and_the_stored_results(tmp_path) -> None:
    wheel, sdist = (build_package(tmp_path, kind) for kind in ("wheel", "sdist"))
    with zipfile.ZipFile(wheel) as file:
        inside = {name.rpartition("/data/share/why-sqrt-d/")[2] for name in file.namelist()}
    with tarfile.open(sdist) as file:
        sources = {name.partition("/")[2] for name in file.getnames()}
    assert sources >= {"pyproject.toml", "LICENSE"}
    for stored in (BOOK / "data").glob("*.jsonl"):
        assert f"data/{stored.name}" in inside
        assert f"book/data/{stored.name}" in sources
    for package in ("attn_helpers", "why_sqrt_d"):
        code = {path.relative_to(ROOT).as_posix() for path in (ROOT / package).rglob("*.py")}
        assert code <= inside
        assert code <= sources
    assert wheel.read_bytes() == build_package(tmp_path / "again", "wheel").read_bytes()
