"""Faults injected into a cluster under load."""
