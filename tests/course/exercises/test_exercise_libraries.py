"""Answers that come from PyTorch, JAX and SymPy; from a library only where it is installed."""

import numpy as np
import pytest

from why_sqrt_d.exercises import check


class Bfloat16:
    """What PyTorch's bfloat16 tensors do: NumPy has no such type."""

    dtype = "torch.bfloat16"

    def __init__(self, numbers):
        self.numbers = numbers

    def detach(self):
        return self

    def cpu(self):
        return self

    def float(self):
        return np.array(self.numbers, np.float32)

    def __array__(self, dtype=None, copy=None):
        raise TypeError("Got unsupported ScalarType BFloat16")


def test_bfloat16_is_read():
    assert check("1.2", Bfloat16(22.625))
    assert check("1.5", Bfloat16([5, 1, 4]))


@pytest.mark.parametrize("shape", [(1, 3), (3, 1)])
def test_one_row_or_one_column_is_a_list(shape):
    assert check("1.5", np.reshape([5, 1, 4], shape))
    assert not check("1.5", np.reshape([5, 1, 4, 0], (2, 2)))


def test_pytorch():
    torch = pytest.importorskip("torch")
    for dtype in (torch.float64, torch.float32, torch.float16, torch.bfloat16):
        assert check("1.2", torch.tensor(22.625, dtype=dtype, requires_grad=True))
        assert check("1.5", torch.tensor([5, 1, 4], dtype=dtype))
    assert check("1.5", repr(torch.tensor([5.0, 1, 4])))

    def back(weights, grad):
        z = torch.log(torch.as_tensor(weights).clamp(min=1e-300)).requires_grad_(True)
        torch.softmax(z, -1).backward(torch.as_tensor(grad).double())
        return z.grad

    assert check("4.2", back)
    assert check("3.8", lambda x, axis=-1: torch.softmax(torch.as_tensor(x).double(), axis))


def test_jax():
    jax = pytest.importorskip("jax")
    assert check("1.5", jax.numpy.array([5, 1, 4]))
    assert check("3.8", lambda x, axis=-1: jax.nn.softmax(jax.numpy.asarray(x), axis))


def test_sympy():
    sympy = pytest.importorskip("sympy")
    assert check("1.2", sympy.sqrt(512))
    assert check("1.5", sympy.Matrix([5, 1, 4]))
    assert check("1.5", str(sympy.Matrix([5, 1, 4])))
    assert check("4.6", sympy.Rational(15, 16))
    assert "Symbol" in check("1.2", sympy.Symbol("d")).message
