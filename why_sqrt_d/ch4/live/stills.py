"""The still picture of chapter 4's live figure."""

from collections.abc import Mapping

from matplotlib.figure import Figure

from attn_helpers.checks import FloatArray
from why_sqrt_d.pictures.style import COLORS, new_figure, picture


@picture
def grows_and_vanishes(
    scales: FloatArray, entries: Mapping[float, FloatArray], d: int
) -> tuple[Figure, str]:
    """Draw the largest entry of βJ (scales,) against β, a line for each gap of the two best.

    Upright lines stand at 1/√d and at 1.
    """
    figure, axis = new_figure(height=3.3)
    said = []
    for i, (gap, line) in enumerate(entries.items()):
        hot = i == len(entries) // 2
        color = COLORS["red" if hot else "blue"]
        axis.loglog(scales, line, color=color, lw=2.6 if hot else 1.6)
        peak = line.argmax()
        end = peak + int((line[peak:] > 6e-4).sum()) - 1
        axis.text(scales[end] * 1.12, line[end], f"gap {gap:g}", color=color)
        said.append(f"{line[peak]:.3f} at β = {scales[peak]:.2f} with a gap of {gap:g}")
    for at, name in ((d**-0.5, "divided by √d"), (1.0, "undivided")):
        axis.axvline(at, color=COLORS["grey"], ls="--", lw=1)
        axis.text(at, 1.35, name, color=COLORS["grey"], ha="center")
    axis.set(xlabel="scale β", ylabel="largest entry of βJ", ylim=(1e-4, 1.2))
    axis.set(xlim=(scales[0], scales[-1]))
    axis.set_xticks([1 / 64, 1 / 8, 1, 8], ["1/64", "1/8", "1", "8"])
    axis.set_yticks([1e-4, 1e-3, 1e-2, 0.1, 1], ["0.0001", "0.001", "0.01", "0.1", "1"])
    axis.minorticks_off()
    return figure, (
        "The largest entry of βJ, for four weights, against the scale β, on logarithmic "
        f"axes: it grows with β, and then vanishes. Its peaks: {', '.join(said)} of the two best "
        "scores."
    )
