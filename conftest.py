"""What every test and every notebook that nbval runs needs: the kernels' environment."""

import os

import pytest

from tools.kernel import prepare_environment

prepare_environment()


def pytest_report_header() -> str:
    """Name what computes; kernels that were asked for (`make test-processors`) must be these."""
    import numpy
    from threadpoolctl import threadpool_info

    found = {lib["architecture"] for lib in threadpool_info() if "architecture" in lib}
    wanted = os.environ.get("OPENBLAS_CORETYPE")
    if wanted and {wanted} != found:
        raise pytest.UsageError(f"OpenBLAS has no kernels {wanted} here, it takes {found}")
    simd = numpy.show_config(mode="dicts")["SIMD Extensions"]
    off = os.environ.get("NPY_DISABLE_CPU_FEATURES", "").split()
    if left := {*off} & {*simd.get("found", ())}:
        raise pytest.UsageError(f"NumPy still computes with {left}")
    return f"OpenBLAS {', '.join(found)}; NumPy {', '.join(simd.get('found', ())) or 'baseline'}"
