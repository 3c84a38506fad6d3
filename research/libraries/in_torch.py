"""Libraries on torch, a function each: it yields name, call, and attention on arrays."""

import math
import sys
from types import SimpleNamespace
from unittest.mock import MagicMock

import torch
from torch.nn import functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.attention.bias import causal_lower_right
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

from . import by_kind
from .tensors import Part, gradient, layer, on_tensors, one, pair

GRADIENT = gradient


def heads_of(query, key):
    return query.shape[1] // key.shape[1] if query.ndim == 4 else 1


def torch_mha(width):
    return torch.nn.MultiheadAttention(width, 2, bias=False, batch_first=True)


def torch_():
    def sdpa(query, key, value, attn_mask=None, is_causal=False, scale=None):
        named = {"is_causal": is_causal, "scale": scale, "enable_gqa": heads_of(query, key) > 1}
        return F.scaled_dot_product_attention(query, key, value, attn_mask, **named)

    call = "F.scaled_dot_product_attention(query, key, value, {})"
    masked = call.format("attn_mask=mask, is_causal=False, scale=None, enable_gqa=True")
    yield "scaled_dot_product_attention", masked, on_tensors(sdpa)
    for backend in (SDPBackend.MATH, SDPBackend.FLASH_ATTENTION):

        def forced(query, key, value, backend=backend, **named):
            with sdpa_kernel(backend):
                return sdpa(query, key, value, **named)

        name = f"sdpa_kernel(SDPBackend.{backend.name})"
        yield f"SDPA, {backend.name}", f"with {name}: {masked}", on_tensors(forced)

    def lower_right(query, key, value, is_causal=False):
        bias = causal_lower_right(query.shape[-2], key.shape[-2]) if is_causal else None
        return sdpa(query, key, value, bias)

    right = call.format("attn_mask=causal_lower_right(n_q, n), enable_gqa=True")
    yield "SDPA, causal_lower_right", right, on_tensors(lower_right)

    def flex(query, key, value, attn_mask=None, is_causal=False, scale=None):
        def changed(score, b, h, i, j):
            if attn_mask is not None and attn_mask.dtype != torch.bool:
                score = score + attn_mask[i, j]
            elif attn_mask is not None:
                score = torch.where(attn_mask[i, j], score, -math.inf)
            return torch.where(i >= j, score, -math.inf) if is_causal else score

        free, grouped = attn_mask is None and not is_causal, heads_of(query, key) > 1
        named = {"scale": scale, "enable_gqa": grouped}
        return flex_attention(query, key, value, None if free else changed, **named)

    def blocks(query, key, value, attn_mask=None, is_causal=False):
        if attn_mask is not None and attn_mask.dtype != torch.bool:
            raise ValueError("a key is seen or not")
        mask = torch.ones(query.shape[-2], key.shape[-2], dtype=torch.bool)
        mask = (mask if attn_mask is None else attn_mask) & (mask.tril() if is_causal else mask)
        made = create_block_mask(
            lambda b, h, i, j: mask[i, j], None, None, *mask.shape, device="cpu"
        )
        grouped = heads_of(query, key) > 1
        return flex_attention(query, key, value, block_mask=made, enable_gqa=grouped)

    for named, function in (("score_mod", flex), ("block_mask", blocks)):
        call = f"flex_attention(query, key, value, {named}=…, scale=None, enable_gqa=True)"
        yield f"flex_attention, {named}", call, on_tensors(function)
    for needed in (True, False):
        name = f"MultiheadAttention, need_weights={needed}"
        call = f"(q, k, v, attn_mask=mask, need_weights={needed}, is_causal=False)"
        call = f"(width, heads, batch_first=True){call}"
        mha = layer(
            torch_mha,
            lambda made, q, k, v, mask, is_causal, needed=needed: made(
                q, k, v, attn_mask=mask, need_weights=needed, is_causal=is_causal
            )[0],
            masked=True,
            causal=True,
        )
        yield name, f"torch.nn.MultiheadAttention{call}[0]", mha

    for needed in (True, False):

        def padded(made, q, k, v, mask, needed=needed):
            named = {"need_weights": needed}
            if mask is None:
                return made(q, k, v, **named)[0]
            many = (x.expand(len(mask), -1, -1) for x in (k, v))  # row i of the mask is batch i's
            found = made(q.transpose(0, 1), *many, key_padding_mask=mask, **named)[0]
            return found.transpose(0, 1)

        call = f"(q, k, v, key_padding_mask=padding, need_weights={needed})[0]"
        call = f"torch.nn.MultiheadAttention(width, heads, batch_first=True){call}"
        name = f"MultiheadAttention, key_padding_mask, need_weights={needed}"
        yield name, call, layer(torch_mha, padded, masked=True)


