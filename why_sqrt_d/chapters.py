"""The chapters' modules, imported when they are asked for: `ch3` alone imports no Matplotlib."""

import importlib
import importlib.util
import pkgutil
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType


def opening(package: str) -> Callable[[str], ModuleType]:
    """Return the `__getattr__` with which a package imports its modules at their first use."""

    def import_module(name: str) -> ModuleType:
        if name.startswith("_") or importlib.util.find_spec(f"{package}.{name}") is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return importlib.import_module(f"{package}.{name}")

    return import_module


def chapter_modules(name: str) -> Iterator[ModuleType]:
    """Import the module of that name of every chapter that has one, in the chapters' order."""
    for chapter in sorted(pkgutil.iter_modules([str(Path(__file__).parent)])):
        room = f"why_sqrt_d.{chapter.name}.{name}"
        if chapter.name[2:].isdigit() and importlib.util.find_spec(room):
            yield importlib.import_module(room)
