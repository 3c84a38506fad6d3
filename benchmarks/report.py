"""One line of the table a case, and whether it meets its target."""

from dataclasses import dataclass

from benchmarks.interleaved import Timing

# Allowance for measurement noise in the median ratio.
NOISE = 1.02


@dataclass(frozen=True)
class Target:
    """Ours may take at most `limit` times as long as `rival`."""

    rival: str
    limit: float

    def missed_by(self, timings: dict[str, Timing]) -> bool:
        """Return whether the median ratio is above the limit by more than the noise allowance."""
        return timings[self.rival].ratio > self.limit * NOISE


def line(case: str, timings: dict[str, Timing], target: Target) -> str:
    """Return the case with median [quartiles] in µs for each, and ours/theirs for each rival."""
    parts = [f"{case:28}"]
    for position, (name, t) in enumerate(timings.items()):
        low, high = t.quartiles
        part = f"{name} {t.median * 1e6:9.1f} [{low * 1e6:.1f}, {high * 1e6:.1f}] µs"
        if position:
            low, high = t.ratio_quartiles
            part += f" ratio {t.ratio:.2f} [{low:.2f}, {high:.2f}]"
        parts.append(part)
    verdict = "MISSED" if target.missed_by(timings) else "ok"
    return " | ".join([*parts, f"{verdict} (≤ {target.limit} × {target.rival})"])
