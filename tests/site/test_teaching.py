"""The teaching guide's data against the chapters and the exercises."""

import re
from copy import copy

import pytest
from built_site import chapter_page, soup
from course_site.teaching import find_wrong, read_guide
from stored_outputs import sources

from tools.paths import BOOK, notebooks
from why_sqrt_d.exercises import all_exercises, check, get

GUIDE = read_guide(BOOK.parent)
EVERY = [found.id for found in all_exercises()]
PLANS = {plan["name"]: plan for plan in GUIDE["plans"]}
PAGE = (BOOK / "teaching.md").read_text(encoding="utf-8")


EVERYWHERE = [text for path in notebooks() for text in sources(path)]


@pytest.mark.parametrize("chapter", sorted({int(one.chapter) for one in all_exercises()}))
def test_objectives_have_their_chapters_exercises(chapter: int) -> None:
    rows = [row for row in GUIDE["objectives"] if row["chapter"] == chapter]
    assert all(row["exercises"] for row in rows)
    served = {name for row in rows for name in row["exercises"]}
    assert served == {found.id for found in all_exercises() if found.chapter == str(chapter)}


@pytest.mark.parametrize("row", GUIDE["misconceptions"], ids=lambda row: row["exercise"])
def test_each_misconception_is_a_declared_wrong_answer(row: dict) -> None:
    found = get(row["exercise"])
    wrong = find_wrong(found, row["answer"])
    verdict = check(found.id, wrong.answer)
    assert not verdict or verdict.guess  # no guess is wrong
    assert wrong.say in verdict.message


def asked_in(plan: dict) -> list[str]:
    return [*plan["home"], *(e for row in plan["rows"] for e in row["exercises"])]


@pytest.mark.parametrize("name", PLANS)
def test_a_plan_adds_up_and_names_what_is_there(name: str) -> None:
    plan = PLANS[name]
    timed = [row["minutes"] for row in plan["rows"] if "minutes" in row]
    assert sum(timed) + plan.get("questions", 0) == plan.get("minutes", 0)
    assert len(timed) in (0, len(plan["rows"]))
    labels = set(re.findall(r'^<a id="([\w-]+)"></a>$', "\n".join(EVERYWHERE), re.M))
    asked = asked_in(plan)
    assert set(asked) <= set(EVERY)
    assert len(asked) == len(set(asked))
    for row in plan["rows"]:
        assert row["at"] in labels
        assert row["show"].strip()
        chapter = re.match(r"ch(\d)-", row["at"])[1]
        assert all(get(exercise).chapter == chapter for exercise in row["exercises"])
    assert f"<!-- site: course-plan {name} -->\n" in PAGE


def test_the_guide_counts_the_exercises_that_have_other_numbers() -> None:
    other = [found for found in all_exercises() if found.others]
    assert f"({len(other)} of {len(EVERY)})" in PAGE


SESSIONS = ("first", "second", "third", "fourth")


def test_four_sessions_give_every_exercise_once() -> None:
    given = [exercise for name in SESSIONS for exercise in asked_in(PLANS[name])]
    assert sorted(given) == sorted(EVERY), "book/teaching.yml: an exercise in one session each"


def seconds_to_read(anchor: str) -> float:
    """Return what the section with an anchor takes on the built page, its subsections not."""
    page = soup(chapter_page(anchor[2]))
    section = copy(page.find(id=anchor).find_parent("section"))
    folded = "details, .admonition.proof ~ .fold, .exercise, noscript, .katex-mathml, section"
    formulas, pictures = len(section.select("div.math")), len(section.select("figure"))
    for extra in section.select(f"{folded}, figure img, div.math, pre"):
        extra.decompose()
    return len(section.get_text(" ").split()) / 3 + 10 * formulas + 15 * pictures


@pytest.mark.parametrize("name", ["lecture", *SESSIONS])
def test_a_section_has_three_times_its_reading_and_what_its_exercises_take(name: str) -> None:
    assert 10 <= PLANS[name]["questions"] <= 20
    for row in PLANS[name]["rows"]:
        least = 3 * seconds_to_read(row["at"]) / 60 + sum(get(e).minutes for e in row["exercises"])
        assert row["minutes"] >= least, row


def test_the_guide_names_commands_that_exist() -> None:
    makefile = (BOOK.parent / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"`?make (\w+)", PAGE):
        assert re.search(rf"^{target}:", makefile, re.M), target
    for module in re.findall(r"python -m (tools\.\w+)", PAGE):
        assert (BOOK.parent / (module.replace(".", "/") + ".py")).exists()
