"""What attention functions of libraries did when they were run: ``book/data/libraries.jsonl``.

The rows are of ``attn_helpers.audit``; ``python -m research.libraries`` made them.
"""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from why_sqrt_d import DATA

STORE = DATA / "libraries.jsonl"
#: Behaviours by their names in the rows, as the page names them.
LABELS = {
    "call": "Layout",
    "no mask": "Without a mask",
    "scale": "Scale",
    "scale argument": "Its argument for the scale",
    "cap": "Cap or norm",
    "bool mask": "True in a mask",
    "float mask": "A mask of floats is added",
    "empty row, boolean": "A query that may see no key",
    "empty row, −inf": "The same, by −inf",
    "gradient beside it, boolean": "Gradients of other rows beside it",
    "gradient beside it, −inf": "The same gradients, by −inf",
    "causal, 2 × 5": "Causal, 2 queries and 5 keys",
    "mask and causal": "Mask and causal together: what hides",
    "grouped heads": "Query heads that share a key head",
    "float16": "Large scores in float16",
    "bfloat16": "Large scores in bfloat16",
    "dtype": "Dtype of the answer",
    "scale applied": "q·k beyond float32",
}
HEADS, ROWS = "(batch, heads, n, d)", "(batch, n, heads, d)"
REPEAT = "`np.repeat(key, groups, axis=1)` (torch: `repeat_interleave`), value as well"
NUMBERS = "`where(mask, 0, -inf)`"
BOOLEAN = "of a mask of floats `mask > -1e3`; a bias has no place"
LATER = "`tri(n_q, n, dtype=bool)` as the mask"
SINGLE_PRECISION = "float32 for float16"
#: In this order, what to do to a function that answers so, to have torch's function.
LINES = {
    ("grouped heads", "cyclic"): REPEAT,
    ("grouped heads", "not offered"): REPEAT,
    ("call", ROWS): "`x.swapaxes(1, 2)`, of arrays and answer",
    ("call", "(batch, n, d)"): "heads side by side: `x.swapaxes(1, 2).reshape(batch, n, -1)`",
    ("call", "(n, d)"): "`vmap` over the batch; heads side by side, (n, width)",
    ("call", f"{HEADS} to {ROWS}"): "`answer.swapaxes(1, 2)`",
    ("no mask", "causal"): "`is_causal=False`, or `module.is_causal = False`",
    ("scale", "1, no scale"): "`query / d**0.5`",
    ("scale", "0.5/√d"): "`2 * query`",
    ("scale", "0.707/√d"): "`2**0.5 * query`",
    ("scale", "10 at every width"): "a norm: no factor undoes it",
    ("bool mask", "True is removed"): "`~mask`",
    ("bool mask", "added as a number"): NUMBERS,
    ("bool mask", "raises"): NUMBERS,
    ("float mask", "read as boolean"): BOOLEAN,
    ("float mask", "raises"): BOOLEAN,
    ("empty row, boolean", "mean of values"): "",
    ("empty row, boolean", "not a number"): "",
    ("empty row, boolean", "as if unmasked"): "",
    ("causal, 2 × 5", "bottom-right"): LATER,
    ("causal, 2 × 5", "#.... #####"): LATER,
    ("causal, 2 × 5", "raises"): LATER,
    ("mask and causal", "mask"): "",
    ("mask and causal", "causal"): "",
    ("mask and causal", "raises"): "",
    ("float16", "overflows"): SINGLE_PRECISION,
    ("float16", "wrong"): SINGLE_PRECISION,
    ("float16", "raises"): SINGLE_PRECISION,
}
#: Rows of the table of models that were run as well: library and function.
RUN = {
    "PyTorch scaled_dot_product_attention": "torch: scaled_dot_product_attention",
    "PyTorch nn.MultiheadAttention": "torch: MultiheadAttention, need_weights=True",
    "JAX dot_product_attention": "jax: nn.dot_product_attention",
    "Flax linen and nnx": "flax: linen.dot_product_attention",
    "Keras MultiHeadAttention, GroupedQueryAttention": "keras on jax: layers.MultiHeadAttention",
    "Keras Attention": "keras on jax: layers.Attention()",
    "ONNX Attention": "onnxruntime: Attention, opset 23",
    "diffusers Attention": "diffusers: Attention, AttnProcessor2_0, scale_qk=True",
}
TORCH = "torch: scaled_dot_product_attention"
ZEROS = "`where(mask.any(-1, keepdims=True), answer, 0)`"
ZEROS_PADDED = "`where(padding.all(-1)[:, None, None], 0, answer)`"
#: Functions that attend once over all that they are given, as the names of theirs begin.
SINGLE = ("layers.Attention()", "ScaledDotProductAttention, scale=")
ONE_HEAD = "it has one head: `x.reshape(batch * heads, n, d)`, of answer the reverse"
ONE_MASK = "`mask & tri(n_q, n, dtype=bool)` for a mask and causal"


