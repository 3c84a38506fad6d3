"""Read what printing needs from a PDF that Chromium wrote: where each anchor came to stand.

Chromium writes plain objects (no object streams), so a search will do; it is no general reader.
"""

import re

OBJECT = re.compile(rb"(?<!\d)(\d+) 0 obj\s*(.*?)\s*endobj", re.S)
PLACE = rb"\[\s*(\d+) 0 R\s*/XYZ"


def objects(pdf: bytes) -> dict[int, bytes]:
    """Return every object's text by its number."""
    return {int(number): body for number, body in OBJECT.findall(pdf)}


def page_numbers(found: dict[int, bytes]) -> dict[int, int]:
    """Return each page object's place in the document, from 1 up.

    Raises
    ------
    ValueError
        If there is no page tree.
    """
    roots = [n for n, body in found.items() if _is(body, b"Pages") and b"/Parent" not in body]
    if len(roots) != 1:
        raise ValueError(f"{len(roots)} page trees: not a PDF that Chromium printed")
    order: list[int] = []

    def walk(number: int) -> None:
        kids = re.search(rb"/Kids\s*\[(.*?)\]", found[number], re.S)
        if kids is None:
            order.append(number)
            return
        for kid in re.findall(rb"(\d+) 0 R", kids[1]):
            walk(int(kid))

    walk(roots[0])
    return {number: place for place, number in enumerate(order, start=1)}


def _is(body: bytes, kind: bytes) -> bool:
    return re.search(rb"/Type\s*/" + kind + rb"(?![A-Za-z])", body) is not None


def destinations(pdf: bytes) -> dict[str, int]:
    """Return the page on which each named anchor stands."""
    found = objects(pdf)
    pages = page_numbers(found)
    places = {}
    for body in found.values():
        for name, page in re.findall(rb"/([^\s/\[\]()<>]+)\s*" + PLACE, body):
            if int(page) in pages and name not in (b"Dest", b"D"):
                places[_name(name)] = pages[int(page)]
    return places


def _name(raw: bytes) -> str:
    """Undo a PDF name's escapes: `#c3#97` stands for two bytes."""
    return re.sub(rb"#([0-9a-fA-F]{2})", lambda m: bytes([int(m[1], 16)]), raw).decode("utf-8")


def outline(pdf: bytes) -> list[tuple[str, int]]:
    """Return title and page of every bookmark, in the order of the file."""
    found = objects(pdf)
    pages = page_numbers(found)
    marks = []
    for body in found.values():
        title = re.search(rb"/Title\s*(\((?:\\.|[^\\)])*\)|<[0-9A-Fa-f\s]*>)", body, re.S)
        place = re.search(rb"/Dest\s*" + PLACE, body)
        if title and place:
            marks.append((_text(title[1]), pages[int(place[1])]))
    return marks


def _text(raw: bytes) -> str:
    """Read a PDF text string, as letters or as hexadecimal digits."""
    if raw.startswith(b"<"):
        value = bytes.fromhex(raw[1:-1].decode("ascii"))
    else:
        value = re.sub(rb"\\([0-7]{3}|.)", _unescaped, raw[1:-1], flags=re.S)
    if value.startswith(b"\xfe\xff"):
        return value[2:].decode("utf-16-be")
    return value.decode("latin-1")


def _unescaped(match: re.Match[bytes]) -> bytes:
    named = {b"n": b"\n", b"r": b"\r", b"t": b"\t"}
    return bytes([int(match[1], 8)]) if len(match[1]) == 3 else named.get(match[1], match[1])
