"""Every address on every page: inside the site it leads somewhere, outside it is a plain link."""

import json
from collections import Counter
from functools import cache
from urllib.parse import unquote, urlsplit

import pytest
from built_site import PAGES, REDIRECT, SITE, soup

REFERRING = ("href", "src", "action", "poster", "data")


def addresses(name):
    """Return (element, address) for everything on a page that refers to something."""
    found = []
    for element in soup(name).find_all(True):
        found += [(element, element[key]) for key in REFERRING if key in element.attrs]
        for part in filter(None, element.get("srcset", "").split(",")):
            found.append((element, part.split()[0]))
    for script in soup(name).select(".exercise-box script[type='application/json']"):
        spec = json.loads(script.string)  # of what a right answer and a wrong one are told
        found += [(script, to) for _, to in spec["links"] + spec["passage"]]
    return found


@cache
def anchors(name):
    page = soup(name)
    ids = {e["id"] for e in page.find_all(id=True)}
    return ids | {e["name"] for e in page.find_all("a", attrs={"name": True})}


def broken(name, address):
    """Say why an internal address leads nowhere; None when it leads somewhere."""
    parts = urlsplit(address)
    path = (SITE / name).parent / unquote(parts.path) if parts.path else SITE / name
    path = path.resolve()
    if parts.path.startswith("/"):
        return "absolute: it breaks in a sub-folder"
    if SITE not in path.parents:
        return "outside the site"
    if not path.is_file():
        return "no such file"
    target = path.relative_to(SITE).as_posix()
    if parts.fragment and path.suffix == ".html" and parts.fragment != "top":
        return None if unquote(parts.fragment) in anchors(target) else "no such id"
    return None


@pytest.mark.parametrize("name", [*PAGES, REDIRECT])
def test_addresses_on_the_site_resolve_and_only_plain_links_leave_it(name):
    found = [(e, a) for e, a in addresses(name) if not a.startswith("data:")]
    external = [(e, a) for e, a in found if urlsplit(a).scheme or a.startswith("//")]
    internal = {a for _, a in found} - {a for _, a in external}
    assert {a: why for a in internal if (why := broken(name, a))} == {}
    assert [a for e, a in external if e.name != "a"] == [], "only <a> may leave the site"
    assert {urlsplit(a).scheme for _, a in external} <= {"http", "https"}
    ids = Counter(e["id"] for e in soup(name).find_all(id=True))
    assert [one for one, count in ids.items() if count > 1] == []
