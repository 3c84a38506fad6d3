"""Right answers with the chapter's numbers and drawn ones, by another way than the questions'."""

import re
from collections.abc import Callable
from typing import Any
from unicodedata import numeric

import numpy as np
import pytest
from scipy.special import logit, softmax
from scipy.stats import binom

from why_sqrt_d import opened_models
from why_sqrt_d.ch5 import language_curves
from why_sqrt_d.exercises import Array, PredictNumber, all_exercises, get
from why_sqrt_d.rows import select, stored


def split(vq: float, m: float, vk: float) -> list[float]:
    """Return the variance of (q·k)/√d, within and between rows, from moments of one product."""
    mean_square = vq * (vk + m**2)
    between = vq * m**2  # the variance of E[qk | q] = mq
    return [mean_square, mean_square - between, between]


def aligned(inverse: float, d: float) -> list[float]:
    """Return mean and variance of the score by Isserlis: E[q²k²] = 1 + 2ρ²."""
    rho = 1 / inverse
    return [d * rho, d * (1 + 2 * rho**2 - rho**2)]


def jacobian(p: np.ndarray) -> np.ndarray:
    """Return the softmax's derivative by complex steps."""
    stepped = p * np.exp(1e-20j * np.eye(len(p)))
    return np.imag(stepped / stepped.sum(axis=-1, keepdims=True)) / 1e-20


def first_order(z: np.ndarray, beta: float) -> np.ndarray:
    """Return the weights of four keys by a central difference at β = 0."""
    h = 1e-5
    return 1 / 4 + beta * (softmax(h * z) - softmax(-h * z)) / (2 * h)


_UNIT = (np.arange(1000) + 0.5) / 1000  # numbers between 0 and 1, evenly
ASKED: dict[str, tuple[str, Callable[..., object]]] = {
    "1.5": ("", lambda: [3, np.outer(_UNIT, _UNIT).var()]),
    "1.2": (r"-(\d)\$ and .*d = (\d+)", lambda a, d: d * (a**2 / 3) ** 2),
    "1.9": (r"variance \$(\d)\$, .* mean \$(\d)\$ and variance\s\$(\d)\$", split),
    "1.6": (r"d = (\d+)", lambda d: d**0.5),
    "1.10": (r"add \$([\d.]+)\$", lambda c: (1 + c**2) ** 0.5),
    "2.2": (r"rho = 1/(\d)\$ .*d = (\d+)", aligned),
    "2.3": (r"All (\d+) components", lambda many: (many / 2) ** 2),
    "2.4": (
        r"deviation \$([\d.]+)\$, the width is \$(\d+)\$",
        lambda std, width: [3, np.linalg.norm(np.full(int(width), std)) ** 2],
    ),
    "2.7": (r"are \$(\d)\$ with .*1/(\d+)\$ .*d = (\d+)", lambda r, p, d: d * r**4 / p),
    "3.2": (
        r"has (\d+) keys, .* stands (\d) above",  # all rivals tie, or all but one are far below
        lambda n, m: [softmax([m] + [0] * k).max() for k in (int(n) - 1, 1)],
    ),
    "3.5": ("", lambda: [2, softmax([0, 2])[1]]),
    "3.6": (
        r"among (\d+) keys .* weight ([\d.]+)\. Now .* reads (\d+\s?\d*) keys",
        lambda n, p, more: (logit(p) + np.log(more - 1)) / (logit(p) + np.log(n - 1)),
    ),
    "3.3": ("", lambda: np.exp(0.5) ** 2 / np.exp(4 / 2)),  # (E e^z)² / E e^2z
    "4.5": (r"p = \((.*?)\)", jacobian),
    "4.3": (r"d = (\d+)", lambda d: [3, d**0.5]),
    "6.1": (r"scores \$(.*?)\$, .*beta = ([\d.]+)", first_order),
    "6.2": (r"is \$([\d.]+)\\,q", lambda a: a),  # ln N(k; aq, I) - ln N(k; 0, I) = a q·k + const
    "6.7": (r"d = (\d+)", lambda d: [3, np.exp(d**0.5) / np.exp(0.5)]),
    "6.8": (r"rho = 1/(\d)\$.*d = (\d+)", lambda r, d: [d / r / d**0.5, d / r / d]),
    "7.2": (r"by \$([\d.]+)\$, and", lambda f: f * f),
    "7.5": (r"share \$([\d.]+)\$ .*it \$(\d)\$", lambda share, k: binom.sf(0, k, share)),
    "8.9": (
        r"d = (\d+)\$ and .*head to \$d = (\d+)",
        lambda small, large: small**-0.5 * small / large,
    ),
    "8.10": (
        r"= (\d+)\$ and \$(\d+)\$ heads, .*n = (\d+)",
        lambda width, heads, n: [
            (width / heads) ** 0.5 / x for x in (width / heads, width**0.5, n**0.5, heads**0.5, 1)
        ],
    ),
}


