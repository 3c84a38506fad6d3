"""All frames of an exploration in one PNG file, and out of it again.

A notebook's output can only hold what the execution cache, the stored notebooks and the tests
already know: a picture. So the frames travel inside the picture of the starting frame, in chunks
of their own that every viewer skips. The site's builder takes them out.
"""

import io
import json
from typing import Any, NamedTuple

import matplotlib as mpl
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from PIL import Image, features
from PIL.PngImagePlugin import PngImageFile, PngInfo

from why_sqrt_d.pictures.exploration import Exploration
from why_sqrt_d.pictures.style import STYLE, Picture

# The site's builder sets this in the environment of the kernels: draw every setting beforehand.
FRAMES = "ATTN_HELPERS_FRAMES"
_CHUNK = b"frAm"  # ancillary, private, safe to copy (PNG specification, section 5.4)
_KEY = "Moving"
_AREA = 5e-4  # a colour of this share of the pixels belongs to an area, others to edges
_STEP = 16  # of 256; between the shades of an edge


class Film(NamedTuple):
    """What the page needs.

    Each control has its kind, label, texts and start. For all settings, the last control turning
    fastest, `order` says which of `images` is shown and `texts` what it shows. `size` is in
    pixels, `width`, at which it is meant, in CSS pixels. Each different image is there once: WebP,
    or PNG where Pillow has no WebP.
    """

    controls: list[dict[str, Any]]
    order: list[int]
    texts: list[str]
    size: tuple[int, int]
    width: int
    images: list[bytes]


def film(explored: Exploration) -> bytes:
    """Draw every setting and return the PNG file of the starting one with all frames inside."""
    images: dict[bytes, int] = {}
    order: list[int] = []
    texts: list[str] = []
    size = (0, 0)
    for settings in explored.settings():
        shown = explored.draw(settings)
        frame = pixels(shown)
        size = size if order else frame.size
        if frame.size != size:
            raise RuntimeError(
                f"explore: the frame with {explored.said(settings)} has {frame.size} pixels, "
                f"the frames before it {size}"
            )
        order.append(images.setdefault(encoded(frame), len(images)))
        texts.append(shown.description)
        if settings == explored.start:
            first, description = frame, shown.description
    about = {
        "controls": [
            {"kind": c.kind, "label": c.label, "texts": c.texts, "start": c.start}
            for c in explored.controls.values()
        ],
        "order": order,
        "texts": texts,
        "width": shown.width,
    }
    return _packed(first, description, about, list(images))


def _packed(first: Image.Image, text: str, about: dict[str, Any], images: list[bytes]) -> bytes:
    info = PngInfo()
    info.add_itxt("Description", text)
    info.add_itxt(_KEY, json.dumps(about, ensure_ascii=False))
    for image in images:
        info.add(_CHUNK, image)
    buffer = io.BytesIO()
    first.save(buffer, "png", pnginfo=info)
    return buffer.getvalue()


def open_film(image: Image.Image) -> Film | None:
    """Return what an open PNG file carries, or None if it is an ordinary picture."""
    if not isinstance(image, PngImageFile) or _KEY not in image.text:
        return None
    about = json.loads(image.text[_KEY])
    images = [chunk[1] for chunk in image.private_chunks if chunk[0] == _CHUNK]
    return Film(**about, size=image.size, images=images)


def pixels(shown: Picture) -> Image.Image:
    """Return what a picture shows, as the notebook draws it."""
    with mpl.rc_context(STYLE):
        shown.figure.set_facecolor("white")
        canvas = FigureCanvasAgg(shown.figure)
        shown.figure.set_dpi(STYLE["figure.dpi"])
        canvas.draw()
        width, height = canvas.get_width_height()
        return Image.frombytes("RGBA", (width, height), canvas.buffer_rgba()).convert("RGB")


def edges_simplified(frame: Image.Image) -> Image.Image:
    """Return an RGB frame with fewer shades along the edges of lines and letters.

    No channel moves by more than 8 of 256, which nobody sees in an edge one pixel wide, and the
    file shrinks by a third. Colours of areas, white among them, stay exactly as they are.
    """
    before = np.asarray(frame).astype(np.int32)
    packed = before @ (65536, 256, 1)
    _, where, counts = np.unique(packed, return_inverse=True, return_counts=True)
    edge = (counts < _AREA * packed.size)[where].reshape(packed.shape)
    rounded = np.minimum(255, (before + _STEP // 2) // _STEP * _STEP)
    return Image.fromarray(np.where(edge[..., np.newaxis], rounded, before).astype(np.uint8))


def encoded(frame: Image.Image) -> bytes:
    """Return a frame compressed: WebP, or PNG with 256 colours where Pillow has no WebP."""
    buffer = io.BytesIO()
    if features.check("webp"):
        edges_simplified(frame.convert("RGB")).save(
            buffer, "webp", lossless=True, quality=80, method=4
        )
    else:
        frame.quantize(256, dither=Image.Dither.NONE).save(buffer, "png", optimize=True)
    return buffer.getvalue()
