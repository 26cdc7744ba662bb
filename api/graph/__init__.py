"""Lookups in the graph that rank nothing: records, lists, neighbors, paths, export."""
