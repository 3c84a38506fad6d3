"""SpeechBrain: attention with relative positions, which are zero here."""

import sys
from unittest.mock import MagicMock

sys.modules["torchaudio"] = MagicMock()  # its builds want CUDA, and attention wants none of it
from speechbrain.nnet.attention import RelPosMHAXL  # noqa: E402

from research.libraries import reads  # noqa: E402
from research.libraries.tensors import gradient, layer  # noqa: E402


@reads("RelPosMHAXL", "RelPosMHAXL(d, heads)(query, key, value, positions, attn_mask=mask)", gradient)
@layer(lambda width: RelPosMHAXL(width, 2, vbias=False))
def attention(made, query, key, value, attn_mask=None):
    positions = query.new_zeros(1, 2 * key.shape[1] - 1, query.shape[2])
    return made(query, key, value, positions, attn_mask=attn_mask)[0]
