"""What the pages of chapter 3 compute, against closed forms and rows drawn in another way."""

import re
from statistics import NormalDist

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import digamma, softmax
from scipy.stats import norm
from stored_outputs import drawn, numbers_of, text_of

from why_sqrt_d.rows import stored

CHAPTER, DEEPER, PRINTED = (
    numbers_of(page)
    for page in ("03-softmax-saturation", "3a-random-energies", "3b-rows-in-print")
)


def first(x: float, others: np.ndarray | list[float]) -> float:
    """Return the weight of a logit x beside others."""
    return float(softmax([x, *others])[0])


def effective(logits: np.ndarray) -> np.ndarray:
    return 1 / (softmax(logits, axis=-1) ** 2).sum(axis=-1)


def cells(page: str, start: str) -> list[list[str]]:
    """Return the cells of the lines of a page's tables that begin so."""
    found = [line for line in text_of(page).splitlines() if line.startswith(start)]
    return [re.split(r"\s{2,}", line.strip()) for line in found]


def test_margins_of_single_rows() -> None:
    crowds = (CHAPTER["outweighs"] - 1, CHAPTER["outweighs"])
    most, less = (first(5, [3, 1, *crowd * [0]]) for crowd in crowds)
    assert most > 0.5 > less
    assert CHAPTER["thousand"] == pytest.approx(1 / first(5, 1000 * [0]) - 1)
    for n, name in ((2, "price_99"), (16384, "x_99_long")):
        x = brentq(lambda x, n=n: first(x, (n - 1) * [0]) - 0.99, 0, 30)
        assert CHAPTER[name] == pytest.approx(x)
    row = np.array([9.2, -3.1, 8.8, -5.4, 1.2])
    assert PRINTED["unscaled_effective"] == pytest.approx(effective(row))


def test_gaps_and_the_critical_spread() -> None:
    assert CHAPTER["gap_2"] == DEEPER["gap_2"] == pytest.approx(2 / np.pi**0.5)
    top = np.sort(np.random.default_rng(1).standard_normal((4000, 1024)))[:, -2:]
    assert DEEPER["gap_1024"] == pytest.approx(np.diff(top).mean(), rel=0.06)
    assert DEEPER["max_1024"] == pytest.approx(top[:, 1].mean(), abs=0.03)
    assert DEEPER["gap_1024"] > DEEPER["gap_16384"] == CHAPTER["gap_16384"] > 1 / 5
    assert DEEPER["critical_1024"] == pytest.approx((20 * np.log(2)) ** 0.5)
    assert DEEPER["gap_predicted"] * DEEPER["critical_1024"] == pytest.approx(1)


def test_typical_rows_against_rows_whose_every_key_is_drawn() -> None:
    few = drawn(64, 16, 4000)
    [[_, _, counts]] = cells("03-softmax-saturation", "16 ")
    assert float(counts.split()[0]) == pytest.approx(np.median(effective(few)), abs=0.08)
    for scale, name in ((1, "top_16"), (1 / 8, "dilute_16")):
        top = np.median(softmax(scale * few, axis=-1).max(axis=-1))
        assert CHAPTER[name] == pytest.approx(top, abs=0.015)
    before = np.median(effective(drawn(16, 2048, 1500)))
    assert DEEPER["before_16"] == pytest.approx(before, abs=1)
    assert DEEPER["after_16"] > DEEPER["before_16"]
    critical = np.sqrt(2 * np.log(16)) * np.random.default_rng(8).standard_normal((9999, 16))
    assert DEEPER["border_few"] == pytest.approx(np.median(effective(critical)), rel=0.04)
    assert DEEPER["cross_64"] == pytest.approx(np.exp(32 - 12 * np.log(10)))
    assert round(np.exp(8), -3) == DEEPER["cross_16"]


