"""Say the same formula with fewer elements.

KaTeX builds a table of ten boxes around a lone superscript or subscript; a chapter has hundreds
of them, and the browser has to lay out each box. One element that is moved up or down looks the
same, to the pixel: the height of the line is fixed by the strut that KaTeX puts before it. That
strut is a pseudo-element here (course.css), and so are the struts, the filling and the last row
of the tables that stay. A space is the margin of what stands before it, a lone letter is what its
size is set on, and the MathML has no row around a single thing.
"""

import re

from bs4 import BeautifulSoup, Tag

# The TeX inside the MathML: nobody sees or hears it, and a formula that is copied brings it along.
SOURCE = re.compile(r"<semantics>(.*?)<annotation [^>]*>.*?</annotation></semantics>", re.S)
# Between two parts of a formula, where TeX would let a line break.
PARTS = re.compile(r'(?<=</span>)(?=<span class="base")')
SHOWN = re.compile(r'(?s)^.*class="katex-html"[^>]*>|<[^>]*>')
SHORT = 20  # characters; so much fits on a phone's line, and is read as one
# An element whose margin may hold the space behind it: its letters are as large as the formula's.
SPACED = {
    "mord",
    "mathnormal",
    "mathbb",
    "mathrm",
    "mrel",
    "mbin",
    "mpunct",
    "mclose",
    "minner",
    "mtight",
}
LETTERS = {"mord", "mathnormal", "mathbb", "mathrm", "mtight"}
NO_DELIMITERS = [["mopen", "nulldelimiter"], ["mclose", "nulldelimiter"]]
NO_DELIMITER = 0.12  # em; KaTeX's width of a delimiter that is not there
SMALLER = {"size3": 0.7, "size1": 0.5}  # what KaTeX's style sheet makes of a script's letters
LENGTH = re.compile(r"(-?[\d.]+)em")
EM = re.compile(r"(?:^|;)(?:top|height):(-?[\d.]+)em")


def _ems(element: Tag) -> float:
    """Return an element's `top` or `height`."""
    return float(EM.search(str(element["style"]))[1])


def _lone_script(table: Tag) -> Tag | None:
    """Return what a table of KaTeX's holds if that is one script; a second row is filling."""
    script, *others = table.find(class_="vlist").find_all(recursive=False)
    return None if others else script


def breakable(formula: str) -> str:
    """Return KaTeX's HTML, where a long formula may break between its parts; no other does."""
    return PARTS.sub("<wbr>", formula) if len(SHOWN.sub("", formula)) > SHORT else formula


def lighter(formula: str) -> str:
    """Return KaTeX's HTML without the TeX, and with one element for each lone script."""
    formula = SOURCE.sub(r"\1", formula)
    tree = BeautifulSoup(formula, "html.parser")
    for table in tree.select(".msupsub > .vlist-t"):
        script = _lone_script(table)
        if script is None:
            continue
        strut = script.find(class_="pstrut", recursive=False)
        margins = re.sub(EM, "", str(script["style"]), count=1).strip(";")
        # The script's line hangs `top` below the baseline and is set at the foot of its strut.
        script["style"] = f"position:relative;top:{_ems(script) + _ems(strut):.6g}em;{margins}"
        strut.extract()
        table.replace_with(script)
        _without_wrapper(script)
    for strut in tree.select(".base > .strut"):
        strut.parent["style"] = (
            str(strut["style"]).replace("height:", "--h:").replace("vertical-align:", "--v:")
        )
        strut.extract()
    for strut in tree.select(".vlist > span > .pstrut"):
        strut.parent["style"] = (
            f"{str(strut['style']).replace('height:', '--p:')}{strut.parent['style']}"
        )
        strut.extract()
    for table in tree.select(".vlist-t2:not(.hangs)"):
        _without_last_row(table)
    for sized in tree.select(".sizing"):
        _join_letter(sized)
    for space in tree.select(".mspace:not(.newline)"):
        _join_space(space)
    for fraction in tree.select(".mord > .mfrac"):
        _join_fraction(fraction)
    for whole in tree.select(".katex > .katex-html"):
        _join_base(whole)
    for row in tree.select("math mrow"):
        if row.parent.name == "math" or len(row.find_all(recursive=False)) == 1:
            row.unwrap()
    return str(tree)


