"""Notebooks in JupyterLab: live figures and exercises over a live kernel, by keyboard; the words.

Arrow keys and letters belong to the control that has the focus: the notebook keeps its active
cell, its selection, its mode and its cells. Without MyST the Markdown of all notebooks reads well.
"""

import re
from urllib.parse import urlsplit

import nbformat
import pytest
from axe import violations
from lab_server import running_lab
from live_page import FIGURES
from nbformat.v4 import new_code_cell, new_notebook
from visiting import Visit

from tools.paths import chapters, notebooks
from why_sqrt_d.exercises import Choice, all_exercises

KERNEL = {"name": "python3", "display_name": "Python 3", "language": "python"}
PATIENCE = 60_000  # ms: what a busy machine may take; nothing waits this long when all is well
EXERCISE = next(e for e in all_exercises() if type(e.kind) is Choice)
ANSWERS = [EXERCISE.wrong[0].answer, EXERCISE.kind.right_answers()[0]]
OTHERS = [figure.split("/") for figure in FIGURES if figure != "front/sampler"]
CELLS = [
    "from why_sqrt_d.exercises import check, exercise",
    "from why_sqrt_d.front.live import sampler\nfigure = sampler(d=16)\nfigure",
    *(f"from why_sqrt_d.{room} import live\nlive.{name}()" for room, name in OTHERS),
    f"exercise({EXERCISE.id!r})",
    *(f"check({EXERCISE.id!r}, {answer!r})" for answer in ANSWERS),
]
LIVE = 1  # the cell of the first figure

READY = """async () => {
  await jupyterapp.restored;
  const panel = jupyterapp.shell.currentWidget;
  await panel.context.ready;
  await panel.sessionContext.ready;
}"""
RUN = "async () => await jupyterapp.commands.execute('notebook:run-all-cells')"
STATE = """() => {
  const notebook = jupyterapp.shell.currentWidget.content;
  const cells = notebook.widgets;
  return {
    mode: notebook.mode,
    active: notebook.activeCellIndex,
    selected: cells.flatMap((cell, i) => notebook.isSelectedOrActive(cell) ? [i] : []),
    cells: cells.map(cell => cell.model.sharedModel.source),
  };
}"""
ENTER = """([active, mode]) => {
  const notebook = jupyterapp.shell.currentWidget.content;
  notebook.activeCellIndex = active;
  notebook.mode = mode;
  notebook.activate();
}"""
DRAWN = """n => [...document.querySelectorAll(".live")].filter(e =>
  e.querySelector(".live-say")?.textContent && e.querySelector("svg :is(path, rect, circle)")
).length === n"""

# What a reader sees of each cell, without its formulas and code; how many formulas it has.
SHOWN = """() => jupyterapp.shell.currentWidget.content.widgets.map(cell => {
  const copy = cell.node.querySelector(".jp-MarkdownOutput")?.cloneNode(true);
  const formulas = copy?.querySelectorAll("mjx-container").length;
  copy?.querySelectorAll("mjx-container, code, pre").forEach(inner => inner.remove());
  return [copy?.textContent ?? "$", formulas];
})"""
TYPESET = f"() => ({SHOWN})().every(([text]) => !text.includes('$'))"
WRONG = """() => [...document.querySelectorAll("mjx-merror, [data-mml-node=merror]")].map(
  e => e.textContent)"""
SEEN = """id => {
  const box = document.querySelector(`[data-jupyter-id="${id}"]`)?.getBoundingClientRect();
  return box && box.top >= 0 && box.top < innerHeight;
}"""
LEFT_OVER = {
    "a role": r"\{[a-z:]+\}`",
    "a directive": r":::|^```|\{[a-z-]+\}\n",
    "a label": r"^\([\w-]+\)=",
    "a mark": r"<!--|-->|<a id",
    "a format": r":[+]?\.\d[fe]\b",
    "TeX": r"\\[A-Za-z]{2,}|\$[^$\n]+\$",
    "Markdown": r"\*\*[^*\s]|\]\([\w#]",
}


@pytest.fixture(scope="module")
def open_notebook(browser, tmp_path_factory):
    """Open a notebook of these cells in a server that this file's tests share."""
    with (
        running_lab(tmp_path_factory.mktemp("lab")) as lab,
        browser.new_context(viewport={"width": 1280, "height": 900}) as context,
    ):
        context.set_default_timeout(PATIENCE)

        def opened(name, cells):
            made = new_notebook(cells=cells, metadata={"kernelspec": KERNEL})
            nbformat.write(made, lab.notebooks / name)
            visit = Visit(context.new_page(), lab.address)
            visit.page.on("websocket", lambda socket: visit.requests.append(socket.url))
            visit.go(lab.page_of(name))
            visit.page.wait_for_function("window.jupyterapp?.shell?.currentWidget?.sessionContext")
            visit.page.evaluate(READY)
            return visit

        yield opened


