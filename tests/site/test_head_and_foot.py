"""What a page says of itself: its sentence, its notebook, version, licences, how to cite it."""

from dataclasses import replace
from types import SimpleNamespace

import nbformat
import pytest
import yaml
from bs4 import BeautifulSoup
from built_site import CHAPTERS, FRONT, PAGES, ROOT, SITE, soup
from course_site import launch
from course_site.colophon import add_to_page
from jinja2 import Template

from why_sqrt_d.about import About

ABOUT = About.read(ROOT)
KNOWN = {"repository": "https://r.example", "doi": "10.1/2", "site": "https://a.example/b"}


def test_every_page_has_a_sentence_of_its_own_which_a_shared_link_shows():
    wanted = yaml.safe_load((ROOT / "book" / "descriptions.yml").read_text("utf-8"))
    assert len(set(wanted.values())) == len(wanted)
    for name in PAGES:
        said = {
            e.get("name") or e["property"]: e["content"]
            for e in soup(name).select("meta[name], meta[property]")
        }
        sentence = wanted.pop(name.removesuffix(".html"), None)  # the search page has none
        assert said.get("description") == said.get("og:description") == sentence
        assert said["og:title"] or not sentence
        assert said["og:type"] == ("website" if name == FRONT else "article")
        assert ("og:image" in said) == bool(ABOUT.site)
    assert wanted == {}


def test_the_footer_says_version_licences_and_how_to_cite():
    for name in PAGES:
        footer = soup(name).select_one("footer .colophon")
        text = " ".join(footer.get_text(" ").split())
        licences = ("CC BY 4.0", "BSD 3-Clause")
        for said in (ABOUT.title, ABOUT.people, f"Version {ABOUT.version}", *licences):
            assert said in text, name
        if name in CHAPTERS:
            heading = soup(name).select_one("article h1").get_text().removesuffix("#")
            entry = footer.select_one("pre").get_text()
            assert f"chapter = {{{name[6]}}}" in entry
            assert f"title = {{{{{heading.partition('. ')[2]}}}}}" in entry


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_chapters_notebook_can_be_downloaded(name):
    (link,) = soup(name).select("a[href$='.ipynb']")
    assert link["href"].endswith(f"/{name[5:-5]}.ipynb")
    notebook = nbformat.read((SITE / name).parent / link["href"], as_version=4)
    assert any(cell.cell_type == "code" for cell in notebook.cells)


@pytest.mark.parametrize("known", [KNOWN, dict.fromkeys(KNOWN, "")])
def test_what_is_known_is_said_and_nothing_else(tmp_path, monkeypatch, known):
    """Of an address, an identifier and a repository: in footers, cards and launch buttons."""
    monkeypatch.setattr(About, "read", lambda folder: replace(ABOUT, **known))
    page, builder = {}, SimpleNamespace(get_target_uri=lambda page: f"{page}.html")
    add_to_page(SimpleNamespace(builder=builder, srcdir=ROOT), "book/3-a", "", page, None)
    assert page["card"] == (f"{known['site']}/_static/card.png" if known["site"] else "")
    text = (ROOT / "book" / "_templates" / "colophon.html").read_text("utf-8")
    made = BeautifulSoup(Template(text).render(page), "html.parser")
    links = {link["href"] for link in made.select("a") if "licens" not in link["href"]}
    assert links == ({"https://r.example", "https://doi.org/10.1/2"} if known["doi"] else set())
    assert "(chapter 3)" in made.get_text()

    config = (ROOT / "_config.yml").read_text("utf-8")
    config = config.replace('  url: ""', f'  url: "{known["repository"]}"')
    (tmp_path / "_config.yml").write_text(config, "utf-8")
    settings = SimpleNamespace(html_theme_options={})
    launch.set_repository(SimpleNamespace(srcdir=tmp_path), settings)
    buttons = settings.html_theme_options.get("launch_buttons", {})
    assert ({"binderhub_url", "colab_url"} <= set(buttons)) == bool(known["repository"])
