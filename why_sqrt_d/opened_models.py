"""Released models, opened: spreads of their heads, and their loss with all logits times m.

`research/opened_models` measured what is stored; a trained model of `stories` stands beside them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np

from attn_helpers.checks import FloatArray
from why_sqrt_d import DATA, stories, stories_heads
from why_sqrt_d.intervals import Interval, resamples
from why_sqrt_d.rows import Row, select, stored

#: Stored names, and as a reader knows them.
TITLES = {
    "smollm2": "SmolLM2",
    "antiberty": "antiberty",
    "minilm": "MiniLM-L6",
    "rxnmapper": "rxnmapper",
    "rapidocr": "PP-OCRv4",
    "whisper": "Whisper tiny.en",
    "mgm": "MGM",
    "gemma3": "Gemma 3",
    "chython": "chython",
}
TINY = "stories260K"


@dataclass(frozen=True)
class Model:
    """One opened model."""

    d: int  #: width of a head's keys, the smallest if there are more
    #: Each (heads,). Medians over a head's rows of at least eight keys (of `TINY`, 21): `spread`
    #: of the logits, `spread_without` the key that most rows look at, `effective` number of keys,
    #: `keys`, `margin`; root mean squares `rms_q`, `rms_k`, `rms_cosine`; width `d`. Shares
    #: of rows: `over_99`, where one key has more than 99 %; `over_99_sink`, where that is the key
    #: that most rows look at; `over_99_without`, where one has it when that key is left out.
    heads: Mapping[str, FloatArray]
    multipliers: FloatArray  #: (multipliers,): of all logits, rising, from 0 to √d
    losses: FloatArray  #: (inputs, multipliers): the sum of an input's losses in nats
    units: FloatArray  #: (inputs,): how many tokens, letters or sentences a sum has
    #: Nats a unit of a guess that knows how often each target comes, alone; nan for places.
    guess: float = np.nan
    width: float = np.nan  #: components of a token, nan if not known
    deviation: float = np.nan  #: of a weight at its start, nan if not known
    #: (inputs, multipliers): how many targets got the greatest chance, nan if not known.
    right: FloatArray = field(default_factory=lambda: np.array(np.nan))

    @property
    def widths(self) -> str:
        """The widths of its heads, as in "64 and 256"."""
        return " and ".join(f"{d:.0f}" for d in np.unique(self.heads.get("d", self.d)))

    @property
    def start(self) -> float:
        """The spread of its first logits, by the formula: see `first_spread`."""
        return first_spread(self.width, self.deviation)

    def loss(self, multiplier: float) -> float:
        """Return the mean loss in nats a unit at a multiplier that was tried."""
        return float(self._mean()[self._place(multiplier)])

    def accuracy(self, multiplier: float) -> float:
        """Return the share of targets that got the greatest chance, nan if it is not known."""
        right = np.broadcast_to(self.right, self.losses.shape)[:, self._place(multiplier)]
        return float(right.sum() / self.units.sum())

    def best(self) -> float:
        """Return the multiplier, of those tried, with the lowest mean loss."""
        return float(self.multipliers[self._mean().argmin()])

    def above_best(self) -> FloatArray:
        """Return (multipliers,): by how many nats a unit the mean loss lies above the lowest."""
        mean = self._mean()
        return np.asarray(mean - mean.min())

    def rise(self, multiplier: float, than: float = 1) -> Interval:
        """Return how much higher the loss is than at `than`, in nats a unit, with its interval.

        The 95 % bootstrap interval over inputs takes both losses of an input, and its units.
        """
        return self._ratio(self._apart(multiplier, than), self.units)

    def lost(self, multiplier: float) -> Interval:
        """Return which share of what attention that chooses brings is lost, with its interval.

        It is the rise from one to the multiplier over that from one to zero, where attention is
        uniform; a resample takes both losses' sums.
        """
        return self._ratio(self._apart(multiplier), self._apart(0))

    def _apart(self, multiplier: float, than: float = 1) -> FloatArray:
        return self.losses[:, self._place(multiplier)] - self.losses[:, self._place(than)]

    def _ratio(self, above: FloatArray, below: FloatArray) -> Interval:
        shares = resamples(len(above))
        low, high = np.percentile((above @ shares) / (below @ shares), [2.5, 97.5])
        return Interval(float(above.sum() / below.sum()), float(low), float(high))

    def _mean(self) -> FloatArray:
        return np.asarray(self.losses.sum(axis=0) / self.units.sum())

    def _place(self, multiplier: float) -> int:
        near = np.isclose(self.multipliers, multiplier, rtol=1e-3)
        if not near.any():
            tried = ", ".join(f"{m:g}" for m in self.multipliers)
            raise ValueError(f"a multiplier of {multiplier:g} was not tried; there are {tried}")
        return int(near.argmax())


def first_spread(width: float, deviation: float) -> float:
    """Return the spread of a row's first logits, with 1/√d: the width times a weight's variance.

    A norm gives the `width` components of a token mean square one, and weights are drawn with a
    standard `deviation`; so a component of q or k has this variance, and d products over √d have
    it as their standard deviation.

    >>> round(first_spread(768, 0.02), 2), round(first_spread(4096, 0.02), 2)  # GPT-2, LLaMA 7B
    (0.31, 1.64)
    """
    return width * deviation**2


def read(folder: Path = DATA) -> dict[str, Model]:
    """Return the stored models by their titles, in the order of `TITLES`."""
    rows = stored("opened_models", folder)
    found = {}
    for name, title in TITLES.items():
        [row] = select(rows, model=name)
        width, deviation = row["start"] or (np.nan, np.nan)
        found[title] = Model(
            d=row["d"],
            heads=_by_head(row),
            multipliers=np.array(row["multipliers"], dtype=float),
            losses=np.array(row["losses"]),
            units=np.array(row["units"], dtype=float),
            guess=np.nan if row["guess"] is None else row["guess"],
            width=width,
            deviation=deviation,
            right=np.array(row["right"], dtype=float),
        )
    return found


def before_training() -> dict[str, Mapping[str, FloatArray]]:
    """Return `Model.heads` of the models whose weights were drawn anew, by their titles."""
    rows = {row["model"]: row for row in stored("opened_starts")}
    return {title: _by_head(rows[name]) for name, title in TITLES.items() if name in rows}


def _by_head(row: Row) -> dict[str, FloatArray]:
    names = (name for name in row["heads"][0] if name != "head")
    return {name: np.array([head[name] for head in row["heads"]]) for name in names}


@cache
def tiny() -> Model:
    """Return the trained model of `stories`; a story counts as one unit, its mean loss a token."""
    rows = [
        row
        for row in select(stored("stories_scale"), text="ours", layer=-1)
        if row["multiplier"] <= stories.D**0.5
    ]
    heads = {
        name: np.median(x, axis=-1).ravel()
        for name, x in stories_heads.rows().items()
        if name in ("spread", "effective", "margin")
    }
    heads["over_99"] = (stories_heads.rows()["top"] > 0.99).mean(axis=-1).ravel()
    return Model(
        d=stories.D,
        heads=heads,
        multipliers=np.array([row["multiplier"] for row in rows], dtype=float),
        losses=np.array([row["losses"] for row in rows]).T,
        units=np.ones(len(rows[0]["losses"])),
        width=stories.D * stories.HEADS,
        deviation=0.02,
    )
