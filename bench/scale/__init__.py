"""Builds and queries of synthetic graphs with up to 1.2 million entities."""