@pytest.fixture(scope="module")
def notebook(open_notebook):
    visit = open_notebook("figures.ipynb", [new_code_cell(source) for source in CELLS])
    assert visit.page.evaluate(RUN), "a cell failed"
    visit.page.wait_for_function(DRAWN, arg=len(FIGURES))
    return visit


@pytest.fixture(scope="module")
def page(notebook):
    return notebook.page


def test_every_figure_draws_and_has_its_style(page):
    assert violations(page, ".live") == []
    assert page.locator(".live-plot path").count() > len(FIGURES)
    panels = page.locator(".live").evaluate_all(
        "a => a.map(e => getComputedStyle(e).backgroundColor)"
    )
    assert set(panels) == {"rgb(245, 242, 234)"}


@pytest.mark.parametrize("mode", ["command", "edit"])
def test_a_live_figure_computes_and_keeps_its_keys(page, mode):
    page.evaluate(ENTER, [LIVE, mode])
    slider = page.locator(".live").first.get_by_role("slider", name="dimension d")
    said = page.locator(".live-say").first
    slider.focus()
    page.keyboard.press("Home")
    said.filter(has_text="exactly √4 = 2").wait_for()
    before = page.evaluate(STATE)
    for key in ("ArrowRight", "j", "d", "d"):
        page.keyboard.press(key)
    said.filter(has_text="exactly √8 = 2.8").wait_for()
    assert slider.evaluate("e => document.activeElement === e")
    assert page.evaluate(STATE) == before
    page.evaluate("""() => {
      window.done = [];
      jupyterapp.commands.commandExecuted.connect((_, { id }) => window.done.push(id));
    }""")
    page.keyboard.press("ControlOrMeta+s")  # a command still reaches JupyterLab
    page.wait_for_function("window.done.includes('docmanager:save')")


def test_an_exercise_is_answered_and_its_hint_unfolds_by_keyboard(page):
    hint = page.locator("details.exercise-hint").first
    for key, unfolded in (("Enter", True), ("Space", False)):
        hint.locator("summary").focus()
        before = page.evaluate(STATE)
        page.keyboard.press(key)
        page.wait_for_function(
            "open => document.querySelector('details.exercise-hint').open === open", arg=unfolded
        )
        assert page.evaluate(STATE) == before
    outputs = page.locator(".jp-OutputArea-executeResult").all_inner_texts()
    asked = page.locator(".jp-OutputArea .exercise-form")
    assert all(text in asked.inner_text() for text in EXERCISE.kind.options.values())
    wrong, right = (f"✗ {EXERCISE.id}", EXERCISE.wrong[0].say), (f"✓ {EXERCISE.id}", "")
    for said, (start, reason) in zip(outputs[-2:], (wrong, right), strict=True):
        assert said.split("]:")[-1].strip().startswith(start)
        assert reason in said


def test_nothing_was_asked_of_others_and_nothing_went_wrong(notebook):
    """The last test with this notebook: no request left this machine, no script failed."""
    hosts = {urlsplit(url).hostname for url in notebook.requests}
    assert hosts <= {"127.0.0.1", None}, hosts  # None: data: and blob:
    assert [t for t in notebook.troubles if not t.startswith("console warning")] == []


def test_the_notebooks_read_well(open_notebook):
    read = [(p.name, c) for p in notebooks() for c in nbformat.read(p, as_version=4).cells]
    words = [(name, cell) for name, cell in read if cell.cell_type == "markdown"]
    cells = [nbformat.from_dict({**cell, "id": f"c{i}"}) for i, (_, cell) in enumerate(words)]
    page = open_notebook("all.ipynb", cells).page
    page.wait_for_function(TYPESET, polling=2_000)  # it looks at all that is there
    assert page.evaluate(WRONG) == []
    formulas = {path.name: 0 for path in notebooks()}
    for (name, _), (text, count) in zip(words, page.evaluate(SHOWN), strict=True):
        formulas[name] += count
        for what, pattern in LEFT_OVER.items():
            assert not re.search(pattern, text, re.M), (name, what, text)
    for path in notebooks():
        assert formulas[path.name] > (20 if path in chapters() else 5), path.name
    assert not page.evaluate(SEEN, "ch1-rows")
    page.locator(".jp-MarkdownOutput a[href$='#ch1-rows']").first.click()
    page.wait_for_function(SEEN, arg="ch1-rows")
