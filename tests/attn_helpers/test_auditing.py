"""The audit names faults that were planted, and what two attention functions are known to do."""

import time
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import attn_helpers as ah


def planted(
    factor=lambda d: d**-0.5,
    mask_means="True takes part",
    mask_before=False,
    mask_read=False,
    halves=True,
    empty="zeros",
    align=lambda n_q, n: 0,
    bend=lambda logits: logits,
    norm=False,
    cast=None,
    share=np.repeat,
    spoil=lambda q: q,
):
    """Return an attention with one of its parts replaced."""

    def attention(query, key, value, attn_mask=None, is_causal=False):
        q, k, v = (x.astype(cast) if cast else x for x in (query, key, value))
        spoil(query)
        assert halves or query.dtype == np.float32, "no other float"
        if norm:
            q, k = (x / (np.linalg.norm(x, axis=-1, keepdims=True) + 1e-12) for x in (q, k))
        if k.shape[1] != q.shape[1]:
            k, v = (share(x, q.shape[1] // k.shape[1], 1) for x in (k, v))
        logits = bend(q @ k.swapaxes(-1, -2) * q.dtype.type(factor(q.shape[-1])))
        if attn_mask is not None and attn_mask.dtype == bool:
            seen = ~attn_mask if mask_means == "True is removed" else attn_mask
            if mask_means == "added as a number":
                logits = logits + seen
            elif mask_means != "mask ignored":
                logits = np.where(seen, logits, -np.inf)
        elif attn_mask is not None and mask_read:
            logits = np.where(attn_mask, logits, -np.inf)
        elif attn_mask is not None:
            logits = logits + attn_mask * (factor(q.shape[-1]) if mask_before else 1)
        if is_causal and align is not None:
            n_q, n = logits.shape[-2:]
            logits = np.where(np.tri(n_q, n, align(n_q, n), dtype=bool), logits, -np.inf)
        if empty == "mean of values":
            logits = np.maximum(logits, np.finfo(logits.dtype).min)
        powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
        weights = powers / powers.sum(axis=-1, keepdims=True)
        if empty == "zeros":
            weights = np.where(np.isfinite(logits).any(axis=-1, keepdims=True), weights, 0)
        return (weights @ v).astype(query.dtype)

    return attention


FAULTS = [
    ({}, {"scale": "1/√d", "cap": "none", "dtype": "kept", "float16": "wrong"}),
    ({"factor": lambda d: 1.0}, {"scale": "1, no scale"}),
    ({"factor": lambda d: 1 / d}, {"scale": "1/d"}),
    ({"factor": lambda d: 512**-0.5}, {"scale": "0.04419 at every width"}),
    ({"factor": lambda d: 2 * d**-0.25}, {"scale": "2 · d^-0.25"}),
    ({"factor": lambda d: 0.0}, {"scale": "0"}),
    ({"factor": lambda d: -1.0}, {"scale": "not positive"}),
    ({"factor": lambda d: np.log(d) / d}, {"scale": "0.26 to 0.0379, no power of d"}),
    ({"bend": lambda x: 5 * np.tanh(x / 5)}, {"cap": "capped"}),
    ({"bend": lambda x: np.clip(x, -9, 9)}, {"cap": "capped"}),
    ({"norm": True, "factor": lambda d: 10.0}, {"cap": "lengths do not matter"}),
    ({"mask_means": "True is removed"}, {"bool mask": "True is removed"}),
    ({"mask_means": "added as a number"}, {"bool mask": "added as a number"}),
    ({"mask_means": "mask ignored"}, {"bool mask": "mask ignored"}),
    ({"mask_before": True}, {"float mask": "before the scale"}),
    ({"mask_read": True}, {"float mask": "read as boolean", "empty row, −inf": None}),
    (
        {"halves": False},
        {"scale": "1/√d", "dtype": "float16 raises, bfloat16 raises, float64 raises"},
    ),
    ({"mask_before": True, "factor": lambda d: 1.0}, {"float mask": "after the scale"}),
    ({"empty": "mean of values"}, {"empty row, boolean": "mean of values"}),
    ({"empty": "NaN"}, {"empty row, boolean": "NaN", "float16": "overflows"}),
    ({"align": lambda n_q, n: n - n_q}, {"causal, 2 × 5": "bottom-right"}),
    (
        {"align": lambda n_q, n: 1},
        {"causal, 2 × 5": "##... ###.."},
    ),
    ({"align": None}, {"causal, 2 × 5": "causal ignored"}),
    ({"share": lambda x, n, axis: np.concatenate([x] * n, axis)}, {"grouped heads": "cyclic"}),
    ({"cast": np.float32}, {"float16": "exact", "grouped heads": "consecutive"}),
    (
        {"spoil": lambda q: np.add(q, 0, out=q) is None or q.fill(0)},
        {"inputs": "changed in place"},
    ),
]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_planted_faults_are_named_one_by_one() -> None:
    usual = ah.audit(planted()).values
    for faults, expected in FAULTS:
        found = ah.audit(planted(**faults)).values
        assert expected == {name: found.get(name) for name in expected}, (faults, found)
        other = {name for name in found if found[name] != usual.get(name)} - {*expected}
        # What follows from the fault itself may differ, nothing else.
        allowed = {"scale", "scale applied", "error in float32", "causal, 5 × 2", "float16", "cap"}
        allowed |= {
            "bfloat16",
            "mask and causal",
            "empty row, boolean",
            "empty row, −inf",
            "inputs",
        }
        assert other <= allowed, (faults, other)


def test_what_tutorials_get_wrong_is_named() -> None:
    """Faults that leave the other readings as they are, each in one line of code."""
    usual = {
        "over": -1,
        "scale": lambda q, k: q.shape[-1] ** -0.5,
        "hide": lambda x, seen: np.where(seen, x, -1e9),
        "after": None,
        "tri": np.tri,
        "turn": lambda k: k.swapaxes(-1, -2),
        "value": lambda k, v: v,
    }

    def nothing(x, seen):
        return np.where(seen, x, np.nan)

    def faulty(**faults):
        use = type("Use", (), {name: staticmethod(x) for name, x in (usual | faults).items()})

        def attention(query, key, value, attn_mask=None, is_causal=False):
            logits = query @ use.turn(key) * use.scale(query, key)
            seen = use.tri(*logits.shape[-2:]) if is_causal else attn_mask
            if use.after == "always":
                seen = np.tri(*logits.shape[-2:])
            if seen is not None and use.after == "unscaled":
                logits = query @ use.turn(key)
            logits = logits if seen is None or use.after == "seen" else use.hide(logits, seen)
            largest = 0 if use.after == "exp" else logits.max(axis=-1, keepdims=True)
            powers = np.exp(logits - largest)
            weights = powers / powers.sum(axis=use.over, keepdims=True)
            weights = weights * seen if use.after == "seen" and seen is not None else weights
            answer = weights @ use.value(key, value)
            return (answer, weights) if use.after == "tuple" else answer

        return attention

    for faults, name, said in (
        ({}, "scale", "1/√d"),
        ({}, "scale and keys", None),
        ({}, "scale and mask", None),
        ({}, "scores", None),
        ({}, "causal, 2 × 5", "top-left"),
        ({"scale": lambda q, k: k.shape[-2] ** -0.5}, "scale and keys", "it depends on the keys"),
        ({"scale": lambda q, k: (q.shape[1] * 8) ** -0.5}, "scale and heads", "on the heads"),
        ({"scale": lambda q, k: q.shape[-1] ** 0.5}, "scale", "√d"),
        ({"hide": lambda x, seen: x * seen}, "bool mask", "zero in place of a score"),
        ({"hide": lambda x, seen: np.where(seen.T, x, -1e9)}, "bool mask", "transposed"),
        ({"after": "seen"}, "bool mask", "after the softmax"),
        ({"after": "seen"}, "causal, 2 × 5", "top-left; rows do not sum to one"),
        ({"after": "exp"}, "error in float32", "nan eps"),
        ({"after": "unscaled"}, "scale and mask", "it depends on the mask"),
        ({"after": "always"}, "no mask", "causal"),
        ({"after": "always", "scale": lambda q, k: 384**-0.5}, "scale", "0.05103 at every width"),
        ({"after": "tuple"}, "stopped", "it returns a tuple"),
        ({"tri": lambda n_q, n: np.tri(n_q, n, -1)}, "causal, 5 × 2", "without itself"),
        ({"tri": lambda n_q, n: 1 - np.tri(n_q, n)}, "causal, 2 × 5", "only the future"),
        ({"hide": nothing, "tri": lambda *n: np.zeros(n)}, "causal, 5 × 2", ".. .. .. .. .."),
        ({"turn": lambda k: k.reshape(*k.shape[:-2], k.shape[-1], -1)}, "scores", "not q·k"),
        ({"value": lambda k, v: k}, "stopped", "values are not used"),
        ({"over": -2}, "stopped", "over the queries?"),
        ({"over": 1}, "stopped", "over the heads?"),
        ({"over": None}, "stopped", "over everything?"),
    ):
        found = ah.audit(faulty(**faults)).values.get(name)
        assert (found is None) if said is None else said in (found or ""), (faults, name, found)


def test_the_scale_argument_and_a_mask_with_causal() -> None:
    def made(query, key, value, attn_mask=None, is_causal=False, scale=None, kind="the factor"):
        d, scale = query.shape[-1], scale or None if "none" in kind else scale
        factor = d**-0.5 if scale is None else scale
        factor = 1 / factor if "divisor" in kind and scale else factor
        factor *= d**-0.5 if "on top" in kind and scale is not None else 1
        mask = None if is_causal and kind == "causal" else attn_mask
        causal = is_causal and not (kind == "mask" and attn_mask is not None)
        return planted(factor=lambda d: factor)(query, key, value, mask, causal)

    for kind in (
        "the factor",
        "the divisor",
        "on top of its own",
        "the factor; 0 is taken for none",
    ):
        assert ah.audit(partial(made, kind=kind)).values["scale argument"] == kind
    for kind in ("both", "mask", "causal"):
        assert ah.audit(partial(made, kind=kind)).values["mask and causal"] == kind


def test_another_order_of_axes_and_causal_by_default_are_told() -> None:
    def hidden(query, key, value, attn_mask=None, is_causal=None):
        causal = attn_mask is None and query.shape[2] > 1 if is_causal is None else is_causal
        found = planted()(query, key, value, attn_mask=attn_mask, is_causal=causal)
        return found.swapaxes(1, 2)

    usual, found = ah.audit(planted()).values, ah.audit(hidden).values
    assert found.pop("call") == "(batch, heads, n, d) to (batch, n, heads, d)"
    assert found.pop("no mask") == "causal"
    assert {**usual, **found} == usual
    assert "error in float32" not in found


def test_it_knows_ours_and_that_of_jax() -> None:
    start = time.process_time()
    ours = ah.audit(ah.scaled_dot_product_attention).values
    assert time.process_time() - start < 1
    jaxs = ah.audit(
        jax.nn.dot_product_attention, attn_mask="mask", gradient=jax.grad, seconds=600
    ).values
    for name, values in {
        "call": ("(batch, heads, n, d)", "(batch, n, heads, d)"),
        "scale": ("1/√d", "1/√d"),
        "bool mask": ("True takes part", "True takes part"),
        "empty row, boolean": ("zeros", "mean of values"),
        "causal, 2 × 5": ("top-left", "top-left"),
        "grouped heads": ("not offered", "consecutive"),
        "gradient beside it, boolean": (None, "clean"),
    }.items():
        assert (ours.get(name), jaxs.get(name)) == values, name
    assert ours["float16"] == "exact"
    assert jaxs["float16"] in ("exact", "raises")  # XLA at SSE4.2 has no product in float16


def test_gradients_of_values_count() -> None:
    """Those of queries and keys are finite here: where an element is chosen, the other's is 0."""

    def hidden(query, key, value, attn_mask=None):
        logits = query @ key.swapaxes(-1, -2) / query.shape[-1] ** 0.5
        logits = logits if attn_mask is None else jnp.where(attn_mask, logits, -jnp.inf)
        return jax.nn.softmax(logits, axis=-1) @ value

    found = ah.audit(hidden, gradient=jax.grad).values
    assert found["gradient beside it, boolean"] == "not finite"
    x, mask = jnp.ones((2, 4)), np.array([[False, False], [True, True]])
    assert np.isfinite(jax.grad(lambda q: hidden(q, x, x, mask)[1].sum())(x)).all()


def test_what_cannot_be_audited_gets_a_sentence_and_the_rest_of_the_report() -> None:
    rng = np.random.default_rng(0)

    def random(query, key, value):
        return planted()(query + rng.standard_normal(query.shape), key, value)

    def slow(query, key, value):
        time.sleep(0.06)
        return planted()(query, key, value)

    def one_head(query, key, value):
        (_, _), ours = query.shape, (x[None, None] for x in (query, key, value))
        return planted()(*ours)[0, 0]

    def no_large(query, key, value):
        if np.abs(query).max() > 50:
            raise OverflowError("too large")
        return planted()(query, key, value)

    def flat(query, key, value):
        return planted()(query, key, value).reshape(-1)

    plain = ah.scaled_dot_product_attention
    for attention, name, said in (
        (random, "stopped", "it is random, two equal calls differ: is dropout on?"),
        (slow, "stopped", "calls took 0.3 s"),
        (flat, "stopped", "the answer has shape"),
        (lambda query: query, "stopped", "TypeError"),
        (lambda query, key, value: value, "stopped", "the answer has shape"),
        (lambda q, k, v: plain(q, ah.unit_length(k), v), "cap", "a key's length does not count"),
        (lambda q, k, v: plain(q, k, v).mean(0)[None].repeat(len(q), 0), "batch", "mixed"),
        (plain, "batch", None),
        (one_head, "call", "(n, d)"),
        (no_large, "scale", "1/√d"),
        (no_large, "float16", "raises"),
        (planted(), "mask", None),
    ):
        report = ah.audit(attention, seconds=0.3 if attention is slow else 60)
        found = report.values.get(name)
        assert (found is None) if said is None else said in found, (attention, report)
        assert f"<td>{report.findings[0].value}</td>" in report._repr_html_()
