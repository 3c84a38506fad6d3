"""Formulas with fewer elements look as KaTeX set them."""

import itertools
import re
import sys

import numpy as np
import pytest
from bs4 import BeautifulSoup
from built_site import CHAPTERS, ROOT
from sphinxcontrib import katex

sys.path.insert(0, str(ROOT / "book" / "_ext"))
from course_site.formulas import breakable, lighter
from course_site.mathematics import use_node

BASES = ("x", "W", r"\sigma", r"\mathrm{Var}", r"\mathbb{E}", "(a+b)", r"\hat{q}", r"\sum", "10")
SCRIPTS = ("_k", "^2", "_{i_j}", "^{-12}", "_i^2", r"^{z_j^2}", r"_{\sqrt{n}}", r"^{\frac{1}{2}}")
OTHERS = (
    r"\frac{e^{x_i}}{\sum_{j=1}^n e^{x_j}}",
    r"\sqrt{d_k^2 + x^2}",
    r"\left(\frac{x_i}{y^2}\right)^{n+1}_{m}",
    "f'(x) = f''_2",
    r"\lVert q \rVert^2 \le \underbrace{a_1 + a_2}_{n}",
    r"\begin{pmatrix} x_1 & y^2 \\ a & b_n \end{pmatrix}",
    r"\log_2 n \cdot \lim_{n \to \infty} \overline{x_n}",
    "{}^2 x",
)
TEX = [base + script for base, script in itertools.product(BASES, SCRIPTS)] + list(OTHERS)

# Where each character stands, from the corner of its formula; and the formula's height. All are
# put into the page before the first is measured, so that the browser lays it out once.
PLACES = """formulas => {
  const room = document.createElement("div");
  document.querySelector("article p").before(room);
  for (const html of formulas) room.appendChild(document.createElement("p")).innerHTML =
    `before ${html} after`;
  const found = Array.from(room.children, box => {
    const corner = box.getBoundingClientRect(), found = [[corner.height]];
    const walk = document.createTreeWalker(box.querySelector(".katex-html"), NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
      const range = document.createRange();
      range.selectNodeContents(walk.currentNode);
      const at = range.getBoundingClientRect();
      if (walk.currentNode.data.replace("\\u200b", ""))
        found.push([at.x - corner.x, at.y - corner.y, at.width, at.height]);
    }
    return found;
  });
  room.remove();
  return found;
}"""


UNDERNEATH = """rules => {
  const sheet = document.createElement("style");
  sheet.textContent = rules;
  document.head.prepend(sheet);
}"""


@pytest.fixture(scope="module")
def rendered():
    """What KaTeX itself makes of every formula, in the line and displayed."""
    use_node()
    return [
        katex.render_latex(tex, {"displayMode": shown}) for tex in TEX for shown in (False, True)
    ]


def test_every_character_stands_where_katex_put_it(visit, rendered):
    changed = [lighter(formula) for formula in rendered]
    page = visit(CHAPTERS[0], width=1280).page
    # The site's one stylesheet has left out what only KaTeX's own elements ask for.
    sheet = (ROOT / "book" / "assets" / "katex" / "katex.min.css").read_text("utf-8")
    page.evaluate(UNDERNEATH, re.sub(r"@font-face\s*\{.*?\}", "", sheet, flags=re.S))
    before, after = page.evaluate(PLACES, rendered), page.evaluate(PLACES, changed)
    assert sum(len(places) for places in before) > 4 * len(rendered)
    for tex, old, new in zip(np.repeat(TEX, 2), before, after, strict=True):
        assert len(new) == len(old), tex
        for was, now in zip(old, new, strict=True):
            assert now == pytest.approx(was, abs=0.2), tex


@pytest.mark.parametrize(
    ("tex", "tables"), [("x^2", 0), ("d_k", 0), ("x_i^2", 1), (r"\frac{x^2}{d_k}", 1)]
)
def test_only_a_lone_script_loses_its_table(rendered, tex, tables):
    formula = katex.render_latex(tex)
    changed = lighter(formula)
    assert changed.count('class="vlist-t') == tables
    assert changed.count("<span") < formula.count("<span") or tables == 1
    for drawn_by_style in ("pstrut", "vlist-s", '"mord mtight"'):
        assert drawn_by_style not in changed
    assert "<annotation" in formula
    assert "<annotation" not in changed
    assert spoken(changed) == spoken(formula)


def spoken(formula):
    """Return the MathML without the TeX, what wraps the two, and rows around single things."""
    math = str(BeautifulSoup(formula, "html.parser").select_one("math"))
    return re.sub(r"<annotation.*?</annotation>|</?(semantics|mrow)>", "", math)


def test_lighter_twice_is_lighter_once(rendered):
    for formula in rendered:
        once = lighter(formula)
        assert lighter(once) == once


@pytest.mark.parametrize(
    ("tex", "breaks"),
    [
        (r"\beta = 1/\sqrt{d_k}", 0),
        ("40 \\to 20", 0),
        ("1 + 2 + 3 + 4 = 10", 0),
        ("1000 + 2000 + 3000 + 4000 = 10000", 4),
        (r"\operatorname{softmax}(\beta z + \varepsilon) = \operatorname{softmax}(\beta z)", 2),
    ],
)
def test_only_a_long_formula_may_break(rendered, tex, breaks):
    formula = lighter(katex.render_latex(tex, {"displayMode": False}))
    changed = breakable(formula)
    assert changed.count("<wbr>") == breaks
    assert changed.replace("<wbr>", "") == formula
