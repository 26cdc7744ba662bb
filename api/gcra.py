"""A fair limit per client by the generic cell rate algorithm, O(1) per request in bounded memory. Pure.

Of each client one number is kept: the moment at which its allowance is whole again. A client at rest needs no entry.
Each request looks at the entry that waited longest, a newcomer's at two: what has run out goes, what has not goes to
the back of the queue. So memory follows how many clients were heard lately, nothing is ever searched, and nobody's
requests can push out an entry that still counts. Where there are too many even so, newcomers share common entries.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

SECOND = 1_000_000_000  # times are whole nanoseconds: sums of them are exact, however long the service runs
MINUTE = 60 * SECOND
MOST_CLIENTS = 65_536  # about 12 MB when full
SHARED = 4_096  # common entries for newcomers when it is full


@dataclass(frozen=True, slots=True)
class Quota:
    """What one client may do: `burst` requests at once, and `per_minute` over time."""

    per_minute: int
    burst: int

    @property
    def interval(self) -> int:
        """Nanoseconds after which one more request is allowed."""
        return MINUTE // self.per_minute

    @property
    def window(self) -> int:
        """Seconds in which the whole burst comes back."""
        return -(-self.burst * self.interval // SECOND)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a request is allowed, how many more are now, and after how many nanoseconds one is and all are."""

    allowed: bool
    remaining: int
    retry_after: int
    reset_after: int


class Limiter:
    """Counts requests of clients, each named by a number; the caller says what time it is, in nanoseconds."""

    def __init__(self, quota: Quota, most_clients: int = MOST_CLIENTS) -> None:
        self.quota = quota
        self._interval = quota.interval
        self._burst = quota.burst * quota.interval
        self._most = most_clients
        self._whole_at: OrderedDict[int, int] = OrderedDict()
        self._shared = [0] * SHARED

    def __len__(self) -> int:
        """Clients that have an entry of their own."""
        return len(self._whole_at)

    def ask(self, client: int, now: int) -> Verdict:
        """Count one request of a client, or refuse it; what is refused does not count."""
        self._forget(now)
        whole_at = self._whole_at.get(client)
        if whole_at is not None:
            verdict, then = self._decide(whole_at, now)
            self._whole_at[client] = then
            return verdict
        self._forget(now)  # one more than a newcomer adds, so that the table can only shrink while others are at rest
        if len(self._whole_at) < self._most:
            verdict, self._whole_at[client] = self._decide(now, now)
        else:
            place = client % SHARED
            verdict, self._shared[place] = self._decide(self._shared[place], now)
        return verdict

    def _decide(self, whole_at: int, now: int) -> tuple[Verdict, int]:
        """The verdict, and when the allowance will be whole again."""
        used = max(0, whole_at - now)
        left = (self._burst - used) // self._interval
        if left < 1:
            wait = used + self._interval - self._burst
            return Verdict(False, 0, wait, whole_at - now), whole_at  # noqa: FBT003 - the first field is its name
        then = now + used + self._interval
        return Verdict(True, left - 1, 0, then - now), then  # noqa: FBT003 - as above

    def _forget(self, now: int) -> None:
        for oldest in self._whole_at:
            if self._whole_at[oldest] <= now:
                del self._whole_at[oldest]
            else:
                self._whole_at.move_to_end(oldest)
            break
