"""The graph in memory: edges, weights, hierarchy, inheritance, similarity."""
