"""Two functions of libraries side by side, as a reader chooses them."""

PAGE = "book/8d-libraries.html"
TABLE = ".side-by-side table"


def answers(page, column):
    return page.locator(f"{TABLE} tr > :nth-child({column})").all_inner_texts()


def test_a_reader_chooses_two(visit):
    page = visit(PAGE).page
    a, b = page.locator(".side-by-side select").all()
    keras = "keras on jax: layers.Attention() 3.15.1"
    first = answers(page, 2)
    a.select_option(label=keras)
    assert answers(page, 2) != first
    b.select_option(label=keras)
    assert answers(page, 2) == answers(page, 3)
    assert "keras.layers.Attention" in answers(page, 2)[-1]
    assert page.locator(f"{TABLE} tr.differs").count() == 0
    b.select_option(index=0)
    names = answers(page, 1)
    differs = page.locator(f"{TABLE} tr.differs > th").all_inner_texts()
    two = zip(names, answers(page, 2), answers(page, 3), strict=True)
    assert differs == [name for name, one, other in two if one != other][1:-1]
    assert "Scale" in differs


def test_without_scripts_and_on_a_phone_it_is_a_table(visit):
    page = visit(PAGE, width=360, javascript=False).page
    assert page.locator(f"{TABLE} tbody tr").count() >= 14
    assert page.locator(".side-by-side form").is_hidden()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
