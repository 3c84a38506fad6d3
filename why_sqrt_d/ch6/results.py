"""Chapter 6 in numbers: stored runs → the named values and the tables of its sections."""

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from attn_helpers.checks import FloatArray
from attn_helpers.extremes import critical_std
from why_sqrt_d.ch6.experiment import SEARCHED, SMALL, root_factor
from why_sqrt_d.ch6.figures import Strip
from why_sqrt_d.ch6.intervals import best_curve, next_run, rank_chance
from why_sqrt_d.ch6.search import RATE
from why_sqrt_d.ch6.table import TableRow
from why_sqrt_d.experiments.store import Row
from why_sqrt_d.experiments.summary import per_cent, select, statistics
from why_sqrt_d.pictures.style import thousands

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


def named(scale: float | None) -> str:
    """Return a scale as tables and figures write it."""
    # The word joiner keeps the fraction on one line.
    return "1/\u2060√d" if scale is None else f"{scale:g}"


def paper_strips(rows: Sequence[TableRow], faster: Rows) -> dict[str, list[Strip]]:
    """Return the paper's table as strips, a group a task; `faster` are runs at a larger rate."""
    groups: dict[str, list[Strip]] = {}
    for row in rows:
        s = row.settings
        long = "" if s["length"] == 20 else f", {s['length']} long"
        heading = f"{s['vocabulary']} tokens, {thousands(s['samples'])} strings{long}"
        label = "1/√d" if s["scale"] is None else f"β = {s['scale']:g}"
        searched = s["scale"] is not None
        strip = Strip(label, row.accuracies, row.stated, searched, accuracies(faster, **s))
        groups.setdefault(heading, []).append(strip)
    return groups


def puzzle(rows: Sequence[TableRow], faster: Rows) -> Numbers:
    """Return what the table's rows give, and the `faster` runs of each."""
    old_100, _, _, _, old_10, new_10 = (row.accuracies for row in rows[:6])
    fast = [accuracies(faster, **row.settings) for row in rows]
    return {
        **per_cent(old_10, old_10="mean"),
        **per_cent(old_100, old_100="mean"),
        **per_cent(new_10, new_10_smallest="min"),
        "above_10": learned(new_10),
        "seeds": len(new_10),
        "faster_seeds": sum(map(len, fast)),
        "faster_worst": 100 * min(map(min, fast)),
    }


def table_lines(rows: Sequence[TableRow]) -> Table:
    """Return the paper's table with what was measured for each row."""

    def line(row: TableRow) -> list[str]:
        s, m = row.settings, row.measured
        long = "" if s["length"] == 20 else f", length {s['length']}"
        return [
            f"{s['vocabulary']}{long}",
            thousands(s["samples"]),
            named(s["scale"]),
            f"{100 * row.stated:.4g}",
            f"{100 * m.mean:.1f} ({100 * m.smallest:.1f} to {100 * m.largest:.1f})",
            f"{learned(row.accuracies)} of {m.n}",
            f"{row.lower} of {m.n}",
        ]

    head = ["tokens", "strings", "β", "paper %", "ours %, mean and range", "> 95 %", "lower"]
    return head, [line(row) for row in rows]


def one_heap(rows: Sequence[TableRow]) -> Table:
    """Return, for 1/√d and strings of 20, where one more run would end in 95 cases of 100."""
    lines = []
    for row in rows:
        s = row.settings
        if s["scale"] is None and s["length"] == 20:
            low, high = next_run(row.accuracies, 10_000 * s["length"])
            name, strings = str(s["vocabulary"]), thousands(s["samples"])
            ours = f"{100 * low:.1f} to {100 * high:.1f}"
            inside = "inside" if low <= row.stated <= high else "outside"
            lines.append([name, strings, f"{100 * row.stated:.4g}", ours, inside])
    return ["tokens", "strings", "paper %", "one more run, %", "paper is"], lines


