"""What a first visit transfers stays small."""

import gzip
from urllib.parse import unquote, urlsplit

import pytest
from built_site import PAGES, SITE

LIMIT = 300_000  # bytes, with the pictures that are near the first view
LEVEL = 6  # what web servers usually compress with


def sizes(opened):
    """Return the compressed size of every address the page asked for."""
    found = {}
    for url in dict.fromkeys(opened.requests):
        name = unquote(urlsplit(url.removeprefix(opened.base)).path)
        if not url.startswith("data:"):
            found[url] = (name, len(gzip.compress((SITE / name).read_bytes(), LEVEL)))
    return list(found.values())


@pytest.mark.parametrize("name", PAGES)
def test_first_transfer_is_small(visit, name):
    files = sorted(sizes(visit(name)), key=lambda row: -row[1])
    total = sum(size for _, size in files)
    rows = "\n".join(f"{size:>9} B  {file}" for file, size in files)
    table = f"{name}: {total / 1000:.1f} kB in {len(files)} requests\n{rows}"
    print(table)
    assert any(file == name for file, _ in files)
    assert total <= LIMIT, table
