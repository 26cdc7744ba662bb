"""Logs, metrics and usage counts."""
