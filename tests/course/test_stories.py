"""The trained model: its author's printed story, and a second implementation."""

import hashlib
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import ArrayLike
from scipy.special import expit, log_softmax, softmax

from why_sqrt_d import stories

STORY = (
    "Tom had a small blue boat. He took it to the pond, but the wind was strong and the boat went "
    "far away. Tom was sad. A kind duck saw the boat and pushed it back with its beak. Tom gave "
    "the duck a bit of bread and they were friends."
)


def test_it_tells_the_story_that_its_author_prints() -> None:
    told = stories.tell("Once upon a time", 60)
    assert told.startswith(
        "Once upon a time, there was a little girl named Lily. She loved to play outside in the "
        "park. One day, she saw a big, red ball. She wanted to play with it, but it was too high."
    )


def test_the_files_are_those_that_were_published() -> None:
    for name, known in {
        "stories260K.bin": "961b3bc7c4d82d90ca963f02b7e0de5d",
        "tok512.bin": "2b4a5ca2ec4199f7a12e1b9a2d6f2d82",
    }.items():
        assert hashlib.md5((stories.FOLDER / name).read_bytes()).hexdigest() == known
    assert "MIT License" in (stories.FOLDER / "LICENSE").read_text()


class Second(NamedTuple):
    losses: np.ndarray
    query: np.ndarray  # (LAYERS, HEADS, T, D), as `stories.Seen` has them
    key: np.ndarray


def written_again(
    tokens: np.ndarray, multiplier: ArrayLike = 1.0, kept: ArrayLike = 1.0
) -> Second:
    """Run the model in float64, rotations as products with complex numbers."""
    p = {name: np.asarray(value, float) for name, value in stories.parameters().items()}
    x = p["tokens"][tokens[:-1]]
    count = len(x)
    turn = np.exp(1j * np.outer(np.arange(count), 1e4 ** (-np.arange(4) / 4)))[:, None]
    factors, shares = (np.broadcast_to(one, (5, 8, count)) for one in (multiplier, kept))

    def normed(x, gain):
        return gain * x / np.sqrt(np.square(x).mean(-1, keepdims=True) + 1e-5)

    def rotated(x):
        y = x.reshape(count, -1, 4, 2)
        z = (y[..., 0] + 1j * y[..., 1]) * turn
        return np.stack([z.real, z.imag], -1).reshape(count, -1, 8)

    queries, keys, pairs = [], [], np.arange(8) // 2
    for i in range(5):
        h = normed(x, p["attention_norm"][i])
        q = rotated(np.einsum("tw,ow->to", h, p["W_q"][i]))
        k = rotated(np.einsum("tw,ow->to", h, p["W_k"][i]))[:, pairs]
        v = np.einsum("tw,ow->to", h, p["W_v"][i]).reshape(count, 4, 8)[
            :, [0, 0, 1, 1, 2, 2, 3, 3]
        ]
        scores = np.einsum("thd,shd->hts", q, k) * factors[i, :, :, None] / np.sqrt(8)
        weights = softmax(np.where(np.tri(count, dtype=bool), scores, -np.inf), axis=-1)
        heads = np.einsum("hts,shd,ht->thd", weights, v, shares[i])
        x += heads.reshape(count, 64) @ p["W_o"][i].T
        h = normed(x, p["hidden_norm"][i])
        gate = h @ p["w1"][i].T
        x += (gate * expit(gate) * (h @ p["w3"][i].T)) @ p["w2"][i].T
        queries.append(q.swapaxes(0, 1))
        keys.append(k.swapaxes(0, 1))
    found = log_softmax(normed(x, p["last_norm"]) @ p["tokens"].T, axis=-1)
    return Second(-found[np.arange(count), tokens[1:]], np.array(queries), np.array(keys))


@pytest.mark.parametrize("multiplier", [0.0, 1.0, 8.0])
def test_losses_agree_with_a_second_implementation(multiplier: float) -> None:
    tokens = stories.encode(STORY)
    expected = written_again(tokens, multiplier).losses
    found = stories.loss(tokens, multiplier)
    assert found.mean() == pytest.approx(expected.mean(), abs=1e-6)
    np.testing.assert_allclose(found, expected, atol=1e-4)


def test_one_heads_multiplier_changes_what_follows_it_alone() -> None:
    tokens, factors = stories.encode(STORY), np.ones((5, 8, 1))
    factors[2, 3] = 0.0
    plain, changed = [], []
    stories.forward(tokens, seen=plain)
    stories.forward(tokens, factors, seen=changed)
    for layer in (0, 1):
        np.testing.assert_array_equal(plain[layer].query, changed[layer].query)
    same = (plain[2].query == changed[2].query).all(axis=(1, 2))
    assert same.tolist() == [head != 3 for head in range(8)]
    assert not np.allclose(plain[3].query, changed[3].query)


def test_words_come_back_from_their_tokens() -> None:
    for text in (STORY, "", "a", "Où est l’école? 東京", "  two blanks"):
        assert stories.decode(stories.encode(text)) == text
