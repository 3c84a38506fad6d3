"""The numbers and tables of chapter 6, from runs made by hand whose statistics are known."""

import math
from itertools import product

import pytest

from why_sqrt_d.ch6 import results
from why_sqrt_d.ch6.intervals import next_run, rank_chance
from why_sqrt_d.ch6.table import TableRow
from why_sqrt_d.experiments.summary import summarise


def agrees(found, expected):
    """Compare values that are meant to be all there are."""
    assert set(found) == set(expected)
    for name, value in expected.items():
        if isinstance(value, str):
            assert found[name] == value
        else:
            assert float(found[name]) == pytest.approx(value, rel=1e-9), name


def table_row(accuracies, vocabulary=10, length=20, samples=8_000, scale=None, stated=0.5):
    settings = {"vocabulary": vocabulary, "length": length, "samples": samples, "scale": scale}
    return TableRow(settings, stated, accuracies, summarise(accuracies))


def test_accuracies_and_those_above_95():
    rows = [{"d": d, "test_accuracy": a} for d, a in ((4, 0.95), (8, 0.1), (4, 0.96))]
    assert results.accuracies(rows, d=4) == [0.95, 0.96]
    assert results.learned([0.95, 0.96, 1.0, 0.2]) == 2
    with pytest.raises(KeyError, match="d = 5"):
        results.accuracies(rows, d=5)


def six_rows():
    """The table's first six rows: 100 tokens, strings of 200, and ten tokens."""
    return [
        table_row([0.01, 0.08, 0.03], 100, samples=15_000, stated=0.015),
        table_row([0.97, 0.5, 0.99], 100, samples=15_000, scale=5.0, stated=0.96),
        table_row([0.3], 100, 200),
        table_row([0.9, 0.8], 100, 200, scale=0.16),
        table_row([0.1, 0.3, 0.2, 0.8], stated=0.1856),
        table_row([0.94, 0.99, 0.98, 0.96], scale=6.55, stated=1.0),
    ]


def six_faster():
    settings = [row.settings for row in six_rows()]
    runs = [{**s, "test_accuracy": 0.99 + i / 1000} for i, s in enumerate(settings)]
    return [*runs[::-1], {**table_row([0.5]).settings, "test_accuracy": 0.75}]


def test_puzzle_reads_slow_and_faster_runs():
    expected = {
        "old_10": 35.0,
        "old_100": 4.0,
        "new_10_smallest": 94.0,
        "above_10": 3,
        "seeds": 4,
        "faster_seeds": 7,
        "faster_worst": 75.0,
    }
    agrees(results.puzzle(six_rows(), six_faster()), expected)


def test_paper_strips_are_grouped_by_task():
    groups = results.paper_strips(six_rows(), six_faster())
    assert list(groups) == [
        "100 tokens, 15\u202f000 strings",
        "100 tokens, 8000 strings, 200 long",
        "10 tokens, 8000 strings",
    ]
    old, new = groups["10 tokens, 8000 strings"]
    assert (old.label, old.strong, old.stated, sorted(old.faster)) == (
        "1/√d",
        False,
        0.1856,
        [0.75, 0.994],
    )
    assert (new.label, new.strong, new.accuracies) == ("β = 6.55", True, [0.94, 0.99, 0.98, 0.96])


def test_best_lines_and_luck_take_the_best_of_a_row():
    head, lines = results.best_lines(six_rows())
    assert len(head) == 7
    assert lines == [
        ["100", "15\u202f000", "5", "96", "99.00", "99.00", "82.00"],
        ["10", "8000", "6.55", "100", "99.00", "98.75", "96.75"],
    ]
    expected = {
        "one_run_10": 96.75,
        "best_3_10": 98.75,
        "best_10_old": 80.0,
    }
    agrees(results.luck(six_rows()), expected)
    assert results.best_stated(six_rows())["100 tokens, β = 5"] == 0.96
    assert results.best_curves(six_rows())["10 tokens, 1/√d"][0] == pytest.approx(0.35)


