"""What axe-core objects to on a page, with all its default rules.

`vendor/axe.min.js` is axe-core as npm publishes it (MPL 2.0, its licence beside it): the package
of PyPI brings one that is years older and does not see as much.
"""

from pathlib import Path
from typing import Any

AXE = Path(__file__).with_name("vendor") / "axe.min.js"
RUN = """([root, rules]) => axe.run(root || document,
  { resultTypes: ["violations"], ...(rules && { runOnly: rules }) })"""


def violations(page: Any, root: str | None = None, rules: list[str] | None = None) -> list[str]:
    """Return a line for each rule and element that breaks it: below `root`, of these rules."""
    if page.evaluate("typeof window.axe") == "undefined":
        page.evaluate(AXE.read_text(encoding="utf-8"))
    return [
        f"axe {rule['id']}: {node['target']} {' '.join(node['html'].split())[:160]} "
        f"({rule['help']})"
        for rule in page.evaluate(RUN, [root, rules])["violations"]
        for node in rule["nodes"]
    ]
