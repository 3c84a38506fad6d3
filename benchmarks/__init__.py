"""What the performance claims of the package are measured with: ``python -m benchmarks``."""
