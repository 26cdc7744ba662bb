"""Vocabulary, ids, keys, text folding and synonym rules that indexer and service share. Imports no other package."""
