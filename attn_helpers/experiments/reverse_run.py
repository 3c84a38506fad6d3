"""One run of the reverse task, as the stored experiments keep it."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from itertools import pairwise
from typing import Any

import numpy as np

from attn_helpers.attention_probe import probe_attention
from attn_helpers.experiments.definition import Settings
from attn_helpers.training import Training, TrainingSettings, measure_accuracy

PROBED = 64  # strings on which the attention is measured after each epoch


def short(values: Iterable[float]) -> list[float]:
    """Return the numbers with six significant digits, so that the files stay readable."""
    return [float(f"{value:.6g}") for value in values]


def reverse_run(*, seed: int, test_samples: int, **settings: Any) -> dict[str, Any]:
    """Train once and measure.

    Parameters
    ----------
    seed : int
        As for `Training`.
    test_samples : int
        New strings on which the trained model is tested.
    **settings
        Those of `TrainingSettings`.

    Returns
    -------
    dict
        "test_accuracy"; "train_accuracy" and "train_loss", the mean over each epoch's steps; and
        the measurements of `AttentionProbe` as lists, before the first epoch and after each.
    """
    run = Training(TrainingSettings(**settings), seed)
    probed, _ = run.unseen(PROBED)
    probes = [asdict(probe_attention(run.params, probed, run.model))]
    for _ in range(run.settings.epochs):
        run.epoch()
        probes.append(asdict(probe_attention(run.params, probed, run.model)))
    unseen = run.unseen(test_samples)
    ends = range(0, run.settings.steps + 1, run.settings.steps // run.settings.epochs)
    return {
        "test_accuracy": measure_accuracy(run.params, *unseen, run.model),
        "train_accuracy": _means(run.accuracies, ends),
        "train_loss": _means(run.losses, ends),
        **{name: short(probe[name] for probe in probes) for name in probes[0]},
    }


def _means(values: Sequence[float], ends: Iterable[int]) -> list[float]:
    return short(float(np.mean(values[first:last])) for first, last in pairwise(ends))


def training_cost(settings: Settings) -> float:
    """Return about how many multiplications a run takes."""
    d = settings["length"]
    per_token = d * (settings["vocabulary"] + 12 * d)
    return float(settings["samples"] * d * per_token * settings.get("epochs", 10))
