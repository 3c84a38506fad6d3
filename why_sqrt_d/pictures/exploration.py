"""A drawing function together with its controls: which settings there are, what each shows."""

import itertools
from collections.abc import Callable, Mapping

from why_sqrt_d.pictures.controls import Control
from why_sqrt_d.pictures.style import Picture

Settings = tuple[int, ...]  # a position for each control


class Exploration:
    """A drawing function and its `controls`, in the order in which they were passed."""

    def __init__(self, render: Callable[..., Picture], controls: Mapping[str, Control]) -> None:
        self._render = render
        self.controls = dict(controls)

    @property
    def start(self) -> Settings:
        """The setting of each control at the beginning."""
        return tuple(control.start for control in self.controls.values())

    def settings(self) -> list[Settings]:
        """Return all settings, the last control turning fastest."""
        sizes = (range(len(control.values)) for control in self.controls.values())
        return list(itertools.product(*sizes))

    def said(self, settings: Settings) -> str:
        """Say how the controls stand: "dimension d: 64, recipe: normal"."""
        pairs = zip(self.controls.values(), settings, strict=True)
        return ", ".join(f"{control.label}: {control.texts[i]}" for control, i in pairs)

    def draw(self, settings: Settings) -> Picture:
        """Return the picture at the given settings; a RuntimeError says at which ones it fails."""
        pairs = zip(self.controls.items(), settings, strict=True)
        values = {name: control.values[i] for (name, control), i in pairs}
        try:
            shown = self._render(**values)
        except Exception as error:
            raise RuntimeError(
                f"explore: the frame with {self.said(settings)} failed: "
                f"{type(error).__name__}: {error}"
            ) from error
        if not isinstance(shown, Picture):
            raise RuntimeError(
                f"explore: the frame with {self.said(settings)} is no Picture but "
                f"{type(shown).__name__}: decorate the function with @picture"
            )
        return shown

    def __str__(self) -> str:
        turns = (f"{c.label} ({', '.join(c.texts)})" for c in self.controls.values())
        return f"Controls: {'; '.join(turns)}."
