"""Audit the functions of one library, in its environment; one JSON line a finding."""

import importlib.util
import json
import platform
import sys

import ml_dtypes  # noqa: F401  (with it NumPy knows bfloat16)
import numpy as np

import attn_helpers as ah

if importlib.util.find_spec("torch"):  # first: what it defines a library may ask for
    importlib.import_module("research.libraries.tensors")
module = importlib.import_module(f"research.libraries.{sys.argv[1]}")
package = sys.argv[2].replace("-", "_")
extensions = np.show_config(mode="dicts")["SIMD Extensions"]["found"]
processor = " ".join([platform.machine(), *extensions[-1:]])
about = {"python": platform.python_version(), "processor": processor}
functions = getattr(module, f"{package}_", None) or getattr(module, package)
for name, call, attention, *gradient in functions():
    slope = gradient[0] if gradient else module.GRADIENT
    for found in ah.audit(attention, gradient=slope, seconds=1200).findings:
        if found.note == "NotImplementedError: not asked":
            continue
        row = {"function": name, "behaviour": found.name, "value": found.value}
        if found.value == "raises":
            row["note"] = found.note
        print("ROW", json.dumps(about | row | {"call": call}, ensure_ascii=False), flush=True)
