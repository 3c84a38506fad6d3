"""Finds attention in an ONNX graph, shows its queries and keys, and multiplies its scores."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

# What may stand between a product of queries and keys and its softmax.
BETWEEN = {"Add", "Where", "Mul", "Div", "Sub", "Cast", "Identity", "Reshape"}


class Attention(NamedTuple):
    """Names of the tensors of one attention layer in a graph."""

    query: str  #: (..., n_q, d); it may carry the scale already
    key: str  #: transposed, (..., d, n)
    product: str  #: of the two; this is multiplied
    logits: str  #: what the softmax is given, masks added, (..., n_q, n)


def _attention_of(graph: Any) -> list[Attention]:
    """Return the attention layers of an ONNX graph, in its order.

    A softmax counts if its input goes back, through sums and factors, to a product of two tensors
    that both are computed; that of an output layer is a product with stored weights.
    """
    maker = {name: node for node in graph.node for name in node.output}
    fixed = {tensor.name for tensor in graph.initializer}
    fixed |= {name for name, node in maker.items() if node.op_type == "Constant"}
    found = []
    for node in graph.node:
        ways = [node.input[0]] if node.op_type == "Softmax" else []
        while ways:
            made = maker.get(ways.pop())
            if made is not None and made.op_type == "MatMul" and not fixed & {*made.input}:
                query, key = made.input
                found.append(Attention(query, key, made.output[0], node.input[0]))
                break
            if made is not None and made.op_type in BETWEEN:
                ways += made.input
    return found


def open_graph(model: Any) -> list[Attention]:
    """Change an ONNX model in place so that its attention can be seen and scaled.

    Each layer's query, key and logits become outputs; layer i's scores are multiplied by a new
    input `m<i>`, float32 of shape (1,).

    Raises
    ------
    ValueError
        If no attention is found; the message has the graph's operators.
    """
    from onnx import TensorProto, helper

    graph = model.graph
    layers = _attention_of(graph)
    if not layers:
        known = sorted({node.op_type for node in graph.node})
        raise ValueError(f"no softmax of a product of two computed tensors; it has {known}")
    for i, layer in enumerate(layers):
        before, factor = f"{layer.product}/before", f"m{i}"
        place, node = next(
            (j, node) for j, node in enumerate(graph.node) if layer.product in node.output
        )
        node.output[0] = before
        graph.node.insert(place + 1, helper.make_node("Mul", [before, factor], [layer.product]))
        graph.input.append(helper.make_tensor_value_info(factor, TensorProto.FLOAT, [1]))
        for name in (layer.query, layer.key, layer.logits):
            graph.output.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, None))
    return layers


def runner(model: Any) -> Callable[[Sequence[str], dict[str, Any], Sequence[float]], list[Any]]:
    """Return a function that runs an open_graph model on one thread.

    It takes the names of outputs, the graph's own inputs by name, and a factor for each layer.
    """
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3  # errors
    session = onnxruntime.InferenceSession(model.SerializeToString(), options)

    def run(names: Sequence[str], given: dict[str, Any], factors: Sequence[float]) -> list[Any]:
        each = {f"m{i}": np.array([m], np.float32) for i, m in enumerate(factors)}
        return list(session.run([*names], given | each))

    return run
