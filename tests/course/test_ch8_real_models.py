"""The table of real models: entries are complete, every formula runs and is what it says."""

import math
import re

import jax.numpy as jnp
import numpy as np
import pytest
from course_site.model_table import address, row_anchor

from tools.paths import BOOK
from why_sqrt_d.ch8 import real_models as models

KNOWN = models.read()
EVERY = list(KNOWN.values())
LIBRARIES = [model for model in EVERY if model.kind == "library"]
BIB = set(re.findall(r"^@\w+\{([\w-]+),", (BOOK / "references.bib").read_text(), flags=re.M))


def scores(model: models.Model) -> tuple[np.ndarray, np.ndarray]:
    """Return the same random queries and keys for all models of one width."""
    rng = np.random.default_rng(7)
    return rng.standard_normal((2, 6, model.width)), rng.standard_normal((2, 30, model.width))


each = pytest.mark.parametrize("model", EVERY, ids=lambda model: row_anchor(model.name))


def test_the_table_is_long_and_names_nobody_twice() -> None:
    assert len({row_anchor(model.name) for model in EVERY}) == len(EVERY)
    assert set(models.KINDS) == {model.kind for model in EVERY}
    counted = f"{len(EVERY) - len(LIBRARIES)} public models and {len(LIBRARIES)} libraries"
    assert counted in (BOOK / "descriptions.yml").read_text()
    assert counted in (page := (BOOK / "8a-models.md").read_text())
    assert f"the {len(EVERY)} rows" in page


@each
def test_an_entry_is_complete(model: models.Model) -> None:
    assert model.formula
    assert 2017 <= model.year <= 2026 or model.kind == "library" or "BERT-large" in model.name
    assert not (model.year and model.kind == "library")
    assert model.d == 0 or 16 <= model.d <= 512
    assert bool(model.d) == bool(model.sizes)  # a width is that of a size, or a class default
    assert not model.paper or model.paper in BIB
    code, said = (
        set(map(float, re.findall(r"(?<!\w)\d+(?:\.\d+)?", text)))
        for text in (f"{model.code} {[*model.let.values()]}", model.formula + model.sizes)
    )
    assert code - said <= {1, 2, 0.25}, "numbers of the code that the formula does not have"
    links = [address(place) for place in model.where.split("; ")]
    assert all(links) or (model.where == "the paper" and model.paper)


def test_places_lead_to_lines_at_a_commit() -> None:
    hub = "https://github.com"
    assert address("a/b@0123456789 c/d.py:12-14,20") == f"{hub}/a/b/blob/0123456789/c/d.py#L12-L14"
    assert address("a/b@0123456789 c.h") == f"{hub}/a/b/blob/0123456789/c.h"
    there = f"{hub}/huggingface/transformers/blob/v5.23.0/src/transformers"
    assert address("HF t5/modeling_t5.py:197") == f"{there}/models/t5/modeling_t5.py#L197"
    assert address("HF ../modeling_rope_utils.py:568") == f"{there}/modeling_rope_utils.py#L568"
    assert address("the paper") is None


@each
def test_the_kind_is_that_of_the_formula(model: models.Model) -> None:
    """Told from what a formula does to the same scores, and to scores that grow or are many."""
    query, key = scores(model)
    raw, found = query @ key.swapaxes(-1, -2), models.logits(model, query, key)
    assert found.shape == raw.shape
    assert np.isfinite(found).all()
    ratio, root = found / raw, model.width**-0.5
    constant = np.allclose(ratio, ratio.flat[0])
    if model.kind == "root":
        np.testing.assert_allclose(found, raw * root, rtol=1e-12)
    elif model.kind == "folded":
        np.testing.assert_allclose(found, raw)
    elif model.kind == "norm":
        np.testing.assert_allclose(models.logits(model, 50 * query, 3 * key), found, rtol=1e-9)
    elif model.kind == "width":
        wide = np.tile(query, 4), np.tile(key, 4)  # s is four times as large, and so is d
        times = (models.logits(model, *wide) / found).flat[0]
        assert constant
        if not np.isclose(times, 1):  # a configured 1/128 has no d in it
            assert (times, ratio.flat[0]) == pytest.approx((4, 1 / model.d))
    elif model.kind == "other":
        assert constant
        assert not np.isclose(ratio.flat[0], root) or model.let == {"rows": 1}
    elif model.kind == "cap":
        assert np.abs(models.logits(model, 100 * query, 100 * key)).max() < 64 * model.d**0.5 + 1
    elif model.kind == "length":
        many = np.broadcast_to(key[0, :1], (2**16, model.width))
        factor = models.logits(model, query[0], many)[:, 0] / (raw[0, :, 0] * root)
        assert np.ptp(factor) < 1e-6
        assert factor[0] > 1.05 or model.let == {"t": 1}
    else:
        assert constant
        assert any(np.isclose(ratio.flat[0], scale) for scale in (root, 1.0))