def test_how_often_one_key_has_nearly_all() -> None:
    for n in (2, 16):
        [[_, above, _]] = cells("03-softmax-saturation", f"{n} ")
        scores = drawn(64, n, 6000)
        for shown, scale in zip(above.split(" → "), (1, 1 / 8), strict=True):
            share = 100 * np.mean(softmax(scale * scores, axis=-1).max(axis=-1) > 0.9)
            assert float(shown.split()[0]) == pytest.approx(share, abs=2.5)
    assert DEEPER["tipped_wide"] == pytest.approx(200 * NormalDist().cdf(-np.log(9) / 2**0.5))


def test_real_initialisations() -> None:
    """σ from the sizes of the weights; the number of keys at which it is critical; and a draw."""
    spreads = {
        "T5": 1.0,
        "GPT-2": 8 * 0.02**2 * 768,
        "nn.Linear": 8 / 3,
        "Xavier, fused": 4.0,
        "Xavier, separate": 8.0,
    }
    rows = drawn(64, 1024, 2000) / 8
    for name, std in spreads.items():
        [[_, spread, border, count]] = cells("3a-random-energies", f"{name} ")
        assert float(spread) == round(std, 1)
        wanted = np.exp(std**2 / 2)
        shown = 8e13 if "10¹³" in border else float(border.strip("< "))
        assert shown == pytest.approx(wanted, rel=0.03) or wanted < shown == 2
        assert float(count) == pytest.approx(np.median(effective(std * rows)), rel=0.1)


def test_number_formats_agree_with_numpy() -> None:
    for name in ("float16", "float32", "float64"):  # NumPy has no bfloat16
        [[_, largest, highest, step]] = cells("3b-rows-in-print", f"{name} ")
        kind = getattr(np, name)
        assert np.longdouble(largest) / np.finfo(kind).max == pytest.approx(1, abs=0.004)
        with np.errstate(all="ignore"):
            assert np.isfinite(np.exp(kind(np.floor(float(highest)))))
            assert np.isinf(np.exp(kind(np.ceil(float(highest)))))
        spacing = float(np.spacing(kind(1000)))
        assert float(step.replace("−", "-")) == pytest.approx(spacing, rel=0.15)


def test_how_far_the_formulas_are_off() -> None:
    """The random energy model from SciPy's digamma, against the stored rows' own means."""

    def off(measure: str, n: int, ratio: float) -> float:
        std, b = ratio * np.sqrt(2 * np.log(n)), norm.isf(1 / n)
        m = n * norm.pdf(b) / std
        below = {"entropy": np.log(n) - std**2 / 2, "participation": np.exp(std**2) / n}
        above = {"entropy": digamma(1) - digamma(1 - m), "participation": 1 - m}
        rows = [r[measure] for r in stored("phases") if (r["n"], r["ratio"]) == (n, ratio)]
        return 100 * ((below if ratio < 1 else above)[measure] / np.mean(rows) - 1)

    quoted = {
        "h_shared": -off("entropy", 1024, 0.3),
        "p_shared": off("participation", 1024, 0.3),
        "h_frozen": off("entropy", 1024, 3.0),
        "p_frozen": -off("participation", 1024, 3.0),
        "h_few": off("entropy", 16, 3.0),
        "p_few": -off("participation", 16, 3.0),
        "h_long": off("entropy", 16384, 3.0),
    }
    assert {name: DEEPER[name] for name in quoted} == pytest.approx(quoted, rel=1e-6)
    near = off("entropy", 1024, 1.25)
    assert DEEPER["h_near_predicted"] / DEEPER["h_near_measured"] == pytest.approx(1 + near / 100)


def test_how_fast_weights_dilute() -> None:
    log_n = np.log(2.0 ** np.arange(11, 15))
    bound = np.polyfit(log_n, np.sqrt(2 * log_n) - log_n, 1)[0]
    assert DEEPER["bound_slope"] == pytest.approx(-bound)
    rng = np.random.default_rng(2)
    tops = [
        np.median(softmax(rng.standard_normal((400, round(np.exp(x)))), axis=-1).max(axis=-1))
        for x in log_n
    ]
    assert DEEPER["seen_slope"] == pytest.approx(-np.polyfit(log_n, np.log(tops), 1)[0], abs=0.04)
