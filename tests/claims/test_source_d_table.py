"""Source D's experiment: the claims on its table, held to the stored runs."""

import numpy as np
import pytest

from why_sqrt_d.ch6.intervals import mean_interval, next_run
from why_sqrt_d.ch6.table import PAPER
from why_sqrt_d.encoder.model import EncoderSettings
from why_sqrt_d.encoder.task import make_strings
from why_sqrt_d.experiments import stored
from why_sqrt_d.experiments.definition import all_experiments
from why_sqrt_d.experiments.summary import select


def accuracies(name: str, length: int = 20, **settings: object) -> np.ndarray:
    found = [row["test_accuracy"] for row in select(stored(name), length=length, **settings)]
    return np.array(found)


def one_more(values: np.ndarray) -> tuple[float, float]:
    """Where one more run with strings of 20 ends in 95 cases of 100, in per cent."""
    assert values.size == 10
    low, high = next_run(values, 10_000 * 20)
    return 100 * low, 100 * high


def tuned_long() -> np.ndarray:
    """With strings of 200 and 1/√d, at two and at six times the tutorial's rate."""
    rates = [accuracies("table1_rates", 200, scale=None, learning_rate=r) for r in (1e-3, 3e-3)]
    assert min(map(len, rates)) >= 5
    return np.concatenate(rates)


def test_d23() -> None:
    tokens, targets = make_strings(np.random.default_rng(0), 5, 9, 7)
    for i in range(1, 8):
        np.testing.assert_array_equal(targets[:, (7 - i) + 1 - 1], tokens[:, i - 1])


def test_d24() -> None:
    assert EncoderSettings(vocabulary=100, length=20).parameter_count == 8000


def test_d25() -> None:
    values = accuracies("table1", vocabulary=100, scale=None)
    assert 0.012 < values.min() < 0.015 < values.max() < 0.027
    assert one_more(values) == pytest.approx((1.1, 3.65), abs=0.05)


def test_d26() -> None:
    values = accuracies("table1", vocabulary=10, scale=None)
    assert 0.125 < values.min() < 0.1856 < values.max() < 0.21
    assert one_more(values) == pytest.approx((11.4, 23.5), abs=0.05)


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
    assert round(values.max(), 3) == 0.997


def test_d29() -> None:
    values = accuracies("scale_sweep", vocabulary=100, scale=None, learning_rate=3e-3)
    assert values.size >= 5
    assert select(stored("scale_sweep"), vocabulary=100)[0]["samples"] == 15_000
    assert values.min() > 0.999
    slow = accuracies("set_sizes", vocabulary=100, samples=25_000, scale=None, epochs=10)
    assert slow.size == 5
    assert round(slow.mean(), 2) == 0.43
    assert mean_interval(slow) == pytest.approx((0.275, 0.592), abs=5e-4)


def test_d30() -> None:
    """Same data, same number of epochs: at a tuned rate the searched scale has no lead."""
    for vocabulary in (10, 100):
        rate = {"vocabulary": vocabulary, "learning_rate": 3e-3}
        old = accuracies("scale_sweep", scale=None, **rate)
        new = accuracies("scale_sweep", scale=5.0, **rate)
        assert abs(old.mean() - new.mean()) < 1e-3
    rows = [row for row in stored("table1_rates") if row["vocabulary"] == 1000]
    old_large = [row["test_accuracy"] for row in select(rows, scale=None)]
    assert len(old_large) == 27
    assert min(old_large) > 0.9999
    assert (tuned_long() == 1).all()
    few = {"vocabulary": 100, "samples": 128, "epochs": 3000}
    assert accuracies("set_sizes", scale=None, **few).min() > 0.98
    searched = accuracies("set_sizes", scale=5.0, **few)
    assert searched.size == 10
    assert (searched < 0.03).sum() == 8


def test_d31() -> None:
    """One task, six settings: the table varies the vocabulary, the length and the set's size."""
    assert len({row[:3] for row in PAPER}) == 6
    assert len({length for _, length, *_ in PAPER}) == 2


