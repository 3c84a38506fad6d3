"""Code that is run on the page: the field, the worker, and where NumPy is asked for.

NumPy for Pyodide is on no package registry. Without PYODIDE_DIST a stand-in takes its place, and
the course's own checker is tried as far as `import numpy`.
"""

import json
import os
import sys
from pathlib import Path

import pytest
from answering import EXERCISES, first_of, form_id, form_of, status_of
from axe import violations
from built_site import ROOT, chapter_page
from stand_ins import course, lock_for, numpy_entry, numpy_wheel
from visiting import Visit

from tools.paths import BOOK
from why_sqrt_d.exercises import Function, TriedNumber

sys.path.insert(0, str(BOOK / "_ext"))

from course_site import page_python

PACKAGE = ROOT / "node_modules" / "pyodide" / "package.json"
pytestmark = pytest.mark.skipif(
    not PACKAGE.exists(), reason="Pyodide is not here: npm could not be reached"
)
STARTED = 120_000  # ms: Python starts in 5 s on an idle machine, and this one may be busy
EXERCISE = first_of(Function)
OTHER = "**/cdn.jsdelivr.net/**"
OPEN = {"Access-Control-Allow-Origin": "*"}
RIGHT = "def softmax_vjp(p, g):\n    return p * (g - (p * g).sum(-1, keepdims=True))"
DIST = os.environ.get("PYODIDE_DIST")
from_elsewhere = pytest.mark.skipif(bool(DIST), reason="the site has its own NumPy")


def published():
    version = json.loads(PACKAGE.read_text("utf-8"))["version"]
    return f"https://cdn.jsdelivr.net/pyodide/v{version}/full/{numpy_entry()['file_name']}"


class Field:
    """One exercise's field for code, on its page."""

    def __init__(self, visit, exercise=EXERCISE, stand_in=True):
        self.exercise, self.opened = exercise, visit(chapter_page(exercise.chapter))
        self.page = self.opened.page
        self.form = form_of(self.page, exercise)
        self.area = self.form.locator("textarea")
        if stand_in:
            wheel = numpy_wheel()
            self.page.route(OTHER, lambda route: route.fulfill(body=wheel, headers=OPEN))
            self.page.route("**/pyodide-lock.json", lambda r: r.fulfill(body=lock_for(wheel)))
            self.page.route("**/course.zip*", lambda r: r.fulfill(body=course()))

    def press(self, name):
        self.form.get_by_role("button", name=name, exact=True).click()

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
        context.set_default_timeout(10_000)
        opened = Visit(context.new_page(), address)
        opened.go(chapter_page(EXERCISE.chapter))
        yield Field(lambda _: opened)


@from_elsewhere
def test_python_is_loaded_at_the_first_run_and_not_before(visit):
    field = Field(visit, stand_in=False)
    field.page.wait_for_load_state("networkidle")
    assert not any("/python/" in url for url in field.opened.requests)
    assert "cdn.jsdelivr.net" in field.form.inner_text()  # it is said before anything is asked
    asked = []
    field.page.route(OTHER, lambda route: (asked.append(route.request), route.abort()))
    before = len(field.opened.requests)
    sentence = field.run("1", "NumPy could not be had from cdn.jsdelivr.net")
    assert "notebook" in sentence
    assert {request.url for request in asked} == {published()}
    foreign = [u for u in field.opened.requests[before:] if not u.startswith(field.opened.base)]
    assert set(foreign) == {published()}
    field.page.unroute(OTHER)
    field.page.route(OTHER, lambda route: route.fulfill(body=numpy_wheel(), headers=OPEN))
    field.run("1", "NumPy could not be had")  # of another hash


def test_the_courses_own_checker_is_loaded_as_far_as_numpy(visit):
    field = Field(visit)
    field.page.unroute("**/course.zip*")
    said = field.run("1", "Python could not be started here")
    assert "'numpy" in said  # the stand-in has nothing of it


@pytest.mark.skipif(not DIST, reason="PYODIDE_DIST names no folder with NumPy for Pyodide")
def test_a_right_function_is_right(visit):
    field = Field(visit, EXERCISES["4.2"], stand_in=False)
    file = Path(DIST, numpy_entry()["file_name"])
    field.page.route(OTHER, lambda route: route.fulfill(path=file, headers=OPEN))
    assert field.run(RIGHT, "✓ Right.")
    assert "diag(p) only" in field.run(RIGHT.replace(" - (p * g).sum(-1, keepdims=True)", ""), "✗")


