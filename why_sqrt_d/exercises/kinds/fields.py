"""Pieces of HTML the kinds' forms share."""

from __future__ import annotations

from html import escape


def text_field(prefix: str, label: str, help_text: str) -> str:
    """Return a labelled text field with a line of help under it."""
    return (
        f'<label for="{prefix}-answer">{escape(label)}</label>'
        f'<input type="text" inputmode="text" id="{prefix}-answer" name="answer"'
        f' aria-describedby="{prefix}-help" autocomplete="off" autocapitalize="off"'
        ' spellcheck="false">'
        f'<p class="exercise-help" id="{prefix}-help">{escape(help_text)}</p>'
    )
