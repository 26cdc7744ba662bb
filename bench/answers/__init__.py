"""Comparison of the responses of two running services."""