def test_one_heap_tells_inside_from_outside():
    rows = [
        table_row([0.2, 0.3, 0.25, 0.22], stated=0.3),
        table_row([0.2, 0.3, 0.25, 0.22], 1000, samples=50_000, stated=0.9),
        table_row([0.2, 0.3], scale=5.0),
        table_row([0.2, 0.3], length=200),
    ]
    _, lines = results.one_heap(rows)
    assert lines == [
        ["10", "8000", "30", "12.1 to 42.1", "inside"],
        ["1000", "50\u202f000", "90", "12.1 to 42.1", "outside"],
    ]


def test_table_lines_say_what_is_in_a_row():
    rows = [
        table_row([0.97, 0.97], samples=15_000, stated=0.9979),
        table_row([0.5, 0.5, 0.96], vocabulary=100, length=200, scale=0.16, stated=0.6),
    ]
    head, lines = results.table_lines(rows)
    assert len(head) == 7
    assert lines[0] == [
        "10",
        "15\u202f000",
        "1/\u2060√d",
        "99.79",
        "97.0 (97.0 to 97.0)",
        "2 of 2",
        "2 of 2",
    ]
    assert lines[1][:4] == ["100, length 200", "8000", "0.16", "60"]
    assert lines[1][4:] == ["65.3 (50.0 to 96.0)", "1 of 3", "2 of 3"]


def large(samples, scale, accuracies):
    return table_row(accuracies, 1000, samples=samples, scale=scale)


def odd_run(accuracy, **kinds):
    return {"test_accuracy": accuracy, "odd_samples": 5, "length": 4, "odd_accuracy": kinds}


def test_replication_reads_every_other_row():
    rows = [
        table_row([0.1, 0.2, 0.6]),
        table_row([0.96, 0.97], scale=6.55),
        table_row([0.01, 0.03], 100, samples=15_000),
        table_row([0.5, 0.99, 0.2], 100, samples=15_000, scale=5.0),
        table_row([0.014, 0.012, 0.0131], 100, 200, samples=19_300),
        table_row([1.0, 0.02, 0.4], 100, 200, samples=19_300, scale=0.16),
        large(50_000, None, [0.1, 0.2, 0.9]),
        large(50_000, 5.0, [1.0, 0.99, 0.94]),
        large(40_000, None, [0.3, 0.7, 0.2]),
        large(40_000, 5.0, [0.96, 0.2]),
        large(35_000, None, [0.02, 0.04]),
        large(35_000, 5.0, [0.5, 0.6, 0.97, 0.1]),
        large(35_000, 6.0, [0.6, 0.5, 1.0]),
    ]
    odd = [
        odd_run(1, a=1.0, b=0.95),
        odd_run(1, a=1.0, b=1.0),
        odd_run(0.9, a=0.5, b=1.0),
    ]
    low, high = next_run([0.1, 0.2, 0.9], 200_000)
    expected = {
        "table_rows": 13,
        "edge_rows": 6,
        "edge_expected": 8 / 2 + 4 * 2 / 3 + 2 / 5,
        "seeds": 3,
        "old_100_least": 1.0,
        "old_100_most": 3.0,
        "old_10_least": 10.0,
        "old_10_most": 60.0,
        "above_10": 2,
        "new_10_largest": 97.0,
        "above_100": 1,
        "new_100_smallest": 20.0,
        "large_50_low": 100 * low,
        "large_50_high": 100 * high,
        "large_seeds": 3,
        "large_old_50": 40.0,
        "large_old_40_least": 20.0,
        "large_old_40_most": 70.0,
        "large_old_35_least": 2.0,
        "large_old_35_most": 4.0,
        "large_new_40": 1,
        "large_new_35": 1,
        "large_new_35_most": 97.0,
        "long_seeds": 3,
        "long_above": 0,
        "long_lost": 3,
        "long_new_above": 1,
        "long_new_lost": 0,
        "large_new_above": 4,
        "large_new_runs": 9,
        "six_gain": 1.0,
        "six_median": 3.0,
        "six_least": -10.0,
        "six_most": 10.0,
        "odd_runs": 3,
        "odd_perfect": 2,
        "odd_fallible": 1,
        "odd_places": 11,  # of 20 a kind: one and ten
        "odd_tested": "120",
    }
    agrees(results.replication(rows, odd), expected)
    _, lines = results.rank_lines(rows)
    below, above = 2 + 2 + 3 + 2 + 2 + 2, 2 + 1.5 + 1 + 3 + 1 + 2.5 + 2.5
    chances = (
        rank_chance(below, [3, 3, 3, 3, 2, 2]),
        rank_chance(below - 2, [3, 3, 3, 2, 2]),
        rank_chance(above, [2, 3, 3, 3, 2, 4, 3]),
    )
    shown = [f"{100 * chance:.1f} %" for chance in (*chances, chances[2])]
    counts = [["13", "8"], ["11", "6.5"], ["13.5", "10"], ["13.5", "10"]]
    assert [line[1:] for line in lines] == [[*c, s] for c, s in zip(counts, shown, strict=True)]
    lines = results.rank_lines([table_row([0.994, 0.996, 1.0], scale=5.0, stated=1.0)])[1]
    assert [line[1] for line in lines[2:]] == ["0.5", "1"]
    many = [row | {"odd_samples": 250_000} for row in (odd[0], odd[1])]
    assert results.replication(rows, many)["odd_tested"] == "4 million"


