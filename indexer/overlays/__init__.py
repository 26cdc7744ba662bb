"""Overlays: an organization's own entities, edges, names and texts, which a build adds to the graph."""
