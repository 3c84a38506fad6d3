"""ES modules joined into one text, for anywidget and for the page.

A page from the file system may not import modules, and anywidget takes one text; so each module
becomes a function that runs once and returns its exports, and an import takes names out of what
it returned. Modules import and export names only, each declaration on a line of its own.
"""

import re
from pathlib import Path

_IMPORT = re.compile(r'^import \{([^}]*)\}\s*from "([^"]+)";$', re.M)
_EXPORT = re.compile(r"^export (?=(?:class|const|function) (\w+))", re.M)
_EXPORTS = re.compile(r"\bexport ?\{([^}]*)\};?\s*$")
_DEFAULT = re.compile(r"^export default ", re.M)
_LEFT = re.compile(r"^(?:import|export)\b.*", re.M)
_COMMENT = re.compile(r"^ *(?:/\*(?!!).*?\*/|//.*?)\n", re.M | re.S)  # `/*!`: a licence
_INDENT = re.compile(r"^ +", re.M)


def _text(path: Path) -> str:
    return path.read_text("utf-8")


def modules(path: Path) -> list[Path]:
    """Return a module and all that it imports, each after what it needs."""
    found: list[Path] = []

    def visit(one: Path) -> None:
        for _, name in _IMPORT.findall(_text(one)):
            visit((one.parent / name).resolve())
        if one not in found:
            found.append(one)

    visit(path.resolve())
    return found


def wrapped(path: Path) -> str:
    """Return a module as a JavaScript expression: what it exports, or its default."""

    def taken(match: re.Match[str]) -> str:
        return f"const {{{match[1].replace(' as ', ': ')}}} = ${Path(match[2]).stem};"

    text = _IMPORT.sub(taken, _text(path))
    names = _EXPORT.findall(text)
    text = _EXPORT.sub("", text)
    if listed := _EXPORTS.search(text):
        pairs = [re.split(r"\s+as\s+", name.strip()) for name in listed[1].split(",")]
        names += [f"{pair[-1]}: {pair[0]}" for pair in pairs]
        text = text[: listed.start()]
    text, defaults = _DEFAULT.subn("const $default = ", text)
    if left := _LEFT.search(text):
        raise ValueError(f"{path.name}: cannot join {left[0]!r}")
    if defaults:
        names.append("default: $default")
    return f"(() => {{\n{text}\nreturn {{ {', '.join(names)} }};\n}})()"


def declared(paths: list[Path]) -> str:
    """Return the modules one after the other, each as a constant."""
    return "\n".join(f"const ${path.stem} = {wrapped(path)};" for path in paths)


def widget_text(path: Path) -> str:
    """Return a figure's module with all that it imports, as anywidget takes it."""
    needed = modules(path)
    return f"{declared(needed)}\nexport default ${path.stem}.default;\n"


def lighter(text: str) -> str:
    """Return a script without what a browser need not be sent: comments and indents."""
    return _INDENT.sub("", _COMMENT.sub("", text))


def engine_text(host: Path) -> str:
    """Return the script that a page with live figures loads: what they share, and their host."""
    paths = sorted(host.parent.glob("*.js"))
    shared = list(dict.fromkeys(m for path in paths for m in modules(path)))
    names = ", ".join(f"{path.stem}: ${path.stem}" for path in shared)
    shown = f"Object.assign(window, {{ liveFigures: {{}}, liveModules: {{ {names} }} }});"
    return lighter(f"(() => {{\n{declared(shared)}\n{shown}\n}})();\n")


def figure_text(path: Path, name: str, shared: Path) -> str:
    """Return the script of one figure, called `name`, for a page that has the engine."""
    needed = modules(path)
    own = [m for m in needed if m.parent != shared.resolve()]
    names = ", ".join(f"{m.stem}: ${m.stem}" for m in needed if m not in own)
    return lighter(
        f"(() => {{\nconst {{ {names} }} = window.liveModules;\n{declared(own)}\n"
        f"window.liveModules.{path.stem} = ${path.stem};\n"
        f'window.liveFigures["{name}"] = ${path.stem}.default;\n}})();\n'
    )
