"""What is said of the opened model: JAX's queries and keys, row by row and pair by pair."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import softmax
from stored_outputs import numbers_of
from test_stories import in_jax

from research.ch8 import scaled_stories as experiment
from why_sqrt_d import stories, stories_heads
from why_sqrt_d.ch8 import best_scale
from why_sqrt_d.intervals import bootstrap_interval
from why_sqrt_d.rows import select, stored

FEW = 20


def test_rows_are_those_of_a_second_implementation() -> None:
    tokens = stories.ours()[0]
    model, found = in_jax(np.append(tokens, 0)), stories_heads.rows()
    for layer, head, row in np.random.default_rng(0).integers((5, 8, 141), size=(300, 3)):
        place = FEW + row
        q, k = model.query[layer, head, place], model.key[layer, head, : place + 1]
        logits = k @ q / 8**0.5
        weights = softmax(logits)
        best, second = sorted(logits)[:-3:-1]
        apart = k[logits.argmax()] - k.mean(axis=0)
        expected = {
            "spread": np.std(logits),
            "margin": best - second,
            "top": max(weights),
            "effective": 1 / sum(weights**2),
            "keys": place + 1,
            "best": (best - logits.mean()) / np.std(logits),
            "chosen": logits.argmax(),
            "winner": apart @ q / np.linalg.norm(apart) / np.linalg.norm(q),
            "length": np.linalg.norm(apart) * np.linalg.norm(q) / 8**0.5,
        }
        for name, value in expected.items():
            one = found[name][layer, head, row]
            assert one == pytest.approx(value, rel=1e-8), (name, layer, head, row)


def test_a_twin_of_two_logits_is_known_and_others_have_their_rows_keys_and_spread() -> None:
    """Two logits of spread s lie at ±s, however they are drawn; below, the larger weight is p."""
    rng, s = np.random.default_rng(0), np.array([[[0.1, 1.0, 4.0]]])
    two = stories_heads.twins({"spread": s, "keys": np.full(s.shape, 2)}, rng)
    p = 1 / (1 + np.exp(-2 * s))
    expected = {
        "margin": 2 * s,
        "best": 1 + 0 * s,
        "top": p,
        "effective": 1 / (p**2 + (1 - p) ** 2),
    }
    for name, x in expected.items():
        np.testing.assert_allclose(two[name], x, err_msg=name)
    model = {"spread": rng.uniform(1, 9, (2, 3, 500)), "keys": rng.integers(21, 60, (2, 3, 500))}
    found = stories_heads.twins(model, rng)
    np.testing.assert_array_equal(found["keys"], model["keys"])
    np.testing.assert_allclose(found["spread"], model["spread"])
    many = model["keys"] > 50  # the best of 55 normal numbers is expected 2.29 above their mean
    assert found["best"][many].mean() == pytest.approx(2.29, abs=0.05)


def test_queries_from_elsewhere_are_the_heads_own_and_meet_a_given_key() -> None:
    rng, seen = np.random.default_rng(5), stories_heads.seen()
    pairs = stories_heads.elsewhere(rng)
    story, layer, head = 3, 2, 6
    query, key = (x[layer, head] for x in pairs[story])
    np.testing.assert_array_equal(key, seen[story][1][layer, head])
    asking = np.concatenate([stories.rotate(q, back=True)[layer, head] for q, _ in seen])
    away = np.abs(stories.rotate(query, back=True)[:, None] - asking).max(axis=-1)
    assert away.min(axis=1).max() < 1e-9  # each is one of them
    assert len({*away.argmin(axis=1)}) > 0.9 * len(query)

    model = stories_heads.rows()
    given = stories_heads.rows(pairs, model["chosen"])["winner"]
    chosen, cosines = (
        stories_heads.by_story(x)[story][layer, head] for x in (model["chosen"], given)
    )
    for place in range(FEW, len(query)):
        at, own = chosen[place - FEW], seen[story][0][layer, head, place]
        apart = key[at] - key[: place + 1].mean(axis=0)
        sizes = np.linalg.norm(query[place]) * np.linalg.norm(apart)
        assert cosines[place - FEW] == pytest.approx(query[place] @ apart / sizes)
        assert at == (key[: place + 1] @ own).argmax()


def test_variances_pair_by_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    models = [in_jax(np.append(tokens, 0)) for tokens in stories.ours()[:2]]
    monkeypatch.setattr(stories_heads, "seen", lambda: [(m.query, m.key) for m in models])
    found = stories_heads.variances()
    for layer, head in ((0, 0), (2, 5), (4, 7)):
        pairs = [
            (m.query[layer, head, row], m.key[layer, head, place])
            for m in models
            for row in range(FEW, m.query.shape[2])
            for place in range(row + 1)
        ]
        q, k = (np.array(one) for one in zip(*pairs, strict=True))
        expected = {
            "measured": (q * k).sum(axis=1).var(),
            "textbook": (q.var(axis=0) * k.var(axis=0)).sum(),
            "mean_key": (k.mean(axis=0) ** 2).sum() / (k**2).sum(axis=1).mean(),
            "keys": np.abs(np.corrcoef(k.T)[np.triu_indices(8, 1)]).mean(),
            "queries": np.abs(np.corrcoef(q.T)[np.triu_indices(8, 1)]).mean(),
        }
        for name, value in expected.items():
            assert found[name][layer, head] == pytest.approx(value), name
        # Every query with every key: what independence would make of the same vectors.
        kinds = [np.unique(one, axis=0, return_counts=True) for one in (q, k)]
        often = np.outer(kinds[0][1], kinds[1][1]) / len(q) ** 2
        terms = kinds[0][0][:, None] * kinds[1][0]

        def variance(x: np.ndarray, often: np.ndarray = often) -> float:
            return (often * x**2).sum() - (often * x).sum() ** 2

        assert found["vectors"][layer, head] == pytest.approx(variance(terms.sum(axis=-1)))
        expected_terms = sum(variance(terms[..., i]) for i in range(8))
        assert found["terms"][layer, head] == pytest.approx(expected_terms)


def test_before_the_rotation_a_token_has_its_key_at_every_place() -> None:
    layers: list[stories.Seen] = []
    stories.forward([stories.BEGIN, 403, 403, 403], seen=layers)
    plain = stories.rotate(layers[0].key, back=True)
    np.testing.assert_allclose(plain[:, 1], plain[:, 3], atol=1e-5)
    assert not np.allclose(layers[0].key[:, 1], layers[0].key[:, 3], atol=0.1)


def test_stored_rows_against_a_second_implementation(monkeypatch: pytest.MonkeyPatch) -> None:
    story = stories.ours()[5]
    monkeypatch.setattr(stories, "ours", lambda: (story,))
    run = {one.name: one.run for one in experiment.EXPERIMENTS}
    for name, settings, one in (
        ("stories_scale", {"text": "ours", "layer": 3, "head": 0, "multiplier": 4}, (3, 0)),
        ("stories_scale", {"text": "ours", "layer": 1, "head": -1, "multiplier": 0.5}, (1,)),
        ("stories_scale", {"text": "ours", "layer": -1, "head": -1, "multiplier": 2}, ()),
        ("stories_removed", {"layer": 4, "head": 4}, (4, 4)),
        ("stories_removed", {"layer": 2, "head": -1}, (2,)),
    ):
        changed = np.ones((5, 8, len(story) - 1))
        changed[one] = settings.get("multiplier", 0)
        both = {"kept" if name == "stories_removed" else "multiplier": changed}
        expected = in_jax(story, **both).losses.mean()
        [row] = select(stored(name), **settings)
        assert row["losses"][5] == pytest.approx(expected, abs=2e-5), (name, settings)
        assert run[name](**settings, seed=0)["losses"] == [row["losses"][5]], (name, settings)


def test_the_best_multiplier_of_parabolas() -> None:
    rng = np.random.default_rng(1)
    grid = np.array([0.25, 0.4, 0.7, 1, 1.3, 2, 4])
    places = rng.normal(np.log(0.9), 0.3, 30)  # each story's own best, in ln m
    losses = (np.log(grid)[:, None] - places) ** 2 + rng.normal(2, 1, 30)
    found, low, high = best_scale.best(grid, losses)
    assert found == pytest.approx(np.exp(places.mean()))
    known = stats.bootstrap((places,), np.mean, method="percentile", rng=rng).confidence_interval
    assert np.log([low, high]) == pytest.approx([known.low, known.high], abs=0.01)
    assert bootstrap_interval(places) == pytest.approx(
        [places.mean(), known.low, known.high], abs=0.01
    )
    assert best_scale.best(grid[:3], losses[:3]).value == 0.7  # at the end of a grid it stays


def test_the_pages_say_what_the_stored_rows_do() -> None:
    page = numbers_of("8c-opened-model")
    rows, rng = stored("stories_scale"), np.random.default_rng(2)
    [*whole] = select(rows, text="ours", layer=-1)
    grid = np.log([row["multiplier"] for row in whole[1:]])
    mean = np.array([np.mean(row["losses"]) for row in whole[1:]])
    near = np.abs(grid - grid[mean.argmin()]).argsort()[:5]
    curve = np.polynomial.Polynomial.fit(grid[near], mean[near], 3)
    dense = np.linspace(grid[near].min(), grid[near].max(), 999)
    assert np.log(page["best"]) == pytest.approx(dense[curve(dense).argmin()], abs=0.03)
    ours = {row["multiplier"]: np.array(row["losses"]) for row in whole}
    head = best_scale.losses(2, 3)
    [row] = select(rows, text="ours", layer=2, head=3, multiplier=0.7)
    assert [*head] == sorted({row["multiplier"] for row in select(rows, layer=2)} | {1})
    np.testing.assert_array_equal([head[0.7], head[1]], [row["losses"], ours[1]])
    assert best_scale.best_multiplier().value == pytest.approx(page["best"])
    for name, rise in (
        ("forgotten", ours[8**0.5] - ours[1]),
        ("dearest", stored("stories_removed")[5 + 4 * 8 + 3]["losses"] - ours[1]),
    ):
        known = stats.bootstrap((rise,), np.mean, method="percentile", rng=rng).confidence_interval
        assert [page[f"{name}_low"], page[f"{name}_high"]] == pytest.approx(known, abs=1e-3)
    assert page["dearest_cost"] == pytest.approx(rise.mean())
    assert page["dearest"] == "head 4 of layer 5"
