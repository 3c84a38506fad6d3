"""Released models, taken from the packages that hold their weights, and opened.

A small module of `models` says a model's package, hash, licence and input, and yields losses;
`inside` runs it in an environment of its own, `attention` and `onnx_graph` open a model, `heads`
measures.
"""
