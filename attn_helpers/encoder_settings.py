"""What fixes the encoder: its sizes and scale, where its parameters lie, how they are drawn."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import DTypeLike

from attn_helpers._validate import FloatArray, finite, positive_int
from attn_helpers.encoder_layers import Views

_FLOATS = (np.dtype(np.float32), np.dtype(np.float64))


@dataclass(frozen=True)
class EncoderSettings:
    """What fixes the model: how many different tokens, how long a string, which scale β.

    The model dimension d equals `length`; β is `scale`, by default d^-1/2.

    Examples
    --------
    >>> settings = EncoderSettings(vocabulary=10, length=16)
    >>> settings.beta, settings.parameter_count
    (0.25, 2874)
    """

    vocabulary: int
    length: int
    scale: float | None = None

    def __post_init__(self) -> None:
        positive_int(self.vocabulary, "vocabulary")
        positive_int(self.length, "length")
        if self.scale is not None:
            finite(self.scale, "scale", low=0)

    @property
    def beta(self) -> float:
        """The scale β that multiplies the scores q·k."""
        return 1 / math.sqrt(self.length) if self.scale is None else float(self.scale)

    @property
    def weight_shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape (out, in) of each layer's weight, (d,) for a norm; a bias is (out,)."""
        d = self.length
        return {
            "input": (d, self.vocabulary),
            "qkv": (3 * d, d),
            "projection": (d, d),
            "norm1": (d,),
            "widen": (2 * d, d),
            "narrow": (d, 2 * d),
            "norm2": (d,),
            "hidden": (d, d),
            "norm3": (d,),
            "output": (self.vocabulary, d),
        }

    @property
    def parameter_count(self) -> int:
        """How many parameters there are; every layer has a weight and a bias."""
        return sum(math.prod(shape) + shape[0] for shape in self.weight_shapes.values())

    def views(self, params: FloatArray) -> Views:
        """Return the parts of a flat vector, ``"qkv.weight"`` (3d, d), ``"qkv.bias"`` (3d,) ..."""
        if params.dtype not in _FLOATS:
            raise TypeError(f"params must be float32 or float64, got dtype {params.dtype}")
        if params.shape != (self.parameter_count,):
            expected = (self.parameter_count,)
            raise ValueError(f"params has shape {params.shape} but the model needs {expected}")
        views, start = {}, 0
        for layer, shape in self.weight_shapes.items():
            for name, part in ((f"{layer}.weight", shape), (f"{layer}.bias", shape[:1])):
                stop = start + math.prod(part)
                views[name] = params[start:stop].reshape(part)
                start = stop
        return views


def initialise(
    settings: EncoderSettings, rng: np.random.Generator, dtype: DTypeLike = np.float64
) -> FloatArray:
    """Return parameters drawn as the tutorial's model draws them.

    Parameters
    ----------
    settings : EncoderSettings
        The model.
    rng : numpy.random.Generator
        Where the numbers come from; one seed gives the same draw, rounded, in both dtypes.
    dtype : dtype
        float32 or float64.

    Returns
    -------
    ndarray
        Shape ``(settings.parameter_count,)``. Attention: Xavier-uniform, qkv as one (3d, d)
        matrix, biases zero. Norms: one and zero. Other layers, weight and bias: uniform in
        ±1/sqrt(inputs), the default of ``torch.nn.Linear``.

    Raises
    ------
    TypeError
        If `dtype` is neither float32 nor float64.

    Notes
    -----
    Glorot & Bengio (2010), equation 16: the bound is sqrt(6 / (inputs + outputs)).

    Examples
    --------
    >>> initialise(EncoderSettings(vocabulary=10, length=20), np.random.default_rng(0)).shape
    (4310,)
    """
    if np.dtype(dtype) not in _FLOATS:
        raise TypeError(f"dtype must be float32 or float64, got {np.dtype(dtype)}")
    params = np.zeros(settings.parameter_count)
    views = settings.views(params)
    for layer, shape in settings.weight_shapes.items():
        weight, bias = views[f"{layer}.weight"], views[f"{layer}.bias"]
        if layer.startswith("norm"):
            weight[...] = 1
        elif layer in ("qkv", "projection"):
            bound = math.sqrt(6 / sum(shape))
            weight[...] = rng.uniform(-bound, bound, shape)
        else:
            bound = 1 / math.sqrt(shape[1])
            weight[...] = rng.uniform(-bound, bound, shape)
            bias[...] = rng.uniform(-bound, bound, shape[0])
    return params.astype(dtype)
