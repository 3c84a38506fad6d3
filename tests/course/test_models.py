"""The table of real models: entries are complete, every formula runs and is what it says."""

import re
import sys

import numpy as np
import pytest

import attn_helpers as ah
from tools.paths import BOOK
from why_sqrt_d.ch7 import models, results

sys.path.insert(0, str(BOOK / "_ext"))
from course_site.model_table import address, form, said, slug

KNOWN = models.read()
EVERY = list(KNOWN.values())
BIB = set(re.findall(r"^@\w+\{([\w-]+),", (BOOK / "references.bib").read_text(), flags=re.M))


def scores(model: models.Model) -> tuple[np.ndarray, np.ndarray]:
    """Return the same random queries and keys for all models of one width."""
    query, key, _ = results.draw(model.width, seed=7, n=30, blocks=2, queries=6)
    return query, key


def of_kind(*kinds: str) -> list[models.Model]:
    return [model for model in EVERY if model.kind in kinds]


each = pytest.mark.parametrize("model", EVERY, ids=lambda model: slug(model.name))


def test_the_table_is_long_and_names_nobody_twice() -> None:
    assert len(EVERY) - len(of_kind("library")) >= 100
    assert len({slug(model.name) for model in EVERY}) == len(EVERY)
    assert set(models.KINDS) == {model.kind for model in EVERY}


@each
def test_an_entry_is_complete(model: models.Model) -> None:
    assert model.formula
    assert model.code
    assert 2017 <= model.year <= 2026 or model.kind == "library" or "BERT-large" in model.name
    assert not (model.year and model.kind == "library")
    assert model.d == 0 or 16 <= model.d <= 512
    assert not model.paper or model.paper in BIB
    links = [address(place) for place in model.where.split("; ")]
    assert all(links) or (model.where == "the paper" and model.paper)


def test_places_lead_to_lines_at_a_commit() -> None:
    hub = "https://github.com"
    assert address("a/b@0123456789 c/d.py:12-14,20") == f"{hub}/a/b/blob/0123456789/c/d.py#L12-L14"
    assert address("a/b@0123456789 c/d.py:5,9") == f"{hub}/a/b/blob/0123456789/c/d.py#L5"
    assert address("a/b@0123456789 c.h") == f"{hub}/a/b/blob/0123456789/c.h"
    there = f"{hub}/huggingface/transformers/blob/v5.23.0/src/transformers"
    assert address("HF t5/modeling_t5.py:197") == f"{there}/models/t5/modeling_t5.py#L197"
    assert address("HF ../modeling_rope_utils.py:568") == f"{there}/modeling_rope_utils.py#L568"
    assert address("the paper") is None


@each
def test_a_formula_runs(model: models.Model) -> None:
    query, key = scores(model)
    found = models.logits(model, query, key)
    assert found.shape == (2, 6, 30)
    assert np.isfinite(found).all()
    assert (found.std(axis=-1) > 0).all()


@pytest.mark.parametrize("model", [m for m in EVERY if m.rule], ids=lambda model: model.rule)
def test_a_formula_agrees_with_the_rule_of_that_name(model: models.Model) -> None:
    d, rule = ah.models.REAL_MODELS[model.rule]
    query, key, _ = results.draw(d, seed=8, n=300, blocks=1, queries=3)
    np.testing.assert_allclose(
        models.logits(model, query, key), rule.logits(query, key), rtol=1e-12, atol=1e-13
    )


def test_every_rule_has_an_entry() -> None:
    assert sorted(m.rule for m in EVERY if m.rule) == sorted(ah.models.REAL_MODELS)


