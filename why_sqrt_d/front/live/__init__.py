"""The live figures of the first page."""

import os
from base64 import b64encode
from functools import cache
from typing import Any

import numpy as np

from attn_helpers.laws import Gaussian
from attn_helpers.sampling import simulate_rows, simulate_scores
from why_sqrt_d import stories
from why_sqrt_d.front import figures
from why_sqrt_d.live import FOR_SITE, LiveFigure
from why_sqrt_d.pictures.style import Picture
from why_sqrt_d.rows import select, stored

MODEL = "stories260K.js"  # beside the site's scripts of live figures
LONGER = 48  # tokens
STORY = 3  # of our 24: its loss is nearest to their mean
BEGINNINGS = (
    "Once upon a time, there was a boy named Tim. Tim had a red ball. One day,",
    "Sara and Ben went to the park. Ben fell and hurt his knee. Sara said,",
    "One day, a girl named Lily found a key. She",
    "Once upon a time, there was a little dog named Max. Max lost his bone. He asked his friend,",
    "Once upon a time",
)


def _scores_still() -> Picture:
    """Draw 2 000 scores with their exact density, and a row of weights over ten keys."""
    d, rng = 64, np.random.default_rng(1)
    scores = simulate_scores(Gaussian(), d, 2000, rng)
    return figures.sampler(scores, simulate_rows(Gaussian(), d, 10, 1, rng)[0], d)


def packed_model() -> str:
    """Return the trained model for ``live/stories.js``: float16, then the pieces of words."""
    halves = b"".join(a.astype("<f2").tobytes() for a in stories.parameters().values())
    return b64encode(halves + (stories.FOLDER / "tok512.bin").read_bytes()).decode()


@cache
def told_stories() -> dict[float, str]:
    """Return how the first beginning goes on, as trained, without the division, and at 0."""
    first = BEGINNINGS[0]
    return {m: stories.tell(first, LONGER, m).removeprefix(first) for m in (1.0, 8**0.5, 0.0)}


def _losses() -> list[tuple[float, list[float]]]:
    """Return each multiplier of the scale with the stored loss of every story there."""
    rows = select(stored("stories_scale"), text="ours", layer=-1, head=-1)
    return [(row["multiplier"], row["losses"]) for row in rows]


def _story_data() -> dict[str, Any]:
    data: dict[str, Any] = {
        "beginning": BEGINNINGS[0],
        "others": BEGINNINGS,
        "story": stories.our_stories()[STORY],
        "chosen": STORY,
        "rows": [(m, [round(loss, 3) for loss in of_all]) for m, of_all in _losses()],
        "told": list(told_stories().items()),
        "address": f"_static/live/{MODEL}",
    }
    if not os.environ.get(FOR_SITE):
        data["model"] = packed_model()
    return data


def _story_still() -> Picture:
    return figures.storyteller(BEGINNINGS[0], told_stories(), _losses())


#: Scores and a row of weights, drawn anew.
sampler = LiveFigure("front/sampler", _scores_still, (665, 992))
#: The trained model with its scale multiplied.
storyteller = LiveFigure("front/storyteller", _story_still, (829, 1049), _story_data)
