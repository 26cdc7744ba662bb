"""Load tests of single mechanisms."""
