"""The trained model: its author's printed story, and a second implementation in JAX."""

import hashlib
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from numpy.typing import ArrayLike

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


class InJax(NamedTuple):
    losses: np.ndarray
    query: np.ndarray  # (LAYERS, HEADS, T, D), as `stories.Seen` has them
    key: np.ndarray


def in_jax(tokens: np.ndarray, multiplier: ArrayLike = 1.0, kept: ArrayLike = 1.0) -> InJax:
    """Run the model in float64, rotations as products with complex numbers.

    Texts are filled up to one length, so that JAX compiles once; no token sees what follows.
    """
    used = len(tokens) - 1
    tokens = np.concatenate([tokens, np.zeros(170 - used, int)])
    p = {name: jnp.asarray(value, jnp.float64) for name, value in stories.parameters().items()}
    x = p["tokens"][tokens[:-1]]
    count = len(x)
    turn = jnp.exp(1j * jnp.outer(jnp.arange(count), 1e4 ** (-jnp.arange(4) / 4)))[:, None]
    factors, shares = (np.ones((5, 8, count)) for _ in range(2))
    factors[..., :used], shares[..., :used] = multiplier, kept

    def normed(x, gain):
        return gain * x / jnp.sqrt(jnp.square(x).mean(-1, keepdims=True) + 1e-5)

    def rotated(x):
        y = x.reshape(count, -1, 4, 2)
        z = (y[..., 0] + 1j * y[..., 1]) * turn
        return jnp.stack([z.real, z.imag], -1).reshape(count, -1, 8)

    queries, keys, pairs = [], [], np.arange(8) // 2
    for i in range(5):
        h = normed(x, p["attention_norm"][i])
        q = rotated(jnp.einsum("tw,ow->to", h, p["W_q"][i]))
        k = rotated(jnp.einsum("tw,ow->to", h, p["W_k"][i]))[:, pairs]
        v = jnp.einsum("tw,ow->to", h, p["W_v"][i]).reshape(count, 4, 8)[
            :, [0, 0, 1, 1, 2, 2, 3, 3]
        ]
        scores = jnp.einsum("thd,shd->hts", q, k) * factors[i, :, :, None] / jnp.sqrt(8)
        weights = jax.nn.softmax(jnp.where(jnp.tri(count, dtype=bool), scores, -jnp.inf))
        heads = jnp.einsum("hts,shd,ht->thd", weights, v, shares[i])
        x += heads.reshape(count, 64) @ p["W_o"][i].T
        h = normed(x, p["hidden_norm"][i])
        x += (jax.nn.silu(h @ p["w1"][i].T) * (h @ p["w3"][i].T)) @ p["w2"][i].T
        queries.append(q.swapaxes(0, 1))
        keys.append(k.swapaxes(0, 1))
    found = jax.nn.log_softmax(normed(x, p["last_norm"]) @ p["tokens"].T)
    losses = -np.asarray(found[jnp.arange(count), tokens[1:]])
    return InJax(losses[:used], *(np.array(one)[:, :, :used] for one in (queries, keys)))


@pytest.mark.parametrize("multiplier", [0.0, 1.0, 8.0])
def test_losses_agree_with_a_second_implementation(multiplier: float) -> None:
    tokens = stories.encode(STORY)
    expected = in_jax(tokens, multiplier).losses
    found = stories.loss(tokens, multiplier)
    np.testing.assert_allclose(found, expected, atol=1e-10)


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
