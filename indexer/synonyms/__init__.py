"""Synonym rules: parses, checks and publishes them."""
