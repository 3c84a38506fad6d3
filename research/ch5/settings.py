"""What a training of the language model is told. No JAX: experiments declare with it alone."""

from dataclasses import dataclass

import numpy as np

TASKS = ("text", "copy")  # plain text, and text in which a passage stands twice
STARTS = ("textbook", "GPT-2")  # of all matrices: standard deviations 1/√inputs, and 0.02


@dataclass(frozen=True)
class Arm:
    """One way to have or not to have √d; the numbers are powers of d."""

    scale: float = 0.0  #: of the number that multiplies the scores
    width: int | None = None  #: in place of d in that number
    start_q: float = 0.0  #: of the factor on the initial W_q
    start_k: float = 0.0  #: of the factor on the initial W_k
    speed: float = 0.0  #: of the factor on the learning rate of W_q and W_k; -inf: never trained
    norm: bool = False  #: whether queries and keys get an RMS norm with learned gains
    release: int = 0  #: steps in which W_q and W_k stand still before they are trained
    cancelled: bool = False  #: whether the first logits' halves cancel, but for 1/√d

    def beta(self, d: int) -> float:
        """Return the number that multiplies the scores."""
        return float((self.width or d) ** self.scale)


ARMS = {
    "1/√d": Arm(scale=-1 / 2),
    "none": Arm(),
    "1/d": Arm(scale=-1),
    "start only": Arm(start_q=-1 / 4, start_k=-1 / 4),
    "speed only": Arm(speed=-1 / 4),
    "both": Arm(start_q=-1 / 4, start_k=-1 / 4, speed=-1 / 4),  # under Adam the same as 1/√d
    "folded": Arm(start_q=-1 / 2),  # 1/√d moved into the initial W_q
    "QK norm": Arm(scale=-1 / 2, norm=True),
    "1/8": Arm(scale=-1 / 2, width=64),  # the same at every width
    "even": Arm(scale=-np.inf),  # β = 0: all earlier characters alike, the floor
    "1/√d frozen": Arm(scale=-1 / 2, speed=-np.inf),
    "1/d frozen": Arm(scale=-1, speed=-np.inf),
    "none frozen": Arm(speed=-np.inf),
    "none released": Arm(release=300),
    "cancelled": Arm(cancelled=True),  # as large as "none", and as calm as 1/√d
    "cancelled slow": Arm(cancelled=True, speed=-1 / 4),
    "cancelled frozen": Arm(cancelled=True, speed=-np.inf),
}


@dataclass(frozen=True)
class TrainingSettings:
    """One training: together with the code it fixes every number of a stored row."""

    arm: str | Arm  #: a key of `ARMS`, or another one
    rate: float  #: the learning rate of all parameters at its top
    seed: int  #: of the matrices' start and of what is read
    start: str = "textbook"  #: one of `STARTS`
    d: int = 64  #: width of a head
    steps: int = 1000
    optimiser: str = "adam"  #: or "momentum"
    task: str = "text"  #: one of `TASKS`
    warmup: int = 50  #: steps in which the rate rises; then a cosine takes it to a tenth
    decay: float = 0.0  #: of all matrices, times the rate (AdamW)
    layers: int = 2
    width: int = 128  #: of the stream
    strings: int = 32  #: in a batch

    @property
    def resolved_arm(self) -> Arm:
        """The arm itself where `arm` is its name."""
        return ARMS[self.arm] if isinstance(self.arm, str) else self.arm
