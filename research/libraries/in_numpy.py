"""Libraries that take arrays, a function each: it yields name, call, and attention."""

import json
import os
import subprocess
from base64 import b64decode, b64encode
from pathlib import Path
from tempfile import TemporaryDirectory

import ml_dtypes
import numpy as np

from . import by_kind, by_row, on, only_tokens

GRADIENT = None
KINDS = {"float16": 10, "bfloat16": 16, "float32": 1, "float64": 11, "bool": 9, "int32": 6}


def in_dtype_of(query, attn_mask):
    number = attn_mask is not None and attn_mask.dtype != bool
    return attn_mask.astype(query.dtype) if number else attn_mask


def only_heads(query):
    if query.ndim != 4:
        raise ValueError("asked with a batch and heads")


def keras():
    from keras import backend, layers, ops

    def give(x):
        wide = x.astype(np.float32) if x.dtype == ml_dtypes.bfloat16 else x
        return ops.cast(ops.convert_to_tensor(wide), str(x.dtype))

    def back(x):
        half = "bfloat16" in str(x.dtype)
        found = ops.convert_to_numpy(ops.cast(x, "float32") if half else x)
        return found.astype(ml_dtypes.bfloat16) if half else found

    if backend.backend() == "jax":
        from jax import grad as gradient
    else:
        from .tensors import gradient
    tensors = on(give, back)

    @tensors
    def function(query, key, value, attn_mask=None, is_causal=False, scale=None):
        named = {"is_causal": is_causal, "scale": scale, **by_kind(attn_mask)}
        return ops.dot_product_attention(query, key, value, **named)

    call = "keras.ops.dot_product_attention(query, key, value, bias, mask, scale, is_causal=False)"
    yield "ops.dot_product_attention", call, function, gradient

    @tensors
    def attention(query, key, value, attn_mask=None, is_causal=False):
        only_tokens(query)
        made = layers.Attention(dtype=backend.standardize_dtype(query.dtype))
        q, k, v = by_row(ops, query, key, value, attn_mask, is_causal)
        mask = None if attn_mask is None else [None, attn_mask]
        found = made([q, v, k], mask=mask, use_causal_mask=is_causal)
        return ops.reshape(found, (*query.shape[:2], -1))

    call = "keras.layers.Attention()([query, value, key], mask=[None, padding])"
    yield "layers.Attention()", call, attention, gradient
    for asked in (False, True):

        @tensors
        def mha(query, key, value, attn_mask=None, is_causal=False, asked=asked):
            only_tokens(query)
            d, dtype = query.shape[-1], backend.standardize_dtype(query.dtype)
            made = layers.MultiHeadAttention(1, d, use_bias=False, dtype=dtype)
            made.build(query.shape, value.shape, key.shape)
            made.set_weights([np.eye(d).reshape(x.shape) for x in made.get_weights()])
            mask = None if attn_mask is None else attn_mask[None]
            named = {"attention_mask": mask, "use_causal_mask": is_causal}
            found = made(query, value, key, **named, return_attention_scores=asked)
            return found[0] if asked else found

        said = ", return_attention_scores=True" * asked
        call = f"keras.layers.MultiHeadAttention(heads, d)(q, v, k, attention_mask=mask{said})"
        yield f"layers.MultiHeadAttention{said}", call, mha, gradient


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

        def attention(query, key, value, attn_mask=None, is_causal=False, scale=None, opset=opset):
            only_heads(query)
            fed = {"Q": query, "K": key, "V": value, "mask": in_dtype_of(query, attn_mask)}
            fed = {name: x for name, x in fed.items() if x is not None}
            named = {"is_causal": int(is_causal)} | ({} if scale is None else {"scale": scale})
            return np.asarray(answer(model("Attention", fed, list(fed), opset, **named), fed))

        call = "Attention(Q, K, V, attn_mask, is_causal=0, scale=…)"
        yield f"Attention, opset {opset}", call, attention


