"""What the course says of itself, from `_config.yml`: who, which version, where, how to cite it.

The settings are `course` (title, authors, version, date, doi), `repository.url` and
`html.baseurl`. What is empty is left out wherever it would be said.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

NAMELESS = "The authors of Why √d?"
ABSTRACT = (
    "An executable course on why self-attention scales its scores by 1/√d_k: proofs, experiments, "
    "exercises that check the answer, and a ledger of tested claims from four published texts."
)
KEYWORDS = ("attention", "transformer", "softmax", "teaching", "reproducibility")


@dataclass(frozen=True)
class Author:
    """A person; `orcid` is an address, or empty."""

    given: str
    family: str
    orcid: str = ""

    @property
    def name(self) -> str:
        """Return the name as it is said."""
        return f"{self.given} {self.family}"


@dataclass(frozen=True)
class About:
    """The course, as it is named and cited.

    Attributes
    ----------
    title : str
        In full, as it is cited; `name` is its beginning.
    authors : sequence of Author
        Those who are cited; without them `NAMELESS` stands there.
    version, date : str
        The date is that of the release, as 2026-11-22.
    doi, repository, site : str
        Where it is found: 10.…, and two addresses without a last slash.
    """

    title: str
    version: str
    date: str
    authors: Sequence[Author] = ()
    doi: str = ""
    repository: str = ""
    site: str = ""

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> "About":
        """Read the settings of `_config.yml`."""
        course = settings["course"]
        return cls(
            title=course["title"],
            version=str(course["version"]),
            date=str(course["date"]),
            authors=tuple(
                Author(person["given"], person["family"], person.get("orcid") or "")
                for person in course.get("authors") or ()
            ),
            doi=(course.get("doi") or "").removeprefix("https://doi.org/"),
            repository=((settings.get("repository") or {}).get("url") or "").rstrip("/"),
            site=((settings.get("html") or {}).get("baseurl") or "").rstrip("/"),
        )

    @property
    def name(self) -> str:
        """Return the title's question."""
        return self.title.partition("?")[0] + "?"

    @property
    def people(self) -> str:
        """Return the authors' names as a line of text has them."""
        names = [person.name for person in self.authors] or [NAMELESS]
        return " and ".join([", ".join(names[:-1]), names[-1]] if names[1:] else names)

    @property
    def address(self) -> str:
        """Return the address that lasts longest."""
        return f"https://doi.org/{self.doi}" if self.doi else self.site or self.repository

    def missing(self) -> list[str]:
        """Return the settings without which a release cannot be found or cited."""
        values = {
            "course.authors": self.authors,
            "course.version": self.version,
            "course.date": self.date,
            "course.doi": self.doi,
            "repository.url": self.repository,
            "html.baseurl": self.site,
        }
        return [setting for setting, value in values.items() if not value]

    def bibtex(self, chapter: str = "", title: str = "") -> str:
        """Return an entry for the course, or for one of its chapters."""
        names = [f"{person.family}, {person.given}" for person in self.authors]
        fields = {
            "author": " and ".join(names) or f"{{{NAMELESS}}}",
            "title": f"{{{title or self.title}}}",
            "booktitle": f"{{{self.title}}}" if title else "",
            "chapter": chapter,
            "year": self.date[:4],
            "version": self.version,
            "doi": self.doi,
            "url": "" if self.doi else self.address,
        }
        rows = ",\n".join(f"  {key} = {{{value}}}" for key, value in fields.items() if value)
        key = f"whysqrtd{self.date[:4]}" + (f"-{chapter}" if chapter else "")
        return f"@{'incollection' if title else 'misc'}{{{key},\n{rows}\n}}"

    def citation_cff(self) -> str:
        """Return the text of CITATION.cff."""
        people = [
            f"  - given-names: {quoted(person.given)}\n    family-names: {quoted(person.family)}\n"
            + (f"    orcid: {quoted(person.orcid)}\n" if person.orcid else "")
            for person in self.authors
        ] or [f"  - name: {quoted(NAMELESS)}\n"]
        places = {"doi": self.doi, "repository-code": self.repository, "url": self.site}
        return (
            "# Made by `make release` from _config.yml: change that, not this.\n"
            "cff-version: 1.2.0\n"
            'message: "If you use this course, please cite it as below."\n'
            "type: software\n"
            f"title: {quoted(self.title)}\n"
            f"version: {quoted(self.version)}\n"
            f"date-released: {self.date}\n"
            f"authors:\n{''.join(people)}"
            + "".join(f"{key}: {quoted(value)}\n" for key, value in places.items() if value)
            + "license: [BSD-3-Clause, CC-BY-4.0]\n"
            f"keywords: [{', '.join(KEYWORDS)}]\n"
            f"abstract: {quoted(ABSTRACT)}\n"
        )


def quoted(text: str) -> str:
    """Return a string as YAML, TOML and JSON read it."""
    return json.dumps(text, ensure_ascii=False)
