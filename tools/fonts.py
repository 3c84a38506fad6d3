"""Cut the site's fonts: `python -m tools.fonts FOLDER`; what it writes to `book` is committed.

The originals come from npm: `npm install --prefix FOLDER katex@0.16.22
@fontsource-variable/source-serif-4 @fontsource-variable/inter`. A font keeps the letters below
and, if it has several, the weights from 400 to 700. Source Serif's licence reserves its name, so
the cut ones are called "Course Serif" and "Course Sans". What they lack, such as √ and ≤, comes
from KaTeX's; KaTeX's other fonts stay whole, for no page asks for them. Figures are lettered with
Inter, too (`why_sqrt_d/pictures/fonts`), with DejaVu's signs.
"""

import io
import string
import sys
from pathlib import Path

from fontTools import subset
from fontTools.varLib import instancer

from tools.paths import BOOK

GREEK = "αβγδεζηθικλμνξπρςστυφχψωϵϑϕϱϖ"
SIGNS = "ΓΔΘΛΣΦΩˉˆ˜…′ℓ←→⇒⇔∂∇∈∏∑−∘⊙∝∞∣∥∫∼≈≠≤≥≪≫⊤⊥⋅⋯⌈⌉⌊⌋⟨⟩±×\ue020"  # the last is the stroke of ≠
TEXT = string.ascii_letters + string.digits + "√ \xa0!%()*+,-./:;<=>[]^{|}~" + SIGNS
PROSE = string.printable[:95] + "\xa0“”‘’–—…·×−±½¼¾²³¹§°©éÉöü′•"
SIZED = "()[]{|}∣∥∑∏∫⌈⌉⌊⌋⟨⟩√ˆ˜"
SERIF, SANS = "@fontsource-variable/source-serif-4/files", "@fontsource-variable/inter/files"
KATEX = "katex/dist/fonts"
KEPT = {  # a file of the originals: what it keeps
    f"{SERIF}/source-serif-4-latin-wght-normal.woff2": PROSE,
    f"{SERIF}/source-serif-4-latin-wght-italic.woff2": PROSE,
    f"{SERIF}/source-serif-4-greek-wght-normal.woff2": "βελμρστφΣΦ",
    f"{SANS}/inter-latin-wght-normal.woff2": PROSE,
    f"{SANS}/inter-greek-wght-normal.woff2": "βμρστΣ",
    f"{KATEX}/KaTeX_Main-Regular.woff2": TEXT,
    f"{KATEX}/KaTeX_Main-Bold.woff2": string.digits + "√",
    f"{KATEX}/KaTeX_Math-Italic.woff2": string.ascii_letters + GREEK,
    f"{KATEX}/KaTeX_AMS-Regular.woff2": "CENPQRZ",
} | {f"{KATEX}/KaTeX_Size{size}-Regular.woff2": SIZED for size in range(1, 5)}


def cut(file: Path, letters: str, family: str = "") -> bytes:
    """Return a WOFF2 font with these letters only; one of ours with the weights that are used."""
    options = subset.Options(flavor="woff2", layout_features=["*"], hinting=False)
    if family:
        options.layout_features = ["kern", "liga", "lnum", "tnum", "mark", "ccmp", "locl"]
    font = subset.load_font(file, options)
    subsetter = subset.Subsetter(options)
    subsetter.populate(text=letters)
    subsetter.subset(font)
    if family:
        weights = 400 if font["post"].italicAngle else (400, 700)
        instancer.instantiateVariableFont(font, {"wght": weights}, inplace=True)
        names = font["name"]
        names.names = [row for row in names.names if row.nameID in (0, 1, 2, 4, 6, 13, 14)]
        for number, text in ((1, family), (4, family), (6, family.replace(" ", ""))):
            names.setName(text, number, 3, 1, 0x409)
    subset.save_font(font, buffer := io.BytesIO(), options)
    return buffer.getvalue()


def main(folder: Path) -> None:
    """Write every file and say how large it is."""
    for name, letters in KEPT.items():
        family = {SERIF: "Course Serif", SANS: "Course Sans"}.get(name.rpartition("/")[0], "")
        made = cut(folder / "node_modules" / name, letters, family)
        place = "fonts" if family else "katex/fonts"
        path = BOOK / "assets" / place / Path(name).name
        path.write_bytes(made)
        print(f"{len(made):6} B  {path.relative_to(BOOK)}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
