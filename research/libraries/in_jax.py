"""Libraries on JAX, a function each: it yields name, call, and attention on arrays."""

from functools import cache, partial
from inspect import Parameter, Signature, signature

import jax
import jax.numpy as jnp
import numpy as np

from . import by_kind, only_tokens

GRADIENT = jax.grad


def functions(**known):
    """Yield functions that take a bias and a mask, as ours with the arguments that each has."""
    for name, function in known.items():

        def attention(query, key, value, attn_mask=None, function=function, **named):
            return function(query, key, value, **named, **by_kind(attn_mask))

        own = [x for x in ("is_causal", "scale") if x in signature(function).parameters]
        parts = [Parameter(x, Parameter.KEYWORD_ONLY) for x in (*own, "attn_mask")]
        attention.__signature__ = Signature(parts)
        said = "".join(f", {x}={signature(function).parameters[x].default}" for x in own)
        yield f"{name}.dot_product_attention", f"(query, key, value, bias, mask{said})", attention


def jax_():
    for name, call, attention in functions(nn=jax.nn.dot_product_attention):
        yield name, f"jax.{name}{call}", attention
    if jax.__version__.startswith("0.4."):  # its kernel, interpreted, gives NaN to few keys
        return
    from jax.experimental.pallas.ops.gpu.attention import mha

    def kernel(query, key, value, is_causal=False):
        if query.shape[2:] != key.shape[2:]:
            raise ValueError("it takes (batch, n, heads, d), as many heads of keys")
        return mha(query, key, value, None, causal=is_causal, interpret=True)

    call = "mha(query, key, value, segment_ids=None, causal=False, interpret=True)"
    yield "experimental.pallas.ops.gpu.attention.mha", call, kernel


def flax():
    from flax import linen, nnx

    known = {"nnx": nnx.dot_product_attention, "linen": linen.dot_product_attention}
    still = {"dropout_rate": 0.1, "deterministic": True}  # dropout is set, and off
    named = ", dropout_rate=0.1, deterministic=True"
    known["dropout"] = partial(nnx.dot_product_attention, **still)
    for name, call, attention in functions(**known):
        if name.startswith("dropout"):
            name, call = f"nnx.dot_product_attention{named}", call.replace(")", f"{named})")
        yield name, f"flax.{name.partition(',')[0]}{call}", attention

    def module(query, key, value, attn_mask=None):
        only_tokens(query)
        d = query.shape[-1]
        named = {"use_bias": False, "decode": False, "dtype": query.dtype, "rngs": nnx.Rngs(0)}
        made = nnx.MultiHeadAttention(1, d, **named)
        for part in (made.query, made.key, made.value, made.out):
            part.kernel[...] = np.eye(d).reshape(part.kernel.shape)
        return made(query, key, value, mask=None if attn_mask is None else attn_mask[None, None])

    call = "nnx.MultiHeadAttention(heads, width, rngs=rngs)(query, key, value, mask=mask)"
    yield "nnx.MultiHeadAttention", call, module

    def layer(query, key, value, attn_mask=None):
        only_tokens(query)
        eye = np.eye(query.shape[-1], dtype=query.dtype)
        made = linen.MultiHeadDotProductAttention(1, use_bias=False, dtype=query.dtype)
        weights = {name: {"kernel": eye[:, None]} for name in ("query", "key", "value")}
        weights["out"] = {"kernel": eye[None]}
        mask = None if attn_mask is None else attn_mask[None, None]
        return made.apply({"params": weights}, query, key, value, mask=mask)

    call = "flax.linen.MultiHeadDotProductAttention(heads)(query, key, value, mask=mask)"
    yield "linen.MultiHeadDotProductAttention", call, layer


def equinox():
    import equinox as eqx

    @cache
    def layer(d, dtype):
        made = eqx.nn.MultiheadAttention(1, d, key=jax.random.key(0))
        return jax.tree.map(lambda x: jnp.eye(d, dtype=dtype) if eqx.is_array(x) else x, made)

    def attention(query, key, value, attn_mask=None):
        if query.ndim != 2:
            raise ValueError("it takes (n, d)")
        query, key, value = map(jnp.asarray, (query, key, value))
        made = layer(query.shape[-1], query.dtype)
        return made(query, key, value, mask=None if attn_mask is None else jnp.asarray(attn_mask))

    call = "equinox.nn.MultiheadAttention(heads, width, key=…)(query, key, value, mask=mask)"
    yield "nn.MultiheadAttention", call, attention


def dm_haiku():
    import haiku as hk

    def attention(query, key, value, attn_mask=None):
        only_tokens(query)

        def call(*three):
            made = hk.MultiHeadAttention(1, query.shape[-1], w_init=jnp.zeros, with_bias=False)
            return made(*three, None if attn_mask is None else attn_mask[None, None])

        eye = {"w": jnp.eye(query.shape[-1], dtype=query.dtype)}
        names = ("query", "key", "value", "linear")
        weights = {f"multi_head_attention/{name}": eye for name in names}
        return hk.transform(call).apply(weights, None, query, key, value)

    call = "haiku.MultiHeadAttention(heads, d, w_init=…)(query, key, value, mask)"
    yield "MultiHeadAttention", call, attention


def haliax():
    import haliax as hax

    def attention(query, key, value, attn_mask=None):
        names = {"queries": query, "keys": key, "values": value}
        q, k, v = (
            hax.named(x, ("batch", "heads", name.replace("values", "keys"), "d"))
            for name, x in names.items()
        )
        named = {name: x[0, 0] for name, x in by_kind(attn_mask).items()}
        named = {name: hax.named(x, ("queries", "keys")) for name, x in named.items()}
        found = hax.nn.attention.dot_product_attention("keys", "d", q, k, v, **named)
        return found.rearrange(("batch", "heads", "queries", "d")).array

    call = 'dot_product_attention("keys", "d", query, key, value, mask=mask, bias=bias)'
    yield "nn.attention.dot_product_attention", call, attention
