"""What measures the built site: ``python -m benchmarks.bench_lighthouse``."""
