"""Source D's experiment: the claims on its table, decided by the stored runs."""

import numpy as np
from scipy import stats
from scipy.special import expit, logit

from why_sqrt_d.ch7.table import PAPER
from why_sqrt_d.rows import select, stored

ROOT = r"$1/\sqrt{d_k}$"
TENS = 10_000  # strings that each stored run is tested on


def accuracies(name: str, length: int = 20, **settings: object) -> np.ndarray:
    found = [row["test_accuracy"] for row in select(stored(name), length=length, **settings)]
    return np.array(found)


def one_more(values: np.ndarray, length: int = 20) -> np.ndarray:
    """Where one more run ends in 95 cases of 100, in per cent: Student's, on the log-odds."""
    places = TENS * length
    odds = logit((values * places + 0.5) / (places + 1))
    away = stats.t.ppf(0.975, values.size - 1) * odds.std(ddof=1) * (1 + 1 / values.size) ** 0.5
    return 100 * expit([odds.mean() - away, odds.mean() + away])


def least(per_cent: str) -> float:
    """Return the smallest per cent that is printed so."""
    return float(per_cent) - 0.5 * 10.0 ** -len(per_cent.partition(".")[2])


def could_be(values: np.ndarray, per_cent: str, length: int = 20) -> bool:
    """Whether a printed accuracy can be one more training of ours."""
    assert values.size == 10
    low, high = one_more(values, length)
    return bool(least(per_cent) <= high and low <= float(per_cent))


def printed(scale: float | None, per_cent: str) -> list[tuple]:
    """Return the paper's rows with this accuracy: vocabulary, length, samples."""
    return [row[:3] for row in PAPER if row[3] == scale and f"{100 * row[4]:g}" == per_cent]


def test_d24(settle):
    """The parameters of one block of a transformer of width 20, counted by hand."""
    d, counts = 20, []
    for tokens in (100, 101):
        embed, attention, norms = (tokens + 1) * d, 3 * (d + 1) * d + (d + 1) * d, 2 * 2 * d
        feed_forward, head = (d + 1) * 2 * d + (2 * d + 1) * d, (d + 1) * d + 2 * d
        counts.append(embed + attention + norms + feed_forward + head + (d + 1) * tokens)
    assert min(counts) >= 8000
    settle("open", counts[0], 100, counts[1], 101, 0, 100)


def test_d25(settle):
    """Each printed accuracy with 1/√d, and where one more of our trainings would end."""
    ends, inside = [], []
    for per_cent, setting in (
        ("1.5", (100, 20, 15_000)),
        ("18.56", (10, 20, 8000)),
        ("10.68", (1000, 20, 40_000)),
        ("5.52", (1000, 20, 35_000)),
    ):
        assert setting in printed(None, per_cent)
        found = accuracies("table1", vocabulary=setting[0], samples=setting[2], scale=None)
        inside.append(could_be(found, per_cent))
        ends += [float(f"{end:.2g}") for end in one_more(found)]
        if per_cent == "10.68":
            above = (100 * found > float(per_cent)).sum()
            said = "more", "below all" if above == found.size else ""
    numbers = *ends, 95, 100, 10.68, above, found.size + 1
    settle("holds" if all(inside) else "false", *said, *numbers)


def test_d27(settle):
    values = accuracies("table1", vocabulary=100, scale=5.0)
    above, lost = (values > 0.95).sum(), (values < 0.02).sum()
    settle("open" if above < values.size else "holds", "above", values.size, above, 95, lost)


def test_d28(settle):
    """How many of ten trainings with a searched β get as far as the paper's one."""
    reached, above = [], []
    for per_cent, setting, scale in (
        ("96", (100, 20, 15_000), 5.0),
        ("100", (10, 20, 8000), 6.55),
        ("100", (1000, 20, 50_000), 5.0),
        ("99.79", (1000, 20, 40_000), 5.0),
        ("99.53", (1000, 20, 35_000), 5.0),
        ("99.77", (1000, 20, 35_000), 6.0),
    ):
        assert setting in printed(scale, per_cent)
        found = accuracies("table1", vocabulary=setting[0], samples=setting[2], scale=scale)
        reached.append((100 * found >= least(per_cent)).sum())
        above.append((found > 0.95).sum())
    each = [count >= 4 for count in reached]  # of ten: no mere luck
    assert each.index(True) == 2
    settle((min(reached) > 0, all(each)), "above", found.size, *reached, *above, 95)


def test_d29(settle):
    fast = accuracies(
        "scale_sweep", vocabulary=100, samples=15_000, scale=None, learning_rate=3e-3
    )
    slow = accuracies("set_sizes", vocabulary=100, samples=25_000, scale=None, epochs=10)
    low, high = one_more(slow)
    verdict = "false" if fast.min() > 0.999 and high < 95 else "holds if"
    numbers = 0.0005, 25_000, 100 * slow.mean(), slow.size, low, high, 95, 100
    right = "all" if fast.min() > 0.999 else ""
    share = 15_000, 25_000, 100 * 15_000 / 25_000, 1 / 2
    settle(verdict, ROOT, "more", right, *numbers, 0.003, 15_000, fast.size, *share)


