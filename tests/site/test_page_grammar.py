"""What the site makes of the Markdown of its pages: captions, notes, bets, the lede, the times."""

import sys
from io import StringIO

import pytest
from bs4 import BeautifulSoup
from built_site import CHAPTERS, DEEPER, soup
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace, patch_docutils

from tools.paths import BOOK
from why_sqrt_d.exercises import get

sys.path.insert(0, str(BOOK / "_ext"))
from course_site.captions import Caption, Figure, join
from course_site.figures import Drawing
from course_site.reading import Reading, line_above, measure, said, seconds

CONF = """
extensions = ["myst_parser", "course_site.dressing", "course_site.captions", "course_site.reading"]
myst_enable_extensions = ["dollarmath"]
html_theme = "basic"
"""


@pytest.fixture
def made(tmp_path):
    """Return what a page becomes, and what was warned of."""

    def make(text, name="index"):
        source, out, trees = (tmp_path / part for part in ("source", "out", "trees"))
        (source / "book").mkdir(parents=True, exist_ok=True)
        (source / "conf.py").write_text(CONF)
        (source / "p.png").write_bytes(b"")
        (source / f"{name}.md").write_text(text)
        warned = StringIO()
        with patch_docutils(str(source)), docutils_namespace():
            app = Sphinx(
                *map(str, (source, source, out, trees)), "html",
                confoverrides={"root_doc": name, "include_patterns": [f"{name}.md"]},
                status=None, warning=warned, freshenv=True,
            )  # fmt: skip
            app.build(force_all=True)
        page = (out / f"{name}.html").read_text()
        return BeautifulSoup(page, "html.parser").select_one("div.body"), warned.getvalue()

    return make


def test_a_picture_and_the_caption_below_it_are_a_figure_that_links_find(made):
    body, warned = made(
        "# A\n\nSee [Figure 1.2](#figure-1-2).\n\n![A line.](p.png)\n\n"
        "**Figure 1.2. It rises.** Look at $x$.\n\nText.\n"
    )
    assert warned == ""
    figure = body.select_one("figure#figure-1-2.numbered")
    assert figure.find("img")["alt"] == "A line."
    caption = figure.select_one("figcaption p")
    assert caption.strong.get_text() == "Figure 1.2. It rises."
    assert body.select_one("a[href='#figure-1-2']")
    assert len(body.select("#figure-1-2")) == 1
    assert figure.find_next_sibling("p").get_text() == "Text."


def test_a_caption_without_a_figure_is_told(made):
    _, warned = made("# A\n\nLede.\n\n**Figure 2. Nothing.** Here.\n")
    assert "no figure stands before" in warned


def test_the_output_of_a_cell_is_what_a_caption_belongs_to():
    document = nodes.Element()
    document.ids = {}
    printed = nodes.literal_block("", "printed")
    shown = nodes.container("", Drawing())
    output = nodes.container("", printed, shown, nb_element="cell_code_output")
    text = nodes.paragraph("", "", nodes.strong("", "Figure 1a.1. P."), caption="1a.1")
    text["ids"] = ["figure-1a-1"]
    document += [nodes.container("", output, nb_element="cell_code"), nodes.comment(), text]
    join(None, document)
    assert [type(node) for node in output] == [nodes.literal_block, Figure]
    assert [type(node) for node in output[1]] == [nodes.container, Caption]
    assert output[1]["ids"] == ["figure-1a-1"]
    assert len(document) == 2


@pytest.mark.parametrize(("word", "label"), [("Aside", None), ("Source", "Source.")])
def test_a_quotation_becomes_a_note_in_the_margin(made, word, label):
    body, _ = made(f"# A\n\nLede.\n\n> *{word}.* It is *so*.\n>\n> Twice.\n\nText.\n")
    note = body.select_one("div.margin[role=note]")
    found = note.select_one(".label")
    assert (found and found.get_text()) == label
    assert note.get_text(" ", strip=True).endswith("It is so . Twice.")
    assert not body.select("aside, blockquote")


