"""Tables that are filtered: what is chosen narrows them and stands in the address."""

import pytest
from visiting import SETTLED

LEDGER, MODELS = "book/claims.html", "book/7a-models.html"
ROWS = "table.filtered tbody tr:not(.group)"


def shown(page):
    return page.locator(f"{ROWS}:visible").count()


def headings(page):
    return page.locator("table.filtered tr.group:visible").all_inner_texts()


@pytest.mark.parametrize(("name", "least"), [(LEDGER, 80), (MODELS, 115)])
def test_words_narrow_a_table_and_the_count_is_announced(visit, name, least):
    page = visit(name).page
    whole = page.locator(ROWS).count()
    field = page.get_by_label("Show the rows that contain")
    count = page.get_by_role("status").filter(has_text="rows")
    assert shown(page) == whole >= least
    field.fill("no such words")
    assert shown(page) == 0
    assert count.inner_text() == f"0 of {whole} rows"
    field.press("Escape")
    assert shown(page) == whole
    plain = visit(name, javascript=False).page  # without scripts the whole table stays
    assert shown(plain) == whole
    assert plain.locator(".table-filter, form.table-facets:visible").count() == 0


def test_menus_and_words_narrow_together_and_stand_in_the_address(visit):
    page = visit(LEDGER).page
    page.locator("select[name=source]").select_option("d")
    of_d = shown(page)
    page.locator("select[name=verdict]").select_option("holds if")
    rows = page.locator(f"{ROWS}:visible")
    assert 0 < rows.count() < of_d
    assert {row.split()[0][0] for row in rows.all_inner_texts()} == {"D"}
    assert set(rows.locator(".verdict").all_inner_texts()) == {"holds if"}
    assert page.url.endswith("?source=d&verdict=holds-if")
    again = visit(LEDGER + "?source=d&verdict=holds-if&chapter=nonsense").page
    assert shown(again) == rows.count()
    page = visit(MODELS + "?kind=norm&year=2025").page
    texts = page.locator(f"{ROWS}:visible").all_inner_texts()
    assert len(texts) > 10
    assert all("2025" in text and "q and k normalised" in text for text in texts)
    page.get_by_label("Year").focus()
    page.keyboard.press("Tab")
    page.keyboard.type("qwen3")
    assert shown(page) == 1


def test_the_ledgers_rows_are_counted_named_and_stand_in_groups(visit):
    page = visit(LEDGER).page
    verdicts = page.locator("table.filtered tbody .verdict")
    said = verdicts.all_inner_texts()
    rows = page.locator("table.claims-counts tbody tr").all_inner_texts()
    counted = {row.split("\t")[0].strip(): int(row.split()[-1]) for row in rows}
    assert counted.pop("all") == len(said) == page.locator(ROWS).count()
    assert counted == {name: said.count(name) for name in counted}
    links = page.locator(".settled").all_inner_texts()
    assert sum(link.startswith("Chapter ") for link in links) == len(said) - 1  # D61: its page
    assert [text[:2] for text in headings(page)] == ["A,", "B,", "C,", "D,"]
    page.locator("select[name=group]").select_option("verdict")
    assert headings(page) == list(counted)
    assert verdicts.all_inner_texts() == sorted(said, key=list(counted).index)
    page.locator("select[name=group]").select_option("source")
    page.locator("select[name=topic]").select_option("temperature")
    assert [text[:2] for text in headings(page)] == ["C,", "D,"]  # no group without rows


@pytest.mark.parametrize(
    ("name", "menu", "value", "row"),
    [(LEDGER, "source", "b", "claim-d1"), (MODELS, "year", "2017", "model-gpt-oss")],
)
def test_a_link_to_a_row_shows_it(visit, name, menu, value, row):
    page = visit(name).page
    page.locator(f"select[name={menu}]").select_option(value)
    assert not page.locator(f"#{row}").is_visible()
    page.evaluate("id => { location.hash = id; }", row)
    page.locator(f"#{row}").wait_for(state="visible")
    boxes = page.locator(".pst-scrollable-table-container")
    for width in (1280, 360):  # and no box hides columns
        page.set_viewport_size({"width": width, "height": 800})
        page.evaluate(SETTLED)  # rows that were hidden ask for fonts
        assert boxes.evaluate_all("a => a.every(e => e.scrollWidth <= e.clientWidth)"), width
