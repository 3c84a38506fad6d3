"""The question bank: two questions an objective, and every answer computed a second way."""

import html
import re
from math import log, sqrt

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.stats import norm

import attn_helpers as ah
from tools.bank.__main__ import as_gift, as_text, choices, objectives, write_bank
from tools.bank.asked import QUESTIONS as EVERY
from why_sqrt_d.exercises import all_exercises

QUESTIONS = {question.name: question for question in EVERY}
SEEDS = ("spring", "autumn")
SIGNS = (-1.0, 1.0)


def rng():
    return np.random.default_rng(11)


def variance(q, k) -> float:
    """Return the variance over simulated pairs, one a row."""
    return float((q * k).sum(axis=-1).var())


def dots(d):
    """Return dot products of independent standard normal vectors."""
    return rng().standard_normal((20_000, 2, d)).prod(1).sum(-1)


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
    return beta * weights(gap * beta, 0).prod()


def weights(*logits):
    return ah.softmax(np.array(logits, float))


# The same number found another way: differentiated, integrated, solved for …
SOLVED = {
    "mean_overtakes_spread": lambda mean, ratio: brentq(
        lambda d: d * mean**2 - ratio * sqrt(d * ((1 + mean**2) ** 2 - mean**4)), 1e-9, 1e9
    ),
    "shifted_keys": lambda gap, mean, d: weights(gap + 7 * mean, 7 * mean)[0],
    "width_for_a_winner": lambda weight: brentq(
        lambda d: weights(sqrt(2 * d), 0)[0] - weight, 1e-9, 1e4
    ),
    "nudge_a_logit": lambda p, step: softmax_slope(logits_of([p, 1 - p]), 0, 0) * step,
    "width_for_a_fixed_spread": lambda std, goal: brentq(
        lambda d_x: sqrt(64 * (d_x * std**2) ** 2) / sqrt(64) - goal, 1, 1e6
    ),
    "guaranteed_by_a_margin": lambda n, margin: weights(margin, *[0] * (n - 1)).max(),
    "allowed_by_a_margin": lambda margin, n: weights(margin, 0.0, *[-700.0] * (n - 2)).max(),
    "critical_width": lambda n: ah.extremes.critical_std(n) ** 2,
    "critical_number_of_keys": lambda d: next(
        n for n in range(2, 10_000) if ah.extremes.critical_std(n) >= sqrt(d)
    ),
    "keys_that_take_part": lambda a, b: ah.effective_keys(
        np.array([0.5 / a] * a + [0.5 / (a * b)] * (a * b))
    ),
    "logarithm_of_the_sum": lambda top, below: np.logaddexp.reduce([top, top, top - below]) - top,
    "one_entry": lambda a, b: softmax_slope(logits_of([a, b, 1 - a - b]), 0, 1) / 100,
    "norm_with_two_keys": lambda p: np.linalg.norm(
        np.diag([p, 1 - p]) - np.outer([p, 1 - p], [p, 1 - p])
    ),
    "gap_undivided": lambda gap, d: (
        gap_gradient(gap * sqrt(d), 1) / gap_gradient(gap * sqrt(d), 1 / sqrt(d))
    ),
    "share_of_close_races": lambda m: quad(lambda gap: m * np.exp(-m * gap), 0, log(10))[0],
    "gradient_in_another_place": lambda d: two_matrices(d, True)[0] / two_matrices(d, False)[0],
    "step_in_another_place": lambda d: two_matrices(d, True)[1] / two_matrices(d, False)[1],
    "slope_of_an_even_row": lambda n, beta: softmax_slope(np.zeros(n), 0, 0) / beta,
    "too_small_a_scale": lambda beta, times: (
        (beta / times * (np.eye(9) / 9 - 1 / 81)).sum(0)[0] + 1 / times
    ),
    "how_cold": lambda gap, times: brentq(
        lambda b: np.divide(*weights(b * gap, 0)) - times, 0, 50
    ),
    "how_hot": lambda n, above, beta: (
        (ah.softmax(1e-6 * np.array([above * n / (n - 1), *[0] * (n - 1)]))[0] - 1 / n)
        / 1e-6
        * beta
    ),
    "slope_of_the_loss": lambda a, b, beta: (
        (
            np.log(weights((beta - 1e-6) * a, (beta - 1e-6) * b))[1]
            - np.log(weights((beta + 1e-6) * a, (beta + 1e-6) * b))[1]
        )
        / 2e-6
    ),
    "smallest_scale_for_a_needle": lambda needle, n: brentq(
        lambda b: log(n) + b**2 / 2 - b * needle, 0, needle
    ),
    "keys_that_a_bounded_logit_survives": lambda beta: brentq(
        lambda n: 1 / (1 + n * np.exp(-beta)) - 0.5, 1, 1e6
    ),
    "scale_for_a_longer_row": lambda beta, n, times: brentq(
        lambda more: (
            np.exp(beta + more) / (np.exp(beta + more) + n * times)
            - np.exp(beta) / (np.exp(beta) + n)
        ),
        0,
        30,
    ),
    "runs_until_one_succeeds": lambda share, sure: brentq(
        lambda n: 1 - (1 - share) ** n - sure, 0, 1000
    ),
    "scalar_in_the_code": lambda d, scalar: scalar**-0.5 / (1 / np.sqrt(d)),
    "inverse_layer_index": lambda d, layer: 1.0 / d**0.5 / (layer + 1),
    "soft_cap": lambda cap, times: (
        cap * (np.tanh(times + 1e-6) - np.tanh(times - 1e-6)) / (2e-6 * cap)
    ),
    "scale_with_the_length": lambda n, start: np.std([-np.log2(n), np.log2(n)]) / np.log2(start),
    "divisor_of_a_layer": lambda width, heads: sqrt(width // heads),
}
# … or simulated.
SIMULATED = {
    "wider_and_smaller": lambda factor, shrunk: (dots(16 * factor) / shrunk).std() / 4,
    "two_uniforms": lambda d, a, b: variance(
        rng().uniform(-a, a, (20_000, d)), rng().uniform(-b, b, (20_000, d))[::-1]
    ),
    "sparse_queries": lambda **n: sparse(**n),
    "share_within_rows": lambda **n: rows_seen(**n),
    "unequal_variances": lambda d, a, b: variance(
        rng().standard_normal((20_000, d)) * np.sqrt(np.repeat([a, b], d // 2)),
        rng().choice(SIGNS, (20_000, d)),
    ),
    "one_shared_size": lambda d, m: shared_sizes(d, m, True),
    "two_sizes": lambda d, m: shared_sizes(d, m, False),
    "aligned_pair": lambda d, rho: aligned(d, rho).mean() / aligned(d, rho).std(),
    "correlated_components": lambda d, c: correlated(d, c),
    "glorot": lambda width, d: glorot(width, d),
    "keys_of_a_random_row": lambda n, spread: np.mean(
        ah.effective_keys(ah.softmax(rng().normal(0, spread, (30, n))))
    ),
    "who_moves_the_matrix": lambda queries, share: (
        np.linalg.norm(rng().standard_normal((1500, round(queries * share))).sum(1))
        / np.linalg.norm(rng().standard_normal((1500, queries)).sum(1))
    ),
    "needle_that_no_scale_finds": lambda needle, n: np.mean(
        norm.ppf(rng().random(200_000) ** (1 / n)) > needle
    ),
    "aligned_score_with_the_root": lambda d, rho: aligned(d, rho, 1 / sqrt(d)).mean(),
    "noise_with_one_over_d": lambda d, rho: (
        aligned(d, rho, 1 / d).mean() / aligned(d, 0.0, 1 / d).std()
    ),
    "error_of_a_share": lambda runs, share: rng().binomial(runs, share, 200_000).std() / runs,
    "heads_added_before_the_softmax": lambda d, heads: dots(heads * d).std(),
    "root_of_the_width": lambda d, heads: dots(d).std() / sqrt(d * heads),
    "divided_twice": lambda d: (dots(d) / sqrt(d) / sqrt(d)).std(),
}
AGAIN = SOLVED | SIMULATED
NEAR = dict.fromkeys(SOLVED, 1e-6) | dict.fromkeys(SIMULATED, 0.05)
NEAR |= {
    "one_shared_size": 0.08,
    "two_sizes": 0.08,
    "critical_number_of_keys": 0.02,
    "who_moves_the_matrix": 0.08,
    "how_hot": 0.001,
    "needle_that_no_scale_finds": 0.15,
    "error_of_a_share": 0.02,
}


def test_each_objective_has_two_questions_of_its_chapter() -> None:
    for row in objectives():
        rooms = [one.ask.__module__ for one in EVERY if one.objective == row["id"]]
        assert len(rooms) >= 2, row["id"]
        assert set(rooms) == {f"tools.bank.chapter{row['chapter']}"}


def test_a_question_is_whole_and_its_numbers_follow_the_seed() -> None:
    for question in EVERY:
        found = [question.asked(f"seed {n}") for n in range(12)]
        assert found[0] == question.asked("seed 0")
        assert len({one.text for one in found}) > 1
        for one in found:
            for text in (one.text, one.why):
                assert text.count("$") % 2 == 0
                assert not re.search(r"\d\.0*[1-9]\d{6}", text)
            if one.wrong:
                assert sorted(choices(one, "seed")) == sorted({one.answer, *one.wrong})
            else:
                assert np.isfinite(one.answer)


@pytest.mark.parametrize("name", AGAIN)
def test_the_answer_is_found_again_in_another_way(name: str) -> None:
    for seed in SEEDS:
        again = float(AGAIN[name](**QUESTIONS[name].numbers(seed)))
        assert QUESTIONS[name].asked(seed).answer == pytest.approx(again, rel=NEAR[name])


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
    numeric = {one.name for one in EVERY if not one.asked("spring").wrong}
    assert numeric == {*AGAIN, "best_scale", "split_a_factor"}


def test_the_files_hold_every_question_and_only_one_the_answers(tmp_path) -> None:
    assert write_bank(tmp_path, "spring") == len(EVERY)
    texts = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()}
    assert set(texts) == {"questions.md", "answers.md", "moodle.gift"}
    for question in EVERY:
        one = question.asked("spring")
        assert as_text(one, "spring") in texts["questions.md"]
        assert one.why in texts["answers.md"]
        assert one.why not in texts["questions.md"]
    assert "spring" not in texts["questions.md"]


def test_moodle_reads_back_what_was_asked() -> None:
    form = r"::a name::\[html\](.*?)(?<!\\) \{((?:[^{}]|\\[{}])*)\}"
    for question in EVERY:
        one = question.asked("spring")
        text, reply = re.fullmatch(form, as_gift("a name", one, "spring")).groups()
        answer = reply.split("####")[0]
        plain = re.sub(r"\\([\\~=#{}:])", r"\1", text)
        words = re.sub(r"</?(?:code|em)>|\\\(|\\\)", "", html.unescape(plain))
        assert words == re.sub(r"[`$]|(?<!\*)\*(?!\*)", "", one.text)
        if one.wrong:
            counts = [len(re.findall(rf"(?<!\\){sign}", answer)) for sign in "=~"]
            assert counts == [1, len(one.wrong)]
        else:
            value, near = map(float, answer.removeprefix("#").split(":"))
            assert value == pytest.approx(one.answer, rel=1e-4)
            assert near == pytest.approx(abs(one.answer) / 100, rel=0.01)


def test_no_question_is_an_exercise_again() -> None:
    def words(text: str) -> set[str]:
        return set(re.findall(r"[a-z]{3,}", text.lower()))

    for question in EVERY:
        asked = words(question.asked("spring").text)
        for found in all_exercises():
            told = words(found.statement)
            alike = len(asked & told) / len(asked | told)
            assert alike < 0.6, f"{question.name} asks what exercise {found.id} asks"
