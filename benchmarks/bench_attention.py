"""Attention without the n by n matrix, beside PyTorch's: memory over the inputs, and time.

Needs Linux and torch, which the project does not ask for: in an environment of its own,
``pip install numpy torch==2.13.0``, then ``python -m benchmarks.bench_attention``. One thread,
float32, width 64. Calls are interleaved and each time is the least processor time of several,
so that other jobs of the machine disturb little. Memory is measured in a process of its own.
"""

import os

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import torch

import attn_helpers as ah

torch.set_num_threads(1)
# queries, keys, causal, with gradients, repeats
CASES = {
    "small": (32, 32, False, True, 1),
    "4 096 keys": (4096, 4096, False, False, 25),
    "4 096 keys, causal": (4096, 4096, True, False, 25),
    "4 096 keys, with gradients": (4096, 4096, False, True, 9),
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
        output = ah.scaled_dot_product_attention(q, k, v, is_causal=causal)
        if gradients:
            ah.scaled_dot_product_attention_vjp(q, k, v, g, is_causal=causal)
        return output

    def torchs():
        output = torch.nn.functional.scaled_dot_product_attention(*tensors, is_causal=causal)
        if gradients:
            torch.autograd.grad(output, tensors, torch.from_numpy(g)[None, None])
        return output[0, 0].detach().numpy()

    return {"ours": ours, "torch": torchs}


def added_memory(case, which):
    """Return how many MB a call holds, at its most, over what was held before it."""
    call = calls(case)[which]
    calls("small")[which]()  # the libraries load what they need
    Path("/proc/self/clear_refs").write_text("5")  # the most so far is forgotten
    before = memory("VmRSS")
    call()
    return memory("VmHWM") - before


def memory(name):
    status = Path("/proc/self/status").read_text()
    return int(status.partition(f"{name}:")[2].split()[0]) / 1024


def main():
    print("| float32, d = 64 | MB | PyTorch's | s | PyTorch's | ratio |")
    print("|---|---|---|---|---|---|")
    for case in list(CASES)[1:]:
        command = [sys.executable, "-m", "benchmarks.bench_attention", case]
        used = [float(subprocess.check_output([*command, which])) for which in ("ours", "torch")]
        both, times = calls(case), {"ours": [], "torch": []}
        np.testing.assert_allclose(*(call() for call in both.values()), atol=2e-6)
        for _ in range(CASES[case][-1]):
            for which, call in both.items():
                start = time.process_time()
                call()
                times[which].append(time.process_time() - start)
        o, t = min(times["ours"]), min(times["torch"])
        row = f"{used[0]:.0f} | {used[1]:.0f} | {o:.3f} | {t:.3f} | {o / t:.2f}"
        print(f"| {case} | {row} |", flush=True)


if __name__ == "__main__":
    print(added_memory(*sys.argv[1:])) if sys.argv[1:] else main()
