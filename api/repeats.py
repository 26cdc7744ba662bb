"""Requests that come again byte for byte: known by a digest, answered from the cache without being read once more.

A request that is answered from the cache goes the whole way once, through all that stands before the answers. What it
gets depends on its own bytes, the answer that is kept, the date, and what is left of its client's allowance. So the
head that was sent is remembered under a digest of the request, and goes out again with the same answer for as long as
the cache would give that one. Neither the bytes of a request nor anything of its client is remembered.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from api.gate import STATE, class_of
from api.headers import lines

if TYPE_CHECKING:
    from starlette.types import Message

    from api.cache import AnswerCache, Asked
    from api.gate import Gate
    from api.observation import Observation

LONGEST = 8_192  # bytes of a request that is known again
DIGEST = 16  # bytes
BESIDE = 600  # bytes that one takes beside its head, about
OK, UNCHANGED = 200, 304


@dataclass(frozen=True, slots=True)
class Repeat:
    """What was sent: the lines of its head before and after what is left of the allowance, and which answer it was."""

    status: int
    before: bytes
    after: bytes
    account: str | None
    question: bytes
    number: int
    seen: Observation


@dataclass(frozen=True, slots=True)
class Given:
    """An answer to send: the lines of its head, without the server's own, and its body."""

    status: int
    head: bytes
    body: bytes
    seen: Observation


class Repeats:
    """Holds `most` bytes of them; those that were not asked for longest go first."""

    def __init__(self, cache: AnswerCache, gate: Gate, most: int) -> None:
        self._cache = cache
        self._gate = gate
        self._most = most
        self._known: OrderedDict[bytes, Repeat] = OrderedDict()
        self.size = 0

    def client(self, peer: str | None) -> int:
        """The number under which whoever is at that address is counted."""
        return self._gate.client(peer, ())

    def again(self, digest: bytes, client: int) -> Given | None:
        """Count the request and answer it; None where it must go the whole way, perhaps to be refused."""
        repeat = self._known.get(digest)
        kept = self._cache.fresh(repeat.question) if repeat else None
        if repeat is None or kept is None:
            return None
        if kept.number != repeat.number:
            self._forget(digest)
            return None
        left = self._gate.let_in(repeat.account, client)
        if left is None:
            return None
        self._known.move_to_end(digest)
        head = b"".join((repeat.before, left, repeat.after))
        return Given(repeat.status, head, kept.body if repeat.status == OK else b"", repeat.seen)

    def remember(self, asked: Asked, path: str, start: Message, seen: Observation) -> None:
        """Keep how a request was answered that the cache has answered."""
        status, fields = start["status"], start["headers"]
        names = [name for name, _ in fields]
        if asked.digest in self._known or not (status == UNCHANGED or (status == OK and b"content-length" in names)):
            return
        place = names.index(STATE) if STATE in names else len(names)
        account = class_of(path) if STATE in names else None
        before, after = lines(fields[:place]), lines(fields[place + 1 :])
        self._known[asked.digest] = Repeat(status, before, after, account, asked.question, asked.number, seen)
        self.size += _size(self._known[asked.digest])
        while self.size > self._most:
            self._forget(next(iter(self._known)))

    def _forget(self, digest: bytes) -> None:
        self.size -= _size(self._known.pop(digest))


def digest_of(request: bytes) -> bytes | None:
    """What stands for the bytes of a request; None for one that is too long to be known again."""
    return hashlib.blake2b(request, digest_size=DIGEST).digest() if len(request) <= LONGEST else None


def _size(repeat: Repeat) -> int:
    return BESIDE + len(repeat.before) + len(repeat.after)
