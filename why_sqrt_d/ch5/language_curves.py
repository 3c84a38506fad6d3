"""The stored trainings of the language model: loss by rate, best and good rates.

Losses are nats a character, on validation text unless said, and infinite where a run diverged.
An arm is named by its settings, such as ``arm="none", start="textbook", d=64``.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any

import numpy as np

from attn_helpers.checks import Float64Array
from why_sqrt_d import DATA
from why_sqrt_d.rows import Row, select, stored

COMPARED = ("1/√d", "none", "1/d", "start only", "speed only", "both")
RATED_ARMS = (*COMPARED, "folded", "QK norm", "even")
RATES = (0.0005, 0.001, 0.002, 0.004, 0.008, 0.016, 0.032)
#: The map's starts and speeds of W_q and W_k, as powers of d = 64; None: never trained.
MAP_STARTS = {"as drawn": 0.0, "÷ 2.8": -1 / 4, "÷ 8": -1 / 2}
MAP_SPEEDS = {"never": None, "÷ 8": -1 / 2, "÷ 2.8": -1 / 4, "as all": 0.0, "× 2.8": 1 / 4}
MAP_RATES = (0.001, 0.002, 0.004, 0.008)
#: On plain text these fields of it are arms of "language_rates".
MAP_ARMS = {("as drawn", "as all"): "none", ("as drawn", "÷ 2.8"): "speed only"}
MAP_ARMS |= {("÷ 2.8", "as all"): "start only", ("÷ 2.8", "÷ 2.8"): "both"}
#: On the scale of a trained model, afterwards: its loss with each is in "bowls".
MULTIPLIERS = (0.0, 0.25, 0.35, 0.5, 0.7, 0.85, 1.0, 1.2, 2**0.5, 2.0, 8**0.5, 4.0, 8.0)


def whole_seeds(
    rows: Sequence[Row],
    arms: Sequence[str] = COMPARED,
    rates: Sequence[float] = RATES,
    **settings: Any,
) -> list[Row]:
    """Return the runs with these settings, of the seeds that all `arms` have at all `rates`."""
    chosen = select(rows, **settings)
    runs = Counter(row["seed"] for row in chosen if row["arm"] in arms and row["rate"] in rates)
    return [row for row in chosen if runs[row["seed"]] == len(arms) * len(rates)]


def by_rate(rows: Sequence[Row], **arm: Any) -> dict[float, Float64Array]:
    """Return the arm's losses at each learning rate: (seeds,)."""
    losses: dict[float, list[float]] = {}
    for row in select(rows, **arm):
        losses.setdefault(row["rate"], []).append(row.get("validation", np.inf))
    return {rate: np.array(losses[rate]) for rate in sorted(losses)}


def best_rate(rows: Sequence[Row], **arm: Any) -> float:
    """Return the rate with the lowest mean loss over the seeds."""
    losses = by_rate(rows, **arm)
    return min(losses, key=lambda rate: losses[rate].mean())


def good_rates(rows: Sequence[Row], **arm: Any) -> list[float]:
    """Return the rates whose mean loss is within 0.05 nats of the arm's best."""
    means = {rate: losses.mean() for rate, losses in by_rate(rows, **arm).items()}
    return [rate for rate, mean in means.items() if mean <= min(means.values()) + 0.05]


def more(runs: Iterable[Row], others: Iterable[Row], on: str = "test") -> Float64Array:
    """Return how much higher each run's loss is than that of the other run of its seed: (seeds,).

    `on` is "test", or "losses" for training text, of which the last twentieth counts. Both runs of
    a seed read the same strings.
    """

    def loss(run: Row) -> float:
        return float(run["losses"][-1] if on == "losses" else run[on])

    known = {run["seed"]: loss(run) for run in others}
    return np.array([loss(run) - known[run["seed"]] for run in runs])


def beyond_root(arm: str, start: str) -> Float64Array:
    """Return how many nats more than 1/√d the arm has on new text at the best rates: (seeds,)."""
    chosen = select(stored("language_chosen"), start=start)
    return more(select(chosen, arm=arm), select(chosen, arm="1/√d"))


def steps_to_match(arm: str, steps: int = 1000) -> list[int]:
    """Return, seed by seed, by which step 1/√d has the training loss at which the arm ends.

    Both are trained for so many `steps` on plain text, and read the same strings. Losses are means
    over a twentieth of the training; one twentieth beyond the last stands for never.
    """
    divided = {run["seed"]: run["losses"] for run in runs_by_length("text", "1/√d")[steps]}
    return [
        steps // 20 * (1 + int(np.append(np.array(low) <= run["losses"][-1], True).argmax()))
        for run in runs_by_length("text", arm)[steps]
        for low in [divided[run["seed"]]]
    ]


def by_length(task: str, arm: str) -> dict[int, Float64Array]:
    """Return the arm's losses on new text by how many steps it was trained: {steps: (runs,)}.

    On the task "copy" it is the loss on the second copy.
    """
    runs = runs_by_length(task, arm)
    return {n: np.array([row["test"] for row in ended]) for n, ended in runs.items()}


