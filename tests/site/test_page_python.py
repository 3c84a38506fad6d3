"""Code that is run on the page: the field, the worker, and where NumPy is asked for.

NumPy for Pyodide is on no package registry. Without PYODIDE_DIST a stand-in takes the worker's
place, and Pyodide itself is tried as far as the request for NumPy.
"""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from answering import EXERCISES, UNFOLD, first_of, form_id, form_of, status_of
from axe import violations
from built_site import ROOT, place_of
from course_site import page_python
from visiting import PATIENCE, Visit

from tools.pyodide import PYODIDE, fetched_version
from why_sqrt_d.exercises import Function
from why_sqrt_d.pyodide import PUBLISHED

pytestmark = pytest.mark.skipif(
    not fetched_version(), reason="Pyodide is not here: npm could not be reached"
)
STARTED = 120_000  # ms: Python starts in 5 s on an idle machine, and this one may be busy
EXERCISE = first_of(Function)
PAGE = place_of(EXERCISE.id)
OTHER = "**/cdn.jsdelivr.net/**"
OPEN = {"Access-Control-Allow-Origin": "*"}
RIGHT = "def softmax_vjp(p, g):\n    return p * (g - (p * g).sum(-1, keepdims=True))"
DIST = os.environ.get("PYODIDE_DIST")
from_elsewhere = pytest.mark.skipif(bool(DIST), reason="the site has its own NumPy")


# In the worker's place: what has `right` in it is right, and a loop never ends.
WORKER = """onmessage = ({ data }) => {
  if (data.pyodide) return;
  postMessage({ ready: true });
  if (data.source.includes("while True")) return;
  const printed = data.source.includes("print") ? "seen 42\\n" : "";
  const message = `${data.exercise} with numbers ${data.numbers}.`;
  const passed = data.source.includes("right");
  postMessage({ reply: { passed, message, blank: false, printed } });
};"""


def numpy_file():
    lock = (PYODIDE / "pyodide-lock.json").read_text("utf-8")
    return json.loads(lock)["packages"]["numpy"]["file_name"]


class Field:
    """One exercise's field for code, on its page that was opened."""

    def __init__(self, opened, exercise=EXERCISE):
        self.exercise, self.opened, self.page = exercise, opened, opened.page
        self.form = form_of(self.page, exercise)
        self.area = self.form.locator("textarea")

    def press(self, name):
        self.form.get_by_text(name, exact=True).click()

    def run(self, code, said):
        """Run the code, wait until `said` is said, and return the whole sentence."""
        self.area.fill(code)
        self.press("Run")
        return self.wait(said)

    def wait(self, said):
        self.form.locator(".exercise-status", has_text=said).wait_for(timeout=STARTED)
        return status_of(self.page, self.exercise)


@pytest.fixture(scope="module")
def field(browser, address):
    """A field whose Python, once it is started, the tests share."""
    with browser.new_context(viewport={"width": 1280, "height": 800}) as context:
        context.set_default_timeout(PATIENCE)
        opened = Visit(context.new_page(), address)
        opened.go(PAGE)
        script = {"body": WORKER, "content_type": "text/javascript"}
        opened.page.route("**/worker.js*", lambda route: route.fulfill(**script))
        yield Field(opened)


@from_elsewhere
def test_python_is_loaded_at_the_first_run_and_not_before(visit):
    field = Field(visit(PAGE))
    field.page.wait_for_load_state("networkidle")
    assert not any("/python/" in url for url in field.opened.requests)
    assert "cdn.jsdelivr.net" in field.form.inner_text()  # it is said before anything is asked
    field.page.route(OTHER, lambda route: route.abort())
    before = len(field.opened.requests)
    sentence = field.run("1", "NumPy could not be had from cdn.jsdelivr.net")
    assert "notebook" in sentence
    foreign = {u for u in field.opened.requests[before:] if not u.startswith(field.opened.base)}
    assert foreign == {PUBLISHED.format(fetched_version()) + numpy_file()}


