"""Measures a model's rows with its weights drawn anew, as they were before any training.

For `python -m research.opened_models --starts`: the same inputs, the same rows, one factor. Each
kind of weight is drawn as the library's class of the model draws it, with the standard deviation
that `START` has.
"""

from collections import defaultdict
from pathlib import Path
from typing import Any

from research.opened_models.heads import Layer, all_heads


def draw(model: Any, deviation: float, seed: int) -> None:
    """Give all weights of a model of transformers new values: normal, norms and biases as new."""
    import torch

    torch.manual_seed(seed)
    model.config.initializer_range = deviation
    for module in model.modules():
        model._init_weights(module)


def measured(spec: Any, file: Path, seed: int = 0) -> dict[str, Any]:
    """Return a dict a head, as `inside.measured` has them, of the model before training."""
    from transformers import PreTrainedModel

    layers: defaultdict[int, Layer] = defaultdict(Layer)
    known = PreTrainedModel.eval  # every model is told so, once it has its weights

    def drawn(model: Any) -> Any:
        draw(model, spec.START[1], seed)
        return known(model)

    PreTrainedModel.eval = drawn
    for _ in spec.measure(file, [1.0], lambda layer, *x: layers[layer].see(*x)):
        pass  # its losses are those of a guess
    return {"heads": all_heads(layers)}