def runs_by_length(task: str, arm: str) -> dict[int, list[Row]]:
    """Return the arm's runs by their steps, from few to many.

    With 1000 steps these are seeds that chose no rate, where the arm has them. All others have the
    rate that was best for their first seed on validation text.
    """
    once = [*stored("start_and_speed_compared")]
    once += [row | {"task": "text"} for row in select(stored("language_chosen"), start="textbook")]
    compared = [row for row in once if (row["task"], row["arm"]) == (task, arm)]
    runs = {1000: compared} if compared else {}
    others = [
        row for row in stored("training_lengths") if (row["task"], row["arm"]) == (task, arm)
    ]
    for steps in {row["steps"] for row in others}:
        firsts = (row for row in others if (row["steps"], row["seed"]) == (steps, 0))
        runs[steps] = select(others, steps=steps, rate=best_run(firsts)["rate"])
    return dict(sorted(runs.items()))


def behind_root(arm: str, steps: int) -> Float64Array:
    """Return how many nats more than 1/√d the arm has on new text after so many steps: (seeds,).

    Both at their best rates. Arms that were not trained from seeds that chose no rate are compared
    after 1000 steps in those that did.
    """
    lengths = runs_by_length("text", arm)
    if steps == 1000 and arm in ("even", "none released"):
        rated = select(stored("language_rates"), start="textbook", d=64)
        roots = select(rated, arm="1/√d", rate=best_rate(rated, arm="1/√d"))
        even = select(rated, arm="even", rate=best_rate(rated, arm="even"))
        return more(even if arm == "even" else lengths[steps], roots)
    return more(lengths[steps], runs_by_length("text", "1/√d")[steps])


def sensitivity(rows: Sequence[Row], **arm: Any) -> float:
    """Return the mean over the rates of how far the arm's loss is above that at its best rate.

    Losses are means over seeds, and at most that of the start (Wortsman and others, 2023).
    """
    first = np.mean([row["log"][0]["loss"] for row in select(rows, **arm)])
    means = np.array([losses.mean() for losses in by_rate(rows, **arm).values()])
    return float(np.mean(np.minimum(means, first) - means.min()))


def map_fields(task: str) -> dict[tuple[str, str], Row]:
    """Return of each field of the map, (start, speed), the first seed's run at its best rate."""
    return {
        field: best_run(run for run in _runs_of_field(task, *field) if run["seed"] == 0)
        for field in product(MAP_STARTS, MAP_SPEEDS)
    }


def _runs_of_field(task: str, start: str, speed: str) -> list[Row]:
    """Return a field's runs at all its rates.

    On plain text those of `MAP_ARMS` are runs of "language_rates", at the map's four rates.
    """
    if task == "text" and (start, speed) in MAP_ARMS:
        arm = MAP_ARMS[start, speed]
        rows = select(stored("language_rates"), start="textbook", d=64, arm=arm)
        return [row for row in rows if row["rate"] in MAP_RATES]
    powers = {"start_power": MAP_STARTS[start], "speed_power": MAP_SPEEDS[speed]}
    return select(stored("start_and_speed"), task=task, **powers)


def learning_costs() -> dict[tuple[str, str], dict[float, Float64Array]]:
    """Return how many nats more each row of the map has if W_q and W_k learn than if they do not.

    {(start, speed): {rate: (seeds,)}}, on validation text of the task "text", in both at this rate
    of all else and from this start, in the seeds that have both.
    """
    costs: dict[tuple[str, str], dict[float, Float64Array]] = {}
    for start in MAP_STARTS:
        never = {
            (run["rate"], run["seed"]): run["validation"]
            for run in _runs_of_field("text", start, "never")
        }
        for speed in (name for name, power in MAP_SPEEDS.items() if power is not None):
            found: dict[float, list[float]] = {}
            for run in _runs_of_field("text", start, speed):
                if (key := (run["rate"], run["seed"])) in never:
                    found.setdefault(run["rate"], []).append(run["validation"] - never[key])
            costs[start, speed] = {rate: np.array(found[rate]) for rate in sorted(found)}
    return costs


def best_run(runs: Iterable[Row]) -> Row:
    """Return the run with the lowest loss on validation text, or on the second copy there."""
    return min(runs, key=lambda run: float(run["validation"]))


def clipped(rows: Sequence[Row]) -> float:
    """Return the per cent of the logged steps, after the first 30, with a clipped gradient."""
    late = [seen["grad"] > 1 for row in rows for seen in row["log"] if seen["step"] >= 30]
    return 100 * sum(late) / len(late)


def loss_of_pairs() -> float:
    """Return the validation loss of a model that knows how often each letter follows each other.

    It counts pairs in the first 90 % of Shakespeare's text, a tenth more than there are so that
    none has probability zero, and reads the next 5 %, as the language model does.
    """
    text = (DATA / "shakespeare.txt").read_text(encoding="utf-8")
    letters, codes = np.unique(list(text), return_inverse=True)
    train, read = np.split(codes, [int(0.9 * codes.size), int(0.95 * codes.size)])[:2]
    counts = np.full((letters.size, letters.size), 0.1)
    np.add.at(counts, (train[:-1], train[1:]), 1)
    shares = counts / counts.sum(axis=1, keepdims=True)
    return float(-np.log(shares[read[:-1], read[1:]]).mean())
