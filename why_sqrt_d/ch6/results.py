"""Chapter 6 in numbers: stored runs → the named values and the tables of its sections."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from why_sqrt_d.ch6.experiment import SEARCHED, SMALL
from why_sqrt_d.ch6.searched import RATE
from why_sqrt_d.ch6.table import TableRow
from why_sqrt_d.encoder.searches import ScaleSearch, Trial
from why_sqrt_d.experiments.store import Row
from why_sqrt_d.experiments.summary import select
from why_sqrt_d.pictures.style import thousands

Array = NDArray[np.float64]
Rows = Sequence[Row]
Numbers = dict[str, float]
Words = dict[str, float | str]
Table = tuple[list[str], list[list[str]]]  #: the head, and the cells of each line

LEARNED = 0.95  # accuracy above which the paper calls a task solved
LOST = 0.03  # accuracy below which a run knows little more than chance


def accuracies(rows: Iterable[Row], **settings: object) -> list[float]:
    """Return the test accuracies of the stored runs with these settings."""
    return [row["test_accuracy"] for row in select(rows, **settings)]


def learned(values: Iterable[float]) -> int:
    """Return how many accuracies are above 95 %."""
    return sum(value > LEARNED for value in values)


def _median(values: ArrayLike) -> float:
    """Return the median in per cent."""
    return 100 * float(np.median(np.asarray(values)))


def puzzle(small: Sequence[TableRow], middle: Sequence[TableRow]) -> Numbers:
    """Return the accuracies of the table's rows of 10 and 100 tokens: 1/√d, then the paper's β."""
    (old_10, new_10), (old_100, new_100) = (
        [row.measured for row in rows] for rows in (small, middle)
    )
    return {
        "old_10": 100 * old_10.mean,
        "old_10_low": 100 * old_10.low,
        "old_10_high": 100 * old_10.high,
        "old_10_least": 100 * old_10.smallest,
        "old_10_most": 100 * old_10.largest,
        "new_10": 100 * new_10.mean,
        "new_10_smallest": 100 * new_10.smallest,
        "new_10_largest": 100 * new_10.largest,
        "above_10": learned(small[1].accuracies),
        "old_100": 100 * old_100.mean,
        "old_100_least": 100 * old_100.smallest,
        "old_100_most": 100 * old_100.largest,
        "new_100_smallest": 100 * new_100.smallest,
        "above_100": learned(middle[1].accuracies),
        "seeds": new_100.n,
    }


def table_lines(rows: Sequence[TableRow]) -> Table:
    """Return the paper's table with what was measured for each row."""

    def line(row: TableRow) -> list[str]:
        s, m = row.settings, row.measured
        long = "" if s["length"] == 20 else f", length {s['length']}"
        return [
            f"{s['vocabulary']}{long}",
            thousands(s["samples"]),
            # The word joiner keeps the fraction on one line.
            "1/\u2060√d" if s["scale"] is None else f"{s['scale']:g}",
            f"{100 * row.stated:.4g}",
            f"{100 * m.mean:.1f} ({100 * m.low:.1f} to {100 * m.high:.1f})",
            f"{learned(row.accuracies)} of {m.n}",
            row.verdict,
        ]

    head = ["tokens", "strings", "β", "paper %", "ours %", "> 95 %", "paper is"]
    return head, [line(row) for row in rows]


def replication(rows: Sequence[TableRow], odd: Rows) -> Words:
    """Return what the table's other rows give, and how perfect models do on odd strings.

    Parameters
    ----------
    rows : sequence of TableRow
        All of the table.
    odd : sequence of dict
        The runs of "odd_strings".
    """
    large = {
        (row.settings["samples"], row.settings["scale"]): row
        for row in rows
        if row.settings["vocabulary"] == 1000
    }
    old = {strings: large[strings, None].measured for strings in (50_000, 40_000, 35_000)}
    new = {strings: large[strings, 5.0] for strings in old}
    long = {
        row.settings["scale"]: sorted(100 * x for x in row.accuracies)
        for row in rows
        if row.settings["length"] == 200
    }
    six = np.array(large[35_000, 6.0].accuracies)
    gain = 100 * (six - np.array(new[35_000].accuracies[: six.size]))
    return {
        "large_seeds": old[50_000].n,
        "large_old_50": 100 * old[50_000].mean,
        "large_old_50_least": 100 * old[50_000].smallest,
        "large_old_40": 100 * old[40_000].mean,
        "large_old_40_least": 100 * old[40_000].smallest,
        "large_old_40_most": 100 * old[40_000].largest,
        "large_old_35_least": 100 * old[35_000].smallest,
        "large_old_35_most": 100 * old[35_000].largest,
        "large_new_40": learned(new[40_000].accuracies),
        "large_new_35": learned(new[35_000].accuracies),
        "large_new_35_most": 100 * new[35_000].measured.largest,
        "long_old": listed(long[None]),
        "long_new": listed(long[0.16]),
        "long_seeds": len(long[None]),
        "large_new_above": sum(learned(row.accuracies) for row in new.values()),
        "large_new_runs": sum(row.measured.n for row in new.values()),
        "six_gain": gain.mean(),
        "six_median": np.median(gain),
        "six_least": gain.min(),
        "six_most": gain.max(),
        "six_seeds": six.size,
        **_odd(odd),
    }


