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
CONTROLS = ".widget-vbox :is(.noUi-handle, select, input)"
SHOWN = ".widget-vbox .widget-html img"
FRESH = """([selector, before]) => {
  const image = document.querySelector(selector);
  return image && image.complete && image.naturalWidth > 0 && image.src !== before;
}"""


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
        """Wait for the kernel, run all cells, and wait until a figure has its controls."""
        self.page.wait_for_function(OPEN)
        self.page.evaluate(READY)
        assert self.page.evaluate(RUN), "a cell failed"
        self.page.wait_for_selector("[data-keys=own]")

    def state(self) -> dict[str, Any]:
        """Return the notebook's mode, its active cell, the selected ones and all sources."""
        return self.page.evaluate(STATE)

    def enter(self, cell: int, mode: str = "command") -> None:
        """Put the focus on a cell, or into its editor."""
        self.page.evaluate(ENTER, [cell, mode])
        self.page.wait_for_function(ENTERED, arg=[cell, mode])

    def focus(self, control: int) -> Any:
        """Put the focus on a control, and return it."""
        found = self.page.locator(CONTROLS).nth(control)
        found.focus()
        return found

    def press(self, *keys: str) -> None:
        """Type, one key after the other."""
        for key in keys:
            self.page.keyboard.press(key)

    def picture(self) -> tuple[str, str]:
        """Return the picture's bytes, as its address has them, and its text alternative."""
        shown = self.page.locator(SHOWN).first
        return shown.get_attribute("src"), shown.get_attribute("alt")

    def wait_for_alternative(self, text: str) -> None:
        """Wait until the text alternative contains `text` and the picture is decoded."""
        self.page.wait_for_selector(f'{SHOWN}[alt*="{text}"]')
        self.wait_for_picture("")

    def wait_for_picture(self, before: str) -> None:
        """Wait until there is a decoded picture whose bytes are not `before`."""
        self.page.wait_for_function(FRESH, arg=[SHOWN, before])
