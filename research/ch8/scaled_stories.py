"""Chapter 8: the trained model of `why_sqrt_d.stories` with another scale, or with a head less."""

from typing import Any

import numpy as np

from attn_helpers.checks import FloatArray
from research.experiments.definition import Experiment
from why_sqrt_d import stories
from why_sqrt_d.digits import short

ALL = -1  # in place of a layer's or a head's number
NONE = 8**0.5  # the multiplier that takes the division by √8 back
WHOLE = (0, 0.25, 0.35, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 2**0.5, 2, NONE, 4, 8)
PART = (0, 0.25, 0.35, 0.5, 0.7, 2**0.5, 2, NONE, 4)  # for one layer or one head
EACH_HEAD = [(i, h) for i in range(stories.LAYERS) for h in range(stories.HEADS)]
EACH_LAYER = [(i, ALL) for i in range(stories.LAYERS)]


def _at(layer: int, head: int, value: float) -> FloatArray:
    """Return (LAYERS, HEADS, 1): the value at one head, at a layer or at all; one elsewhere."""
    factors = np.ones((stories.LAYERS, stories.HEADS, 1))
    factors[slice(None) if layer == ALL else layer, slice(None) if head == ALL else head] = value
    return factors


def multiplied(text: str, layer: int, head: int, multiplier: float, seed: int) -> dict[str, Any]:
    """Return each story's mean loss in nats a token, with some heads' scale multiplied."""
    factors = _at(layer, head, multiplier)
    return {"losses": short([stories.loss(t, factors).mean() for t in stories.ours()])}


def removed(layer: int, head: int, seed: int) -> dict[str, Any]:
    """Return each of our stories' mean loss, without a head or without a layer's attention."""
    kept = _at(layer, head, 0)
    return {"losses": short([stories.loss(t, 1, kept).mean() for t in stories.ours()])}


EXPERIMENTS = (
    Experiment(
        name="stories_scale",
        purpose="a trained model's loss with the scale of all, of a layer or of a head multiplied",
        run=multiplied,
        fixed={"text": "ours"},
        rows=[
            {"layer": layer, "head": head, "multiplier": m}
            for places, multipliers in (([(ALL, ALL)], WHOLE), (EACH_LAYER + EACH_HEAD, PART))
            for layer, head in places
            for m in multipliers
        ],
        seeds=1,
    ),
    Experiment(
        name="stories_removed",
        purpose="a trained model's loss without a head, or without a layer's attention",
        run=removed,
        rows=[{"layer": layer, "head": head} for layer, head in EACH_LAYER + EACH_HEAD],
        seeds=1,
    ),
)
