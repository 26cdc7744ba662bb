"""Spelling correction."""
