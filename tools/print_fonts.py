"""Cut the site's variable fonts into one file a weight, for the printed edition.

A PDF holds such a file as a font; what stands between two weights it would hold as drawings, which
some readers show badly.
"""

from pathlib import Path

from fontTools.ttLib import TTFont
from fontTools.varLib import instancer

GREEK = "unicode-range: U+370-3FF; "
# Below the site's fonts: the family, what else its rule says, and the weights that are printed.
FACES = {
    "source-serif-4-latin-wght-normal": ("Course Serif", "", (400, 600, 700)),
    "source-serif-4-latin-wght-italic": ("Course Serif", "font-style: italic; ", (400,)),
    "source-serif-4-greek-wght-normal": ("Course Serif", GREEK, (400, 600)),
    "inter-latin-wght-normal": ("Course Sans", "", (400, 600, 700)),
    "inter-greek-wght-normal": ("Course Sans", GREEK, (400, 600)),
}


def write_fonts(site: Path, folder: Path) -> str:
    """Write the files into `folder` and return the rules that name them."""
    rules = []
    for name, (family, more, weights) in FACES.items():
        for weight in weights:
            font = TTFont(site / "_static" / "fonts" / f"{name}.woff2")
            if "fvar" in font:
                font = instancer.instantiateVariableFont(font, {"wght": weight})
            path = folder / f"{name}-{weight}.woff2"
            font.save(path)
            rules.append(
                f'@font-face {{ font-family: "{family}"; {more}font-weight: {weight}; '
                f'src: url("{path.as_uri()}"); }}'
            )
    return "\n".join(rules)
