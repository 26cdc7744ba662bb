"""The size of samples: `make test` checks a part of many cases, and `make test-long` sets SAMPLE_FACTOR to check more.

A sample is drawn with a fixed seed, so a larger one has all cases of a smaller one.
"""

import os

FACTOR = int(os.environ.get("SAMPLE_FACTOR", "1"))


def sample_size(number: int, most: int) -> int:
    """Return how many of at most so many cases to check."""
    return min(number * FACTOR, most)
