"""Synonym rules."""
