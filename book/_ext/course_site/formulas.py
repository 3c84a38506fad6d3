"""Say the same formula with fewer elements.

KaTeX builds a table of ten boxes around a lone superscript or subscript; a chapter has hundreds
of them, and the browser has to lay out each box. One element that is moved up or down looks the
same, to the pixel: the height of the line is fixed by the strut that KaTeX puts before it.
"""

import re

from bs4 import BeautifulSoup, Tag

# The TeX inside the MathML: nobody sees or hears it, and a formula that is copied brings it along.
SOURCE = re.compile(r"<semantics>(.*?)<annotation [^>]*>.*?</annotation></semantics>", re.S)
# Between two parts of a formula, where TeX would let a line break.
PARTS = re.compile(r'(?<=</span>)(?=<span class="base">)')
SHOWN = re.compile(r'(?s)^.*class="katex-html"[^>]*>|<[^>]*>')
SHORT = 20  # characters; so much fits on a phone's line, and is read as one
LONE = '<span class="msupsub"><span class="vlist-t'
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
    if LONE not in formula:
        return formula
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
    return str(tree)
