"""Finds attention in an ONNX graph, shows its queries and keys, and multiplies its scores."""

from dataclasses import dataclass
from typing import Any

# What may stand between a product of queries and keys and its softmax.
BETWEEN = {"Add", "Where", "Mul", "Div", "Sub", "Cast", "Identity", "Reshape"}


@dataclass(frozen=True)
class Attention:
    """Names of tensors of one attention layer in a graph.

    Attributes
    ----------
    query, key : str
        The factors of the product: query (..., n_q, d), key transposed (..., d, n_k), as the
        graph holds them: either may carry the scale already.
    product : str
        Their product, which is multiplied.
    logits : str
        What the softmax is given, masks added (..., n_q, n_k).
    """

    query: str
    key: str
    product: str
    logits: str


def attention_of(graph: Any) -> list[Attention]:
    """Return the attention layers of an ONNX `GraphProto`, in the graph's order.

    A softmax counts if its input goes back, through additions and factors, to a product of two
    tensors that both are computed; the output layer's is a product with stored weights.
    """
    maker = {name: node for node in graph.node for name in node.output}
    fixed = {tensor.name for tensor in graph.initializer}
    fixed |= {name for name, node in maker.items() if node.op_type == "Constant"}
    found = []
    for node in graph.node:
        if node.op_type != "Softmax":
            continue
        open_, seen = [node.input[0]], set()
        while open_:
            name = open_.pop()
            made = maker.get(name)
            if made is None or name in seen:
                continue
            seen.add(name)
            if made.op_type == "MatMul" and not fixed & {*made.input}:
                found.append(Attention(*made.input, made.output[0], node.input[0]))
                break
            if made.op_type in BETWEEN:
                open_ += made.input
    return found


def opened(model: Any) -> list[Attention]:
    """Change an ONNX `ModelProto` in place so that its attention can be seen and scaled.

    Each layer's query, key and logits become outputs; layer i's scores are multiplied by a new
    input `m<i>`, float32, of any shape that spreads over the scores.

    Raises
    ------
    ValueError
        If the graph has no attention that is found.
    """
    from onnx import TensorProto, helper

    graph = model.graph
    layers = attention_of(graph)
    if not layers:
        ops = sorted({node.op_type for node in graph.node})
        raise ValueError(f"no softmax of a product of two computed tensors; it has {ops}")
    shown = {name: None for at in layers for name in (at.query, at.key, at.logits)}
    for i, at in enumerate(layers):
        where, node = next((j, x) for j, x in enumerate(graph.node) if at.product in x.output)
        node.output[0] = at.product + "/before"
        times = helper.make_node("Mul", [at.product + "/before", f"m{i}"], [at.product])
        graph.node.insert(where + 1, times)
        graph.input.append(helper.make_tensor_value_info(f"m{i}", TensorProto.FLOAT, None))
    have = {output.name for output in graph.output}
    for name in shown:
        if name not in have:
            graph.output.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, None))
    return layers
