"""What a notebook shows besides pictures: named results that the prose quotes (floor 4).

MyST-NB's ``glue`` stores a value under a name and the page quotes it with ``{glue:text}``. The
function here writes the same record without needing MyST-NB, so that a chapter runs wherever
NumPy and Matplotlib do.
"""

import numbers

__all__ = ["glue"]

_MIME_PREFIX = "application/papermill.record/"


def glue(**results: object) -> None:
    """Store results under their names for the prose, and print them for who runs the cell.

    Parameters
    ----------
    **results
        Numbers or text. Numbers are stored as Python numbers with ten significant digits, so
        that the last bits of another machine's arithmetic change no page.

    Raises
    ------
    TypeError
        If a result is neither a real number nor text.

    Examples
    --------
    >>> glue(answer="forty-two")
    answer = forty-two
    """
    for name, value in results.items():
        text = _as_text(name, value)
        _publish(name, text)
        print(f"{name} = {text.strip(chr(39))}")


def _as_text(name: str, value: object) -> str:
    if isinstance(value, str):
        return repr(value)
    if isinstance(value, numbers.Integral):
        return repr(int(value))
    if isinstance(value, numbers.Real):
        return repr(float(f"{float(value):.10g}"))
    raise TypeError(f"glue: {name} must be a number or text, got {type(value).__name__}")


def _publish(name: str, text: str) -> None:
    try:
        from IPython import get_ipython
        from IPython.display import display
    except ModuleNotFoundError:
        return
    if get_ipython() is None:
        return
    display(
        {_MIME_PREFIX + "text/plain": text},
        raw=True,
        metadata={"scrapbook": {"name": name, "mime_prefix": _MIME_PREFIX}},
    )
