"""The question bank: two questions an objective, and every answer computed a second way."""

import html
import re
from collections import Counter
from math import log, sqrt

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq, minimize_scalar
from scipy.special import logsumexp
from scipy.stats import norm

import attn_helpers as ah
from attn_helpers.laws import Aligned, Correlated
from attn_helpers.sampling import simulate_scores
from tools.bank.__main__ import as_text, objectives, write_bank
from tools.bank.asked import QUESTIONS as EVERY

SIGNS = (-1.0, 1.0)


def rng():
    return np.random.default_rng(11)


def variance(q, k) -> float:
    """Return the variance over simulated pairs, one a row."""
    return float((q * k).sum(axis=-1).var())


def dots(d):
    """Return dot products of independent standard normal vectors."""
    return rng().standard_normal((5000, 2, d)).prod(1).sum(-1)


def initial(width, d, variance, square=1.0):
    """Return the spread of a logit over draws of the matrices."""
    draw, x = rng(), np.full(width, sqrt(square))
    q = draw.normal(0, sqrt(variance), (2000, width)) @ x  # one component; the others are like it
    return sqrt(d * q.var() ** 2) / sqrt(d)


def shared_sizes(d, m, both):
    draw = rng()
    r = np.sqrt(m) * (draw.random((40_000, 2, 1)) < 1 / m)
    signs = draw.choice(SIGNS, (40_000, 2, d)).astype(np.float32)
    return variance(r[:, 0] * signs[:, 0], r[:, 0 if both else 1] * signs[:, 1])


def slope(f, x=0.0, step=1e-6):
    return (f(x + step) - f(x - step)) / (2 * step)


def softmax_slope(z, i, j):
    return slope(lambda x: ah.softmax(np.array(z) + x * np.eye(len(z))[j])[i])


def aligned(d, rho):
    return simulate_scores(Aligned(rho), d, 20_000, rng())


def sparse(d, share, spread):
    draw = rng()
    q = draw.choice(SIGNS, (20_000, d)) * (draw.random((20_000, d)) < share)
    return variance(q, draw.normal(0, spread, (20_000, d)))


def dice_and_coins(d, faces, coin):
    draw = rng()
    q = draw.integers(faces, size=(20_000, d)) - (faces - 1) / 2
    return variance(q, coin * draw.choice(SIGNS, (20_000, d)))


def rows_seen(q, k, var_q, var_k):
    draw = rng()
    queries = draw.normal(q, sqrt(var_q), (2000, 1, 16))
    keys = draw.normal(k, sqrt(var_k), (2000, 40, 16))
    scores = (queries * keys).sum(-1)
    return scores.var(axis=-1, ddof=1).mean() / scores.var()


def place(d, query, key):
    """Return the gradient to W_q of a logit, and the logit's change after one small step.

    Of the root of d, so much stands in W_q and so much in W_k, as powers; the rest is β.
    """
    draw = rng()
    x, w = draw.standard_normal(8), draw.standard_normal((d, 8)) / d**query
    k, beta = draw.standard_normal(d) / d**key, d ** (query + key - 0.5)
    gradient = beta * np.outer(k, x)  # of the logit; the loss's is a multiple of it
    return np.linalg.norm(gradient), beta * k @ (w + 1e-3 * gradient - w) @ x


