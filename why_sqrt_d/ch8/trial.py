"""What a learner's function is put to: the trained model of `stories`, a head of rxnmapper."""

from functools import cache
from pathlib import Path

import numpy as np

from attn_helpers.checks import FloatArray
from why_sqrt_d import stories

BEGINNING = "Once upon a time"
MORE = 24  # pieces
READ = 4  # of our stories


@cache
def _texts() -> tuple[stories.Tokens, ...]:
    return tuple(stories.encode(story) for story in stories.our_stories()[:READ])


def tell(attend: stories.Attention) -> tuple[float, str]:
    """Return the loss in nats a token on some of our stories, and the whole words of a story."""
    with np.errstate(all="ignore"):
        loss = np.mean([stories.loss(tokens, attend=attend).mean() for tokens in _texts()])
        story = stories.tell(BEGINNING, MORE, attend=attend)
    return float(loss), story.rpartition(" ")[0]


@cache
def trained() -> tuple[float, str]:
    """Return what `tell` gives with the attention that the model was trained with."""
    return tell(stories.attention)


@cache
def layer_inputs(layer: int) -> tuple[FloatArray, ...]:
    """Return queries, keys and values (HEADS, 40, D) of a layer, in double precision."""
    seen: list[stories.Seen] = []
    stories.forward(_texts()[0][:40], seen=seen)
    return tuple(part.astype(float) for part in seen[layer])


@cache
def mapping_head() -> tuple[FloatArray, FloatArray]:
    """Return queries and keys (47, 32) of the head with which rxnmapper 0.4.3 maps atoms.

    It is head 6 in the eleventh pass through its layer, reading
    `c1ccc(Br)cc1.OB(O)c2ccccc2>>c1ccc(-c2ccccc2)cc1`; half precision was kept.
    """
    query, key = np.load(Path(__file__).with_name("rxnmapper-head.npy")).astype(float)
    return query, key