def x_transformers():
    from x_transformers.attend import Attend
    from x_transformers.x_transformers import Attention

    for flash in (False, True):

        def attend(query, key, value, attn_mask=None, is_causal=False, scale=None, flash=flash):
            made = Attend(causal=is_causal, scale=scale, flash=flash)
            return made(query, key, value, **by_kind(attn_mask, number="attn_bias"))[0]

        call = (
            f"Attend(scale=None, flash={flash})(query, key, value, mask=mask, attn_bias=bias)[0]"
        )
        yield f"Attend, flash={flash}", call, on_tensors(attend)
    for options in ({}, {"qk_norm": True}):

        def make(width, options=options):
            made = Attention(width, heads=2, dim_head=width // 2, dim_context=2 * width, **options)
            made.to_k.weight = torch.nn.Parameter(torch.eye(width, 2 * width))
            made.to_v.weight = torch.nn.Parameter(torch.eye(2 * width)[width:])
            return made

        name = "Attention" + ", qk_norm=True" * bool(options)
        call = f"Attention(width, heads=heads{name[9:]})(x, context=context)"
        yield name, call, layer(make, lambda made, *three: made(*pair(*three)))


def transformers():
    from transformers import GPT2Config, T5Config
    from transformers.integrations.sdpa_attention import sdpa_attention_forward
    from transformers.models.gpt2.modeling_gpt2 import GPT2Attention
    from transformers.models.llama.modeling_llama import eager_attention_forward
    from transformers.models.t5.modeling_t5 import T5Attention

    def given(query, key, attn_mask):
        module = SimpleNamespace(num_key_value_groups=heads_of(query, key), training=False)
        return module, None if attn_mask is None else attn_mask[None, None]

    def eager(query, key, value, attn_mask=None, scale=None):
        module, mask = given(query, key, attn_mask)
        scale = query.shape[-1] ** -0.5 if scale is None else scale  # it wants one
        return eager_attention_forward(module, query, key, value, mask, scale)[0]

    def sdpa(query, key, value, attn_mask=None, is_causal=None, scale=None):  # None: the module's
        module, mask = given(query, key, attn_mask)
        named = {"is_causal": is_causal, "scaling": scale}
        return sdpa_attention_forward(module, query, key, value, mask, **named)[0]

    call = "(module, query, key, value, attention_mask=mask, scaling=d**-0.5)[0]"
    yield "llama's eager_attention_forward", f"eager_attention_forward{call}", on_tensors(eager)
    yield "sdpa_attention_forward", f"sdpa_attention_forward{call}", on_tensors(sdpa)

    def t5(width):
        config = T5Config(d_model=width, d_kv=width // 2, num_heads=2, attn_implementation="eager")
        made = T5Attention(config, has_relative_attention_bias=False, layer_idx=0)
        made.k, made.v = Part(width), Part(width, 1)
        return made

    def of_pair(made, *three):
        x, context = pair(*three)
        return made(x, key_value_states=context)[0]

    yield "T5Attention", "T5Attention(config)(x, key_value_states=context)", layer(t5, of_pair)

    def of_one(made, q, k, v):
        return made(one(q, k, v))[0][:, : q.shape[1]]

    for options in ({}, {"scale_attn_weights": False}, {"scale_attn_by_inverse_layer_idx": True}):

        def gpt2(width, options=options):
            config = GPT2Config(n_embd=width, n_head=2, attn_implementation="eager", **options)
            made = GPT2Attention(config, layer_idx=1)
            made.c_attn = made.c_proj = torch.nn.Identity()
            made.is_causal = False
            return made

        said = "".join(f"{name}={value}" for name, value in options.items())
        name = "GPT2Attention, " + f"{said}, " * bool(said) + "second layer"
        yield name, f"GPT2Config({said})", layer(gpt2, of_one)


def diffusers():
    from diffusers.models.attention_processor import Attention, AttnProcessor, AttnProcessor2_0

    for processor in (AttnProcessor, AttnProcessor2_0):
        for scaled in (True, False):

            def make(width, processor=processor, scaled=scaled):
                head = {"heads": 2, "dim_head": width // 2}
                made = Attention(width, **head, scale_qk=scaled, processor=processor())
                made.to_k, made.to_v = Part(width), Part(width, 1)
                return made

            def attention(made, q, k, v, mask):
                mask = None if mask is None else mask[None].repeat(2, 1, 1)
                return made(*pair(q, k, v), attention_mask=mask)

            name = f"Attention, {processor.__name__}, scale_qk={scaled}"
            said = f"scale_qk={scaled}, processor={processor.__name__}()"
            call = f"Attention(width, {said})(x, context)"
            yield name, call, layer(make, attention, masked=True)


def timm():
    from timm.layers.attention import Attention

    for fused in (True, False):

        def make(width, fused=fused):
            made = Attention(width, num_heads=2)
            made.qkv, made.fused_attn = torch.nn.Identity(), fused
            return made

        def attention(made, q, k, v, mask):
            x = one(q, k, v)
            made.qkv.forward = lambda _: x
            return made(x[..., : q.shape[-1]], mask)[:, : q.shape[1]]

        call = "timm.layers.Attention(width)(x, attn_mask)"
        yield f"Attention, fused_attn={fused}", call, layer(make, attention, masked=True)


def torch_geometric():
    from torch_geometric.nn import TransformerConv

    def make(width):
        made = TransformerConv(width, width // 2, heads=2, root_weight=False, bias=False)
        made.lin_key, made.lin_value = Part(width), Part(width, 1)
        return made

    def attention(made, q, k, v, mask):
        if mask is None:
            mask = torch.ones(q.shape[1], k.shape[1], dtype=torch.bool)
        if mask.dtype != torch.bool:
            raise ValueError("an edge is there or not")
        query, both = pair(q, k, v)
        return made((both[0], query[0]), mask.nonzero().T.flip(0))[None]

    call = "TransformerConv(d, d, heads)((x_keys, x_queries), edges)"
    yield "TransformerConv", call, layer(make, attention, masked=True)


def fair_esm():
    from esm.multihead_attention import MultiheadAttention

    for asked in (False, True):

        def attention(made, *three, asked=asked):
            q, k, v = (x.transpose(0, 1) for x in three[:3])  # (n, batch, width)
            found = made(q, k, v, attn_mask=three[3], need_head_weights=asked)[0]
            return found.transpose(0, 1)

        name = f"MultiheadAttention, need_head_weights={asked}"
        call = f"(width, heads)(q, k, v, attn_mask=mask, need_head_weights={asked})[0]"
        call += "  # (n, batch, width)"
        made = layer(lambda width: MultiheadAttention(width, 2), attention, masked=True)
        yield name, f"MultiheadAttention{call}", made


def speechbrain():
    sys.modules["torchaudio"] = MagicMock()  # its builds want CUDA, and attention wants none of it
    from speechbrain.nnet.attention import RelPosMHAXL

    def attention(made, q, k, v, mask):
        positions = q.new_zeros(1, 2 * k.shape[1] - 1, q.shape[2])
        return made(q, k, v, positions, attn_mask=mask)[0]

    call = "RelPosMHAXL(width, heads)(query, key, value, positions, attn_mask=mask)[0]"
    made = layer(lambda width: RelPosMHAXL(width, 2, vbias=False), attention, masked=True)
    yield "RelPosMHAXL", call, made


def curated_transformers():
    from curated_transformers.layers.attention import AttentionMask, ScaledDotProductAttention

    def attention(query, key, value, attn_mask=None, is_causal=False):
        if attn_mask is None:
            attn_mask = torch.ones(query.shape[-2], key.shape[-2], dtype=torch.bool)
        made = ScaledDotProductAttention(dropout_prob=0.0, linear_biases=None)
        mask = AttentionMask(attn_mask[None, None])
        named = {"query": query, "key": key, "value": value, "attention_mask": mask}
        return made(**named, use_causal_mask=is_causal)

    call = "ScaledDotProductAttention(…)(query=query, …, attention_mask=AttentionMask(mask), …)"
    yield "ScaledDotProductAttention", call, on_tensors(attention)


def rtdl_revisiting_models():
    from rtdl_revisiting_models import MultiheadAttention

    def make(width):
        unused = ("n_tokens", "linformer_kv_compression_ratio", "linformer_kv_compression_sharing")
        head = {"d_embedding": width, "n_heads": 2, "dropout": 0.0}
        made = MultiheadAttention(**head, **dict.fromkeys(unused))
        made.W_k, made.W_v = Part(width), Part(width, 1)
        return made

    call = "MultiheadAttention(d_embedding=width, n_heads=heads, …)(x, x)"
    yield "MultiheadAttention", call, layer(make, lambda made, *three: made(*pair(*three)))


def local_attention():
    from local_attention import LocalAttention

    def attention(query, key, value):
        made = LocalAttention(key.shape[-2], use_rotary_pos_emb=False)  # one window
        d, n_q = query.shape[-1], query.shape[-2]
        return made(*one(query, key, value).split(d, -1))[..., :n_q, :]

    call = "LocalAttention(n, use_rotary_pos_emb=False)(query, key, value)"
    yield "LocalAttention", call, on_tensors(attention)


def pytorch_forecasting():
    from pytorch_forecasting.models.temporal_fusion_transformer import sub_modules

    for scaled in (True, False):  # the first is the default

        def attention(query, key, value, attn_mask=None, scaled=scaled):
            mask = None if attn_mask is None else attn_mask[None]
            made = sub_modules.ScaledDotProductAttention(scale=scaled)
            return made(query, key, value, mask)[0]

        name = f"ScaledDotProductAttention, scale={scaled}"
        call = f"ScaledDotProductAttention(scale={scaled})(query, key, value, mask)"
        yield name, call, on_tensors(attention)


def segment_anything():
    from segment_anything.modeling.transformer import Attention

    made = layer(lambda width: Attention(width, 2), lambda made, *three: made(*three))
    yield "Attention", "modeling.transformer.Attention(width, heads)(q, k, v)", made


def labml_nn():
    from labml_nn.transformers.mha import MultiHeadAttention

    def attention(made, q, k, v, mask):
        q, k, v = (x.transpose(0, 1) for x in (q, k, v))  # (n, batch, width)
        mask = None if mask is None else mask[..., None]
        return made(query=q, key=k, value=v, mask=mask).transpose(0, 1)

    call = "MultiHeadAttention(heads, width)(query=query, key=key, value=value, mask=mask)"
    call += "  # (n, batch, width)"
    made = layer(lambda width: MultiHeadAttention(2, width, dropout_prob=0.0), attention, True)
    yield "MultiHeadAttention", call, made
