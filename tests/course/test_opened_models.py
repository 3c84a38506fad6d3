"""What stored rows say of released models, and what the pages say of them."""

from collections.abc import Callable

import numpy as np
import pytest

from attn_helpers.checks import FloatArray
from research.opened_models.inside import multipliers
from tools.paths import BOOK
from why_sqrt_d.exercises import get
from why_sqrt_d.opened_models import TITLES, Model, before_training, read, tiny


def parabolas() -> tuple[Model, FloatArray]:
    """Return a model whose loss a unit is c + (m − 0.9)², where c differs from input to input."""
    rng = np.random.default_rng(1)
    factors, units = np.array(multipliers(16)), rng.integers(5, 20, 40).astype(float)
    base = rng.normal(5, 2, (40, 1))
    losses = units[:, None] * (base + (factors - 0.9) ** 2)
    return Model(16, {}, factors, losses, units), losses


def test_losses_are_means_a_unit_and_differences_are_paired() -> None:
    model, losses = parabolas()
    assert model.best() == 0.9
    assert model.loss(4) == pytest.approx(losses[:, -1].sum() / model.units.sum())
    assert model.above_best() == pytest.approx((model.multipliers - 0.9) ** 2)
    # The inputs differ by far more than the multipliers, and yet no difference is unsure.
    assert model.rise(4) == pytest.approx([3.1**2 - 0.1**2] * 3)
    assert model.rise(4, than=0.9) == pytest.approx([3.1**2] * 3)
    assert model.lost(4) == pytest.approx([(3.1**2 - 0.1**2) / (0.9**2 - 0.1**2)] * 3)
    assert np.isnan(model.accuracy(4))
    right = np.outer(model.units, model.multipliers == 4)
    assert Model(16, {}, model.multipliers, losses, model.units, right=right).accuracy(4) == 1
    with pytest.raises(ValueError, match=r"multiplier of 3 was not tried; there are 0, 0\.25"):
        model.loss(3)


def test_an_interval_covers_the_mean_of_inputs_that_differ() -> None:
    """The bootstrap of a quotient of sums, against the normal theory of a mean."""
    rng = np.random.default_rng(2)
    apart = rng.normal(0.3, 1, 400)
    losses = np.stack([0 * apart, apart], axis=1)
    mean, low, high = Model(4, {}, np.array([1, 2]), losses, np.ones(400)).rise(2)
    half = 1.96 * apart.std() / 20
    assert (mean, low, high) == pytest.approx(
        (apart.mean(), apart.mean() - half, apart.mean() + half), abs=0.012
    )


def test_what_is_stored_is_whole() -> None:
    found = read()
    assert [*found] == [*TITLES.values()]
    for title, model in found.items():
        assert model.losses.shape == model.right.shape == (len(model.units), 13), title
        assert not (model.right > model.units[:, None]).any(), title
        for m in (0, 0.7, 1, 1.5, model.d**0.5):
            assert 0 <= model.accuracy(m) <= 1, title
        assert model.heads["d"].min() == model.d, title
        assert len(model.units) >= 100, title
        assert np.isfinite(model.losses).all(), title
        assert (np.diff(model.multipliers) > 0).all(), title
        assert model.multipliers[-1] == pytest.approx(model.d**0.5, abs=1e-3), title
        heads = model.heads
        assert (heads["over_99_sink"] <= heads["over_99"]).all(), title
        assert (heads["effective"] <= heads["keys"] + 1e-3).all(), title
        assert (heads["spread"] > 0).all(), title


def test_before_training_queries_are_as_the_formula_has_them() -> None:
    """A component of q has variance width · deviation²; rows share something and spread less."""
    found = before_training()
    assert len(found) == 4
    for title, heads in found.items():
        model = read()[title]
        assert heads["spread"].shape == model.heads["spread"].shape
        assert np.median(heads["rms_q"]) ** 2 == pytest.approx(model.start, rel=0.07)
        assert np.median(heads["rms_k"]) ** 2 == pytest.approx(model.start, rel=0.07)
        assert np.median(heads["spread"]) < model.start < np.median(model.heads["spread"])


def test_the_tiny_model_is_that_of_the_pages() -> None:
    model = tiny()
    assert model.heads["spread"].size == 40
    assert model.multipliers[[0, -1]] == pytest.approx([0, 8**0.5])
    assert model.start == pytest.approx(0.0256)
    assert model.rise(8**0.5).value == pytest.approx(0.215, abs=0.001)


def test_page_8c_names_the_models_of_which_it_says_something() -> None:
    released = read()

    def names(told: Callable[[Model], bool]) -> str:
        *titles, last = (title for title, model in released.items() if told(model))
        return f"{', '.join(titles)} and {last}."

    def fallen(title: str) -> float:
        heads = released[title].heads
        return np.median(heads["spread_without"]) / np.median(heads["spread"])

    def aligned(title: str) -> float:
        heads = released[title].heads
        return np.median(heads["rms_cosine"] * np.sqrt(heads["d"]))

    def over(model: Model, what: str = "") -> float:
        return model.heads[f"over_99{what}"].mean()

    page = (BOOK / "8c-opened-model.ipynb").read_text("utf-8")
    flat = names(lambda model: model.rise(0.7, than=1.5).low > 0)
    sharp = names(lambda model: model.rise(0.7, than=1.5).high < 0)
    sink = names(lambda model: over(model) > 1e-3 and over(model, "_sink") > over(model) / 2)
    assert all(f" {said}" in page for said in (f"zero: {flat}", f"below: {sharp}", f"in {sink}"))
    assert min(released, key=fallen) == "MiniLM-L6"
    least, *_, most = sorted(released, key=aligned)
    assert (least, most) == ("SmolLM2", "chython")
    assert over(released["rxnmapper"], "_without") > over(released["rxnmapper"])


def test_the_bets_have_the_models_losses() -> None:
    found = read()
    model, bet = found["Whisper tiny.en"], get("8.0")
    assert all(f"${model.loss(m):.2f}$" in bet.statement for m in (1, 0))
    assert f"{100 * model.lost(8).value:.0f} % of the way" in bet.solution
    heads = model.heads
    assert np.median(heads["margin"]) == pytest.approx(0.25, abs=0.03)  # "a quarter"
    assert np.median(heads["effective"]) == pytest.approx(12, abs=1.5)  # "a dozen"
    asked, lost = get("8.1"), {}
    for title in ("SmolLM2", "antiberty", "MiniLM-L6", "rxnmapper", "PP-OCRv4"):
        one = found[title]
        said = ", ".join(f"{one.loss(m):.2f}" for m in (1, one.d**0.5, 0))
        assert f"{title} {said}" in " ".join(asked.statement.split())
        lost[title] = one.lost(one.d**0.5).value
    assert [*lost][ord(asked.kind.right) - ord("a")] == min(lost, key=lost.__getitem__)
