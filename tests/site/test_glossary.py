"""The glossary: in the order of the alphabet, and every term is led to once a page."""

import re

from stored_outputs import sources

from tools.paths import BOOK, notebooks

TERM = re.compile(r"\]\(glossary\.md#(term-[\w-]+)\)")
ENTRY = re.compile(
    r'^- <a id="(term-[\w-]+)"></a>\*\*(.+?)\*\*(?:<!-- also [^<>]+ -->)?: [A-Zμ$1]', re.M
)
ENTRIES = ENTRY.findall((BOOK / "glossary.md").read_text("utf-8"))


def test_the_glossary_is_in_the_order_of_the_alphabet_and_names_nothing_twice():
    terms = [term.lower() for _, term in ENTRIES]
    assert terms == sorted(set(terms))
    for anchor, term in ENTRIES:
        assert anchor == "term-" + re.sub(r"[^A-Za-z0-9]+", "-", term).strip("-")


def test_links_lead_to_terms_at_their_first_use_and_every_term_has_one():
    every = set()
    for path in notebooks():
        terms = [term for text in sources(path) for term in TERM.findall(text)]
        assert len(terms) == len(set(terms)), path.name
        every |= set(terms)
    assert every == {anchor for anchor, _ in ENTRIES}