def test_d32() -> None:
    assert 15_000 / 25_000 == 0.6
    slow = accuracies("set_sizes", vocabulary=100, samples=25_000, scale=None, epochs=10)
    assert slow.size == 5
    assert round(slow.mean(), 2) == 0.43
    assert mean_interval(slow) == pytest.approx((0.275, 0.592), abs=5e-4)


def test_d33() -> None:
    """A model of 8000 parameters that is right on nearly all of 10 000 strings it never saw."""
    rows = select(stored("table1"), vocabulary=100, scale=5.0)
    assert max(row["test_accuracy"] for row in rows) > 0.99
    assert rows[0]["test_samples"] == 10_000
    assert 10_000 * rows[0]["samples"] < 100**20
    few = select(stored("set_sizes"), vocabulary=100, samples=128, epochs=3000, scale=5.0)
    by_heart = [row for row in few if row["test_accuracy"] < 0.03]
    assert min(row["train_accuracy"][-1] for row in by_heart) > 0.38


def test_d34() -> None:
    fixed = accuracies("measured_scale", vocabulary=10, rule=None)
    for every in ("epoch", "batch"):
        ruled = accuracies("measured_scale", vocabulary=10, rule="weights", every=every)
        assert ruled.size == 10
        assert 1.5 * np.median(fixed) < np.median(ruled) < 0.5
    rows = select(stored("measured_scale"), vocabulary=10, rule="weights", every="epoch")
    ends = [row["logit_std"][-1] for row in rows]
    assert 1.0 < min(ends) < max(ends) < 1.55


def test_d38() -> None:
    """Median growth of the spread of scores and of σ(W_q) σ(W_k), in failing and learning runs."""
    failing = select(stored("table1"), vocabulary=10, scale=None)
    learning = select(stored("table1_rates"), vocabulary=10, scale=None, learning_rate=3e-3)
    assert max(row["test_accuracy"] for row in failing) < 0.25
    assert min(row["test_accuracy"] for row in learning) > 0.999
    for rows, scores, weights in ((failing, 2.9, 1.4), (learning, 18, 6)):
        found = np.array([_growths(row) for row in rows])
        np.testing.assert_allclose(np.median(found, axis=0), (scores, weights), rtol=0.05)


def _growths(row: dict) -> tuple[float, float]:
    scores, query, key = (
        np.array(row[name]) for name in ("score_std_all", "query_weight_std", "key_weight_std")
    )
    return scores[-1] / scores[0], query[-1] * key[-1] / (query[0] * key[0])


def test_d39() -> None:
    starts = [row["logit_std"][0] for row in select(stored("table1"), vocabulary=10, scale=None)]
    assert len(starts) >= 10
    assert 0.09 < min(starts) < max(starts) < 0.21
    learning = select(stored("table1_rates"), vocabulary=10, scale=None, learning_rate=3e-3)
    assert all(2.8 < row["logit_std"][-1] < 3.2 for row in learning)


def test_d40() -> None:
    """Nothing to compute: the claim is a "could", and no experiment here has a recurrent model."""
    assert not any("recurrent" in one.purpose for one in all_experiments().values())


def test_d41() -> None:
    rows = stored("odd_strings")
    assert len(rows) == 20
    assert {row["learning_rate"] for row in rows} == {3e-3}
    assert {row["test_samples"] for row in rows} == {10_000}
    assert all(row["test_accuracy"] == 1 for row in rows)


def test_d42() -> None:
    rows = stored("odd_strings")
    perfect = [row for row in rows if row["test_accuracy"] == 1]
    fallible = [row["odd_accuracy"] for row in perfect if min(row["odd_accuracy"].values()) < 1]
    assert (len(perfect), len(fallible)) == (20, 2)
    places = rows[0]["odd_samples"] * rows[0]["length"]
    assert places * sum(len(row["odd_accuracy"]) for row in rows) == 4_000_000
    wrong = places * sum(1 - x for odd in fallible for x in odd.values())
    assert round(wrong, 6) == 3


