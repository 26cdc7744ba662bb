"""Calls to the engine as the steps of a command: what each is without that which differs from run to run. Pure."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

STAMP = re.compile(r"\d{8}t\d{6}z")
NAMED = re.compile(r"/_doc/.*|/_create/.*|/_search/scroll/.*")
WRITES = frozenset(("PUT", "POST", "DELETE"))
READ_BY_POST = re.compile(r"/_(search|msearch|mget|analyze|count)\b")
MOST_OF_ONE = 2  # calls of the same kind at which the indexer is killed: the first bulk and the next, not each


def shape(method: str, path: str) -> str:
    """A call without what differs from run to run."""
    return f"{method} {NAMED.sub('/_doc', STAMP.sub('…', path))}"


def steps_of(calls: Iterable[str]) -> list[str]:
    """The steps of a run, each call with its number among those of its kind: `PUT /akg-… 1`. Reads count once."""
    seen: Counter[str] = Counter()
    found = []
    for call in calls:
        seen[call] += 1
        method, _, path = call.partition(" ")
        writes = method in WRITES and not READ_BY_POST.search(path)
        if seen[call] <= (MOST_OF_ONE if writes else 1):
            found.append(f"{call} {seen[call]}")
    return found
