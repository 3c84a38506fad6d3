"""A trained language model, small enough to read: stories260K, run in NumPy.

Andrej Karpathy trained it for llama2.c on TinyStories (Eldan and Li, 2023) and published it under
the MIT licence, which stands beside its files in `stories260K`. Five layers of width 64, eight
query heads and four key/value heads of width 8, rotary positions (Su and others, 2021), RMS norm
(Zhang and Sennrich, 2019), SwiGLU (Shazeer, 2020), a vocabulary of 512 pieces. Its float32 weights
are computed with in float64, so that what is printed is the same on every processor.
"""

import struct
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

import attn_helpers as ah
from attn_helpers.checks import FloatArray
from why_sqrt_d import DATA

FOLDER = Path(__file__).parent / "stories260K"
BEGIN = 1  # the token with which a text begins
LAYERS, HEADS, KEY_HEADS, D = 5, 8, 4, 8
CONTEXT = 512

Tokens = NDArray[np.int64]
#: Of queries, keys and values (HEADS, T, D), what a layer's heads bring, (HEADS, T, D).
Attention = Callable[[FloatArray, FloatArray, FloatArray], ArrayLike]


@cache
def parameters() -> dict[str, FloatArray]:
    """Return the model's matrices, those of the layers with the layer as first axis."""
    raw = (FOLDER / "stories260K.bin").read_bytes()
    width, hidden, layers, heads, key_heads, vocabulary, _ = struct.unpack("7i", raw[:28])
    narrow = width * key_heads // heads
    shapes = {
        "tokens": (vocabulary, width),
        "attention_norm": (layers, width),
        "W_q": (layers, width, width),
        "W_k": (layers, narrow, width),
        "W_v": (layers, narrow, width),
        "W_o": (layers, width, width),
        "hidden_norm": (layers, width),
        "w1": (layers, hidden, width),
        "w2": (layers, width, hidden),
        "w3": (layers, hidden, width),
        "last_norm": (width,),
    }
    matrices, place = {}, 28
    for name, shape in shapes.items():
        count = int(np.prod(shape))
        matrices[name] = np.frombuffer(raw, "<f4", count, place).reshape(shape).astype(float)
        place += 4 * count
    return matrices


class Seen(NamedTuple):
    """Queries, keys and values of one layer, as its attention takes them; T tokens."""

    query: FloatArray  #: (HEADS, T, D), rotated, times the multiplier
    key: FloatArray  #: (HEADS, T, D), rotated, each key head for the two query heads that share it
    value: FloatArray  #: (HEADS, T, D)


def attention(query: FloatArray, key: FloatArray, value: FloatArray) -> FloatArray:
    """Return what the heads bring to each token from itself and from earlier ones, as trained."""
    return ah.scaled_dot_product_attention(query, key, value, is_causal=True)


