"""What a cell printed stands on the page as it was printed."""

import copy
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nbformat.v4 import new_output

from tools.paths import BOOK

sys.path.insert(0, str(BOOK / "_ext"))
from course_site.streams import joined


def sent(*pieces, name="stdout"):
    return [new_output("stream", name=name, text=piece) for piece in pieces]


@pytest.mark.parametrize(
    "pieces",
    [
        ("largest covariance", " 0\n"),
        ("990 stored results", "\nstored and recomputed agree: yes\n"),
        ("a\n", "b\n"),
        ("a\n\n", "  b\n"),
    ],
)
def test_pieces_are_joined_where_they_were_cut(pieces):
    (output,) = joined(sent(*pieces))
    assert output["text"] == "".join(pieces)


@given(st.lists(st.text("ab \n", min_size=1), min_size=1))
def test_pieces_say_what_the_whole_says(pieces):
    assert joined(sent(*pieces)) == joined(sent("".join(pieces)))


def test_other_outputs_keep_their_place_and_nothing_is_changed():
    picture = new_output("display_data", {"text/plain": "a picture"})
    outputs = [*sent("before"), picture, *sent("warn", name="stderr"), *sent(" after\n")]
    asked = copy.deepcopy(outputs)
    found = joined(outputs)
    assert [output.get("text", output["output_type"]) for output in found] == [
        "before after\n",
        "display_data",
        "warn\n",
    ]
    assert outputs == asked
