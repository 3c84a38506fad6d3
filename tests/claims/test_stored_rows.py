"""The stored runs are what the code computes: a digest of each file, and rows of each run again.

A row of each store, always the same. How much of a row is compared its experiment says: all
results within its `agreement`, or, of a training whose end belongs to one processor, the losses of
some first steps. Runs that take long are left to `make rows STORE=name`, which takes all.
"""

import random
from collections.abc import Callable
from typing import Any

import pytest

from research.ch7 import reverse_runs as runs
from research.ch7 import scale_search
from research.experiments.definition import EARLY, Experiment, all_experiments, early
from research.experiments.store import digest, digests, same
from why_sqrt_d import DATA
from why_sqrt_d.encoder import Training
from why_sqrt_d.rows import Row, stored

STORES = sorted(path.stem for path in DATA.glob("*.jsonl") if path.stem in all_experiments())
BUDGET = 1.0  # seconds that a run took when it was stored


def test_the_files_are_those_that_were_stored() -> None:
    """After a wanted change: delete the line, then `-m research.experiments NAME --seeds 0`."""
    found = {f"{name}.jsonl": digest(DATA / f"{name}.jsonl") for name in STORES}
    assert found == {name: told for name, told in digests().items() if name in found}


class Enough(Exception):
    """Raised with the early losses of a training that has made its first steps."""


class FirstSteps(Training):
    """A training that ends itself after the last step whose loss is compared."""

    def step(self) -> None:
        super().step()
        if len(self.losses) == EARLY[-1]:
            raise Enough(early(self.losses))


def first_losses(experiment: Experiment, row: Row, patch: pytest.MonkeyPatch) -> list[float]:
    """Make a training's first steps again and return what its row has under "early"."""
    settings = {key: row[key] for key in ("seed", *experiment.fixed, *experiment.rows[0])}
    if "window" in settings:
        settings |= {"steps": EARLY[-1], "window": EARLY[-1]}
        return experiment.run(**settings)["early"]
    for module in (runs, scale_search):
        patch.setattr(module, "Training", FirstSteps)
    with pytest.raises(Enough) as found:
        experiment.run(**settings)
    return found.value.args[0]


def first_steps(experiment: Experiment, row: Row, patch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Make ten steps of a language model and return its log and its early losses.

    What was stored before "early" was has the log alone, at the start and after ten steps.
    """
    import jax

    from research.ch5 import language_model

    def ten_steps(*given: Any, follow: Callable = language_model.follow) -> Any:
        state = follow(*given[:2], 10, *given[3:])
        given[5]["diverged"] = 10  # as if: so that nothing more is done
        return state

    patch.setattr(language_model, "follow", ten_steps)
    if "early" in row:
        patch.setattr(language_model, "LOGGED", (0,))
    settings = {key: row[key] for key in ("seed", *experiment.fixed, *experiment.rows[0])}
    # One compiled function serves most stores, and then runs twice as fast.
    jax.config.update("jax_disable_most_optimizations", False)
    try:
        return dict(experiment.run(**settings))
    finally:
        jax.config.update("jax_disable_most_optimizations", True)


@pytest.mark.parametrize("name", STORES)
def test_a_stored_row_can_be_computed_again(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    experiment, rows = all_experiments()[name], stored(name)
    if experiment.agreement is not None:
        quick = [row for row in rows if row["seconds"] < BUDGET]
        rows = quick or sorted(rows, key=lambda row: row["seconds"])[:1]
    row = random.Random(name).choice(rows)
    if "log" in row:
        found = first_steps(experiment, row, monkeypatch)
        told = {"log": row["log"][: len(found["log"])]}
        if "early" in row:  # of steps 1, 2, 5 and 10
            told["early"] = row["early"][:4]
        found = {key: found[key] for key in told}
    elif experiment.agreement is None:
        found, told = {"early": first_losses(experiment, row, monkeypatch)}, row
    else:
        settings = {key: row[key] for key in ("seed", *experiment.fixed, *experiment.rows[0])}
        found, told = dict(experiment.run(**settings)), row
    for key, value in found.items():
        near = 1e-3 if key == "log" else experiment.agreement  # it has four digits
        assert same(value, told[key], near), f"{key} of seed {row['seed']}: {value}, {row}"
