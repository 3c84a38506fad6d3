"""Measures two of the models by another route: `again NAME FILE`, in the model's environment.

rxnmapper runs with the attention that its library writes out, its queries and keys caught where
they are made, m in W_q. SmolLM2 runs in NumPy alone, from the formulas. Neither meets `attention`
or `heads`. The command says by how much losses and spreads differ from the stored ones.
"""

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from attn_helpers.checks import FloatArray

Told = tuple[float, list[FloatArray]]  #: a summed loss, and each layer's logits (heads, n_q, n)
FEW = 40  # inputs
STORED = Path(__file__).parents[2] / "book" / "data" / "opened_models.jsonl"


def spreads(logits: Sequence[Sequence[FloatArray]]) -> FloatArray:
    """Return (layers, heads): the median over all rows of at least eight keys, input by input."""
    rows: list[list[list[float]]] = [[[] for _ in layer] for layer in logits[0]]
    for one in logits:
        for layer, heads in zip(rows, one, strict=True):
            for head, z in zip(layer, heads, strict=True):
                seen = [x[np.isfinite(x)] for x in z]
                head += [float(np.std(x)) for x in seen if len(x) >= 8]
    return np.array([[np.median(head) for head in layer] for layer in rows])


def rxnmapper(file: Path) -> Callable[[int, float], Told]:
    """Return the loss and the logits of reaction i with W_q and its bias times m."""
    import torch
    from transformers import AlbertForMaskedLM

    from research.opened_models import masked
    from research.opened_models import rxnmapper as spec

    model = AlbertForMaskedLM.from_pretrained(file.parent, attn_implementation="eager").eval()
    words = file.with_name("vocab.txt").read_text("utf-8").split()
    made = model.albert.encoder.albert_layer_groups[0].albert_layers[0].attention
    caught: list[Any] = []
    for part in (made.query, made.key):
        part.register_forward_hook(lambda _, __, out: caught.append(out[0]))
    first = made.query.weight.clone(), made.query.bias.clone()
    rng, hidden = torch.Generator().manual_seed(masked.SEED), []
    texts = [["[CLS]", *spec.LETTER.findall(x), "[SEP]"] for x in spec.reactions()]
    for text in texts:
        many = round(masked.MASKED * len(text))
        hidden.append((torch.randperm(len(text) - 2, generator=rng)[:many] + 1).tolist())

    def run(i: int, m: float) -> Told:
        caught.clear()
        given = ["[MASK]" if at in hidden[i] else x for at, x in enumerate(texts[i])]
        with torch.inference_mode():
            for kept, now in zip(first, (made.query.weight, made.query.bias), strict=True):
                now.copy_(m * kept)
            answer = model(torch.tensor([[words.index(x) for x in given]])).logits[0].double()
        loss = sum(
            torch.logsumexp(answer[at], 0) - answer[at, words.index(texts[i][at])]
            for at in hidden[i]
        )
        cut = [x.reshape(len(given), 8, 32).numpy() for x in caught]  # q and k in turn
        pairs = zip(cut[::2], cut[1::2], strict=True)
        return float(loss), [np.einsum("ahd,bhd->hab", *pair) / 32**0.5 for pair in pairs]

    return run


def smollm2(file: Path) -> Callable[[int, float], Told]:
    """Return the loss and the logits of piece i in a Llama of our own, its logits times m."""
    from gguf import GGUFReader, dequantize
    from transformers import AutoTokenizer

    from research.opened_models import smollm2 as spec

    p = {x.name: dequantize(x.data, x.tensor_type) for x in GGUFReader(file).tensors}
    texts = spec.pieces(AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name))
    base = float(GGUFReader(file).fields["llama.rope.freq_base"].parts[-1][0])

    def norm(x: FloatArray, gain: FloatArray) -> FloatArray:
        return gain * x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + 1e-5)

    def turned(x: FloatArray) -> FloatArray:  # (n, heads, 64), neighbours are complex numbers
        z = x[..., 0::2] + 1j * x[..., 1::2]
        z = z * np.exp(1j * np.arange(len(x))[:, None, None] * base ** -(np.arange(32) / 32))
        return np.stack([z.real, z.imag], axis=-1).reshape(x.shape)

    def run(i: int, m: float) -> Told:
        text = np.array(texts[i])
        x, found, n = p["token_embd.weight"][text].astype(float), [], len(text)
        for layer in range(30):
            w = {name.split(".")[2]: p[name] for name in p if name.startswith(f"blk.{layer}.")}
            h = norm(x, w["attn_norm"])
            q, k, v = ((h @ w[f"attn_{name}"].T).reshape(n, -1, 64) for name in "qkv")
            k, v = (one.repeat(3, axis=1) for one in (turned(k), v))
            z = np.einsum("ahd,bhd->hab", turned(q), k) / 8
            z[:, ~np.tri(n, dtype=bool)] = -np.inf
            found.append(z)
            weights = np.exp(m * (z - z.max(axis=-1, keepdims=True)))
            weights /= weights.sum(axis=-1, keepdims=True)
            mixed = np.einsum("hab,bhd->ahd", weights, v).reshape(n, -1)
            x = x + mixed @ w["attn_output"].T
            h = norm(x, w["ffn_norm"])
            gate = h @ w["ffn_gate"].T
            x = x + (gate / (1 + np.exp(-gate)) * (h @ w["ffn_up"].T)) @ w["ffn_down"].T
        answer = norm(x, p["output_norm.weight"]) @ p["token_embd.weight"].T
        answer -= answer.max(axis=-1, keepdims=True)
        chances = answer - np.log(np.exp(answer).sum(axis=-1, keepdims=True))
        return float(-chances[range(n - 1), text[1:]].sum()), found

    return run


def main(name: str, file: Path, row: dict[str, Any]) -> None:
    """Print the greatest differences, as shares."""
    run = {"rxnmapper": rxnmapper, "smollm2": smollm2}[name](file)
    places = [2, 7, 12]  # m = 0.5, 1, √d
    factors = [row["multipliers"][i] for i in places]
    stored = np.array(row["losses"])[:FEW, places].sum(axis=0)
    told = np.array([[run(i, m)[0] for m in factors] for i in range(FEW)]).sum(axis=0)
    print("m", factors, "stored", stored, "again", told)
    found = spreads([run(i, 1)[1] for i in range(len(row["losses"]))]).ravel()
    known = np.array([head["spread"] for head in row["heads"]])
    away = np.abs(found / known - 1)
    print(f"losses differ by {np.abs(told / stored - 1).max():.1e}, spreads by {away.max():.1e}")


if __name__ == "__main__":
    lines = map(json.loads, STORED.read_text("utf-8").splitlines())
    [known] = [one["results"] for one in lines if one["settings"]["model"] == sys.argv[1]]
    main(sys.argv[1], Path(sys.argv[2]), known)
