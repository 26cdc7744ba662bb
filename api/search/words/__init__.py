"""Words of a query: what they say by themselves, which of them may be names, and what is negated."""