def replication(rows: Sequence[TableRow], odd: Rows) -> Words:
    """Return what the table's rows give, and how perfect models do on "odd_strings"."""
    by_task = {
        tuple(row.settings[k] for k in ("vocabulary", "length", "samples", "scale")): row
        for row in rows
    }
    large = {key[2:]: row.accuracies for key, row in by_task.items() if key[0] == 1000}
    old_50, old_40, old_35 = (large[strings, None] for strings in (50_000, 40_000, 35_000))
    new_50, new_40, new_35 = (large[strings, 5.0] for strings in (50_000, 40_000, 35_000))
    old_10, new_10 = (by_task[10, 20, 8_000, s].accuracies for s in (None, 6.55))
    old_100, new_100 = (by_task[100, 20, 15_000, s].accuracies for s in (None, 5.0))
    long, long_new = (by_task[100, 200, 19_300, s].accuracies for s in (None, 0.16))
    six = np.array(large[35_000, 6.0])
    gain = 100 * (six - np.array(new_35[: six.size]))
    low, high = next_run(old_50, 200_000)
    return {
        "table_rows": len(rows),
        "edge_rows": sum(row.lower in (0, row.measured.n) for row in rows),
        "edge_expected": sum(2 / (row.measured.n + 1) for row in rows),
        "seeds": len(old_10),
        **per_cent(old_100, old_100_least="min", old_100_most="max"),
        **per_cent(old_10, old_10_least="min", old_10_most="max"),
        "above_10": learned(new_10),
        **per_cent(new_10, new_10_largest="max"),
        "above_100": learned(new_100),
        **per_cent(new_100, new_100_smallest="min"),
        "large_seeds": len(old_50),
        **per_cent(old_50, large_old_50="mean"),
        "large_50_low": 100 * low,
        "large_50_high": 100 * high,
        **per_cent(old_40, large_old_40_least="min", large_old_40_most="max"),
        **per_cent(old_35, large_old_35_least="min", large_old_35_most="max"),
        "large_new_40": learned(new_40),
        "large_new_35": learned(new_35),
        **per_cent(new_35, large_new_35_most="max"),
        "long_seeds": len(long),
        "long_above": learned(long),
        "long_lost": sum(x < 0.02 for x in long),
        "long_new_above": learned(long_new),
        "long_new_lost": sum(x < 0.02 for x in long_new),
        "large_new_above": learned([*new_50, *new_40, *new_35]),
        "large_new_runs": len([*new_50, *new_40, *new_35]),
        **statistics(gain, six_gain="mean", six_median="median", six_least="min", six_most="max"),
        **_odd(odd),
    }


def rank_lines(rows: Sequence[TableRow]) -> Table:
    """Return how many of our runs end beyond the published numbers, all rows together."""
    old = [row for row in rows if row.settings["scale"] is None]
    new = [row for row in rows if row.settings["scale"] is not None]
    # Where the paper's 100 is a whole per cent, what rounds to it is a tie.
    ties = [sum(value >= 0.995 for value in row.accuracies) / 2 for row in new]
    rounded = [t if row.stated == 1 else row.higher for t, row in zip(ties, new, strict=True)]
    fewer = [row for row in old if row.settings["samples"] != 50_000]

    def line(name: str, ranks: Sequence[float], found: Sequence[TableRow]) -> list[str]:
        sizes = [row.measured.n for row in found]
        chance = 100 * rank_chance(sum(ranks), sizes)
        return [name, f"{sum(ranks):g}", f"{sum(sizes) / 2:g}", f"{chance:.1f} %"]

    return ["our runs", "counted", "expected", "so few by chance"], [
        line("below those with 1/√d", [row.lower for row in old], old),
        line("… without 50\u202f000 strings", [row.lower for row in fewer], fewer),
        line("above the searched ones", [row.higher for row in new], new),
        line("… if 100 is a whole per cent", rounded, new),
    ]


