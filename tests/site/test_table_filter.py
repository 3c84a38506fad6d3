"""Tables that are filtered: what is chosen narrows them and stands in the address."""

from visiting import SETTLED

LEDGER, MODELS = "book/claims.html", "book/8a-models.html"
ROWS = "table.filtered tbody tr:not(.group)"


def shown(page):
    return page.locator(f"{ROWS}:visible").count()


def headings(page):
    return page.locator("table.filtered tr.group:visible").all_inner_texts()


def choose(page, menu, value):
    page.locator(f"select[name={menu}]").select_option(value)


def test_without_scripts_the_whole_table_stays(visit):
    page = visit(LEDGER, javascript=False).page
    assert shown(page) == page.locator(ROWS).count() >= 80
    assert page.locator(".table-filter, form.table-facets:visible").count() == 0


def test_menus_and_words_narrow_together_and_stand_in_the_address(visit):
    page = visit(MODELS + "?kind=norm&year=2025").page
    whole = page.locator(ROWS).count()
    texts = page.locator(f"{ROWS}:visible").all_inner_texts()
    assert whole >= 115 > len(texts) > 10
    assert all("2025" in text and "q and k normalised" in text for text in texts)
    page.get_by_label("Year").focus()
    page.keyboard.press("Tab")
    page.keyboard.type("qwen3")
    assert shown(page) == 1
    field = page.get_by_label("Show the rows that contain")
    field.fill("no such words")
    assert shown(page) == 0
    count = page.get_by_role("status").filter(has_text="rows")
    assert count.inner_text() == f"0 of {whole} rows"
    field.press("Escape")
    assert shown(page) == len(texts)
    choose(page, "year", "2017")
    assert page.url.endswith("?kind=norm&year=2017")
    assert not page.locator("#model-gpt-oss").is_visible()
    page.evaluate("location.hash = 'model-gpt-oss'")
    page.locator("#model-gpt-oss").wait_for(state="visible")  # a link to a row shows it
    boxes = page.locator(".pst-scrollable-table-container")
    for width in (1280, 360):  # and no box hides columns
        page.set_viewport_size({"width": width, "height": 800})
        page.evaluate(SETTLED)  # rows that were hidden ask for fonts
        assert boxes.evaluate_all("a => a.every(e => e.scrollWidth <= e.clientWidth)"), width


def test_the_ledgers_rows_are_counted_named_and_stand_in_groups(visit):
    page = visit(LEDGER + "?chapter=nonsense").page
    verdicts = page.locator("table.filtered tbody .verdict")
    said = verdicts.all_inner_texts()
    rows = page.locator("table.claims-counts tbody tr").all_inner_texts()
    counted = {row.split("\t")[0].strip(): int(row.split()[-1]) for row in rows}
    assert counted.pop("all") == len(said) == page.locator(ROWS).count()
    assert counted == {name: said.count(name) for name in counted}
    links = page.locator(".settled").all_inner_texts()
    assert sum(link.startswith("Chapter ") for link in links) == len(said) - 1  # D61: its page
    assert [text[:2] for text in headings(page)] == ["A,", "B,", "C,", "D,"]
    choose(page, "topic", "temperature")
    assert [text[:2] for text in headings(page)] == ["C,", "D,"]  # no group without rows
    choose(page, "topic", "")
    choose(page, "source", "d")
    of_d = shown(page)
    choose(page, "verdict", "holds if")
    visible = page.locator(f"{ROWS}:visible")
    assert 0 < visible.count() < of_d
    assert {row.split()[0][0] for row in visible.all_inner_texts()} == {"D"}
    assert set(visible.locator(".verdict").all_inner_texts()) == {"holds if"}
    assert page.url.endswith("?source=d&verdict=holds-if")
