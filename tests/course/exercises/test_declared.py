"""What a chapter's two files declare: they fit together, and each exercise is in its notebook."""

import nbformat
import numpy as np
import pytest

from tools.paths import notebooks
from why_sqrt_d.exercises import Number, Questions, all_exercises, call, check, registered

WORDS = """
# 8.1 A number
difficulty: 1

«x» and «x:.1f» are?
## Wrong
- half: No, «x».
- 7: Seven it is not.
- -1: Nor that.
## Hints
- H
- I
## Solution
S

# 8.2 A letter
difficulty: 2
right: a

Which?
## Options
- a: this
- b: that
- c: another
- d: none
## Wrong
- b: Not b.
- c: Not c.
- d: Not d.
## Hints
- H
- I
## Solution
S

# 8.3 A function
difficulty: 1
instead: a

Write it.
## Instead
Which?
## Options
- a: this
- b: that
## Mechanisms
- small: It is small.
## Says
- off: is off by «by:.2f»
## Wrong
- same: That is x.
- minus: That is −2x.
- more: That is 3x.
- b: Not that.
## Hints
- H
- I
## Solution
```python
# twice
def twice(x): ...
```
"""


def declared(folder, words=WORDS, number=None, wrong=None):
    (folder / "questions.md").write_text(words, encoding="utf-8")
    questions = Questions(str(folder / "questions.py"))

    @questions.numbers("8.1", x=range(3, 40))
    def _(x=42):
        return number or Number(2 * x), {"half": x}, {}

    def twice(x, sign=1):
        return 2 * x * sign

    questions.function(
        "8.3",
        twice,
        mechanisms={"small": call(np.array([1.0, 2.0]))},
        probe=(np.array([1.0]),),
        wrong=wrong or {"same": lambda x: x, "minus": lambda x: -2 * x, "more": lambda x: 3 * x},
    )
    return questions


def test_words_and_numbers_come_together(tmp_path):
    questions = declared(tmp_path)
    number, letter, function = questions.exercises()
    assert number.statement == "42 and 42.0 are?"
    assert len({one.statement for one in number.variants}) == 10
    assert function.kind.stub == "def twice(x, sign=1):\n    ..."
    assert function.solution.startswith("```python\n# twice\n")
    assert questions.say("8.3", "off", by=1) == "is off by 1.00"
    with registered((number, letter, function)):
        assert check("8.1", 84)
        assert check("8.1", 42).message == "No, 42."
        assert check("8.1", 7).message == "Seven it is not."
        assert check("8.2", "a")
        assert check("8.2", "d").message == "Not d."
        assert check("8.3", lambda x, sign=1: 2 * x)
        assert check("8.3", lambda x: -2 * x).message.endswith("That is −2x.")
    assert (
        function.kind.instead.kind.judge("b", function.kind.instead.wrong).message == "Not that."
    )


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("- half: No, «x».", "- half: No.\n- swapped: No.", "no wrong answer, for 'swapped'"),
        ("- half: No, «x».\n", "", "no sentence, for 'half'"),
        ("«x» and", "«y» and", "«y» in questions.md: not in x"),
        ("- small: It is small.", "- large: It is.", "no mechanism, for 'large'"),
        ("- same: That is x.\n", "", "no sentence, for 'same'"),
        ("right: a\n", "", "exercise 8.2: questions.md has no “right:” or “guess:”"),
        ("difficulty: 2", "", "exercise 8.2: questions.md has no 'difficulty'"),
        ("right: a", "write: a", "exercise 8.2: has no such setting as 'write'"),
        ("## Says", "## Said", "exercise 8.3: has no such section as 'Said'"),
        ("# 8.1 A", "# 8.7 A", "exercise 8.1: questions.py declares it, questions.md has no"),
    ],
)
def test_what_does_not_fit_is_named(tmp_path, before, after, said):
    assert before in WORDS
    with pytest.raises(ValueError, match=said):
        declared(tmp_path, WORDS.replace(before, after, 1)).exercises()


def test_each_exercise_is_asked_and_checked_in_its_chapters_notebook():
    wanted = {'exercise("{}")': "remove-input", 'check("{}", ': "remove-cell"}
    for number in sorted({e.chapter for e in all_exercises() if e.chapter in "1234567"}):
        (path,) = (p for p in notebooks() if p.name.startswith(f"{int(number):02}-"))
        cells = nbformat.read(path, as_version=4).cells
        for found in all_exercises():
            for text, tag in wanted.items():
                asked = text.format(found.id)
                tags = [c.metadata.get("tags", []) for c in cells if asked in c.source]
                count = found.chapter == number
                assert len(tags) == count, f"{path.name}: {len(tags)} cells with {asked}"
                assert all(tag in t for t in tags), f"{path.name}: {asked}… has no tag {tag}"
