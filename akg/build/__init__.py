"""Composition of a build."""