def test_d43() -> None:
    values = accuracies("table1", vocabulary=1000, samples=50_000, scale=None)
    assert 0.815 < values.min() < values.max() < 1
    low, _ = one_more(values)
    assert 43 < low < 44


def test_d44() -> None:
    """One number for two tasks, whose seeds lie far apart here."""
    small = accuracies("table1", vocabulary=10, scale=None)
    large = accuracies("table1", vocabulary=1000, samples=50_000, scale=None)
    assert [row[:4] for row in PAPER if row[-1] == 0.1856] == [
        (10, 20, 8_000, None),
        (1000, 20, 50_000, None),
    ]
    assert large.min() > 3 * small.max()


def test_d45() -> None:
    values = accuracies("table1", vocabulary=1000, samples=40_000, scale=None)
    assert values.size == 10
    assert 0.1068 < values.min() < 0.1075
    assert sorted(values)[1] > 0.11
    assert round(values.mean(), 2) == 0.36
    assert round(values.max(), 2) == 0.66
    assert one_more(values) == pytest.approx((4.54, 83.9), abs=0.05)


def test_d46() -> None:
    values = accuracies("table1", vocabulary=1000, samples=35_000, scale=None)
    assert values.size == 10
    assert 0.03 < values.min() < 0.0552 < values.max() < 0.225
    assert one_more(values) == pytest.approx((1.56, 41.5), abs=0.05)


def test_d47() -> None:
    values = accuracies("table1", vocabulary=1000, samples=50_000, scale=5.0)
    assert values.size == 10
    assert values.min() > 0.99
    assert np.median(values) > 0.9999


def test_d48() -> None:
    values = accuracies("table1", vocabulary=1000, samples=40_000, scale=5.0)
    assert values.size == 10
    assert 0.83 < values.min() < np.median(values) < 0.9979
    assert (values >= 0.9979).sum() == 3


def test_d49() -> None:
    values = accuracies("table1", vocabulary=1000, samples=35_000, scale=5.0)
    assert values.size == 10
    assert (values > 0.95).sum() == 6
    assert round(values.min(), 2) == 0.36
    assert round(values.max(), 3) == 0.999
    assert sorted(values)[-2] < 0.9953 < values.max()


def test_d50() -> None:
    five, six = (
        accuracies("table1", vocabulary=1000, samples=35_000, scale=scale) for scale in (5.0, 6.0)
    )
    gains = six - five  # the same seeds, in order
    assert gains.size == 10
    assert round(gains.min(), 2) == -0.37
    assert round(gains.max(), 2) == 0.06


def test_d51() -> None:
    values = accuracies("table1", vocabulary=1000, samples=35_000, scale=6.0)
    assert values.size == 10
    assert (values > 0.95).sum() == 5
    assert round(values.min(), 2) == 0.26
    assert round(values.max(), 3) == 0.998


def test_d52() -> None:
    for vocabulary, least in ((10, 0.998), (100, 0.98)):
        settings = {"vocabulary": vocabulary, "samples": 128, "scale": None, "epochs": 3000}
        values = accuracies("set_sizes", **settings)
        assert values.size >= 5
        assert values.min() > least


def test_d53() -> None:
    rows = select(stored("fair_search"), vocabulary=10, searched="scale")
    assert len(rows) == 10
    good = sorted(round(row["chosen"], 1) for row in rows if row["validation_accuracy"] > 0.8)
    assert good == [5.6] * 5 + [10.0] * 2
    poor = sorted(round(row["chosen"], 1) for row in rows if row["validation_accuracy"] < 0.5)
    assert poor == [1.0, 1.0, 1.8]


def test_d54() -> None:
    values = accuracies("table1", 200, scale=None)
    assert sorted(100 * values.round(2)) == [31, 97, 100]
    low, high = next_run(values, 10_000 * 200)
    assert low < 1e-4 < 0.9999 < high  # three runs exclude nothing
    assert (tuned_long() == 1).all()
    assert (accuracies("table1_rates", 200, learning_rate=1e-2) < 0.0105).all()


