"""Benchmarks and load tests, run by hand."""