@pytest.mark.skipif(not DIST, reason="PYODIDE_DIST names no folder with NumPy for Pyodide")
def test_a_right_function_is_right(visit):
    field = Field(visit(place_of("4.2")), EXERCISES["4.2"])
    file = Path(DIST, numpy_file())
    field.page.route(OTHER, lambda route: route.fulfill(path=file, headers=OPEN))
    assert field.run(RIGHT, "✓ Right.")
    assert "diag(p) only" in field.run(RIGHT.replace(" - (p * g).sum(-1, keepdims=True)", ""), "✗")


def test_code_is_run_and_judged(field):
    mine = Field(field.opened, EXERCISE)
    mine.form.evaluate(UNFOLD)
    assert mine.run("print('seen', 6 * 7)\n", "with numbers 0").startswith(f"✗ {EXERCISE.id}")
    assert mine.form.locator(".exercise-printed").inner_text() == "seen 42\n"
    assert violations(mine.page, f"form#{form_id(mine.exercise)}") == []
    assert mine.run("right = True", f"✓ {EXERCISE.id}")
    assert mine.form.locator(".exercise-printed").is_hidden()
    assert mine.form.locator(".exercise-solved").inner_text() == "Solved ✓"
    assert sum("worker.js" in url for url in mine.opened.requests) == 1  # one Python for all


def test_a_cell_is_changed_and_run_below_it(field):
    source = field.page.locator(".tag_try-it .cell_input pre").first.text_content()
    form = field.page.locator("form[data-chapter]").first
    form.locator("xpath=..").locator("summary").click()
    assert form.locator("textarea").input_value().strip() == source.strip()
    form.locator("textarea").fill("print('seen')")
    form.get_by_text("Run", exact=True).click()
    form.locator(".exercise-status", has_text=f"ch{EXERCISE.chapter}").wait_for()
    assert form.locator(".exercise-printed").inner_text() == "seen 42\n"
    assert violations(field.page, f"form#{form.get_attribute('id')}") == []


def test_a_loop_that_never_ends_is_stopped_and_python_starts_again(field):
    field.area.fill("while True: pass")
    field.press("Run")
    field.wait("Running")
    field.press("Stop")
    field.wait("Stopped.")
    assert field.form.get_by_text("Stop", exact=True).is_hidden()
    field.page.evaluate("window.whySqrtDExercises.secondsToRun = 1")
    field.run("while True: pass", "Stopped: not done after 1 seconds")


def test_code_is_kept(field):
    field.page.reload()
    assert field.area.input_value() == "while True: pass"
    field.press("Start over")
    assert field.area.input_value().startswith(f"def {EXERCISE.kind.name}(")
    assert field.form.locator(".exercise-solved").inner_text() == "Solved ✓"


def test_the_field_can_be_left_by_keyboard(field):
    field.area.fill("def f(x):")
    field.area.focus()
    press, focused = field.page.keyboard.press, "document.activeElement.tagName"
    press("End")
    press("Enter")
    field.page.keyboard.type("return x")
    press("Tab")
    assert field.area.input_value() == "def f(x):\n    return x    "
    assert field.page.evaluate(focused) == "TEXTAREA"
    press("Escape")
    press("Tab")
    assert field.page.evaluate("document.activeElement.textContent") == "Run"
    press("Shift+Tab")
    assert field.page.evaluate(focused) == "TEXTAREA"
    press("Shift+Tab")
    assert field.page.evaluate(focused) != "TEXTAREA"


def test_the_archive_of_the_course_judges_and_is_the_same_each_time(tmp_path):
    stamps = [page_python.write_course(ROOT, tmp_path / name) for name in ("a.zip", "b.zip")]
    assert stamps[0] == stamps[1]
    zipfile.ZipFile(tmp_path / "a.zip").extractall(tmp_path)
    asks = f"from why_sqrt_d.exercises.page_code import judged; print(judged('4.2', {RIGHT!r}))"
    said = subprocess.check_output([sys.executable, "-c", asks], cwd=tmp_path, env={})
    assert json.loads(said)["passed"]
