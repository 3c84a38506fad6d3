"""Audit the functions of one module, in its library's environment; one JSON line a finding."""

import importlib.util
import json
import platform
import sys

import ml_dtypes  # noqa: F401  (with it NumPy knows bfloat16)
import numpy as np

import attn_helpers as ah
from research.libraries import FUNCTIONS

if importlib.util.find_spec("torch"):  # first: what it defines a library may ask for
    importlib.import_module("research.libraries.tensors")
importlib.import_module(f"research.libraries.{sys.argv[1]}")
extensions = np.show_config(mode="dicts")["SIMD Extensions"]["found"]
about = {"python": platform.python_version(), "processor": platform.machine()}
about["processor"] += f" {extensions[-1]}" if extensions else ""
for one in FUNCTIONS:
    for found in ah.audit(one.attention, gradient=one.gradient).findings:
        row = {"function": one.name, "behaviour": found.name, "value": found.value}
        if found.value == "raises":
            row["note"] = found.note
        print("ROW", json.dumps(about | row | {"call": one.call}, ensure_ascii=False), flush=True)
