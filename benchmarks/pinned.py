"""One core, one thread, for every contender: otherwise the comparison is of thread pools."""

import os
import sys

SETTINGS = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "JAX_PLATFORMS": "cpu",
    "JAX_ENABLE_X64": "1",  # else JAX computes float64 cases in float32
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
}


def restart_pinned(module: str, openblas_coretype: str | None = None) -> None:
    """Restart ``python -m module`` with the settings, then pin this process to one core.

    BLAS and XLA read them when they are loaded, so they must be there before the first import.
    NumPy's OpenBLAS uses AVX2 kernels on AMD processors that have AVX-512, which XLA uses:
    ``openblas_coretype="SkylakeX"`` lets both use it.
    """
    settings = dict(SETTINGS)
    if openblas_coretype:
        settings["OPENBLAS_CORETYPE"] = openblas_coretype
    if any(os.environ.get(name) != value for name, value in settings.items()):
        os.environ.update(settings)
        os.execv(sys.executable, [sys.executable, "-m", module, *sys.argv[1:]])
    if hasattr(os, "sched_setaffinity"):  # Linux only
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