def best_curves(rows: Sequence[TableRow]) -> dict[str, FloatArray]:
    """Return the mean of the best of 1, 2, … runs, for 10 and 100 tokens and both scales."""
    return {name: best_curve(row.accuracies) for name, row in _four(rows).items()}


def best_stated(rows: Sequence[TableRow]) -> dict[str, float]:
    """Return what the paper states for the rows of `best_curves`."""
    return {name: row.stated for name, row in _four(rows).items()}


def _four(rows: Sequence[TableRow]) -> dict[str, TableRow]:
    old_100, new_100, _, _, old_10, new_10 = rows[:6]
    return {
        "10 tokens, β = 6.55": new_10,
        "100 tokens, β = 5": new_100,
        "10 tokens, 1/√d": old_10,
        "100 tokens, 1/√d": old_100,
    }


def best_lines(rows: Sequence[TableRow]) -> Table:
    """Return, for each searched row of strings of 20, one run, the best of ten, and the paper."""
    lines = []
    for row in rows:
        s = row.settings
        if s["scale"] is not None and s["length"] == 20:
            curve = 100 * best_curve(row.accuracies)
            task = [str(s["vocabulary"]), thousands(s["samples"]), named(s["scale"])]
            found = [f"{curve[k]:.2f}" for k in (0, 2, -1)]
            lines.append([*task, f"{100 * row.stated:.4g}", *reversed(found)])
    head = ["tokens", "strings", "β", "paper", "best of 10", "best of 3", "one run"]
    return head, lines


def luck(rows: Sequence[TableRow]) -> Numbers:
    """Return what keeping the best run does with 10 and 100 tokens."""
    curves = best_curves(rows)
    return {
        "one_run_10": 100 * curves["10 tokens, β = 6.55"][0],
        "best_3_10": 100 * curves["10 tokens, β = 6.55"][2],
        "best_10_old": 100 * curves["10 tokens, 1/√d"][-1],
    }


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
    """Return how logits, scores and weights spread as training goes on, with 10 tokens.

    The runs are those with β = 1/√d, the paper's β, and 1/√d at a larger learning rate.
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
        **statistics(learned_spread[:, -1], learned_end="median"),
        "learned_runs": len(learned_spread),
        "learned_grow": learned_grow,
        "learned_weights": learned_weights,
        "too_small": root / first_score,
        "score_start": first_score,
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


def places(rows: Rows, others: Rows, vocabulary: int) -> dict[str, list[float]]:
    """Return the accuracies of "scale_places" by the place in which the factor acts.

    And of "other_places", where it acts in the rate of all other parameters, or of all.
    """
    beta, root = SEARCHED[vocabulary], root_factor({**SMALL, "vocabulary": vocabulary})
    start, rate, rest, every = (
        f"{what} × {root:.2f}" for what in ("start", "rate", "others", "all")
    )
    plain = {"vocabulary": vocabulary, "scale": None}

    def acting(gain: float, faster: float) -> list[float]:
        return accuracies(rows, **plain, query_key_gain=gain, query_key_rate=faster)

    return {
        "1/√d": acting(1.0, 1.0),
        start: acting(root, 1.0),
        rate: acting(1.0, root),
        rest: accuracies(others, **plain, query_key_rate=round(1 / root, 9)),
        every: accuracies(others, **plain, query_key_rate=1.0),
        "both": acting(root, root),
        f"β = {beta:g}": accuracies(rows, vocabulary=vocabulary, scale=beta),
    }


def place_strips(rows: Rows, others: Rows) -> dict[str, list[Strip]]:
    """Return `places` as strips, with 10 and with 100 tokens."""
    return {
        f"{tokens} tokens": [
            Strip(name, values, strong=name.startswith("β"))
            for name, values in places(rows, others, tokens).items()
        ]
        for tokens in (10, 100)
    }


def where(rows: Rows, others: Rows) -> Numbers:
    """Return what the factor does in each of its places, from "scale_places" and "other_places".

    A run is stuck if it ends no higher than the best of those with 1/√d.
    """
    plain_10, _, rate_10, rest_10, all_10, both_10, beta_10 = places(rows, others, 10).values()
    plain, start, rate, rest, every, both, beta = places(rows, others, 100).values()

    def stuck(values: list[float], compared: list[float]) -> int:
        return sum(value <= max(compared) for value in values)

    return {
        "place_same": 100 * np.abs(np.subtract(both_10 + both, beta_10 + beta)).max(),
        **per_cent(plain, place_plain_100="mean"),
        **per_cent(start, place_start_100="mean", place_start_best="max"),
        **per_cent(rest_10, place_rest_10="mean"),
        **per_cent(rest, place_rest_100="mean"),
        **per_cent([*all_10, *every], place_all_least="min"),
        "place_all_runs": len(all_10) + len(every),
        "place_beta_stuck_10": stuck(beta_10, plain_10),
        "place_beta_stuck_100": stuck(beta, plain),
        "place_rate_stuck": stuck(rate_10, plain_10) + stuck(rate, plain),
    }


def first_logits(table1: Rows) -> Numbers:
    """Return how far a row's logits spread before training, with ten tokens: medians."""
    old, new = (
        [row["logit_std"][0] for row in select(table1, vocabulary=10, scale=scale)]
        for scale in (None, SEARCHED[10])
    )
    return {
        **statistics(old, first_old="median"),
        **statistics(new, first_new="median"),
        "first_critical": critical_std(SMALL["length"]),
    }


