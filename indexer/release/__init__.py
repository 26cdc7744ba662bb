"""Building, verifying and publishing releases."""
