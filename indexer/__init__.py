"""Content and imports become a graph, documents and a release. The only writer of entity indices."""
