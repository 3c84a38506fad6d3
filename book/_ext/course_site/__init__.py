"""The course's own Sphinx extension: one idea a module."""

from typing import Any

from sphinx.application import Sphinx

from . import (
    api,
    bibliography,
    captions,
    code,
    colophon,
    descriptions,
    dressing,
    exercise_forms,
    figure_texts,
    folds,
    launch,
    ledger,
    line_breaks,
    lite_button,
    live_figures,
    markup,
    mathematics,
    model_table,
    page_python,
    pictures,
    quoted,
    reading,
    roots,
    search,
    slides,
    stamps,
    streams,
    stylesheet,
    teaching,
    try_cells,
)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register every part."""
    for part in (
        dressing,
        captions,
        roots,
        quoted,
        mathematics,
        streams,
        code,
        figure_texts,
        live_figures,
        pictures,
        page_python,
        exercise_forms,
        try_cells,
        folds,
        reading,
        ledger,
        model_table,
        teaching,
        line_breaks,
        markup,
        slides,
        launch,
        lite_button,
        api,
        bibliography,
        search,
        descriptions,
        colophon,
        stylesheet,
        stamps,
    ):
        part.setup(app)
    return {"parallel_read_safe": True, "parallel_write_safe": False}
