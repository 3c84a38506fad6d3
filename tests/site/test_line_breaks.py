"""Which text stays with a formula, and which spaces hold."""

import sys
from types import SimpleNamespace

import pytest
from docutils import nodes
from docutils.utils import new_document

from tools.paths import BOOK

sys.path.insert(0, str(BOOK / "_ext"))
from course_site.line_breaks import break_names, keep_numbers, keep_together

APP = SimpleNamespace(builder=SimpleNamespace(format="html"))


def paragraph(*parts):
    """Return a document of one paragraph: texts, formulas in dollars, stars for other things."""
    document = new_document("test")
    document += nodes.paragraph()
    for part in parts:
        if part == "*":
            document[0] += nodes.emphasis()
        else:
            document[0] += (
                nodes.math("", part[1:]) if part[1:] and part[0] == "$" else nodes.Text(part)
            )
    return document


@pytest.mark.parametrize(
    ("parts", "kept"),
    [
        (("a ", "$x", ", and"), ["x,"]),
        (("is (", "$x", "). So"), ["(x)."]),
        (("the ", "$d", "-dimensional row"), ["d-dimensional"]),
        (("a ", "$x", " b"), []),
        (("$x",), []),
        (("($", "$x", " and ", "$y", ")"), ["($x", "y)"]),
        (("one", "*", ", ", "*", " at ", "$x", ", ", "$y", "."), ["x,", "y."]),
    ],
)
def test_text_that_touches_a_formula_is_kept_with_it(parts, kept):
    document = paragraph(*parts)
    whole = document.astext()
    keep_together(APP, document, "page")
    assert [node.astext() for node in document.findall(nodes.inline)] == kept
    assert document.astext() == whole


def test_a_claim_and_its_bracket_are_kept_together():
    document = paragraph("shown (")
    document[0] += nodes.reference("", "Claim A1", classes=["claim"])
    document[0] += nodes.Text("), as")
    keep_together(APP, document, "page")
    assert [node.astext() for node in document.findall(nodes.inline)] == ["(Claim A1),"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("with 15 000 strings", "with 15\xa0000 strings"),
        ("above 95 % in", "above 95\xa0% in"),
        (" %, and", "\xa0%, and"),
        (" ± ", "\xa0±\xa0"),
        ("is 3.00 ± 0.04 here", "is 3.00\xa0±\xa00.04 here"),
        ("the % of 12 runs", "the % of 12 runs"),
        ("in 2017 1234 models", "in 2017 1234 models"),
        ("1 000 000 tokens", "1\xa0000\xa0000 tokens"),
        ("-37.4", "−37.4"),
        ("-dimensional", "-dimensional"),
        ("-2 to 3", "-2 to 3"),
    ],
)
def test_a_number_is_shown_as_one(text, shown):
    document = paragraph(text)
    keep_numbers(APP, document, "page")
    assert document[0].astext() == shown


def test_code_keeps_its_spaces():
    document = new_document("test")
    document += nodes.literal_block("", "print(15 000)")
    document += nodes.paragraph("", "", nodes.literal("", "15 000 %"))
    keep_numbers(APP, document, "page")
    assert "\xa0" not in document.astext()


@pytest.mark.parametrize(
    ("page", "html"),
    [
        ("book/api/scores", "exact_<wbr>score_<wbr>moments(<wbr>d_k=1.0)"),
        ("book/notation", "exact_<wbr>score_<wbr>moments(<wbr>d_k=1.0)"),
        ("book/teaching", "exact_score_moments(d_k=1.0)"),
    ],
)
def test_long_names_break_between_words_in_the_reference(page, html):
    context = {"body": '<p>a_b</p><span class="pre">exact_score_moments(d_k=1.0)</span>'}
    break_names(APP, page, "page.html", context, new_document("test"))
    assert context["body"] == f'<p>a_b</p><span class="pre">{html}</span>'
