"""What the pages of chapter 8 compute, against closed forms, other draws and the table."""

import json
import re

import numpy as np
import pytest
from scipy.special import softmax
from scipy.stats import norm, zscore
from stored_outputs import numbers_of, text_of
from test_stories import in_jax

import attn_helpers as ah
from why_sqrt_d import stories
from why_sqrt_d.ch8 import faulty
from why_sqrt_d.ch8 import real_models as models
from why_sqrt_d.ch8.trial import mapping_head
from why_sqrt_d.exercises import get
from why_sqrt_d.exercises.page_code import judged
from why_sqrt_d.rows import select, stored

CHAPTER, TRAPS, TINY = map(numbers_of, ("08-real-models", "8b-traps", "8c-opened-model"))
SHOWN, SHOWN_TRAPS = text_of("08-real-models"), text_of("8b-traps")


def test_models_start_where_their_own_weights_put_them() -> None:
    """Tokens with mean square one and drawn matrices, against the formula of the figure."""
    rng = np.random.default_rng(1)
    for name in ("GPT-2 in Hugging Face's code", "Phi-3 mini, 4 k", "DeBERTa v2, v3"):
        model, (width, deviation) = models.read()[name], models._file()["starts"][name]
        x = rng.standard_normal((200, width))
        w_q, w_k = rng.normal(0, deviation, (2, width, model.width))
        z = models.logits(model, x[:100] @ w_q, x[100:] @ w_k)
        assert models.start(model) == pytest.approx(z.std(axis=1).mean(), rel=0.06), name
    known = {model.name: models.start(model) for model in models.read().values()}
    known = {name: spread for name, spread in known.items() if not np.isnan(spread)}
    assert CHAPTER["started"] == len(known)
    assert models._file()["starts"].keys() <= known.keys()
    roots = [x for name, x in known.items() if models.read()[name].kind == "root"]
    ends = CHAPTER["root_low"], CHAPTER["root_high"]
    assert ends == pytest.approx((768 * 0.02**2, 8192 * 0.02**2), rel=0.01)
    assert ends == pytest.approx((min(roots), max(roots)))
    assert CHAPTER["between"] > 0.8  # "mostly between 0.3 and 3.3"
    assert known["GPT-Neo 1.3B"] == pytest.approx(1, abs=0.01)


def test_normal_twins_share_less() -> None:
    """The rows of a second model, and normal ones made in another way."""
    rng, found = np.random.default_rng(6), []
    for tokens in stories.ours()[::6]:
        model = in_jax(np.append(tokens, 0))
        for layer, head, place in rng.integers((0, 0, 20), (5, 8, len(tokens)), size=(600, 3)):
            keys = model.key[layer, head, : place + 1]
            z = keys @ model.query[layer, head, place] / 8**0.5
            for normal in (False, True):
                if normal:
                    z = zscore(rng.standard_normal(place + 1)) * z.std()
                p, ranked = softmax(z), np.sort(z)
                lead = (ranked[-1] - z.mean()) / z.std()
                found.append((1 / (p @ p), ranked[-1] - ranked[-2] < 1, p.max() > 0.99, lead))
    model_names = ("effective", "close", "taken")
    twin_names = ("twins_effective", "twins_close", "twins_taken")
    for names, one in ((model_names, found[::2]), (twin_names, found[1::2])):
        told = [TINY[name] for name in names]
        effective, close, taken, _ = np.transpose(one)
        assert told[0] == pytest.approx(np.median(effective), rel=0.06)
        assert told[1] == pytest.approx(100 * close.mean(), abs=2)
        assert told[2] == pytest.approx(100 * taken.mean(), abs=1.5)
    leads = [f"{np.median(np.array(one)[:, 3]):.1f}" for one in (found[::2], found[1::2])]
    assert re.search(
        rf"best above the mean, in spreads +{leads[0]} +{leads[1]}", text_of("8c-opened-model")
    )