def test_d30(settle):
    """At a tuned rate, with the paper's data and epochs, whether the searched scale has a lead."""
    right = []
    for tokens in (10, 100):
        old, new = (
            accuracies("scale_sweep", vocabulary=tokens, scale=scale, learning_rate=3e-3)
            for scale in (None, 5.0)
        )
        right.append(abs(old.mean() - new.mean()) < 1e-3)
    large = accuracies("table1_rates", vocabulary=1000, scale=None)
    long = [accuracies("table1_rates", 200, scale=None, learning_rate=r) for r in (1e-3, 3e-3)]
    right += [large.min() > 0.9999, np.min(long) == 1]
    few = {"vocabulary": 100, "samples": 128, "epochs": 3000}  # a batch is 128: a step an epoch
    assert accuracies("set_sizes", scale=None, **few).min() > 0.98
    searched = accuracies("set_sizes", scale=5.0, **few)
    fails = (searched < 0.03).sum(), searched.size
    ten = accuracies("set_sizes", scale=6.55, **few | {"vocabulary": 10})
    assert ten.min() > 0.99
    verdict = "misleading" if all(right) else "holds"
    numbers = 128, 3000, ten.size, ten.size, 10, 100, *fails
    settle(verdict, *3 * [ROOT], 10, 100, 1000, 20, 100, 200, *numbers)


def test_d33(settle):
    """Right on strings that it never saw, with thousands to learn from; and by heart with few."""
    many = accuracies("table1", vocabulary=100, scale=5.0).max()
    few = select(stored("set_sizes"), vocabulary=100, samples=128, epochs=3000, scale=5.0)
    lost = [row["train_accuracy"][-1] for row in few if row["test_accuracy"] < 0.03]
    by_heart = min(lost) > 0.38
    said = f"never nothing $\\beta = {few[0]['scale']:g}$"
    settle((many > 0.99, not by_heart), said, few[0]["samples"])


def test_d34(settle):
    """β from the spreads of W_q and W_k at three rates, and from the scores, which holds one."""
    rows = select(stored("measured_scale"), every="epoch")

    def median(rule: str | None, rate: float, tokens: int) -> float:
        how = {"rule": rule, "learning_rate": rate, "vocabulary": tokens}
        return float(100 * np.median([row["test_accuracy"] for row in select(rows, **how)]))

    middle = [(median(None, 1e-3, v), median("weights", 1e-3, v)) for v in (10, 100)]
    slow = [median("weights", 5e-4, v) for v in (10, 100)]
    fast = [row["test_accuracy"] for row in select(rows, rule=None, learning_rate=3e-3)]
    ends = [row["logit_std"][-1] for row in select(rows, rule="weights", learning_rate=1e-3)]
    held = select(rows, rule="scores")
    assert max(abs(row["logit_std"][-1] - 1) for row in held) < 0.02
    best = max(median("scores", rate, v) for rate in (5e-4, 1e-3, 3e-3) for v in (10, 100))
    helps, by_variance = min(new - old for old, new in middle) > 10, best > 95
    verdict = "holds" if by_variance and min(slow) > 95 else "misleading" if helps else "false"
    (old, new), (old_100, new_100) = middle
    numbers = 0.001, old, new, 10, old_100, new_100, 100, 0.0005, *slow, 0.003, min(fast) * 100
    rises = "rises" if helps else "falls"
    settle(verdict, "every", rises, ROOT, *numbers, 0.001, min(ends), max(ends), best)


def test_d39(settle):
    """Spreads at the start; where it learns, growth of the scores' and of σ(W_q) σ(W_k)."""
    starts = [row["logit_std"][0] for row in select(stored("table1"), vocabulary=10, scale=None)]
    learning = select(stored("table1_rates"), vocabulary=10, scale=None, learning_rate=3e-3)
    assert min(row["test_accuracy"] for row in learning) > 0.999
    grown = [
        [row[name][-1] / row[name][0] for row in learning]
        for name in ("score_std_all", "query_weight_std", "key_weight_std")
    ]
    scores, weights = np.median(grown[0]), np.median(np.prod(grown[1:], axis=0))
    verdict = "misleading" if max(starts) < 0.5 else "holds"
    grows = "grows" if scores > 1 else "falls"
    settle(verdict, grows, 10, min(starts), max(starts), len(learning), scores, weights)


