"""``python -m benchmarks package`` or ``lighthouse``: measure, and print it."""

import importlib
import platform
import sys
from pathlib import Path

info = Path("/proc/cpuinfo")
lines = info.read_text().splitlines() if info.exists() else []
named = [line.partition(": ")[2] for line in lines if line.startswith("model name")]
print(*named[:1] or [platform.processor()], flush=True)
sys.exit(importlib.import_module(f"benchmarks.bench_{sys.argv[1]}").main())
