"""The bibliography: whom the pages cite, and by what name; entries lead back to their pages."""

import re
from functools import cache

from built_site import PAGES, soup
from pybtex.database import parse_file

from tools.paths import BOOK

PAGE = "book/bibliography.html"
ENTRIES = parse_file(BOOK / "references.bib").entries
PLAIN = str.maketrans("éč", "ec")


@cache
def links_to_entries(name):
    """Return the links of a page to an entry, with the entry's key."""
    links = soup(name).select("a[href*='bibliography.html#']")
    return [(link, link["href"].rpartition("#")[2]) for link in links]


def test_entries_stand_in_order_with_full_names_and_an_address_that_lasts():
    texts = [entry.get_text().strip().lower() for entry in soup(PAGE).select("div.citation")]
    surnames = [re.split(r"[,;.]", text)[0].translate(PLAIN) for text in texts]
    assert len(surnames) == len(ENTRIES)
    assert surnames == sorted(surnames)
    lasting = {"doi", "eprint", "url", "isbn"}
    for key, source in ENTRIES.items():
        assert "others" not in map(str, source.persons["author"]), key
        assert lasting & set(source.fields) or "no lasting address" in source.fields["note"], key


def test_each_entry_leads_back_to_every_page_that_cites_it():
    linked = {name: {key for _, key in links_to_entries(name)} for name in PAGES if name != PAGE}
    for entry in soup(PAGE).select("div.citation"):
        citing = {name for name, keys in linked.items() if entry["id"] in keys}
        back = {f"book/{link['href']}" for link in entry.select(".cited-in a")}
        assert back == citing, entry["id"]
        assert citing, entry["id"]


def test_a_source_is_named_by_its_authors_and_year():
    """As "[A and B, 2017]" or "A et al. [2017]", where what is linked has the year."""
    for name in PAGES:
        for link, key in links_to_entries(name) if "/api/" not in name else ():
            people = [str(p.rich_last_names[0]) for p in ENTRIES[key].persons["author"]]
            names = f"{people[0]} et al." if len(people) > 2 else " and ".join(people)
            year = ENTRIES[key].fields.get("year", "n.d.")
            text, around = (" ".join(e.get_text().split()) for e in (link, link.parent))
            said = around if text == year else text
            assert re.search(rf"{names},? [\[(]?{year}", said), (name, key, said)