@dataclass(frozen=True)
class Function:
    """One function of one release: what to paste, and the answers by behaviour."""

    library: str
    version: str
    name: str
    call: str
    found: dict[str, str]

    @property
    def title(self) -> str:
        """Library and function."""
        return f"{self.library}: {self.name}"


def rows(path: Path = STORE) -> list[dict[str, str]]:
    """Return the stored rows."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@cache
def read() -> list[Function]:
    """Return every function that was run, releases of one library from old to new."""
    found: dict[tuple[str, str, str], Function] = {}
    for row in rows():
        if row["function"]:
            key = row["library"], row["version"], row["function"]
            known = found.setdefault(key, Function(*key, row["call"], {}))
            known.found[row["behaviour"]] = row["value"].replace("NaN", "not a number")
    return list(found.values())


def failed() -> list[dict[str, str]]:
    """Return the rows of what did not install, or ended with an error."""
    return [row for row in rows() if row["behaviour"] == "run"]


def newest() -> list[Function]:
    """Return the functions of each library's newest release."""
    last = {one.library: one.version for one in read()}
    return [one for one in read() if one.version == last[one.library]]


def by_answer(behaviour: str) -> dict[str, list[Function]]:
    """Return the newest functions by what they answer, the most frequent answer first."""
    found: dict[str, list[Function]] = {}
    for one in newest():
        if behaviour in one.found:
            found.setdefault(one.found[behaviour], []).append(one)
    return dict(sorted(found.items(), key=lambda pair: -len(pair[1])))


def answers(behaviour: str) -> list[list[str]]:
    """Return rows of a table: each answer, and who gives it.

    Of a library all of whose functions answer alike, none left out, the name is enough.
    """
    found, rows = by_answer(behaviour), []
    for answer, functions in found.items():
        others = {x.library for x in newest() if x.found.get(behaviour) != answer}
        names = (x.title if x.library in others else x.library for x in functions)
        said = f"`{answer}`" if "#" in answer else answer
        rows.append([said, "; ".join(dict.fromkeys(names))])
    return rows


def changes() -> list[tuple[str, str, str, str, str]]:
    """Return (function, behaviour, answer, version, new answer) where a release changed one.

    A behaviour that was not asked of both releases is left out; to refuse is an answer.
    """
    changed, last = [], dict[tuple[str, str], Function]()
    for one in read():
        old = last.get((one.library, one.name), one)
        last[one.library, one.name] = one
        for behaviour, label in LABELS.items():
            before, after = old.found.get(behaviour, ""), one.found.get(behaviour, "")
            if before != after and "" not in (before, after):
                changed.append((one.title, label, before, one.version, after))
    return changed


def port(target: Function, origin: Function) -> list[str]:
    """Return what to do so that `target` answers as `origin`, torch's function, does.

    LookupError if it answers otherwise in a way that `LINES` does not know.
    """
    lines = []
    for behaviour in dict.fromkeys(behaviour for behaviour, _ in LINES):
        answer = target.found.get(behaviour)
        if answer in (None, origin.found.get(behaviour)):
            continue
        if (behaviour, answer) not in LINES:
            raise LookupError(f"{target.title}: no line for {behaviour}, {answer}")
        lines.append(_line(target, behaviour, answer))
    return list(dict.fromkeys(lines))


def _line(target: Function, behaviour: str, answer: str) -> str:
    """Return the line for one answer; of some the function or the behaviour decides."""
    if behaviour == "mask and causal":
        return ONE_MASK
    if behaviour == "empty row, boolean":
        return ZEROS_PADDED if "key_padding_mask" in target.name else ZEROS
    if answer == "(batch, n, d)" and target.name.startswith(SINGLE):
        return ONE_HEAD
    return LINES[behaviour, answer]
