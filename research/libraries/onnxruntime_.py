"""ONNX Runtime on the CPU: the operator Attention, and its own MultiHeadAttention."""

import numpy as np
import onnxruntime as ort
from onnx import helper

from research.libraries import reads
from research.libraries.onnx_ import model, refuse_all_but_heads, NAMES

options = ort.SessionOptions()
options.intra_op_num_threads = 1
options.log_severity_level = 4


def answer(made, fed):
    session = ort.InferenceSession(made.SerializeToString(), options, ["CPUExecutionProvider"])
    return session.run(None, fed)[0]