def test_other_quotations_stay_what_they_are(made):
    body, _ = made(
        "# A\n\n> *Asides* are rare.\n\n> **Predict.**\n>\n> How much?\n\n"
        "> **Note.**\n>\n> It is.\n"
    )
    assert body.select_one("blockquote").get_text().strip() == "Asides are rare."
    assert body.select_one("div.predict .admonition-title").get_text() == "Predict."
    assert body.select_one("div.tip .admonition-title").get_text() == "Note."


def test_a_fold_has_markdown_inside(made):
    body, _ = made(
        "# A\n\nLede.\n\n<details><summary>In algebra</summary>\n\nHere *is* $x$.\n\n"
        "$$y$$\n\n</details>\n\nText.\n"
    )
    fold = body.select_one("details")
    assert fold.summary.get_text() == "In algebra"
    assert fold.select_one("p em")
    assert len(fold.select(".math")) == 2
    assert fold.find_next_sibling("p").get_text() == "Text."


def test_only_a_paragraph_right_below_the_title_is_the_lede(made):
    assert len(made("# A\n\nLede.\n\nText.\n")[0].select("p.lede")) == 1
    assert made("# A\n\n## B\n\nText.\n")[0].select("p.lede") == []


def test_a_chapter_says_above_its_title_how_long_it_takes(made):
    body, _ = made("# A\n\n" + 9 * (40 * "word " + "\n\n"), "book/03-a")
    assert body.select_one("p.kicker + h1")
    assert body.select_one("p.kicker").get_text() == "Chapter 3 · 2 min to read"
    assert not made("# A\n\nText.\n")[0].select("p.kicker")


def words(count):
    return nodes.paragraph("", " ".join(["word"] * count))


def cell(*classes):
    code = nodes.container("", nodes.literal_block("", "a\nb\nc"), nb_element="cell_code_source")
    printed = nodes.literal_block("", "printed")
    output = nodes.container("", printed, Figure("", words(3)), nb_element="cell_code_output")
    return nodes.container("", code, output, nb_element="cell_code", classes=list(classes))


FOLD = [nodes.raw("", text, format="html") for text in ("<details>", "</details>")]


@pytest.mark.parametrize(
    ("content", "wanted"),
    [
        ([words(90)], 30),
        ([nodes.paragraph("", "", nodes.Text("two words "), nodes.math("", "x^2 + y"))], 1),
        ([nodes.math_block("", "x")], 10),
        ([cell()], 3 * 4 + 15 + 1),
        ([cell("tag_hide-input")], 15 + 1),
        ([cell("tag_hide-cell")], 0),
        ([cell("exercise")], 0),
        ([FOLD[0], words(900), FOLD[1], words(90)], 30),
        ([nodes.comment("", "not said")], 0),
        ([nodes.table("", words(90), classes=["filtered"])], 0),
    ],
)
def test_the_time_counts_what_a_reader_reads(content, wanted):
    assert sum(seconds(nodes.section("", *content))) == pytest.approx(wanted)


def test_exercises_take_their_own_minutes():
    form = '<div class="exercise-box" data-exercise="1.1"></div>'
    found = measure(nodes.section("", nodes.raw("", form, format="html"), words(360)))
    assert found == Reading(2, ("1.1",))
    assert found.practice == get("1.1").minutes == 1  # one choice, one star
    line = line_above("book/01-dot", Reading(11, ("1.1", "1.2")))
    assert line == "Chapter 1 · 11 min to read · 2 exercises, 3 min"
    assert line_above("book/1b-dot", Reading(1)).startswith("Chapter 1, a deeper page · 1 min")
    assert line_above("book/7a-dot", Reading(1, lookup=True)) == "Chapter 7, a deeper page"
    assert line_above("book/glossary", Reading(1)) == ""


def test_times_are_said_as_one_says_them():
    times = [said(minutes) for minutes in (1, 19, 52, 97, 150, 430)]
    assert times == ["1 min", "19 min", "50 min", "95 min", "2 ½ hours", "7 hours"]


@pytest.mark.parametrize("name", [*CHAPTERS, *DEEPER])
def test_a_chapter_begins_with_its_time(name):
    said = soup(name).select_one("article p.kicker").get_text()
    assert ("min to read" in said) is (name != "book/7a-models.html")  # a table to look up
    assert soup(name).select_one("article p.kicker + h1")
