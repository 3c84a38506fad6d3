"""The committed fonts are what `tools.fonts` makes; the script carries them."""

import base64
import json
import re

import pytest
from fontTools.ttLib import TTFont

from tools.fonts import ASSETS, FONTS, SCRIPT, WHOLE

CUT = {name: kept for name, (_, _, kept) in FONTS.items() if kept is not None}


@pytest.mark.parametrize("name", CUT)
def test_a_cut_font_has_the_listed_letters_as_they_were(name: str) -> None:
    whole, small = TTFont(WHOLE / name.rpartition("/")[2]), TTFont(ASSETS / name)
    kept = {ord(character) for character in CUT[name]}
    assert kept & set(whole.getBestCmap()) <= set(small.getBestCmap())
    for letter, glyph in small.getBestCmap().items():
        advance = whole["hmtx"][whole.getBestCmap()[letter]][0]
        assert small["hmtx"][glyph][0] == advance, chr(letter)


def test_the_script_carries_the_committed_fonts() -> None:
    text = SCRIPT.read_text("utf-8")
    found = json.loads(re.search(r"of (\[\[.*\]\])\)", text)[1])
    wanted = [
        [family, kind, base64.b64encode((ASSETS / name).read_bytes()).decode()]
        for name, (family, kind, _) in FONTS.items()
    ]
    assert found == wanted, "run `python -m tools.fonts`"
