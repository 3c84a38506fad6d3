"""What the first page and chapter 5 say of the language model, from the stored lines."""

import json
from collections import Counter, defaultdict
from itertools import pairwise
from math import log
from statistics import fmean, median

import numpy as np
import pytest
from stored_outputs import numbers_of

from research.ch5 import language_runs, start_and_speed
from research.ch5.language_model import read_text
from why_sqrt_d import DATA
from why_sqrt_d.ch5 import language_curves

SIX = {"1/√d", "none", "1/d", "start only", "speed only", "both"}
BY_SEED: dict[int, dict[tuple[str, float], dict]] = defaultdict(dict)


def lines(name: str) -> list[dict]:
    rows = map(json.loads, (DATA / f"{name}.jsonl").read_text("utf-8").splitlines())
    return [row["settings"] | row["results"] for row in rows]


for row in lines("language_rates"):
    if row["start"] == "textbook" and row["arm"] in SIX:
        BY_SEED[row["seed"]][row["arm"], row["rate"]] = row
WHOLE = [runs for runs in BY_SEED.values() if len(runs) == 42]  # six arms at seven rates
RUNS = {key: [runs[key] for runs in WHOLE] for key in WHOLE[0]}


def loss(arm: str, rate: float) -> float:
    return fmean(run["validation"] for run in RUNS[arm, rate])


def least(arm: str) -> float:
    return min(loss(*key) for key in RUNS if key[0] == arm)


def test_the_first_page_says_what_page_5a_finds_from_new_seeds() -> None:
    found, deeper = numbers_of("index"), numbers_of("5a-a-language-model")
    for arm in ("none", "start", "speed"):
        assert found[f"{arm}_test"] - found["root_test"] == pytest.approx(deeper[f"{arm}_more"])
    assert found["root_test"] == pytest.approx(deeper["root_test"])
    assert found["new_seeds"] == deeper["new_seeds"]
    even: dict[float, list[dict]] = {}
    for row in lines("language_rates"):
        if row["arm"] == "even":
            even.setdefault(row["rate"], []).append(row)
    best = min(even.values(), key=lambda runs: fmean(run["validation"] for run in runs))
    mean = fmean(run["test"] for run in best)
    assert (found["even_seeds"], found["even_test"]) == (len(best), pytest.approx(mean))


def test_chapter_5_says_what_the_lines_hold() -> None:
    found = numbers_of("05-start-and-speed")
    # What it says of Figure 5.3: at a small rate the start is enough, at a large one nothing is.
    for rate, enough in ((0.001, True), (0.008, False)):
        none, start, speed, root = (
            loss(x, rate) for x in ("none", "start only", "speed only", "1/√d")
        )
        assert (start < root + 0.02) == enough
        assert (abs(speed - none) < 0.02) == enough
        assert none - root > 4 * (none - speed)
    ends = [run["log"][-1]["spread"][1] for run in RUNS["start only", 0.008]]
    assert found["runaway_end"] == pytest.approx(median(ends), rel=0.05)
    for name, arm in {"root": "1/√d", "inverse": "1/d"}.items():
        good = [key[1] for key in RUNS if key[0] == arm and loss(*key) <= least(arm) + 0.05]
        assert found[f"{name}_good_high"] == max(good)


def test_how_late_a_model_is_stands_in_the_raw_lines() -> None:
    ends = {(r["arm"], r["seed"]): r for r in lines("language_chosen") if r["start"] == "textbook"}
    steps = defaultdict(list)
    for (arm, seed), run in ends.items():
        means = ends["1/√d", seed]["losses"]
        assert len(means) == 20  # of 50 steps each
        low = (i for i, x in enumerate(means, 1) if x <= run["losses"][-1])
        steps[arm].append(50 * next(low, 21))
    chapter = numbers_of("05-start-and-speed")
    assert max(steps["1/d"]) == 1050 == max(language_curves.steps_to_match("1/d"))
    assert (chapter["late_low"], chapter["late_high"]) == (min(steps["none"]), max(steps["none"]))
    for arm in ("none", "start only"):
        assert sorted(language_curves.steps_to_match(arm)) == sorted(steps[arm])


