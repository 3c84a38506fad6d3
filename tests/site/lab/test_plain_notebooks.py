"""The notebooks in a JupyterLab that knows nothing of MyST read well, and after running too.

JupyterLab starts anew for each notebook that is opened, so all of them are read as one, with the
outputs that they store. Chapter 1 is run besides; that the cells of the others run, and to the
outputs that they store, is what the build and nbval see.
"""

import re

import nbformat
import pytest
from lab_server import KERNEL
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
FORMULAS = """() => jupyterapp.shell.currentWidget.content.widgets.map(
  cell => cell.node.querySelectorAll("mjx-container").length)"""
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
FIRST, *_ = chapters()
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


def read():
    """Yield every cell of every notebook, with the notebook's name."""
    for path in notebooks():
        for cell in nbformat.read(path, as_version=4).cells:
            yield path.name, cell


@pytest.fixture(scope="module")
def opened(browser, lab):
    """Open a notebook, and wait until all of it is drawn and every formula is set."""
    for path in [*notebooks(), *BOOK.glob("*.md")]:
        (lab.notebooks / path.name).write_bytes(path.read_bytes())
    (lab.notebooks / "data").symlink_to(BOOK / "data")
    joined = nbformat.v4.new_notebook(metadata={"kernelspec": KERNEL})
    for number, (_, cell) in enumerate(read()):
        source = "" if cell.cell_type == "code" else cell.source  # an editor each takes its time
        cell = {**cell, "source": source, "id": f"cell-{number:03d}"}
        joined.cells.append(nbformat.from_dict(cell))
    nbformat.write(joined, lab.notebooks / "all.ipynb")
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(PATIENCE)
    context.set_default_navigation_timeout(PATIENCE)
    page = Visit(context.new_page(), lab.address).page

    def shown(name):
        page.goto(f"{lab.address}lab/workspaces/{name[:2]}/tree/{name}?token={lab.token}")
        page.wait_for_function(OPEN)
        page.evaluate(READY)
        page.wait_for_function(TYPESET, polling=500)  # it looks at all that is there
        return page

    yield shown
    context.close()


def left_over(page):
    """Return what a reader should not see: cell, what it is, and the text around it."""
    assert page.evaluate(WRONG) == []
    return [
        (number, what, text[max(0, match.start() - 40) : match.end() + 40])
        for number, text in enumerate(page.evaluate(SHOWN))
        for what, pattern in LEFT_OVER.items()
        if (match := re.search(pattern, text, re.M))
    ]


def test_the_notebooks_read_well(opened):
    page = opened("all.ipynb")
    assert not [extension for extension in page.evaluate(LOADED) if "myst" in extension]
    names, formulas = [name for name, _ in read()], {path.name: 0 for path in notebooks()}
    for name, count in zip(names, page.evaluate(FORMULAS), strict=True):
        formulas[name] += count
    for path in notebooks():
        assert formulas[path.name] > (20 if path in chapters() else 5), path.name
    assert [(names[number], *found) for number, *found in left_over(page)] == []


def test_a_link_leads_to_its_section_and_a_chapter_runs(opened):
    page = opened(FIRST.name)
    assert not page.evaluate(SEEN, "ch1-rows")
    page.locator(".jp-MarkdownOutput a[href$='#ch1-rows']").click()
    page.wait_for_function(SEEN, arg="ch1-rows")
    assert page.evaluate(RUN), "a cell failed"
    page.wait_for_function(TYPESET)
    assert page.locator(".jp-OutputArea img").count() > 2
    assert left_over(page) == []
