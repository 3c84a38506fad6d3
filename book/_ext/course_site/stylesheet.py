"""One stylesheet for every page, with the rules that the site can use.

The theme and the extensions bring a dozen files, most of whose rules style what the course has
not. When all pages are written, the files are joined in the order in which Sphinx would load
them, and a rule goes if it asks for a class, an id or an attribute that no page and no script
mentions; then custom properties go that nothing reads. The rest is kept, so a rule too many may
stay, and no rule that is used goes.

Families that come in scripts (`tools.fonts`) have a sheet of their own, for readers without
scripts: a browser that lays out the page before those are there would fetch their files too.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import tinycss2
from sphinx.application import Sphinx
from tinycss2.ast import Node

SHEET = "site.css"
FONTS = ("fonts.js", "fonts-more.js")  # made of bytes by `tools.fonts`
FONT_SHEET = "fonts.css"  # the same, where no script runs
SCRIPTED = re.compile(r'\["([^"]+)", \{')  # a font in the script
# The theme's own two come first; what single pages ask for is small and goes with the rest.
FIRST = ("styles/theme.css", "styles/pydata-sphinx-theme.css")
SOME_PAGES = ("live/live.css",)
# Bootstrap's script gives these to elements, and is too general to be asked for names.
GIVEN = {
    *("active", "collapse", "collapsed", "collapsing", "fade", "show", "showing", "hiding"),
    *("tooltip", "tooltip-inner", "tooltip-arrow", "bs-tooltip-auto", "data-popper-placement"),
    *("dropdown-menu", "dropup", "popover", "disabled", "open"),
}
NOT_ASKED = ("bootstrap.js", "searchindex.js", "reveal.js", *FONTS)
WORD = re.compile(r"[\w-]+")
ADDRESS = re.compile(r"""url\(\s*(["']?)(?!data:|https?:|#|/)([^"')]+)\1\s*\)""")
READ = re.compile(r"var\(\s*(--[\w-]+)")
IMPORT = re.compile(r"""@import\s+["']([^"']+)["'];?""")


def sheets(app: Sphinx) -> list[str]:
    """Return the stylesheets in their order, as paths below `_static`."""
    files = sorted(app.builder._css_files, key=lambda file: file.priority)
    names = [str(file.filename).removeprefix("_static/").split("?")[0] for file in files]
    return list(dict.fromkeys([*FIRST, *names, *SOME_PAGES]))


def read_sheet(static: Path, name: str) -> str:
    """Return a file's rules with its imports in place and addresses as seen from `_static`."""
    text = (static / name).read_text("utf-8")
    folder = Path(name).parent

    def moved(match: re.Match[str]) -> str:
        path = (static / folder / match[2].split("#")[0].split("?")[0]).resolve()
        return f'url("{path.relative_to(static.resolve()).as_posix()}")'

    def imported(match: re.Match[str]) -> str:
        path = (static / folder / match[1]).resolve()
        return read_sheet(static, path.relative_to(static.resolve()).as_posix())

    return IMPORT.sub(imported, ADDRESS.sub(moved, text))


def required(selector: list[Node]) -> Iterator[str]:
    """Yield the names an element must have for one selector: classes, ids, attributes."""
    for before, node in zip([None, *selector], selector, strict=False):
        if node.type == "hash" or (node.type == "ident" and before is not None and before == "."):
            yield node.value
        elif node.type == "[] block":
            yield next((part.value for part in node.content if part.type == "ident"), "")


def usable(selector: list[Node], known: set[str]) -> bool:
    """Say whether some element may match. What stands in `:not(…)` and the like is not asked."""
    return all(not name or name in known for name in required(selector))


def alternatives(prelude: list[Node]) -> list[list[Node]]:
    """Split a selector list at its commas."""
    found: list[list[Node]] = [[]]
    for node in prelude:
        if node == ",":
            found.append([])
        else:
            found[-1].append(node)
    return found


def kept_declarations(content: list[Node], read: set[str]) -> str:
    """Return a rule's declarations without the custom properties that nothing reads."""
    parts = tinycss2.parse_blocks_contents(content, True, True)
    kept = [p for p in parts if not getattr(p, "name", "").startswith("--") or p.name in read]
    return tinycss2.serialize(kept).rstrip(";")


def kept_rules(rules: list[Node], known: set[str], read: set[str]) -> str:
    """Return the rules that some element of the site may match."""
    kept = []
    for rule in rules:
        if rule.type == "qualified-rule":
            prelude = [s for s in alternatives(rule.prelude) if usable(s, known)]
            content = kept_declarations(rule.content, read) if prelude else ""
            if content:
                selector = ",".join(tinycss2.serialize(s).strip() for s in prelude)
                kept.append(f"{selector}{{{content}}}")
        elif rule.type == "at-rule" and rule.lower_at_keyword in ("media", "supports"):
            inner = tinycss2.parse_rule_list(rule.content, True, True)
            if text := kept_rules(inner, known, read):
                condition = tinycss2.serialize(rule.prelude).strip()
                kept.append(f"@{rule.lower_at_keyword} {condition}{{{text}}}")
        elif rule.type == "at-rule" and rule.lower_at_keyword != "charset":
            kept.append(tinycss2.serialize([rule]))
        elif rule.type == "error":
            raise ValueError(f"a stylesheet cannot be read: {rule.message}")
    return "\n".join(kept)


def kept_sheet(text: str, known: set[str]) -> str:
    """Return what of a stylesheet is used, where these are the words of pages and scripts.

    A property may be read by another one only, so the sheet is read again until nothing goes.
    """
    before = ""
    while text != before:
        before = text
        rules = tinycss2.parse_stylesheet(text, skip_comments=True, skip_whitespace=True)
        text = kept_rules(rules, known, known.union(READ.findall(text)))
    return text


def font_family(rule: Node) -> str:
    """Return the family of which a rule gives a font; nothing for other rules."""
    if rule.type != "at-rule" or rule.lower_at_keyword != "font-face":
        return ""
    parts = tinycss2.parse_blocks_contents(rule.content, True, True)
    name = next(part.value for part in parts if part.lower_name == "font-family")
    return " ".join(word.value for word in name if word.type in ("ident", "string"))


def divided(text: str, script: str) -> tuple[str, str]:
    """Return a stylesheet without the families in the fonts' script, and the fonts of these."""
    scripted = SCRIPTED.findall(script)
    rules = tinycss2.parse_stylesheet(text, skip_comments=True, skip_whitespace=True)
    parts: tuple[list[str], list[str]] = ([], [])
    for rule in rules:
        parts[font_family(rule) in scripted].append(rule.serialize())
    return "\n".join(parts[0]), "\n".join(parts[1])


def names_in_use(site: Path) -> set[str]:
    """Return every word of every page and script."""
    known = set(GIVEN)
    for path in (*site.rglob("*.html"), *site.rglob("*.js")):
        if path.name not in NOT_ASKED:
            known.update(WORD.findall(path.read_text("utf-8")))
    return known


def write_sheet(app: Sphinx, error: Exception | None) -> None:
    """Write the stylesheet when everything else is in its place."""
    if error is not None or app.builder.format != "html":
        return
    static = Path(app.outdir, "_static")
    text = "\n".join(read_sheet(static, name) for name in sheets(app))
    kept = kept_sheet(text, names_in_use(Path(app.outdir)))
    rules, fonts = divided(kept, "".join((static / name).read_text("utf-8") for name in FONTS))
    (static / SHEET).write_text(rules, "utf-8")
    (static / FONT_SHEET).write_text(fonts, "utf-8")


def setup(app: Sphinx) -> None:
    """Write the sheet when everything is in its place."""
    app.connect("build-finished", write_sheet, priority=900)
