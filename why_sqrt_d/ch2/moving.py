"""Figures of chapter 2 that move: one function draws one frame, on axes that stay."""

import numpy as np
from matplotlib.figure import Figure

from attn_helpers._checks import FloatArray
from why_sqrt_d.pictures.style import COLORS, new_figure, picture


@picture
def one_query_and_all(
    x: FloatArray, every: FloatArray, single: FloatArray, d: int, tail: float, logarithmic: bool
) -> tuple[Figure, str]:
    """Draw the density of q·k/√d at `x` (m,) over all rows and, thin, over single queries' rows.

    `single` (queries, m) goes from the shortest query to the longest; `tail` says how many times
    as often as a normal variable q·k is beyond four standard deviations.
    """
    figure, axis = new_figure(height=3.6)
    for number, density in enumerate(single):
        label = "one query each" if number == 0 else None
        axis.plot(x, density, color="#8A8A8A", lw=0.9, label=label)
    axis.plot(x, every, color=COLORS["blue"], lw=3, label="all queries")
    normal = np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi)
    axis.plot(x, normal, "--", color="black", lw=1.8, label="N(0, 1)")
    axis.set_xlim(x[0], x[-1])
    if logarithmic:
        axis.set(yscale="log", ylim=(1e-7, 100), yticks=[1e-6, 1e-4, 1e-2, 1])  # room: the legend
        axis.tick_params(axis="y", labelsize=15)  # exponents are small
        axis.minorticks_off()
    else:
        axis.set(ylim=(0, 0.9), yticks=[0, 0.4, 0.8])
    times = f"{tail:.0f}" if tail >= 9.95 else f"{tail:.2g}"
    axis.set_title(
        f"d = {d}: kurtosis {3 + 6 / d:.2f}; beyond 4 standard\n"
        f"deviations {times} times as often as normal"
    )
    axis.set(xlabel="q·k / √d", ylabel="density")
    axis.legend(loc="upper right", handlelength=1.4)
    middle = x.size // 2
    return figure, (
        f"Density of q·k/√d at d = {d} from {x[0]:g} to {x[-1]:g}, on a "
        f"{'logarithmic' if logarithmic else 'linear'} axis. Over all queries it is "
        f"{every[middle]:.2f} in the middle, where the standard normal density is "
        f"{normal[middle]:.2f}, and beyond four standard deviations it is {times} times as "
        f"likely. Given one query it is normal; of {len(single)} queries the shortest has "
        f"{single[0, middle]:.2f} in the middle, the longest {single[-1, middle]:.2f}."
    )
