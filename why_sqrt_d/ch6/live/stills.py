"""The still picture of chapter 6's live figure."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from why_sqrt_d.pictures.style import COLORS, new_figure, picture


@picture
def two_rates(
    runs: Mapping[str, Sequence[Sequence[Sequence[int]]]], beta: str
) -> tuple[Figure, str]:
    """Draw training runs at each learning rate, with 1/√d and with another β.

    ``runs[rate]`` holds both scales' runs, a run as accuracies in thousandths, a mean over each
    epoch, and last that on new strings, in ten-thousandths.
    """
    figure, axes = new_figure(1, len(runs), height=2.9, sharey=True, squeeze=False)
    looks = (("β = 1/√d", COLORS["blue"], "--"), (f"β = {beta}", COLORS["red"], "-"))
    said = []
    for axis, (rate, scales) in zip(axes[0], runs.items(), strict=True):
        words = []
        for (name, color, dash), all_of_one in zip(looks, scales, strict=True):
            table = np.array(all_of_one)
            epochs = np.arange(1, table.shape[1])
            axis.plot(epochs, table[:, :-1].T / 1000, color=color, ls=dash, lw=1.3, alpha=0.75)
            words.append(f"{name} {np.median(table[:, -1]) / 10_000:.3f}")
        axis.set(title=f"learning rate {rate}", xlabel="epoch", ylim=(-0.02, 1.03))
        axis.set_xticks([epochs[0], epochs[-1]])
        axis.set_yticks([0, 0.5, 1], ["0", "0.5", "1"])
        said.append(f"at {rate} {' and '.join(words)}")
    first = axes[0, 0]
    first.set_ylabel("accuracy")
    first.text(1.2, 0.9, looks[1][0], color=looks[1][1])
    first.text(1.2, 0.8, f"{looks[0][0]}, dashed", color=looks[0][1])
    return figure, (
        "Accuracy over the epochs, a line for each run, with two scales and two learning rates. "
        f"On new strings the medians are: {'; '.join(said)}."
    )
