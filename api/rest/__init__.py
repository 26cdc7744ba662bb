"""The REST transport: routes and the OpenAPI document."""
