"""Cut the fonts of mathematics down to the glyphs that the pages show.

KaTeX's two main fonts and its blackboard letters are 70 kB together, and the pages use a fifth of
the glyphs. Letters set in italics need the italic font only, and blackboard letters theirs; every
other character is kept in every other font, whichever of them shows it.

The fonts that pages use at first come in a script: a font made of bytes is there at once, while
one of the stylesheet comes when lines are set, moves them, and has the browser set every line of
the page again.
"""

import base64
import io
import json
from html.parser import HTMLParser
from pathlib import Path

from fontTools import subset
from sphinx.application import Sphinx

FONTS = "katex/fonts"
SCRIPT = "fonts.js"
# Below `_static`, with the name and the kind that the stylesheet asks for.
AT_ONCE = {
    "vendor/fontawesome/webfonts/fa-solid-900.woff2": ("Font Awesome 6 Free", {"weight": "900"}),
    f"{FONTS}/KaTeX_Main-Regular.woff2": ("KaTeX_Main", {}),
    f"{FONTS}/KaTeX_Main-Bold.woff2": ("KaTeX_Main", {"weight": "700"}),
    f"{FONTS}/KaTeX_Math-Italic.woff2": ("KaTeX_Math", {"style": "italic"}),
    f"{FONTS}/KaTeX_AMS-Regular.woff2": ("KaTeX_AMS", {}),
    f"{FONTS}/KaTeX_Size1-Regular.woff2": ("KaTeX_Size1", {}),
    f"{FONTS}/KaTeX_Size2-Regular.woff2": ("KaTeX_Size2", {}),
    f"{FONTS}/KaTeX_Size3-Regular.woff2": ("KaTeX_Size3", {}),
}
MAKE = """for (const [family, kind, data] of %s) {
  const bytes = Uint8Array.from(atob(data), character => character.charCodeAt(0));
  document.fonts.add(new FontFace(family, bytes, kind));
}
"""
OWN = {
    "mathnormal": "Math-Italic",
    "mathbf": "Main-Bold",
    "mathbb": "AMS-Regular",
    "amsrm": "AMS-Regular",
}
EMPTY_TAGS = {"br", "img", "input", "hr", "meta", "link", "source", "path", "line", "wbr"}


class Characters(HTMLParser):
    """Collects what is shown inside formulas, apart for the fonts of `OWN`."""

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, set[str]] = {"": set(), **{font: set() for font in OWN.values()}}
        self._fonts: list[str] = []  # the font of each open element of the formula

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note which font an element of a formula is set in."""
        classes = (dict(attrs).get("class") or "").split()
        if tag in EMPTY_TAGS or not (self._fonts or "katex-html" in classes):
            return
        above = self._fonts[-1] if self._fonts else ""
        self._fonts.append(next((OWN[name] for name in classes if name in OWN), above))

    def handle_endtag(self, tag: str) -> None:
        """Leave the element."""
        if self._fonts and tag not in EMPTY_TAGS:
            self._fonts.pop()

    def handle_data(self, data: str) -> None:
        """Keep the characters."""
        if self._fonts:
            self.found[self._fonts[-1]].update(data)


def shown_characters(site: Path) -> dict[str, set[str]]:
    """Return the characters of all formulas: those of a font of `OWN`, the rest under ``""``."""
    characters = Characters()
    for page in site.rglob("*.html"):
        characters.feed(page.read_text("utf-8"))
        characters.reset()
    return characters.found


def cut(font: bytes, characters: set[str]) -> bytes:
    """Return a WOFF2 font with these characters' glyphs only."""
    options = subset.Options(flavor="woff2", layout_features=["*"], hinting=False)
    opened = subset.load_font(io.BytesIO(font), options)
    subsetter = subset.Subsetter(options)
    subsetter.populate(text="".join(sorted(characters)))
    subsetter.subset(opened)
    buffer = io.BytesIO()
    subset.save_font(opened, buffer, options)
    return buffer.getvalue()


def write_script(static: Path) -> None:
    """Write the script with the fonts of `AT_ONCE`."""
    fonts = [
        [family, kind, base64.b64encode((static / path).read_bytes()).decode()]
        for path, (family, kind) in AT_ONCE.items()
    ]
    (static / SCRIPT).write_text(MAKE % json.dumps(fonts), "utf-8")


def cut_fonts(app: Sphinx, error: Exception | None) -> None:
    """Replace the site's copies; the whole fonts stay among the assets."""
    if error is not None or app.builder.format != "html":
        return
    static, found = Path(app.outdir, "_static"), shown_characters(Path(app.outdir))
    for whole in Path(app.srcdir, "book", "assets", "katex", "fonts").glob("*.woff2"):
        own = found.get(whole.stem.removeprefix("KaTeX_"), found[""])
        (static / FONTS / whole.name).write_bytes(cut(whole.read_bytes(), own))
    write_script(static)


def setup(app: Sphinx) -> None:
    """Run when all pages are written."""
    app.connect("build-finished", cut_fonts, priority=800)
