"""The search finds a word, on a server and on the file system, and what is named."""

from built_site import FRONT

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


# What is typed, where the answer stands, how far down at most, and what the excerpt says.
ASKED = (
    ("why sqrt d", "book/index.html", 1, ""),
    ("root d", "book/index.html", 1, "√d"),
    ("varience", "book/02-variance-proof.html", 1, "variance"),
    ("sofmax saturation", "book/03-softmax-saturation.html", 1, ""),
    ("lenght of context", "book/03-softmax-saturation.html#asked-3-4", 3, "context"),
    ("log n", "book/6b-lengths.html", 3, "log"),
    ("how to cite", "book/index.html#run-it", 1, "foot of each page"),
    ("install", "book/index.html#run-it", 3, "pip install"),
    ("beta", "book/glossary.html#term-scale", 1, "multiplies the scores"),
    ("β", "book/glossary.html#term-scale", 1, "multiplies the scores"),
    ("softmax_jacobian", "book/api/weights.html", 1, ""),
    ("Theorem 2.1", "book/02-variance-proof.html#thm-variance", 1, "covariance"),
    ("figure 5.1", "book/05-start-and-speed.html#figure-5-1", 1, ""),
    ("Exercise 3.2", "book/03-softmax-saturation.html#asked-3-2", 1, ""),
)


def test_words_with_wrong_letters_and_names_find_what_answers_them(visit):
    opened = visit("search.html?q=kurtosis")
    page, found = opened.page, opened.page.locator("#search-results li")
    texts = page.locator("#search-results .context").all_inner_texts()
    assert len(texts) > 5
    for menu in ("Contents", ".ipynb", "import ", ">>>", " = 0.", "min to read", "Hint"):
        assert not any(menu in text for text in texts)
    for words, target, places, excerpt in ASKED:
        page.locator("main input[type=search]").fill(words)
        links = found.locator("a").evaluate_all("a => a.map(e => e.href)")
        assert any(target in link for link in links[:places]), (words, links[:5])
        assert excerpt in found.first.inner_text() or places > 1, words
    assert opened.troubles == []