def test_d55() -> None:
    values = accuracies("table1", length=200, scale=0.16)
    assert sorted(100 * values.round(3)) == [1.0, 99.8, 100.0]


def test_with_1000_tokens_the_searched_scale_is_ahead_in_every_seed_at_the_low_rate() -> None:
    for samples in (50_000, 40_000, 35_000):
        old, new = (
            accuracies("table1", vocabulary=1000, samples=samples, scale=scale)
            for scale in (None, 5.0)
        )
        assert old.size == new.size == 10
        assert (new > old).all()


def learned(row: dict) -> int:
    """The first epoch that gets more than 95 % of its training right."""
    return int(np.argmax(np.array(row["train_accuracy"]) > 0.95))


def test_at_a_tuned_rate_it_takes_off_two_epochs_sooner_at_most() -> None:
    rows = [row for row in stored("table1_rates") if row["length"] == 20]
    runs: dict[tuple, dict] = {}
    for row in rows:
        least = 1e-3 if row["vocabulary"] == 1000 else 3e-3
        if row["learning_rate"] >= least and row["test_accuracy"] > 0.5:
            key = tuple(row[k] for k in ("vocabulary", "samples", "learning_rate", "seed"))
            runs.setdefault(key, {})[row["scale"]] = learned(row)
    sooner = [
        found[None] - epochs
        for found in runs.values()
        for scale, epochs in found.items()
        if scale is not None
    ]
    assert len(sooner) == 10 + 10 + 3 * 3 * 3 + 3 * 3 - 1  # one run with β = 6 stays at chance
    assert max(sooner) == 2
    assert min(sooner) >= -1


def test_with_strings_of_200_no_scale_is_ahead_at_a_higher_rate() -> None:
    for scale in (None, 0.16):
        rows = select(stored("table1_rates"), length=200, scale=scale)
        seeds = {row["seed"] for row in rows}
        assert len(seeds) >= 5
        for rate in (1e-3, 3e-3, 1e-2):
            found = accuracies("table1_rates", 200, scale=scale, learning_rate=rate)
            assert len(found) == len(seeds)
            assert (found == 1).all() if rate < 1e-2 else (found < 0.0105).all()


def test_with_strings_of_200_it_learns_an_epoch_sooner_or_up_to_three_later() -> None:
    rows = select(stored("table1_rates"), length=200)
    epochs = {(row["learning_rate"], row["seed"], row["scale"]): learned(row) for row in rows}
    sooner = [
        epochs[rate, seed, None] - epochs[rate, seed, 0.16]
        for rate in (1e-3, 3e-3)
        for seed in range(5)
    ]
    assert max(sooner) == 1
    assert min(sooner) == -3


def test_at_six_times_the_rate_every_scale_over_two_decades_will_do() -> None:
    scales = sorted({row["scale"] for row in stored("scale_sweep")} - {None})
    between = [scale for scale in scales if 0.1 <= scale <= 15]
    assert (between[0], between[-1]) == (0.1, 15)
    for vocabulary in (10, 100):
        setting = {"vocabulary": vocabulary, "learning_rate": 3e-3}
        for scale in between:
            values = accuracies("scale_sweep", scale=scale, **setting)
            assert values.size == 5
            assert values.min() > 0.99


def test_at_six_times_the_rate_the_five_seeds_part_as_the_scale_grows() -> None:
    apart = {}
    for scale in (0.05, 0.2, 0.5, 1.0, 2.0, 3.5, 5.0, 10.0, 20.0):
        found = {"vocabulary": 100, "learning_rate": 3e-3, "scale": scale}
        epochs = [
            int(np.argmax(np.array(row["train_accuracy"]) > 0.5))
            for row in select(stored("scale_sweep"), **found)
        ]
        assert len(epochs) == 5
        apart[scale] = max(epochs) - min(epochs)
    assert max(apart[scale] for scale in apart if scale <= 5) == 1
    assert [apart[10.0], apart[20.0]] == [2, 4]
