"""Vocabulary shared by the indexer and the service. Imports nothing else of this project."""
