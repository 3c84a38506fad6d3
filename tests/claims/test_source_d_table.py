"""Source D's experiment: the claims on its table, held to the stored runs."""

import numpy as np

from attn_helpers.encoder_settings import EncoderSettings
from attn_helpers.experiments import stored
from attn_helpers.experiments.summary import select
from attn_helpers.reverse_task import make_strings


def accuracies(name: str, **settings: object) -> np.ndarray:
    found = [row["test_accuracy"] for row in select(stored(name), length=20, **settings)]
    return np.array(found)


def test_d23() -> None:
    tokens, targets = make_strings(np.random.default_rng(0), 5, 9, 7)
    for i in range(1, 8):
        np.testing.assert_array_equal(targets[:, (7 - i) + 1 - 1], tokens[:, i - 1])


def test_d24() -> None:
    assert EncoderSettings(vocabulary=100, length=20).parameter_count == 8000


def test_d25() -> None:
    values = accuracies("table1", vocabulary=100, scale=None)
    assert values.size >= 10
    assert 0.012 < values.min() < 0.015 < values.max() < 0.027


def test_d26() -> None:
    values = accuracies("table1", vocabulary=10, scale=None)
    assert values.size >= 10
    assert 0.125 < values.min() < 0.1856 < values.max() < 0.21


def test_d27() -> None:
    values = accuracies("table1", vocabulary=100, scale=5.0)
    assert values.size == 10
    assert (values > 0.95).sum() == 2
    assert (values < 0.02).sum() == 2


def test_d28() -> None:
    values = accuracies("table1", vocabulary=10, scale=6.55)
    assert values.size == 10
    assert (values > 0.95).sum() == 6
    assert (values < 0.2).sum() == 3
    assert values.max() < 1


def test_d29() -> None:
    values = accuracies("scale_sweep", vocabulary=100, scale=None, learning_rate=3e-3)
    assert values.size >= 5
    assert select(stored("scale_sweep"), vocabulary=100)[0]["samples"] == 15_000
    assert values.min() > 0.999


def test_d30() -> None:
    """Same data, same number of epochs: at a tuned rate the searched scale has no lead."""
    for vocabulary in (10, 100):
        rate = {"vocabulary": vocabulary, "learning_rate": 3e-3}
        old = accuracies("scale_sweep", scale=None, **rate)
        new = accuracies("scale_sweep", scale=5.0, **rate)
        assert abs(old.mean() - new.mean()) < 1e-3


def test_d31() -> None:
    """One task, six settings: the table varies the vocabulary, the length and the set's size."""
    from attn_helpers.experiments.table1 import ROWS

    assert len(ROWS) == 6
    assert len({length for _, length, _ in ROWS}) == 2


def test_d32() -> None:
    assert 15_000 / 25_000 == 0.6


def test_d33() -> None:
    """A model of 8000 parameters that is right on nearly all of 10 000 strings it never saw."""
    rows = select(stored("table1"), vocabulary=100, scale=5.0)
    assert max(row["test_accuracy"] for row in rows) > 0.99
    assert rows[0]["test_samples"] == 10_000
    assert 10_000 * rows[0]["samples"] < 100**20


def test_d34() -> None:
    fixed = accuracies("measured_scale", vocabulary=10, rule=None)
    for every in ("epoch", "batch"):
        ruled = accuracies("measured_scale", vocabulary=10, rule="weights", every=every)
        assert ruled.size == 10
        assert 1.5 * np.median(fixed) < np.median(ruled) < 0.5
