"""The stored runs behind the ledger are what the code computes."""

from typing import Any

import numpy as np
import pytest

from why_sqrt_d.experiments import stored
from why_sqrt_d.experiments.definition import all_experiments

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
