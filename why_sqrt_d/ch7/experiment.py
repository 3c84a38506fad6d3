"""Chapter 7: the trained model of `why_sqrt_d.stories` with its scale multiplied."""

from functools import cache
from typing import Any

import numpy as np

from attn_helpers import softmax
from why_sqrt_d import DATA, stories
from why_sqrt_d.experiments.definition import Experiment
from why_sqrt_d.experiments.digits import short

ALL = -1  # in place of a layer's or a head's number
NONE = 8**0.5  # the multiplier that takes the division by √8 back
WHOLE = (0, 0.25, 0.35, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 2**0.5, 2, NONE, 4, 8)
ONE_LAYER = (0, 0.5, 0.7, 2**0.5, 2, NONE)
ONE_HEAD = (0, 0.5, 2**0.5, NONE)


@cache
def texts(kind: str) -> tuple[stories.Tokens, ...]:
    """Return the tokens of our 24 stories, "ours", or of 24 that the model draws, "its own"."""
    if kind == "ours":
        parts = (DATA / "our-stories.txt").read_text(encoding="utf-8").strip().split("\n\n")
        return tuple(stories.encode(part) for part in parts)
    return tuple(_drawn_story(seed) for seed in range(24))


def _drawn_story(seed: int, length: int = 145) -> stories.Tokens:
    rng, tokens = np.random.default_rng([260, seed]), [stories.BEGIN]
    while len(tokens) < length:
        weights = softmax(stories.forward(tokens)[-1].astype(float))
        tokens.append(int(rng.choice(len(weights), p=weights)))
        if tokens[-1] == stories.BEGIN:  # the story is at its end
            return np.array(tokens[:-1])
    return np.array(tokens)


def losses(text: str, layer: int, head: int, multiplier: float, seed: int) -> dict[str, Any]:
    """Return each story's mean loss in nats a token, with some heads' scale multiplied."""
    factors = np.ones((stories.LAYERS, stories.HEADS, 1))
    layers = slice(None) if layer == ALL else layer
    factors[layers, slice(None) if head == ALL else head] = multiplier
    return {"losses": short([stories.loss(t, factors).mean() for t in texts(text)])}


EXPERIMENTS = (
    Experiment(
        name="stories_scale",
        purpose="a trained model's loss with the scale of all, of a layer or of a head multiplied",
        run=losses,
        rows=[
            *(
                {"text": text, "layer": ALL, "head": ALL, "multiplier": m}
                for text in ("ours", "its own")
                for m in WHOLE
            ),
            *(
                {"text": "ours", "layer": i, "head": ALL, "multiplier": m}
                for i in range(stories.LAYERS)
                for m in ONE_LAYER
            ),
            *(
                {"text": "ours", "layer": i, "head": h, "multiplier": m}
                for i in range(stories.LAYERS)
                for h in range(stories.HEADS)
                for m in ONE_HEAD
            ),
        ],
        seeds=1,
    ),
)
