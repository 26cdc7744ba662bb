"""The service: reads from OpenSearch, serves REST, MCP and the explorer. Never writes entities."""
