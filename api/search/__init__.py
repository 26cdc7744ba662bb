"""Full-text search over names."""