def _without_last_row(table: Tag) -> None:
    """Leave of a table its first row of one cell; what hangs below the line is `--d` high."""
    first, last = table.find_all(class_="vlist-r", recursive=False)
    filling, (cell,) = first.find(class_="vlist-s", recursive=False), last.select(".vlist")
    if filling is None or cell.get_text() or cell.find(True, attrs=True):
        return
    table["class"] = [*table["class"], "hangs"]
    table["style"] = f"--d:{_ems(cell):.6g}em;{table.get('style', '')}"
    filling.extract()
    last.extract()


def _join_letter(sized: Tag) -> None:
    """Join an element that sets a size with the one letter or group that it holds."""
    while len(sized.contents) == 1 and isinstance(inner := sized.contents[0], Tag):
        both = sized.get("style") and inner.get("style")
        if (
            both
            or not set(inner.get("class", ["none"])) <= LETTERS
            or not inner.attrs.keys() <= {"class", "style"}
        ):
            return
        sized["class"] = [*sized["class"], *(c for c in inner["class"] if c not in sized["class"])]
        if inner.get("style"):
            sized["style"] = inner["style"]
        inner.unwrap()


def _join_fraction(fraction: Tag) -> None:
    """Make the space on both sides of a fraction its margins, and of what holds it one element."""
    group, around = (
        fraction.parent,
        fraction.parent.find_all(class_="nulldelimiter", recursive=False),
    )
    if len(group.contents) != 3 or [side.get("class") for side in around] != NO_DELIMITERS:
        return
    behind = re.fullmatch(
        r"margin-right:(-?[\d.]+)em;?", str(group.get("style", "margin-right:0em"))
    )
    if not behind or fraction.get("style") or group["class"] != ["mord"]:
        return
    for side in around:
        side.extract()
    group["class"] = ["mord", "mfrac"]
    group["style"] = f"margin:0 {NO_DELIMITER + float(behind[1]):.6g}em 0 {NO_DELIMITER}em"
    fraction.unwrap()


def _join_base(whole: Tag) -> None:
    """Make one element of a formula and its one part; a displayed one is a block, and stays."""
    shown = whole.parent.parent
    if len(whole.contents) != 1 or (
        shown is not None and "katex-display" in shown.get("class", ())
    ):
        return
    base = whole.contents[0]
    if isinstance(base, Tag) and base.get("class") == ["base"]:
        whole["class"] = ["katex-html", "base"]
        if base.get("style"):
            whole["style"] = base["style"]
        base.unwrap()


def _without_wrapper(script: Tag) -> None:
    """Make one element of a script's place and its size; a size counts the place in its own em."""
    inner = script.find_all(recursive=False)
    if len(inner) != 1 or "sizing" not in inner[0].get("class", ()):
        return
    factor = next((SMALLER[c] for c in inner[0]["class"] if c in SMALLER), None)
    if factor is None or "reset-size6" not in inner[0]["class"]:
        return
    inner[0]["style"] = LENGTH.sub(
        lambda found: f"{float(found[1]) / factor:.6g}em", str(script["style"])
    )
    script.replace_with(inner[0])
    if len(inner[0].parent.contents) == 1:
        inner[0].parent.unwrap()


def _join_space(space: Tag) -> None:
    """Put a space behind an element into the element's margin."""
    before = space.previous_sibling
    width = re.fullmatch(r"margin-right:(-?[\d.]+)em;?", str(space.get("style", "")))
    if not width or not isinstance(before, Tag) or not before.get("class"):
        return
    style = str(before.get("style", ""))
    other = re.search(r"margin-right:(-?[\d.]+)em;?", style)
    if not set(before["class"]) <= SPACED or (style and not other):
        return
    total = float(width[1]) + (float(other[1]) if other else 0)
    before["style"] = f"margin-right:{total:.6g}em;"
    space.extract()
