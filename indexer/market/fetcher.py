"""Fetches one page: robots.txt, redirects, timeouts, retries, size limits. The result is a page or a rule."""

import asyncio
import re
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from urllib.parse import urlsplit

import httpx
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, stop_after_attempt

from indexer.market.body import Body, EncodingError, read_body
from indexer.market.host_throttle import Clock, HostThrottle
from indexer.market.page import Page
from indexer.market.page_reader import PageReader, PageReadError
from indexer.market.page_worker import AGENT
from indexer.market.public_transport import PrivateAddressError, is_allowed_url
from indexer.market.rules import redirects_to_front_page

MAX_ROBOTS_BYTES = 512_000  # RFC 9309 requires at least 500 KiB
MAX_ROBOTS_FILES = 100  # kept at a time, at least one for each host that is visited
MAX_VALIDATOR_LENGTH = 500  # characters
REDIRECT_STATUSES = {301, 302, 303, 307, 308}
GONE_STATUSES = {404, 410}
BUSY_STATUSES = {429, 503}
NO_RESPONSE_RULES = {"no-answer", "too-slow"}
RETRY_STATUSES = {408, 425, 500, 502, 503, 504}
HTML = re.compile(r"text/html|application/xhtml\+xml", re.IGNORECASE)
CHARSET = re.compile(r"charset=[\"']?([\w-]+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a visit. `max_wait_seconds` limits the pause that a site may request."""

    pause_seconds: float = 2.0
    connect_seconds: float = 10.0
    page_seconds: float = 30.0
    parse_seconds: int = 10
    max_bytes: int = 3_000_000
    max_redirects: int = 5
    max_attempts: int = 3
    max_wait_seconds: float = 120.0


@dataclass(frozen=True, slots=True)
class Validators:
    """ETag and Last-Modified of a URL, for a conditional request."""

    url: str
    etag: str = ""
    modified: str = ""

    def headers(self, url: str) -> dict[str, str]:
        """Return the conditional headers for a request to `url`."""
        if url != self.url:
            return {}
        conditions = {"If-None-Match": self.etag, "If-Modified-Since": self.modified}
        return {name: value for name, value in conditions.items() if value}


@dataclass(frozen=True, slots=True)
class VisitResult:
    """A page to judge, or `unchanged`, or the rule that applies without a page."""

    evidence: str
    rule: str = ""
    page: Page | None = None
    unchanged: bool = False
    validators: Validators | None = None


@dataclass(frozen=True, slots=True)
class _Response:
    status: int
    headers: httpx.Headers
    body: Body


class _StopVisitError(Exception):
    """Ends the visit with this rule."""

    def __init__(self, rule: str) -> None:
        super().__init__(rule)
        self.rule = rule


class _RetryVisitError(_StopVisitError):
    """Retries the request after `wait` seconds; the last attempt ends the visit."""

    def __init__(self, rule: str, wait: float | None = None) -> None:
        super().__init__(rule)
        self.wait = wait


class PageFetcher:
    """Visits pages through one transport. `contact` is for site owners and part of the user agent; `now` is in UTC."""

    def __init__(
        self,
        transport: httpx.AsyncBaseTransport,
        reader: PageReader,
        clock: Clock,
        now: datetime,
        limits: Limits,
        contact: str = "",
    ) -> None:
        self.throttle = HostThrottle(clock, limits.pause_seconds)
        self._clock, self._now, self._limits = clock, now, limits
        self._reader = reader
        self._robots: OrderedDict[str, asyncio.Task[bytes | str]] = OrderedDict()
        # The transport is used without an httpx client, which would handle cookies, proxies and redirects by itself.
        self._transport = transport
        self._headers = {
            "User-Agent": f"{AGENT}/0.1 ({contact})" if contact else f"{AGENT}/0.1",
            "Accept": "text/html,application/xhtml+xml",
            "Accept-Encoding": "gzip",
        }

    async def close(self) -> None:
        """Close all connections and the reader."""
        for task in self._robots.values():
            task.cancel()
        await self._reader.close()
        await self._transport.aclose()

    async def visit(self, url: str, validators: Validators | None = None) -> VisitResult:
        """Fetch a page and follow its redirects; every expected failure becomes a rule."""
        requested, visited = url, [url]
        while True:
            if not is_allowed_url(url):
                return VisitResult(visited[-2] if url != requested else requested, "address")
            host = urlsplit(url).hostname or ""
            if self.throttle.is_unresponsive(host):
                return VisitResult(url, "no-answer")
            try:
                await self._check_robots(url)
                headers = validators.headers(url) if validators else {}
                response = await self._get_with_retries(url, headers, self._limits.max_bytes)
            except _StopVisitError as stop:
                self.throttle.record_result(host, responded=stop.rule not in NO_RESPONSE_RULES)
                # Evidence is public: a private address is replaced by the public one that redirected to it.
                return VisitResult(visited[-2] if stop.rule == "private" and len(visited) > 1 else url, stop.rule)
            self.throttle.record_result(host, responded=True)
            if response.status not in REDIRECT_STATUSES:
                return await self._result(requested, url, response, validators)
            url = _redirect_target(url, response.headers.get("Location", ""))
            if url in visited or len(visited) > self._limits.max_redirects:
                return VisitResult(visited[-1], "redirects")
            visited.append(url)

    async def _check_robots(self, url: str) -> None:
        parts = urlsplit(url)
        origin = f"{parts.scheme}://{parts.netloc}"
        if origin not in self._robots:
            self._robots[origin] = asyncio.create_task(self._read_robots(f"{origin}/robots.txt"))
        self._robots.move_to_end(origin)
        while len(self._robots) > MAX_ROBOTS_FILES and next(iter(self._robots.values())).done():
            self._robots.popitem(last=False)
        text = await asyncio.shield(self._robots[origin])
        if isinstance(text, str):
            raise _StopVisitError(text)
        try:
            rules = await self._reader.read_robots(text, url)
        except PageReadError:
            raise _StopVisitError("robots") from None
        if rules.delay_seconds > self._limits.max_wait_seconds or not rules.is_allowed:
            raise _StopVisitError("robots")
        self.throttle.set_pause(parts.hostname or "", rules.delay_seconds)

    async def _read_robots(self, url: str) -> bytes | str:
        """Return the robots.txt of a site, which is empty if it has none, or the market rule if unavailable.

        RFC 9309 lets it redirect to other hosts. They are requested as any other: throttled, and never a private one.
        """
        for _ in range(1 + self._limits.max_redirects):
            if not is_allowed_url(url):
                return "robots"
            try:
                response = await self._get_with_retries(url, {}, MAX_ROBOTS_BYTES, any_type=True)
            except _StopVisitError as stop:
                return "robots" if stop.rule == "not-a-page" else stop.rule
            if response.status in REDIRECT_STATUSES:
                url = _redirect_target(url, response.headers.get("Location", ""))
                continue
            if response.status == HTTPStatus.OK:
                return response.body.content
            # RFC 9309: a site without the file (4xx) may be visited, one that fails to serve it (5xx) may not.
            is_missing = HTTPStatus.BAD_REQUEST <= response.status < HTTPStatus.INTERNAL_SERVER_ERROR
            return b"" if is_missing else "no-answer"
        return "robots"

    async def _get_with_retries(
        self, url: str, headers: Mapping[str, str], max_bytes: int, *, any_type: bool = False
    ) -> _Response:
        """Send one GET with retries. `any_type`: read the body even if it is not HTML."""
        retrying = AsyncRetrying(
            stop=stop_after_attempt(self._limits.max_attempts),
            retry=retry_if_exception_type(_RetryVisitError),
            wait=_wait_seconds,
            sleep=self._clock.sleep,
            reraise=True,
        )
        return await retrying(self._get_once, url, headers, max_bytes, any_type=any_type)

    async def _get_once(self, url: str, headers: Mapping[str, str], max_bytes: int, *, any_type: bool) -> _Response:
        host = urlsplit(url).hostname or ""
        async with self.throttle.request_slot(host):
            try:
                async with asyncio.timeout(self._limits.page_seconds):
                    response = await self._get(url, headers, max_bytes, any_type=any_type)
            except PrivateAddressError:
                raise _StopVisitError("private") from None
            except TimeoutError:
                raise _StopVisitError("too-slow") from None
            except (httpx.TransportError, httpx.InvalidURL, httpx.DecodingError):
                raise _RetryVisitError("no-answer") from None
        if response.status in BUSY_STATUSES and (wait := _retry_after(response.headers, self._now)) is not None:
            self.throttle.block(host, min(wait, self._limits.max_wait_seconds))
            if wait > self._limits.max_wait_seconds:
                raise _StopVisitError("busy")
            raise _RetryVisitError("busy", wait)
        if response.status == HTTPStatus.TOO_MANY_REQUESTS:
            raise _RetryVisitError("busy")
        if response.status in RETRY_STATUSES:
            raise _RetryVisitError("no-answer")
        return response

    async def _get(self, url: str, headers: Mapping[str, str], max_bytes: int, *, any_type: bool) -> _Response:
        timeout = httpx.Timeout(self._limits.connect_seconds).as_dict()
        request = httpx.Request("GET", url, headers={**self._headers, **headers}, extensions={"timeout": timeout})
        response = await self._transport.handle_async_request(request)
        body = Body(b"")
        try:
            content_type = response.headers.get("Content-Type", "text/html")
            if response.status_code == HTTPStatus.OK and (HTML.match(content_type) or any_type):
                body = await read_body(response, max_bytes)
        except EncodingError:
            raise _StopVisitError("not-a-page") from None
        finally:
            await response.aclose()
        return _Response(response.status_code, response.headers, body)

    async def _result(
        self, requested: str, url: str, response: _Response, validators: Validators | None
    ) -> VisitResult:
        if response.status == HTTPStatus.NOT_MODIFIED and validators and validators.headers(url):
            return VisitResult(url, unchanged=True)
        if rule := _rule_without_page(requested, url, response):
            return VisitResult(url, rule)
        charset = CHARSET.search(response.headers.get("Content-Type", ""))
        try:
            page = await self._reader.read_page(response.body.content, charset[1] if charset else "")
        except PageReadError as error:
            return VisitResult(url, "too-slow" if error.is_slow else "too-large")
        return VisitResult(url, page=page, validators=_validators(url, response.headers))


def _rule_without_page(requested: str, url: str, response: _Response) -> str:
    """Return the rule of a response that is not a page to read, else an empty string."""
    if response.status == HTTPStatus.NOT_MODIFIED:
        return "no-answer"
    if response.status in GONE_STATUSES:
        return "gone"
    if response.status != HTTPStatus.OK:
        return "refused" if response.status >= HTTPStatus.BAD_REQUEST else "not-a-page"
    if redirects_to_front_page(urlsplit(requested).path, urlsplit(url).path):
        return "front-page"
    if not HTML.match(response.headers.get("Content-Type", "text/html")):
        return "not-a-page"
    return "" if response.body.is_complete else "too-large"


def _validators(url: str, headers: httpx.Headers) -> Validators:
    """Return the validators of a page, without those that cannot be sent back."""
    values = (headers.get(name, "") for name in ("ETag", "Last-Modified"))
    return Validators(url, *(v if v.isascii() and len(v) <= MAX_VALIDATOR_LENGTH else "" for v in values))


def _redirect_target(url: str, location: str) -> str:
    """Return the target of a redirect without its fragment, or an empty string if it is invalid."""
    try:
        return str(httpx.URL(url).join(location.strip()).copy_with(fragment=None)) if location else ""
    except (httpx.InvalidURL, ValueError):
        return ""


def _retry_after(headers: httpx.Headers, now: datetime) -> float | None:
    """Return `Retry-After` in seconds, from a number or a date; None if it is absent or invalid."""
    value = headers.get("Retry-After", "").strip()
    if value.isdecimal():
        return float(value)
    try:
        return max(0.0, (parsedate_to_datetime(value) - now).total_seconds())
    except (TypeError, ValueError, OverflowError):
        return None


def _wait_seconds(state: RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    if isinstance(error, _RetryVisitError) and error.wait is not None:
        return error.wait
    return float(2**state.attempt_number)
