"""The ledger's form: what is chosen narrows the table, stands in the address and can be linked."""

import pytest

PAGE = "book/claims.html"
ROWS = "table.filtered tbody tr:not(.group)"


@pytest.fixture
def page(visit):
    return visit(PAGE).page


def shown(page):
    return page.locator(f"{ROWS}:visible").count()


def test_choices_narrow_the_table(page):
    whole = page.locator(ROWS).count()
    assert shown(page) == whole > 80
    page.locator("select[name=source]").select_option("d")
    of_d = shown(page)
    assert 0 < of_d < whole
    page.locator("select[name=verdict]").select_option("holds if")
    rows = page.locator(f"{ROWS}:visible")
    assert 0 < rows.count() < of_d
    assert {row.split()[0][0] for row in rows.all_inner_texts()} == {"D"}
    assert set(rows.locator(".verdict").all_inner_texts()) == {"holds if"}
    page.get_by_label("Show the rows that contain").fill("no such words")
    assert shown(page) == 0
    assert page.get_by_role("status").filter(has_text="rows").inner_text() == f"0 of {whole} rows"


def test_the_table_is_whole_its_counts_are_right_and_each_row_names_its_chapter(page):
    boxes = page.locator(".pst-scrollable-table-container")
    assert boxes.count() == 2
    assert boxes.evaluate_all("a => a.every(e => e.scrollWidth <= e.clientWidth)")
    verdicts = page.locator("table.filtered tbody .verdict").all_inner_texts()
    rows = page.locator("table.claims-counts tbody tr").all_inner_texts()
    counted = {row.split("\t")[0].strip(): row.split() for row in rows}
    *names, whole = counted
    for name in names:
        *_, total = counted[name]
        assert int(total) == verdicts.count(name), name
    assert int(counted[whole][-1]) == len(verdicts)
    links = page.locator(".settled a").all_inner_texts()
    assert len(links) == page.locator(ROWS).count()
    assert sum(link.startswith("Chapter ") for link in links) == len(links) - 1  # D61: its page


def test_the_choice_stands_in_the_address(page, visit):
    page.locator("select[name=source]").select_option("a")
    page.locator("select[name=chapter]").select_option("4")
    assert page.url.endswith("?source=a&chapter=4")
    again = visit(PAGE + "?source=a&chapter=4&verdict=nonsense").page
    assert again.locator("select[name=source]").input_value() == "a"
    assert again.locator("select[name=verdict]").input_value() == ""
    assert shown(again) == shown(page) > 0


def headings(page):
    return page.locator("table.filtered tr.group:visible").all_inner_texts()


def test_rows_stand_in_groups_by_what_is_chosen(page, visit):
    names = page.locator(f"{ROWS} :is(th, td):first-child")
    before, texts = names.all_inner_texts(), headings(page)
    assert [text[:2] for text in texts] == ["A,", "B,", "C,", "D,"]
    page.locator("select[name=group]").select_option("verdict")
    assert page.url.endswith("?group=verdict")
    again = visit(PAGE + "?group=verdict").page
    order = ["holds", "holds if", "misleading", "false", "open"]
    assert headings(again) == headings(page) == order
    verdicts = again.locator("table.filtered tbody .verdict").all_inner_texts()
    assert verdicts == sorted(verdicts, key=order.index)
    page.locator("select[name=group]").select_option("source")
    assert (names.all_inner_texts(), headings(page)) == (before, texts)


def test_a_group_without_rows_has_no_heading(page):
    page.locator("select[name=topic]").select_option("temperature")
    assert [text[:2] for text in headings(page)] == ["C,", "D,"]


def test_a_link_to_a_row_shows_it(page):
    page.locator("select[name=source]").select_option("b")
    row = page.locator("#claim-d1")
    assert not row.is_visible()
    page.evaluate("location.hash = 'claim-d1'")
    row.wait_for(state="visible")
    assert page.locator("select[name=source]").input_value() == ""


def test_without_javascript_the_whole_table_stays(visit):
    page = visit(PAGE, javascript=False).page
    assert shown(page) == page.locator(ROWS).count() > 80
    assert page.locator("form.table-facets:visible").count() == 0
