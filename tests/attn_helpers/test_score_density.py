import numpy as np
import pytest
import scipy.integrate
import scipy.special
import scipy.stats

from attn_helpers.sampling import gaussian_score_pdf


@pytest.mark.parametrize("d", [1, 2, 3, 4, 5, 16, 64, 256])
def test_agrees_with_scipys_bessel_function(d):
    x = np.concatenate([np.geomspace(1e-3, 1, 40), np.linspace(1, 10 * np.sqrt(d) + 10, 200)])
    nu = (d - 1) / 2
    log_bessel = np.log(scipy.special.kve(nu, x)) - x
    constant = 0.5 * np.log(np.pi) + nu * np.log(2) + scipy.special.gammaln(d / 2)
    expected = np.exp(nu * np.log(x) + log_bessel - constant)
    finite = np.isfinite(expected)  # kve overflows for large order at small x
    assert finite.sum() > 180
    got = gaussian_score_pdf(x, d)
    np.testing.assert_allclose(got[finite], expected[finite], rtol=1e-11)
    np.testing.assert_array_equal(gaussian_score_pdf(-x, d), got)


@pytest.mark.parametrize("d", [1000, 1024, 4096])
@pytest.mark.parametrize("where", [0.0, 0.5, 3.0, 8.0])
def test_large_dimensions_agree_with_the_mixture_of_normals(d, where):
    # Given q, q·k is N(0, ‖q‖²), and ‖q‖² is chi-squared.
    x = where * np.sqrt(d)

    def integrand(r):
        return np.exp(scipy.stats.chi2.logpdf(r, d) + scipy.stats.norm.logpdf(x, 0, np.sqrt(r)))

    width = np.sqrt(2 * d)
    low = max(1.0, d - 12 * width)
    expected, _ = scipy.integrate.quad(
        integrand, low, d + 30 * width, epsrel=1e-12, epsabs=0, limit=500, points=[d]
    )
    assert gaussian_score_pdf(x, d) == pytest.approx(expected, rel=1e-10)


@pytest.mark.filterwarnings("error")
def test_special_points():
    x = np.array([0.0, 1e-300, np.inf, -np.inf, np.nan])
    expected = [np.inf, scipy.special.k0(1e-300) / np.pi, 0, 0, np.nan]
    np.testing.assert_allclose(gaussian_score_pdf(x, 1), expected, rtol=1e-12)
    assert gaussian_score_pdf(0.0, 3) == pytest.approx(1 / np.pi, rel=1e-13)
    assert gaussian_score_pdf(1e6, 64) == 0.0


def test_shape_and_dtype_are_kept():
    x = np.ones((2, 3, 400), np.float32)
    assert gaussian_score_pdf(x, 5).shape == x.shape
    assert gaussian_score_pdf(x, 5).dtype == np.float32
    assert gaussian_score_pdf([1, 2], 5).dtype == np.float64


@pytest.mark.parametrize(("d", "error"), [(0, ValueError), (2.0, TypeError)])
def test_bad_input_is_named(d, error):
    with pytest.raises(error, match=f"^d must be an integer >= 1, got {d}$"):
        gaussian_score_pdf(1.0, d)
