"""The shape of the package: floors, imports, public names, documented examples."""

import ast
import doctest
import importlib
import inspect
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import attn_helpers

ROOT = Path(attn_helpers.__file__).parent
SCORES = {
    "scores",
    "score_laws",
    "score_dependence",
    "score_density",
    "score_simulation",
    "score_comparison",
}
FLOORS = [
    {"softmax", "entropy", "projected", "initialisation", "exact", "random_energy", "extremes"}
    | {"jacobian", "needle", "word_vectors", "query_key_norm"}
    | SCORES,
    {"attention", "scaling", "saturation", "temperature"}
    | {"scaling_variants", "multi_head", "attention_rule", "real_models"},
    {"encoder", "encoder_layers", "encoder_inputs", "encoder_settings", "attention_probe"}
    | {"optim", "training", "reverse_task", "gradient_flow", "attention_stack", "retrieval"},
    {"experiments", "beta_search", "online_scale"},
    {"figures", "interactive", "exercises", "notebook"},
]
FLOOR = {name: floor for floor, names in enumerate(FLOORS) for name in names}
CORE = sorted(name for name in FLOORS[0] | FLOORS[1] | FLOORS[2] if (ROOT / f"{name}.py").exists())


def imported(path):
    """Names of the package's modules that the file imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            here = ("attn_helpers", *path.relative_to(ROOT).parts)
            parent = here[: -node.level] if node.level else ()
            parts = [*parent, *(node.module.split(".") if node.module else ())]
            if parts[0] == "attn_helpers":
                yield from [parts[1]] if len(parts) > 1 else [a.name for a in node.names]
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.startswith("attn_helpers"):
                    yield (*alias.name.split("."), "")[1]


def graph():
    """{module or subpackage: modules it imports}; floor-less private modules left out."""
    edges = {}
    for path in sorted(ROOT.rglob("*.py")):
        module = path.relative_to(ROOT).with_suffix("").parts[0]
        if module not in ("__init__", "_validate"):
            names = {public_home(name) for name in imported(path)}
            edges.setdefault(module, set()).update(names - {"_validate", module})
    return edges


def public_home(name):
    """The module a name imported from the top level lives in; a module's name is itself."""
    if name in FLOOR or name == "_validate":
        return name
    return getattr(attn_helpers, name).__module__.split(".")[1]


def test_every_module_stands_on_a_floor():
    assert set(graph()) <= set(FLOOR)


def test_imports_go_only_down():
    upward = [
        (module, name)
        for module, names in graph().items()
        for name in names
        if FLOOR[name] > FLOOR[module]
    ]
    assert upward == []


def test_no_two_modules_of_one_floor_import_one_another():
    edges = {m: {n for n in names if FLOOR[n] == FLOOR[m]} for m, names in graph().items()}
    while edges:
        leaves = {m for m, names in edges.items() if not names & set(edges)}
        assert leaves, f"a circle of imports among {sorted(edges)}"
        edges = {m: names for m, names in edges.items() if m not in leaves}


def test_floor_test_sees_imports():
    assert graph()["attention"] == {"softmax"}
    assert "scores" in graph()["score_laws"]


def test_importing_the_package_loads_only_numpy():
    heavy = ("matplotlib", "scipy", "IPython", "ipywidgets", "jax", "why_sqrt_d.exercises")
    code = f"import sys, attn_helpers; print([m for m in {heavy!r} if m in sys.modules])"
    output = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT.parent
    )
    assert output.stdout.strip() == "[]"


def test_public_names_exist_and_are_documented():
    assert attn_helpers.__version__
    assert len(set(attn_helpers.__all__)) == len(attn_helpers.__all__)
    for name in attn_helpers.__all__:
        thing = getattr(attn_helpers, name)
        assert thing.__doc__, name
        if inspect.isfunction(thing):
            for section in ("Parameters", "Returns", "Raises", "Examples"):
                assert f"\n    {section}\n" in thing.__doc__, (name, section)
            assert ">>>" in thing.__doc__, name


DOCUMENTED = set(CORE) - {
    "encoder_layers",
    "encoder_inputs",
}
MODULES = [found.name for found in pkgutil.walk_packages([str(ROOT)], "attn_helpers.")]


@pytest.mark.parametrize("name", MODULES)
def test_documented_examples_run(name):
    importlib.import_module(name)
    result = doctest.testmod(sys.modules[name])
    assert result.failed == 0
    assert result.attempted > 0 or name.removeprefix("attn_helpers.") not in DOCUMENTED


@pytest.mark.parametrize("name", [*CORE, "_validate"])
def test_files_and_functions_stay_small(name):
    source = (ROOT / f"{name}.py").read_text()
    assert source.count("\n") < 300
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef):
            documented = ast.get_docstring(node, clean=False)
            lines = node.end_lineno - node.lineno + 1
            code = lines - (documented.count("\n") + 1 if documented else 0)
            assert code <= 30, f"{name}.{node.name} has {code} lines of code"
