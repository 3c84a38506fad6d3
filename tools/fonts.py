"""Cut the site's fonts: `python -m tools.fonts`; what it writes is committed.

The fonts that pages show come in two scripts: a font made of bytes is there when the first line
is set, while one that the stylesheet asks for comes later and moves the lines. The first paint
waits for the first script, which has what most lines are set in; italics, Greek and most letters
of formulas come in the second, after the page's figure. So they hold no glyph that the course will
hardly need; a test names every character of a page that its font lacks, and that character belongs
into the list below. All other fonts stay whole: no page asks for them.

Text is set in Source Serif 4 and Inter, as Fontsource publishes them, with the weights from 400
to 700. A modified font may not bear the reserved name "Source", so the cut ones are called "Course
Serif" and "Course Sans". They have no √, ≤ or ∞: these come from KaTeX's, as in formulas.
"""

import base64
import io
import json
import string
import sys
from pathlib import Path
from typing import Any

from fontTools import merge, subset
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer
from matplotlib import get_data_path

from tools.paths import BOOK, ROOT

WHOLE = Path(__file__).parent / "whole-fonts"  # as KaTeX and Fontsource publish them
ASSETS = BOOK / "assets"
SCRIPT = ASSETS / "fonts.js"
MORE = ASSETS / "fonts-more.js"
# What figures are lettered with: a file a weight, for Matplotlib knows no variable fonts.
LETTERS = ROOT / "why_sqrt_d" / "pictures" / "fonts"
WEIGHTS = {"Regular": (400, 400), "Bold": (650, 700)}  # as drawn, as called

GREEK = "αβγδεζηθικλμνξπρςστυφχψωϵϑϕϱϖ"
SIGNS = "ΓΔΘΛΣΦΩˉˆ˜…′ℓ←→⇒⇔∂∇∈∏∑−∘⊙∝∞∣∥∫∼≈≠≤≥≪≫⊤⊥⋅⋯⌈⌉⌊⌋⟨⟩±×\ue020"  # the last is the stroke of ≠
TEXT = string.ascii_letters + string.digits + "√ \xa0!%()*+,-./:;<=>[]^{|}~" + SIGNS
PROSE = string.printable[:95] + "\xa0“”‘’–—…·×−±½¼¾²³¹§°©éÉöü′•"
PROSE_GREEK = "βελμρστφΣΦ"
SANS_GREEK = "βμρστΣ"
FIGURE_SIGNS = "√≤≥≈≠∞∑∏∫∂∇∈→←↑↓⇒⋅‖∥ᵢⱼₖₙ₀₁₂₃₄₅₆₇₈₉⁰⁴⁵⁶⁷⁸⁹⁻ᵀ⟨⟩\u202f"
SIZED = "()[]{|}∣∥∑∏∫⌈⌉⌊⌋⟨⟩√ˆ˜"
# Below `assets`: the family, its kind, and what is kept (None: it comes cut from elsewhere).
FONTS: dict[str, tuple[str, dict[str, str], str | None]] = {
    "vendor/fontawesome/webfonts/fa-solid-900.woff2": (
        "Font Awesome 6 Free",
        {"weight": "900"},
        None,
    ),
    "fonts/source-serif-4-latin-wght-normal.woff2": ("Course Serif", {"weight": "400 700"}, PROSE),
    "fonts/source-serif-4-latin-wght-italic.woff2": ("Course Serif", {"style": "italic"}, PROSE),
    "fonts/source-serif-4-greek-wght-normal.woff2": (
        "Course Serif",
        {"weight": "400 700", "unicodeRange": "U+370-3FF"},
        PROSE_GREEK,
    ),
    "fonts/inter-latin-wght-normal.woff2": ("Course Sans", {"weight": "400 700"}, PROSE),
    "fonts/inter-greek-wght-normal.woff2": (
        "Course Sans",
        {"weight": "400 700", "unicodeRange": "U+370-3FF"},
        SANS_GREEK,
    ),
    "katex/fonts/KaTeX_Main-Regular.woff2": ("KaTeX_Main", {}, TEXT),
    "katex/fonts/KaTeX_Main-Bold.woff2": ("KaTeX_Main", {"weight": "700"}, string.digits + "√"),
    "katex/fonts/KaTeX_Math-Italic.woff2": (
        "KaTeX_Math",
        {"style": "italic"},
        string.ascii_letters + GREEK,
    ),
    "katex/fonts/KaTeX_AMS-Regular.woff2": ("KaTeX_AMS", {}, "CENPQRZ"),
    "katex/fonts/KaTeX_Size1-Regular.woff2": ("KaTeX_Size1", {}, SIZED),
    "katex/fonts/KaTeX_Size2-Regular.woff2": ("KaTeX_Size2", {}, SIZED),
    "katex/fonts/KaTeX_Size3-Regular.woff2": ("KaTeX_Size3", {}, SIZED),
    "katex/fonts/KaTeX_Size4-Regular.woff2": ("KaTeX_Size4", {}, SIZED),
}
# In the first script, whole.
FIRST = (
    "fa-solid-900.woff2",
    "source-serif-4-latin-wght-normal.woff2",
    "inter-latin-wght-normal.woff2",
    "KaTeX_Main-Bold.woff2",
)
# What italics and short formulas of a first screen need besides, so that no line breaks elsewhere
# later; the second script's fonts replace these.
EARLY = {
    "source-serif-4-latin-wght-italic.woff2": string.ascii_letters + " ,.-’",
    "KaTeX_Main-Regular.woff2": string.digits + "√/=<>≤≥≈≠×−+·∞∑→←()[],.",
    "KaTeX_Math-Italic.woff2": "dnkqpxβ",
}
MAKE = """// Made by `python -m tools.fonts`.
for (const [family, kind, data] of %s) {
  const bytes = Uint8Array.from(atob(data), character => character.charCodeAt(0));
  document.fonts.add(new FontFace(family, bytes, kind));
  // For signs in prose: under KaTeX's name, one that is missing would load its whole file.
  if (family === "KaTeX_Main") document.fonts.add(new FontFace("Course Signs", bytes, kind));
}
document.currentScript.done = true; // for what waits for it
"""
# From the second page on, the first paint waits for these too (first.js): they are in the cache.
KEEP = 'try { localStorage.setItem("fonts", "here"); } catch { /* nothing may be kept */ }\n'


