"""Which of start and speed √d's absence costs, for how long, and on which task: nine experiments.

What was to be compared was written down before: `research/plans/start-and-speed.md`.
"""

from itertools import product
from typing import Any

from research.ch5.language_runs import run
from research.ch5.settings import TASKS, Arm
from research.experiments.definition import Experiment, Settings
from why_sqrt_d.ch5.language_curves import MAP_ARMS, MAP_RATES, MAP_SPEEDS, MAP_STARTS

#: Fields whose best of these on the copy is the lowest: one lower is tried.
WITH_A_LOWER_RATE = [*product(MAP_STARTS.values(), (0.0, 1 / 4)), (-1 / 2, -1 / 4)]
#: What is trained for another length than the map: at which rates, with how many seeds. The best
#: rate of several is known from the first seed, and the others are trained at it alone.
LENGTHS = (
    ("text", "1/√d", 500, (0.004, 0.008), 1),
    ("text", "none", 500, (0.001, 0.002), 1),
    ("text", "1/d", 500, (0.004, 0.008), 1),
    ("text", "start only", 500, (0.002, 0.004), 1),
    ("text", "even", 500, (0.004, 0.008), 1),
    ("text", "1/√d frozen", 500, (0.008, 0.016), 1),
    ("text", "none frozen", 500, (0.004, 0.008), 1),
    ("text", "none released", 1000, (0.001, 0.002), 1),
    ("text", "1/√d", 2000, (0.002,), 2),
    ("text", "none", 2000, (0.001,), 2),
    ("text", "none", 2000, (0.0005,), 1),
    ("text", "1/√d", 4000, (0.002,), 3),
    ("text", "none", 4000, (0.001,), 3),
    ("text", "none", 4000, (0.0005,), 1),
    ("text", "1/d", 4000, (0.002,), 1),
    ("text", "start only", 4000, (0.001,), 1),
    ("text", "even", 4000, (0.002,), 1),
    ("text", "1/√d frozen", 4000, (0.004,), 2),
    ("text", "1/√d frozen", 4000, (0.008,), 1),
    ("text", "none frozen", 4000, (0.004,), 2),
    ("text", "none frozen", 4000, (0.002,), 1),
    ("text", "none released", 4000, (0.001, 0.002), 1),
    ("text", "1/√d", 8000, (0.002,), 3),
    ("text", "1/√d", 8000, (0.001,), 1),
    ("text", "none", 8000, (0.0005,), 3),
    ("text", "none", 8000, (0.001,), 1),
    ("text", "1/√d", 16000, (0.001,), 1),
    ("text", "none", 16000, (0.0005,), 1),
    ("copy", "1/√d", 2000, (0.002,), 1),
    ("copy", "none", 2000, (0.0005, 0.001), 1),
    ("copy", "even", 2000, (0.002,), 1),
    ("copy", "1/√d", 4000, (0.002,), 1),
    ("copy", "none", 4000, (0.0005, 0.001), 1),
    ("copy", "1/√d", 8000, (0.0005,), 1),
    ("copy", "none", 8000, (0.0005,), 3),
)
SEEDS_OF_LENGTH = {
    (task, arm, steps, rate): seeds for task, arm, steps, rates, seeds in LENGTHS for rate in rates
}
FIXED: Settings = {"steps": 1000, "d": 64, "start": "textbook"}
#: Powers of d on W_q and W_k whose undivided logits begin with a spread of 2, 2.8, 4 and 5.7.
BETWEEN = (-1 / 6, -1 / 8, -1 / 12, -1 / 24)
BETWEEN_RATES = (0.0005, 0.001, 0.002)
USUAL: Settings = {"start": "textbook", "d": 64, "warmup": 50, "decay": 0.0}
RatesOfArms = dict[str, tuple[float, ...]]
COPY_RATES: RatesOfArms = {
    "1/√d": (0.002, 0.004),
    "none": (0.0005, 0.001),
    "QK norm": (0.002,),
    "1/d": (0.002,),
}
TEXT_RATES: RatesOfArms = {"1/√d": (0.004,), "none": (0.001, 0.002)}
#: What is done otherwise, on a task, and at which rates, around an arm's best in the usual way.
CONDITIONS: list[tuple[str, Settings, RatesOfArms]] = [
    ("copy", {}, {"QK norm": (0.002, 0.004)}),
    ("copy", {"start": "GPT-2"}, {"1/√d": (0.002, 0.004, 0.008), "none": (0.0005, 0.001, 0.002)}),
    ("copy", {"d": 16}, COPY_RATES),
    ("copy", {"d": 128}, COPY_RATES),
    ("copy", {"warmup": 500}, COPY_RATES),
    ("copy", {"decay": 0.1}, COPY_RATES),
    ("text", {"warmup": 500}, TEXT_RATES),
    ("text", {"decay": 0.1}, TEXT_RATES),
]
#: From GPT-2's start: task, width, strings in a batch and steps, with each arm's rates.
GPT2_STARTS: dict[tuple[str, int, int, int], RatesOfArms] = {
    ("text", 768, 8, 1000): {
        "1/√d": (0.00025, 0.0005, 0.001),
        "none": (0.0000625, 0.000125, 0.00025, 0.0005, 0.001),
        "1/d": (0.0005, 0.001),
    },
    ("copy", 128, 32, 4000): {"1/√d": (0.002, 0.004), "none": (0.0005,)},
}