def listed(values: Iterable[float]) -> str:
    """Return whole numbers as a sentence has them: 1, 2 and 3."""
    *before, last = (f"{value:.0f}" for value in values)
    return f"{', '.join(before)} and {last}" if before else last


def _odd(rows: Rows) -> Words:
    perfect = [row for row in rows if row["test_accuracy"] == 1]
    of_a_kind = rows[0]["odd_samples"] * rows[0]["length"]
    kinds = [accuracy for row in rows for accuracy in row["odd_accuracy"].values()]
    asked = of_a_kind * len(kinds)
    return {
        "odd_runs": len(rows),
        "odd_perfect": len(perfect),
        "odd_fallible": sum(min(row["odd_accuracy"].values()) < 1 for row in perfect),
        "odd_places": round(of_a_kind * sum(1 - accuracy for accuracy in kinds)),
        "odd_tested": "4 million" if asked == 4_000_000 else str(asked),
    }


def start(old: Rows, new: Rows, faster: Rows) -> Numbers:
    """Return how logits, scores and weights spread as training goes on.

    Parameters
    ----------
    old, new, faster : sequence of dict
        Runs with 10 tokens: β = 1/√d, the paper's β, and 1/√d at a larger learning rate.
    """
    spread, learned_spread = (
        np.array([row["logit_std"] for row in rows]) for rows in (old, faster)
    )
    first_score = np.median([row["score_std"][0] for row in (*old, *new)])
    root = np.sqrt(old[0]["length"])
    scores_grow, weights_grow = _growth(old)
    learned_grow, learned_weights = _growth(faster)
    return {
        "start_old": np.median(spread[:, 0]),
        "end_old": np.median(spread[:, -1]),
        "learned_end": np.median(learned_spread[:, -1]),
        "learned_end_least": learned_spread[:, -1].min(),
        "learned_runs": len(learned_spread),
        "learned_grow": learned_grow,
        "learned_weights": learned_weights,
        "too_small": root / first_score,
        "score_start": first_score,
        "root_20": root,
        "scores_grow": scores_grow,
        "weights_grow": weights_grow,
    }


def _growth(rows: Rows) -> tuple[float, float]:
    """Return how often the spread of all scores has grown, and W_q's times W_k's: medians."""
    scores, query, key = (
        np.array([row[name] for row in rows])
        for name in ("score_std_all", "query_weight_std", "key_weight_std")
    )
    scores_grow, weights_grow = (x[:, -1] / x[:, 0] for x in (scores, query * key))
    return float(np.median(scores_grow)), float(np.median(weights_grow))


def where(small: Mapping[str, ArrayLike], middle: Mapping[str, ArrayLike]) -> Numbers:
    """Return what a factor does in each place where it can act.

    Parameters
    ----------
    small, middle : mapping from place to array_like (seeds,)
        Accuracies with 10 and 100 tokens; the last place is β itself.
    """
    (*_, beta), (*_, beta_100) = small.values(), middle.values()
    same = np.abs(np.subtract(small["gain and rate"], beta)).max()
    return {
        "place_old": _median(small["1/√d"]),
        "place_gain": _median(small["gain alone"]),
        "place_rate": _median(small["rate alone"]),
        "place_rate_least": 100 * np.min(small["rate alone"]),
        "place_beta": _median(beta),
        "place_beta_least": 100 * np.min(beta),
        "place_same": 100 * same,
        "place_gain_100": _median(middle["gain alone"]),
        "place_gain_best": 100 * np.max(middle["gain alone"]),
        "place_rate_100": _median(middle["rate alone"]),
        "place_beta_100": _median(beta_100),
        "place_old_100": _median(middle["1/√d"]),
    }


