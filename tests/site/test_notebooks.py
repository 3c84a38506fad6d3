"""The stored notebooks: their form, their numbers, what they count."""

import io
import re
import sys
from base64 import b64decode, b64encode
from copy import deepcopy
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from PIL import Image
from stored_outputs import sources

from tools.marks import MARK, filled, results
from tools.notebooks import COLLAPSED, keep_stills, normalised, setup_source, text_of
from tools.paths import BOOK, ROOT, notebooks, pages

NOTEBOOKS = notebooks()
PAGES = [*NOTEBOOKS, *pages()]
EXEMPT = (
    r"^```.*?^```",  # fenced code and directives
    r"\$\$.*?\$\$",
    r"\$[^$]*\$",
    r"`[^`]*`",
    r"\b(?:Proposition|Theorem|Figures?|Exercise) \d[a-z]?\.\d+",
    r"\[\(\d[a-z]?\.\d+\)\]\(",
)
MARKED = re.compile(MARK.pattern + r"|“[^”]*”<!-- said [\w-]+ -->", re.S)
DECIMAL = re.compile(r"(?<![\w.])\d+[.,]\d+(?!\w)(?!\.\d)")
STATED = re.compile(r'<a id="([\w-]+)"></a>\n[>\n ]+\*\*(Proposition|Theorem) (\d[a-z]?\.\d+) \(')
TAGGED = re.compile(
    r'<a id="([\w-]+)"></a>\n[>\n ]+\$\$((?:(?!\$\$).)*?)\\tag\{(\d[a-z]?\.\d+)\}', re.S
)
REFERRED = re.compile(
    r"\[(?:(Proposition|Theorem) (\d[a-z]?\.\d+)|\((\d[a-z]?\.\d+)\))\]\([^#()]*#([\w-]+)\)"
)
CAPTIONED = re.compile(r"^\*\*Figure ([\w.]+)\. .+?\*\*", re.M)
SAID = re.compile(r"(?:“([\d.]+)”)?<!-- said ([\w-]+) -->")
PRINTED = {  # the numbers that pages quote, as they were read in the sources
    "chuang2023": "0.24 1.23 1.5 5.52 10.68 18.56 96 99.53 99.77 100",
    "source-a": "0.018 0.120 0.880 0.982",
    "source-c": "0.00 0.01 0.99 7.9 8.5",
}


def markdown(path: Path) -> list[str]:
    """Return the Markdown cells of a notebook, or a page as one."""
    return sources(path) if path.suffix == ".ipynb" else [path.read_text("utf-8")]


def typed_decimals(text: str) -> list[str]:
    """Return decimal numbers that stand in prose without being computed or quoted with source."""
    text = MARKED.sub("", text)
    for pattern in EXEMPT:
        text = re.sub(pattern, "", text, flags=re.S | re.M)
    return DECIMAL.findall(text)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_a_number_is_what_the_cells_computed_or_a_source_says(path: Path) -> None:
    own = results(nbformat.read(path, as_version=4)) if path.suffix == ".ipynb" else {}
    for cell in markdown(path):
        assert cell == filled(cell, own)
        assert not typed_decimals(cell), "mark these <!-- =name:.2f --> or <!-- said source -->"
        for number, key in SAID.findall(cell):
            assert f"(bibliography.md#{key})" in cell
            assert not number or number in PRINTED[key].split()


def test_every_number_is_quoted_or_read_by_a_test() -> None:
    quoted = {
        (page or path.name, name)
        for path in (*PAGES, *BOOK.glob("*.yml"), ROOT / "README.md")
        for cell in markdown(path)
        for _, page, name, _ in MARK.findall(cell)
    }
    tests = "".join(path.read_text("utf-8") for path in (ROOT / "tests").rglob("*.py"))
    tested = {*re.findall(r"[\"'](\w+)[\"']", tests)}
    for path in NOTEBOOKS:
        handed = results(nbformat.read(path, as_version=4)).keys()
        for name in handed:
            stem = re.sub(r"_(low|high|half)$", "", name)  # an interval is handed over whole
            told = {name, stem} & tested or {(path.name, name), (path.name, stem)} & quoted
            assert told, (path.name, name)