def read(group: str) -> Any:
    """Return the number that a question says, or the array of them."""
    found = re.findall(r"-?\d+(?:\.\d+)?|[½¼]", group.replace("\N{NO-BREAK SPACE}", ""))
    numbers = np.array([numeric(x) if x in "½¼" else float(x) for x in found])
    return numbers if len(numbers) > 1 else numbers[0]


@pytest.mark.parametrize("exercise", ASKED)
def test_the_right_answer_is_right_with_any_numbers(exercise: str) -> None:
    pattern, answer = ASKED[exercise]
    own = get(exercise)
    for one in (own, *own.variants):
        found = re.search(pattern, one.statement, re.S)
        right = answer(*map(read, found.groups()))
        assert one.kind.judge(right, one.wrong).passed, one.statement
        assert not one.kind.judge(1.1 * np.asarray(right), one.wrong).passed


def gradient_ratio() -> float:
    """Return the 4.0 of rows of ten normal scores, whose keys and gradients are independent."""
    z, grad = np.random.default_rng(40).standard_normal((2, 100_000, 10))

    def typical(spread: float) -> float:
        p = softmax(spread * z, axis=-1)
        back = p * (grad - (p * grad).sum(axis=-1, keepdims=True))
        return float(np.median(np.linalg.norm(back, axis=-1)))

    return typical(1) / 32 / typical(32)


def enough_for_the_needle() -> float:
    """Return the least x = β√d with e^6x = N e^(x²/2): half of the weight among N = 2^20."""
    return float(6 - np.sqrt(6**2 - 2 * np.log(2**20)))


def above_95() -> int:
    """Count the runs of ten tokens with the scale 6.55 that end above 95 %."""
    runs = select(stored("table1"), vocabulary=10, scale=6.55)
    return sum(run["test_accuracy"] > 0.95 for run in runs)


def runaway_spread() -> float:
    """Return where the start alone ends at 0.008, where what 5.2 and 5.3 say of the arms is so."""
    runs = language_curves.whole_seeds(stored("language_rates"), start="textbook", d=64)

    def loss(arm: str, rate: float) -> float:
        return float(language_curves.by_rate(runs, arm=arm)[rate].mean())

    def spread(arm: str, rate: float, step: int = 1000) -> float:
        logs = [seen for run in select(runs, arm=arm, rate=rate) for seen in run["log"]]
        return float(np.median([seen["spread"][1] for seen in logs if seen["step"] == step]))

    for rate, start_is_enough in ((0.001, True), (0.008, False)):
        half_way = (loss("none", rate) + loss("1/√d", rate)) / 2
        assert loss("speed only", rate) > half_way
        assert (loss("start only", rate) < half_way) == start_is_enough
    asked = get("5.3")
    first, small, unscaled, early = (wrong.answer for wrong in asked.wrong)
    [none] = re.findall(r"next to the \$(\d+)\$", asked.solution)
    said = {("start only", 0.008, 0): first, ("start only", 0.008, 100): early}
    said |= {("start only", 0.001): small, ("none", 0.008): int(none)}
    said |= {("none", 0.008, 0): unscaled}
    for run, what in said.items():
        assert spread(*run) == pytest.approx(what, rel=0.13)
    return spread("start only", 0.008)


#: What comes out where the reader guesses, and by which factor at most the course says another.
GUESSED: dict[str, tuple[Callable[[], float], float]] = {
    "4.0": (gradient_ratio, 2.5),  # nine drawn layers lie between 0.7 and 2.2 times it
    "5.3": (runaway_spread, 1.02),
    "6.0": (enough_for_the_needle, 1.02),
    "7.0": (above_95, 1.001),
    "8.0": (lambda: opened_models.read()["Whisper tiny.en"].loss(8), 1.01),
}


@pytest.mark.parametrize("exercise", GUESSED)
def test_what_comes_out_of_a_guess_is_right(exercise: str) -> None:
    outcome, factor = GUESSED[exercise]
    assert 1 / factor < get(exercise).kind.value / outcome() < factor


def test_who_copies_is_what_the_bets_of_chapter_5_say() -> None:
    """5.0: both that are divided; 5.1: hardly better than a guess, if the start is too calm."""
    rows = select(stored("start_and_speed_compared"), task="copy")
    for arm, copies in (("1/√d", True), ("none", False)):
        for run in (*select(rows, arm=arm), *select(rows, arm=f"{arm} frozen")):
            assert (run["test_right"] > 0.8) == copies
            assert copies or run["test"] > np.log(26)
    assert all(run["test"] > 2.5 for run in select(rows, arm="1/d frozen"))
    assert (get("5.0").kind.right, get("5.1").kind.right) == ("c", "b")