def measured(rows: Rows) -> Numbers:
    """Return what rules give that measure or search β while training, from "measured_scale"."""

    def of(rule: str | None, vocabulary: int = 10, every: str = "epoch") -> list[float]:
        return accuracies(rows, vocabulary=vocabulary, rule=rule, every=every)

    runs = select(rows, vocabulary=10, rule="weights", every="epoch")
    ended = [row["logit_std"][-1] for row in runs]
    return {
        "rule_fixed": _median(of(None)),
        "rule_weights": _median(of("weights")),
        "rule_weights_batch": _median(of("weights", every="batch")),
        "rule_scores": _median(of("scores")),
        "rule_search_least": 100 * min(of("search")),
        "rule_search_most": 100 * max(of("search")),
        "rule_factor": SEARCHED[10] * np.sqrt(SMALL["length"]),
        "rule_spread_least": min(ended),
        "rule_spread_most": max(ended),
        **{
            f"rule_{rule or 'fixed'}_100": _median(of(rule, vocabulary=100))
            for rule in (None, "weights", "scores", "search")
        },
    }


def by_scale(rows: Rows, vocabulary: int, rate: float) -> dict[float, list[float]]:
    """Return the accuracies of "scale_sweep" at each fixed β, in ascending order."""
    scales = sorted({row["scale"] for row in rows} - {None})
    return {
        scale: accuracies(rows, vocabulary=vocabulary, scale=scale, learning_rate=rate)
        for scale in scales
    }


def rate(sweep: Rows, faster: Rows) -> Numbers:
    """Return what a larger learning rate does, from "scale_sweep" and "table1_rates"."""
    fast = [
        accuracy
        for vocabulary in (10, 100)
        for accuracy in accuracies(sweep, vocabulary=vocabulary, scale=None, learning_rate=3e-3)
    ]
    wide = [scale for scale, seeds in by_scale(sweep, 100, 3e-3).items() if min(seeds) > 0.99]
    best = {}
    for vocabulary in (10, 100):
        slow = by_scale(sweep, vocabulary, 5e-4)
        best[vocabulary] = max(slow, key=lambda scale: _median(slow[scale]))
    large = select(faster, vocabulary=1000)
    old_large = accuracies(large, scale=None)
    return {
        "fast_runs": len(fast),
        "fast_perfect": fast.count(1),
        "wide_low": min(wide),
        "wide_high": max(wide),
        "best_slow_100": best[100],
        "best_slow_10": best[10],
        **_long_strings(select(faster, length=200)),
        "faster_runs": len(old_large),
        "faster_least": 100 * min(old_large),
        "six_fast_least": 100 * min(accuracies(large, scale=6.0, learning_rate=1e-2)),
    }


def _long_strings(rows: Rows) -> Numbers:
    """Strings of length 200: what each β learns, and how much sooner the paper's does."""
    tuned = [row for row in rows if row["learning_rate"] < 1e-2]
    fast = accuracies(rows, learning_rate=1e-2)
    sooner = [
        first_learned(old) - first_learned(new)
        for old in select(tuned, scale=None)
        for new in select(tuned, scale=0.16, learning_rate=old["learning_rate"], seed=old["seed"])
    ]
    return {
        "long_pairs": len(sooner),
        "long_sooner": sum(epochs > 0 for epochs in sooner),
        "long_later": sum(epochs < 0 for epochs in sooner),
        "long_latest": -min(sooner),
        "long_rate_seeds": len({row["seed"] for row in rows}),
        "long_tuned_runs": len(tuned),
        "long_tuned_perfect": accuracies(tuned).count(1),
        "long_twice": 100 * min(accuracies(rows, learning_rate=1e-3, scale=None)),
        "long_fast_runs": len(fast),
        "long_fast_most": 100 * max(fast),
    }


def first_learned(row: Row) -> int:
    """Return the first epoch, from zero, that gets more than 95 % of its training right."""
    above = np.array(row["train_accuracy"]) > LEARNED
    if not above.any():
        raise ValueError(f"training never gets above {LEARNED:.0%}: {row['train_accuracy']}")
    return int(np.argmax(above))


def by_size(rows: Rows, vocabulary: int, scale: float | None, whole: bool) -> list[list[float]]:
    """Return the accuracies of "set_sizes" at each size: of ten epochs, or of 3000 steps."""
    runs = [
        row
        for row in select(rows, vocabulary=vocabulary, scale=scale)
        if (row["epochs"] == 10) == whole
    ]
    sizes = sorted({row["samples"] for row in rows})
    return [accuracies(runs, samples=size) for size in sizes]


