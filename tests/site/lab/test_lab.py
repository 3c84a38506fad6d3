"""A notebook in JupyterLab: live figures and exercises over a live kernel, by keyboard.

Arrow keys and letters belong to the control that has the focus: the notebook keeps its active
cell, its selection, its mode and its cells.
"""

from urllib.parse import urlsplit

import nbformat
import pytest
from axe import violations
from lab_server import running_lab
from nbformat.v4 import new_code_cell, new_notebook
from visiting import PATIENCE, Visit

from why_sqrt_d.exercises import Choice, all_exercises

NAME = "figures.ipynb"
KERNEL = {"name": "python3", "display_name": "Python 3", "language": "python"}
EXERCISE = next(e for e in all_exercises() if type(e.kind) is Choice)
ANSWERS = [EXERCISE.wrong[0].answer, EXERCISE.kind.right_answers()[0]]
# One with stored rows and one with a model: how they draw and compute, the page's tests say.
OTHERS = [["ch6", "needle"], ["front", "storyteller"]]
CELLS = [
    "from why_sqrt_d.exercises import check, exercise",
    "from why_sqrt_d.front.live import sampler\nsampler",
    *(f"from why_sqrt_d.{room} import live\nlive.{name}" for room, name in OTHERS),
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

# anywidget gives a model two seconds to start; how fast a machine is, is not tested.
PATIENT = "AbortSignal.timeout = (f => ms => f.call(AbortSignal, 30 * ms))(AbortSignal.timeout)"


@pytest.fixture(scope="module")
def notebook(browser, tmp_path_factory):
    """Visit the notebook of figures in a server that this file's tests share."""
    folder = tmp_path_factory.mktemp("lab")
    with (
        running_lab(folder) as (address, token),
        browser.new_context(viewport={"width": 1280, "height": 900}) as context,
    ):
        context.set_default_timeout(PATIENCE)
        context.add_init_script(PATIENT)
        cells = [new_code_cell(source) for source in CELLS]
        made = new_notebook(cells=cells, metadata={"kernelspec": KERNEL})
        nbformat.write(made, folder / "notebooks" / NAME)
        visit = Visit(context.new_page(), address)
        visit.page.on("websocket", lambda socket: visit.requests.append(socket.url))
        visit.go(f"lab/tree/{NAME}?token={token}")
        visit.page.wait_for_function("window.jupyterapp?.shell?.currentWidget?.sessionContext")
        visit.page.evaluate(READY)
        assert visit.page.evaluate(RUN), "a cell failed"
        visit.page.wait_for_function(DRAWN, arg=1 + len(OTHERS))
        yield visit


@pytest.fixture(scope="module")
def page(notebook):
    return notebook.page


def test_every_figure_draws_and_has_its_style(page):
    assert violations(page, ".live") == []
    assert page.locator(".live-plot path").count() > len(OTHERS)
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