def commonest(strings: int = 20_000, length: int = 20) -> Numbers:
    """Return, in per cent, how often a place holds its random string's commonest token.

    A model that sees how often each token is there, and not where, can be right as often as that.
    """
    rng, found = np.random.default_rng(22), {}
    for tokens in (10, 100):
        drawn = rng.integers(tokens, size=(strings, length))
        counts = np.zeros((strings, tokens), int)
        np.add.at(counts, (np.arange(strings)[:, None], drawn), 1)
        found[f"commonest_{tokens}"] = 100 * counts.max(axis=1).mean() / length
    return found


def rule_lines(rows: Rows) -> Table:
    """Return the accuracies of "measured_scale", a line a rule: median, least, most, seeds."""
    names = {
        (None, "epoch"): "fixed 1/√d",
        ("weights", "epoch"): "from W_q and W_k, every epoch",
        ("weights", "batch"): "from W_q and W_k, every batch",
        ("scores", "epoch"): "from q·k, every epoch",
        ("scores", "batch"): "from q·k, every batch",
        ("search", "epoch"): "searched, every epoch",
    }
    lines = []
    for (rule, every), name in names.items():
        cells = [name]
        for tokens in (10, 100):
            found = accuracies(rows, vocabulary=tokens, rule=rule, every=every)
            low, middle, high = 100 * np.quantile(found, (0, 0.5, 1))
            cells.append(f"{middle:.1f} ({low:.1f} to {high:.1f})")
        lines.append(cells)
    return ["β", "10 tokens", "100 tokens"], lines


def measured(rows: Rows) -> Numbers:
    """Return what rules give that measure or search β while training, from "measured_scale"."""

    def of(rule: str | None, vocabulary: int = 10, every: str = "epoch") -> list[float]:
        return accuracies(rows, vocabulary=vocabulary, rule=rule, every=every)

    runs = select(rows, vocabulary=10, rule="weights", every="epoch")
    ended = [row["logit_std"][-1] for row in runs]
    return {
        "rule_seeds": len(of(None)),
        **per_cent(of(None), rule_fixed="median"),
        **per_cent(of("weights"), rule_weights="median"),
        **per_cent(of("scores"), rule_scores="median"),
        **per_cent(of("search"), rule_search="median"),
        "rule_search_above_90": sum(value > 0.9 for value in of("search", 100)),
        **per_cent(of("search", 100), rule_search_100="median"),
        "rule_factor": SEARCHED[10] * np.sqrt(SMALL["length"]),
        **statistics(ended, rule_spread_least="min", rule_spread_most="max"),
    }


