"""Imports: data that a build merges with the content."""
