"""The rooms of this house: the packages, and in the course its chapters; who may import whom."""

import ast
import pkgutil
import re
from collections.abc import Iterator
from importlib.util import resolve_name

from stored_outputs import sources

import why_sqrt_d
from tools.paths import BOOK, ROOT

COURSE = [module.name for module in pkgutil.iter_modules(why_sqrt_d.__path__, "why_sqrt_d.")]
CHAPTERS = {name for name in COURSE if re.fullmatch(r"why_sqrt_d\.(ch\d|front)", name)}
BELOW = {"attn_helpers", "why_sqrt_d"}
MAY_IMPORT: dict[str, set[str]] = {  # a room: which others
    "attn_helpers": set(),
    "why_sqrt_d": {"attn_helpers"},
    **dict.fromkeys(CHAPTERS, BELOW),  # and no chapter another
    **dict.fromkeys(("book", "course_site", "research"), BELOW | CHAPTERS),
    "tools": BELOW,
    "benchmarks": {"attn_helpers"},
    "tests": BELOW | CHAPTERS | {"course_site", "research", "tools"},
}


def imported(source: str, package: str) -> Iterator[str]:
    """Yield the full names that a text of Python in a package imports, in functions too."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = resolve_name("." * node.level + (node.module or ""), package)
            yield from (f"{module}.{name.name}" for name in node.names)


def room_of(name: str) -> str:
    """Return the room of a module: its package, or in the course the chapter."""
    return re.findall(r"^why_sqrt_d\.(?:ch\d|front)\b|^\w+", name)[0]


def test_imports_go_down() -> None:
    met: set[str] = set()
    for path in (*ROOT.glob("[a-z]*/**/*.py"), *BOOK.glob("*.ipynb")):
        package = ".".join(path.parent.relative_to(ROOT).parts).removeprefix("book._ext.")
        if package.startswith(("node_modules", "build")):
            continue
        code = sources(path, "code") if path.suffix == ".ipynb" else [path.read_text("utf-8")]
        importing = room_of(package)
        modules = imported("\n".join(code), package)
        rooms = {room_of(module) for module in modules} & MAY_IMPORT.keys()
        forbidden = rooms - {importing} - MAY_IMPORT[importing]
        assert not forbidden, f"{path.relative_to(ROOT)} may not import {forbidden}"
        met |= {importing} | rooms
    assert met == MAY_IMPORT.keys()
