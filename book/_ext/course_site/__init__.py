"""The course's own Sphinx extension: one idea a module."""

from typing import Any

from sphinx.application import Sphinx

from . import (
    accessible,
    api,
    bibliography,
    captions,
    colophon,
    descriptions,
    dressing,
    exercise_forms,
    launch,
    ledger,
    line_breaks,
    lite_button,
    mathematics,
    model_table,
    page_figures,
    page_python,
    reading,
    search,
    slides,
    teaching,
    theme_styles,
    try_cells,
)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register every part."""
    for part in (
        dressing,
        captions,
        mathematics,
        page_figures,
        page_python,
        exercise_forms,
        try_cells,
        reading,
        ledger,
        model_table,
        teaching,
        line_breaks,
        accessible,
        slides,
        launch,
        lite_button,
        api,
        bibliography,
        search,
        descriptions,
        colophon,
        theme_styles,
    ):
        part.setup(app)
    return {"parallel_read_safe": True, "parallel_write_safe": False}
