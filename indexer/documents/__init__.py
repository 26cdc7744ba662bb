"""Index documents of a graph."""
