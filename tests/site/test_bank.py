"""The question bank: two questions an objective, and every answer computed a second way."""

import html
import re
from collections import Counter
from math import log, sqrt

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.stats import norm

import attn_helpers as ah
from tools.bank.write import (
    as_gift,
    as_text,
    choices,
    objectives,
    questions,
    write_bank,
)
from why_sqrt_d.exercises import all_exercises

QUESTIONS = {question.name: question for question in questions()}
SEEDS = ("spring", "autumn")
SIGNS = (-1.0, 1.0)


def rng():
    return np.random.default_rng(11)


def variance(q, k) -> float:
    """Return the variance over simulated pairs, one a row."""
    return float((q * k).sum(axis=-1).var())


def glorot(width, d):
    draw, x = rng(), np.ones(width)
    entry = sqrt(2 / (width + d))
    q = draw.normal(0, entry, (2000, width)) @ x  # one component each; the others are like it
    return sqrt(d * q.var() ** 2) / sqrt(d)


def shared_sizes(d, m, both):
    draw = rng()
    r = np.sqrt(m) * (draw.random((40_000, 2, 1)) < 1 / m)
    signs = draw.choice(SIGNS, (40_000, 2, d)).astype(np.float32)
    return variance(r[:, 0] * signs[:, 0], r[:, 0 if both else 1] * signs[:, 1])


def softmax_slope(z, i, j, step=1e-6):
    z = np.asarray(z, float)
    up, down = z + step * np.eye(len(z))[j], z - step * np.eye(len(z))[j]
    return float((ah.softmax(up) - ah.softmax(down))[i] / (2 * step))


def logits_of(weights):
    return np.log(np.asarray(weights, float))


def correlated(d, c):
    draw = rng()
    common, own = draw.standard_normal((2, 20_000, 1)), draw.standard_normal((2, 20_000, d))
    q, k = sqrt(c) * common + sqrt(1 - c) * own
    return variance(q, k)


def aligned(d, rho, scale=1.0):
    q, z = rng().standard_normal((2, 20_000, d))
    return scale * (q * (rho * q + sqrt(1 - rho**2) * z)).sum(-1)


def sparse(d, share, spread):
    draw = rng()
    q = draw.choice(SIGNS, (20_000, d)) * (draw.random((20_000, d)) < share)
    return variance(q, draw.normal(0, spread, (20_000, d)))


def rows_seen(q, k, var_q, var_k):
    draw = rng()
    queries = draw.normal(q, sqrt(var_q), (2000, 1, 16))
    keys = draw.normal(k, sqrt(var_k), (2000, 40, 16))
    scores = (queries * keys).sum(-1)
    return scores.var(axis=-1, ddof=1).mean() / scores.var()


def two_matrices(d, moved):
    """Return gradient and change of a logit after one small step in W, with β = 1/√d or moved."""
    draw = rng()
    x, k, w = draw.standard_normal(8), draw.standard_normal(d), draw.standard_normal((d, 8))
    beta = 1.0 if moved else 1 / sqrt(d)
    w = w / sqrt(d) if moved else w
    gradient = beta * np.outer(k, x)  # of the logit; the loss's is a multiple of it
    return np.linalg.norm(gradient), beta * k @ (1e-3 * gradient) @ x


def gap_gradient(gap, beta):
    p = ah.softmax(np.array([gap * beta, 0.0]))
    return beta * p[0] * p[1]


