"""``python -m benchmarks [softmax] [attention] [--check]``: print the timings.

With ``--check`` the exit status is 1 if a target is missed. ``page`` measures the built pages in
a browser instead, and ``lighthouse`` asks Lighthouse about them.
"""

import argparse
import importlib
import sys

from benchmarks.timing import processor, restart_pinned

SUITES, SITE = ("softmax", "attention"), ("page", "lighthouse")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("which", nargs="*", metavar="which", help=", ".join((*SUITES, *SITE)))
    parser.add_argument("--check", action="store_true", help="exit 1 if a target is missed")
    parser.add_argument("--openblas-coretype", metavar="NAME", help="kernels, e.g. SkylakeX")
    given = parser.parse_args()
    if unknown := ", ".join(sorted({*given.which} - {*SUITES, *SITE})):
        parser.error(f"no benchmark {unknown}")
    for name in SITE:
        if name in given.which:
            print(processor(), flush=True)
            return importlib.import_module(f"benchmarks.bench_{name}").main()
    restart_pinned(given.openblas_coretype)
    print(processor(), flush=True)
    missed = []
    for name in given.which or SUITES:
        # Only now: these imports load BLAS and XLA, which read the settings once.
        missed += importlib.import_module(f"benchmarks.bench_{name}").run()
    print(f"{len(missed)} targets missed" + "".join(f"\n  {case}" for case in missed))
    return 1 if given.check and missed else 0


if __name__ == "__main__":
    sys.exit(main())
