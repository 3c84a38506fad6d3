"""What axe-core objects to on a page, with all its default rules.

`vendor/axe.min.js` is axe-core as npm publishes it (MPL 2.0, its licence beside it): the package
of PyPI brings one that is years older and does not see as much.
"""

from pathlib import Path
from typing import Any

AXE = Path(__file__).with_name("vendor") / "axe.min.js"
# Of many alike a few are looked at: a formula as one element, some of a table's rows, and of
# code's spans some of each colour.
THIN = """() => {
  const all = selector => [...document.querySelectorAll(selector)], seen = {};
  all(".katex-html, math").forEach(e => { e.textContent = e.textContent; });
  all("tbody").forEach(body => [...body.rows].slice(12).forEach(row => row.remove()));
  for (const e of all("pre span[class]")) {
    seen[e.className] = (seen[e.className] || 0) + 1;
    if (seen[e.className] > 4) e.replaceWith(...e.childNodes);
  }
}"""
RUN = """([root, rules]) => axe.run(root || document,
  { resultTypes: ["violations"], ...(rules && { runOnly: rules }) })"""


def violations(page: Any, root: str | None = None, rules: list[str] | None = None) -> list[str]:
    """Return a line for each rule and element that breaks it: below `root`, of these rules.

    The page is thinned out first.
    """
    if page.evaluate("typeof window.axe") == "undefined":
        page.evaluate(AXE.read_text(encoding="utf-8"))
    page.evaluate(THIN)
    return [
        f"axe {rule['id']}: {node['target']} {' '.join(node['html'].split())[:160]} "
        f"({rule['help']})"
        for rule in page.evaluate(RUN, [root, rules])["violations"]
        for node in rule["nodes"]
    ]