def spreading(logits, scores, every=(1.0, 1.0), query=(1.0, 1.0), key=(1.0, 1.0)):
    return {
        "length": 16,
        "logit_std": logits,
        "score_std": scores,
        "score_std_all": every,
        "query_weight_std": query,
        "key_weight_std": key,
    }


def test_start_takes_medians_of_growths():
    old = [
        spreading([0.5, 9, 1.0], [1.0, 7], (1.0, 9, 2.0), (1.0, 9, 2.0), (1.0, 9, 3.0)),
        spreading([0.7, 9, 4.0], [2.0, 7], (2.0, 9, 6.0), (1.0, 9, 1.0), (2.0, 9, 4.0)),
        spreading([0.95, 9, 9.0], [8.0, 7], (2.0, 9, 80.0), (1.0, 9, 1.0), (1.0, 9, 50.0)),
    ]
    new = [spreading([5.0], [3.0]), spreading([5.0], [9.0])]
    faster = [
        spreading([1.0, 5.0], [1.0], (2.0, 8.0), (1.0, 5.0), (1.0, 1.0)),
        spreading([1.0, 7.0], [1.0], (2.0, 10.0), (1.0, 7.0), (1.0, 1.0)),
        spreading([1.0, 15.0], [1.0], (2.0, 60.0), (1.0, 30.0), (1.0, 1.0)),
    ]
    expected = {
        "start_old": 0.7,
        "end_old": 4.0,
        "learned_end": 7.0,
        "learned_runs": 3,
        "learned_grow": 5.0,
        "learned_weights": 7.0,
        "too_small": 4 / 3,
        "score_start": 3.0,  # of 1, 2, 8, 3 and 9
        "scores_grow": 3.0,
        "weights_grow": 6.0,
    }
    agrees(results.start(old, new, faster), expected)


def place_rows():
    """Return accuracies of a factor in each place: three seeds for either vocabulary."""
    found = {
        10: {
            (None, 1.0, 1.0): [0.1, 0.2, 0.6],
            (None, 5.412254, 1.0): [0.3, 0.4, 0.8],
            (None, 1.0, 5.412254): [0.9, 0.7, 0.6],
            (None, 5.412254, 5.412254): [1.0, 0.9, 0.5],
            (6.55, 1.0, 1.0): [0.98, 0.95, 0.51],
        },
        100: {
            (None, 1.0, 1.0): [0.01, 0.02, 0.06],
            (None, 4.728708, 1.0): [0.03, 0.07, 0.04],
            (None, 1.0, 4.728708): [0.5, 0.6, 1.0],
            (None, 4.728708, 4.728708): [0.6, 0.7, 0.9],
            (5.0, 1.0, 1.0): [0.6, 0.8, 0.9],
        },
    }
    return [
        {
            "vocabulary": tokens,
            "scale": scale,
            "query_key_gain": gain,
            "query_key_rate": rate,
            "test_accuracy": accuracy,
        }
        for tokens, places in found.items()
        for (scale, gain, rate), seeds in places.items()
        for accuracy in seeds
    ]


