"""The explorer: server-rendered pages over the responses of the REST API."""