def run_field(*, start_power: float, speed_power: float | None, **settings: Any) -> dict[str, Any]:
    """Train with β = 1, W_q and W_k at the start times d^start_power, at a rate d^speed_power."""
    return run_uneven(moved=0.0, start_power=start_power, speed_power=speed_power, **settings)


def run_uneven(
    *, moved: float, start_power: float, speed_power: float | None, **settings: Any
) -> dict[str, Any]:
    """Train as `run_field` does, with a factor of d^moved taken from W_q and given to W_k.

    The logits start the same, but a step of W_q meets larger keys.
    """
    speed = float("-inf") if speed_power is None else speed_power
    arm = Arm(start_q=start_power - moved, start_k=start_power + moved, speed=speed)
    return run(arm=arm, **settings)


def run_compared(*, seed: int, **settings: Any) -> dict[str, Any]:
    """Train one arm with a seed that chose no rate."""
    return run(seed=100 + seed, **settings)


#: Of each arm the rate in `MAP_RATES` with the lowest loss on validation text of seed 0.
BEST_OF_MAP = {
    ("copy", "1/√d"): 0.002,
    ("copy", "none"): 0.001,
    ("copy", "1/√d frozen"): 0.002,
    ("copy", "none frozen"): 0.008,
    ("copy", "start only"): 0.001,
    ("copy", "1/d"): 0.002,
    ("copy", "1/d frozen"): 0.002,
    ("text", "1/√d frozen"): 0.008,
    ("text", "none frozen"): 0.004,
}


def _seeds_of_field(row: Settings, seeds: int) -> int:
    """Return more seeds for what page 5b compares learning with: W_q and W_k never trained."""
    compared = (
        row["task"] == "text" and row["speed_power"] is None and row["start_power"] >= -1 / 4
    )
    return seeds if compared else min(seeds, 1)


def _seeds_of_length(row: Settings, seeds: int) -> int:
    """Return how many seeds a training of another length gets."""
    return min(seeds, SEEDS_OF_LENGTH[row["task"], row["arm"], row["steps"], row["rate"]])


