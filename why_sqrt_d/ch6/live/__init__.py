"""The live figures of chapter 6."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from attn_helpers.needle import simulate_needle
from why_sqrt_d.ch6 import figures
from why_sqrt_d.ch6.lengths import competitors, half_scale
from why_sqrt_d.ch6.stored_runs import GEOMETRIES, LENGTHS, draw_rows, laws, medians
from why_sqrt_d.digits import short
from why_sqrt_d.live import LiveFigure
from why_sqrt_d.pictures.style import Picture
from why_sqrt_d.rows import stored

LIFTS = Path(__file__).with_name("lifts.json")  # `research.crowds` computes and explains them

#: How the scale that leaves the best key half of the weight grows with the number of keys n.
GROWS = {
    "Gaussian": "grows as √(ln n)",
    "sphere, d = 3": "grows as n",
    "sphere, d = 5": "grows as √n",
    "sphere, d = 9": "tends to grow as ⁴√n",
    "sphere, d = 64": "not yet as n to the 2/63",
    "cluster, d = 64, ρ = 0.5": "grows as ln n, and faster",
    "cluster, d = 1024, ρ = 0.5": "grows as ln n",
}


def _lifts() -> Any:
    return json.loads(LIFTS.read_text("utf-8"))


def _needle_still() -> Picture:
    scales, (n, margin) = np.geomspace(0.1, 100, 61), (1024, 3.5)
    rows = simulate_needle(list(scales), margin, n, 400, np.random.default_rng(5))
    return figures.needle_against_scale(scales, rows, n, margin)


def _lengths_data() -> dict[str, Any]:
    """Return what ``lengths.js`` draws: the stored half scale of a typical row, and its law."""
    law, rows = laws(), stored("lengths")
    return {
        "sizes": LENGTHS,
        "geometries": [
            {
                "key": name.replace(", ", "-").replace(" = ", "").replace("ρ", "r").lower(),
                "words": name,
                "kind": name.split(",")[0].lower(),
                "d": GEOMETRIES[name][0],
                "overlap": GEOMETRIES[name][1],
                "half": short(medians(rows, name).mean(axis=1), 3),
                "law": short(law.get(name, []), 3),
                "grows": grows,
            }
            for name, grows in GROWS.items()
        ],
    }


def _lengths_still() -> Picture:
    n, panels = 4096, {}
    for geometry in ("Gaussian", "cluster, d = 64, ρ = 0.5", "sphere, d = 3"):
        rows = draw_rows(geometry, n, 200, np.random.default_rng([5, n]))
        scale = float(np.median(half_scale(rows)))
        gap = np.linspace(0, 12, 61)[1:] / scale  # up to twelve logits at the half scale
        panels[geometry] = (gap, competitors(rows, gap), scale)
    return figures.counted(panels, n)


#: A needle among n keys, whose weight follows b.
needle = LiveFigure("ch6/needle", _needle_still, (633, 949), _lifts)
#: Rows of several geometries, and the scale they need.
lengths = LiveFigure("ch6/lengths", _lengths_still, (653, 1002), _lengths_data)
