"""What the course says of itself, from `_config.yml`: who, which version, where, how to cite it.

What is empty there is left out wherever it would be said.
"""

from dataclasses import dataclass
from pathlib import Path

NAMELESS = "The authors of Why √d?"


@dataclass(frozen=True)
class About:
    """The course, as it is named and cited; authors as pairs of given and family name."""

    title: str
    version: str
    date: str
    authors: tuple[tuple[str, str], ...] = ()
    doi: str = ""
    repository: str = ""
    site: str = ""

    @classmethod
    def read(cls, folder: Path) -> "About":
        """Read `course`, `repository.url` and `html.baseurl` of a folder's `_config.yml`."""
        import yaml  # the package itself needs none

        settings = yaml.safe_load((folder / "_config.yml").read_text("utf-8"))
        course = settings["course"]
        people = tuple(
            (person["given"], person["family"]) for person in course.get("authors") or ()
        )
        repository = (settings.get("repository") or {}).get("url") or ""
        site = (settings.get("html") or {}).get("baseurl") or ""
        title, version, date = (str(course[key]) for key in ("title", "version", "date"))
        doi = course.get("doi") or ""
        return cls(title, version, date, people, doi, repository.rstrip("/"), site.rstrip("/"))

    @property
    def name(self) -> str:
        """Return the title's question."""
        return self.title.partition("?")[0] + "?"

    @property
    def people(self) -> str:
        """Return the authors' names as a line of text has them."""
        names = [f"{given} {family}" for given, family in self.authors] or [NAMELESS]
        return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))

    @property
    def address(self) -> str:
        """Return the address that lasts longest."""
        return f"https://doi.org/{self.doi}" if self.doi else self.site or self.repository

    def bibtex(self, chapter: str = "", title: str = "") -> str:
        """Return an entry for the course, or for one of its chapters."""
        names = [f"{family}, {given}" for given, family in self.authors]
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
