"""Libraries that take arrays, a function each: it yields name, call, and attention."""

import json
import os
import subprocess
from base64 import b64decode, b64encode
from pathlib import Path
from tempfile import TemporaryDirectory

import ml_dtypes
import numpy as np

from . import by_kind, by_row, only_tokens

GRADIENT = None
KINDS = {"float16": 10, "bfloat16": 16, "float32": 1, "float64": 11, "bool": 9, "int32": 6}


def in_dtype_of(query, attn_mask):
    number = attn_mask is not None and attn_mask.dtype != bool
    return attn_mask.astype(query.dtype) if number else attn_mask


def keras():
    from keras import layers, ops

    def array(x):
        half = "bfloat16" in str(x.dtype)
        found = ops.convert_to_numpy(ops.cast(x, "float32") if half else x)
        return found.astype(ml_dtypes.bfloat16) if half else found

    def given(*arrays):
        dtype = str(arrays[0].dtype)
        wide = (x.astype(np.float32) if dtype == "bfloat16" else x for x in arrays)
        return [ops.cast(ops.convert_to_tensor(x), dtype) for x in wide]

    def function(query, key, value, attn_mask=None, is_causal=False):
        named = {name: ops.convert_to_tensor(x) for name, x in by_kind(attn_mask).items()}
        three = given(query, key, value)
        return array(ops.dot_product_attention(*three, is_causal=is_causal, **named))

    call = "keras.ops.dot_product_attention(query, key, value, bias, mask, is_causal=False)"
    yield "ops.dot_product_attention", call, function

    def attention(query, key, value, attn_mask=None, is_causal=False):
        only_tokens(query)
        shape, made = query.shape, layers.Attention(dtype=str(query.dtype))
        query, key, value = given(*by_row(query, key, value, attn_mask))
        mask = None if attn_mask is None else [None, ops.convert_to_tensor(attn_mask)]
        found = made([query, value, key], mask=mask, use_causal_mask=is_causal)
        return array(found).reshape((*shape[:2], -1))

    call = "keras.layers.Attention()([query, value, key], mask=[None, padding])"
    yield "layers.Attention()", call, attention
    for asked in (False, True):

        def mha(query, key, value, attn_mask=None, is_causal=False, asked=asked):
            only_tokens(query)
            d = query.shape[-1]
            made = layers.MultiHeadAttention(1, d, use_bias=False, dtype=str(query.dtype))
            query, key, value = given(query, key, value)
            made.build(query.shape, value.shape, key.shape)
            made.set_weights([np.eye(d).reshape(x.shape) for x in made.get_weights()])
            mask = None if attn_mask is None else ops.convert_to_tensor(attn_mask[None])
            named = {"attention_mask": mask, "use_causal_mask": is_causal}
            found = made(query, value, key, **named, return_attention_scores=asked)
            return array(found[0] if asked else found)

        said = ", return_attention_scores=True" * asked
        call = f"keras.layers.MultiHeadAttention(heads, d)(q, v, k, attention_mask=mask{said})"
        yield f"layers.MultiHeadAttention{said}", call, mha


def model(name, fed, inputs, opset, domain="", **attributes):
    """Return a model of one node."""
    from onnx import helper

    dtype = KINDS[str(fed["Q"].dtype)]
    put = [helper.make_tensor_value_info(x, KINDS[str(y.dtype)], y.shape) for x, y in fed.items()]
    node = helper.make_node(name, inputs, ["Y"], domain=domain, **attributes)
    out = [helper.make_tensor_value_info("Y", dtype, None)]
    opsets = [helper.make_opsetid(*x) for x in {("", opset), (domain, 1 if domain else opset)}]
    graph = helper.make_graph([node], "attention", put, out)
    return helper.make_model(graph, opset_imports=opsets, ir_version=11 if opset > 21 else 10)


def operator(answer):
    """Yield ONNX's operator Attention of each opset, as `answer(model, fed)` computes it."""
    for opset in (23, 24):

        def attention(query, key, value, attn_mask=None, is_causal=False, opset=opset):
            if query.ndim != 4:
                raise ValueError("asked with (batch, heads, n, d)")
            fed = {"Q": query, "K": key, "V": value, "mask": in_dtype_of(query, attn_mask)}
            fed = {name: x for name, x in fed.items() if x is not None}
            made = model("Attention", fed, list(fed), opset, is_causal=int(is_causal))
            return np.asarray(answer(made, fed))

        yield f"Attention, opset {opset}", "Attention(Q, K, V, attn_mask, is_causal=0)", attention


def onnx():
    from onnx.reference import ReferenceEvaluator

    yield from operator(lambda made, fed: ReferenceEvaluator(made).run(None, fed)[0])


def onnxruntime():
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 4

    def answer(made, fed):
        cpu = ["CPUExecutionProvider"]
        return ort.InferenceSession(made.SerializeToString(), options, cpu).run(None, fed)[0]

    yield from operator(answer)
    yield from contributed(answer)


def onnxruntime_node():
    """Yield the same models, run by the package for Node."""

    def text(x):
        return b64encode(x).decode()

    with TemporaryDirectory() as folder:
        package = f"onnxruntime-node@{os.environ['VERSION']}"
        install = ["npm", "install", "--prefix", folder, "--ignore-scripts", package]
        subprocess.run(install, check=True, stdout=subprocess.DEVNULL)
        run = ["node", str(Path(__file__).with_name("answer.js"))]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        known = os.environ | {"NODE_PATH": f"{folder}/node_modules"}
        with subprocess.Popen(run, env=known, **pipes) as node:

            def answer(made, fed):
                given = {
                    name: {"type": str(x.dtype), "dims": x.shape, "data": text(x.tobytes())}
                    for name, x in fed.items()
                }
                line = {"model": text(made.SerializeToString()), "fed": given}
                print(json.dumps(line), file=node.stdin, flush=True)
                said = json.loads(node.stdout.readline())
                if "error" in said:
                    raise RuntimeError(said["error"])
                data = np.frombuffer(b64decode(said["data"]), said["type"])
                return data.reshape(said["dims"])

            yield from operator(answer)
            yield from contributed(answer)


