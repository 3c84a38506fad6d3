"""What has to hold on a page, at every width, in both themes; each check returns lines."""

from axe import violations

# Elements beyond the right edge that no ancestor scrolls or clips: these widen the page.
WIDE = """() => {
  const limit = window.innerWidth + 0.5;
  if (document.documentElement.scrollWidth <= limit) return [];
  const name = e => e.tagName.toLowerCase() + (e.id ? "#" + e.id : "") +
    Array.from(e.classList, c => "." + c).join("");
  const contained = e => {
    for (let p = e.parentElement; p && p !== document.body; p = p.parentElement)
      if (getComputedStyle(p).overflowX !== "visible") return true;
    return false;
  };
  const out = Array.from(document.body.querySelectorAll("*")).filter(
    e => e.getBoundingClientRect().right > limit && !contained(e));
  const total = document.documentElement.scrollWidth;
  return [`page is ${total} px wide at ${window.innerWidth}: ` +
    out.slice(0, 8).map(e => name(e) + " to " + Math.round(e.getBoundingClientRect().right))
      .join(", ")];
}"""

FONTS = """() => {
  const faces = Array.from(document.fonts);
  const lines = faces.filter(f => f.status === "error").map(f => `font failed: ${f.family}`);
  const katex = faces.some(f => f.family.startsWith("KaTeX_Main") && f.status === "loaded");
  if (document.querySelector(".katex") && !katex) lines.push("KaTeX_Main is not loaded");
  return lines;
}"""


#: What a browser says of fonts that it does not load ahead from a folder.
NO_FONTS_AHEAD = "CORS|ERR_FAILED|preload"


def too_wide(page):
    """Say what is wider than the viewport."""
    return page.evaluate(WIDE)


def bad_fonts(page):
    """Say which fonts did not load."""
    return page.evaluate(FONTS)


def wrong_theme(page, theme):
    """Say when the page does not follow the reader's colour scheme."""
    shown = page.evaluate("document.documentElement.dataset.theme")
    return [] if shown == theme else [f"the page's theme is {shown!r}, the reader's {theme!r}"]


def open_details(page):
    """Open every folded hint, solution and cell, so that they are looked at too."""
    page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")


def all_troubles(visit, theme):
    """Run every check on a page just opened."""
    page = visit.page
    lines = [*visit.troubles, *wrong_theme(page, theme), *bad_fonts(page), *too_wide(page)]
    open_details(page)
    lines += [f"with all details open: {line}" for line in too_wide(page)]
    # Last: axe fetches the stylesheets once more, which is not the page's doing.
    return lines + violations(page)