@each
def test_the_kind_is_that_of_the_formula(model: models.Model) -> None:
    """Told from what a formula does to the same scores, and to scores that grow or are many."""
    query, key = scores(model)
    raw = query @ key.swapaxes(-1, -2)
    found = models.logits(model, query, key)
    ratio = found / raw
    constant = np.allclose(ratio, ratio.flat[0])
    root = model.width**-0.5
    if model.kind == "root":
        np.testing.assert_allclose(found, raw * root, rtol=1e-12)
    elif model.kind == "folded":
        np.testing.assert_allclose(found, raw)
    elif model.kind == "norm":
        np.testing.assert_allclose(models.logits(model, 50 * query, 3 * key), found, rtol=1e-9)
    elif model.kind == "width":
        wide = np.tile(query, 4), np.tile(key, 4)  # s is four times as large, and so is d
        by_number = re.search(r"/ \d+$", model.code)  # a configured 1/128 has no d in it
        expected = (4 if by_number else 1) * found
        assert constant
        np.testing.assert_allclose(models.logits(model, *wide), expected, rtol=1e-12)
        assert not by_number or np.isclose(ratio.flat[0], 1 / model.d)
    elif model.kind == "other":
        assert constant
        assert not np.isclose(ratio.flat[0], root) or model.let == {"rows": 1}
    elif model.kind == "cap":
        assert np.abs(models.logits(model, 100 * query, 100 * key)).max() < 64 * model.d**0.5 + 1
    elif model.kind == "length":
        many = np.broadcast_to(key[:, :1], (2, 2**20, model.width))
        factor = models.logits(model, query, many)[..., 0] / (raw[..., 0] * root)
        assert np.ptp(factor) < 1e-6
        assert factor.flat[0] > 1.2 or model.let == {"t": 1}
    else:
        assert constant
        assert any(np.isclose(ratio.flat[0], scale) for scale in (root, 1.0))


def test_nobody_drops_the_scale_and_puts_nothing_in_its_place() -> None:
    """As the chapter says: a model without a factor folds it in, or normalises."""
    bare = {m.name for m in EVERY if np.isclose(results.spread(m), m.width**0.5, rtol=0.05)}
    assert {KNOWN[name].kind for name in bare} == {"folded", "norm", "library"}
    assert {name for name in bare if KNOWN[name].kind == "library"} == {
        "Keras Attention",
        "cuDNN frontend",
    }


def test_numbers_that_were_read_in_code() -> None:
    def beta(name: str) -> float:
        query, key = scores(KNOWN[name])
        ratio = models.logits(KNOWN[name], query, key) / (query @ key.swapaxes(-1, -2))
        return float(ratio.flat[0])

    assert beta("gpt-oss") == pytest.approx(0.22666, abs=5e-6)
    assert beta("DeepSeek-V2, V3") == pytest.approx(0.13523, abs=5e-6)
    assert beta("Kimi K2") == pytest.approx(0.13086, abs=5e-6)
    assert beta("DeepSeek-V2-Lite 16B") * 192**0.5 == pytest.approx(1.5896, abs=5e-5)
    assert beta("Phi-3 mini, 128 k (LongRoPE)") * 96**0.5 == pytest.approx(1.4167, abs=5e-5)
    assert beta("Qwen2.5, Qwen3 with YaRN") * 128**0.5 == pytest.approx(1.2965, abs=5e-5)
    assert beta("Falcon-H1 0.5B") == pytest.approx(0.0488, abs=5e-5)
    assert beta("CvT") == pytest.approx(1 / 19.6, rel=2e-3)


@pytest.mark.parametrize(
    "code",
    [
        "__import__('os')",
        "s.T",
        "s[0]",
        "x * s",
        "exp(s)",
        "sqrt(x=s)",
        "-s",
        "'s'",
        "s if d else n",
    ],
)
def test_a_formula_is_arithmetic_and_nothing_else(code: str) -> None:
    model = models.Model("made up", "other", "", code, "")
    with pytest.raises(ValueError, match="a formula has no"):
        models.logits(model, [[1.0]], [[1.0]])


def test_the_functions_of_formulas() -> None:
    x = np.random.default_rng(0).normal(3, 2, (4, 8))
    layer = models.FUNCTIONS["layernorm"](x)
    np.testing.assert_allclose(layer.mean(axis=-1), 0, atol=1e-12)
    np.testing.assert_allclose(layer.std(axis=-1), 1)
    assert np.abs(models.FUNCTIONS["clamp"](x, 1.0)).max() == 1


def test_the_page_says_kinds_years_and_spreads() -> None:
    menus = form(EVERY)
    assert all(f'value="{kind}"' in menus for kind in models.KINDS)
    assert 'value="2017"' in menus
    assert said(KNOWN["GPT-2"]) == "1"
    assert said(KNOWN["GPT-Neo 1.3B"]) == "11"


def test_the_page_counts_right() -> None:
    text = (BOOK / "descriptions.yml").read_text()
    libraries = len(of_kind("library"))
    assert f"{len(EVERY) - libraries} public models and {libraries} libraries" in text
