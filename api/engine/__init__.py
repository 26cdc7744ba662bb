"""Access to OpenSearch."""