def other_rows():
    found = {
        (10, 0.184765903): [0.3, 0.4, 0.8],
        (10, 1.0): [0.9, 0.95, 1.0],
        (100, 0.211474255): [0.1, 0.2, 0.6],
        (100, 1.0): [0.7, 0.8, 0.9],
    }
    return [
        {"vocabulary": tokens, "scale": None, "query_key_rate": rate, "test_accuracy": accuracy}
        for (tokens, rate), seeds in found.items()
        for accuracy in seeds
    ]


def test_where_compares_places():
    expected = {
        "place_same": 10.0,
        "place_plain_100": 3.0,
        "place_start_100": 14 / 3,
        "place_start_best": 7.0,
        "place_rest_10": 50.0,
        "place_rest_100": 30.0,
        "place_all_least": 70.0,
        "place_all_runs": 6,
        "place_beta_stuck_10": 1,
        "place_beta_stuck_100": 0,
        "place_rate_stuck": 1,  # not above 0.6
    }
    agrees(results.where(place_rows(), other_rows()), expected)


def test_place_strips_name_the_factor():
    strips = results.place_strips(place_rows(), other_rows())
    assert [strip.label for strip in strips["100 tokens"]] == [
        "1/√d",
        "start × 4.73",
        "rate × 4.73",
        "others × 4.73",
        "all × 4.73",
        "both",
        "β = 5",
    ]
    assert [strip.strong for strip in strips["10 tokens"]] == [False] * 6 + [True]
    assert strips["10 tokens"][2].accuracies == [0.9, 0.7, 0.6]


def test_first_logits_are_those_of_ten_tokens_before_training():
    rows = [
        {"vocabulary": tokens, "scale": scale, "logit_std": [first + 5 * (tokens == 100), 99.0]}
        for tokens in (10, 100)
        for scale, several in ((None, (0.1, 0.2, 0.9)), (6.55, (3.0, 4.0, 8.0)))
        for first in several
    ]
    expected = {"first_old": 0.2, "first_new": 4.0, "first_critical": math.sqrt(2 * math.log(20))}
    agrees(results.first_logits(rows), expected)


def test_the_commonest_token_of_a_short_string():
    """In strings of two one of the two places at least is right, and both in one of V."""
    found = results.commonest(strings=40_000, length=2)
    assert found == pytest.approx({"commonest_10": 55.0, "commonest_100": 50.5}, rel=0.005)


def test_measured_tells_rules_vocabularies_and_times_apart():
    level = {None: 0.1, "weights": 0.2, "scores": 0.3, "search": 0.4}
    rows = [
        {
            "rule": rule,
            "vocabulary": vocabulary,
            "every": every,
            "test_accuracy": level[rule]
            + (vocabulary == 100) / 20
            + seed * (every == "batch") / 5
            # One seed apart from the others: the mean is not the median.
            + (seed == 2) / 10,
            "logit_std": [9.0, vocabulary + seed + (0 if rule == "weights" else 50)],
        }
        for rule, vocabulary, every in product(level, (10, 100), ("epoch", "batch"))
        for seed in range(3)
    ]
    expected = {
        "rule_seeds": 3,
        "rule_fixed": 10.0,
        "rule_weights": 20.0,
        "rule_scores": 30.0,
        "rule_search": 40.0,
        "rule_factor": 6.55 * 20**0.5,
        "rule_spread_least": 10.0,
        "rule_spread_most": 12.0,
        "rule_search_above_90": 0,
        "rule_search_100": 45.0,
    }
    agrees(results.measured(rows), expected)
    _, lines = results.rule_lines(rows)
    assert lines[0] == ["fixed 1/√d", "10.0 (10.0 to 20.0)", "15.0 (15.0 to 25.0)"]
    assert lines[2] == [
        "from W_q and W_k, every batch",
        "40.0 (20.0 to 70.0)",
        "45.0 (25.0 to 75.0)",
    ]
    assert len(lines) == 6