def test_one_step_of_training() -> None:
    assert abs(TRAPS["added_64"] - 1 / np.pi) < 3 * TRAPS["added_64_error"]
    rng = np.random.default_rng(2)  # (8.1) by its own formula: the two sums of sizes
    sizes = np.abs(rng.standard_normal((2000, 256))).sum(axis=1) / (8 * 64)
    sizes *= np.abs(rng.standard_normal((2000, 64))).sum(axis=1)
    assert TRAPS["added_64"] == pytest.approx(sizes.mean() / 64, abs=0.03)
    # From d = 16 to 512: with 1/√d the random part stays and a step adds √d/π.
    for part, ends in (
        ("β = 1/√d, random", (1, 1)),
        ("β = 1/√d, one step", (4 / np.pi, 512**0.5 / np.pi)),
        ("β = 1/d, random", (1 / 4, 512**-0.5)),
        ("β = 1/d, one step", (1 / np.pi, 1 / np.pi)),
    ):
        [said] = re.findall(rf"{part}: from ([\d.]+) to ([\d.]+)\.(?!\d)", SHOWN_TRAPS)
        assert [float(x.rstrip(".")) for x in said] == pytest.approx(ends, rel=0.06, abs=0.006)


def test_growing_scores() -> None:
    rng = np.random.default_rng(3)
    z = 256 * np.linalg.norm(rng.standard_normal((9999, 128)), axis=1) / 12  # spreads of logits
    tied = 100 * norm.sf(50 * np.arctanh(49 / 50) / z).mean()
    assert CHAPTER["cap_tied"] == pytest.approx(tied, abs=1)
    assert "1/√d alone: from 0.90 through its least value 0.00 to 0.00" in SHOWN
    assert "normalised: from 0.90 through its least value 0.90 to 0.90" in SHOWN


def scale_of(name: str, keys: int = 100) -> float:
    """Return by what a model of the table multiplies the score of the last of some queries."""
    model = models.read()[name]
    one = np.ones((1, model.width))
    many = np.broadcast_to(one / model.width, (keys, model.width))
    return float(models.logits(model, one, many)[0, 0])


def test_factors_are_those_of_the_table() -> None:
    assert TRAPS["as_wide"] == pytest.approx(scale_of("gpt-oss") ** -2)
    rows = {
        "Llama 4": "Llama 4, layers without rotary positions",
        "Qwen-1": "Qwen-1, at inference",
        "DeepSeek-V3": "DeepSeek-V2, V3",
    }
    for label, name in rows.items():
        [line] = re.findall(rf"^{label} +([\d.– ]+)$", SHOWN_TRAPS, flags=re.M)
        for shown, place in zip(line.split(), (1000, 10_000, 30_000, 100_000), strict=True):
            if shown != "–":
                factor = scale_of(name, place) * models.read()[name].width ** 0.5
                assert float(shown) == pytest.approx(factor, abs=0.006)


def test_wrong_divisors() -> None:
    rng = np.random.default_rng(4)
    scores = rng.standard_normal((40, 50, 64)) @ rng.standard_normal((40, 64, 256))
    divisors = {"√d: right": 8, "√n": 16, r"√\(model width\)": 512**0.5, "d, or √d twice": 64}
    for name, divisor in (divisors | {"√heads": 8**0.5, "forgotten": 1}).items():
        [found] = re.findall(rf"{name}: spread ([\d.]+), entropy ([\d.]+)\.", SHOWN_TRAPS)
        p = softmax(scores / divisor, axis=-1)
        entropy = -(p * np.log(p + 1e-300)).sum(axis=-1).mean() / np.log(256)
        assert [float(x) for x in found] == pytest.approx(
            [8 / divisor, entropy], abs=0.02, rel=0.02
        )