def dot(q, k):
    return q @ k.swapaxes(-1, -2)


def rms(x):
    return x / jnp.sqrt(jnp.mean(x**2, axis=-1, keepdims=True))


def unit(x):
    return x / jnp.linalg.norm(x, axis=-1, keepdims=True)


FORMULAS = {  # some written out again from the models' formulas, with the numbers of their heads
    "Transformer": lambda q, k: dot(q * 64**-0.5, k),
    "GPT-2": lambda q, k: dot(q, k) / 8,
    "Whisper": lambda q, k: dot(q * 64**-0.25, k * 64**-0.25),
    "LLaMA 1": lambda q, k: dot(q, k) / jnp.sqrt(128),
    "DeBERTa v2, v3": lambda q, k: dot(q, k) / jnp.sqrt(64 * 3),
    "Zamba, Zamba2": lambda q, k: dot(q, k) / jnp.sqrt(64 / 2),
    "GPT-Neo 1.3B": dot,
    "T5, mT5, UMT5": dot,
    "μP (its README)": lambda q, k: dot(q, k) * 8 / 64,
    "Cerebras-GPT 1.3B + μP": lambda q, k: dot(q, k) / 128,
    "Granite 3.x 8B, 4.x": lambda q, k: dot(q, k) * 0.0078125,
    "Gemma 2 2B, 9B": lambda q, k: 50 * jnp.tanh(dot(q, k) * 256**-0.5 / 50),
    "Gemma 2 27B": lambda q, k: 50 * jnp.tanh(dot(q, k) * 144**-0.5 / 50),
    "Gemma 3 27B": lambda q, k: dot(rms(q), rms(k)) * 168**-0.5,
    "Gemma 3n": lambda q, k: dot(rms(q), rms(k)),
    "Grok-1": lambda q, k: 30 * jnp.tanh(dot(q, k) * 128**-0.5 / 30),
    "QKNorm": lambda q, k: math.log2(9900) * dot(unit(q), unit(k)),
    "Swin v2": lambda q, k: 10 * dot(unit(q), unit(k)),
    "nGPT": lambda q, k: 8 * dot(unit(q), unit(k)),
    "Qwen3": lambda q, k: dot(rms(q), rms(k)) * 128**-0.5,
    "Llama 4 Scout, rotary layers": lambda q, k: dot(rms(q), rms(k)) * 128**-0.5,
    "Llama 4, layers without rotary positions": lambda q, k: dot(q, k) * 128**-0.5,
    "gpt-oss": lambda q, k: dot(q, k) / 8 * (0.1 * math.log(32) + 1.0) ** 2,
    "DeepSeek-V2, V3": lambda q, k: dot(q, k) * 192**-0.5 * (0.1 * math.log(40) + 1.0) ** 2,
    "Qwen-1, at inference": lambda q, k: dot(q, k) * 128**-0.5,
}


@pytest.mark.parametrize("name", FORMULAS)
def test_formulas_against_jax(name: str) -> None:
    q, k = (9 * array for array in scores(KNOWN[name]))  # so large that a cap is felt
    expected = FORMULAS[name](*map(jnp.asarray, (q, k)))
    np.testing.assert_allclose(models.logits(KNOWN[name], q, k), expected, rtol=1e-10, atol=1e-12)


def test_rules_for_length() -> None:
    """Beyond the lengths at which the two formulas above begin to grow."""
    for name, n, factor in (
        ("Llama 4, layers without rotary positions", 8191, 1),
        ("Llama 4, layers without rotary positions", 10 * 8192, 1 + 0.1 * math.log(11)),
        ("Qwen-1, at inference", 2048, 1),
        ("Qwen-1, at inference", 2**16, 16 / 11),
    ):
        logits = models.logits(KNOWN[name], np.ones((1, 128)), np.ones((n, 128)))
        assert logits[0, -1] == pytest.approx(factor * 128**0.5)


def test_nobody_drops_the_scale_and_puts_nothing_in_its_place() -> None:
    """As the chapter says: a model without a factor folds it in, or normalises."""
    bare = {m.name for m in EVERY if np.isclose(models.spread(m), m.width**0.5, rtol=0.05)}
    assert {KNOWN[name].kind for name in bare} == {"folded", "norm", "library"}
    assert bare & {m.name for m in LIBRARIES} == {"Keras Attention", "cuDNN frontend"}
