"""Which of start and speed √d's absence costs, for how long, and on which task: six experiments.

What was to be compared was written down before: `research/plans/start-and-speed.md`.
"""

from itertools import product
from typing import Any

from research.ch5.language_runs import BEST as BEST_ON_TEXT
from research.ch5.language_runs import run
from research.ch5.settings import TASKS, Arm
from research.experiments.definition import Experiment, Settings
from why_sqrt_d.ch5.language_curves import MAP_ARMS, MAP_RATES, MAP_SPEEDS, MAP_STARTS

LENGTHS = (500, 1000, 2000, 4000, 8000, 16000)
#: Fields whose best of these on the copy is the lowest: one lower is tried.
WITH_A_LOWER_RATE = [*product(MAP_STARTS.values(), (0.0, 1 / 4)), (-1 / 2, -1 / 4)]
#: Of each arm that is trained for several lengths the best rate at 1000 steps on the text, or a
#: guess: the rates of a length lie around it.
MIDDLE_RATE = {arm: BEST_ON_TEXT["textbook", arm] for arm in ("1/√d", "none", "1/d", "start only")}
MIDDLE_RATE |= {
    "even": 0.004,
    "1/√d frozen": 0.008,
    "none frozen": 0.004,
    "none released": 0.002,
}
#: The undivided model copies in the end: in how many seeds?
LATE_COPY: Settings = {"task": "copy", "arm": "none", "steps": 8000, "rate": 0.0005}
#: The best rate at 4000 steps of text lies above those declared for 8000: it is tried, too.
HIGHER_RATE: Settings = {"task": "text", "arm": "none", "steps": 8000, "rate": 0.001}
#: Long trainings on the text at their best rates: the difference has an interval.
TEXT_COMPARED: list[Settings] = [
    {"task": "text", "arm": arm, "steps": steps, "rate": rate}
    for arm, steps, rate in (
        ("1/√d", 4000, 0.002),
        ("none", 4000, 0.001),
        ("1/√d", 8000, 0.002),
        ("none", 8000, 0.0005),
    )
]
FIXED: Settings = {"steps": 1000, "d": 64, "start": "textbook"}
#: Powers of d on W_q and W_k whose undivided logits begin with a spread of 2, 2.8, 4 and 5.7.
BETWEEN = (-1 / 6, -1 / 8, -1 / 12, -1 / 24)
BETWEEN_RATES = (0.0005, 0.001, 0.002)
#: What is done otherwise than in the other runs on the copy; the head is 64 wide elsewhere.
CONDITIONS: list[Settings] = [
    {"start": "GPT-2"},
    {"d": 16},
    {"d": 128},
    {"warmup": 500},
    {"decay": 0.1},
]
USUAL: Settings = {"start": "textbook", "d": 64, "warmup": 50, "decay": 0.0}
CONDITION_RATES = {"1/√d": (0.002, 0.004), "none": (0.0005, 0.001)}
#: On plain text the best rates from GPT-2's start are higher: these are tried, too.
RATES_FROM_SMALL_START = (("none", 0.002), ("none", 0.004), ("1/√d", 0.008))


def run_field(*, start_power: float, speed_power: float | None, **settings: Any) -> dict[str, Any]:
    """Train with β = 1, W_q and W_k at the start times d^start_power, at a rate d^speed_power."""
    speed = float("-inf") if speed_power is None else speed_power
    return run(arm=Arm(start_q=start_power, start_k=start_power, speed=speed), **settings)


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


def _rates_of(arm: str, steps: int) -> tuple[float, ...]:
    """Return the rates around the best at 1000 steps: lower ones for longer runs."""
    middle = MIDDLE_RATE[arm] * (1 if steps <= 1000 else 0.5)
    return (middle / 2, middle, 2 * middle) if steps <= 4000 else (middle / 2, middle)


def _seeds_of_length(row: Settings, seeds: int) -> int:
    """Return one seed for a long training, all for those that are compared."""
    compared = row == LATE_COPY or row in TEXT_COMPARED
    return seeds if row["steps"] <= 2000 or compared else min(seeds, 1)


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
            for task, steps, arm in product(TASKS, LENGTHS, MIDDLE_RATE)
            for rate in _rates_of(arm, steps)
        ]
        + [LATE_COPY | {"arm": "1/√d"}, HIGHER_RATE],
        seeds=2,
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
        name="copy_conditions",
        purpose="a copied passage with another start, head, warm-up or weight decay",
        run=run,
        rows=[
            USUAL | condition | {"arm": arm, "rate": rate}
            for condition in CONDITIONS
            for arm, rates in CONDITION_RATES.items()
            for rate in rates
        ]
        + [
            USUAL | {"start": "GPT-2", "arm": arm, "rate": rate}
            for arm, rate in RATES_FROM_SMALL_START
        ],
        seeds=2,
        fixed={"task": "copy", "steps": 1000},
        agreement=None,
    ),
    Experiment(
        name="gpt2_start",
        purpose="GPT-2's start: a copied passage for longer, and plain text at GPT-2's width",
        run=run,
        rows=[
            {"task": "text", "width": 768, "strings": 8, "steps": 1000, "arm": arm, "rate": rate}
            for arm in ("1/√d", "none", "1/d")
            for rate in (0.000125, 0.00025, 0.0005, 0.001, 0.002)
        ]
        + [
            {"task": "copy", "width": 128, "strings": 32, "steps": 4000, "arm": arm, "rate": rate}
            for arm, rates in CONDITION_RATES.items()
            for rate in rates
        ],
        seeds=1,
        fixed={"start": "GPT-2", "d": 64},
        agreement=None,
        cost=lambda settings: float(settings["steps"]),
    ),
)