def sweep_rows():
    """Return accuracies at β = 1/2, 5 and 20, which the larger rate makes high: two seeds."""
    high = {
        (10, 5e-4): {0.5: (0.2, 0.9), 5.0: (0.6, 0.6), 20.0: (0.1, 0.1), None: (0.3, 0.3)},
        (100, 5e-4): {0.5: (0.1, 0.1), 5.0: (0.02, 0.2), 20.0: (0.3, 0.3), None: (0.3, 0.3)},
        (10, 3e-3): {0.5: (1.0, 1.0), 5.0: (1.0, 1.0), 20.0: (1.0, 0.98), None: (1, 0.999)},
        (100, 3e-3): {0.5: (1.0, 0.99), 5.0: (1.0, 0.991), 20.0: (1.0, 1.0), None: (1, 1)},
    }
    return [
        {"vocabulary": v, "learning_rate": rate, "scale": scale, "seed": i, "test_accuracy": a}
        for (v, rate), by_scale in high.items()
        for scale, seeds in by_scale.items()
        for i, a in enumerate(seeds)
    ][::-1]


def test_by_scale_ascends_and_leaves_the_textbook_out():
    found = results.by_scale(sweep_rows(), 100, 5e-4)
    assert found == {0.5: [0.1, 0.1], 5.0: [0.2, 0.02], 20.0: [0.3, 0.3]}
    assert list(found) == [0.5, 5.0, 20.0]


def long_run(rate, scale, seed, epoch, accuracy):
    """Return a run of long strings that has learned its task in that epoch."""
    return {
        "vocabulary": 100,
        "length": 200,
        "learning_rate": rate,
        "scale": scale,
        "seed": seed,
        "test_accuracy": accuracy,
        "train_accuracy": [0.95] * epoch + [0.96, 0.1],
    }


def faster_rows():
    large = [
        {"vocabulary": 1000, "length": 20, "learning_rate": r, "scale": s, "test_accuracy": a}
        for r, s, a in (
            (1e-3, None, 1.0),
            (1e-2, None, 0.98),
            (1e-3, 6.0, 0.5),
            (1e-2, 6.0, 0.97),
            (1e-2, 6.0, 0.99),
        )
    ]
    return [
        *large,
        long_run(1e-3, None, 0, 5, 0.9),
        long_run(1e-3, None, 1, 6, 1.0),
        long_run(3e-3, None, 0, 2, 1.0),
        long_run(3e-3, None, 1, 2, 1.0),
        long_run(1e-3, 0.16, 0, 3, 0.5),
        long_run(1e-3, 0.16, 1, 6, 1.0),
        long_run(3e-3, 0.16, 0, 4, 1.0),
        long_run(3e-3, 0.16, 1, 1, 1.0),
        long_run(1e-2, None, 0, 1, 0.02),
        long_run(1e-2, 0.16, 2, 1, 0.03),
    ]


def test_rate_reads_the_sweep():
    expected = {
        "fast_runs": 4,
        "fast_perfect": 3,
        "wide_10_low": 0.5,
        "wide_10_high": 5.0,
        "wide_low": 5.0,
        "wide_high": 20.0,
        "plateau_least": 11.0,  # at 5, the only β from 2 to 7
        "plateau_most": 11.0,
        "best_slow_10": 5.0,  # by the median; 0.55 is less than 0.6
    }
    agrees(results.rate(sweep_rows()), expected)


def test_plateau_is_the_median_of_the_second_row():
    agrees(results.plateau(six_rows()), {"plateau_ten": 97.0})


