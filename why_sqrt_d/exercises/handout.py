"""An exercise as it is handed out: without its solution, and perhaps with numbers of one's own."""

import hashlib
import re

from .model import DRAWS, Exercise
from .progress import show_numbers
from .registry import get
from .show import choices_html, folded, heading

ELSEWHERE = re.compile(  # plain pages, stored rows, the first page, deeper pages
    r"\[([^\[\]]*)\]"
    r"\((?:(?:api/|data/)?[\w-]+\.(?:md|yml|bib|jsonl)|(?:index|\d[a-z]-[\w-]+)\.ipynb)(?:#[^)]*)?\)"
)
NO_ID = "Write your id into the cell at the top, run that cell, and then this one again."


def handed_out(text: str) -> str:
    """Return Markdown without the links to pages that students are not given."""
    return ELSEWHERE.sub(lambda link: link[1], text)


def statement(asked: Exercise) -> str:
    """Return the exercise as Markdown: statement, options, folded hints, no solution."""
    blocks = [heading(asked), asked.statement.strip(), choices_html(asked.kind)]
    return handed_out("\n\n".join(filter(None, (*blocks, *folded(asked)[:-1]))))


def own_numbers(student: str, exercise_id: str) -> int:
    """Return with which of its numbers a student is asked an exercise: 1 to 10, or 0.

    The id decides, wherever and with whichever version of the course it is computed; 0 means
    that the exercise has no other numbers.

    >>> own_numbers("ada", "1.2"), own_numbers(" Ada ", "1.2"), own_numbers("ada", "1.3")
    (1, 1, 0)
    """
    if get(exercise_id).others is None:
        return 0
    digest = hashlib.sha256(f"{student.strip().casefold()}/{exercise_id}".encode()).digest()
    return 1 + int.from_bytes(digest[:8]) % DRAWS


def ask(exercise_id: str, student: object) -> None:
    """Display an exercise with a student's own numbers; `check` then judges by them."""
    from IPython.display import display

    if not isinstance(student, str | int) or not str(student).strip():
        print(NO_ID)
        return
    number = own_numbers(str(student), exercise_id)
    found = get(exercise_id).with_numbers(number)
    show_numbers(exercise_id, number)
    asked = f"{found.id} {found.title}\n\n{found.statement}"
    display({"text/markdown": statement(found), "text/plain": asked}, raw=True)
