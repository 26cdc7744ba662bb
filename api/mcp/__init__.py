"""The MCP transport."""
