"""Counts of responses that the edge sent from its cache, which the service never saw.

The edge sends a datagram per response, in the format of syslog, with two fixed words: a route template and the state
of its cache. Anything else in a datagram is ignored, so nothing that a client sent can be counted or stored.
"""

import asyncio
import socket
from collections import Counter

from api.telemetry.usage_counters import RequestFacts, UsageCounters

CACHE_WORDS = {b"hit": "edge_hit", b"stale": "edge_stale"}
BATCH_SIZE = 1_000  # datagrams that are read before other work of the event loop
MAX_BYTES = 256  # of a datagram
BUFFER_BYTES = 4_000_000  # of the kernel: what arrives while the event loop is busy; it may allow less


class EdgeCounts:
    """Receives the counts at an address, `host:port`, and adds them to `usage`."""

    def __init__(self, usage: UsageCounters, address: str) -> None:
        self._usage = usage
        self._address = address
        self._socket: socket.socket | None = None

    def start(self) -> None:
        """Listen, if there is an address; raise OSError where that is not possible."""
        if not self._address:
            return
        host, _, port = self._address.rpartition(":")
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._socket = socket.socket(family, socket.SOCK_DGRAM)
        self._socket.setblocking(False)  # noqa: FBT003 - its parameter has no name
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER_BYTES)
        self._socket.bind((host.strip("[]"), int(port)))
        asyncio.get_running_loop().add_reader(self._socket, self._read, self._socket)

    async def close(self) -> None:
        """Count what has arrived, and stop."""
        if self._socket is not None:
            self._read(self._socket)
            asyncio.get_running_loop().remove_reader(self._socket)
            self._socket.close()

    def _read(self, receiver: socket.socket) -> None:
        counts: Counter[bytes] = Counter()
        for _ in range(BATCH_SIZE):
            try:
                datagram = receiver.recv(MAX_BYTES)
            except OSError:  # nothing more has arrived
                break
            counts[datagram.rpartition(b": ")[2]] += 1  # after the priority, the time and the tag of syslog
        for words, count in counts.items():
            route, _, cache = words.partition(b" ")
            if cache in CACHE_WORDS:
                facts = RequestFacts(route=route.decode("ascii", "replace"), status=200, cache=CACHE_WORDS[cache])
                self._usage.record(facts, 0.0, count)
