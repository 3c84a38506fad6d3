"""The notebooks in a JupyterLab that knows nothing of MyST read well, and after running too."""

import re

import pytest
from live_notebook import OPEN, PATIENCE, READY, RUN
from visiting import Visit

from tools.paths import BOOK, chapters, notebooks

# What a reader sees of the cells: Markdown and outputs, without the code; and what went wrong.
SHOWN = """() => {
  const notebook = jupyterapp.shell.currentWidget.content;
  return notebook.widgets.map(cell => {
    const parts = cell.model.type === "markdown" ? [cell.node.querySelector(".jp-MarkdownOutput")]
      : [...cell.node.querySelectorAll(".jp-OutputArea-output")];
    return parts.filter(Boolean).map(part => {
      const copy = part.cloneNode(true);
      copy.querySelectorAll("mjx-container, code, pre, script, style").forEach(e => e.remove());
      return copy.textContent;
    }).join("\\n");
  });
}"""
WRONG = """() => [...document.querySelectorAll(
  "mjx-merror, [data-mml-node=merror], .jp-RenderedText[data-mime-type*=stderr], .myst-error"
)].map(e => e.textContent)"""
LOADED = """() => {
  const config = JSON.parse(document.getElementById("jupyter-config-data").textContent);
  return config.federated_extensions.map(e => e.name).filter(
    name => !config.disabledExtensions.includes(name));
}"""
FORMULAS = "() => document.querySelectorAll('.jp-Notebook mjx-container').length"
TYPESET = """() => {
  const shown = [...document.querySelectorAll(".jp-Notebook .jp-MarkdownOutput")];
  const cells = jupyterapp.shell.currentWidget.content.widgets;
  const drawn = cells.filter(cell => cell.model.type === "markdown").length;
  return shown.length >= drawn && shown.every(e => {
    const copy = e.cloneNode(true);
    copy.querySelectorAll("mjx-container, code, pre").forEach(inner => inner.remove());
    return !copy.textContent.includes("$");
  });
}"""
SEEN = """id => {
  const box = document.querySelector(`[data-jupyter-id="${id}"]`)?.getBoundingClientRect();
  return box && box.top >= 0 && box.top < innerHeight;
}"""
CHAPTERS = [path.name for path in chapters()]
LEFT_OVER = {
    "a role": r"\{[a-z:]+\}`",
    "a directive": r":::|^```|\{[a-z-]+\}\n",
    "a label": r"^\([\w-]+\)=",
    "a mark": r"<!--|-->|<a id",
    "a format": r":[+]?\.\d[fe]\b",
    "TeX": r"\\[A-Za-z]{2,}|\$[^$\n]+\$",
    "a warning": r"⚠|Undefined control|undefined control",
    "Markdown": r"\*\*[^*\s]|\]\([\w#]",
}


@pytest.fixture(scope="module")
def page(browser, lab):
    for path in [*notebooks(), *BOOK.glob("*.md")]:
        (lab.notebooks / path.name).write_bytes(path.read_bytes())
    (lab.notebooks / "data").symlink_to(BOOK / "data")
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(PATIENCE)
    context.set_default_navigation_timeout(PATIENCE)
    visit = Visit(context.new_page(), lab.address)
    yield visit.page
    context.close()


def open_in(page, lab, name):
    """Open a notebook, and wait until all of it is drawn and every formula is set."""
    page.goto(f"{lab.address}lab/workspaces/{name[:2]}/tree/{name}?token={lab.token}")
    page.wait_for_function(OPEN)
    page.evaluate(READY)
    page.wait_for_function(TYPESET)


def assert_it_reads_well(page):
    assert page.evaluate(WRONG) == []
    found = {}
    for number, text in enumerate(page.evaluate(SHOWN)):
        for what, pattern in LEFT_OVER.items():
            if match := re.search(pattern, text, re.M):
                found[number, what] = text[max(0, match.start() - 40) : match.end() + 40]
    assert found == {}


@pytest.mark.parametrize("name", [path.name for path in notebooks()])
def test_a_notebook_reads_well(page, lab, name):
    """As it is stored, and a chapter when all of it has run."""
    open_in(page, lab, name)
    assert not [extension for extension in page.evaluate(LOADED) if "myst" in extension]
    assert page.evaluate(FORMULAS) > (20 if name in CHAPTERS else 5)
    assert_it_reads_well(page)
    if name in CHAPTERS:
        assert page.evaluate(RUN), "a cell failed"
        page.wait_for_function(TYPESET)
        assert page.locator(".jp-OutputArea img").count() > 2
        assert_it_reads_well(page)


def test_a_link_leads_to_its_section(page, lab):
    open_in(page, lab, CHAPTERS[0])
    assert not page.evaluate(SEEN, "ch1-rows")
    page.locator(".jp-MarkdownOutput a[href$='#ch1-rows']").click()
    page.wait_for_function(SEEN, arg="ch1-rows")
