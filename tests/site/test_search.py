"""The search finds a word, on a server and on the file system, and what is named."""

from built_site import FRONT
from waiting import wait_until

WORD = "kurtosis"


def test_a_word_is_found_through_the_dialog_from_a_folder_too(visit):
    page = visit(FRONT, source="file", width=360).page
    page.locator("button.search-button__button:visible").first.click()
    page.locator("dialog input[type=search]").fill(WORD)
    page.keyboard.press("Enter")
    page.wait_for_url("**/search.html?*")
    target = "2a-exact-law.html"
    page.locator(f"#search-results li a[href*='{target}']").first.click()
    page.wait_for_url(f"**/{target}*")
    assert WORD in page.locator("main").inner_text().lower()


# Of the pages that are found, only those are read that `only` names, if the address has it.
SHORT = """{
  const read = window.fetch, only = new URLSearchParams(location.search).get("only") ?? "";
  window.fetch = async url => String(url).includes(only) ? read(url)
    : new Response("<article class='bd-article'></article>");
}"""


def test_the_course_comes_before_the_package_and_excerpts_are_cut_from_the_text(visit):
    opened = visit(f"search.html?q={WORD}")
    page, found = opened.page, opened.page.locator("#search-results li")
    found.last.locator("p.context, span").first.wait_for()
    texts = found.locator("p.context").all_inner_texts()
    assert len(texts) > 5
    assert min(map(len, texts)) > 20
    for menu in ("Contents", "Skip to main", ".ipynb", ".pdf", "Print to PDF", "min to read"):
        assert not any(menu in text for text in texts)
    page.add_init_script(SHORT)
    for words, target, excerpt in (
        ("beta", "book/glossary.html#term-scale", "multiplies the scores"),
        ("β", "book/glossary.html#term-scale", "multiplies the scores"),
        ("softmax_jacobian", "book/api/weights.html", ""),
        ("Dot products grow", "book/01-dot-products-grow.html", "dot product"),
        ("Theorem 2.1", "book/02-variance-proof.html#thm-variance", "covariance"),
        ("figure 5.1", "book/05-start-and-speed.html#figure-5-1", "small rates"),
        ("Exercise 3.2", "book/03-softmax-saturation.html#asked-3-2", ""),
    ):
        opened.go(f"search.html?q={words}&only={target.partition('#')[0]}")
        wait_until(page, "document.querySelector('#search-results li')?.children.length > 1")
        assert target in found.first.locator("a").first.evaluate("e => e.href")
        assert excerpt in found.first.inner_text()
