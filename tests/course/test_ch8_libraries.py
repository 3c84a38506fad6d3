"""The stored rows of libraries that were run, what the page counts in them, and its advice."""

import json
from itertools import pairwise

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from stored_outputs import from_the_page, numbers_of, text_of

import attn_helpers as ah
from research.libraries import __main__ as driver
from why_sqrt_d.ch8 import libraries
from why_sqrt_d.ch8.libraries import Function

ROWS = [json.loads(line) for line in driver.STORE.read_text("utf-8").splitlines()]
PAGE, SHOWN = numbers_of("8d-libraries"), text_of("8d-libraries")


def test_every_release_was_run_and_each_finding_stands_once() -> None:
    wanted = [(x.name, number) for x in driver.LIBRARIES for number in x.versions.split()]
    assert list(dict.fromkeys((r["library"], r["version"]) for r in ROWS)) == wanted
    found = [(r["library"], r["version"], r["function"], r["behaviour"]) for r in ROWS]
    assert len({*found}) == len(found)
    assert len({x.package for x in driver.LIBRARIES}) >= 25
    for row in ROWS:
        assert row["value"] not in ("raises", "failed") or row["note"]
        if row["function"]:
            assert row["python"].startswith("3.1")
            assert row["processor"].startswith("x86_64")


def test_the_page_counts_the_newest_functions_that_divide_by_root_d() -> None:
    """In plain Python, from the file; the others stand in its table."""
    last = {r["library"]: r["version"] for r in ROWS if r["function"]}
    rows = [r for r in ROWS if r["function"] and last[r["library"]] == r["version"]]
    found = {}
    for r in rows:
        found.setdefault((r["library"], r["function"]), {})[r["behaviour"]] = r["value"]
    scales = [x["scale"] for x in found.values() if "scale" in x]
    assert PAGE["usual"] == scales.count("1/√d")
    assert PAGE["odd"] == len(scales) - scales.count("1/√d") > 5
    for (library, name), values in found.items():
        if values.get("scale", "1/√d") != "1/√d":
            said = [line for line in SHOWN.splitlines() if line.startswith(values["scale"])]
            assert any(library in line for line in said), (library, name)


def made(library="a", version="1", name="f", **found):
    return Function(library, version, name, "f(q, k, v)", found)


def test_arithmetic_on_rows(monkeypatch) -> None:
    known = [
        made(version="1", scale="1/√d", cap="none"),
        made(version="2", scale="1, no scale"),
        made(library="b", scale="1/√d"),
        made(library="b", name="g", scale="1/√d"),
    ]
    monkeypatch.setattr(libraries, "read", lambda: known)
    assert libraries.newest() == known[1:]
    assert list(libraries.by_answer("scale")) == ["1/√d", "1, no scale"]
    assert libraries.changes() == [("a: f", "Scale", "1/√d", "2", "1, no scale")]
    assert libraries.port(known[1], known[2]) == ["`query / d**0.5`"]
    assert libraries.port(known[2], known[2]) == []
    assert libraries.answers("scale") == [["1/√d", "b"], ["1, no scale", "a"]]
    known[3] = made(library="b", name="g", scale="##. ###")
    rows = [["1, no scale", "a"], ["1/√d", "b: f"], ["`##. ###`", "b: g"]]
    assert libraries.answers("scale") == rows


@pytest.fixture
def problem():
    rng = np.random.default_rng(0)
    q, k, v = (rng.standard_normal((2, 4, n, 8)).astype(np.float32) for n in (3, 5, 5))
    mask = rng.random((3, 5)) < 0.6
    mask[1] = False
    return q, k, v, mask


def evaluated(line, **names):
    """Run what stands first between backticks in a line of the guide."""
    numpy = {name: getattr(np, name) for name in ("where", "tri", "inf")}
    return eval(line.split("`")[1], numpy | names)


def test_an_answer_that_the_guide_does_not_know_is_an_error() -> None:
    [torchs] = [one for one in libraries.newest() if one.title == libraries.TORCH]
    for one in libraries.newest():
        libraries.port(one, torchs)
    with pytest.raises(LookupError, match="a: f: no line for float16, odd"):
        libraries.port(made(float16="odd"), torchs)