def by_scale(rows: Rows, vocabulary: int, rate: float) -> dict[float, list[float]]:
    """Return the accuracies of "scale_sweep" at each fixed β, in ascending order."""
    scales = sorted({row["scale"] for row in rows} - {None})
    return {
        scale: accuracies(rows, vocabulary=vocabulary, scale=scale, learning_rate=rate)
        for scale in scales
    }


def rate(sweep: Rows) -> Numbers:
    """Return what a larger learning rate does, from "scale_sweep"."""
    fast = [
        accuracy
        for vocabulary in (10, 100)
        for accuracy in accuracies(sweep, vocabulary=vocabulary, scale=None, learning_rate=3e-3)
    ]
    wide_10, wide = (
        [scale for scale, seeds in by_scale(sweep, tokens, 3e-3).items() if min(seeds) > 0.99]
        for tokens in (10, 100)
    )
    slow_10, slow_100 = (by_scale(sweep, vocabulary, 5e-4) for vocabulary in (10, 100))
    plateau = [np.median(seeds) for scale, seeds in slow_100.items() if 2 <= scale <= 7]
    return {
        "fast_runs": len(fast),
        "fast_perfect": fast.count(1),
        **statistics(wide, wide_low="min", wide_high="max"),
        **statistics(wide_10, wide_10_low="min", wide_10_high="max"),
        "plateau_least": 100 * min(plateau),
        "plateau_most": 100 * max(plateau),
        "best_slow_10": max(slow_10, key=lambda scale: np.median(slow_10[scale])),
    }


def plateau(rows: Sequence[TableRow]) -> Numbers:
    """Return the median of the table's ten runs with 100 tokens and the paper's β."""
    return per_cent(rows[1].accuracies, plateau_ten="median")


def rate_lines(rows: Sequence[TableRow], slow: Rows, faster: Rows) -> Table:
    """Return the mean accuracy of the table's settings at four learning rates, with the seeds."""
    lines = []
    for row in rows:
        s = row.settings
        long = "" if s["length"] == 20 else f", length {s['length']}"
        cells = [f"{s['vocabulary']}{long}", thousands(s["samples"]), named(s["scale"])]
        for learning_rate in (5e-4, 1e-3, 3e-3, 1e-2):
            found = accuracies([*slow, *faster], learning_rate=learning_rate, **s)
            cells.append(f"{100 * np.mean(found):.1f} ({len(found)})")
        lines.append(cells)
    return ["tokens", "strings", "β", "0.0005", "0.001", "0.003", "0.01"], lines


