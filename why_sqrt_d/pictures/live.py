"""The controls in a running notebook: ipywidgets over live Python."""

from html import escape
from typing import Any

from why_sqrt_d.pictures.controls import Control
from why_sqrt_d.pictures.exploration import Exploration
from why_sqrt_d.pictures.style import DRAWING, Picture

VIEW = "application/vnd.jupyter.widget-view+json"

# What ipywidgets leaves undone, done once the picture and all controls stand in the page. The
# slider's handle gets its label as its name; its readout, which cannot be edited, is no stop of
# the Tab key. And plain keys stay with the control that has the focus: JupyterLab listens at the
# document and would move its selection, or delete a cell. Keys with Ctrl, Alt or Meta pass, and
# so do Shift-Enter, Escape and Tab.
_READY = """
(function ready(image, tries) {
  const box = image.closest('.widget-vbox');
  const knobs = box ? box.querySelectorAll('.noUi-handle, select, input') : [];
  if (knobs.length < Number(image.dataset.controls)) {
    if (tries) setTimeout(() => ready(image, tries - 1), 50);
    return;
  }
  if (box.dataset.keys) return;
  box.dataset.keys = 'own';
  for (const slider of box.querySelectorAll('.widget-slider')) {
    const name = slider.querySelector('.widget-label').textContent;
    slider.querySelector('.noUi-handle').setAttribute('aria-label', name);
    slider.querySelector('.widget-readout').contentEditable = 'false';
  }
  box.addEventListener('keydown', event => {
    const command = event.ctrlKey || event.altKey || event.metaKey
      || (event.shiftKey && event.key === 'Enter') || ['Escape', 'Tab'].includes(event.key);
    if (!command) event.stopPropagation();
  });
})(this, 200)
"""


def widget_view(explored: Exploration, first: Picture) -> dict[str, Any]:
    """Return what a notebook shows: the widgets, and the starting picture where there are none."""
    bundle: dict[str, Any] = {"image/png": first.base64()}
    made = panel(explored, first)
    view = made._repr_mimebundle_().get(VIEW)
    return bundle if view is None else bundle | {VIEW: view}


def panel(explored: Exploration, first: Picture) -> Any:
    """Return one widget: the picture with its text alternative, and the controls below it."""
    import ipywidgets

    count = len(explored.controls)
    shown = ipywidgets.HTML(_img(first, count))
    knobs = [_knob(ipywidgets, control) for control in explored.controls.values()]

    def redraw(_: object) -> None:
        # Two callbacks may run in two threads; whoever draws last reads what the controls say.
        with DRAWING:
            places = tuple(int(knob.value) for knob in knobs)
            try:
                shown.value = _img(explored.draw(places), count)
            except RuntimeError as error:  # a callback's traceback would end in an unread log
                shown.value = f'<p role="alert">{escape(str(error))}</p>'

    for knob in knobs:
        knob.observe(redraw, names="value")
    return ipywidgets.VBox([shown, *knobs])


def _knob(ipywidgets: Any, control: Control) -> Any:
    look: dict[str, Any] = {"description": control.label, "layout": {"width": "26rem"}}
    if control.kind == "switch":
        return ipywidgets.Checkbox(value=bool(control.start), indent=False, **look)
    look |= {
        "options": [(text, i) for i, text in enumerate(control.texts)],
        "value": control.start,
        "style": {"description_width": "initial"},
    }
    if control.kind == "slider":
        return ipywidgets.SelectionSlider(continuous_update=False, **look)
    return ipywidgets.Dropdown(**look)


def _img(shown: Picture, controls: int) -> str:
    return (
        f'<img src="data:image/png;base64,{shown.base64()}" alt="{escape(shown.description)}" '
        f'width="{shown.width}" style="max-width: 100%; height: auto" '
        f'data-controls="{controls}" onload="{escape(" ".join(_READY.split()))}">'
    )
