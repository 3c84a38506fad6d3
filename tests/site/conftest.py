"""Fixtures of the page tests: the built site, a server for it, and visits."""

import pytest
from built_site import REQUIRED, SITE
from local_site import serving
from visiting import PATIENCE, Visit


@pytest.fixture(scope="session", autouse=True)
def _built() -> None:
    missing = [name for name in REQUIRED if not (SITE / name).exists()]
    if missing:
        pytest.fail(f"{SITE} lacks {', '.join(missing)}: run `make book` first", pytrace=False)


@pytest.fixture(scope="session")
def address():
    with serving(SITE) as base:
        yield base


@pytest.fixture
def visit(browser, address):
    """Open a page: `visit("book/index.html", width=360, theme="dark", javascript=False)`.

    `source="file"` opens it from the file system. Every visit has a context of its own.
    """
    contexts = []

    def opened(name, width=1280, theme="light", javascript=True, source="http"):
        context = browser.new_context(
            viewport={"width": width, "height": 800},
            color_scheme=theme,
            reduced_motion="reduce",
            java_script_enabled=javascript,
        )
        contexts.append(context)
        context.set_default_timeout(PATIENCE)
        base = address if source == "http" else f"{SITE.as_uri()}/"
        made = Visit(context.new_page(), base, scripted=javascript)
        made.go(name)
        return made

    yield opened
    for context in contexts:
        context.close()
