"""The shape of both packages: what imports what, and that the documented examples run."""

import ast
import doctest
import importlib
import inspect
import pkgutil
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import attn_helpers
import why_sqrt_d

ROOT = Path(attn_helpers.__file__).parents[1]
CORE = [found.name for found in pkgutil.iter_modules(attn_helpers.__path__, "attn_helpers.")]
COURSE = [found.name for found in pkgutil.walk_packages(why_sqrt_d.__path__, "why_sqrt_d.")]


def source(module: str) -> Path:
    """Return the file of a module or package."""
    path = ROOT.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def imported(module: str, names: set[str]) -> Iterator[str]:
    """Yield what a module imports, wherever in it, as the longest of `names` or as written."""
    package = module.split(".") if source(module).stem == "__init__" else module.split(".")[:-1]
    for node in ast.walk(ast.parse(source(module).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) + 1 - node.level] if node.level else []
            home = ".".join([*above, *([node.module] if node.module else [])])
            inside = {f"{home}.{alias.name}" for alias in node.names}
            yield from inside & names or {home}


def test_the_core_imports_numpy_and_the_standard_library() -> None:
    found = {name.split(".")[0] for module in CORE for name in imported(module, set())}
    assert "numpy" in found
    assert found - set(sys.stdlib_module_names) == {"numpy", "attn_helpers"}


@pytest.mark.parametrize("package", ["attn_helpers", "why_sqrt_d"])
def test_no_circle_of_imports(package: str) -> None:
    names = {name for name in (*CORE, *COURSE, package) if name.split(".")[0] == package}
    edges = {name: names & set(imported(name, names)) for name in names}
    assert any(edges.values())
    assert list(TopologicalSorter(edges).static_order())  # raises CycleError, which names it


def test_public_names_are_few_and_documented() -> None:
    assert attn_helpers.__version__
    assert len(attn_helpers.__all__) == len(set(attn_helpers.__all__)) <= 30
    for name in attn_helpers.__all__:
        thing = getattr(attn_helpers, name)
        assert ">>>" in (inspect.getdoc(thing) or ""), name
    for module in CORE:
        short = module.rpartition(".")[2]
        assert inspect.ismodule(getattr(attn_helpers, short)), f"a name hides {module}"


@pytest.mark.parametrize("name", [*CORE, *COURSE])
def test_documented_examples_run(name: str) -> None:
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0
    if name.startswith("attn_helpers.") and not name.endswith("checks"):
        assert result.attempted > 0
