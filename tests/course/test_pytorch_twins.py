"""The folds "In PyTorch": each is run where PyTorch is installed, and does what its page says."""

import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
from stored_outputs import sources

import attn_helpers as ah
from tools.paths import notebooks

FOLD = re.compile(r"<summary>In PyTorch</summary>.*?```python\n(.*?)```", re.S)
TWINS = {
    path.stem[:2]: code
    for path in notebooks()
    for text in sources(path)
    for code in FOLD.findall(text)
}


def answers_as_ours(x: Mapping[str, Any]) -> bool:
    q, k, v = (x[name].transpose(1, 2).numpy() for name in ("query", "key", "value"))
    k, v = (y.repeat(2, axis=1) for y in (k, v))
    right = ah.scaled_dot_product_attention(q, k, v, attn_mask=x["mask"].numpy())
    return np.allclose(x["answer"].transpose(1, 2), right, atol=1e-5)


HOLDS: dict[str, Callable[[Mapping[str, Any]], bool]] = {
    "01": lambda x: np.allclose([x["undivided"], 1024 * x["divided"]], 1024, rtol=0.05),
    "02": lambda x: abs(x["between"]) < 0.03 and np.isclose(x["variance"], 64**2, rtol=0.01),
    "03": lambda x: np.isclose(x["share"], 1 / np.e, rtol=0.03),
    "04": lambda x: (
        x["lengths"][1.0].median() < x["lengths"][1 / 32].median() / 100
        and x["lengths"][1.0].square().mean() > 20 * x["lengths"][1 / 32].square().mean()
    ),
    "05": lambda x: np.allclose(x["logits"]["none"].detach(), x["logits"]["1/√d"].detach()),
    "06": lambda x: np.isclose(x["log_beta"].exp().item(), 3 / 8, rtol=0.05),
    "07": lambda x: np.allclose(
        [x["beta"] * 20**0.5, x["logits"].std(dim=-1).mean()], 1, atol=0.1
    ),
    "8d": answers_as_ours,
    "08": lambda x: np.shape(x["spreads"]) == (1, 4) and np.allclose(x["spreads"], 0.5, atol=0.1),
}


@pytest.mark.parametrize("chapter", TWINS)
def test_a_twin_does_what_its_page_says(chapter: str) -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed: its folds are not run")
    torch.manual_seed(0)
    names: dict[str, Any] = {}
    exec(TWINS[chapter], names)
    assert HOLDS[chapter](names)
