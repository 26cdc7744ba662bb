"""Steady requests to several services with a check of each response; a failure is retried once on the next service."""

from __future__ import annotations

import asyncio
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import aiohttp

from bench.faults.response_check import BY_NAME, FAULTS, FINE, Given, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from bench.faults.response_check import Checker, Question

CLIENTS = 4
PAUSE = 0.02  # seconds between two questions of one client: the nodes need the processor too
PATIENCE = 10.0  # seconds that a client waits
MOST_PATIENT = 1.0  # seconds that a client waits before it asks again, whatever Retry-After says
CONDITIONAL_SHARE = 0.1  # share of requests that send the client's ETag
KEPT = 50  # different complaints that are written down
SHOWN = 5  # answers that are kept as they came, because they are at fault
LONGEST = 2_000  # bytes that are kept of each
LATENCIES = 1_000_000  # of good answers, so that memory is bounded however long the load runs


@dataclass(slots=True)
class Watch:
    """What happened while one fault was tried. Times are of the monotonic clock."""

    verdicts: Counter[str] = field(default_factory=Counter)
    troubles: list[tuple[float, float]] = field(default_factory=list)  # of requests that were not answered right
    complaints: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)  # of answers that were right
    evidence: list[str] = field(default_factory=list)  # the first answers that were at fault
    reads: int = 0
    failed: int = 0  # reads that failed again when they were tried once more

    def note(self, verdict: Verdict, why: str, began: float, ended: float) -> None:
        """One more request."""
        self.verdicts[verdict] += 1
        if verdict is Verdict.RIGHT:
            if len(self.seconds) < LATENCIES:
                self.seconds.append(ended - began)
            return
        self.troubles.append((began, ended))
        if why in self.complaints or len(self.complaints) < KEPT:
            self.complaints[why] += 1

    def keep(self, question: str, given: Given) -> None:
        """A wrong answer, for debugging."""
        if len(self.evidence) < SHOWN:
            self.evidence.append(f"{question} → {given.status} {given.body[:LONGEST].decode(errors='replace')}")


class Load:
    """Clients that ask `services` until they are stopped. `watch` records what happens."""

    def __init__(self, services: Sequence[str], checker: Checker, chance: Random) -> None:
        self._services = services
        self._checker = checker
        self._chance = chance
        self._tags: defaultdict[tuple[int, str], str] = defaultdict(str)
        self.watch = Watch()
        self.ended = False

    async def run(self) -> None:
        """Ask until `ended` is set."""
        timeout = aiohttp.ClientTimeout(total=PATIENCE)
        connector = aiohttp.TCPConnector(limit=0)
        async with (
            aiohttp.ClientSession(timeout=timeout, connector=connector) as session,
            asyncio.TaskGroup() as group,
        ):
            for _ in range(CLIENTS):
                group.create_task(self._client(session))

    async def _client(self, session: aiohttp.ClientSession) -> None:
        names = list(BY_NAME)
        while not self.ended:
            place = self._chance.randrange(len(self._services))
            await self.read(session, BY_NAME[self._chance.choice(names)], place)
            await asyncio.sleep(PAUSE)

    async def read(self, session: aiohttp.ClientSession, question: Question, place: int) -> bool:
        """Ask once, and if that fails once more of the next service; whether there was a good answer."""
        watch = self.watch
        verdict, wait = await self._ask(session, question, place, watch)
        watch.reads += 1
        if verdict in FINE:
            return True
        await asyncio.sleep(wait)
        verdict, _ = await self._ask(session, question, (place + 1) % len(self._services), watch)
        watch.failed += verdict not in FINE
        return verdict in FINE

    async def _ask(
        self, session: aiohttp.ClientSession, question: Question, place: int, watch: Watch
    ) -> tuple[Verdict, float]:
        """One request, judged; and the seconds to wait before another."""
        began = time.monotonic()
        had = self._tags[place, question.name] if self._chance.random() < CONDITIONAL_SHARE else ""
        try:
            given = await self._given(session, question, place, had)
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            watch.note(Verdict.CUT, f"{question.name}: {type(error).__name__}", began, time.monotonic())
            return Verdict.CUT, PAUSE
        verdict, why = self._checker.judge(question.name, given)
        self._tags[place, question.name] = given.etag
        if verdict in FAULTS:
            watch.keep(question.name, given)
        watch.note(verdict, f"{question.name}: {why}", began, time.monotonic())
        return verdict, min(MOST_PATIENT, float(given.retry_after)) if given.retry_after.isdecimal() else PAUSE

    async def _given(self, session: aiohttp.ClientSession, question: Question, place: int, had: str) -> Given:
        headers = {"If-None-Match": had} if had else {}
        url = self._services[place] + question.path
        async with session.request(question.method, url, json=question.body, headers=headers) as answer:
            body = await answer.read()
            return Given(
                answer.status, body, answer.headers.get("ETag", ""), answer.headers.get("Retry-After", ""), had
            )
