"""Full-text search: parses a query, builds the request, ranks and explains the hits."""
