"""The shape of the packages: few names, documented, and that the examples run."""

import doctest
import importlib
import inspect
import pkgutil
import re
import subprocess
import sys

import numpy as np
import pytest
from stored_outputs import sources

import attn_helpers
import research
import why_sqrt_d
from tools.paths import BOOK, ROOT

CORE = [module.name for module in pkgutil.iter_modules(attn_helpers.__path__, "attn_helpers.")]
COURSE = [module.name for module in pkgutil.walk_packages(why_sqrt_d.__path__, "why_sqrt_d.")]
#: But those that run in environments of their own.
RESEARCH = [
    module.name
    for module in pkgutil.walk_packages(research.__path__, "research.")
    if not module.name.startswith(("research.libraries", "research.opened_models"))
]


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


def test_every_function_that_a_reader_meets_says_what_it_takes_and_returns() -> None:
    """A function in `__all__`, or that a notebook calls: its arguments, its result, an example.

    What a class is made with stands in its own words, its methods' in those of the first.
    """
    code = "\n".join(text for path in BOOK.glob("*.ipynb") for text in sources(path, "code"))
    met, told = {*re.findall(r"\w+(?=\()", code), *attn_helpers.__all__}, set()
    for module in (importlib.import_module(name) for name in CORE):
        for name, function in inspect.getmembers(module, inspect.isfunction):
            own = function.__module__ == module.__name__ != "attn_helpers.checks"
            if not own or name not in met:
                continue
            words, _, example = (inspect.getdoc(function) or "").partition(
                "\nExamples\n--------\n"
            )
            _, _, takes = words.partition("\nParameters\n----------\n")
            takes, _, returns = takes.partition("\nReturns\n-------\n")
            assert returns.strip(), name
            assert ">>> " in example, name
            given = re.findall(r"^(\w[\w, ]*?)(?: : .*)?$", takes, re.M)
            names = [one for line in given for one in line.split(", ")]
            assert sorted(names) == sorted(inspect.signature(function).parameters), name
            told.add(name)
    assert len(told) > 35


def test_what_says_things_cannot_be_changed() -> None:
    for module in [*CORE, *(name for name in COURSE if ".exercises." in name)]:
        for name, thing in vars(importlib.import_module(module)).items():
            made = getattr(thing, "__dataclass_params__", None)
            assert made is None or made.frozen or name.startswith("_"), f"{module}.{name}"


@pytest.mark.parametrize("name", [*CORE, *COURSE, *RESEARCH])
def test_documented_examples_run(name: str) -> None:
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0
    if name.startswith("attn_helpers.") and not name.endswith("checks"):
        assert result.attempted > 0


def test_a_masked_array_is_refused_everywhere() -> None:
    """`np.asarray` would drop the mask without a word."""
    x = np.ma.masked_invalid([[1.0, np.nan], [2.0, 3.0]])
    scores = np.eye(2)
    calls = [
        lambda: attn_helpers.softmax(x),
        lambda: attn_helpers.entropy(x),
        lambda: attn_helpers.scaled_dot_product_attention(scores, x, scores),
        lambda: attn_helpers.scaled_dot_product_attention(scores, scores, scores, x > 1),
        lambda: attn_helpers.unit_length(x),
        lambda: attn_helpers.score_statistics(x),
        lambda: attn_helpers.temperature.target_loss(scores, np.ma.array([0, 1]), 1.0),
    ]
    for call in calls:
        with pytest.raises(TypeError, match="is a masked array, whose mask would be ignored"):
            call()
