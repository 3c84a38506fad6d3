"""Where a student writes an answer: its name, its stub, and what a right one looks like."""

import inspect
import re

from why_sqrt_d.exercises import Array, Choice, Exercise, Function, Number, Order

HOW = {
    Number: "a number, or an expression such as -3 / 1000",
    Array: "a list of numbers, one list for each row if there are several",
    Choice: "the letter, in quotes",
    Order: "the letters in your order, in one pair of quotes",
}


def answer_name(found: Exercise) -> str:
    """Return the name an answer is bound to: the function's own, or `answer_1_2`."""
    if isinstance(found.kind, Function):
        return found.kind.name
    return "answer_" + found.id.replace(".", "_")


def stub(found: Exercise) -> str:
    """Return the source of the cell to answer in."""
    if isinstance(found.kind, Function):
        return found.kind.stub.strip()
    how = next(text for kind, text in HOW.items() if isinstance(found.kind, kind))
    return f"{answer_name(found)} = ...  # {how}"


def reference_source(found: Exercise) -> str:
    """Return the source of a cell with the right answer; a function's needs `np` and `ah`."""
    if isinstance(found.kind, Function):
        code = re.findall(r"```python\n(.*?)```", found.solution, re.S)
        whole = "FloatArray = object\n" + inspect.getsource(found.kind.reference)
        return next((block for block in code if f"def {found.kind.name}" in block), whole)
    right = found.kind.right_answers()[0]
    value = right.tolist() if hasattr(right, "tolist") else right
    return f"{answer_name(found)} = {value!r}"
