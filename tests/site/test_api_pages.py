"""The API reference: every public name stands in it, once, with an example that runs."""

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator

import pytest

import attn_helpers
from tools.paths import BOOK

PAGES = sorted((BOOK / "api").glob("*.md"))
DIRECTIVE = re.compile(
    r"^\.\. (currentmodule|(?:auto)?(?:function|class|data)):: (\S+?)(?:\(\))?$", re.M
)
INTERNAL = {"encoder_inputs", "encoder_layers"}  # the encoder's own parts
EXPERIMENTS = "why_sqrt_d.experiments"


def listed(text: str) -> Iterator[str]:
    """Yield the full names that a page documents."""
    module = ""
    for kind, name in DIRECTIVE.findall(text):
        if kind == "currentmodule":
            module = name
        else:
            yield f"{module}.{name}"


def defined_in(name: str) -> Iterator[str]:
    """Yield the full names of functions and classes that a module itself defines."""
    module = importlib.import_module(name)
    for key, thing in vars(module).items():
        own = getattr(thing, "__module__", None) == name
        if (
            own
            and not key.startswith("_")
            and (inspect.isfunction(thing) or inspect.isclass(thing))
        ):
            yield f"{name}.{key}"


def public() -> set[str]:
    """Return every public name: what `__all__` says, and whole modules that export nothing.

    A module that gives names to the top level keeps its other names to itself.
    """
    found = {f"attn_helpers.{name}" for name in attn_helpers.__all__}
    tops = [getattr(attn_helpers, name) for name in attn_helpers.__all__]
    exporting = {getattr(top, "__module__", "") for top in tops}
    for module in pkgutil.iter_modules(attn_helpers.__path__, "attn_helpers."):
        short = module.name.rpartition(".")[2]
        names = getattr(importlib.import_module(module.name), "__all__", None)
        if names is not None:
            found |= {f"{module.name}.{name}" for name in names}
        elif not short.startswith("_") and module.name not in exporting and short not in INTERNAL:
            found |= set(defined_in(module.name))
    return found | set(defined_in(f"{EXPERIMENTS}.summary"))


def thing(name: str) -> object:
    """Return what a full name stands for."""
    module, _, short = name.rpartition(".")
    return getattr(importlib.import_module(module), short)


LISTED = [name for page in PAGES for name in listed(page.read_text(encoding="utf-8"))]
FUNCTIONS = sorted(name for name in LISTED if inspect.isfunction(thing(name)))


def test_the_rule_finds_names_of_every_kind() -> None:
    for name in ("softmax", "REAL_MODELS", "Gaussian", "encoder.forward", "exercises.check"):
        assert f"attn_helpers.{name}" in public()
    for name in ("encoder_layers.linear", "softmax.exponentials", "softmax.softmax"):
        assert f"attn_helpers.{name}" not in public()


def test_no_public_name_is_missing() -> None:
    assert public() - set(LISTED) == set()


def test_only_public_names_are_there_and_each_once() -> None:
    assert set(LISTED) - public() == set()
    assert sorted(name for name in set(LISTED) if LISTED.count(name) > 1) == []


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_says_what_it_takes_and_gives_and_shows_it(name: str) -> None:
    function = thing(name)
    text = inspect.getdoc(function) or ""
    sections = ["Examples"]
    sections += ["Parameters"] if inspect.signature(function).parameters else []  # type: ignore[arg-type]
    for section in sections:
        assert f"\n{section}\n{'-' * len(section)}\n" in text, section
    # The examples of every module run in tests/package/test_package.py.
    assert ">>> " in text.split("\nExamples\n")[1]
