"""The stored runs are what the code computes: a digest of each file, and a row of each run again.

Which row is drawn anew each day. Runs that take long are run in part: of a training of the
reversing transformer the first tenth, of a language model's ten steps of a thousand, of a search
the first; and of the stores in TURNS one is taken a day. Heads are left out from a rate of 0.03
on, undivided ones from 0.01: rounding grows there. `make rows STORE=name` runs all rows of one.
"""

import random
from collections.abc import Callable
from datetime import date
from typing import Any

import pytest

from why_sqrt_d import DATA
from why_sqrt_d.ch6 import runs, scale_search
from why_sqrt_d.encoder import Training
from why_sqrt_d.experiments.definition import all_experiments
from why_sqrt_d.experiments.store import digest, digests, same, stored

STORES = sorted(path.stem for path in DATA.glob("*.jsonl"))
BUDGET = 1.0  # seconds that a run took when it was stored
TURNS = [name for name in STORES if name.startswith("language")]
TURNS += ["fair_search", "five_steps", "odd_strings"]


def test_the_files_are_those_that_were_stored() -> None:
    """After a wanted change: delete the line, then `-m why_sqrt_d.experiments NAME --seeds 0`."""
    assert digests() == {f"{name}.jsonl": digest(DATA / f"{name}.jsonl") for name in STORES}


class FirstTenth(Training):
    """A training that stands still after a tenth of its steps."""

    def step(self) -> None:
        if len(self.losses) < round(self.settings.steps / 10):
            return super().step()
        self.losses.append(0.0)
        return self.accuracies.append(0.0)

    def test(self, samples: int) -> float:
        return 0.0


@pytest.mark.parametrize("name", STORES)
def test_a_stored_row_can_be_computed_again(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if name in TURNS and name != TURNS[date.today().toordinal() % len(TURNS)]:
        pytest.skip("not today")
    experiment, tail, share = all_experiments()[name], None, 1.0
    if experiment.run is runs.reverse_run:  # of eleven probes two, and of ten means one
        monkeypatch.setattr(runs, "Training", FirstTenth)
        tail, share = -9, 0.1
    elif name.startswith("language"):
        from why_sqrt_d import language_model

        def ten_steps(*given: Any, follow: Callable = language_model.follow) -> Any:
            state = follow(*given[:2], 10, *given[3:])
            given[-1]["diverged"] = 10  # as if: so that nothing more is done
            return state

        monkeypatch.setattr(language_model, "follow", ten_steps)
        share = 0.0
    elif name in ("five_steps", "fair_search"):  # the first training of the search
        first: dict[str, Any] = {"chosen_samples": 128, "chosen_scale": 1.0}
        monkeypatch.setattr(scale_search, "nine_trials", lambda score: {1.0: score(1.0)})
        monkeypatch.setattr(
            scale_search,
            "five_steps",
            lambda train, sizes, **_: first | {"accuracies": [train(sizes[0], 1.0)]},
        )
        share = 0.0
    rows = [row for row in stored(name) if row.get("rule") != "search"]  # slow in part, too
    rows = [row for row in rows if "spread_after" not in row or row["rate"] < 0.03]
    rows = [row for row in rows if row.get("rate") != 0.01 or row.get("power")]
    quick = [row for row in rows if share * row["seconds"] < BUDGET]
    quick = quick or sorted(rows, key=lambda row: row["seconds"])[:2]
    known = random.Random(f"{date.today()} {name}").choice(quick)
    settings = {key: known[key] for key in ("seed", *experiment.fixed, *experiment.rows[0])}
    found = dict(experiment.run(**settings))
    if share < 1:
        found = {key: value[:tail] for key, value in found.items() if isinstance(value, list)}
    for key, value in found.items():
        told = known[key][: len(value)] if share < 1 else known[key]
        assert same(value, told), f"{key} of {settings}"
