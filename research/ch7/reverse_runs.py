"""One run of the reverse task, as the stored experiments keep it."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from itertools import pairwise
from typing import Any

import numpy as np

from research.ch7.scale_rules import RULES, probe_attention
from research.experiments.definition import Settings, early
from why_sqrt_d.digits import short
from why_sqrt_d.encoder import IntArray, Training, TrainingSettings, measure_accuracy

PARTS = 10  # of a run, between measurements
PROBED = 64  # strings on which the attention is measured and a rule sets β


def reverse_run(
    *,
    seed: int,
    test_samples: int,
    rule: str | None = None,
    every: str = "epoch",
    **settings: Any,
) -> dict[str, Any]:
    """Train once with these `TrainingSettings` and measure.

    A `rule` of `RULES` sets β anew before `every` "epoch" or "batch". Returned are the
    "test_accuracy" on new strings; "early", the losses of some first steps; then a list each, of
    the run's ten equal parts (the epochs, if there are ten): "train_accuracy" and "train_loss",
    means over the part's steps; "scales", with a rule, β at the part's end; and what
    `AttentionProbe` measures, at the start and after each.
    """
    run, scales = Training(TrainingSettings(**settings), seed), []
    probed, answers = run.unseen(PROBED)
    probes = [asdict(probe_attention(run.params, probed, run.model))]
    marks = np.linspace(0, run.settings.steps, PARTS + 1).round().astype(int).tolist()
    wait = 1 if every == "batch" else run.settings.steps // run.settings.epochs
    for step in range(run.settings.steps):
        if rule is not None and step % wait == 0:
            scale = RULES[rule](run.params, probed, answers, run.model)
            run.model = replace(run.model, scale=scale)
        run.step()
        if step + 1 in marks:
            scales.append(run.model.beta)
            probes.append(asdict(probe_attention(run.params, probed, run.model)))
    return {
        "test_accuracy": run.test(test_samples),
        "early": early(run.losses),
        "train_accuracy": _means(run.accuracies, marks),
        "train_loss": _means(run.losses, marks),
        **({} if rule is None else {"scales": short(scales)}),
        **{name: short(probe[name] for probe in probes) for name in probes[0]},
    }


def _means(values: Sequence[float], ends: Iterable[int]) -> list[float]:
    return short(float(np.mean(values[first:last])) for first, last in pairwise(ends))


def accuracy_run(*, seed: int, test_samples: int, **settings: Any) -> dict[str, Any]:
    """Train once; return the accuracy on new strings, and some early losses."""
    run = Training(TrainingSettings(**settings), seed).finish()
    return {"test_accuracy": run.test(test_samples), "early": early(run.losses)}


def odd_run(*, seed: int, test_samples: int, odd_samples: int, **settings: Any) -> dict[str, Any]:
    """Train once; return the accuracy on random strings and on each kind of odd ones."""
    run = Training(TrainingSettings(**settings), seed).finish()
    kinds = odd_strings(
        np.random.default_rng([seed, 1]), odd_samples, run.model.vocabulary, run.model.length
    )
    return {
        "test_accuracy": run.test(test_samples),
        "early": early(run.losses),
        "odd_accuracy": {
            kind: measure_accuracy(run.params, tokens, tokens[:, ::-1], run.model)
            for kind, tokens in kinds.items()
        },
    }


def odd_strings(
    rng: np.random.Generator, samples: int, vocabulary: int, length: int
) -> dict[str, IntArray]:
    """Return strings of five kinds that random strings hardly ever are, (samples, length) each.

    "one token" throughout; "one other": that with one place changed; "two tokens" mixed;
    "ascending"; and "palindrome".
    """
    shape = (samples, length)
    drawn = rng.integers(vocabulary, size=shape)
    repeated = np.repeat(drawn[:, :1], length, axis=1)
    changed = repeated.copy()
    changed[np.arange(samples), rng.integers(length, size=samples)] = drawn[:, 1]
    mixed = np.where(rng.random(shape) < 0.5, drawn[:, :1], drawn[:, 1:2])
    mirrored = np.where(np.arange(length) < length / 2, drawn, drawn[:, ::-1])
    return {
        "one token": repeated,
        "one other": changed,
        "two tokens": mixed,
        "ascending": np.sort(drawn, axis=1),
        "palindrome": mirrored,
    }


def training_cost(settings: Settings) -> float:
    """Return about how many multiplications a run takes."""
    d = settings["length"]
    per_token = d * (settings["vocabulary"] + 12 * d)
    return float(settings["samples"] * d * per_token * settings.get("epochs", 10))
