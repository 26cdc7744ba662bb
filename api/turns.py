"""Whose turn it is among the nodes of a cluster: each after the other, but for those that failed a moment ago. Pure.

A node that failed is left alone for a second, then tried by a single request; if it fails again, for twice as long, up
to LONGEST. Where all have failed, the one that has been left alone longest is tried all the same.
"""

from __future__ import annotations

FIRST, LONGEST = 1.0, 30.0  # seconds


class Turns:
    """The nodes are numbers from 0 on; the caller says what time it is, in seconds."""

    def __init__(self, size: int, last: int = 0) -> None:
        self._size = size
        self._last = last
        self._pauses: dict[int, float] = {}
        self._until: dict[int, float] = {}
        self._tried: set[int] = set()

    @property
    def well(self) -> int:
        """How many nodes have not failed, or have answered since."""
        return self._size - len(self._until)

    def next(self, now: float) -> int:
        """The node to ask."""
        order = [(self._last + step) % self._size for step in range(1, self._size + 1)]
        ready = (place for place in order if self._until.get(place, now) <= now)
        place = next(ready, None)
        return self._try(min(order, key=self._until.__getitem__) if place is None else place, now)

    def _try(self, place: int, now: float) -> int:
        """Where it had failed, nobody else tries it meanwhile."""
        self._last = place
        if place in self._until:
            self._until[place] = now + self._pauses[place]
            self._tried.add(place)
        return place

    def failed(self, place: int, now: float) -> None:
        """It did not answer. Many may learn that at once; only the first of them, and who tried it again, count."""
        if place in self._until and place not in self._tried:
            return
        self._tried.discard(place)
        self._pauses[place] = min(LONGEST, 2 * self._pauses[place]) if place in self._until else FIRST
        self._until[place] = now + self._pauses[place]

    def answered(self, place: int) -> None:
        """It did."""
        if place in self._until:
            self._tried.discard(place)
            del self._until[place], self._pauses[place]
