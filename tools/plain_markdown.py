"""From the chapters' MyST to Markdown that every notebook viewer shows.

The site's numbers, cross-references and citations are made by Sphinx, which a student's notebook
has not got. Here each of them becomes plain text: a glued number its stored value, a reference
its title or a link to the other notebook, a citation the authors and the year.
"""

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat
import yaml
from nbformat import NotebookNode
from pybtex.database import parse_file

from tools.paths import BOOK, CONFIG

ROLE = re.compile(r"\{([a-z:]+)\}`([^`]+)`")
TARGET = re.compile(r"^(.*?)\s*<([^<>]+)>$", re.S)
SECTION = re.compile(r"^\(([\w-]+)\)=\n#+ (.+)$", re.M)
EQUATION = re.compile(r"^\$\$ \(([\w-]+)\)$", re.M)
NAMED = re.compile(r"^:::\{prf:(\w+)\} (.+)\n:label: ([\w-]+)$", re.M)
FENCE = re.compile(r"^:::\{([\w:]+)\} *([^\n]*)\n((?::\w+:[^\n]*\n)*)(.*?)\n:::$", re.M | re.S)
DIRECTIVE = re.compile(r"^```\{[\w-]+\}\n(.*?)\n```$", re.M | re.S)


@dataclass
class Book:
    """What the chapters refer to.

    Attributes
    ----------
    names : dict of str to (str, str)
        Label to the chapter's file and the text a reference shows.
    values : dict of str to dict of str to object
        For each chapter's file, the glued results by name.
    citations : dict of str to (str, str)
        Key to authors and year.
    verdicts : dict of str to str
        Claim to verdict.
    macros : dict of str to str
        The course's own TeX commands, without the backslash, and what they stand for.
    """

    names: dict[str, tuple[str, str]] = field(default_factory=dict)
    values: dict[str, dict[str, Any]] = field(default_factory=dict)
    citations: dict[str, tuple[str, str]] = field(default_factory=dict)
    verdicts: dict[str, str] = field(default_factory=dict)
    macros: dict[str, str] = field(default_factory=dict)


def read_book(chapters: Iterable[Path], folder: Path = BOOK) -> Book:
    """Gather labels, glued values, citations and verdicts."""
    book = Book()
    for path in chapters:
        notebook = nbformat.read(path, as_version=4)
        text = "\n\n".join(c.source for c in notebook.cells if c.cell_type == "markdown")
        book.values[path.name] = glued(notebook)
        for label, title in SECTION.findall(text):
            book.names[label] = path.name, title
        for number, label in enumerate(EQUATION.findall(text), start=1):
            book.names[label] = path.name, f"({int(path.name[:2])}.{number})"
        for kind, title, label in NAMED.findall(text):
            book.names[label] = path.name, f"{kind.capitalize()} “{title}”"
    for key, entry in parse_file(folder / "references.bib").entries.items():
        people = entry.persons.get("author", [])
        names = [" ".join(map(str, person.rich_last_names)) for person in people]
        authors = f"{names[0]} et al." if len(names) > 2 else " and ".join(names)
        book.citations[key] = authors, entry.fields.get("year", "n.d.")
    claims = yaml.safe_load((folder / "claims.yml").read_text(encoding="utf-8"))
    book.verdicts = {claim["id"]: claim["verdict"] for claim in claims}
    settings = yaml.safe_load(CONFIG.read_text(encoding="utf-8"))
    book.macros = settings["sphinx"]["config"]["tex_macros"]
    return book


def glued(notebook: NotebookNode) -> dict[str, Any]:
    """Return the results that a stored notebook's cells glued."""
    found = {}
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            name = output.get("metadata", {}).get("scrapbook", {}).get("name")
            if name:
                text = output["data"]["application/papermill.record/text/plain"]
                found[name] = ast.literal_eval("".join(text))
    return found


def plain(text: str, book: Book, chapter: str) -> str:
    """Return one cell's MyST as Markdown.

    Parameters
    ----------
    text : str
        MyST Markdown.
    book : Book
        What may be referred to.
    chapter : str
        The name of the notebook the text stands in.

    Raises
    ------
    ValueError
        If the text uses a role that has no plain form, or names something that is not there.
    """
    text = re.sub(r"^\([\w-]+\)=\n", "", text, flags=re.M)
    text = EQUATION.sub(lambda m: rf"\tag{{{book.names[m[1]][1][1:-1]}}}" + "\n$$", text)
    text = DIRECTIVE.sub(lambda m: m[1], FENCE.sub(_paragraphs, text))
    for name, macro in book.macros.items():
        text = re.sub(rf"\\{name}(?![A-Za-z])", macro.replace("\\", r"\\"), text)

    def role(match: re.Match[str]) -> str:
        try:
            return _role(match[1], match[2], book, chapter)
        except KeyError as missing:
            raise ValueError(
                f"{chapter}: {match[0]} names {missing}, which is not there"
            ) from None

    return ROLE.sub(role, text).strip()


def _paragraphs(match: re.Match[str]) -> str:
    """Write a proposition, a proof or an admonition as paragraphs."""
    name, title, _, body = match.groups()
    body = body.strip()
    if name == "prf:proof":
        return f"*Proof.* {body} ∎"
    if name.startswith("prf:"):
        kind = name.removeprefix("prf:").capitalize()
        return f"**{kind} ({title}).** {body}" if title else f"**{kind}.** {body}"
    return "\n".join(f"> {line}".rstrip() for line in f"**{title}**\n\n{body}".split("\n"))


def _role(role: str, content: str, book: Book, chapter: str) -> str:
    if role == "glue:text":
        place, _, spec = content.partition(":") if "::" not in content else _elsewhere(content)
        home, _, name = place.rpartition("/")
        return format(book.values[home or chapter][name], spec)
    if role in ("cite", "cite:t"):
        return _citation([book.citations[k.strip()] for k in content.split(",")], role)
    if role == "claim":
        return f"claim {content}: {book.verdicts[content]}"
    if role == "said":
        return f"“{content}”"
    return _reference(role, content, book, chapter)


def _elsewhere(content: str) -> tuple[str, str, str]:
    home, _, rest = content.partition("::")
    name, colon, spec = rest.partition(":")
    return f"{home}/{name}", colon, spec


def _citation(entries: list[tuple[str, str]], role: str) -> str:
    if role == "cite":
        return "[" + "; ".join(f"{authors}, {year}" for authors, year in entries) + "]"
    return ", ".join(f"{authors} ({year})" for authors, year in entries)


def _reference(role: str, content: str, book: Book, chapter: str) -> str:
    """Write a reference as its text, linked where it leads to another notebook."""
    titled = TARGET.match(content)
    label = titled[2] if titled else content
    if role == "doc":
        if not titled:
            raise ValueError(f"{chapter}: give {{doc}}`{content}` a text of its own")
        file = f"{label}.ipynb"
        return f"[{titled[1]}]({file})" if file in book.values else titled[1]
    if role == "term":  # a word of the glossary, which stays on the website
        return titled[1] if titled else content
    if role not in ("ref", "eq", "prf:ref", "numref"):
        raise ValueError(f"{chapter}: the role {{{role}}} has no plain form")
    home, title = book.names[label]
    shown = titled[1] if titled else title
    return shown if home == chapter or role == "eq" else f"[{shown}]({home})"