def test_rates_read_the_faster_runs():
    expected = {
        "long_pairs": 4,
        "long_sooner": 2,
        "long_later": 1,
        "long_latest": 2,
        "long_tuned_runs": 8,
        "long_tuned_perfect": 6,
        "long_twice": 90.0,
        "long_fast_runs": 2,
        "long_fast_most": 3.0,
        "faster_runs": 2,
        "faster_least": 98.0,
        "six_fast_least": 97.0,
    }
    agrees(results.rates(faster_rows()), expected)


def test_rate_lines_have_a_mean_and_its_seeds_for_each_rate():
    settings = {"vocabulary": 10, "length": 20, "samples": 8_000, "scale": None}
    runs = [
        {**settings, "learning_rate": rate, "test_accuracy": accuracy}
        for rate, accuracy in ((5e-4, 0.1), (5e-4, 0.3), (1e-3, 0.5), (3e-3, 0.9), (1e-2, 1.0))
    ]
    _, lines = results.rate_lines([table_row([0.1])], runs[:2], runs[2:])
    assert lines == [["10", "8000", "1/\u2060√d", "20.0 (2)", "50.0 (1)", "90.0 (1)", "100.0 (1)"]]


def test_a_run_that_never_learns_has_no_first_epoch():
    assert results.first_learned({"train_accuracy": [0.2, 0.95, 0.951, 0.1]}) == 2
    with pytest.raises(ValueError, match=r"never gets above 95%: \[0\.2, 0\.9\]"):
        results.first_learned({"train_accuracy": [0.2, 0.9]})


def size_run(tokens, scale, samples, epochs, accuracy, trained=1.0):
    return {
        "vocabulary": tokens,
        "scale": scale,
        "samples": samples,
        "epochs": epochs,
        "test_accuracy": accuracy,
        "train_accuracy": [0.1, trained],
    }


def size_rows():
    """Three sizes, of ten epochs and of 3000 steps; two seeds unless more are listed."""
    seeds = {
        (10, None, 512, 3000): [0.5],
        (10, None, 128, 3000): [0.7, 0.6, 0.9],
        (100, None, 128, 3000): [0.99, 0.98],
        (100, 5.0, 128, 3000): [0.01, 0.02, 0.03, 1.0],
        (100, 5.0, 512, 750): [0.5, 0.029, 0.01],
        (100, None, 25_000, 10): [0.2, 0.4, 0.9],
    }
    rows = []
    for tokens, searched in ((10, 6.55), (100, 5.0)):
        for scale, (samples, steps) in product(
            (None, searched), ((128, 3000), (512, 750), (25_000, 15))
        ):
            for epochs in (10, steps):
                found = seeds.get((tokens, scale, samples, epochs), [0.1, 0.2])
                rows += [
                    size_run(tokens, scale, samples, epochs, accuracy, trained)
                    for accuracy, trained in zip(found, (0.4, 0.6, 0.7, 1.0), strict=False)
                ]
    return rows[::-1]


def test_by_size_ascends_and_tells_epochs_from_steps():
    assert results.by_size(size_rows(), 100, None, whole=True) == [
        [0.2, 0.1],
        [0.2, 0.1],
        [0.9, 0.4, 0.2],
    ]
    found = results.by_size(size_rows(), 100, 5.0, whole=False)
    assert found == [[1.0, 0.03, 0.02, 0.01], [0.01, 0.029, 0.5], [0.2, 0.1]]


def test_data_counts_who_learned_by_heart():
    low, high = next_run([0.2, 0.4, 0.9], 200_000)
    expected = {
        "size_seeds": 4,
        "size_seeds_least": 2,
        "size_128_runs": 3,
        "size_128": 60.0,
        "size_128_tokens_100": 98.0,
        "size_128_tokens_100_runs": 2,
        "by_heart": 2,
        "by_heart_of": 4,
        "by_heart_least": 40.0,
        "by_heart_most": 60.0,
        "by_heart_test": 2.0,
        "lost_512": 2,
        "lost_512_of": 3,
        "old_25": 50.0,
        "old_25_low": 100 * low,
        "old_25_high": 100 * high,
        "old_25_seeds": 3,
    }
    agrees(results.data(size_rows()), expected)


