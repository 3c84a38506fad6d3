"""Fixtures of the exercise tests: the demos registered, the forms in a bare page, a browser."""

import shutil
from html import escape
from pathlib import Path

import demo
import pytest

from why_sqrt_d.exercises import registered
from why_sqrt_d.exercises.forms import drawn_script, render_form, render_progress, sentences_script
from why_sqrt_d.exercises.show import folded

ROOT = Path(__file__).resolve().parents[3]
ASSETS = ROOT / "book" / "assets" / "exercises"
SCRIPTS = ("sentences", "grammar", "judging", "progress", "code", "forms")


# By module, so that no other test sees the demos among the exercises.
@pytest.fixture(scope="module", autouse=True)
def demos():
    with registered(demo.EXERCISES):
        yield demo.EXERCISES


def _exercise_html(exercise):
    hints = "".join(folded(exercise)[:-1]).replace("</summary>", "</summary><p>")
    statement = f"<p>{exercise.statement}</p>".replace("$", "")
    return f"<h2>Exercise {exercise.id}</h2>{statement}{render_form(exercise.id)}{hints}"


@pytest.fixture(scope="module")
def bare_page(demos, tmp_path_factory):
    """An HTML file with a form of each kind and nothing else, as file://."""
    folder = tmp_path_factory.mktemp("page")
    shutil.copytree(ASSETS, folder, dirs_exist_ok=True)
    (folder / "sentences.js").write_text(sentences_script(), encoding="utf-8")
    drawn = drawn_script(0, lambda text: f"<p>{escape(text)}</p>")
    (folder / "drawn-0.js").write_text(drawn, encoding="utf-8")
    (folder / "exercises.html").write_text(
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Exercises</title>'
        '<meta name="viewport" content="width=device-width">'
        '<link rel="stylesheet" href="exercises.css">'
        + "".join(f'<script defer src="{script}.js"></script>' for script in SCRIPTS)
        + f"</head><body><main><h1>Exercises</h1>{render_progress('0')}"
        + "".join(map(_exercise_html, demos))
        + "</main></body></html>",
        encoding="utf-8",
    )
    return (folder / "exercises.html").as_uri()


@pytest.fixture
def context(browser):
    made = browser.new_context()
    yield made
    made.close()


@pytest.fixture
def page(context, bare_page):
    """The bare page, open; a script error or a request to the network fails the test."""
    opened = context.new_page()
    trouble = []
    opened.on("pageerror", lambda error: trouble.append(str(error)))
    opened.on(
        "request", lambda r: trouble.append(r.url) if not r.url.startswith("file:") else None
    )
    opened.goto(bare_page)
    yield opened
    assert trouble == []