def test_longer_trainings_stand_in_the_raw_lines() -> None:
    chapter, front = numbers_of("05-start-and-speed"), numbers_of("index")
    longer: dict[tuple[str, str, int], list[dict]] = defaultdict(list)
    for run in lines("training_lengths"):
        longer[run["task"], run["arm"], run["steps"]].append(run)

    def at_best(arm: str, steps: int) -> list[dict]:
        """The runs of plain text at the rate at which seed 0 reads validation text best."""
        runs = longer["text", arm, steps]
        first = min((r for r in runs if r["seed"] == 0), key=lambda r: r["validation"])
        return [run for run in runs if run["rate"] == first["rate"]]

    for steps in (500, 2000, 4000, 8000, 16000):
        behind: dict[str, list[float]] = {"test": [], "train": []}
        for arm in ("none", "1/√d"):
            runs = at_best(arm, steps)
            behind["test"].append(fmean(run["test"] for run in runs))
            behind["train"].append(fmean(run["losses"][-1] for run in runs))
        assert chapter[f"gap_{steps}"] == pytest.approx(np.subtract(*behind["test"]))
        if steps > 1000:
            assert chapter[f"train_{steps}"] == pytest.approx(np.subtract(*behind["train"]))
        ends = [
            {run["seed"]: run["test"] for run in at_best(arm, steps)} for arm in ("none", "1/√d")
        ]
        seeds = [ends[0][seed] - ends[1][seed] for seed in ends[0]]
        assert len(seeds) == chapter.get(f"seeds_{steps}", 1)
        divided = {run["seed"]: run["losses"] for run in at_best("1/√d", steps)}
        there = [
            steps // 20 * sum(loss > run["losses"][-1] for loss in divided[run["seed"]])
            + steps // 20
            for run in at_best("none", steps)
        ]
        low, high = (f"there_{steps}{end}" for end in ("_low", "_high"))
        told = (
            (chapter[low], chapter[high]) if low in chapter else (chapter[f"there_{steps}"],) * 2
        )
        assert told == (min(there), max(there))
        if steps in (4000, 8000):
            assert chapter[f"gap_{steps}_low"] == pytest.approx(min(seeds))
            assert chapter[f"gap_{steps}_high"] == pytest.approx(max(seeds))
    root, none, *still = (
        {run["seed"]: run["test"] for run in at_best(arm, 4000)}
        for arm in ("1/√d", "none", "1/√d frozen", "none frozen")
    )
    deeper = numbers_of("5a-a-language-model")
    for name, nats in {
        "still": [loss - root[seed] for seed, loss in still[0].items()],
        "harm": [none[seed] - loss for seed, loss in still[1].items()],
    }.items():
        assert deeper[f"{name}_4000_high"] == pytest.approx(max(nats))
        if name == "harm":
            assert deeper["harm_4000_low"] == pytest.approx(min(nats))
    assert deeper["still_4000_seeds"] == len(still[0]) == len(still[1])
    assert front["gap_last"] == pytest.approx(chapter["gap_8000"])
    late = [r for r in longer["copy", "none", 8000] if r["rate"] == 0.0005]
    begun = [next(seen["step"] for seen in run["log"] if seen["copy"] < 2) for run in late]
    assert (chapter["begun_low"], chapter["begun_high"]) == (min(begun), max(begun))
    right = [100 * run["test_right"] for run in late]
    assert chapter["long_right_low"] == pytest.approx(min(right))
    assert chapter["long_right_high"] == pytest.approx(max(right))


def test_how_wide_a_start_may_be_stands_in_the_raw_lines() -> None:
    right: dict[float, list[float]] = defaultdict(list)
    for row in lines("starts_between"):
        if row["rate"] == 0.001:  # the best of the first seed, from both
            right[row["start_power"]].append(100 * row["test_right"])
    page = numbers_of("5b-what-the-answer-hangs-on")
    for name, power in {"2": -1 / 6, "3": -1 / 8}.items():
        told = (page[f"right_{name}_low"], page[f"right_{name}_high"])
        assert told == pytest.approx((min(right[power]), max(right[power])))
        assert page["wide_seeds"] == len(right[power])


