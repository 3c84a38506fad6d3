"""Source C's claims, computed again. One test a row of the ledger."""

import numpy as np
import pytest
from scipy import integrate, stats

import attn_helpers as ah
from attn_helpers.experiments import stored
from attn_helpers.experiments.scaling_ablation import best_rate, curves


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


def test_c13() -> None:
    """The Jacobian goes to zero with everything but the largest weight."""
    for logit in (10.0, 20.0, 40.0):
        p = ah.softmax([logit, 0.0, 0.0, 0.0])
        assert ah.jacobian_norm(p) <= ah.jacobian_trace(p) < 7 * np.exp(-logit)


def test_c14() -> None:
    """Unscaled heads that start saturated learn, at their best learning rate every one of ten."""
    rows = [r for r in stored("scaling_ablation") if (r["d"], r["power"]) == (256, 0.0)]
    assert min(r["spread_before"] for r in rows) > 8
    rates = {r["rate"] for r in rows if r["optimiser"] == "adam"}
    worst = [
        max(np.mean(r["losses"][-5:]) for r in rows if (r["optimiser"], r["rate"]) == ("adam", q))
        for q in rates
    ]
    assert min(worst) < 0.5


def test_c15() -> None:
    """The formula against central differences."""
    z, step = np.array([0.3, -1.0, 2.0, 0.5]), 1e-6
    numeric = np.stack(
        [(ah.softmax(z + e) - ah.softmax(z - e)) / (2 * step) for e in step * np.eye(4)], axis=1
    )
    p = ah.softmax(z)
    formula = p[:, None] * (np.eye(4) - p[None, :])
    np.testing.assert_allclose(numeric, formula, atol=1e-9)
    np.testing.assert_allclose(ah.softmax_jacobian(p), formula, atol=1e-15)


def test_c16() -> None:
    """All of the Jacobian is zero at a one-hot row."""
    np.testing.assert_array_equal(ah.softmax_jacobian([1.0, 0.0, 0.0]), np.zeros((3, 3)))


def test_c17() -> None:
    """The printed numbers are the diagonal; the rows sum to zero."""
    jacobian = ah.softmax_jacobian([0.3, 0.3, 0.2, 0.2])
    np.testing.assert_allclose(np.diag(jacobian), [0.21, 0.21, 0.16, 0.16])
    np.testing.assert_allclose(jacobian.sum(axis=1), 0, atol=1e-15)
    np.testing.assert_allclose(
        np.abs(jacobian - np.diag(np.diag(jacobian))).sum(1), np.diag(jacobian)
    )


def test_c18() -> None:
    """Median and matrix, unscaled over scaled: below one and above one where the ledger says."""
    rows = stored("gradient_flow")

    def ratios(name: str, d: int, n: int) -> list[float]:
        return [r[name][1] / r[name][0] for r in rows if (r["d"], r["n"]) == (d, n)]

    assert max(ratios("query_median", 1024, 16)) < 0.05
    assert min(ratios("query_median", 64, 256)) > 2
    assert min(ratios("w_query", 1024, 16)) > 2


def test_c19() -> None:
    """The gap widens with d at every n; trained logits do not have unit spread."""
    rows = stored("gradient_flow")
    for n in (4, 16, 64, 256, 1024, 4096):
        gap = [
            np.mean(
                [r["w_query"][1] / r["w_query"][0] for r in rows if (r["d"], r["n"]) == (d, n)]
            )
            for d in (4, 16, 64, 256, 1024, 4096)
        ]
        assert (np.diff(gap) > 0).all()
    best = ("adam", 0.01)
    for power in (0.5, 0.0):
        trained = [
            r["spread_after"]
            for r in stored("scaling_ablation")
            if (r["optimiser"], r["rate"]) == best and r["power"] == power
        ]
        assert min(trained) > 2


def test_c20() -> None:
    """At its best rate the scale is never the worse choice; at a large rate it diverges too."""
    rows = stored("scaling_ablation")
    for d in (16, 64, 256):
        for optimiser in ("adam", "sgd"):
            wanted = {"d": d, "optimiser": optimiser}
            scaled, unscaled = (
                curves(rows, power=p, rate=best_rate(rows, power=p, **wanted), **wanted)
                for p in (0.5, 0.0)
            )
            assert np.median(scaled.mean(axis=1)) < np.median(unscaled.mean(axis=1))
    diverged = [r for r in rows if (r["power"], r["optimiser"], r["rate"]) == (0.5, "sgd", 10.0)]
    assert min(r["losses"][-1] for r in diverged) > 1
