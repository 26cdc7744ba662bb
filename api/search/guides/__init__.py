"""Guides to process words, beside the hits of a query that names them."""
