"""The page's moving figure as HTML; its behaviour is in `book/assets/moving`.

Without JavaScript the starting frame, its text alternative and a sentence stay.
"""

from collections.abc import Sequence
from html import escape
from typing import Any

from why_sqrt_d.embedding import json_script
from why_sqrt_d.pictures.frames import Film


def render_moving_figure(found: Film, addresses: Sequence[str], number: int) -> str:
    """Return a moving figure as HTML.

    `addresses` say where the page finds each of ``found.images``; `number` is the figure's on its
    page, for its ids.
    """
    start = 0
    for control in found.controls:
        start = start * len(control["texts"]) + control["start"]
    width, height = found.size
    said = ", ".join(f"{c['label']}: {c['texts'][c['start']]}" for c in found.controls)
    controls = "".join(
        _control(control, f"moving-{number}-{i}") for i, control in enumerate(found.controls)
    )
    return (
        f'<moving-figure class="moving" id="moving-{number}" data-lm-suppress-shortcuts="true">'
        f'<img src="{escape(addresses[found.order[start]])}" alt="{escape(found.texts[start])}" '
        f'width="{found.width}" height="{round(found.width * height / width)}" '
        'loading="lazy" decoding="sync">'
        f'<div class="moving-controls" role="group" aria-label="Controls of the figure above" '
        f"hidden>{controls}</div>"
        '<p class="moving-status" role="status" aria-live="polite"></p>'
        f"{_script(found, addresses, start)}"
        f"<noscript><p>The figure shows {escape(said)}. Turning its controls needs JavaScript; "
        "in the notebook they run Python.</p></noscript></moving-figure>"
    )


def _control(control: dict[str, Any], name: str) -> str:
    texts, start = control["texts"], control["start"]
    label = f'<label for="{name}">{escape(control["label"])}</label>'
    if control["kind"] == "slider":
        return (
            f'<p class="moving-control moving-slider">{label}'
            f'<span class="moving-value" data-for="{name}">{escape(texts[start])}</span>'
            f'<input type="range" id="{name}" min="0" max="{len(texts) - 1}" step="1" '
            f'value="{start}" aria-valuetext="{escape(texts[start])}"></p>'
        )
    if control["kind"] == "choice":
        options = "".join(
            f'<option value="{i}"{" selected" if i == start else ""}>{escape(text)}</option>'
            for i, text in enumerate(texts)
        )
        return (
            f'<p class="moving-control">{label}<select id="{name}" autocomplete="off">'
            f"{options}</select></p>"
        )
    checked = " checked" if start else ""
    return (
        '<p class="moving-control moving-switch">'
        f'<input type="checkbox" id="{name}" autocomplete="off"{checked}>{label}</p>'
    )


def _script(found: Film, addresses: Sequence[str], start: int) -> str:
    spec = {
        "start": start,
        "controls": [{"label": c["label"], "texts": c["texts"]} for c in found.controls],
        "frames": [addresses[i] for i in found.order],
        "texts": found.texts,
    }
    return json_script(spec)
