"""Lookups in the graph that rank nothing."""
