"""The service: asks OpenSearch, answers REST and MCP. Never writes entities."""