def test_the_lines_of_the_guide_make_two_libraries_agree(problem) -> None:
    q, k, v, mask = problem
    right = ah.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    assert (right[..., 1, :] == 0).all()
    known = {one.title: one for one in libraries.newest()}
    jaxs, torchs = known["jax: nn.dot_product_attention"], known[libraries.TORCH]
    swap, zeros = libraries.port(jaxs, torchs)
    three = [evaluated(swap, x=x) for x in (q, k, v)]
    answer = np.asarray(jax.nn.dot_product_attention(*three, mask=mask[None, None]))
    answer = evaluated(swap, x=answer)
    assert not np.allclose(answer, right, atol=1e-5)
    answer = evaluated(zeros, mask=mask, answer=answer)
    np.testing.assert_allclose(answer, right, atol=1e-5)
    names = {"jax": jax, "jnp": jnp}
    page = (driver.TREE / "book/8d-libraries.ipynb").read_text("utf-8")
    texts = ("".join(cell["source"]) for cell in json.loads(page)["cells"])
    [example] = (text.split("```python")[1].split("```")[0] for text in texts if "```" in text)
    exec(example, names)
    np.testing.assert_allclose(names["attention"](q, k, v, mask), right, atol=1e-5)
    lines = libraries.LINES
    turned = evaluated(lines["call", "(batch, heads, n, d) to (batch, n, heads, d)"], answer=q)
    assert turned.shape == (2, 3, 4, 8)
    line = lines["grouped heads", "cyclic"]
    shared = [evaluated(line, np=np, key=x[:, :2], groups=2) for x in (k, v)]
    three = (x.swapaxes(1, 2) for x in (q, k[:, :2], v[:, :2]))
    answer = np.asarray(jax.nn.dot_product_attention(*three)).swapaxes(1, 2)
    alike = ah.scaled_dot_product_attention(q, *shared)
    np.testing.assert_allclose(answer, alike, atol=1e-5)
    folded = [
        evaluated(libraries.ONE_HEAD, x=x, batch=2, heads=4, n=x.shape[2], d=8) for x in (q, k, v)
    ]
    one_head = ah.scaled_dot_product_attention(*folded).reshape(q.shape)
    np.testing.assert_allclose(one_head, ah.scaled_dot_product_attention(q, k, v), atol=1e-6)
    padding = np.array([[False] * 5, [True] * 5])  # the second text is all padding
    answer = evaluated(libraries.ZEROS_PADDED, padding=padding, answer=np.ones((2, 3, 8)))
    assert (answer == [[[1]], [[0]]]).all()
    bare = evaluated(lines["scale", "1, no scale"], query=q, d=8)
    bare = ah.scaled_dot_product_attention(bare, k, v, scale=1.0)
    np.testing.assert_allclose(bare, ah.scaled_dot_product_attention(q, k, v), atol=1e-5)
    top_left = evaluated(lines["causal, 2 × 5", "bottom-right"], n_q=3, n=5)
    np.testing.assert_allclose(
        ah.scaled_dot_product_attention(q, k, v, attn_mask=top_left),
        ah.scaled_dot_product_attention(q, k, v, is_causal=True),
        atol=1e-6,
    )
    rows = mask | [[True, False, False, False, False]]  # none is empty
    both = ah.scaled_dot_product_attention(
        q, k, v, attn_mask=evaluated(libraries.ONE_MASK, mask=rows, n_q=3, n=5)
    )
    three = (x.swapaxes(1, 2) for x in (q, k, v))
    answer = jax.nn.dot_product_attention(*three, mask=rows[None, None], is_causal=True)
    np.testing.assert_allclose(np.asarray(answer).swapaxes(1, 2), both, atol=1e-5)
    added = evaluated(lines["bool mask", "added as a number"], mask=mask)
    assert (evaluated(lines["float mask", "read as boolean"], mask=added) == mask).all()
    assert (evaluated(lines["bool mask", "True is removed"], mask=mask) != mask).all()
    assert (np.tri(2, 5, 3, dtype=bool).sum(axis=-1) == (4, 5)).all()


def test_float64_stays_in_jax_once_it_is_asked_for(problem) -> None:
    q, k, v = (x.swapaxes(1, 2).astype(float) for x in problem[:3])
    for asked, dtype in ((False, np.float32), (True, np.float64)):
        with jax.enable_x64(asked):
            assert jax.nn.dot_product_attention(q, k, v).dtype == dtype


def test_a_length_of_zero_in_jax_gets_the_mean(problem) -> None:
    q, k, v = (x.swapaxes(1, 2) for x in problem[:3])  # (batch, n, heads, d)
    lengths = np.array([5, 0], np.int32)
    found = jax.nn.dot_product_attention(q, k, v, key_value_seq_lengths=lengths)
    mean = np.broadcast_to(v[1].mean(axis=0), found[1].shape)
    np.testing.assert_allclose(found[1], mean, atol=1e-5)
    assert not np.allclose(found[0], v[0].mean(axis=0), atol=1e-2)


