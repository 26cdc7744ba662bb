"""Snapshots of releases in a repository, and their restore."""
