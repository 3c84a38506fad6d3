"""Cut KaTeX's fonts for the site: `python -m tools.fonts`; what it writes is committed.

The fonts that pages show come in a script: a font made of bytes is there when the first line is
set, while one that the stylesheet asks for comes later and moves the lines. So they hold no glyph
that the course will hardly need; a test names every character of a page that its font lacks, and
that character belongs into the list below. All other fonts stay whole: no page asks for them.
"""

import base64
import io
import json
import string
import sys
from pathlib import Path

from fontTools import subset

from tools.paths import BOOK

WHOLE = Path(__file__).parent / "whole-fonts"  # as KaTeX publishes them
ASSETS = BOOK / "assets"
SCRIPT = ASSETS / "fonts.js"

GREEK = "αβγδεζηθικλμνξπρςστυφχψωϵϑϕϱϖ"
SIGNS = "ΓΔΘΛΣΦΩˉˆ˜…′ℓ←→⇒⇔∂∇∈∏∑−∘∞∣∥∫∼≈≠≤≥≪≫⊤⊥⋅⋯⌈⌉⌊⌋⟨⟩±×\ue020"  # the last is the stroke of ≠
TEXT = string.ascii_letters + string.digits + " \xa0!%()*+,-./:;<=>[]{|}~" + SIGNS
SIZED = "()[]{|}∣∥∑∏∫⌈⌉⌊⌋⟨⟩√ˆ˜"
# Below `assets`: the family, its kind, and what is kept (None: it comes cut from elsewhere).
FONTS: dict[str, tuple[str, dict[str, str], str | None]] = {
    "vendor/fontawesome/webfonts/fa-solid-900.woff2": (
        "Font Awesome 6 Free",
        {"weight": "900"},
        None,
    ),
    "katex/fonts/KaTeX_Main-Regular.woff2": ("KaTeX_Main", {}, TEXT),
    "katex/fonts/KaTeX_Main-Bold.woff2": ("KaTeX_Main", {"weight": "700"}, string.digits),
    "katex/fonts/KaTeX_Math-Italic.woff2": (
        "KaTeX_Math",
        {"style": "italic"},
        string.ascii_letters + GREEK,
    ),
    "katex/fonts/KaTeX_AMS-Regular.woff2": ("KaTeX_AMS", {}, "CENPQRZ"),
    "katex/fonts/KaTeX_Size1-Regular.woff2": ("KaTeX_Size1", {}, SIZED),
    "katex/fonts/KaTeX_Size2-Regular.woff2": ("KaTeX_Size2", {}, SIZED),
    "katex/fonts/KaTeX_Size3-Regular.woff2": ("KaTeX_Size3", {}, SIZED),
}
MAKE = """// Made by `python -m tools.fonts`.
for (const [family, kind, data] of %s) {
  const bytes = Uint8Array.from(atob(data), character => character.charCodeAt(0));
  document.fonts.add(new FontFace(family, bytes, kind));
}
"""


def cut(font: bytes, characters: str) -> bytes:
    """Return a WOFF2 font with these characters' glyphs only; the same bytes each time."""
    options = subset.Options(flavor="woff2", layout_features=["*"], hinting=False)
    opened = subset.load_font(io.BytesIO(font), options)
    subsetter = subset.Subsetter(options)
    subsetter.populate(text=characters)
    subsetter.subset(opened)
    buffer = io.BytesIO()
    subset.save_font(opened, buffer, options)
    return buffer.getvalue()


def made() -> dict[Path, bytes]:
    """Return every file that this makes, with its content."""
    files: dict[Path, bytes] = {}
    faces = []
    for name, (family, kind, kept) in FONTS.items():
        path = ASSETS / name
        if kept is None:
            font = path.read_bytes()
        else:
            font = files[path] = cut((WHOLE / path.name).read_bytes(), kept)
        faces.append([family, kind, base64.b64encode(font).decode()])
    files[SCRIPT] = (MAKE % json.dumps(faces)).encode()
    return files


def main() -> int:
    """Write the files and say how large they are."""
    for path, content in made().items():
        path.write_bytes(content)
        print(f"{len(content):6} B  {path.relative_to(BOOK)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
