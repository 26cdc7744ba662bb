"""Load protection: rate limits and bounded concurrency."""
