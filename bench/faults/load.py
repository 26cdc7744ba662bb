"""Constant load on several services with a check of each response; a failure is retried once on the next service."""

import asyncio
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

import aiohttp

from bench.faults.response_check import ACCEPTABLE, BY_NAME, WRONG_VERDICTS, Checker, Request, Response, Verdict

CLIENTS = 4
PAUSE_SECONDS = 0.02  # between two requests of one client: the nodes need processor time too
TIMEOUT_SECONDS = 10.0  # of a request
MAX_WAIT_SECONDS = 1.0  # upper bound of Retry-After
CONDITIONAL_SHARE = 0.1  # share of requests that send the client's ETag
MAX_REASONS = 50  # distinct reasons that are counted
MAX_EVIDENCE = 5  # wrong responses that are stored
MAX_BODY_BYTES = 2_000  # stored of each wrong response
MAX_LATENCIES = 1_000_000  # of correct responses; bounds the memory of a long run


@dataclass(slots=True)
class LoadResults:
    """Results of the load during one fault. Times are of the monotonic clock."""

    verdicts: Counter[str] = field(default_factory=Counter)
    problems: list[tuple[float, float]] = field(default_factory=list)  # start and end of each failed request
    reasons: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)  # durations of correct responses
    evidence: list[str] = field(default_factory=list)  # the first wrong responses
    reads: int = 0
    failed: int = 0  # reads whose retry failed too

    def add(self, verdict: Verdict, reason: str, began: float, ended: float) -> None:
        self.verdicts[verdict] += 1
        if verdict is Verdict.CORRECT:
            if len(self.seconds) < MAX_LATENCIES:
                self.seconds.append(ended - began)
            return
        self.problems.append((began, ended))
        if reason in self.reasons or len(self.reasons) < MAX_REASONS:
            self.reasons[reason] += 1

    def add_evidence(self, request: str, response: Response) -> None:
        """Store a wrong response for debugging."""
        if len(self.evidence) < MAX_EVIDENCE:
            body = response.body[:MAX_BODY_BYTES].decode(errors="replace")
            self.evidence.append(f"{request} → {response.status} {body}")


class Load:
    """Clients that send requests to `services` until `ended` is set; `results` may be replaced at any time."""

    def __init__(self, services: Sequence[str], checker: Checker, rng: Random) -> None:
        self._services = services
        self._checker = checker
        self._rng = rng
        self._tags: defaultdict[tuple[int, str], str] = defaultdict(str)
        self.results = LoadResults()
        self.ended = False

    async def run(self) -> None:
        """Run all clients until `ended` is set."""
        timeout = aiohttp.ClientTimeout(total=TIMEOUT_SECONDS)
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
            index = self._rng.randrange(len(self._services))
            await self.read(session, BY_NAME[self._rng.choice(names)], index)
            await asyncio.sleep(PAUSE_SECONDS)

    async def read(self, session: aiohttp.ClientSession, request: Request, index: int) -> bool:
        """Send a request, and retry once on the next service; return whether a response was acceptable."""
        results = self.results
        verdict, wait = await self._send(session, request, index, results)
        results.reads += 1
        if verdict in ACCEPTABLE:
            return True
        await asyncio.sleep(wait)
        verdict, _ = await self._send(session, request, (index + 1) % len(self._services), results)
        results.failed += verdict not in ACCEPTABLE
        return verdict in ACCEPTABLE

    async def _send(
        self, session: aiohttp.ClientSession, request: Request, index: int, results: LoadResults
    ) -> tuple[Verdict, float]:
        """Send and check one request; return the verdict and the seconds to wait before a retry."""
        began = time.monotonic()
        if_none_match = self._tags[index, request.name] if self._rng.random() < CONDITIONAL_SHARE else ""
        try:
            response = await self._fetch(session, request, index, if_none_match)
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            results.add(Verdict.CUT, f"{request.name}: {type(error).__name__}", began, time.monotonic())
            return Verdict.CUT, PAUSE_SECONDS
        verdict, reason = self._checker.check(request.name, response)
        self._tags[index, request.name] = response.etag
        if verdict in WRONG_VERDICTS:
            results.add_evidence(request.name, response)
        results.add(verdict, f"{request.name}: {reason}", began, time.monotonic())
        seconds = float(response.retry_after) if response.retry_after.isdecimal() else PAUSE_SECONDS
        return verdict, min(MAX_WAIT_SECONDS, seconds)

    async def _fetch(
        self, session: aiohttp.ClientSession, request: Request, index: int, if_none_match: str
    ) -> Response:
        headers = {"If-None-Match": if_none_match} if if_none_match else {}
        url = self._services[index] + request.path
        async with session.request(request.method, url, json=request.body, headers=headers) as http_response:
            body, received = await http_response.read(), http_response.headers
            etag, retry_after = received.get("ETag", ""), received.get("Retry-After", "")
            return Response(http_response.status, body, etag, retry_after, if_none_match)
