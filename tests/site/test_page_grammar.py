"""What the site makes of the Markdown of its pages: captions, notes, bets, folds, the times."""

import pytest
from built_site import CHAPTERS, DEEPER, soup
from course_site.paragraphs import Box
from course_site.reading import Reading, measure, seconds
from docutils import nodes

from why_sqrt_d.exercises import get


def test_pages_have_what_their_markdown_says():
    """One of each: from a notebook's plain Markdown."""
    chapter = soup(CHAPTERS[0])
    assert len(chapter.select("p.kicker + h1")) == len(chapter.select("p.lede")) == 1
    figure = chapter.select_one("figure#figure-1-2.numbered")
    assert figure.select_one("figcaption > p > strong").get_text().startswith("Figure 1.2. ")
    assert chapter.select_one("a[href$='#figure-1-2']")
    source = chapter.select_one("div.margin.source[role=note]")
    assert source.select_one(".label").get_text() == "Source."
    title = chapter.select_one("div.predict > .admonition-title").get_text()
    assert title.startswith("Predict")
    assert chapter.select_one("div.proof.proposition .caption-number")
    folds = [fold for name in CHAPTERS for fold in soup(name).select("section > details")]
    assert any(fold.select("summary ~ p") and fold.select(".math") for fold in folds)
    for name in (*CHAPTERS, *DEEPER):
        assert not soup(name).select("article blockquote strong:first-child"), name


def words(count):
    return nodes.paragraph("", " ".join(["word"] * count))


def cell(*classes):
    listing = nodes.literal_block("", "a\nb\nc\nd\ne")
    code = nodes.container("", listing, nb_element="cell_code_source")
    printed = nodes.literal_block("", "printed")
    figure = Box("", words(3), tag="figure")
    output = nodes.container("", printed, figure, nb_element="cell_code_output")
    return nodes.container("", code, output, nb_element="cell_code", classes=list(classes))


def test_the_time_counts_what_a_reader_reads():
    opened, closed = (nodes.raw("", text, format="html") for text in ("<details>", "</details>"))
    for content, wanted in (
        ([words(90), nodes.math_block("", r"x \\ y")], 36 + 2 * 20),
        ([nodes.paragraph("", "", nodes.math("", r"\sqrt d = 8"))], 4 * 0.4),
        ([nodes.admonition("", words(90), classes=["predict"])], 36 + 20),
        ([cell()], 5 * 5 + 3 + 30 + 1.2),
        ([cell("tag_hide-input")], 3 + 30 + 1.2),
        ([opened, words(900), closed, words(90)], 36),
    ):
        assert sum(seconds(nodes.section("", *content))) == pytest.approx(wanted), content
    form = nodes.raw("", '<div class="exercise-box" data-exercise="1.1"></div>', format="html")
    found = measure(nodes.section("", form, words(360)))
    assert found == Reading(2, ("1.1",))
    assert found.practice == get("1.1").minutes


def test_a_chapter_begins_with_its_time():
    for name in (*CHAPTERS, *DEEPER):
        line = soup(name).select_one("article p.kicker").get_text()
        assert line.startswith(f"Chapter {name[6] if name in CHAPTERS else name[5]}")
        looked_up = name in ("book/8a-models.html", "book/8d-libraries.html")  # tables
        assert ("min to read" in line) is not looked_up
        assert ("deeper" in line) is (name in DEEPER)
