"""``python -m benchmarks [softmax] [attention] [training] [--check]``: print the table of timings.

With ``--check`` the exit status is 1 if a target is missed (see `report.Target`).
``python -m benchmarks page`` measures the built pages in a browser instead (`bench_page`), and
``python -m benchmarks lighthouse`` asks Lighthouse about them (`bench_lighthouse`).
"""

import argparse
import sys

from benchmarks.pinned import restart_pinned


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "which",
        nargs="*",
        help="softmax, attention, training (default all three), page, lighthouse",
    )
    parser.add_argument("--check", action="store_true", help="exit 1 if a target is missed")
    parser.add_argument(
        "--openblas-coretype", metavar="NAME", help="OpenBLAS kernels, e.g. SkylakeX (pinned.py)"
    )
    arguments = parser.parse_args()
    if arguments.which == ["page"]:
        from benchmarks import bench_page

        return bench_page.main()
    if arguments.which == ["lighthouse"]:
        from benchmarks import bench_lighthouse

        return bench_lighthouse.main()
    restart_pinned("benchmarks", arguments.openblas_coretype)
    # Only now: these imports load BLAS and XLA, which read the settings once.
    from benchmarks import bench_attention, bench_softmax, bench_training
    from benchmarks.report import line, missed

    suites = {"softmax": bench_softmax, "attention": bench_attention, "training": bench_training}
    unknown = set(arguments.which) - set(suites)
    if unknown:
        parser.error(f"unknown benchmark {', '.join(sorted(unknown))}; choose from {list(suites)}")
    failed = []
    for suite in (suites[name] for name in arguments.which or suites):
        for case, timings in suite.cases():
            print(line(case, timings, suite.TARGETS), flush=True)
            failed += [f"{case}: {t.rival}" for t in missed(case, timings, suite.TARGETS)]
    print(f"{len(failed)} targets missed" + "".join(f"\n  {case}" for case in failed))
    return 1 if arguments.check and failed else 0


if __name__ == "__main__":
    sys.exit(main())
