import numpy as np
import pytest

from attn_helpers import score_statistics
from attn_helpers.initialisation import projected_score_variance, sample_projected, weight_std


@pytest.mark.parametrize("same_token", [False, True])
@pytest.mark.parametrize(("d_x", "d_k"), [(1, 1), (3, 2), (16, 4)])
def test_variance_agrees_with_simulation(d_x, d_k, same_token):
    scores = sample_projected(
        np.random.default_rng(7), 60_000, d_x, d_k, 0.7, 0.4, same_token, std_x=1.5
    )
    got = score_statistics(scores)
    expected = projected_score_variance(d_x, d_k, 1.5, 0.7, 0.4, same_token)
    assert abs(got.mean) <= 5 * got.mean_se
    assert abs(got.variance - expected) <= 5 * got.variance_se
    other = projected_score_variance(d_x, d_k, 1.5, 0.7, 0.4, not same_token)
    if d_x < 16:
        assert abs(got.variance - other) > 5 * got.variance_se


def test_same_token_factor():
    different = projected_score_variance(10, 4, 1.0, 1.0, 1.0)
    assert different == 10 * 10 * 4
    same = projected_score_variance(10, 4, 1.0, 1.0, 1.0, same_token=True)
    assert same == pytest.approx(different * 1.2)


@pytest.mark.parametrize(
    ("scheme", "d_in", "d_out", "expected"),
    [
        ("xavier", 512, 512, 512**-0.5),
        ("xavier", 512, 64, np.sqrt(2 / 576)),
        ("xavier_fused_qkv", 512, 512, np.sqrt(2 / 2048)),
        ("linear", 300, 7, 1 / 30),
        ("gpt2", 768, 768, 0.02),
        ("t5_query", 512, 64, 512**-0.5 * 64**-0.5),
        ("t5_key", 512, 64, 512**-0.5),
    ],
)
def test_weight_std(scheme, d_in, d_out, expected):
    assert weight_std(scheme, d_in, d_out) == pytest.approx(expected, rel=1e-14)


def test_linear_is_the_deviation_of_its_uniform_law():
    bound = 1 / np.sqrt(48)
    weights = np.random.default_rng(0).uniform(-bound, bound, 100_000)
    assert weights.std() == pytest.approx(weight_std("linear", 48, 5), rel=0.01)


def test_t5_logits_need_no_further_scale():
    q, k = weight_std("t5_query", 512, 64), weight_std("t5_key", 512, 64)
    assert projected_score_variance(512, 64, 1.0, q, k) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: weight_std("he", 4, 4), "^scheme must be one of xavier, .*, got 'he'$"),
        (lambda: weight_std("xavier", 0, 4), "^d_in must be an integer >= 1, got 0$"),
        (lambda: projected_score_variance(4, 4, -1.0, 1.0, 1.0), "^std_x must be .* got -1.0$"),
        (
            lambda: sample_projected(np.random.default_rng(0), 4, 4, 4, -1.0, 1.0),
            "^std_w_query must be a finite number >= 0, got -1.0$",
        ),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