def cut(font: bytes, characters: str, family: str = "", weight: str = "400") -> bytes:
    """Return a WOFF2 font with these characters' glyphs only; the same bytes each time.

    A font of many weights keeps these, and gets the name of the family.
    """
    options = subset.Options(flavor="woff2", layout_features=["*"], hinting=False)
    if family:
        options.layout_features = ["kern", "liga", "lnum", "tnum", "mark", "ccmp", "locl"]
    opened = subset.load_font(io.BytesIO(font), options)
    subsetter = subset.Subsetter(options)
    subsetter.populate(text=characters)
    subsetter.subset(opened)
    buffer = io.BytesIO()
    subset.save_font(opened, buffer, options)
    return _limited(buffer.getvalue(), family, weight) if family else buffer.getvalue()


def _limited(font: bytes, family: str, weight: str) -> bytes:
    """Return a variable font with some of its weights, under a name of ours."""
    opened = TTFont(io.BytesIO(font), recalcTimestamp=False)
    first, _, last = weight.partition(" ")
    limit = (float(first), float(last)) if last else float(first)
    opened = instancer.instantiateVariableFont(opened, {"wght": limit})
    names = opened["name"]
    names.names = [record for record in names.names if record.nameID in (0, 1, 2, 4, 6, 13, 14)]
    for number, text in ((1, family), (4, family), (6, family.replace(" ", ""))):
        names.setName(text, number, 3, 1, 0x409)
    opened.flavor = "woff2"
    buffer = io.BytesIO()
    opened.save(buffer)
    return buffer.getvalue()


def lettering(style: str) -> bytes:
    """Return one weight of the sans as TrueType, to letter figures; its signs are DejaVu's."""
    drawn, called = WEIGHTS[style]
    parts = []
    for script, text in (("latin", PROSE), ("greek", PROSE_GREEK)):
        whole = (WHOLE / f"inter-{script}-wght-normal.woff2").read_bytes()
        part = TTFont(io.BytesIO(cut(whole, text, "Course Sans", str(drawn))))
        part.flavor = None
        buffer = io.BytesIO()
        part.save(buffer)
        buffer.seek(0)
        parts.append(buffer)
    bold = "-Bold" if style == "Bold" else ""
    dejavu = Path(get_data_path(), "fonts", "ttf", f"DejaVuSans{bold}.ttf")
    signs = io.BytesIO(cut(dejavu.read_bytes(), FIGURE_SIGNS))
    part = TTFont(signs)
    part.flavor = None
    signs = io.BytesIO()
    part.save(signs)
    parts.append(io.BytesIO(signs.getvalue()))
    font = merge.Merger(merge.Options(drop_tables=["GDEF", "GPOS", "GSUB", "STAT"])).merge(parts)
    font["OS/2"].usWeightClass = called
    for number, text in ((2, style), (4, f"Course Sans {style}"), (6, f"CourseSans-{style}")):
        font["name"].setName(text, number, 3, 1, 0x409)
    font.recalcTimestamp = False
    buffer = io.BytesIO()
    font.save(buffer)
    return buffer.getvalue()


def _face(family: str, kind: dict[str, str], font: bytes) -> list[Any]:
    return [family, kind, base64.b64encode(font).decode()]


def made() -> dict[Path, bytes]:
    """Return every file that this makes, with its content."""
    files: dict[Path, bytes] = {}
    first: list[list[Any]] = []
    more: list[list[Any]] = []
    for name, (family, kind, kept) in FONTS.items():
        path = ASSETS / name
        text = (family, kind.get("weight", "400")) if family.startswith("Course") else ()
        if kept is None:
            font = path.read_bytes()
        else:
            font = files[path] = cut((WHOLE / path.name).read_bytes(), kept, *text)
        (first if path.name in FIRST else more).append(_face(family, kind, font))
        if path.name in EARLY:
            early = cut((WHOLE / path.name).read_bytes(), EARLY[path.name], *text)
            first.append(_face(family, kind, early))
    files |= {LETTERS / f"CourseSans-{style}.ttf": lettering(style) for style in WEIGHTS}
    files[SCRIPT] = (MAKE % json.dumps(first)).encode()
    files[MORE] = (MAKE % json.dumps(more) + KEEP).encode()
    return files


def main() -> int:
    """Write the files and say how large they are."""
    for path, content in made().items():
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
        print(f"{len(content):6} B  {path.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
