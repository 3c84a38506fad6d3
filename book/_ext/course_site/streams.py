"""Show what a cell printed as it was printed.

A kernel sends a stream in pieces that end anywhere. MyST-NB joins them at line ends, so that a
line sent in two pieces would stand on two lines, sometimes.
"""

from myst_nb.core import render
from myst_nb.core.utils import coalesce_streams
from nbformat import NotebookNode
from sphinx.application import Sphinx


def joined(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """Return a cell's outputs with the pieces of each stream put together."""
    kept: list[NotebookNode] = []
    streams: dict[str, NotebookNode] = {}
    for output in outputs:
        name = output["name"] if output["output_type"] == "stream" else None
        if name in streams:
            streams[name]["text"] += output["text"]
            continue
        kept.append(NotebookNode(output))
        if name is not None:
            streams[name] = kept[-1]
    return coalesce_streams(kept)


def setup(app: Sphinx) -> None:
    """Have MyST-NB join streams so."""
    render.coalesce_streams = joined
