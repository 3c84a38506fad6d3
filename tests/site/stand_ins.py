"""What stands in for NumPy and for the course where Python runs without the network.

The hash that Pyodide's lock file has for NumPy is checked by the browser, so a stand-in needs a
lock file of its own.
"""

import hashlib
import io
import json
import zipfile

from built_site import ROOT

LOCK = ROOT / "node_modules" / "pyodide" / "pyodide-lock.json"
# Runs the text; it is right if it leaves `right`.
JUDGES = """
import contextlib, io, json
import numpy

def judged(exercise, source, numbers=0):
    out, names = io.StringIO(), {"np": numpy}
    with contextlib.redirect_stdout(out):
        exec(source, names)
    said = f"{exercise} with numbers {numbers}."
    return json.dumps({
        "passed": "right" in names, "message": said, "blank": False, "printed": out.getvalue()
    })
"""


def archive(files):
    """Return a ZIP of these texts by their paths."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        for path, text in files.items():
            made.writestr(path, text)
    return out.getvalue()


def numpy_entry():
    return json.loads(LOCK.read_text("utf-8"))["packages"]["numpy"]


def numpy_wheel(source="version = 'stand-in'\n"):
    """Return a wheel with a module of the name."""
    info = f"numpy-{numpy_entry()['version']}.dist-info"
    named = f"Metadata-Version: 2.1\nName: numpy\nVersion: {numpy_entry()['version']}\n"
    wheel = "Wheel-Version: 1.0\nGenerator: a test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    files = {"numpy/__init__.py": source, f"{info}/METADATA": named, f"{info}/WHEEL": wheel}
    return archive({**files, f"{info}/RECORD": ""})


def lock_for(wheel):
    """Return Pyodide's lock file with the hash of this wheel."""
    lock = json.loads(LOCK.read_text("utf-8"))
    lock["packages"]["numpy"]["sha256"] = hashlib.sha256(wheel).hexdigest()
    return json.dumps(lock)


def course():
    """Return an archive in the place of the course's, which needs nothing of NumPy."""
    rooms = {f"why_sqrt_d/{name}__init__.py": "" for name in ("", "exercises/")}
    return archive({**rooms, "why_sqrt_d/exercises/page_code.py": JUDGES})
