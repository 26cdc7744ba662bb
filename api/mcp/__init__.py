"""The MCP transport: tools, resources and texts."""
