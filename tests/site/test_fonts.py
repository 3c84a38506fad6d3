"""The committed fonts are what `tools.fonts` makes; the scripts carry them."""

import base64
import io
import json
import re

import pytest
from fontTools.ttLib import TTFont

from tools.fonts import ASSETS, EARLY, FONTS, MORE, SCRIPT, WHOLE

CUT = {name: kept for name, (_, _, kept) in FONTS.items() if kept is not None}


@pytest.mark.parametrize("name", CUT)
def test_a_cut_font_has_the_listed_letters_as_they_were(name: str) -> None:
    whole, small = TTFont(WHOLE / name.rpartition("/")[2]), TTFont(ASSETS / name)
    kept = {ord(character) for character in CUT[name]}
    assert kept & set(whole.getBestCmap()) <= set(small.getBestCmap())
    for letter, glyph in small.getBestCmap().items():
        advance = whole["hmtx"][whole.getBestCmap()[letter]][0]
        assert small["hmtx"][glyph][0] == advance, chr(letter)


def carried(script):
    faces = json.loads(re.search(r"of (\[\[.*\]\])\)", script.read_text("utf-8"))[1])
    return [(family, kind, base64.b64decode(data)) for family, kind, data in faces]


def test_the_scripts_carry_the_committed_fonts_each_once() -> None:
    whole = {font: (family, kind) for family, kind, font in carried(SCRIPT) + carried(MORE)}
    for name, (family, kind, _) in FONTS.items():
        font = (ASSETS / name).read_bytes()
        assert whole.pop(font, None) == (family, kind), f"{name}: run `python -m tools.fonts`"
    assert len(whole) == len(EARLY)


def test_what_a_first_screen_needs_early_comes_again_with_all_other_letters() -> None:
    """So the second script changes no letter that stands."""

    def letters(font):
        found = TTFont(io.BytesIO(font))
        return {letter: found["hmtx"][glyph] for letter, glyph in found.getBestCmap().items()}

    committed = {(ASSETS / name).read_bytes() for name in FONTS}
    second = [(face, letters(font)) for *face, font in carried(MORE)]
    early = [(face, letters(font)) for *face, font in carried(SCRIPT) if font not in committed]
    assert len(early) == len(EARLY)
    for wanted, drawn in early:
        (later,) = (whole for face, whole in second if face == wanted)
        assert drawn.items() <= later.items()
