"""One line of the table a case, and whether it meets its targets."""

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.interleaved import Timing

# Allowance for measurement noise in the median ratio.
NOISE = 1.02


@dataclass(frozen=True)
class Target:
    """Ours may take at most `limit` times as long as `rival`, in cases whose name has `only`."""

    rival: str
    limit: float
    only: str = ""

    def applies(self, case: str, timings: dict[str, Timing]) -> bool:
        """Return whether the case is meant and the rival took part."""
        return self.only in case and self.rival in timings

    def missed_by(self, timings: dict[str, Timing]) -> bool:
        """Return whether the median ratio is above the limit by more than the noise allowance."""
        return timings[self.rival].ratio > self.limit * NOISE


def missed(case: str, timings: dict[str, Timing], targets: Sequence[Target]) -> list[Target]:
    """Return the targets that the case misses."""
    return [t for t in targets if t.applies(case, timings) and t.missed_by(timings)]


def line(case: str, timings: dict[str, Timing], targets: Sequence[Target]) -> str:
    """Return the case with median [quartiles] in µs for each, and ours/theirs for each rival."""
    parts = [f"{case:28}"]
    for position, (name, t) in enumerate(timings.items()):
        low, high = t.quartiles
        part = f"{name} {t.median * 1e6:9.1f} [{low * 1e6:.1f}, {high * 1e6:.1f}] µs"
        if position:
            low, high = t.ratio_quartiles
            part += f" ratio {t.ratio:.2f} [{low:.2f}, {high:.2f}]"
        parts.append(part)
    for target in targets:
        if target.applies(case, timings):
            verdict = "MISSED" if target.missed_by(timings) else "ok"
            parts.append(f"{verdict} (≤ {target.limit:.2f} × {target.rival})")
    return " | ".join(parts)
