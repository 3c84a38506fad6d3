"""Two functions of libraries side by side, as a reader chooses them."""

PAGE = "book/8d-libraries.html"
TABLE = ".side-by-side table"


def answers(page, column):
    return page.locator(f"{TABLE} tr > :nth-child({column})").all_inner_texts()


def test_a_reader_chooses_two(visit):
    page = visit(PAGE).page
    first = answers(page, 2)
    page.get_by_label("A", exact=True).select_option(
        label="keras on jax: layers.Attention() 3.15.1"
    )
    assert answers(page, 2) != first
    page.get_by_label("B", exact=True).select_option(
        label="keras on jax: layers.Attention() 3.15.1"
    )
    assert answers(page, 2) == answers(page, 3)
    assert "keras.layers.Attention" in answers(page, 2)[-1]
    assert page.locator(f"{TABLE} tr.differs").count() == 0
    page.get_by_label("B", exact=True).select_option(index=0)
    names = answers(page, 1)
    differs = page.locator(f"{TABLE} tr.differs > th").all_inner_texts()
    two = zip(names, answers(page, 2), answers(page, 3), strict=True)
    assert differs == [name for name, a, b in two if a != b][1:-1]
    assert "Scale" in differs


def test_without_scripts_and_on_a_phone_it_is_a_table(visit):
    page = visit(PAGE, width=360, javascript=False).page
    assert page.locator(f"{TABLE} tbody tr").count() >= 14
    assert page.locator(".side-by-side form").is_hidden()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
