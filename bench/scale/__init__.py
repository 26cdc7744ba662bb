"""Builds and queries of graphs of up to 1.2 million entities."""
