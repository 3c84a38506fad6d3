"""Fixtures of the tests in JupyterLab: one server, and notebooks opened in it."""

import nbformat
import pytest
from lab_server import KERNEL, running_lab
from live_notebook import PATIENCE, LiveNotebook
from nbformat import v4
from visiting import Visit


@pytest.fixture(scope="session")
def lab(browser, tmp_path_factory):  # without a browser no server is started
    with running_lab(tmp_path_factory.mktemp("lab")) as running:
        yield running


@pytest.fixture(scope="module")
def open_notebook(browser, lab):
    """Open a notebook of these cells and run it: `open_notebook("name", [source, …])`."""
    contexts = []

    def opened(name, sources):
        cells = [v4.new_code_cell(source) for source in sources]
        made = v4.new_notebook(cells=cells, metadata={"kernelspec": KERNEL})
        nbformat.write(made, lab.notebooks / f"{name}.ipynb")
        context = browser.new_context(viewport={"width": 1280, "height": 900})
        contexts.append(context)
        context.set_default_timeout(PATIENCE)
        context.set_default_navigation_timeout(PATIENCE)
        visit = Visit(context.new_page(), lab.address)
        visit.page.on("websocket", lambda socket: visit.requests.append(socket.url))
        visit.go(f"lab/workspaces/{name}/tree/{name}.ipynb?token={lab.token}")
        notebook = LiveNotebook(visit)
        notebook.run()
        return notebook

    yield opened
    for context in contexts:
        context.close()
