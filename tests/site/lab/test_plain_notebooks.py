"""The notebooks in a JupyterLab that knows nothing of MyST read well, and after running too."""

import re

import pytest
from live_notebook import OPEN, PATIENCE, READY
from visiting import Visit

from tools.paths import BOOK, notebooks

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
EXTENSIONS = """() => JSON.parse(
  document.getElementById("jupyter-config-data").textContent).federated_extensions.map(e => e.name)
"""
FORMULAS = "() => document.querySelectorAll('.jp-Notebook mjx-container').length"
# Every cell is drawn, and not only those that are near the view.
WHOLE = """async () => {
  const notebook = jupyterapp.shell.currentWidget.content;
  notebook.notebookConfig = {...notebook.notebookConfig, windowingMode: "none"};
  const cells = notebook.widgets.filter(cell => cell.model.type === "markdown");
  for (const cell of notebook.widgets) { await cell.ready; }
  await Promise.all(cells.map(cell => cell.renderer?.ready));
}"""
TYPESET = """() => {
  const text = [...document.querySelectorAll(".jp-Notebook .jp-MarkdownOutput")];
  return text.length > 5 && text.every(e => {
    const copy = e.cloneNode(true);
    copy.querySelectorAll("mjx-container, code, pre").forEach(inner => inner.remove());
    return !/\\$[^$]+\\$/.test(copy.textContent);
  });
}"""
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
    for path in [*notebooks(), *BOOK.glob("*.md"), *BOOK.glob("*.yml")]:
        (lab.notebooks / path.name).write_bytes(path.read_bytes())
    (lab.notebooks / "data").symlink_to(BOOK / "data")
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(PATIENCE)
    yield Visit(context.new_page(), lab.address)
    context.close()


def opened(page, lab, name):
    """Open a notebook and draw all of it."""
    page.go(f"lab/workspaces/{name[:2]}/tree/{name}?token={lab.token}&reset")
    page.page.wait_for_function(OPEN)
    page.page.evaluate(READY)
    page.page.evaluate(WHOLE)
    page.page.wait_for_function(TYPESET)


def assert_it_reads_well(page):
    wrong = page.page.evaluate(WRONG)
    assert wrong == []
    found = {}
    for number, text in enumerate(page.page.evaluate(SHOWN)):
        for what, pattern in LEFT_OVER.items():
            if match := re.search(pattern, text, re.M):
                found[number, what] = text[max(0, match.start() - 40) : match.end() + 40]
    assert found == {}


@pytest.mark.parametrize("name", [path.name for path in notebooks()])
def test_a_notebook_reads_well_before_it_is_run(page, lab, name):
    opened(page, lab, name)
    assert "jupyterlab-myst" not in page.page.evaluate(EXTENSIONS)
    assert page.page.evaluate(FORMULAS) > 20
    assert_it_reads_well(page)
