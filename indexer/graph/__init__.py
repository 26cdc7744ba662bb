"""The graph in memory."""