def rates(faster: Rows) -> Numbers:
    """Return what other learning rates do with 1000 tokens and with strings of 200."""
    large = select(faster, vocabulary=1000)
    old_large = accuracies(large, scale=None)
    six = accuracies(large, scale=6.0, learning_rate=1e-2)
    return {
        **_long_strings(select(faster, length=200)),
        "faster_runs": len(old_large),
        **per_cent(old_large, faster_least="min"),
        **per_cent(six, six_fast_least="min"),
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
        "long_tuned_runs": len(tuned),
        "long_tuned_perfect": accuracies(tuned).count(1),
        **per_cent(accuracies(rows, learning_rate=1e-3, scale=None), long_twice="min"),
        "long_fast_runs": len(fast),
        **per_cent(fast, long_fast_most="max"),
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
    low, high = next_run(most_strings, 10_000 * 20)
    return {
        **statistics(counts, size_seeds="max", size_seeds_least="min"),
        "size_128_runs": len(ten),
        **per_cent(ten, size_128="min"),
        **per_cent(hundred, size_128_tokens_100="min"),
        "size_128_tokens_100_runs": len(hundred),
        "by_heart": len(by_heart),
        "by_heart_of": len(smallest),
        **per_cent(trained, by_heart_least="min", by_heart_most="max"),
        **per_cent([row["test_accuracy"] for row in by_heart], by_heart_test="max"),
        "lost_512": sum(accuracy < LOST for accuracy in next_size),
        "lost_512_of": len(next_size),
        **per_cent(most_strings, old_25="mean"),
        "old_25_low": 100 * low,
        "old_25_high": 100 * high,
        "old_25_seeds": len(most_strings),
    }


def procedure_lines(run: Row) -> Table:
    """Return the trainings of one run of "five_steps", in their order."""
    trail = zip(*(run[key] for key in ("steps", "samples", "scales", "accuracies")), strict=True)
    lines = []
    for step, samples, scale, accuracy in trail:
        beta = "1/√d" if scale is None else f"{scale:.3g}"
        lines.append([str(step), thousands(samples), beta, f"{100 * accuracy:.1f}"])
    return ["step", "strings", "β", "right %"], lines


def fair_strips(procedures: Rows, searched: Rows) -> dict[str, list[Strip]]:
    """Return what the paper's procedure and a fair search find, as strips."""

    def fair(tokens: int) -> list[Strip]:
        by_beta, by_rate = (
            accuracies(searched, vocabulary=tokens, searched=what) for what in ("scale", "rate")
        )
        return [Strip("β searched", by_beta, strong=True), Strip("rate searched", by_rate)]

    new, old = ([row[f"{which}_accuracy"] for row in procedures] for which in ("new", "old"))
    return {
        "the five steps, 10 tokens": [Strip("β searched", new, strong=True), Strip("1/√d", old)],
        "one search each, 10 tokens": fair(10),
        "one search each, 100 tokens": fair(100),
    }


def fair(searched: Rows) -> Numbers:
    """Return what one search each finds with ten tokens, from "fair_search"."""
    by_beta, by_rate = (accuracies(searched, vocabulary=10, searched=w) for w in ("scale", "rate"))
    return {
        **per_cent(by_beta, fair_scale="median", fair_scale_least="min"),
        **per_cent(by_rate, fair_rate_least="min"),
    }


def search(procedures: Rows, searched: Rows) -> Words:
    """Return what the paper's procedure and a fair one find: "five_steps" and "fair_search"."""
    new, old, again = (
        [row[f"{which}_accuracy"] for row in procedures] for which in ("new", "old", "new_start")
    )
    by_beta = select(searched, vocabulary=10, searched="scale")
    worst = sorted(by_beta, key=lambda row: row["test_accuracy"])[:3]
    fell = max(by_beta, key=lambda row: row["validation_accuracy"] - row["test_accuracy"])
    beta_100 = select(searched, vocabulary=100, searched="scale")
    scale_100 = accuracies(beta_100)
    by_rate = select(searched, vocabulary=10, searched="rate")
    return {
        **per_cent(new, procedure_new="median"),
        **per_cent(old, procedure_old="median"),
        **per_cent(again, procedure_again="median", procedure_again_least="min"),
        **fair(searched),
        **per_cent(scale_100, fair_100="median", fair_100_least="min", fair_100_most="max"),
        "fair_100_above": learned(scale_100),
        "fair_100_fell": sum(
            row["validation_accuracy"] > 0.99 and row["test_accuracy"] < 0.02 for row in beta_100
        ),
        **per_cent(accuracies(searched, vocabulary=100, searched="rate"), fair_100_rate="min"),
        "fair_seeds": len(by_rate),
        "more_strings": sum(row["chosen_samples"] > SMALL["samples"] for row in procedures),
        **per_cent([row["validation_accuracy"] for row in worst], stuck="max"),
        **per_cent(accuracies(worst), stuck_again="max"),
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
