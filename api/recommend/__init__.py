"""Recommendations and related conditions."""