def data(rows: Rows) -> Numbers:
    """Return what few strings and many steps do, from "set_sizes"."""
    counts = [
        len(seeds)
        for tokens, searched in SEARCHED.items()
        for scale in (None, searched)
        for whole in (True, False)
        for seeds in by_size(rows, tokens, scale, whole)
    ]
    ten, hundred = (by_size(rows, tokens, None, False)[0] for tokens in (10, 100))
    smallest = select(rows, vocabulary=100, samples=128, scale=SEARCHED[100], epochs=3000)
    by_heart = [row for row in smallest if row["test_accuracy"] < LOST]
    trained = [row["train_accuracy"][-1] for row in by_heart]
    next_size = by_size(rows, 100, SEARCHED[100], False)[1]
    most_strings = by_size(rows, 100, None, True)[-1]
    return {
        "size_seeds": max(counts),
        "size_seeds_least": min(counts),
        "size_128_runs": len(ten),
        "size_128": 100 * min(ten),
        "size_128_tokens_100": 100 * min(hundred),
        "size_128_tokens_100_runs": len(hundred),
        "by_heart": len(by_heart),
        "by_heart_of": len(smallest),
        "by_heart_least": 100 * min(trained),
        "by_heart_most": 100 * max(trained),
        "by_heart_test": 100 * max(row["test_accuracy"] for row in by_heart),
        "lost_512": sum(accuracy < LOST for accuracy in next_size),
        "lost_512_of": len(next_size),
        "old_25": 100 * np.mean(most_strings),
        "old_25_least": 100 * min(most_strings),
        "old_25_most": 100 * max(most_strings),
        "old_25_seeds": len(most_strings),
    }


def procedure_lines(run: Row) -> Table:
    """Return the trainings of one run of "five_steps", in their order."""
    trail = zip(*(run[key] for key in ("steps", "samples", "scales", "accuracies")), strict=True)
    return ["step", "strings", "β", "right %"], [
        [
            str(step),
            thousands(samples),
            "1/√d" if scale is None else f"{scale:.3g}",
            f"{100 * accuracy:.1f}",
        ]
        for step, samples, scale, accuracy in trail
    ]


def recorded_search(run: Row) -> ScaleSearch:
    """Return the third of the five steps, the search for β, as it went in a stored run."""
    trials = []
    for step, scale, accuracy in zip(run["steps"], run["scales"], run["accuracies"], strict=True):
        if step == 3:
            power = float(np.log10(scale)).is_integer()
            why = "a power of ten" if power else "halfway to a neighbour"
            trials.append(Trial(scale, accuracy, why))
    return ScaleSearch(trials)


def search(procedures: Rows, searched: Rows) -> Words:
    """Return what the paper's procedure and a fair one find: "five_steps" and "fair_search"."""
    again = [row["new_start_accuracy"] for row in procedures]
    by_beta = select(searched, vocabulary=10, searched="scale")
    worst = sorted(by_beta, key=lambda row: row["test_accuracy"])[:3]
    fell = max(by_beta, key=lambda row: row["validation_accuracy"] - row["test_accuracy"])
    beta_100 = select(searched, vocabulary=100, searched="scale")
    scale_10, scale_100 = accuracies(by_beta), accuracies(beta_100)
    by_rate = select(searched, vocabulary=10, searched="rate")
    rate_10 = accuracies(by_rate)
    return {
        "procedure_new": _median([row["new_accuracy"] for row in procedures]),
        "procedure_old": _median([row["old_accuracy"] for row in procedures]),
        "procedure_again": _median(again),
        "procedure_again_least": 100 * min(again),
        "fair_scale": _median(scale_10),
        "fair_scale_least": 100 * min(scale_10),
        "fair_100": _median(scale_100),
        "fair_100_least": 100 * min(scale_100),
        "fair_100_most": 100 * max(scale_100),
        "fair_100_above": learned(scale_100),
        "fair_100_fell": sum(
            row["validation_accuracy"] > 0.99 and row["test_accuracy"] < 0.02 for row in beta_100
        ),
        "fair_100_rate": 100 * min(accuracies(searched, vocabulary=100, searched="rate")),
        "fair_rate_least": 100 * min(rate_10),
        "fair_seeds": len(rate_10),
        "more_strings": sum(row["chosen_samples"] > SMALL["samples"] for row in procedures),
        "stuck": 100 * max(row["validation_accuracy"] for row in worst),
        "fair_rate": RATE * np.median([row["chosen"] for row in by_rate]),
        "fair_chosen": _counted(f"{row['chosen']:.2g}" for row in by_beta),
        "fell_from": 100 * fell["validation_accuracy"],
        "fell_to": 100 * fell["test_accuracy"],
    }


def _counted(words: Iterable[str]) -> str:
    """Say how often each is there, the most frequent first: a (3 times), b (once)."""
    return ", ".join(
        f"{word} ({'once' if times == 1 else f'{times} times'})"
        for word, times in Counter(words).most_common()
    )
