"""Transformers: the two functions its models call, and layers with a scale of their own."""

from types import SimpleNamespace

import torch
from transformers import GPT2Config, GPTNeoConfig, T5Config
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.models.gpt2.modeling_gpt2 import GPT2Attention
from transformers.models.gpt_neo.modeling_gpt_neo import GPTNeoSelfAttention
from transformers.models.llama.modeling_llama import eager_attention_forward
from transformers.models.t5.modeling_t5 import T5Attention

from research.libraries import reads
from research.libraries.tensors import Part, alike, gradient, layer, on_tensors

CALL = "{}(module, query, key, value, attention_mask=mask, scaling=d**-0.5)"


def module(query, key):
    return SimpleNamespace(num_key_value_groups=query.shape[1] // key.shape[1], training=False)


def heads_first(found):
    return found[0].transpose(1, 2).contiguous()


@reads("llama's eager_attention_forward", CALL.format("eager_attention_forward"), gradient)
@on_tensors
def eager(query, key, value, attn_mask=None):
    mask = None if attn_mask is None else attn_mask[None, None]
    scale = query.shape[-1] ** -0.5
    return heads_first(
        eager_attention_forward(module(query, key), query, key, value, mask, scale)
    )


@reads("sdpa_attention_forward", CALL.format("sdpa_attention_forward"), gradient)
@on_tensors
def sdpa(query, key, value, attn_mask=None, is_causal=False):
    mask = None if attn_mask is None else attn_mask[None, None]
    made = module(query, key)
    return heads_first(
        sdpa_attention_forward(made, query, key, value, mask, is_causal=is_causal)
    )


def t5(width):
    config = T5Config(d_model=width, d_kv=width // 2, num_heads=2, attn_implementation="eager")
    made = T5Attention(config, has_relative_attention_bias=False, layer_idx=0)
    made.k, made.v = Part(width), Part(width, 1)
    return made


@reads("T5Attention", "T5Attention(config)(x, key_value_states=context, mask=mask)", gradient)
@layer(t5)
def t5_layer(made, query, key, value):
    return made(query, key_value_states=torch.cat([key, value], -1))[0]


def neo(width):
    config = GPTNeoConfig(hidden_size=width, num_heads=2, num_layers=1, attention_types=[[["global"], 1]])
    made = GPTNeoSelfAttention(config, "global", 0)
    made.bias.fill_(True)  # every token sees all
    made.q_proj, made.k_proj, made.v_proj = Part(width), Part(width, 1), Part(width, 2)
    return made


@reads("GPTNeoSelfAttention", "GPTNeoSelfAttention(config, 'global')(x)", gradient)
@layer(neo)
def neo_layer(made, query, key, value):
    x = torch.cat([alike(query, key), key, value], -1)
    return made(x)[0][:, : query.shape[1]]


for options in ({}, {"scale_attn_weights": False}, {"scale_attn_by_inverse_layer_idx": True}):

    def gpt2(width, options=options):
        config = GPT2Config(n_embd=width, n_head=2, attn_implementation="eager", **options)
        made = GPT2Attention(config, layer_idx=1)
        made.c_attn, made.c_proj, made.is_causal = torch.nn.Identity(), torch.nn.Identity(), False
        return made

    said = "".join(f", {name}={value}" for name, value in options.items())

    @reads(f"GPT2Attention{said}, second layer", f"GPT2Config({said[2:]})", gradient)
    @layer(gpt2)
    def gpt2_layer(made, query, key, value):
        x = torch.cat([alike(query, key), key, value], -1)
        return made(x)[0][:, : query.shape[1]]