def forward(
    tokens: ArrayLike,
    multiplier: ArrayLike = 1.0,
    seen: list[Seen] | None = None,
    kept: ArrayLike = 1.0,
    attend: Attention = attention,
) -> FloatArray:
    """Return logits (T, 512) of the token that follows each of T tokens.

    `multiplier` multiplies the trained scale 1/√8, `kept` what heads give to their layer: 0
    removes a head. Both are broadcast to (LAYERS, HEADS, T): one number, one a head, or one a
    position. What attention sees is added to `seen`, layer by layer. `attend` takes the place of
    `attention`.
    """
    p, codes = parameters(), np.asarray(tokens)
    shape = (LAYERS, HEADS, len(codes))
    factors, shares = (
        np.broadcast_to(np.asarray(given, float), shape) for given in (multiplier, kept)
    )
    x = p["tokens"][codes]
    for i in range(LAYERS):
        h = rms_norm(x, p["attention_norm"][i])
        query = ah.split_heads(h @ p["W_q"][i].T, HEADS)
        key, value = (ah.split_heads(h @ p[name][i].T, KEY_HEADS) for name in ("W_k", "W_v"))
        query, key = rotate(query) * factors[i, :, :, None], rotate(key)
        key, value = (np.repeat(a, HEADS // KEY_HEADS, axis=0) for a in (key, value))
        brought = np.asarray(attend(query, key, value), float) * shares[i, :, :, None]
        x = x + ah.merge_heads(brought) @ p["W_o"][i].T
        h = rms_norm(x, p["hidden_norm"][i])
        gate = h @ p["w1"][i].T
        x = x + (gate / (1 + np.exp(-gate)) * (h @ p["w3"][i].T)) @ p["w2"][i].T
        if seen is not None:
            seen.append(Seen(query, key, value))
    return rms_norm(x, p["last_norm"]) @ p["tokens"].T


def rms_norm(x: FloatArray, gain: FloatArray) -> FloatArray:
    """Give the last axis the root mean square one, then multiply by the learned gain."""
    return x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + 1e-5) * gain


def rotate(x: FloatArray, back: bool = False) -> FloatArray:
    """Turn the pairs of components of x (heads, T, D) by angles in proportion to the position."""
    angles = np.outer(np.arange(x.shape[-2]), 10_000.0 ** (-np.arange(0, D, 2) / D))
    angles *= -1 if back else 1
    cos, sin = np.cos(angles), np.sin(angles)
    a, b = x[..., 0::2], x[..., 1::2]
    return np.stack([a * cos - b * sin, a * sin + b * cos], axis=-1).reshape(x.shape)


# Words to tokens and back --------------------------------------------------------------------


@cache
def pieces() -> tuple[list[bytes], list[float]]:
    """Return the vocabulary's pieces, and the score by which two of them merge."""
    raw, place, texts, scores = (FOLDER / "tok512.bin").read_bytes(), 4, [], []
    while place < len(raw):
        score, length = struct.unpack("<fi", raw[place : place + 8])
        texts.append(raw[place + 8 : place + 8 + length])
        scores.append(score)
        place += 8 + length
    return texts, scores


def encode(text: str) -> Tokens:
    """Return the tokens of a text: its characters, merged greedily by score, behind BEGIN."""
    texts, scores = pieces()
    number = {piece: i for i, piece in reversed(list(enumerate(texts)))}
    tokens: list[int] = []
    for letter in f" {text}" if text else "":
        raw = letter.encode()
        tokens += [number[raw]] if raw in number else [byte + 3 for byte in raw]
    while True:
        pairs = [
            (number.get(texts[a] + texts[b], -1), i) for i, (a, b) in enumerate(pairwise(tokens))
        ]
        known = [(scores[new], -i, new) for new, i in pairs if new >= 0]
        if not known:
            return np.array([BEGIN, *tokens])
        _, place, new = max(known)
        tokens[-place : -place + 2] = [new]


def decode(tokens: ArrayLike) -> str:
    """Return the text of tokens; BEGIN is no text, and the blank after it is none of the text."""
    texts = [pieces()[0][t] for t in np.asarray(tokens).tolist() if t != BEGIN]
    raw = b"".join(bytes([int(p[3:5], 16)]) if p.startswith(b"<0x") else p for p in texts)
    return raw.decode(errors="replace").removeprefix(" ")


def our_stories() -> list[str]:
    """Return 24 short stories of our own, which no model was trained on."""
    return (DATA / "our-stories.txt").read_text(encoding="utf-8").strip().split("\n\n")


@cache
def ours() -> tuple[Tokens, ...]:
    """Return the tokens of our stories."""
    return tuple(encode(story) for story in our_stories())


def loss(
    tokens: ArrayLike,
    multiplier: ArrayLike = 1.0,
    kept: ArrayLike = 1.0,
    attend: Attention = attention,
) -> FloatArray:
    """Return the loss (T - 1,) in nats of each of T tokens but the first, from those before."""
    codes = np.asarray(tokens)
    logs = ah.log_softmax(forward(codes[:-1], multiplier, kept=kept, attend=attend))
    return -logs[np.arange(len(codes) - 1), codes[1:]]


def tell(
    beginning: str, length: int = 64, multiplier: float = 1.0, attend: Attention = attention
) -> str:
    """Return a beginning and `length` tokens more, always the likeliest."""
    tokens = encode(beginning).tolist()
    for _ in range(length):
        tokens.append(int(forward(tokens, multiplier, attend=attend)[-1].argmax()))
        if tokens[-1] == BEGIN:  # the story is at its end
            break
    return decode(tokens)
