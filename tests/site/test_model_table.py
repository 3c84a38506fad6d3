"""The table of real models: menus and words that narrow it, and all of it without JavaScript."""

import pytest

PAGE = "book/7a-models.html"


@pytest.fixture
def page(visit):
    return visit(PAGE).page


def rows(page):
    return page.locator("table.filtered tbody tr:visible")


def test_words_narrow_the_table_and_the_count_is_announced(page):
    whole = page.locator("table.filtered tbody tr").count()
    field, status = page.get_by_label("Show the rows that contain"), page.get_by_role("status")
    count = status.filter(has_text="rows")
    assert rows(page).count() == whole >= 115
    assert count.inner_text() == f"{whole} of {whole} rows"
    field.fill("GEMMA 27b")
    assert rows(page).count() == 2
    assert count.inner_text() == f"2 of {whole} rows"
    field.fill("no such model")
    assert rows(page).count() == 0
    field.press("Escape")
    assert rows(page).count() == whole


def test_menus_narrow_the_table_and_stand_in_the_address(page, visit):
    page.get_by_label("Kind").select_option(label="q and k normalised")
    page.get_by_label("Year").select_option("2025")
    texts = rows(page).all_inner_texts()
    assert len(texts) > 10
    assert all("2025" in text and "q and k normalised" in text for text in texts)
    assert page.url.endswith("?kind=norm&year=2025")
    again = visit(PAGE + "?kind=norm&year=2025&words=qwen3").page
    assert rows(again).count() == 1
    assert again.get_by_label("Year").input_value() == "2025"


def test_the_keyboard_reaches_menus_and_field(page):
    page.get_by_label("Kind").focus()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.name") == "year"
    page.keyboard.press("Tab")
    page.keyboard.type("whisper")
    assert rows(page).count() == 1


def test_no_box_hides_rows_or_columns(page):
    boxes = page.locator(".pst-scrollable-table-container")
    for width in (1280, 360):
        page.set_viewport_size({"width": width, "height": 800})
        assert boxes.evaluate_all(
            "a => a.every(e => e.scrollWidth <= e.clientWidth && e.scrollHeight <= e.clientHeight)"
        ), width


def test_a_link_to_a_model_shows_it(page):
    page.get_by_label("Year").select_option("2017")
    row = page.locator("#model-gpt-oss")
    assert not row.is_visible()
    page.evaluate("location.hash = 'model-gpt-oss'")
    row.wait_for(state="visible")


def test_without_javascript_the_whole_table_stays(visit):
    page = visit(PAGE, javascript=False).page
    found = page.locator("table.filtered tbody tr")
    assert rows(page).count() == found.count() >= 115
    assert page.locator(".table-filter, form.table-facets:visible").count() == 0
    assert "Grok-1" in page.locator("table.filtered").inner_text()
