"""Which rules of a stylesheet stay."""

import sys

import pytest

from tools.paths import BOOK

sys.path.insert(0, str(BOOK / "_ext"))
from course_site.stylesheet import divided, kept_sheet, names_in_use, read_sheet

KNOWN = {"used", "title", "data-theme", "lang"}


def kept(text):
    return kept_sheet(text, KNOWN)


@pytest.mark.parametrize(
    "text",
    [
        ".used{color:red}",
        "p{color:red}",
        "#title{color:red}",
        ".used:hover::before{color:red}",
        "a:not(.unused){color:red}",
        ":is(.unused,.used) p{color:red}",
        '[data-theme="unused"]{color:red}',
        "*{margin:0}",
        "@font-face{font-family:Unused}",
        "@keyframes unused{from{top:0}}",
        "@media print{.used{color:red}}",
    ],
)
def test_a_rule_that_may_match_stays(text):
    assert kept(text).replace("\n", "") == text


@pytest.mark.parametrize(
    "text",
    [
        ".unused{color:red}",
        ".used.unused{color:red}",
        ".used > .unused a{color:red}",
        "#unused{color:red}",
        "[unused]{color:red}",
        '[unused^="used"]{color:red}',
        "@media print{.unused{color:red}}",
        "@supports (display:grid){@media print{#unused{color:red}}}",
    ],
)
def test_a_rule_that_cannot_match_goes(text):
    assert kept(text) == ""


def test_a_list_of_selectors_keeps_those_that_may_match():
    assert kept(".unused, .used p,#unused{color:red}") == ".used p{color:red}"


@pytest.mark.parametrize(
    "text",
    [
        "p{--read:1px;margin:var(--read)}",
        "p{--read:1px}\nq{margin:calc(2*var( --read ))}",
        "p{--inner:1px;--read:var(--inner);margin:var(--read)}",
        'p{--read:url("a;--b:c");background:var(--read)}',
        "p{--known-to-a-script:1px}",
    ],
)
def test_a_property_that_is_read_stays(text):
    assert kept_sheet(text, {*KNOWN, "--known-to-a-script"}) == text


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("p{--a:1px;color:red}", "p{color:red}"),
        ("p{--a:var(--b);--b:1px;color:red}", "p{color:red}"),
        ("p{--a:1px}", ""),
        ("@media print{p{--a:1px}}", ""),
        ('p{--a:url("x;color:blue");color:red}', "p{color:red}"),
        ("p{color:red!important;--a:1px}", "p{color:red!important}"),
    ],
)
def test_a_property_that_nothing_reads_goes(text, left):
    assert kept(text).replace(" ", "") == left


def test_a_sheet_that_cannot_be_read_stops_the_build():
    with pytest.raises(ValueError, match="cannot be read"):
        kept(".used{color:red}}")


def test_imports_are_read_and_addresses_move(tmp_path):
    (tmp_path / "styles").mkdir()
    (tmp_path / "base.css").write_text("p{background:url(pictures/a.png)}")
    (tmp_path / "styles" / "theme.css").write_text(
        '@import "../base.css";\n'
        "q{background:url('../fonts/b.woff2?v=1')}\n"
        "s{background:url(data:image/png;base64,AA)}"
    )
    assert read_sheet(tmp_path, "styles/theme.css").splitlines() == [
        'p{background:url("pictures/a.png")}',
        'q{background:url("fonts/b.woff2")}',
        "s{background:url(data:image/png;base64,AA)}",
    ]


def test_names_come_from_pages_and_scripts(tmp_path):
    (tmp_path / "page.html").write_text('<p class="one-name">')
    (tmp_path / "x.js").write_text('e.classList.add("two")')
    (tmp_path / "bootstrap.js").write_text('"carousel"')
    found = names_in_use(tmp_path)
    assert {"one-name", "two", "show"} <= found
    assert "carousel" not in found


def test_the_families_of_the_script_have_a_sheet_of_their_own():
    script = 'for (const [family, kind, data] of [["Two Words", {"weight": "900"}, "AA"]]) {}'
    ours = "@font-face{font-family:Two Words;src:url(a)}"
    also = '@font-face{font-family:"Two Words";font-style:italic;src:url(b)}'
    others = ["p{font-family:Two Words}", "@font-face{font-family:Two;src:url(c)}"]
    found = divided("\n".join([ours, others[0], also, others[1]]), script)
    assert [part.split("\n") for part in found] == [others, [ours, also]]
