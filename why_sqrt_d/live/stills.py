"""The still picture of a live figure carries the figure's name out of the notebook.

A notebook's output can only hold what the execution cache, the stored notebooks and the tests
already know: a picture. So the name travels inside it.
"""

import io
import json
from typing import Any

from PIL import Image
from PIL.PngImagePlugin import PngImageFile, PngInfo

_KEY = "Live"


def with_place(png: bytes, place: dict[str, Any]) -> bytes:
    """Return the PNG file with the figure's `place`: its name, heights and state."""
    with Image.open(io.BytesIO(png)) as image:
        info = PngInfo()
        for key, text in getattr(image, "text", {}).items():
            info.add_itxt(key, text)
        info.add_itxt(_KEY, json.dumps(place))
        buffer = io.BytesIO()
        image.save(buffer, "png", pnginfo=info)
    return buffer.getvalue()


def place_of(image: Image.Image) -> dict[str, Any] | None:
    """Return what a picture says of its live figure, or None if it is an ordinary picture."""
    if not isinstance(image, PngImageFile) or _KEY not in image.text:
        return None
    return dict(json.loads(image.text[_KEY]))
