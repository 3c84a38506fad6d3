"""Measures two of the models by another route: `python -m research.opened_models --otherwise`.

rxnmapper runs with the attention that its library writes out, its queries and keys caught where
they are made, m in W_q. SmolLM2 runs in NumPy alone, from the formulas. Neither meets `attention`
or `heads`. A test compares what is stored of both.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from attn_helpers.checks import FloatArray
from why_sqrt_d.digits import short

Traced = tuple[float, list[FloatArray]]  #: a summed loss, and each layer's logits (heads, n_q, n)
Run = Callable[[int, float], Traced]  #: of an input by its number, with all logits times a factor
FEW = {"rxnmapper": 40, "smollm2": 12}  # inputs have their losses measured


def spreads(logits: Sequence[Sequence[FloatArray]]) -> FloatArray:
    """Return (layers, heads): the median over all rows of at least eight keys, input by input."""
    rows: list[list[list[float]]] = [[[] for _ in layer] for layer in logits[0]]
    for one in logits:
        for layer, heads in zip(rows, one, strict=True):
            for head, z in zip(layer, heads, strict=True):
                seen = [x[np.isfinite(x)] for x in z]
                head += [float(np.std(x)) for x in seen if len(x) >= 8]
    return np.array([[np.median(head) for head in layer] for layer in rows])


def rxnmapper(file: Path) -> tuple[Run, int]:
    """Return what runs a reaction with m in W_q and its bias, and the number of reactions."""
    import torch
    from transformers import AlbertForMaskedLM

    from research.opened_models import masked
    from research.opened_models.models import rxnmapper as spec

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

    def run(i: int, m: float) -> Traced:
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

    return run, len(texts)


def smollm2(file: Path) -> tuple[Run, int]:
    """Return what runs a piece in a Llama of our own, and the number of pieces."""
    from gguf import GGUFReader, dequantize
    from transformers import AutoTokenizer

    from research.opened_models.models import smollm2 as spec

    parts = GGUFReader(file).tensors
    p = {x.name: dequantize(x.data, x.tensor_type).astype(float) for x in parts}
    tokenizer = AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name)
    texts = [tokenizer(text)["input_ids"][: spec.TOKENS] for text in spec.pieces()]
    base = float(GGUFReader(file).fields["llama.rope.freq_base"].parts[-1][0])

    def norm(x: FloatArray, gain: FloatArray) -> FloatArray:
        return gain * x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + 1e-5)

    def turned(x: FloatArray) -> FloatArray:  # (n, heads, 64), neighbours are complex numbers
        z = x[..., 0::2] + 1j * x[..., 1::2]
        z = z * np.exp(1j * np.arange(len(x))[:, None, None] * base ** -(np.arange(32) / 32))
        return np.stack([z.real, z.imag], axis=-1).reshape(x.shape)

    def run(i: int, m: float) -> Traced:
        text = np.array(texts[i])
        x, found, n = p["token_embd.weight"][text], [], len(text)
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

    return run, len(texts)


def measured(spec: Any, file: Path) -> dict[str, Any]:
    """Return summed losses of the first inputs at three factors, and the spread of each head."""
    name = spec.__name__.rpartition(".")[2]
    run, count = {"rxnmapper": rxnmapper, "smollm2": smollm2}[name](file)
    factors = [0.5, 1, round(spec.D**0.5, 4)]
    losses = [sum(run(i, m)[0] for i in range(FEW[name])) for m in factors]
    found = spreads([run(i, 1)[1] for i in range(count)]).ravel()
    known = {"inputs": FEW[name], "multipliers": factors}
    return known | {"losses": short(losses), "spreads": short(found, 5)}