PROCEDURE = {
    "steps": [1, 3, 3, 3, 4],
    "samples": [1000, 16_000, 16_000, 16_000, 24_000],
    "scales": [None, 0.1, 100.0, 31.622777, 31.622777],
    "accuracies": [0.12345, 0.2, 0.9, 0.95, 1.0],
}


def test_procedure_lines_are_the_trainings():
    head, lines = results.procedure_lines(PROCEDURE)
    assert head == ["step", "strings", "β", "right %"]
    assert lines[0] == ["1", "1000", "1/√d", "12.3"]
    assert lines[-1] == ["4", "24\u202f000", "31.6", "100.0"]
    with pytest.raises(ValueError, match=r"longer|shorter"):
        results.procedure_lines(PROCEDURE | {"scales": [1.0]})


def fair(*values):
    names = ("vocabulary", "searched", "chosen", "validation_accuracy", "test_accuracy")
    return dict(zip(names, values, strict=True))


def test_search_counts_choices_and_falls():
    procedures = [
        {
            "new_accuracy": new,
            "old_accuracy": old,
            "new_start_accuracy": again,
            "chosen_samples": samples,
        }
        for new, old, again, samples in (
            (1.0, 0.1, 0.3, 8000),
            (0.9, 0.2, 0.99, 12_000),
            (0.98, 0.6, 0.8, 16_000),
        )
    ]
    searched = [
        fair(10, "scale", 10.04, 1.0, 1.0),
        fair(10, "scale", 3.16, 0.99, 0.47),
        fair(10, "scale", 9.96, 0.5, 0.45),
        fair(10, "scale", 1.78, 0.3, 0.2),
        fair(10, "scale", 1.78, 0.6, 0.3),
        fair(10, "scale", 3.16, 0.97, 0.96),
        fair(10, "scale", 56.2, 0.999, 0.999),
        fair(10, "rate", 10.0, 1.0, 0.99),
        fair(10, "rate", 3.0, 1.0, 1.0),
        fair(10, "rate", 4.0, 1.0, 1.0),
        fair(100, "scale", 5.0, 0.995, 0.019),
        fair(100, "scale", 5.0, 0.98, 0.01),
        fair(100, "scale", 5.0, 1.0, 0.96),
        fair(100, "scale", 5.0, 1.0, 0.021),
        fair(100, "scale", 5.0, 0.999, 0.015),
        fair(100, "rate", 5.0, 0.9, 0.7),
        fair(100, "rate", 5.0, 0.9, 0.8),
    ]
    expected = {
        "procedure_new": 98.0,
        "procedure_old": 20.0,
        "procedure_again": 80.0,
        "procedure_again_least": 30.0,
        "fair_scale": 47.0,
        "fair_scale_least": 20.0,
        "fair_100": 1.9,
        "fair_100_least": 1.0,
        "fair_100_most": 96.0,
        "fair_100_above": 1,
        "fair_100_fell": 2,
        "fair_100_rate": 70.0,
        "fair_rate_least": 99.0,
        "fair_seeds": 3,
        "more_strings": 2,
        "stuck": 60.0,
        "stuck_again": 45.0,
        "fair_rate": 0.002,
        "fair_chosen": "10 (2 times), 3.2 (2 times), 1.8 (2 times), 56 (once)",
        "fell_from": 99.0,
        "fell_to": 47.0,
    }
    agrees(results.search(procedures, searched), expected)
    strips = results.fair_strips(procedures, searched)
    assert [strip.accuracies for strip in strips["the five steps, 10 tokens"]] == [
        [1.0, 0.9, 0.98],
        [0.1, 0.2, 0.6],
    ]
    assert strips["one search each, 100 tokens"][1].accuracies == [0.7, 0.8]
    assert strips["one search each, 10 tokens"][0].strong
    agrees(
        results.fair(searched),
        {"fair_scale": 47.0, "fair_scale_least": 20.0, "fair_rate_least": 99.0},
    )
