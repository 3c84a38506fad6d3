"""Find the answers in a returned notebook without running any of it."""

import ast
import re
from collections.abc import Iterator
from typing import Any

from why_sqrt_d.exercises.grammar import NotANumber, parse_number

MAGIC = re.compile(r"^\s*[%!].*$", re.M)
WRAPPERS = {"array", "asarray", "float64", "list", "tuple", "float", "int", "str"}
ELSEWHERE = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


class NeedsRunning(Exception):
    """The answer is code whose value cannot be read off."""


class Submission:
    """The statements of a notebook's code cells, in order.

    Attributes
    ----------
    statements : list of ast.stmt
        Top-level statements of every cell that parses.
    unreadable : list of (str, str)
        Source and trouble of every cell that does not.
    """

    def __init__(self, sources: list[str]) -> None:
        self.statements: list[ast.stmt] = []
        self.unreadable: list[tuple[str, str]] = []
        for source in sources:
            try:
                self.statements += ast.parse(MAGIC.sub("pass", source)).body
            except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
                line = getattr(error, "lineno", None)
                place = f", line {line} of the cell" if line else ""
                trouble = getattr(error, "msg", None) or type(error).__name__
                self.unreadable.append((source, f"{trouble}{place}"))

    def mentions(self, name: str) -> bool:
        """Tell whether a name is bound anywhere, or stands in a cell that does not parse."""
        return self.last(name) is not None or self.trouble(name) != ""

    def trouble(self, name: str) -> str:
        """Say what is wrong with the unreadable cell that a name stands in."""
        word = re.compile(rf"\b{re.escape(name)}\b")
        return next((why for source, why in self.unreadable if word.search(source)), "")

    def last(self, name: str) -> int | None:
        """Return the place of the last statement that binds a name."""
        places = [i for i, node in enumerate(self.statements) if name in bound(node)]
        return places[-1] if places else None

    def slice(self, name: str) -> str:
        """Return the statements that a name's value rests on, as source.

        A statement belongs to it if it binds or changes something that is needed. What is
        changed only inside a function that is called is not seen.
        """
        end = self.last(name)
        if end is None:
            return ""
        before = list(enumerate(self.statements[: end + 1]))
        needed, chosen = {name, "*"}, set[int]()
        grew = True
        while grew:
            new = {i for i, node in before if (bound(node) | changed(node)) & needed} - chosen
            grew, chosen = bool(new), chosen | new
            for i in new:
                loaded = ast.walk(self.statements[i])
                needed |= {part.id for part in loaded if isinstance(part, ast.Name)}
        kept = [node for i, node in before if i in chosen]
        return ast.unparse(ast.Module(body=kept, type_ignores=[]))


def _outside(node: ast.AST) -> Iterator[ast.AST]:
    """Walk a statement without entering functions and classes."""
    yield node
    if not isinstance(node, ELSEWHERE):
        for child in ast.iter_child_nodes(node):
            yield from _outside(child)


def bound(node: ast.stmt) -> set[str]:
    """Return the names that a statement binds; `*` for a star import."""
    names = set()
    for part in _outside(node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            names.add(part.id)
        elif isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(part.name)
        elif isinstance(part, ast.alias):
            names.add(part.asname or part.name.split(".")[0])
    return names


def changed(node: ast.stmt) -> set[str]:
    """Return the names whose objects a statement changes: `x[0] = 1`, `x.append(2)`."""
    names = set()
    for part in _outside(node):
        if isinstance(part, ast.Subscript | ast.Attribute) and isinstance(part.ctx, ast.Store):
            names |= _base(part)
        elif isinstance(part, ast.Expr) and isinstance(part.value, ast.Call):
            names |= _base(part.value.func)
    return names


def _base(node: ast.AST) -> set[str]:
    """Return the name that `x.a[0].b` begins with; nothing for a bare name that is called."""
    if isinstance(node, ast.Name):
        return set()
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return {node.id} if isinstance(node, ast.Name) else set()


def assigned_value(node: ast.stmt) -> ast.expr | None:
    """Return what a plain assignment to one name assigns."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        return node.value if isinstance(node.targets[0], ast.Name) else None
    return node.value if isinstance(node, ast.AnnAssign) else None


def read_value(node: ast.expr) -> Any:
    """Return the value of a literal or of a plain arithmetic expression.

    Raises
    ------
    NeedsRunning
        If it is neither.
    """
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.List | ast.Tuple):
        return [read_value(item) for item in node.elts]
    if isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords:
        name = ast.unparse(node.func).removeprefix("np.").removeprefix("numpy.")
        if name in WRAPPERS:
            return read_value(node.args[0])
    text = re.sub(r"\b(?:np|numpy|math)\.", "", ast.unparse(node))
    try:
        return parse_number(re.sub(r"\blog\(", "ln(", text))
    except NotANumber as unread:
        raise NeedsRunning(ast.unparse(node)) from unread


def is_stub(node: ast.stmt) -> bool:
    """Tell whether a function's body is still to be written."""
    return isinstance(node, ast.FunctionDef) and all(
        isinstance(part, ast.Pass)
        or (isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant))
        for part in node.body
    )
