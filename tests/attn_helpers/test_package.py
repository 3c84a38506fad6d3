"""The shape of both packages: what imports what, and that the documented examples run."""

import doctest
import importlib
import inspect
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import attn_helpers
import why_sqrt_d

ROOT = Path(attn_helpers.__file__).parents[1]
CORE = [found.name for found in pkgutil.iter_modules(attn_helpers.__path__, "attn_helpers.")]
COURSE = [found.name for found in pkgutil.walk_packages(why_sqrt_d.__path__, "why_sqrt_d.")]


def test_importing_the_core_loads_only_numpy() -> None:
    heavy = {"matplotlib", "scipy", "IPython", "anywidget", "jax", "why_sqrt_d"}
    code = f"import sys, {', '.join(CORE)}; print(*{heavy!r} & {{*sys.modules}})"
    assert subprocess.check_output([sys.executable, "-c", code], text=True, cwd=ROOT) == "\n"


def test_public_names_are_few_and_documented() -> None:
    assert attn_helpers.__version__
    assert len(attn_helpers.__all__) == len(set(attn_helpers.__all__)) <= 30
    for name in attn_helpers.__all__:
        thing = getattr(attn_helpers, name)
        assert ">>>" in (inspect.getdoc(thing) or ""), name
    for module in CORE:
        short = module.rpartition(".")[2]
        assert inspect.ismodule(getattr(attn_helpers, short)), f"a name hides {module}"
        for name, thing in vars(getattr(attn_helpers, short)).items():
            made = getattr(thing, "__dataclass_params__", None)
            assert made is None or made.frozen, f"{module}.{name} can be changed"


@pytest.mark.parametrize("name", [*CORE, *COURSE])
def test_documented_examples_run(name: str) -> None:
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0
    if name.startswith("attn_helpers.") and not name.endswith("checks"):
        assert result.attempted > 0
