"""Fault injection into a cluster under load."""
