"""What one request costs the limiter, for 100 clients and for 20,000, and what it holds in memory.

Run by hand: `python tests/bench/limiter.py`. Processor time is measured, in turns, so that a busy machine disturbs
both alike; the median of the rounds counts.
"""

from __future__ import annotations

import statistics
import time
import tracemalloc

from rich.console import Console

from api.clients import numbered, origin
from api.gcra import MOST_CLIENTS, SECOND, Limiter, Quota

ROUNDS, REQUESTS = 15, 40_000
PER_SECOND = 4_000
FEW, MANY = 100, 20_000
QUOTA = Quota(100, 10_000_000)  # nobody is ever refused, nobody ever at rest: all entries stay
SECRET = b"of this measurement"


class Crowd:
    """So many clients that ask in turns, each known to the limiter before the measurement begins."""

    def __init__(self, size: int) -> None:
        self.limiter = Limiter(QUOTA)
        self.addresses = [f"10.{n >> 16}.{n >> 8 & 255}.{n & 255}" for n in range(size)]
        self.now = 0
        self.asked = 0
        self.run(size)

    def run(self, times: int) -> float:
        """Microseconds of processor time per request."""
        began = time.process_time()
        for _ in range(times):
            self.now += SECOND // PER_SECOND
            self.asked += 7919
            address = self.addresses[self.asked % len(self.addresses)]
            self.limiter.ask(numbered(origin(address, (), 0), SECRET), self.now)
        return (time.process_time() - began) / times * 1e6


def memory(clients: int) -> tuple[int, float]:
    """Entries and megabytes after this many clients asked at once."""
    tracemalloc.start()
    limiter = Limiter(QUOTA)
    for client in range(clients):
        limiter.ask(client << 32, 0)
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return len(limiter), size / 1e6


def main() -> None:
    """Print the report."""
    out = Console(highlight=False)
    few, many = Crowd(FEW), Crowd(MANY)
    rounds = [(few.run(REQUESTS), many.run(REQUESTS)) for _ in range(ROUNDS)]
    costs = [statistics.median(one) for one in zip(*rounds, strict=True)]
    ratio = statistics.median(more / less for less, more in rounds)
    out.print(f"{FEW:>7,} clients: {costs[0]:.2f} µs per request, address included")
    out.print(f"{MANY:>7,} clients: {costs[1]:.2f} µs per request; ratio {ratio:.2f} (at most 1.5)")
    for clients in (MANY, MOST_CLIENTS, 10 * MOST_CLIENTS):
        entries, size = memory(clients)
        out.print(f"{clients:>7,} clients at one moment: {entries:,} entries, {size:.1f} MB")


if __name__ == "__main__":
    main()
