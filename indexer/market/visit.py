"""One visit: robots.txt, redirects by hand, time-outs, retries, a cap on size. What comes out is a page or a rule."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import httpx
from protego import Protego
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, stop_after_attempt

from indexer.market.addresses import askable
from indexer.market.hosts import Hosts
from indexer.market.pages import read_page
from indexer.market.rules import leads_to_front
from indexer.market.transport import PrivateAddressError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from indexer.market.hosts import Clock
    from indexer.market.rules import Page

AGENT = "AccommodationKnowledgeGraph"
ROBOTS_BYTES = 512_000  # what RFC 9309 asks to be read at least
MOVED = {301, 302, 303, 307, 308}
GONE = {404, 410}
BUSY = {429, 503}
SILENCE = {"no-answer", "too-slow"}
TROUBLE = {408, 425, 500, 502, 503, 504}
HTML = re.compile(r"text/html|application/xhtml\+xml", re.IGNORECASE)
CHARSET = re.compile(r"charset=[\"']?([\w-]+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Limits:
    """All in seconds, bytes or tries; `longest_wait` is the longest pause that a site may ask for in this run."""

    pause: float = 2.0
    connect: float = 10.0
    page: float = 30.0
    most_bytes: int = 3_000_000
    redirects: int = 5
    attempts: int = 3
    longest_wait: float = 120.0


@dataclass(frozen=True, slots=True)
class Validators:
    """What lets a server say that nothing changed since: for this very address."""

    url: str
    etag: str = ""
    modified: str = ""

    def headers(self, url: str) -> dict[str, str]:
        """The conditional headers for a request to `url`."""
        if url != self.url:
            return {}
        told = {"If-None-Match": self.etag, "If-Modified-Since": self.modified}
        return {name: value for name, value in told.items() if value}


@dataclass(frozen=True, slots=True)
class Seen:
    """What a visit saw: a page to be judged, or `unchanged`, or the rule that applies without reading anything."""

    evidence: str
    rule: str = ""
    page: Page | None = None
    unchanged: bool = False
    validators: Validators | None = None


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    headers: httpx.Headers
    body: bytes


class _EndError(Exception):
    """The visit ends here, by this rule."""

    def __init__(self, rule: str) -> None:
        super().__init__(rule)
        self.rule = rule


class _AgainError(Exception):
    """Worth another try after so many seconds; `rule` applies if it was the last."""

    def __init__(self, rule: str, wait: float | None = None) -> None:
        super().__init__(rule)
        self.rule = rule
        self.wait = wait


class Visitor:
    """Visits addresses through one transport. `contact` tells site owners whom to write to; `today` is a UTC time."""

    def __init__(
        self, transport: httpx.AsyncBaseTransport, clock: Clock, today: datetime, limits: Limits, contact: str = ""
    ) -> None:
        self.hosts = Hosts(clock, limits.pause)
        self._clock, self._today, self._limits = clock, today, limits
        self._robots: dict[str, asyncio.Task[Protego | str]] = {}
        # Requests go to the transport itself: a client would follow cookies, proxies and redirects by its own mind.
        self._transport = transport
        self._headers = {
            "User-Agent": f"{AGENT}/0.1 ({contact})" if contact else f"{AGENT}/0.1",
            "Accept": "text/html,application/xhtml+xml",
            "Accept-Encoding": "gzip",
        }

    async def close(self) -> None:
        """Close all connections."""
        for task in self._robots.values():
            task.cancel()
        await self._transport.aclose()

    async def visit(self, url: str, validators: Validators | None = None) -> Seen:
        """Ask one address, wherever it leads; every trouble is a rule, none is raised."""
        asked, passed = url, [url]
        while True:
            host = urlsplit(url).hostname or ""
            if not askable(url):
                return Seen(passed[-2] if url != asked else asked, "address")
            if self.hosts.is_silent(host):
                return Seen(url, "no-answer")
            try:
                await self._heed_robots(url)
                answer = await self._ask(url, validators.headers(url) if validators else {}, self._limits.most_bytes)
            except _EndError as end:
                self.hosts.heard(host, answered=end.rule not in SILENCE)
                # Evidence is shown to the public: what leads inside is told by the address that led there.
                return Seen(passed[-2] if end.rule == "private" and len(passed) > 1 else url, end.rule)
            self.hosts.heard(host, answered=True)
            if answer.status not in MOVED:
                return _seen(asked, url, answer, validators)
            url = _target(url, answer.headers.get("Location", ""))
            if url in passed or len(passed) > self._limits.redirects:
                return Seen(passed[-1], "redirects")
            passed.append(url)

    async def _heed_robots(self, url: str) -> None:
        parts = urlsplit(url)
        origin = f"{parts.scheme}://{parts.netloc}"
        if origin not in self._robots:
            self._robots[origin] = asyncio.create_task(self._read_robots(f"{origin}/robots.txt"))
        rules = await asyncio.shield(self._robots[origin])
        if isinstance(rules, str):
            if rules:
                raise _EndError(rules)
            return
        delay = rules.crawl_delay(AGENT) or 0.0
        if delay > self._limits.longest_wait or not rules.can_fetch(url, AGENT):
            raise _EndError("robots")
        self.hosts.slow_down(parts.hostname or "", delay)

    async def _read_robots(self, url: str) -> Protego | str:
        """The rules of a site; an empty text where it has none, or our own rule where they cannot be had."""
        for _ in range(1 + self._limits.redirects):
            if not askable(url):
                return "robots"
            try:
                answer = await self._ask(url, {}, ROBOTS_BYTES, whole=False)
            except _EndError as end:
                return end.rule
            if answer.status in MOVED:
                url = _target(url, answer.headers.get("Location", ""))
                continue
            if answer.status == HTTPStatus.OK:
                return Protego.parse(answer.body.decode(errors="replace"))
            # RFC 9309: a site that has no such file may be visited, one that cannot say so may not.
            return "" if HTTPStatus.BAD_REQUEST <= answer.status < HTTPStatus.INTERNAL_SERVER_ERROR else "no-answer"
        return "robots"

    async def _ask(self, url: str, headers: Mapping[str, str], most: int, *, whole: bool = True) -> _Answer:
        """One GET, tried again where that may help. With `whole` false, what is too large is cut instead of refused."""
        trying = AsyncRetrying(
            stop=stop_after_attempt(self._limits.attempts),
            retry=retry_if_exception_type(_AgainError),
            wait=_pause,
            sleep=self._clock.sleep,
            reraise=True,
        )
        try:
            return await trying(self._ask_once, url, headers, most, whole)
        except _AgainError as error:
            raise _EndError(error.rule) from None

    async def _ask_once(self, url: str, headers: Mapping[str, str], most: int, whole: bool) -> _Answer:  # noqa: FBT001
        host = urlsplit(url).hostname or ""
        async with self.hosts.turn(host):
            try:
                async with asyncio.timeout(self._limits.page):
                    answer = await self._get(url, headers, most, whole=whole)
            except PrivateAddressError:
                raise _EndError("private") from None
            except TimeoutError:
                raise _EndError("too-slow") from None
            except (httpx.TransportError, httpx.InvalidURL, httpx.DecodingError):
                raise _AgainError("no-answer") from None
        if answer.status in BUSY and (wait := _retry_after(answer.headers, self._today)) is not None:
            self.hosts.rest(host, min(wait, self._limits.longest_wait))
            if wait > self._limits.longest_wait:
                raise _EndError("busy")
            raise _AgainError("busy", wait)
        if answer.status == HTTPStatus.TOO_MANY_REQUESTS:
            raise _AgainError("busy")
        if answer.status in TROUBLE:
            raise _AgainError("no-answer")
        return answer

    async def _get(self, url: str, headers: Mapping[str, str], most: int, *, whole: bool) -> _Answer:
        body = bytearray()
        timeout = httpx.Timeout(self._limits.connect).as_dict()
        request = httpx.Request("GET", url, headers={**self._headers, **headers}, extensions={"timeout": timeout})
        response = await self._transport.handle_async_request(request)
        try:
            kind = response.headers.get("Content-Type", "text/html")
            if response.status_code == HTTPStatus.OK and (HTML.match(kind) or not whole):
                async for chunk in response.aiter_bytes():
                    body += chunk
                    if len(body) > most and whole:
                        raise _EndError("too-large")
                    if len(body) > most:
                        break
        finally:
            await response.aclose()
        return _Answer(response.status_code, response.headers, bytes(body[:most]))


def _seen(asked: str, url: str, answer: _Answer, validators: Validators | None) -> Seen:
    """What an answer that is no redirect means."""
    kind = answer.headers.get("Content-Type", "text/html")
    if answer.status == HTTPStatus.NOT_MODIFIED:
        return Seen(url, unchanged=True) if validators and validators.headers(url) else Seen(url, "no-answer")
    if answer.status in GONE:
        return Seen(url, "gone")
    if answer.status != HTTPStatus.OK:
        return Seen(url, "refused" if answer.status >= HTTPStatus.BAD_REQUEST else "not-a-page")
    if leads_to_front(urlsplit(asked).path, urlsplit(url).path):
        return Seen(url, "front-page")
    if not HTML.match(kind):
        return Seen(url, "not-a-page")
    charset = CHARSET.search(kind)
    found = Validators(url, answer.headers.get("ETag", ""), answer.headers.get("Last-Modified", ""))
    return Seen(url, page=read_page(answer.body, charset[1] if charset else ""), validators=found)


def _target(url: str, location: str) -> str:
    """Where a redirect leads, without the fragment; what cannot be read leads nowhere that may be asked."""
    try:
        return str(httpx.URL(url).join(location.strip()).copy_with(fragment=None)) if location else ""
    except httpx.InvalidURL:
        return ""


def _retry_after(headers: httpx.Headers, today: datetime) -> float | None:
    """The seconds that `Retry-After` asks for, given as such or as a date; None where it is absent or unreadable."""
    value = headers.get("Retry-After", "").strip()
    if value.isdecimal():
        return float(value)
    try:
        return max(0.0, (parsedate_to_datetime(value) - today).total_seconds())
    except (TypeError, ValueError):
        return None


def _pause(state: RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    if isinstance(error, _AgainError) and error.wait is not None:
        return error.wait
    return float(2**state.attempt_number)
