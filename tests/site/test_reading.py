"""What a reader finds on the way: the next chapter, rows to cite, formulas and code to copy."""

import re

import nbformat
from built_site import CHAPTERS, DEEPER, FRONT, MISSING, SITE, soup
from test_head_and_foot import ABOUT

from tools.paths import ROOT
from why_sqrt_d.rows import select, stored

ROOT_OF = "document.documentElement.dataset"
# A sentence, as it is copied.
COPIED = """() => {
  const formula = document.querySelector("article p .katex:has(.sqrt)");
  getSelection().selectAllChildren(formula.closest("p"));
  const clipboardData = new DataTransfer();
  document.dispatchEvent(new ClipboardEvent("copy", { clipboardData, bubbles: true }));
  return clipboardData.getData("text/plain");
}"""
DENIED = """Object.defineProperty(window, "localStorage",
  { configurable: true, get() { throw new DOMException("denied"); } })"""
# The names of all that can be pressed or typed into, in figures and exercises.
NAMES = """[...document.querySelectorAll(":is(.live, .exercise-box form, details[data-exercise])" +
    " :is(button:not(.copybtn), input:not([type=radio]), select, textarea, summary)")]
  .map(e => e.getAttribute("aria-labelledby")?.split(" ").map(id => document.getElementById(id))
    .map(part => part.ariaLabel ?? part.textContent).join(" ") ?? e.ariaLabel
    ?? e.labels?.[0]?.textContent).filter(name => !/step/.test(name))"""


def beside(name):
    """Return the pages that a page leads back and on to."""
    return [
        f"book/{link['href']}" if (link := soup(name).select_one(f"a.{way}")) else None
        for way in ("left-prev", "right-next")
    ]


def test_next_leads_from_chapter_to_chapter_and_a_deeper_page_back_to_its_own():
    for before, after in zip((FRONT, *CHAPTERS), CHAPTERS, strict=False):
        assert beside(before)[1] == after
        assert beside(after)[0] == before
    for name in DEEPER:
        back, on = beside(name)
        assert back.startswith(f"book/0{name[5]}-")
        assert on in DEEPER or on.startswith((f"book/0{int(name[5]) + 1}-", "book/four-texts"))


def test_rows_below_a_figure_are_there_and_how_they_are_cited():
    found = {name: soup(name).select("p.rows") for name in (FRONT, *CHAPTERS, *DEEPER)}
    assert sum(map(len, found.values())) > 20
    for name, lines in found.items():
        notebook = ROOT / name.replace(".html", ".ipynb")
        cells = nbformat.read(notebook, as_version=4).cells if notebook.exists() else []
        # What is in a hidden cell are numbers of the prose.
        code = "".join(c.source for c in cells if "hide-cell" not in c.metadata.get("tags", ()))
        assert lines or 'stored("' not in code or "figures." not in code, name
        for line in lines:
            cite = line.find_next_sibling("details").get_text()
            assert f"version {ABOUT.version}" in cite
            assert name in cite
            for part in line.get_text().removeprefix("Rows: ").split("; "):
                file, _, chosen = part.partition(" ")
                assert part in cite
                assert select(stored(file.removesuffix(".jsonl")), **eval(f"dict({chosen})")), part
            for link in line.select("a"):
                assert ((SITE / name).parent / link["href"]).name == link.get_text()


def test_a_wrong_address_is_answered_and_folders_with_an_underscore_are_served(visit):
    assert (SITE / ".nojekyll").exists()
    page = visit(f"{MISSING}?").page
    page.evaluate("history.replaceState(0, '', location.pathname.replace('404', 'book/4/x'))")
    page.evaluate(
        "document.querySelector('script').replaceWith(Object.assign("
        "document.createElement('script'), { text: document.scripts[0].text }))"
    )
    page.locator("#home").click()
    page.wait_for_url(f"**/{FRONT}")


def test_a_sentence_is_copied_with_its_formulas_and_of_an_example_the_code(visit):
    opened = visit(FRONT)
    page, text = opened.page, opened.page.evaluate(COPIED)
    assert len(re.findall(r"\$[^$]*\\sqrt ?\{?d\}?[^$]*\$", text)) >= 1
    assert "√" not in text
    assert "dd" not in text
    assert page.locator(".katex:not([translate=no])").count() == 0
    opened.go("book/api/weights.html")
    page.evaluate(
        "addEventListener('copy', () => { window.copied = document.activeElement.value; })"
    )
    page.locator(".highlight:has(.gp) .copybtn, .highlight:has(.gp) + .copybtn").first.click(
        force=True
    )
    shown = page.locator(".highlight:has(.gp) pre").first.inner_text().splitlines()
    code = [line[4:] for line in shown if line.startswith((">>> ", "... "))]
    assert len(shown) > len(code) > 1
    assert page.evaluate("copied").splitlines() == code


def test_without_storage_the_theme_changes_and_no_two_controls_have_one_name(visit):
    opened = visit(FRONT)
    page = opened.page
    page.add_init_script(DENIED)
    opened.go(CHAPTERS[2])
    page.evaluate("document.querySelectorAll('live-figure').forEach(e => e.start())")
    before = page.evaluate(f"{ROOT_OF}.mode")
    page.locator("button.theme-switch-button:visible").click()
    assert page.evaluate(f"{ROOT_OF}.mode") != before
    page.evaluate("whySqrtDExercises.progress.update('3.1', {})")
    assert not page.evaluate("whySqrtDExercises.progress.isKept()")
    page.locator("live-figure .live").nth(1).wait_for()
    names = page.evaluate(NAMES)
    assert len(names) > 40
    assert [name for name in names if names.count(name) > 1] == []
    page.set_viewport_size({"width": 360, "height": 800})
    code = page.locator("article div.highlight pre:visible").first
    assert code.evaluate("e => getComputedStyle(e).whiteSpace") == "pre"  # it scrolls