def test_d42(settle):
    """Perfect models on special kinds of strings: a mistake is enough."""
    rows = stored("odd_strings")
    assert {(row["learning_rate"], row["test_accuracy"]) for row in rows} == {(0.003, 1)}
    kinds = set(rows[0]["odd_accuracy"])
    assert {"one token", "palindrome"} <= kinds
    given = rows[0]["odd_samples"]
    places = given * rows[0]["length"]
    wrong = [round(sum(places * (1 - x) for x in row["odd_accuracy"].values())) for row in rows]
    asked = places * len(kinds) * len(rows)
    numbers = wrong.count(0), np.count_nonzero(wrong), sum(wrong), asked / 1e6
    met = sum(wrong) / asked < 1e-6
    settle((met, not any(wrong)), "all all", len(rows), 0.003, TENS, given, len(kinds), *numbers)


def test_d43(settle):
    """Our runs, and the two cells of the paper's table with the same digits."""
    values = accuracies("table1", vocabulary=1000, samples=50_000, scale=None)
    assert printed(None, "18.56") == [(10, 20, 8000), (1000, 20, 50_000)]
    verdict = "holds" if could_be(values, "18.56") else "open"
    ends = int(100 * values.min()), 18.56, *one_more(values)
    settle(verdict, "all above more", values.size, *ends, 95, 100)


def test_d50(settle):
    five, six = (
        accuracies("table1", vocabulary=1000, samples=35_000, scale=scale) for scale in (5.0, 6.0)
    )
    gains = 100 * (six - five)  # the same seeds, in order
    verdict = "misleading" if gains.min() < 0 < gains.max() else "holds"
    settle(verdict, -gains.min(), gains.max())


def test_d52(settle):
    few = {"samples": 128, "scale": None, "epochs": 3000}
    right = min(accuracies("set_sizes", vocabulary=v, **few).min() for v in (10, 100))
    large = accuracies("table1_rates", vocabulary=1000, samples=35_000, scale=None)
    verdict = "misleading" if right > 0.98 and large.min() > 0.9999 else "holds"
    said = "fewer fewer more", ROOT, "higher fewer"
    settle(verdict, *said, 128, int(100 * right), 10, 100, 1000, 35_000)


def test_d53(settle):
    """Where ten searches end, every training with its own start, and what their winners do."""
    rows = select(stored("fair_search"), vocabulary=10, searched="scale")
    *near, far = sorted(row["chosen"] for row in rows)
    again = sum(row["test_accuracy"] > 0.95 for row in rows)
    numbers = len(rows), len(near), near[0], near[-1], far, again, len(rows), 95
    settle((near[-1] / near[0] < 10, far == near[-1]), "every more above", *numbers)


def test_d54(settle):
    """Strings of 200: whether either number can be had with either scale, and at other rates."""
    old, new = (accuracies("table1", 200, scale=scale) for scale in (None, 0.16))
    assert could_be(old, "1.23", 200)
    counts = [(values > 0.95).sum() for values in (old, new)]
    lost = [(values < 0.02).sum() for values in (old, new)]
    no_gain = stats.mannwhitneyu(new, old, alternative="greater").pvalue > 0.05
    for scale in (None, 0.16):
        ends = {
            rate: accuracies("table1_rates", 200, scale=scale, learning_rate=rate)
            for rate in (1e-3, 3e-3, 1e-2)
        }
        assert {*ends[1e-3], *ends[3e-3]} == {1}
        assert ends[1e-2].max() < 0.0105
    numbers = counts[0], old.size, 95, lost[0], counts[1], lost[1], new.size, 2, 6, 20
    verdict = "misleading" if no_gain and min(counts + lost) else "holds"
    settle(verdict, ROOT, "above every every", 0.0005, *numbers)


def test_d59(settle):
    short = sorted({scale for _, length, _, scale, _ in PAPER if scale and length == 20})
    (long,) = {scale for _, length, _, scale, _ in PAPER if scale and length == 200}
    rows = select(stored("scale_sweep"), learning_rate=3e-3)
    tried = [row for row in rows if row["scale"] and 0.1 <= row["scale"] <= 15]
    assert min(row["test_accuracy"] for row in tried) > 0.99
    ends = min(row["scale"] for row in tried), max(row["scale"] for row in tried)
    near = all(4 < scale < 7 for scale in short)
    settle((near, near and long > 4), "every more", 20, *short, 200, long, 0.003, *ends, 99)


def test_d60(settle):
    """The five steps from ten starts, and a search of the learning rate for the old scale."""
    rows = stored("five_steps")
    assert {row["steps"].count(5) for row in rows} == {1}  # the old scale's only training
    found = {row["steps"].count(3) for row in rows}
    trainings = [len(row["steps"]) - 1 for row in rows]
    old = [100 * row["old_accuracy"] for row in rows]
    searched = select(stored("fair_search"), vocabulary=10, searched="rate")
    right = min(row["test_accuracy"] for row in searched) > 0.999
    counts = *sorted(found), min(trainings), max(trainings), len(rows)
    verdict = "misleading" if right and max(old) < 99.9 else "holds"
    settle(verdict, ROOT, ROOT, "every" if right else "", *counts, min(old), max(old))