def test_code_is_run_and_judged(field):
    stub = field.area.input_value()
    assert stub.startswith(f"def {EXERCISE.kind.name}(")
    assert field.run("print('seen', 6 * 7)\n", "with numbers 0").startswith(f"✗ {EXERCISE.id}")
    assert field.form.locator(".exercise-printed").inner_text() == "seen 42\n"
    assert violations(field.page, f"form#{form_id(EXERCISE)}") == []
    started = len(field.opened.requests)
    assert field.run("right = True", f"✓ {EXERCISE.id}")
    assert field.form.locator(".exercise-printed").is_hidden()
    assert len(field.opened.requests) == started  # the same Python
    assert field.form.locator(".exercise-solved").inner_text() == "Solved ✓"


def test_an_experiment_takes_code_too(field):
    exercise = first_of(TriedNumber)
    assert exercise.chapter == EXERCISE.chapter
    started = sum("/python/" in url for url in field.opened.requests)
    other = Field(lambda _: field.opened, exercise, stand_in=False)
    other.form.locator("summary").click()
    assert "trial(x)" in other.area.input_value()
    assert other.run("right = 1", "✓").startswith(f"✓ {exercise.id}")
    assert sum("/python/" in url for url in field.opened.requests) == started > 0


def test_a_cell_is_changed_and_run_below_it(field):
    source = field.page.locator(".tag_try-it .cell_input pre").text_content()
    form = field.page.locator("form[data-chapter]")
    form.locator("xpath=..").locator("summary").click()
    assert form.locator("textarea").input_value().strip() == source.strip()
    form.locator("textarea").fill("print('seen')")
    form.get_by_role("button", name="Run", exact=True).click()
    said = form.locator(".exercise-status", has_text=f"ch{EXERCISE.chapter}")
    said.wait_for(timeout=STARTED)
    assert form.locator(".exercise-printed").inner_text() == "seen\n"
    assert violations(field.page, f"form#{form.get_attribute('id')}") == []


def test_a_loop_that_never_ends_is_stopped_and_python_starts_again(field):
    field.area.fill("while True: pass")
    field.press("Run")
    field.wait("Running")
    field.press("Stop")
    field.wait("Stopped.")
    assert field.form.get_by_role("button", name="Stop").is_hidden()
    field.page.evaluate("window.whySqrtDExercises.secondsToRun = 1")
    field.run("while True: pass", "Stopped after 1 seconds")
    field.page.evaluate("window.whySqrtDExercises.secondsToRun = 60")
    field.run("right = True", "✓")


def test_code_is_kept(field):
    field.page.reload()
    assert field.area.input_value() == "right = True"
    field.press("Start over")
    stub = field.area.input_value()
    assert stub.startswith(f"def {EXERCISE.kind.name}(")
    field.page.reload()
    assert field.area.input_value() == stub
    assert field.form.locator(".exercise-solved").inner_text() == "Solved ✓"


def test_the_field_can_be_left_by_keyboard(visit):
    field = Field(visit, stand_in=False)
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


def test_a_page_from_a_folder_asks_for_the_result_instead(visit):
    opened = visit(chapter_page(EXERCISE.chapter), source="file")
    form = form_of(opened.page, EXERCISE)
    assert form.locator("textarea").count() == 0
    assert form.get_by_role("button", name="Check").is_visible()
    assert opened.page.get_by_text("Change it and run it here").first.is_hidden()


def test_the_archive_of_the_course_is_the_same_each_time(tmp_path):
    stamps = [page_python.write_course(ROOT, tmp_path / name) for name in ("a.zip", "b.zip")]
    assert stamps[0] == stamps[1]


def test_the_publishers_numpy_is_copied(tmp_path):
    given, folder = tmp_path / "given", tmp_path / "site"
    given.mkdir()
    folder.mkdir()
    (folder / "pyodide-lock.json").write_text(lock_for(numpy_wheel()))
    with pytest.raises(FileNotFoundError, match="numpy"):
        page_python.copy_numpy(given, folder)
    (given / numpy_entry()["file_name"]).write_bytes(numpy_wheel())
    assert page_python.copy_numpy(given, folder) == len(numpy_wheel())