# The same number, found another way: simulated, differentiated or solved for. After it, how near.
AGAIN = {
    "wider_and_smaller": lambda factor, shrunk: (
        (rng().standard_normal((20_000, 2, 16 * factor)).prod(1).sum(-1) / shrunk).std() / 4,
        0.05,
    ),
    "mean_overtakes_spread": lambda mean, ratio: (
        brentq(
            lambda d: d * mean**2 - ratio * sqrt(d * ((1 + mean**2) ** 2 - mean**4)), 1e-9, 1e9
        ),
        1e-6,
    ),
    "two_uniforms": lambda d, a, b: (
        variance(rng().uniform(-a, a, (20_000, d)), rng().uniform(-b, b, (20_000, d))[::-1]),
        0.05,
    ),
    "sparse_queries": lambda **n: (sparse(**n), 0.05),
    "share_within_rows": lambda **n: (rows_seen(**n), 0.05),
    "shifted_keys": lambda gap, mean, d: (
        ah.softmax(np.array([gap + 7 * mean, 7 * mean]))[0],
        1e-9,
    ),
    "width_for_a_winner": lambda weight: (
        brentq(lambda d: ah.softmax(np.array([sqrt(2 * d), 0]))[0] - weight, 1e-9, 1e4),
        1e-6,
    ),
    "nudge_a_logit": lambda p, step: (softmax_slope(logits_of([p, 1 - p]), 0, 0) * step, 1e-6),
    "unequal_variances": lambda d, a, b: (
        variance(
            rng().standard_normal((20_000, d)) * np.sqrt(np.repeat([a, b], d // 2)),
            rng().choice(SIGNS, (20_000, d)),
        ),
        0.05,
    ),
    "one_shared_size": lambda d, m: (shared_sizes(d, m, True), 0.08),
    "two_sizes": lambda d, m: (shared_sizes(d, m, False), 0.08),
    "aligned_pair": lambda d, rho: (
        aligned(d, rho).mean() / aligned(d, rho).std(),
        0.05,
    ),
    "correlated_components": lambda d, c: (correlated(d, c), 0.05),
    "glorot": lambda width, d: (glorot(width, d), 0.05),
    "width_for_a_fixed_spread": lambda std, goal: (
        brentq(lambda d_x: sqrt(64 * (d_x * std**2) ** 2) / sqrt(64) - goal, 1, 1e6),
        1e-6,
    ),
    "guaranteed_by_a_margin": lambda n, margin: (
        ah.softmax(np.array([float(margin), *[0.0] * (n - 1)])).max(),
        1e-9,
    ),
    "allowed_by_a_margin": lambda margin, n: (
        ah.softmax(np.array([margin, 0.0, *[-700.0] * (n - 2)])).max(),
        1e-9,
    ),
    "critical_width": lambda n: (ah.extremes.critical_std(n) ** 2, 1e-9),
    "critical_number_of_keys": lambda d: (
        next(n for n in range(2, 10_000) if ah.extremes.critical_std(n) >= sqrt(d)),
        0.02,
    ),
    "keys_that_take_part": lambda a, b: (
        ah.effective_keys(np.array([0.5 / a] * a + [0.5 / (a * b)] * (a * b))),
        1e-9,
    ),
    "keys_of_a_random_row": lambda n, spread: (
        np.mean(ah.effective_keys(ah.softmax(rng().normal(0, spread, (30, n))))),
        0.05,
    ),
    "logarithm_of_the_sum": lambda top, below: (
        np.logaddexp.reduce([top, top, top - below]) - top,
        1e-6,
    ),
    "one_entry": lambda a, b: (softmax_slope(logits_of([a, b, 1 - a - b]), 0, 1) / 100, 1e-6),
    "norm_with_two_keys": lambda p: (
        np.linalg.norm(np.diag([p, 1 - p]) - np.outer([p, 1 - p], [p, 1 - p])),
        1e-9,
    ),
    "gap_undivided": lambda gap, d: (
        gap_gradient(gap * sqrt(d), 1) / gap_gradient(gap * sqrt(d), 1 / sqrt(d)),
        1e-6,
    ),
    "share_of_close_races": lambda m: (
        quad(lambda gap: m * np.exp(-m * gap), 0, log(10))[0],
        1e-6,
    ),
    "gradient_in_another_place": lambda d: (
        two_matrices(d, True)[0] / two_matrices(d, False)[0],
        1e-9,
    ),
    "step_in_another_place": lambda d: (
        two_matrices(d, True)[1] / two_matrices(d, False)[1],
        1e-9,
    ),
    "slope_of_an_even_row": lambda n, beta: (softmax_slope(np.zeros(n), 0, 0) / beta, 1e-6),
    "too_small_a_scale": lambda beta, times: (
        (beta / times * (np.eye(9) / 9 - 1 / 81)).sum(0)[0] + 1 / times,
        1e-9,
    ),
    "who_moves_the_matrix": lambda queries, share: (
        np.linalg.norm(
            rng().standard_normal((1500, round(queries * share))).sum(1)
        ) / np.linalg.norm(rng().standard_normal((1500, queries)).sum(1)),
        0.08,
    ),
    "how_cold": lambda gap, times: (
        brentq(lambda b: np.divide(*ah.softmax(b * np.array([gap, 0]))) - times, 0, 50),
        1e-6,
    ),
    "how_hot": lambda n, above, beta: (
        (ah.softmax(1e-6 * np.array([above * n / (n - 1), *[0] * (n - 1)]))[0] - 1 / n)
        / 1e-6
        * beta,
        1e-3,
    ),
    "slope_of_the_loss": lambda a, b, beta: (
        (
            np.log(ah.softmax((beta - 1e-6) * np.array([a, b], float)))[1]
            - np.log(ah.softmax((beta + 1e-6) * np.array([a, b], float)))[1]
        )
        / 2e-6,
        1e-6,
    ),
    "smallest_scale_for_a_needle": lambda needle, n: (
        brentq(lambda b: log(n) + b**2 / 2 - b * needle, 0, needle),
        1e-6,
    ),
    "needle_that_no_scale_finds": lambda needle, n: (
        np.mean(norm.ppf(rng().random(200_000) ** (1 / n)) > needle),
        0.15,
    ),
    "keys_that_a_bounded_logit_survives": lambda beta: (
        brentq(lambda n: 1 / (1 + n * np.exp(-beta)) - 0.5, 1, 1e6),
        1e-6,
    ),
    "scale_for_a_longer_row": lambda beta, n, times: (
        brentq(
            lambda more: np.exp(beta + more) / (np.exp(beta + more) + n * times)
            - np.exp(beta) / (np.exp(beta) + n),
            0,
            30,
        ),
        1e-6,
    ),
    "aligned_score_with_the_root": lambda d, rho: (aligned(d, rho, 1 / sqrt(d)).mean(), 0.05),
    "noise_with_one_over_d": lambda d, rho: (
        aligned(d, rho, 1 / d).mean() / aligned(d, 0.0, 1 / d).std(),
        0.05,
    ),
    "runs_until_one_succeeds": lambda share, sure: (
        brentq(lambda n: 1 - (1 - share) ** n - sure, 0, 1000),
        1e-6,
    ),
    "error_of_a_share": lambda runs, share: (
        rng().binomial(runs, share, 200_000).std() / runs,
        0.02,
    ),
    "scalar_in_the_code": lambda d, scalar: (scalar**-0.5 / (1 / np.sqrt(d)), 1e-9),
    "inverse_layer_index": lambda d, layer: (1.0 / d**0.5 / (layer + 1), 1e-9),
    "soft_cap": lambda cap, times: (
        cap * (np.tanh(times + 1e-6) - np.tanh(times - 1e-6)) / (2e-6 * cap),
        1e-6,
    ),
    "scale_with_the_length": lambda n, start: (
        np.std([-np.log2(n), np.log2(n)]) / np.log2(start),
        1e-9,
    ),
    "divisor_of_a_layer": lambda width, heads: (sqrt(width // heads), 1e-9),
    "heads_added_before_the_softmax": lambda d, heads: (
        rng().standard_normal((20_000, 2, heads * d)).prod(1).sum(-1).std(),
        0.05,
    ),
    "root_of_the_width": lambda d, heads: (
        rng().standard_normal((20_000, 2, d)).prod(1).sum(-1).std() / sqrt(d * heads),
        0.05,
    ),
    "divided_twice": lambda d: (
        (rng().standard_normal((20_000, 2, d)).prod(1).sum(-1) / sqrt(d) / sqrt(d)).std(),
        0.05,
    ),
}  # fmt: skip


@pytest.mark.parametrize("row", objectives(), ids=lambda row: row["id"])
def test_each_objective_has_two_questions_of_its_chapter(row) -> None:
    found = [question for question in questions() if question.objective == row["id"]]
    assert len(found) >= 2
    assert all(question.draw.__module__ == "tools.bank.model" for question in found)
    assert {question.ask.__module__[-1] for question in found} == {str(row["chapter"])}


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_is_whole_and_its_numbers_follow_the_seed(name: str) -> None:
    question = QUESTIONS[name]
    found = [question.asked(f"seed {n}") for n in range(12)]
    assert found[0] == question.asked("seed 0")
    assert len({one.text for one in found}) > 1
    for one in found:
        for text in (one.text, one.why):
            assert text.count("$") % 2 == 0
            assert not re.search(r"\d\.0*[1-9]\d{6}", text)
        offered = choices(one, "seed")
        assert isinstance(one.answer, str) == bool(one.wrong)
        if one.wrong:
            assert Counter(offered) == Counter([one.answer, *one.wrong])
            assert max(Counter(offered).values()) == 1
        else:
            assert np.isfinite(one.answer)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", AGAIN)
def test_the_answer_is_found_again_in_another_way(name: str, seed: str) -> None:
    again, near = AGAIN[name](**QUESTIONS[name].numbers(seed))
    assert QUESTIONS[name].asked(seed).answer == pytest.approx(float(again), rel=near)


def test_the_best_scale_is_the_best() -> None:
    seed = "spring"
    numbers = QUESTIONS["best_scale"].numbers(seed)
    a, spread = numbers["a"], numbers["spread"]
    draw = rng()
    q = draw.standard_normal((30_000, 1, 8))
    keys = draw.normal(0, spread, (30_000, 12, 8))
    keys[:, :1] += a * q
    scores = (q * keys).sum(-1)
    best = QUESTIONS["best_scale"].asked(seed).answer
    loss = [
        -np.log(ah.softmax(beta * scores)[:, 0]).mean() for beta in best * np.array([0.7, 1, 1.4])
    ]
    assert loss[1] < min(loss[0], loss[2])


def test_split_a_factor_multiplies_the_logit_by_it() -> None:
    for seed in SEEDS:
        each = QUESTIONS["split_a_factor"].asked(seed).answer
        q, k = rng().standard_normal((2, 16))
        assert (each * q) @ (each * k) == pytest.approx(
            QUESTIONS["split_a_factor"].numbers(seed)["f"] * (q @ k)
        )


def test_every_number_is_found_again() -> None:
    numeric = {name for name, one in QUESTIONS.items() if not one.asked("spring").wrong}
    assert numeric == {*AGAIN, "best_scale", "split_a_factor"}


def test_the_files_hold_every_question_and_only_one_the_answers(tmp_path) -> None:
    assert write_bank(tmp_path, "spring") == len(QUESTIONS)
    texts = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()}
    assert set(texts) == {"questions.md", "answers.md", "moodle.gift"}
    for question in questions():
        one = question.asked("spring")
        assert as_text(one, "spring") in texts["questions.md"]
        assert one.why in texts["answers.md"]
        assert one.why not in texts["questions.md"]
    assert "spring" not in texts["questions.md"]
    assert texts["questions.md"].startswith("# Questions\n\nNumbers")


@pytest.mark.parametrize("name", QUESTIONS)
def test_moodle_reads_back_what_was_asked(name: str) -> None:
    one = QUESTIONS[name].asked("spring")
    line = as_gift("a name", one, "spring")
    form = r"::a name::\[html\](.*?)(?<!\\) \{((?:[^{}]|\\[{}])*)\}"
    text, reply = re.fullmatch(form, line).groups()
    answer = reply.split("####")[0]
    plain = re.sub(r"\\([\\~=#{}:])", r"\1", text)
    words = re.sub(r"</?(?:code|em)>|\\\(|\\\)", "", html.unescape(plain))
    assert words == re.sub(r"[`$]|(?<!\*)\*(?!\*)", "", one.text)
    if one.wrong:
        assert len(re.findall(r"(?<!\\)=", answer)) == 1
        assert len(re.findall(r"(?<!\\)~", answer)) == len(one.wrong)
    else:
        value, near = answer.removeprefix("#").split(":")
        assert float(value) == pytest.approx(one.answer, rel=1e-4)
        assert float(near) == pytest.approx(abs(one.answer) / 100, rel=0.01)


def words(text: str) -> set[str]:
    return set(re.findall(r"[a-z]{3,}", text.lower()))


def test_no_question_is_an_exercise_again() -> None:
    for question in questions():
        asked = words(question.asked("spring").text)
        for found in all_exercises():
            told = words(found.statement)
            alike = len(asked & told) / len(asked | told)
            assert alike < 0.6, f"{question.name} asks what exercise {found.id} asks"
