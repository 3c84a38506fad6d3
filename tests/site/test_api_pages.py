"""The API reference: every public name of the core stands in it, once, and says what it takes."""

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator

import pytest
from built_site import ROOT, soup

import attn_helpers
from tools.paths import BOOK

PAGES = sorted((BOOK / "api").glob("*.md"))
DIRECTIVE = re.compile(
    r"^\.\. (currentmodule|(?:auto)?(?:function|class|data)):: (\S+?)(?:\(\))?$", re.M
)
TABLES = {"attn_helpers.initialisation.INITIALISATIONS"}
# What modules share with one another, not with readers.
INTERNAL = {
    "attn_helpers.weights.exponentials",
    "attn_helpers.weights.refuse_infinite",
}


def listed(text: str) -> Iterator[str]:
    """Yield the full names that a page documents."""
    module = ""
    for kind, name in DIRECTIVE.findall(text):
        if kind == "currentmodule":
            module = name
        else:
            yield f"{module}.{name}"


def public() -> set[str]:
    """Return the functions and classes that the core's modules define, by full name."""
    found = set()
    for module in pkgutil.iter_modules(attn_helpers.__path__, "attn_helpers."):
        if "._" not in module.name and module.name != "attn_helpers.checks":
            for key, thing in vars(importlib.import_module(module.name)).items():
                own = getattr(thing, "__module__", None) == module.name
                kind = inspect.isfunction(thing) or inspect.isclass(thing)
                if own and kind and not key.startswith("_"):
                    found.add(f"{module.name}.{key}")
    return found - INTERNAL


def thing(name: str) -> object:
    """Return what a full name stands for."""
    module, _, short = name.rpartition(".")
    return getattr(importlib.import_module(module), short)


LISTED = [name for page in PAGES for name in listed(page.read_text(encoding="utf-8"))]


def test_the_public_names_of_the_core_stand_there_once_and_no_others() -> None:
    core = sorted(name for name in LISTED if name.startswith("attn_helpers."))
    assert core == sorted(public() | TABLES)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_each_name_is_on_its_page_with_words_and_leads_to_its_lines(page) -> None:
    name = page.relative_to(ROOT).with_suffix(".html").as_posix()
    for full in listed(page.read_text(encoding="utf-8")):
        signature, short = soup(name).find(id=full), full.rpartition(".")[2]
        assert len(signature.find_next_sibling("dd").get_text(" ").split()) >= 5, full
        link = signature.select_one("a[href*='_modules/']")
        if link is None:
            assert short.isupper(), full  # a table, not code
            continue
        file, _, anchor = link["href"].partition("#")
        listing = soup((ROOT / name).parent.joinpath(file).resolve().relative_to(ROOT).as_posix())
        assert re.search(rf"(def|class) {short}\b", listing.find(id=anchor).get_text()), full
