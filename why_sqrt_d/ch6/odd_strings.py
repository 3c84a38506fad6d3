"""Perfect models on strings that chance hardly ever draws."""

from typing import Any

import numpy as np

from why_sqrt_d.ch6.runs import training_cost
from why_sqrt_d.ch6.table import FIXED
from why_sqrt_d.encoder.task import IntArray
from why_sqrt_d.encoder.training import Training, TrainingSettings, measure_accuracy
from why_sqrt_d.experiments.definition import Experiment, Settings


def odd_strings(
    rng: np.random.Generator, samples: int, vocabulary: int, length: int
) -> dict[str, IntArray]:
    """Return strings of five kinds that random strings hardly ever are.

    Parameters
    ----------
    rng : numpy.random.Generator
        Where the tokens come from.
    samples, vocabulary, length : int
        How many strings of a kind, of how many different tokens, how long.

    Returns
    -------
    dict from kind to ndarray of int64, shape ``(samples, length)``
        "one token" throughout; "one other": that with one place changed; "two tokens" mixed;
        "ascending"; and "palindrome".
    """
    shape = (samples, length)
    drawn = rng.integers(vocabulary, size=shape)
    one = np.repeat(drawn[:, :1], length, axis=1)
    changed = one.copy()
    changed[np.arange(samples), rng.integers(length, size=samples)] = drawn[:, 1]
    mixed = np.where(rng.random(shape) < 0.5, drawn[:, :1], drawn[:, 1:2])
    mirrored = np.where(np.arange(length) < length / 2, drawn, drawn[:, ::-1])
    return {
        "one token": one,
        "one other": changed,
        "two tokens": mixed,
        "ascending": np.sort(drawn, axis=1),
        "palindrome": mirrored,
    }


def odd_run(*, seed: int, test_samples: int, odd_samples: int, **settings: Any) -> dict[str, Any]:
    """Train once; return the accuracy on random strings and on each kind of odd ones."""
    run = Training(TrainingSettings(**settings), seed)
    run.finish()
    kinds = odd_strings(
        np.random.default_rng([seed, 1]), odd_samples, run.model.vocabulary, run.model.length
    )
    return {
        "test_accuracy": measure_accuracy(run.params, *run.unseen(test_samples), run.model),
        "odd_accuracy": {
            kind: measure_accuracy(run.params, tokens, tokens[:, ::-1], run.model)
            for kind, tokens in kinds.items()
        },
    }


def grid(seeds: int) -> list[Settings]:
    """Return two tasks of the table with d^-1/2."""
    return [
        {"vocabulary": vocabulary, "length": 20, "samples": samples, "scale": None, "seed": seed}
        for vocabulary, samples in ((10, 8_000), (100, 15_000))
        for seed in range(seeds)
    ]


EXPERIMENTS = (
    Experiment(
        name="odd_strings",
        purpose="Perfect models on strings that chance hardly draws.",
        run=odd_run,
        grid=grid,
        seeds=10,
        fixed={**FIXED, "learning_rate": 3e-3, "odd_samples": 2_000},
        cost=training_cost,
    ),
)