def fields_tried(task: str) -> dict[tuple[float, float | None], list[dict]]:
    """The first seed's runs of each field of the map that was run for it, at its four rates."""
    runs: dict[tuple[float, float | None], list[dict]] = defaultdict(list)
    for row in lines("start_and_speed"):
        if (row["task"], row["seed"]) == (task, 0) and row["rate"] in language_curves.MAP_RATES:
            runs[row["start_power"], row["speed_power"]].append(row)
    return runs


def test_the_map_on_plain_text_stands_in_the_raw_lines() -> None:
    tried = fields_tried("text")
    arms = {"none": (0.0, 0.0), "speed only": (0.0, -1 / 4), "start only": (-1 / 4, 0.0)}
    arms["both"] = (-1 / 4, -1 / 4)
    for row in lines("language_rates"):
        usual = (row["start"], row["seed"]) == ("textbook", 0)
        if usual and row["arm"] in arms and row["rate"] in language_curves.MAP_RATES:
            tried[arms[row["arm"]]].append(row)
    best = {key: min(runs, key=lambda run: run["validation"]) for key, runs in tried.items()}
    assert len(best) == 15
    page, least = (
        numbers_of("5b-what-the-answer-hangs-on"),
        min(run["test"] for run in best.values()),
    )
    assert page["drawn_slow"] == pytest.approx(best[0.0, -1 / 2]["test"])
    assert page["calm_never"] == pytest.approx(best[-1 / 2, None]["test"] - least)
    assert page["fast_high"] == pytest.approx(best[-1 / 4, 1 / 4]["test"] - least)
    calm = [
        best[start, speed]["test"] for start in (-1 / 4, -1 / 2) for speed in (-1 / 2, -1 / 4, 0)
    ]
    assert page["calm_behind"] == pytest.approx(max(*calm, best[-1 / 4, None]["test"]) - least)


def test_the_copy_under_other_conditions_stands_in_the_raw_lines() -> None:
    page = numbers_of("5b-what-the-answer-hangs-on")
    usual = {"task": "copy", "start": "textbook", "d": 64, "warmup": 50, "decay": 0.0}
    right: dict[str, list[float]] = defaultdict(list)
    for name, changed in {
        "narrow": {"d": 16}, "wide": {"d": 128}, "else": {"warmup": 500}, "decay": {"decay": 0.1},
    }.items():  # fmt: skip
        runs = [row for row in lines("conditions") if (usual | changed).items() <= row.items()]
        for arm in ("1/√d", "1/d", "QK norm"):
            own = [row for row in runs if row["arm"] == arm]
            rate = min((r for r in own if r["seed"] == 0), key=lambda r: r["validation"])["rate"]
            right[name] += [100 * row["test_right"] for row in own if row["rate"] == rate]
    for name in ("narrow", "wide"):
        assert page[f"calm_{name}_low"] == pytest.approx(min(right[name]))
        assert page[f"calm_{name}_high"] == pytest.approx(max(right[name]))
    assert page["calm_else_low"] == pytest.approx(min(right["else"] + right["decay"]))
    small = [row for row in lines("conditions") if row["start"] == "GPT-2"]
    assert page["small_runs"] == len(small)
    assert page["small_right"] == pytest.approx(100 * max(row["test_right"] for row in small))
    longer = [row for row in lines("gpt2_start") if row["task"] == "copy"]
    best = [
        min((row for row in longer if row["arm"] == arm), key=lambda row: row["validation"])
        for arm in ("none", "1/√d")
    ]
    assert page["small_late"] == pytest.approx(100 * min(row["test_right"] for row in best))


