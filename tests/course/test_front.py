"""The first page's numbers against other ways to them."""

import nbformat
import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import softmax
from stored_outputs import drawn, numbers_of

from research.ch5 import language_model
from research.ch5.settings import TrainingSettings
from tools.paths import BOOK, ROOT
from why_sqrt_d import opened_models

COUNTS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
CHAPTERS = sorted(BOOK.glob("0?-*.ipynb"))


def weight_beside(others: np.ndarray, logit: float) -> np.ndarray:
    """Return the weight of one more key in each row."""
    return softmax(np.insert(others, 0, logit, axis=1), axis=1)[:, 0]


def test_the_findings_agree_with_rows_of_drawn_keys() -> None:
    found = numbers_of("index")
    scores = drawn(1024, 10, 4000, seed=9)
    share = 100 * (softmax(scores, axis=1).max(axis=1) > 0.99).mean()
    error = (share * (100 - share) / 4000) ** 0.5
    assert found["one_key"] == pytest.approx(share, abs=4 * error)
    assert softmax(scores / 32, axis=1).max() <= 0.99
    assert found["one_key_scaled"] == "not one of 100 000"
    p = found["one_key"] / 100
    assert found["one_key_error"] == pytest.approx(100 * (p * (1 - p) / 100_000) ** 0.5)
    few, many = (drawn(64, n, rows, seed=9) / 8 for n, rows in ((10, 4000), (16_384, 60)))
    share = 100 * (softmax(8 * few, axis=1).max(axis=1) > 0.99).mean()
    assert found["one_key_64"] == pytest.approx(share, abs=3)
    logit = brentq(lambda x: np.median(weight_beside(few[:, 1:], x)) - 0.9, 0, 20)
    found_again = 100 * np.median(weight_beside(many[:, 1:], logit))
    assert found["right_16384"] == pytest.approx(found_again, rel=0.05)


def test_the_readme_says_what_the_first_page_computes() -> None:
    found = numbers_of("index")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"{found['one_key']:.0f} % of random queries" in readme
    assert str(found["one_key_scaled"]) in readme
    assert f"is left with {found['right_16384']:.1f} % among 16 384" in readme
    new_seeds = numbers_of("5a-a-language-model")
    assert f"{new_seeds['none_test']:.2f} nats a character without √d" in readme
    assert f"of {new_seeds['root_test']:.2f} with it" in readme
    late = numbers_of("05-start-and-speed")
    assert f"by step {late['late_low']} to {late['late_high']}" in readme
    shares = f"after {late['there_least']:.0f} to {late['there_most']:.0f} % of them"
    assert shares in readme
    long_seeds = COUNTS[numbers_of("05-start-and-speed")["seeds_8000"]]
    assert f"undivided one is {found['gap_last']:.2f} behind ({long_seeds} seeds)" in readme
    assert f"({found['none_more']:.2f} ± {found['none_more_half']:.2f} more" in readme
    rises = [model.rise(model.d**0.5).value for model in opened_models.read().values()]
    assert len(rises) == 9
    assert f"lose {min(rises):.2f} to {max(rises):.1f} nats when their division" in readme
    run = numbers_of("8d-libraries")
    told = f"{run['functions']} attention functions in {run['libraries']} packages, run"
    assert f"{told}, {run['usual']} divide by √d" in readme
    assert f"{COUNTS[len(CHAPTERS)].capitalize()} chapters" in readme
    assert f" more, {COUNTS[found['new_seeds']]} seeds)" in readme


def test_counts_that_are_typed_on_the_first_page() -> None:
    cells = nbformat.read(BOOK / "index.ipynb", as_version=4).cells
    page = "\n".join(cell.source for cell in cells)
    letters, rng = len(language_model.read_text().letters), np.random.default_rng(0)
    model = language_model.initialise(TrainingSettings("1/√d", 0.001, 0), letters, rng)
    count = sum(np.size(matrix) for matrix in model.values())
    for said in (
        f"a language model of {round(count, -4):,} parameters".replace(",", " "),
        f"$64^{{1/4}} = {64**0.25:.1f}$",
        f"about {np.exp(10) / 1000:.0f} 000 times",
        f"the others are {round(16383 / 9)} times as many",
        f"(10, {COUNTS.index('ten')}): each query",
        f"{COUNTS[len(opened_models.read())].capitalize()} that come with Python packages",
        f"page and {COUNTS[len(CHAPTERS)]} chapters",
    ):
        assert said in page, said
