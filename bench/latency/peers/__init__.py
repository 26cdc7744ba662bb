"""Programs that run in the Python environment of the benchmarks."""
