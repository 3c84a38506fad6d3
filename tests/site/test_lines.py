"""On a phone no comma stands on another line than its formula, and formulas still break."""

from built_site import CHAPTERS

# Texts that touch a formula or a badge and stand on another line than it.
BROKEN = """() => {
  const found = [];
  for (const kept of document.querySelectorAll("article .kept")) {
    const box = kept.querySelector(".math, a.claim");
    const parts = [...box.querySelectorAll(".katex-html .base, .katex-html.base, .verdict")];
    const first = box.matches("a.claim") ? box.getClientRects()[0] : parts[0];
    for (const text of kept.childNodes) {
      if (text.nodeType !== Node.TEXT_NODE || !text.data) continue;
      const range = document.createRange();
      range.selectNodeContents(text);
      const lines = [...range.getClientRects()].filter(rect => rect.width);
      const follows = box.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING;
      const mine = follows ? lines[0] : lines[lines.length - 1];
      const next = follows ? parts[parts.length - 1] : first;
      const its = next.getBoundingClientRect ? next.getBoundingClientRect() : next;
      if (!mine || mine.bottom < its.top || mine.top > its.bottom) found.push(kept.textContent);
    }
  }
  return found;
}"""
LOOSE = """() => [...document.querySelectorAll("article .math, article a.claim")].filter(box =>
  !box.parentElement.matches(".kept")
  && /^\\S/.test(box.nextSibling?.nodeType === Node.TEXT_NODE ? box.nextSibling.data : " ")
).map(box => box.outerHTML)"""
# Formulas whose parts stand on two lines.
PARTED = """() => {
  return [...document.querySelectorAll("article .kept .katex-html")].filter(formula => {
    const tops = [...formula.querySelectorAll(":scope > .base")].map(
      part => part.getBoundingClientRect().bottom);
    return Math.max(...tops) - Math.min(...tops) > 15;
  }).length;
}"""


# What is folded is part of the page once it is open.
OPEN = """async () => {
  for (const folded of document.querySelectorAll("details")) folded.open = true;
  while (document.querySelector("details > noscript")) await new Promise(requestAnimationFrame);
}"""


def test_text_stays_on_the_line_of_its_formula_and_a_long_one_still_breaks(visit):
    parted = 0
    for name in CHAPTERS[:3]:
        page = visit(name, width=360).page
        page.evaluate(OPEN)
        assert page.locator("article .kept").count() > 50, name
        assert page.evaluate(LOOSE) == [], name
        assert page.evaluate(BROKEN) == [], name
        parted += page.evaluate(PARTED)
    assert parted >= 2