EXPERIMENTS = (
    Experiment(
        name="start_and_speed",
        purpose="the start and the speed of W_q and W_k apart, on text and on a copied passage",
        run=run_field,
        rows=[
            {
                "task": task,
                "start_power": MAP_STARTS[start],
                "speed_power": MAP_SPEEDS[speed],
                "rate": rate,
            }
            for task, start, speed, rate in product(TASKS, MAP_STARTS, MAP_SPEEDS, MAP_RATES)
            if task == "copy" or (start, speed) not in MAP_ARMS
        ]
        + [
            {"task": "copy", "start_power": start, "speed_power": speed, "rate": 0.0005}
            for start, speed in WITH_A_LOWER_RATE
        ],
        seeds=2,
        fixed=FIXED,
        agreement=None,
        seeds_of=_seeds_of_field,
    ),
    Experiment(
        name="start_and_speed_compared",
        purpose="arms of the map at their own best rates, with seeds that chose none",
        run=run_compared,
        rows=[
            {"task": task, "arm": arm, "rate": rate} for (task, arm), rate in BEST_OF_MAP.items()
        ],
        seeds=5,
        fixed=FIXED,
        agreement=None,
    ),
    Experiment(
        name="training_lengths",
        purpose="arms trained for up to 16 000 steps, on text and on a copied passage",
        run=run,
        rows=[
            {"task": task, "arm": arm, "steps": steps, "rate": rate}
            for task, arm, steps, rate in SEEDS_OF_LENGTH
        ],
        seeds=3,
        fixed={name: FIXED[name] for name in ("d", "start")},
        agreement=None,
        cost=lambda settings: float(settings["steps"]),
        seeds_of=_seeds_of_length,
    ),
    Experiment(
        name="starts_between",
        purpose="starts between the wide and the calm one, trained on a copied passage",
        run=run_field,
        rows=[
            {"start_power": start, "rate": rate} for start, rate in product(BETWEEN, BETWEEN_RATES)
        ],
        seeds=2,
        fixed=FIXED | {"task": "copy", "speed_power": 0.0},
        agreement=None,
    ),
    Experiment(
        name="conditions",
        purpose="both tasks with another start, head, warm-up or weight decay",
        run=run,
        rows=[
            {"task": task} | USUAL | changed | {"arm": arm, "rate": rate}
            for task, changed, arms in CONDITIONS
            for arm, rates in arms.items()
            for rate in rates
        ],
        seeds=1,
        fixed={"steps": 1000},
        agreement=None,
    ),
    Experiment(
        name="gpt2_start",
        purpose="GPT-2's start: a copied passage for longer, and plain text at GPT-2's width",
        run=run,
        rows=[
            {"task": task, "width": width, "strings": strings, "steps": steps}
            | {"arm": arm, "rate": rate}
            for (task, width, strings, steps), arms in GPT2_STARTS.items()
            for arm, rates in arms.items()
            for rate in rates
        ],
        seeds=1,
        fixed={"start": "GPT-2", "d": 64},
        agreement=None,
        cost=lambda settings: float(settings["steps"]),
    ),
    Experiment(
        name="larger_model",
        purpose="plain text, four layers of width 256",
        run=run,
        rows=[
            {"arm": arm, "rate": rate}
            for arm, rates in (
                ("1/√d", (0.0005, 0.001, 0.002)),
                ("none", (0.00025, 0.0005, 0.001)),
            )
            for rate in rates
        ],
        seeds=1,
        fixed=FIXED | {"task": "text", "layers": 4, "width": 256, "strings": 8},
        agreement=None,
    ),
    Experiment(
        name="uneven_starts",
        purpose="plain text from one start of the logits, by a smaller W_q and a larger W_k",
        run=run_uneven,
        rows=[
            {"moved": moved, "rate": rate}
            for moved, rate in product((1 / 4, 1 / 2), (0.002, 0.004))
        ],
        seeds=2,
        fixed=FIXED | {"task": "text", "start_power": -1 / 4, "speed_power": -1 / 4},
        agreement=None,
    ),
    Experiment(
        name="cancelled_start",
        purpose="plain text from a calm start of matrices as large as drawn",
        run=run,
        rows=[
            {"arm": arm, "rate": rate}
            for arm in ("cancelled", "cancelled slow", "cancelled frozen")
            for rate in (0.0005, 0.001, 0.002, 0.004)
            if arm == "cancelled" or rate > 0.0005
        ],
        seeds=2,
        fixed=FIXED | {"task": "text"},
        agreement=None,
    ),
)