def contributed(answer):
    """Yield onnxruntime's own operator."""

    def own(query, key, value, attn_mask=None, is_causal=False, scale=None):
        only_tokens(query)
        fed, (_, n_q, d) = {}, query.shape
        named = {} if scale is None else {"scale": scale}
        if attn_mask is not None and attn_mask.dtype != bool:
            fed["bias"] = attn_mask[None, None].repeat(2, axis=1).astype(query.dtype)
        elif attn_mask is not None:
            query, key, value = by_row(np, query, key, value, attn_mask, is_causal)
            fed["padding"] = attn_mask.astype(np.int32)
        for name, x in zip("QKV", (query, key, value), strict=True):
            fed[name] = np.concatenate([x, 0 * x], axis=-1)  # two heads
        inputs = ["Q", "K", "V", "", *(x if x in fed else "" for x in ("padding", "bias"))]
        named |= {"domain": "com.microsoft", "num_heads": 2, "unidirectional": int(is_causal)}
        found = answer(model("MultiHeadAttention", fed, inputs, 21, **named), fed)
        return (found.reshape(1, n_q, -1) if "padding" in fed else found)[..., :d]

    call = "MultiHeadAttention(Q, K, V, '', padding, bias, num_heads, unidirectional=0, scale=…)"
    yield "com.microsoft.MultiHeadAttention", f"com.microsoft.{call}", own


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

    def answer(made, fed):
        def tensor(x):
            return {"type": str(x.dtype), "dims": x.shape, "data": b64encode(x.tobytes()).decode()}

        given = {name: tensor(x) for name, x in fed.items()}
        text = json.dumps({"model": b64encode(made.SerializeToString()).decode(), "fed": given})
        run = ["node", str(Path(__file__).with_name("answer.js"))]
        known = os.environ | {"NODE_PATH": f"{folder}/node_modules"}
        done = subprocess.run(run, env=known, input=text, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(done.stderr.strip().splitlines()[-1])
        said = json.loads(done.stdout)
        return np.frombuffer(b64decode(said["data"]), said["type"]).reshape(said["dims"])

    with TemporaryDirectory() as folder:
        package = f"onnxruntime-node@{os.environ['VERSION']}"
        install = ["npm", "install", "--prefix", folder, "--ignore-scripts", package]
        subprocess.run(install, check=True, stdout=subprocess.DEVNULL)
        yield from operator(answer)
        yield from contributed(answer)


def mlx():
    import mlx.core as mx
    from mlx import nn

    mx.set_default_device(mx.cpu)

    def give(x):
        half = x.dtype == ml_dtypes.bfloat16
        return mx.array(x.astype(np.float32)).astype(mx.bfloat16) if half else mx.array(x)

    def back(x):
        half = x.dtype == mx.bfloat16
        return np.array(x.astype(mx.float32)).astype(ml_dtypes.bfloat16) if half else np.array(x)

    def masked(x, query):
        return x if x is None or x.dtype == mx.bool_ else x.astype(query.dtype)

    @on(give, back)
    def function(query, key, value, attn_mask=None, is_causal=False, scale=None):
        if is_causal and attn_mask is not None:
            raise NotImplementedError("not asked")  # causal is one of its masks
        mask = "causal" if is_causal else masked(attn_mask, query)
        scale = query.shape[-1] ** -0.5 if scale is None else scale  # it wants one
        return mx.fast.scaled_dot_product_attention(query, key, value, scale=scale, mask=mask)

    def gradient(f):
        return lambda x: np.array(mx.grad(f)(mx.array(x)))

    call = "mx.fast.scaled_dot_product_attention(query, key, value, scale=d**-0.5, mask=mask)"
    yield "fast.scaled_dot_product_attention", call, function, gradient

    @on(give, back)
    def layer(query, key, value, attn_mask=None):
        only_tokens(query)
        made = nn.MultiHeadAttention(query.shape[-1], 1)
        for name in ("query_proj", "key_proj", "value_proj", "out_proj"):
            getattr(made, name).weight = mx.eye(query.shape[-1]).astype(query.dtype)
        return made(query, key, value, masked(attn_mask, query))

    call = "mlx.nn.MultiHeadAttention(width, heads)(query, key, value, mask)"
    yield "nn.MultiHeadAttention", call, layer, gradient


def tinygrad():
    from tinygrad import Tensor

    @on(Tensor, lambda x: np.asarray(x.numpy()))
    def attention(query, key, value, attn_mask=None, is_causal=False):
        named = {"is_causal": is_causal, "enable_gqa": query.shape[1] != key.shape[1]}
        return query.scaled_dot_product_attention(key, value, attn_mask=attn_mask, **named)

    def gradient(f):
        return lambda x: f(given := Tensor(x)).gradient(given)[0].numpy()

    call = "query.scaled_dot_product_attention(key, value, attn_mask, is_causal=False)"
    yield "Tensor.scaled_dot_product_attention", call, attention, gradient


def openvino():
    import openvino as ov
    from openvino import opset13

    core = ov.Core()
    for hint in ({}, {"INFERENCE_PRECISION_HINT": "f32"}):

        def attention(query, key, value, attn_mask=None, is_causal=False, hint=hint):
            only_heads(query)
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

    def give(x):
        if x.dtype == ml_dtypes.bfloat16:
            raise ValueError("asked in NumPy's own dtypes")
        return paddle.to_tensor(x)

    @on(give, lambda x: x.numpy())
    def attention(query, key, value, attn_mask=None, is_causal=False, scale=None):
        only_heads(query)
        if attn_mask is not None:
            kind = attn_mask.dtype if attn_mask.dtype == paddle.bool else query.dtype
            attn_mask = attn_mask.astype(kind)[None, None]
        three = query, key, value
        return F.scaled_dot_product_attention(*three, attn_mask, is_causal=is_causal, scale=scale)

    def gradient(f):
        def slope(x):
            x = paddle.to_tensor(x, stop_gradient=False)
            return paddle.grad(f(x), x)[0].numpy()

        return slope

    call = (
        "F.scaled_dot_product_attention(query, key, value, attn_mask, is_causal=False, scale=None)"
    )
    yield "nn.functional.scaled_dot_product_attention", call, attention, gradient