def test_what_learning_costs_stands_in_the_raw_lines() -> None:
    never: dict[tuple[float, float, int], float] = {}
    learns: dict[tuple[float, float, float], dict[int, float]] = defaultdict(dict)
    for row in lines("start_and_speed"):
        if row["task"] == "text":
            start, speed, rate, seed = (
                row[name] for name in ("start_power", "speed_power", "rate", "seed")
            )
            if speed is None:
                never[start, rate, seed] = row["validation"]
            else:
                learns[start, speed, rate][seed] = row["validation"]
    powers = {"none": (0, 0), "speed only": (0, -1 / 4), "start only": (-1 / 4, 0)}
    powers["both"] = (-1 / 4, -1 / 4)
    for row in lines("language_rates"):
        if row["start"] == "textbook" and row["arm"] in powers and 0.001 <= row["rate"] <= 0.008:
            learns[(*powers[row["arm"]], row["rate"])][row["seed"]] = row["validation"]
    costs = {
        (start, speed, rate): [
            loss - never[start, rate, seed]
            for seed, loss in seeds.items()
            if (start, rate, seed) in never
        ]
        for (start, speed, rate), seeds in learns.items()
    }
    chapter, page = numbers_of("05-start-and-speed"), numbers_of("5b-what-the-answer-hangs-on")
    assert chapter["turn_seeds"] == len(costs[0, 0, 0.002])
    assert chapter["none_gain"] == pytest.approx(-fmean(costs[0, 0, 0.001]))
    for name, rate in {"never_slow": 0.001, "never_best": 0.004}.items():
        of_rate = [loss for (start, r, _), loss in never.items() if (start, r) == (0, rate)]
        assert chapter[name] == pytest.approx(fmean(of_rate))
    assert chapter["none_harm"] == pytest.approx(min(costs[0, 0, 0.002]))
    assert chapter["root_gain"] == pytest.approx(-max(costs[-1 / 4, -1 / 4, 0.004]))
    assert chapter["root_harm"] == pytest.approx(min(costs[-1 / 4, -1 / 4, 0.008]))
    points = [
        (rate * 64**speed, 64**start, fmean(nats) > 0)
        for (start, speed, rate), nats in costs.items()
    ]
    assert page["turn_points"] == len(points)
    for name, power in {"rate": 0, "relative": -1, "logit": 1}.items():
        # Products that are equal but for rounding stand together.
        found = [(round(log(own * start**power), 6), harm) for own, start, harm in points]
        wrong = (sum((x > border) != harm for x, harm in found) for border, _ in found)
        assert page[f"wrong_{name}"] == min(wrong)


def test_an_uneven_start_stands_in_the_raw_lines() -> None:
    both = {
        (row["rate"], row["seed"]): row["validation"]
        for row in lines("language_rates")
        if (row["start"], row["arm"]) == ("textbook", "both")
    }
    more: dict[tuple[float, float], list[float]] = defaultdict(list)
    for row in lines("uneven_starts"):
        nats = row["validation"] - both[row["rate"], row["seed"]]
        more[row["moved"], row["rate"]].append(nats)
    page = numbers_of("5b-what-the-answer-hangs-on")
    assert page["uneven_seeds"] == len(more[0.5, 0.004])
    assert page["uneven_least"] == pytest.approx(min(more[0.5, 0.002]))
    assert page["uneven_most"] == pytest.approx(max(more[0.5, 0.004]))


def test_the_wide_models_from_gpt2s_start_stand_in_the_raw_lines() -> None:
    page, best = numbers_of("5b-what-the-answer-hangs-on"), {}
    for arm in ("none", "1/√d"):
        runs = [r for r in lines("gpt2_start") if (r["width"], r["arm"]) == (768, arm)]
        best[arm] = min(runs, key=lambda run: run["validation"])
    assert page["as_wide_more"] == pytest.approx(best["none"]["test"] - best["1/√d"]["test"])
    # An undivided logit's spread is √d · width · deviation² before training: 2.5, and an eighth.
    assert page["as_wide_start"] == pytest.approx(8 * 768 * 0.02**2, rel=0.1)
    assert page["as_wide_root_start"] == pytest.approx(768 * 0.02**2, rel=0.1)


