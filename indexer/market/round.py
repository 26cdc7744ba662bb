"""A round of visits: several hosts at once, each in its turn, every visit remembered as soon as it is over."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from indexer.market.due import judged
from indexer.market.journal import MarketError
from indexer.market.visit import Validators

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import date

    from indexer.market.due import Address, Visit
    from indexer.market.visit import Visitor

OFFLINE = 20  # hosts that are silent before any has answered


async def go_round(
    found: Sequence[Address],
    visitor: Visitor,
    before: Mapping[str, Visit],
    remember: Callable[[Visit], None],
    today: date,
    at_once: int,
) -> None:
    """Visit all addresses; raise MarketError where nothing answers at all, which says more of us than of them."""
    by_host: defaultdict[str, list[Address]] = defaultdict(list)
    for address in found:
        by_host[urlsplit(address.url).hostname or ""].append(address)
    waiting = sorted(by_host.values(), key=len)  # the longest is taken first, or all would wait for it at the end

    async def work() -> None:
        while waiting:
            for address in waiting.pop():
                earlier = before.get(address.url)
                seen = await visitor.visit(address.url, _validators(address, earlier))
                remember(judged(address, seen, earlier, today))
                answering, silent = visitor.hosts.answers()
                if not answering and silent >= OFFLINE:
                    raise MarketError(f"None of {silent} hosts answered. Is this machine online? Nothing was written.")

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(at_once):
                group.create_task(work())
    except* MarketError as several:
        raise several.exceptions[0] from None


def _validators(address: Address, earlier: Visit | None) -> Validators | None:
    """Ask whether the page changed only where an unchanged page would be judged as it was."""
    if earlier is None or earlier.fingerprint != address.fingerprint or not (earlier.etag or earlier.modified):
        return None
    return Validators(earlier.evidence, earlier.etag, earlier.modified)