def numbered(path: Path) -> list[tuple[str, str, str]]:
    """Return kind, number and anchor of every statement and formula that has a number."""
    text = "\n\n".join(markdown(path))
    statements = [(kind, number, anchor) for anchor, kind, number in STATED.findall(text)]
    return statements + [("formula", number, anchor) for anchor, _, number in TAGGED.findall(text)]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_statements_formulas_and_figures_are_counted(path: Path) -> None:
    text, page = "\n\n".join(markdown(path)), path.stem.partition("-")[0].lstrip("0")
    assert len(numbered(path)) == text.count("\\tag{") + len(
        re.findall(r"^> \*\*(?:Prop|Theor)", text, re.M)
    )
    for kind in ("Proposition", "Theorem", "formula"):
        found = [number for other, number, _ in numbered(path) if other == kind]
        assert found == [f"{page}.{k + 1}" for k in range(len(found))]
    found = CAPTIONED.findall(text)
    assert found == [f"{page}.{k + 1}".removeprefix("index.") for k in range(len(found))]


def test_a_reference_has_the_number_of_what_it_leads_to() -> None:
    known = {
        anchor: (kind, number) for path in NOTEBOOKS for kind, number, anchor in numbered(path)
    }
    found = [link for path in PAGES for cell in markdown(path) for link in REFERRED.findall(cell)]
    assert len(found) > 30
    for kind, number, tag, anchor in found:
        assert known[anchor] == (kind or "formula", number or tag)


def test_the_markdown_of_a_notebook_is_plain() -> None:
    """JupyterLab shows it as it stands: no role, directive or label of MyST."""
    for path in NOTEBOOKS:
        for cell in markdown(path):
            found = re.search(r"\{[a-z:]+\}`|^:::|^```\{|^\([\w-]+\)=", cell, re.M)
            assert not found, (path.name, found)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_stored_in_normal_form(path: Path) -> None:
    stored = path.read_text("utf-8")
    again = text_of(normalised(nbformat.reads(stored, as_version=4)))
    assert again == stored, "run `make notebooks`"


def test_normal_form_has_the_title_first_small_stills_and_no_editors_metadata() -> None:
    file = io.BytesIO()
    Image.effect_noise((1500, 900), 50).save(file, "PNG")
    data = {"image/png": b64encode(file.getvalue()).decode(), "text/plain": "kept"}
    size = {"image/png": {"width": 1500}}
    output = new_output("execute_result", data, metadata=size, execution_count=7)
    cell = new_code_cell(
        "1 + 1", outputs=[output], execution_count=7, metadata={"collapsed": True}
    )
    cell.metadata.tags = ["hide-cell"]
    notebook = new_notebook(cells=[cell, new_markdown_cell("# T")], metadata={"widgets": {}})
    title, first, second = normalised(notebook).cells
    assert title.source == "# T"
    (shown,) = second.outputs
    assert first.source == setup_source()
    assert (first.execution_count, second.execution_count, shown.execution_count) == (1, 2, 2)
    assert (shown.data["text/plain"], shown.metadata) == ("kept", {})
    still = b64decode(shown.data["image/png"])
    with Image.open(io.BytesIO(still)) as image:
        assert image.width < 700
    assert second.metadata == {"tags": ["hide-cell"], **COLLAPSED}
    assert text_of(normalised(deepcopy(notebook))) == text_of(notebook)
    assert "widgets" not in notebook.metadata


def test_a_still_that_a_processor_rounds_otherwise_is_kept_and_another_is_not() -> None:
    def drawn(level: int, said: str = "a line") -> NotebookNode:
        image, file = Image.new("RGB", (100, 50), "white"), io.BytesIO()
        image.paste((level, 0, 0), (10, 10, 40, 14))
        image.save(file, "PNG")
        data = {"image/png": b64encode(file.getvalue()).decode(), "text/plain": said}
        return new_notebook(
            cells=[new_code_cell("f()", id="f", outputs=[new_output("display_data", data)])]
        )

    def still(notebook: NotebookNode) -> str:
        return notebook.cells[0].outputs[0].data["image/png"]

    before = drawn(100)
    for new, kept in ((drawn(101), True), (drawn(150), False), (drawn(101, "another"), False)):
        keep_stills(new, before)
        assert (still(new) == still(before)) == kept


def test_the_first_cell_answers_in_one_line_when_the_course_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for missing in ("attn_helpers", "matplotlib"):
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, missing, None)  # what a failed import leaves
            with pytest.raises(ModuleNotFoundError) as stopped:
                exec(setup_source(), {})
        assert 'pip install ".[course]"' in str(stopped.value)
        assert "\n" not in str(stopped.value)