def test_no_row_is_empty_and_gradients_stay_finite(problem) -> None:
    """What the page's cell says of its own function, in JAX with a mask of −∞."""
    q, k, v, mask = (jnp.asarray(x[0, 0] if x.ndim == 4 else x) for x in problem)

    def attention(q, k, v, mask):
        logits = q @ k.T / 8**0.5 + jnp.where(mask, 0.0, -jnp.inf)
        return jax.nn.softmax(logits, axis=-1) @ v

    def zeros(q):
        some = mask.any(axis=-1, keepdims=True)
        return jnp.where(some, attention(q, k, v, mask | ~some), 0)

    right = ah.scaled_dot_product_attention(*map(np.asarray, (q, k, v)), attn_mask=np.array(mask))
    np.testing.assert_allclose(zeros(q), right, atol=1e-5)
    assert np.isfinite(jax.grad(lambda q: zeros(q).sum())(q)).all()
    assert not np.isfinite(jax.grad(lambda q: attention(q, k, v, mask)[0].sum())(q)).all()


def test_a_layers_weights_in_the_form_of_flax_and_keras() -> None:
    """Torch's form, by slices, against theirs, by the products their documentation writes."""
    rng, heads, d = np.random.default_rng(0), 3, 12
    packed, out = rng.standard_normal((3 * d, d)), rng.standard_normal((d, d))
    x, context = rng.standard_normal((5, d)), rng.standard_normal((7, d))
    given = zip((x, context, context), np.split(packed, 3), strict=True)
    parts = [(y @ w.T).reshape(-1, heads, 4).swapaxes(0, 1) for y, w in given]  # (heads, n, 4)
    right = ah.scaled_dot_product_attention(*parts).swapaxes(0, 1).reshape(5, d) @ out.T
    *three, last = from_the_page("8d-libraries", "kernels")(packed, out, heads)
    given = zip((x, context, context), three, strict=True)
    parts = [np.einsum("nd,dhe->hne", y, w) for y, w in given]
    found = np.einsum("hne,hed->nd", ah.scaled_dot_product_attention(*parts), last)
    np.testing.assert_allclose(found, right, atol=1e-12)


def test_a_release_costs_the_others_nothing_and_is_not_run_twice(tmp_path, monkeypatch) -> None:
    asked = []

    def run(library, version):
        asked.append((library.name, version))
        about = {"library": library.name, "version": version}
        return [about | {"function": "", "behaviour": "run", "value": "failed", "note": "no"}]

    monkeypatch.setattr(driver, "STORE", tmp_path / "libraries.jsonl")
    monkeypatch.setattr(driver, "run", run)
    driver.main(["jax"])
    assert [version for _, version in asked] == next(
        x.versions.split() for x in driver.LIBRARIES if x.name == "jax"
    )
    driver.main([])
    driver.main([])
    assert len({*asked}) == len(asked) == sum(len(x.versions.split()) for x in driver.LIBRARIES)
    order = [(x["library"], x["version"]) for rows in driver.stored_rows().values() for x in rows]
    assert order == [(x.name, n) for x in driver.LIBRARIES for n in x.versions.split()]
    # A failure loses nothing that was measured.
    row = {"library": "torch", "version": "2.13.0", "function": "f", "value": "x"}
    driver.STORE.write_text(json.dumps(row) + "\n", "utf-8")
    driver.main(["torch"])
    assert driver.stored_rows() == {("torch", "2.13.0"): [row]}
    assert [p.name for p in tmp_path.iterdir()] == ["libraries.jsonl"]
    with pytest.raises(SystemExit, match="unknown: no-such"):
        driver.main(["no-such"])


def test_what_fails_becomes_a_row(monkeypatch) -> None:
    class Done:
        stdout, stderr, returncode = 'ROW {"function": "f", "value": "x"}\nother\n', "so\nwhy", 1

    monkeypatch.setattr(driver.subprocess, "run", lambda *_, **__: Done)
    rows = driver.run(driver.LIBRARIES[0], "1")
    assert [row["value"] for row in rows] == ["x", "failed"]
    assert rows[-1]["note"] == "why"
    assert all(a["library"] == b["library"] == "torch" for a, b in pairwise(rows))