def best_scale(noise):
    """Return the scale with the least mean loss, over rows with a noisy copy of the query."""
    draw = rng()
    q = draw.standard_normal((10_000, 1, 4))
    keys = noise * draw.standard_normal((10_000, 12, 4))
    keys[:, :1] += q
    scores = (q * keys).sum(-1)
    return minimize_scalar(lambda b: np.mean(logsumexp(b * scores, 1) - b * scores[:, 0])).x


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
    "nudge_a_logit": lambda p, step: softmax_slope(np.log([p, 1 - p]), 0, 0) * step,
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
    "one_entry": lambda a, b: softmax_slope(np.log([a, b, 1 - a - b]), 0, 1) / 100,
    "norm_with_two_keys": lambda p: np.linalg.norm(
        np.diag([p, 1 - p]) - np.outer([p, 1 - p], [p, 1 - p])
    ),
    "gap_undivided": lambda gap, d: (
        weights(gap * sqrt(d), 0).prod() / (weights(gap, 0).prod() / sqrt(d))
    ),
    "share_of_close_races": lambda m: quad(lambda gap: m * np.exp(-m * gap), 0, log(10))[0],
    "gradient_with_a_shared_root": lambda d: place(d, 1 / 4, 1 / 4)[0] / place(d, 0, 0)[0],
    "step_in_another_place": lambda d: place(d, 1 / 2, 0)[1] / place(d, 0, 0)[1],
    "slope_of_an_even_row": lambda n, beta: softmax_slope(np.zeros(n), 0, 0) / beta,
    "too_small_a_scale": lambda beta, times: (
        (beta / times * (np.eye(9) / 9 - 1 / 81)).sum(0)[0] + 1 / times
    ),
    "how_cold": lambda gap, times: brentq(
        lambda b: np.divide(*weights(b * gap, 0)) - times, 0, 50
    ),
    "how_hot": lambda n, above, beta: (
        beta * slope(lambda t: weights(t * above * n / (n - 1), *[0] * (n - 1))[0])
    ),
    "slope_of_the_loss": lambda a, b, beta: slope(
        lambda t: -np.log(weights(t * a, t * b)[1]), beta
    ),
    "smallest_scale_for_a_needle": lambda needle, n: brentq(
        lambda b: log(n) + b**2 / 2 - b * needle, 0, needle
    ),
    "keys_that_a_bounded_logit_survives": lambda beta: brentq(
        lambda n: 1 / (1 + n * np.exp(-beta)) - 0.5, 1, 1e6
    ),
    "scale_for_a_longer_row": lambda beta, n, times: brentq(
        lambda more: 1 / (1 + n * times / np.exp(beta + more)) - 1 / (1 + n / np.exp(beta)), 0, 30
    ),
    "runs_until_one_succeeds": lambda share, sure: brentq(
        lambda n: 1 - (1 - share) ** n - sure, 0, 1000
    ),
    "scalar_in_the_code": lambda d, scalar: scalar**-0.5 / (1 / np.sqrt(d)),
    "inverse_layer_index": lambda d, layer: 1.0 / d**0.5 / (layer + 1),
    "soft_cap": lambda cap, times: slope(lambda x: cap * np.tanh(x / cap), cap * times),
    "scale_with_the_length": lambda n, start: np.std([-np.log2(n), np.log2(n)]) / np.log2(start),
    "more_heads": lambda few, times: (576 // (few * times)) ** -0.5 / (576 // few) ** -0.5,
    "width_that_outruns_the_crowd": lambda rho, n: brentq(
        lambda d: rho * sqrt(d) - ah.extremes.critical_std(n), 1, 1e6
    ),
    "one_matrix_alone": lambda f: np.divide(*(np.array([f, 1]) * dots(8)[:2, None]).T)[0],
}
# … or simulated.
SIMULATED = {
    "wider_and_smaller": lambda factor, shrunk: (dots(16 * factor) / shrunk).std() / 4,
    "dice_and_coins": dice_and_coins,
    "sparse_queries": sparse,
    "share_within_rows": rows_seen,
    "unequal_variances": lambda d, a, b: variance(
        rng().standard_normal((20_000, d)) * np.sqrt(np.repeat([a, b], d // 2)),
        rng().choice(SIGNS, (20_000, d)),
    ),
    "one_shared_size": lambda d, m: shared_sizes(d, m, True),
    "two_sizes": lambda d, m: shared_sizes(d, m, False),
    "aligned_pair": lambda d, rho: aligned(d, rho).mean() / aligned(d, rho).std(),
    "correlated_components": lambda d, c: simulate_scores(
        Correlated(c, c), d, 20_000, rng()
    ).var(),
    "glorot": lambda width, d: initial(width, d, 2 / (width + d)),
    "tokens_without_a_norm": lambda square, width, d: initial(width, d, 1 / width, square),
    "keys_of_a_random_row": lambda n, spread: np.mean(
        ah.effective_keys(ah.softmax(rng().normal(0, spread, (30, n))))
    ),
    "who_moves_the_matrix": lambda queries, loud: (
        np.linalg.norm(rng().standard_normal((1500, loud)).sum(1))
        / np.linalg.norm(rng().standard_normal((1500, queries)).sum(1))
    ),
    "needle_that_no_scale_finds": lambda needle, n: np.mean(
        norm.ppf(rng().random(200_000) ** (1 / n)) > needle
    ),
    "scale_for_noisier_keys": lambda times: best_scale(times) / best_scale(1),
    "noise_with_one_over_d": lambda d, rho: aligned(d, rho).mean() / aligned(d, 0.0).std(),
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
    "scale_for_noisier_keys": 0.1,
}


def test_each_objective_has_two_questions() -> None:
    asked = Counter(one.objective for one in EVERY)
    assert set(asked) == {row["id"] for row in objectives()}
    assert min(asked.values()) >= 2, asked


def test_a_question_is_whole_and_its_numbers_follow_the_seed() -> None:
    for question in EVERY:
        found = [question.asked(f"seed {n}") for n in range(12)]
        assert found[0] == question.asked("seed 0")
        assert len({one.text for one in found}) > 1
        for one in found:
            for text in (one.text, one.why):
                assert text.count("$") % 2 == 0
                assert not re.search(r"\d\.0*[1-9]\d{6}", text)
            if one.choices:
                assert one.answer in one.choices
                assert len(set(one.choices)) == 4


@pytest.mark.parametrize("question", [q for q in EVERY if not q.wrong], ids=lambda q: q.name)
def test_every_number_is_found_again_in_another_way(question) -> None:
    for seed in ("spring", "autumn"):
        again = float(AGAIN[question.name](**question.numbers(seed)))
        assert question.asked(seed).answer == pytest.approx(again, rel=NEAR[question.name])


def test_the_files_hold_every_question_and_only_one_the_answers(tmp_path) -> None:
    assert write_bank(tmp_path, "spring") == len(EVERY)
    texts = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()}
    assert set(texts) == {"questions.md", "answers.md", "moodle.gift"}
    assert "spring" not in texts["questions.md"]
    form = r"::[^:]*::\[html\](.*?)(?<!\\) \{((?:[^{}]|\\[{}])*)\}"
    objective = [one for row in objectives() for one in EVERY if one.objective == row["id"]]
    for question, found in zip(objective, re.findall(form, texts["moodle.gift"]), strict=True):
        one = question.asked("spring")
        assert as_text(one) in texts["questions.md"]
        assert one.why in texts["answers.md"]
        assert one.why not in texts["questions.md"]
        # What Moodle reads back is what was asked.
        plain = re.sub(r"\\([\\~=#{}:])", r"\1", found[0])
        words = re.sub(r"</?(?:code|em)>|\\\(|\\\)", "", html.unescape(plain))
        assert words == re.sub(r"[`$]|(?<!\*)\*(?!\*)", "", one.text)
        answer = found[1].split("####")[0]
        if one.choices:
            assert [len(re.findall(rf"(?<!\\){sign}", answer)) for sign in "=~"] == [1, 3]
        else:
            value, near = map(float, answer.removeprefix("#").split(":"))
            assert value == pytest.approx(one.answer, rel=1e-4)
            assert near == pytest.approx(abs(one.answer) / 100, rel=0.01)