def alone_in_half(d: float) -> bool:
    """1.4: given the query, the ten scores are normal with its length as spread."""
    rng = np.random.default_rng(14)
    spread = np.sqrt(rng.chisquare(d, (40_000, 1)))
    return bool(abs(np.mean(softmax(spread * _TEN, axis=-1).max(axis=-1) > 0.99) - 0.5) < 0.05)


_TEN = np.random.default_rng(10).standard_normal((40_000, 10))


def nearly_longest(beta: float) -> bool:
    """4.4: a query's gradient is β times the sum of 16 keys, each by its logit's gradient."""
    rng = np.random.default_rng(44)
    keys = rng.standard_normal((3000, 16, 64))
    z = np.linalg.norm(rng.standard_normal((3000, 1, 64)), axis=-1) * keys[..., 0]
    grad = rng.standard_normal((3000, 16))

    def typical(scale: float) -> float:
        p = softmax(scale * z, axis=-1)
        back = scale * p * (grad - (p * grad).sum(axis=-1, keepdims=True))
        return float(np.median(np.linalg.norm(np.einsum("ri,rid->rd", back, keys), axis=-1)))

    return typical(beta) >= 0.95 * max(map(typical, np.geomspace(0.35, 0.75, 9)))


def finds_only_the_needle(beta: float) -> bool:
    """6.4: given the query, noise is normal with its length as spread, the needle a length up."""
    rng = np.random.default_rng(4096)
    length = np.linalg.norm(rng.standard_normal((400, 64)), axis=-1, keepdims=True)
    noise = length * rng.standard_normal((400, 4096))
    needle = length**2 + length * rng.standard_normal((400, 1))
    found = softmax(beta * np.hstack([needle, noise]), axis=-1)[:, 0] > 0.5
    calm = softmax(beta * noise, axis=-1).max(axis=-1) <= 0.5
    return min(found.mean(), calm.mean()) >= 0.9


def all_five_learn(rate: float) -> bool:
    """7.7: of the stored trainings with three epochs, those whose rate is nearest."""
    runs = stored("short_budget")
    near = min({run["learning_rate"] for run in runs}, key=lambda x: abs(np.log(x / rate)))
    return all(run["test_accuracy"] > 0.95 for run in select(runs, learning_rate=near))


@pytest.mark.parametrize(
    ("exercise", "holds"),
    [
        ("1.4", alone_in_half),
        ("4.4", nearly_longest),
        ("6.4", finds_only_the_needle),
        ("7.7", all_five_learn),
    ],
)
def test_what_is_accepted_of_an_experiment_holds(
    exercise: str, holds: Callable[[float], bool]
) -> None:
    kind = get(exercise).kind
    low, high = kind.value * (1 - kind.rtol), kind.value * (1 + kind.rtol)
    assert [holds(x) for x in (low * 1.02, kind.value, high / 1.02)] == [True] * 3
    assert [holds(x) for x in (low / 1.25, high * 1.25)] == [False, False]


def test_the_dearest_head_is_the_one_without_which_the_loss_is_highest() -> None:
    rows = [row for row in stored("stories_removed") if row["head"] >= 0]
    dearest = max(rows, key=lambda row: float(np.mean(row["losses"])))
    assert get("8.11").kind.value == 10 * (dearest["layer"] + 1) + dearest["head"] + 1


def test_the_share_of_the_typical_row_is_what_the_solution_says() -> None:
    """Given the query, logits of 4096 keys are normal with its length over 16 as spread."""
    rng, shares = np.random.default_rng(33), []
    for _ in range(1500):
        z = rng.standard_normal(4096) * np.linalg.norm(rng.standard_normal(256)) / 16
        shares.append(1 / np.sum(softmax(z) ** 2) / 4096)
    said = re.search(r"About (0\.\d+) of them", get("3.3").solution)
    assert said
    assert abs(np.median(shares) - float(said[1])) < 0.004  # three standard errors


def test_every_number_is_compared() -> None:
    typed = [one for one in all_exercises() if isinstance(one.kind, Array)]
    tried = {"1.4", "4.4", "6.4", "7.7", "8.11"}
    assert {*ASKED, *GUESSED, *tried} == {one.id for one in typed}, "a second way, in ASKED"
    assert {one.id for one in typed if isinstance(one.kind, PredictNumber)} == {*GUESSED}
