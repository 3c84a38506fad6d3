"""Source C's claims, computed again. One test a row of the ledger."""

import re
from pathlib import Path

import numpy as np
import pytest
import yaml
from scipy import integrate, stats

import attn_helpers as ah

BOOK = Path(__file__).resolve().parents[2] / "book"


def test_c1() -> None:
    """Var(XY) = 1 for independent standard normal X and Y, by integrating the exact density."""
    second = integrate.quad(lambda x: x**2 * ah.gaussian_score_pdf(x, 1), 0, np.inf)[0]
    assert 2 * second == pytest.approx(1, rel=1e-6)
    assert ah.Gaussian().moments(1).variance == 1


def test_c2() -> None:
    """Var(q·k) = d, closed form and simulation."""
    rng = np.random.default_rng(1)
    for d in (1, 16, 512):
        measured = ah.score_statistics(ah.simulate_scores(ah.Gaussian(), d, 20_000, rng))
        assert ah.Gaussian().moments(d).variance == d
        assert abs(measured.variance - d) < 5 * measured.variance_se


def test_c3() -> None:
    """The standard deviation at d = 64 is 8."""
    assert ah.Gaussian().moments(64).variance ** 0.5 == 8


def test_c4() -> None:
    """Scaled variance one for every d under the source's assumptions, and not for GPT-2."""
    for d in (1, 64, 4096):
        assert ah.Gaussian().moments(d).variance * ah.InverseSqrt()(d, 10) ** 2 == pytest.approx(1)
    std = ah.weight_std("gpt2", 768, 768)
    assert ah.projected_score_variance(768, 64, 1.0, std, std) / 64 == pytest.approx(0.3072**2)


def test_c5() -> None:
    """Kurtosis 3 + 6/d and heavier tails than N(0, d); given q the score is exactly normal."""
    assert ah.Gaussian().moments(64).kurtosis == 3 + 6 / 64
    tail = 2 * integrate.quad(lambda x: ah.gaussian_score_pdf(x, 8), 4 * 8**0.5, np.inf)[0]
    assert tail > 10 * 2 * stats.norm.sf(4)
    rng = np.random.default_rng(2)
    q = rng.standard_normal(8)
    row = rng.standard_normal((20_000, 8)) @ q
    assert stats.kstest(row / np.linalg.norm(q), "norm").pvalue > 1e-3


def table() -> dict[str, dict]:
    """Return the rows of the table of real models by name."""
    rows = yaml.safe_load((BOOK / "real-models.yml").read_text())
    return {row["model"]: row for row in rows}


def scale(name: str, d: int, n: int = 100) -> float:
    """Return β of a real model's rule at any head dimension."""
    return ah.REAL_MODELS[name].rule.scale(d, n)


def test_c29() -> None:
    """Rules of real models whose scale is not 1/sqrt(d) at the model's own width."""
    other = {
        name
        for name, (d, rule) in ah.REAL_MODELS.items()
        if not np.isclose(rule.scale(d, 100), d**-0.5)
    }
    for name in ("GPT-Neo 1.3B", "T5-11B", "Gemma 3n", "Granite 8B", "Cerebras-GPT 1.3B"):
        assert name in other
    assert {"Gemma 2 27B", "Gemma 3 27B"} <= other
    assert {"GPT-2", "LLaMA 7B", "Grok-1", "Qwen3 8B", "Gemma 2 9B"}.isdisjoint(other)


def test_c30() -> None:
    """1/8 for GPT-2; 1 and 1/64 for two other families of that name, at d = 64."""
    assert scale("GPT-2", 64) == 1 / 8
    assert scale("GPT-Neo 1.3B", 64) / scale("GPT-2", 64) == 8
    assert scale("GPT-2", 64) / scale("Cerebras-GPT 1.3B", 64) == 8


def test_c31() -> None:
    """Versions 1 and 2 are the textbook's; Llama 4 normalises or sharpens with the position."""
    assert ah.REAL_MODELS["LLaMA 7B"].rule == ah.AttentionRule()
    assert ah.REAL_MODELS["Llama 4, rotary"].rule.norm is not None
    assert scale("Llama 4, no rotary", 128, 10**6) > 1.4 * 128**-0.5


def test_c32() -> None:
    """XCiT's temperature is in the table; it is not a constant: its gradient is not zero."""
    assert "learned" in table()["XCiT (attention between channels)"]["formula"]
    assert ah.Learned(0.0)(32, 10) == 1  # where XCiT's starts
    assert ah.Learned(0.0).gradient(32, 10) == 1


def test_c33() -> None:
    """Eight papers behind the table change the factor; all are in the bibliography."""
    about = {"he2021", "yang2022", "gemma2", "henry2020", "liu2022", "elnouby2021", "peng2023"}
    about.add("nakanishi2025")
    papers = {row["paper"] for row in table().values() if "paper" in row}
    assert about <= papers
    assert len(about) == 8
    known = set(re.findall(r"^@\w+\{([\w-]+),", (BOOK / "references.bib").read_text(), flags=re.M))
    assert papers <= known