def test_larger_and_otherwise_trained_models_stand_in_the_raw_lines() -> None:
    page = numbers_of("5b-what-the-answer-hangs-on")
    of_text = [row for row in lines("conditions") if row["task"] == "text"]
    usual = [
        row for row in lines("language_rates") if (row["start"], row["seed"]) == ("textbook", 0)
    ]
    for name, runs in {
        "usual_first": usual,
        "larger_more": lines("larger_model"),
        "warm_more": [row for row in of_text if row["warmup"] == 500],
        "decay_more": [row for row in of_text if row["decay"] == 0.1],
    }.items():
        none, root = (
            min((r for r in runs if r["arm"] == arm), key=lambda r: r["validation"])["test"]
            for arm in ("none", "1/√d")
        )
        assert page[name] == pytest.approx(none - root)


def test_a_calm_start_of_full_matrices_stands_in_the_raw_lines() -> None:
    page = numbers_of("5b-what-the-answer-hangs-on")
    usual = {
        (row["rate"], row["seed"]): row["validation"]
        for row in lines("language_rates")
        if (row["start"], row["arm"]) == ("textbook", "start only")
    }
    ends: dict[tuple[str, float], dict[int, float]] = defaultdict(dict)
    for row in lines("cancelled_start"):
        ends[row["arm"], row["rate"]][row["seed"]] = row["validation"]
    for name, rate in {"slow": 0.001, "fast": 0.002}.items():
        more = [loss - usual[rate, seed] for seed, loss in ends["cancelled", rate].items()]
        assert page[f"cancelled_{name}"] == pytest.approx(min(more))
        assert page["cancelled_seeds"] == len(more)
    never = ends["cancelled frozen", 0.002][0]
    assert page["cancelled_turn"] == pytest.approx(ends["cancelled", 0.002][0] - never)
    assert page["slowed_turn"] == pytest.approx(never - ends["cancelled slow", 0.002][0])


def test_page_5a_says_what_came_of_the_predictions() -> None:
    found = numbers_of("5a-a-language-model")
    gain = {key: loss("none", key[1]) - loss(*key) for key in RUNS}
    assert found["speed_008"] == pytest.approx(gain["speed only", 0.008])
    assert found["root_008"] == pytest.approx(gain["1/√d", 0.008])
    for rate in (0.0005, 0.001):  # the first prediction holds
        assert gain["start only", rate] > 0.05
        assert gain["speed only", rate] < gain["start only", rate] / 2
    # The second holds at 0.008, and there the two jobs together gain more than their sum.
    start, speed, both = (gain[arm, 0.008] for arm in ("start only", "speed only", "1/√d"))
    assert speed > 0.05
    assert start < speed / 2
    assert both > start + speed


def test_page_5b_says_what_is_left_from_a_small_start() -> None:
    ends: dict[tuple[str, float], list[float]] = defaultdict(list)
    for row in lines("language_rates"):
        if row["start"] == "GPT-2":
            ends[row["arm"], row["rate"]].append(row["validation"])
    small = {key: fmean(runs) for key, runs in ends.items()}
    rates, found = language_runs.RATES[:5], numbers_of("5b-what-the-answer-hangs-on")
    start = max(abs(small["start only", x] - small["none", x]) for x in rates)
    speed = max(abs(small["speed only", x] - small["1/√d", x]) for x in rates[3:])
    told = found["small_start_apart"], found["small_speed_apart"]
    assert told == pytest.approx((start, speed), abs=1e-3)
    gain = small["none", 0.008] - small["speed only", 0.008]
    runs = len(ends["none", 0.008])
    assert (found["small_seeds"], found["small_fast_gain"]) == (runs, pytest.approx(gain))
    # The slower steps bring back what leaving out the scale costs.
    bests = [min(small[arm, x] for x in rates) for arm in ("none", "speed only", "1/√d")]
    assert bests[1] - bests[2] < 0.1 * (bests[0] - bests[2])


