"""Attention without the n by n matrix, beside PyTorch's: memory over the inputs, and time.

Needs Linux, and torch in an environment of its own: ``pip install numpy torch==2.13.0``, then
``python -m benchmarks.bench_attention``. One thread. Calls take turns, and a time is the least
processor time of several, so that other jobs disturb little.
"""

import os

os.environ |= dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")

import subprocess
import sys
from pathlib import Path
from time import process_time
from timeit import timeit

import numpy as np
import torch

from attn_helpers import scaled_dot_product_attention, scaled_dot_product_attention_vjp

CASES = {  # queries, keys, causal, with gradients, repeats
    "32 keys": (32, 32, False, True, 1),
    "4 096 keys": (4096, 4096, False, False, 25),
    "4 096 keys, with gradients": (4096, 4096, False, True, 7),
    "16 384 keys": (16384, 16384, False, False, 7),
    "16 384 keys, causal": (16384, 16384, True, False, 7),
    "131 072 keys, 128 queries": (128, 131072, False, False, 15),
}


def calls(case):
    n_q, n, causal, gradients, _ = CASES[case]
    rng = np.random.default_rng(0)
    q, k, v, g = (rng.standard_normal((m, 64), np.float32) for m in (n_q, n, n, n_q))
    tensors = [torch.from_numpy(a)[None, None].requires_grad_(gradients) for a in (q, k, v)]

    def ours():
        if gradients:
            scaled_dot_product_attention_vjp(q, k, v, g, is_causal=causal)
        return scaled_dot_product_attention(q, k, v, is_causal=causal)

    def pytorch():
        output = torch.nn.functional.scaled_dot_product_attention(*tensors, is_causal=causal)
        if gradients:
            torch.autograd.grad(output, tensors, torch.from_numpy(g)[None, None])
        return output[0, 0].detach().numpy()

    return {"ours": ours, "PyTorch": pytorch}


def added_memory(case, which):
    """Return how many MB a call holds, at its most, over what was held before it."""

    def held(name):
        return int(Path("/proc/self/status").read_text().partition(name)[2].split()[1]) / 1024

    call = calls(case)[which]
    calls("32 keys")[which]()  # the libraries load what they need
    Path("/proc/self/clear_refs").write_text("5")  # the most so far is forgotten
    before = held("VmRSS")
    call()
    return held("VmHWM") - before


def main():
    print("float32, d = 64 | MB | PyTorch's | s | PyTorch's | ratio\n" + "|".join(6 * ["---"]))
    for case in list(CASES)[1:]:
        command, both = [sys.executable, "-m", "benchmarks.bench_attention", case], calls(case)
        used = [float(subprocess.check_output([*command, which])) for which in both]
        np.testing.assert_allclose(*(call() for call in both.values()), atol=2e-6)
        turns = range(CASES[case][-1])
        times = [[timeit(f, timer=process_time, number=1) for f in both.values()] for _ in turns]
        o, t = np.min(times, axis=0)
        print(f"{case} | {used[0]:.0f} | {used[1]:.0f} | {o:.3f} | {t:.3f} | {o / t:.2f}")


if __name__ == "__main__":
    print(added_memory(*sys.argv[1:])) if sys.argv[1:] else main()
