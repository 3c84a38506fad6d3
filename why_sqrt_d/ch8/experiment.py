"""Chapter 8: the trained model of `why_sqrt_d.stories` with another scale, or with a head less."""

from typing import Any

import numpy as np

from attn_helpers.checks import FloatArray
from why_sqrt_d import stories
from why_sqrt_d.experiments.definition import Experiment
from why_sqrt_d.experiments.digits import short
from why_sqrt_d.opened import FEW

ALL = -1  # in place of a layer's or a head's number
NONE = 8**0.5  # the multiplier that takes the division by √8 back
WHOLE = (0, 0.25, 0.35, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 2**0.5, 2, NONE, 4, 8)
PART = (0, 0.25, 0.35, 0.5, 0.7, 2**0.5, 2, NONE, 4)  # for one layer or one head
EACH_HEAD = [(i, h) for i in range(stories.LAYERS) for h in range(stories.HEADS)]
EACH_LAYER = [(i, ALL) for i in range(stories.LAYERS)]


def texts(kind: str) -> tuple[stories.Tokens, ...]:
    """Return the tokens of our 24 stories, or of them "in threes"."""
    ours = stories.ours()
    if kind == "in threes":
        return tuple(np.concatenate(ours[i : i + 3]) for i in range(0, len(ours), 3))
    return ours


def _at(layer: int, head: int, value: float) -> FloatArray:
    """Return (LAYERS, HEADS, 1): the value at one head, at a layer or at all; one elsewhere."""
    found = np.ones((stories.LAYERS, stories.HEADS, 1))
    found[slice(None) if layer == ALL else layer, slice(None) if head == ALL else head] = value
    return found


def multiplied(text: str, layer: int, head: int, multiplier: float, seed: int) -> dict[str, Any]:
    """Return each story's mean loss in nats a token, with some heads' scale multiplied."""
    factors = _at(layer, head, multiplier)
    return {"losses": short([stories.loss(t, factors).mean() for t in texts(text)])}


def removed(layer: int, head: int, seed: int) -> dict[str, Any]:
    """Return each of our stories' mean loss, without a head or without a layer's attention."""
    kept = _at(layer, head, 0)
    return {"losses": short([stories.loss(t, 1, kept).mean() for t in stories.ours()])}


def growing(text: str, growth: float, multiplier: float, seed: int) -> dict[str, Any]:
    """Return each text's mean loss after its first tokens, with a scale that grows as ln n.

    n is the number of keys that a row sees; the factor (ln n)^growth is one in the text's middle.
    """
    found = []
    for tokens in texts(text):
        n = np.arange(1, len(tokens))
        factors = multiplier * (np.log(n) / np.log(len(tokens) / 2)) ** growth
        found.append(stories.loss(tokens, factors)[FEW:].mean())
    return {"losses": short(found)}


EXPERIMENTS = (
    Experiment(
        name="stories_scale",
        purpose="a trained model's loss with the scale of all, of a layer or of a head multiplied",
        run=multiplied,
        rows=[
            {"text": text, "layer": layer, "head": head, "multiplier": m}
            for text, places, multipliers in (
                ("ours", [(ALL, ALL)], WHOLE),
                ("ours", EACH_LAYER + EACH_HEAD, PART),
            )
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
    Experiment(
        name="stories_growing",
        purpose="a trained model's loss with a scale that grows with the number of keys",
        run=growing,
        rows=[
            {"text": text, "growth": growth, "multiplier": m}
            for text in ("ours", "in threes")
            for growth in (0, 0.5, 1)
            for m in (0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.2)
        ],
        seeds=1,
    ),
)