def test_a_constant_is_lost_in_a_wide_head_at_a_rate_that_both_divisions_stand() -> None:
    wide: dict[str, list[float]] = defaultdict(list)
    for row in lines("language_widths"):
        if (row["d"], row["rate"]) == (128, 0.008):
            wide[row["arm"]].append(row["validation"])
    assert max(wide["1/d"]) < min(wide["1/√d"]) < max(wide["1/√d"]) < min(wide["1/8"]) - 0.2


def test_new_seeds_are_run_at_each_arms_best_rate_and_compared_seed_by_seed() -> None:
    ends: dict[str, dict[int, dict[str, float]]] = defaultdict(lambda: defaultdict(dict))
    for row in lines("language_chosen"):
        ends[row["start"]][row["seed"]][row["arm"]] = row["test"]
    for start, page, name in (
        ("textbook", "5a-a-language-model", "none_more"),
        ("GPT-2", "5b-what-the-answer-hangs-on", "none_new"),
    ):
        costs, found = [x["none"] - x["1/√d"] for x in ends[start].values()], numbers_of(page)
        assert (found["new_seeds"], found[name]) == (len(costs), pytest.approx(fmean(costs)))
        assert sorted(language_curves.beyond_root("none", start)) == pytest.approx(sorted(costs))
    tried: dict[tuple[str, str], dict[float, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in lines("language_rates"):
        tried[row["start"], row["arm"]][row["rate"]].append(row["validation"])
    for arm, rate in language_runs.BEST.items():
        assert rate == min(tried[arm], key=lambda one: fmean(tried[arm][one]))


def test_compared_arms_have_the_best_rate_of_their_field_on_the_map() -> None:
    """Where all rates end at a guess, chance has chosen, and any is as good."""
    fields = {"1/√d": (-1 / 4, -1 / 4), "1/d": (-1 / 2, -1 / 2)}
    fields |= {"none": (0.0, 0.0), "start only": (-1 / 4, 0.0)}
    for (task, arm), rate in start_and_speed.BEST_OF_MAP.items():
        start, speed = fields[arm.removesuffix(" frozen")]
        runs = fields_tried(task)[start, None if arm.endswith("frozen") else speed]
        losses = {run["rate"]: run["validation"] for run in runs}
        assert losses[rate] == min(losses.values()), (task, arm)


def test_only_seeds_that_all_arms_have_are_compared() -> None:
    arms, rates = language_curves.COMPARED, language_runs.RATES
    grid = [{"arm": a, "rate": r, "d": 64, "seed": 0} for a in arms for r in rates]
    broken = [{**row, "seed": 1} for row in grid[:-1]]
    other = {"arm": "folded", "rate": 0.001, "d": 64, "seed": 0}
    given = [*grid, *broken, other]
    assert language_curves.whole_seeds(given, d=64) == [*grid, other]
    assert language_curves.whole_seeds(given, ("none",), rates[:2], d=64) == given


def test_pairs_are_counted_in_what_the_model_trains_on_and_read_where_it_is_judged() -> None:
    letters, train, read, _ = read_text()
    pairs, firsts = Counter(pairwise(train.tolist())), Counter(train[:-1].tolist())
    shares = [
        (pairs[x] + 0.1) / (firsts[x[0]] + 0.1 * len(letters)) for x in pairwise(read.tolist())
    ]
    assert language_curves.loss_of_pairs() == pytest.approx(-fmean(map(log, shares)))


def test_a_run_that_diverged_has_infinite_loss() -> None:
    rows = [
        {"arm": "none", "rate": 0.1, "validation": 2.0},
        {"arm": "none", "rate": 0.2, "validation": 1.0},
        {"arm": "none", "rate": 0.2, "diverged": 300},
        {"arm": "none", "rate": 0.4, "validation": 2.04},
    ]
    assert language_curves.best_rate(rows, arm="none") == 0.1
    assert language_curves.good_rates(rows, arm="none") == [0.1, 0.4]
    with pytest.raises(KeyError, match="arm = 'nobody'"):
        language_curves.by_rate(rows, arm="nobody")