def contributed(answer):
    """Yield onnxruntime's own operator."""

    def own(query, key, value, attn_mask=None, is_causal=False):
        only_tokens(query)
        fed, (_, n_q, d) = {}, query.shape
        if attn_mask is not None and attn_mask.dtype != bool:
            fed["bias"] = attn_mask[None, None].repeat(2, axis=1).astype(query.dtype)
        elif attn_mask is not None:
            query, key, value = by_row(query, key, value, attn_mask)
            fed["padding"] = attn_mask.astype(np.int32)
        for name, x in zip("QKV", (query, key, value), strict=True):
            fed[name] = np.concatenate([x, 0 * x], axis=-1)  # two heads
        inputs = ["Q", "K", "V", "", *(x if x in fed else "" for x in ("padding", "bias"))]
        named = {"domain": "com.microsoft", "num_heads": 2, "unidirectional": int(is_causal)}
        found = answer(model("MultiHeadAttention", fed, inputs, 21, **named), fed)
        return found.reshape(1, n_q, -1)[..., :d]

    call = "MultiHeadAttention(Q, K, V, '', padding, bias, num_heads, unidirectional=0)"
    yield "com.microsoft.MultiHeadAttention", f"com.microsoft.{call}", own


def mlx():
    import mlx.core as mx
    from mlx import nn

    mx.set_default_device(mx.cpu)

    def arrays(*given):
        half = given[0].dtype == ml_dtypes.bfloat16
        made = (mx.array(x.astype(np.float32) if half else x) for x in given)
        return [x.astype(mx.bfloat16) for x in made] if half else list(made)

    def back(x):
        half = x.dtype == mx.bfloat16
        return np.array(x.astype(mx.float32)).astype(ml_dtypes.bfloat16) if half else np.array(x)

    def masked(x, dtype):
        return x if x is None else mx.array(x) if x.dtype == bool else mx.array(x).astype(dtype)

    def function(query, key, value, attn_mask=None, is_causal=False):
        q, k, v = arrays(query, key, value)
        named = {"mask": "causal" if is_causal else masked(attn_mask, q.dtype)}
        named["scale"] = query.shape[-1] ** -0.5  # it wants one
        return back(mx.fast.scaled_dot_product_attention(q, k, v, **named))

    call = "mx.fast.scaled_dot_product_attention(query, key, value, scale=d**-0.5, mask=mask)"
    yield "fast.scaled_dot_product_attention", call, function

    def layer(query, key, value, attn_mask=None):
        only_tokens(query)
        q, k, v = arrays(query, key, value)
        made = nn.MultiHeadAttention(query.shape[-1], 1)
        for name in ("query_proj", "key_proj", "value_proj", "out_proj"):
            getattr(made, name).weight = mx.eye(query.shape[-1]).astype(q.dtype)
        return back(made(q, k, v, masked(attn_mask, q.dtype)))

    call = "mlx.nn.MultiHeadAttention(width, heads)(query, key, value, mask)"
    yield "nn.MultiHeadAttention", call, layer


def tinygrad():
    from tinygrad import Tensor

    def attention(query, key, value, attn_mask=None, is_causal=False):
        q, k, v = map(Tensor, (query, key, value))
        named = {"attn_mask": None if attn_mask is None else Tensor(attn_mask)}
        named |= {"is_causal": is_causal, "enable_gqa": len(query[0]) != len(key[0])}
        return np.asarray(q.scaled_dot_product_attention(k, v, **named).numpy())

    call = "query.scaled_dot_product_attention(key, value, attn_mask, is_causal=False)"
    yield "Tensor.scaled_dot_product_attention", call, attention


def openvino():
    import openvino as ov
    from openvino import opset13

    core = ov.Core()
    for hint in ({}, {"INFERENCE_PRECISION_HINT": "f32"}):

        def attention(query, key, value, attn_mask=None, is_causal=False, hint=hint):
            if query.ndim != 4:
                raise ValueError("asked with (batch, heads, n, d)")
            fed = [query, key, value, in_dtype_of(query, attn_mask)]
            fed = fed[: 3 + (attn_mask is not None)]
            put = [opset13.parameter(x.shape, x.dtype) for x in fed]
            made = ov.Model([opset13.scaled_dot_product_attention(*put, causal=is_causal)], put)
            return core.compile_model(made, "CPU", hint | {"INFERENCE_NUM_THREADS": 1})(fed)[0]

        call = "opset13.scaled_dot_product_attention(query, key, value, mask, causal=False)"
        yield "opset13.scaled_dot_product_attention" + ", f32 hint" * bool(hint), call, attention


def paddlepaddle():
    import paddle
    from paddle.nn import functional as F

    def attention(query, key, value, attn_mask=None, is_causal=False):
        if query.ndim != 4 or query.dtype.name == "bfloat16":
            raise ValueError("asked with (batch, n, heads, d), in NumPy's own dtypes")
        three = map(paddle.to_tensor, (query, key, value))
        mask = in_dtype_of(query, attn_mask)
        mask = None if mask is None else paddle.to_tensor(mask[None, None])
        return F.scaled_dot_product_attention(*three, mask, is_causal=is_causal).numpy()

    call = "F.scaled_dot_product_attention(query, key, value, attn_mask, is_causal=False)"
    yield "nn.functional.scaled_dot_product_attention", call, attention
