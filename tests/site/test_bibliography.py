"""The bibliography on the built site: by name, and each entry leads back to where it is cited."""

import re

from built_site import PAGES, soup

PAGE = "book/bibliography.html"
PLAIN = str.maketrans("éč", "ec")


def links_to_entries(name):
    """The keys of the entries that a page links to."""
    found = (
        re.search(r"bibliography\.html#(.+)$", a["href"]) for a in soup(name).select("a[href]")
    )
    return {match[1] for match in found if match}


def test_entries_stand_in_the_order_of_the_names_they_begin_with():
    texts = [entry.get_text().strip().lower() for entry in soup(PAGE).select("div.citation")]
    surnames = [re.split(r"[,;.]", text)[0].translate(PLAIN) for text in texts]
    assert len(surnames) > 60
    assert surnames == sorted(surnames)
    assert not any(re.match(r"\[", text) for text in texts)


def test_each_entry_leads_back_to_every_page_that_cites_it():
    linked = {name: links_to_entries(name) for name in PAGES if name != PAGE}
    for entry in soup(PAGE).select("div.citation"):
        citing = {name for name, keys in linked.items() if entry["id"] in keys}
        back = {f"book/{link['href']}" for link in entry.select(".cited-in a")}
        assert back == citing, entry["id"]
        assert citing, entry["id"]
