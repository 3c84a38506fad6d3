"""The text on each page of a PDF that Chromium wrote, through its fonts' own tables."""

import re
import zlib

from tools.pdf_reading import objects, page_numbers

TOKEN = re.compile(rb"/(\w+)\s+[\d.]+\s+Tf|<([0-9A-Fa-f]*)>|\b(ET)\b|/(\w+)\s+Do\b", re.S)


def stream(body: bytes) -> bytes:
    """Return an object's stream, unpacked."""
    head, begins, rest = body.partition(b"stream\n")
    length = re.search(rb"/Length\s+(\d+)", head)
    if not begins or length is None:
        return b""
    packed = rest[: int(length[1])]
    return zlib.decompress(packed) if b"/FlateDecode" in head else packed


def reference(body: bytes, key: bytes) -> int | None:
    found = re.search(rb"/" + key + rb"\s+(\d+) 0 R", body)
    return int(found[1]) if found else None


def letters(table: bytes) -> dict[int, str]:
    """Read a ToUnicode table."""
    found = {}
    for block in re.findall(rb"beginbfchar(.*?)endbfchar", table, re.S):
        for code, text in re.findall(rb"<(\w+)>\s*<(\w+)>", block):
            found[int(code, 16)] = bytes.fromhex(text.decode()).decode("utf-16-be")
    for block in re.findall(rb"beginbfrange(.*?)endbfrange", table, re.S):
        for first, last, text in re.findall(rb"<(\w+)>\s*<(\w+)>\s*<(\w+)>", block):
            start = ord(bytes.fromhex(text.decode()).decode("utf-16-be")[0])
            for i in range(int(last, 16) - int(first, 16) + 1):
                found[int(first, 16) + i] = chr(start + i)
    return found


class Reader:
    """Reads pages one at a time."""

    def __init__(self, pdf: bytes) -> None:
        self.found = objects(pdf)
        self.pages = page_numbers(self.found)
        self.tables: dict[int, tuple[dict[int, str], int]] = {}

    def texts(self) -> list[str]:
        """Return every page's text."""
        return [self._text(self.found[number]) for number in self.pages]

    def _font(self, number: int) -> tuple[dict[int, str], int]:
        """Return a font's table and how many digits one code has."""
        if number not in self.tables:
            body = self.found[number]
            table = reference(body, b"ToUnicode")
            digits = 4 if b"/Type0" in body else 2
            made = letters(stream(self.found[table])) if table else {}
            self.tables[number] = made, digits
        return self.tables[number]

    def _text(self, body: bytes, depth: int = 0) -> str:
        held = reference(body, b"Resources")
        resources = self.found[held] if held else body
        names = {
            name: int(number) for name, number in re.findall(rb"/(\w+)\s+(\d+) 0 R", resources)
        }
        inside = reference(body, b"Contents")
        content = stream(self.found[inside] if inside else body)
        said, font = [], ({}, 4)
        for name, codes, end, drawn in TOKEN.findall(content):
            if name in names:
                font = self._font(names[name])
            elif codes:
                table, digits = font
                steps = range(0, len(codes), digits)
                said += [table.get(int(codes[i : i + digits], 16), "") for i in steps]
            elif end:
                said.append("\n")
            elif drawn in names and depth < 3:
                part = self.found[names[drawn]]
                if b"/Form" in part:
                    said.append(self._text(part, depth + 1))
        return "".join(said)
