"""PP-OCRv4's recogniser of a line of text: convolutions, then two layers of eight heads."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from research.opened_models.attention import Scored, See

PACKAGE = "rapidocr-onnxruntime==1.4.4"
FILE = "rapidocr_onnxruntime/models/ch_PP-OCRv4_rec_infer.onnx"
SHA256 = "48fc40f24f6d2a207a2b1091d3437eb3cc3eb6b676dc3ef9c37384005483683b"
LICENCE = "Apache-2.0 for the package, nothing said of the weights"
NEEDS = (
    "torch==2.13.0",
    "onnx==1.19.1",
    "onnxruntime==1.23.2",
    "numpy==2.2.6",
    "pillow==12.0.0",
    "rapidfuzz==3.14.3",
)
D = 15
INPUT = "120 lines of words and numbers, drawn by code, blurred and with noise"
UNIT = "character"
START = None  # of its layers' weights nothing is said in the package
SCALE = 15**-0.5  # stands in the graph, on the query, as a factor 0.2581989
WORDS = """
the river bends where old stones keep their shade and seven boats wait for rain while market
women count apples under green lamps before every train leaves station platform nine Invoice
Total Street Number Copper Winter Garden Letter paid open closed north harbour
""".split()  # noqa: SIM905


def lines() -> Iterator[tuple[str, Any]]:
    """Yield 120 texts, each with its image (1, 3, 48, width) as the model wants it.

    Three pixels of margin on either side. A line is blurred by 0 to 2.5 pixels and has noise of
    0 to 60 of 255 grey levels.
    """
    from PIL import Image, ImageDraw, ImageFilter, ImageFont

    rng, font = np.random.default_rng(15), ImageFont.load_default(30)
    for _ in range(120):
        words = [str(rng.choice(WORDS)) for _ in range(rng.integers(3, 8))]
        words.insert(int(rng.integers(len(words))), str(rng.integers(10, 9999)))
        text = " ".join(words)
        left, _, right, _ = font.getbbox(text)
        image = Image.new("RGB", (int(right - left) + 6, 48), "white")
        ImageDraw.Draw(image).text((3 - left, 6), text, fill="black", font=font)
        blurred = image.filter(ImageFilter.GaussianBlur(rng.uniform(0, 2.5)))
        pixels = np.asarray(blurred, np.float32)[:, :, ::-1]  # (48, width, 3), blue first
        noise = rng.uniform(0, 60) * rng.standard_normal(pixels.shape[:2])[..., None]
        pixels = np.clip(pixels + noise, 0, 255).astype(np.float32)
        yield text, ((pixels / 255 - 0.5) / 0.5).transpose(2, 0, 1)[None]


def measure(file: Path, factors: Sequence[float], see: See) -> Iterator[Scored]:
    """Yield of each line the CTC loss, and how many characters are right: less those to edit."""
    import onnx
    import torch
    from rapidfuzz.distance import Levenshtein

    from research.opened_models.onnx_graph import open_graph, runner

    model = onnx.load(file)
    output = model.graph.output[0].name
    letters = next(x.value for x in model.metadata_props if x.key == "character")
    number = {x: i for i, x in enumerate(["", *letters.splitlines(), " "])}
    layers = open_graph(model)
    shown = [name for at in layers for name in (at.logits, at.query, at.key)]
    run = runner(model)
    for text, image in lines():
        given = {"x": image}
        found = iter(run(shown, given, [1] * len(layers)))
        for layer, (logits, query, key) in enumerate(zip(found, found, found, strict=True)):
            see(layer, logits[0], query[0] / SCALE, key[0].swapaxes(-1, -2))
        label = torch.tensor([number[x] for x in text])
        losses, right = list[float](), list[float]()
        for m in factors:
            chances = torch.tensor(run([output], given, [m] * len(layers))[0][0])
            chances = chances.double().clamp_min(1e-30).log()
            size = [len(x) for x in (chances, label)]
            losses.append(
                torch.nn.functional.ctc_loss(
                    chances, label, *(torch.tensor(x) for x in size), reduction="sum"
                ).item()
            )
            best = chances.argmax(dim=-1).unique_consecutive()
            edits = Levenshtein.distance(best[best > 0].tolist(), label.tolist())
            right.append(max(0, len(label) - edits))
        yield Scored(losses, right, label.tolist())
