"""The stored runs behind the ledger: no row can be changed without a test that fails."""

import json
from collections import defaultdict
from typing import Any

import numpy as np
import pytest

from why_sqrt_d.experiments import stored
from why_sqrt_d.experiments.definition import all_experiments

TRAININGS = (
    "table1",
    "table1_rates",
    "scale_sweep",
    "set_sizes",
    "measured_scale",
    "scale_places",
    "other_places",
)
# The first row of each is computed again, or the first that takes little time.
AGAIN: dict[str, dict[str, Any]] = {
    "saturation": {},
    "phases": {},
    "shares": {},
    "gradient_flow": {"d": 4, "n": 4},
    "gradient_scale": {},
    "gradient_puzzle": {},
    "needle": {},
    "lengths": {},
    "scaling_ablation": {"d": 16, "power": 0.0, "rate": 0.01, "seed": 1},
    "folded_scale": {"d": 16},
    "start_or_rate": {},
    "set_sizes": {"samples": 128, "epochs": 10, "scale": 5.0},
    "short_budget": {},
}


def test_a_run_that_several_experiments_share_is_the_same_in_all() -> None:
    """One setting, 1/√d or β with nothing else changed, is stored in up to five of them."""
    runs: dict[str, list[dict]] = defaultdict(list)
    names = ("vocabulary", "length", "samples", "epochs", "learning_rate", "seed")
    plain = {"rule": None, "query_key_gain": 1, "query_key_rate": 1}
    for name in TRAININGS:
        for row in stored(name):
            if all(row.get(key, value) == value for key, value in plain.items()):
                setting = {key: row[key] for key in names} | {"scale": row.get("scale")}
                runs[json.dumps(setting)].append(row)
    shared = [rows for rows in runs.values() if len(rows) > 1]
    assert len(shared) > 40
    for rows in shared:
        first, *others = rows
        for other in others:  # training magnifies the last digits, by processor and library
            assert other["logit_std"][0] == pytest.approx(first["logit_std"][0], rel=1e-5)
            assert other["train_loss"][0] == pytest.approx(first["train_loss"][0], rel=1e-3)
            assert other["test_accuracy"] == pytest.approx(first["test_accuracy"], rel=0.03)


@pytest.mark.parametrize("name", AGAIN)
def test_a_stored_row_can_be_computed_again(name: str) -> None:
    experiment = all_experiments()[name]
    for settings in experiment.settings():
        row = {**experiment.fixed, **settings}
        if AGAIN[name].items() <= row.items():
            break
    (known,) = (r for r in stored(name) if row.items() <= r.items())
    for result, value in experiment.run(**row).items():
        if isinstance(value, str):
            assert known[result] == value
        else:
            np.testing.assert_allclose(known[result], value, rtol=2e-3, atol=1e-5)
