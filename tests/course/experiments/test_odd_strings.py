"""Strings of the five kinds are what their names say, and a model is tested on each."""

import numpy as np

from why_sqrt_d.ch6.runs import odd_run, odd_strings


def test_kinds_are_what_they_say() -> None:
    kinds = odd_strings(np.random.default_rng(0), 300, 7, 9)
    assert {tokens.shape for tokens in kinds.values()} == {(300, 9)}
    assert all(tokens.min() == 0 and tokens.max() == 6 for tokens in kinds.values())
    assert (np.ptp(kinds["one token"], axis=1) == 0).all()
    changes = (kinds["one other"] != np.median(kinds["one other"], axis=1)[:, None]).sum(axis=1)
    assert set(changes) == {0, 1}
    assert max(len(set(row)) for row in kinds["two tokens"].tolist()) == 2
    assert (np.diff(kinds["ascending"], axis=1) >= 0).all()
    np.testing.assert_array_equal(kinds["palindrome"], kinds["palindrome"][:, ::-1])
    assert len(np.unique(kinds["palindrome"], axis=0)) > 290


def test_a_run_measures_every_kind_and_can_be_repeated() -> None:
    settings = {"vocabulary": 3, "length": 4, "samples": 256, "scale": None, "epochs": 2}
    found = odd_run(seed=0, test_samples=40, odd_samples=20, learning_rate=3e-3, **settings)
    assert list(found["odd_accuracy"]) == list(odd_strings(np.random.default_rng(0), 1, 3, 4))
    assert all(0 <= x <= 1 for x in [found["test_accuracy"], *found["odd_accuracy"].values()])
    again = odd_run(seed=0, test_samples=40, odd_samples=20, learning_rate=3e-3, **settings)
    assert again == found
