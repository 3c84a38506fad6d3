"""A notebook open in JupyterLab, as the tests see it and type into it."""

from dataclasses import dataclass
from typing import Any

from visiting import Visit

# What a busy machine may take; nothing waits this long when all is well.
PATIENCE = 60_000

OPEN = "() => window.jupyterapp?.shell?.currentWidget?.sessionContext"
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
ENTERED = f"""([active, mode]) => {{
  const state = ({STATE})();
  return state.active === active && state.mode === mode;
}}"""


@dataclass
class LiveNotebook:
    """An open notebook.

    Attributes
    ----------
    visit : Visit
        The page, with everything the browser complained about.
    """

    visit: Visit

    @property
    def page(self) -> Any:
        """The browser's page."""
        return self.visit.page

    def run(self) -> None:
        """Wait for the kernel, run all cells, and wait until a figure has computed."""
        self.page.wait_for_function(OPEN)
        self.page.evaluate(READY)
        assert self.page.evaluate(RUN), "a cell failed"
        self.page.wait_for_selector(".live .live-say")

    def state(self) -> dict[str, Any]:
        """Return the notebook's mode, its active cell, the selected ones and all sources."""
        return self.page.evaluate(STATE)

    def enter(self, cell: int, mode: str = "command") -> None:
        """Put the focus on a cell, or into its editor."""
        self.page.evaluate(ENTER, [cell, mode])
        self.page.wait_for_function(ENTERED, arg=[cell, mode])

    def press(self, *keys: str) -> None:
        """Type, one key after the other."""
        for key in keys:
            self.page.keyboard.press(key)
