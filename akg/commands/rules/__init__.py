"""The commands of `akg synonyms`."""
