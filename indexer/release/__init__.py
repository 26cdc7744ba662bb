"""Plans, fills, verifies, publishes and rolls back releases; the writer lease."""