def test_a_learners_attention_tells_the_models_story() -> None:
    """What is said of it is what the model does: its loss, and its story word for word."""
    few = [stories.encode(story) for story in stories.our_stories()[:4]]
    undivided = {"multiplier": 8**0.5}
    for function, changed in ((attention, {}), (not_divided, undivided)):
        said = get("8.4").judge(function)
        assert said.passed == (not changed)
        loss = np.mean([stories.loss(tokens, **changed).mean() for tokens in few])
        assert f"at {loss:.2f} nats a token (as trained: 1.68)" in said.message
        told = stories.tell("Once upon a time", 24, **changed)
        assert f"“{told.rpartition(' ')[0]}…”" in said.message
    assert "The logits are √d times too large" in said.message
    [solution, *pieces] = (
        re.findall(r"```python\n(.*?)```", get(x).solution, re.S)[0] for x in ("8.4", "1.8", "3.9")
    )
    calls = "\n".join(pieces) + "\ndef attention(query, key, value):\n    "
    calls += "return stable_softmax(masked_logits(query, key)) @ value"
    for code in (solution, calls):
        assert json.loads(judged("8.4", code))["passed"]
    for right, wrong, symptom in (
        (" / np.sqrt(d)", "", "The logits are √d times too large"),
        ("-np.inf", "0.0", "A hidden logit of 0 keeps the weight"),
        ("x - top", "x", "exp overflows above 709"),
    ):
        assert right in calls
        said = json.loads(judged("8.4", calls.replace(right, wrong)))["message"]
        assert said.startswith(symptom)
    late = "seen = []\ndef attention(*three):\n  seen.append(1)\n"
    late += "  if len(seen) > 99: raise SystemExit\n"
    late += solution.replace("def attention", "  def right").replace("\n", "\n  ")
    reply = json.loads(judged("8.4", late + "\n  return right(*three)"))
    assert "Put to use, it ended Python itself" in reply["message"]


def not_divided(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> np.ndarray:
    scores = query @ key.swapaxes(-1, -2)
    return softmax(np.where(np.tri(scores.shape[-1]), scores, -np.inf), axis=-1) @ value


def attention(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> np.ndarray:
    return not_divided(query / np.sqrt(query.shape[-1]), key, value)


def test_the_head_that_is_opened_is_as_the_exercise_says() -> None:
    """By code that loops, and by what the check says of the solution."""
    query, key = mapping_head()
    told = []
    for scale in (1 / np.sqrt(32), 1):
        rows = [[scale * sum(a * b) for b in key] for a in query]
        weights = [softmax(z) for z in rows]
        effective = np.median([1 / sum(p * p) for p in weights])
        share = 100 * np.mean([max(p) > 0.99 for p in weights])
        told.append((np.median([np.std(z) for z in rows]), effective, share))
    assert [x for _, _, x in told] == pytest.approx([0, 30], abs=2.5)  # "none", "nearly a third"
    assert [x for _, x, _ in told] == pytest.approx([5, 1], abs=0.2)
    [solution] = re.findall(r"```python\n(.*?)```", get("8.6").solution, re.S)
    said = json.loads(judged("8.6", solution))["message"]
    for spread, effective, share in told:
        assert f"spread {spread:.1f}, {effective:.1f} of 47 keys" in said
        assert f"one key over 0.99 in {share:.0f} % of the rows" in said


def test_the_dearest_head_is_one_that_resamples_find() -> None:
    [trained] = select(stored("stories_scale"), text="ours", layer=-1, multiplier=1)
    removed = [row for row in stored("stories_removed") if row["head"] >= 0]
    rises = np.array([np.subtract(row["losses"], trained["losses"]) for row in removed])
    picks = np.random.default_rng(5).integers(24, size=(4000, 24))
    dearest = removed[int(rises.mean(axis=-1).argmax())]
    first = np.bincount(rises[:, picks].mean(axis=-1).argmax(axis=0), minlength=40) / 4000
    for row, share in zip(removed, first, strict=True):
        answer = 10 * (row["layer"] + 1) + row["head"] + 1
        verdict = get("8.11").judge(answer)
        assert verdict.passed == (answer == 54)
        if share > 0.065 and answer != 54:
            assert "other stories" in verdict.message, answer
    assert 10 * (dearest["layer"] + 1) + dearest["head"] + 1 == 54


def test_the_audit_names_the_fault_of_each_faulty_layer() -> None:
    told = [
        ("scale", "0.04419 at every width"),  # 1/√512
        ("scale and keys", "it depends on the keys"),
        ("scale", "1/d"),
        ("scale", "1, no scale"),
        ("bool mask", "added as a number"),
        ("bool mask", "zero in place of a score"),
    ]
    for number, (what, said) in enumerate(told, 1):
        assert ah.audit(faulty.layer(number)).values[what] == said
    with pytest.raises(ValueError, match="layers 1 to 6, not 7"):
        faulty.layer(7)
