"""Transport of the commands' client: repeats requests that OpenSearch could not serve for a moment, with back-off.

After a lost response only idempotent requests are repeated; after "too many requests" others too, because OpenSearch
did not execute them. Two kinds of requests have their own ways: `_bulk` sends the rejected documents again
(`indexer.release.bulk`), and a change of the index alias reads what it did (`indexer.release.live_alias`). The service
shares the statuses that count as unavailable, but retries once: it has two seconds, and callers that retry.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

from opensearchpy import ConnectionError, ConnectionTimeout, TransportError  # noqa: A004 - that of the client
from opensearchpy.exceptions import SSLError
from opensearchpy.transport import Transport
from tenacity import RetryCallState, Retrying, retry_if_exception, stop_before_delay, wait_exponential, wait_random
from urllib3.exceptions import ConnectTimeoutError, NewConnectionError

from akg.console import stderr
from api.engine.client import TOO_MANY_REQUESTS, UNAVAILABLE_STATUSES
from indexer.release.full_disks import BLOCK_ERROR

DEADLINE_SECONDS = 90.0  # from the first attempt; shorter than the writer lease
PAUSE_SECONDS = 0.5  # before the first retry
MAX_PAUSE_SECONDS = 10.0
# Requests by POST that read, or have the same effect when they are repeated.
REPEATABLE_ACTIONS = frozenset(
    ("_search", "_count", "_mget", "_msearch", "_analyze", "_refresh", "_flush", "_forcemerge", "_delete_by_query")
)
REPEATABLE_WRITES = frozenset(("_settings", "_mapping", "_doc"))  # by PUT: they replace the whole value
CONDITIONS = frozenset(("op_type", "if_seq_no", "version"))  # a write under one of these fails the second time


def is_idempotent(method: str, path: str, params: Mapping[str, Any]) -> bool:
    """Return whether a request has the same effect and the same response when it is repeated."""
    parts = path.strip("/").split("/")
    if method == "POST":
        return parts[-1] in REPEATABLE_ACTIONS
    if method == "PUT":
        is_repository = parts[0] == "_snapshot" and parts[2:] == []
        return is_repository or (bool(REPEATABLE_WRITES.intersection(parts)) and CONDITIONS.isdisjoint(params))
    # The second deletion of anything but an index responds with 404.
    return method in {"GET", "HEAD"} or "ignore_unavailable" in params


def may_repeat(error: BaseException, *, idempotent: bool, bulk: bool) -> bool:
    """Return whether a request that failed like this may be sent again."""
    if not isinstance(error, TransportError) or isinstance(error, SSLError):
        return False
    if isinstance(error, ConnectionTimeout):
        return idempotent
    if isinstance(error, ConnectionError):
        return idempotent or isinstance(error.info, ConnectTimeoutError | NewConnectionError)  # it was not sent
    if error.status_code == TOO_MANY_REQUESTS:
        return error.error != BLOCK_ERROR and not bulk  # full disks: waiting does not help
    return error.status_code in UNAVAILABLE_STATUSES and idempotent


class RetryingTransport(Transport):
    """Transport that sends failed requests again until the deadline, and prints a message when it waits.

    While no node has responded yet, the URL may be wrong: each node is tried once, without a pause.
    """

    def __init__(
        self,
        hosts: Any,  # noqa: ANN401 - as the superclass
        *args: Any,  # noqa: ANN401
        deadline_seconds: float = DEADLINE_SECONDS,
        pause_seconds: float = PAUSE_SECONDS,
        **kwargs: Any,  # noqa: ANN401
    ) -> None:
        super().__init__(hosts, *args, **{**kwargs, "max_retries": 0, "retry_on_timeout": True})
        self._deadline_seconds = deadline_seconds
        self._over = stop_before_delay(deadline_seconds)
        self._pause = wait_exponential(multiplier=pause_seconds, max=MAX_PAUSE_SECONDS) + wait_random(0, pause_seconds)
        self._has_responded = False

    def perform_request(
        self,
        method: str,
        url: str,
        params: Mapping[str, Any] | None = None,
        *args: Any,  # noqa: ANN401 - passed on
        **kwargs: Any,  # noqa: ANN401
    ) -> Any:  # noqa: ANN401 - whatever JSON holds
        """Send a request, again if OpenSearch is unavailable and that is safe."""
        bulk = url.endswith("_bulk")
        # Bulk requests name the id of each document: sent twice, they index the same.
        idempotent = bulk or is_idempotent(method, url, params or {})
        retrying = Retrying(
            stop=self._stops,
            wait=self._wait,
            retry=retry_if_exception(partial(may_repeat, idempotent=idempotent, bulk=bulk)),
            before_sleep=self._print_wait,
            reraise=True,
        )
        return retrying(self._send, method, url, params, *args, **kwargs)

    def _send(self, method: str, url: str, params: Mapping[str, Any] | None, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - passed on
        try:
            # A copy, because the superclass removes its options from the parameters.
            response = super().perform_request(method, url, dict(params or {}), *args, **kwargs)
        except TransportError as error:
            self._has_responded = self._has_responded or not isinstance(error, ConnectionError)
            raise
        self._has_responded = True
        return response

    def _stops(self, state: RetryCallState) -> bool:
        if self._has_responded:
            return self._over(state)
        return state.attempt_number >= len(self.hosts)

    def _wait(self, state: RetryCallState) -> float:
        return self._pause(state) if self._has_responded else 0.0

    def _print_wait(self, state: RetryCallState) -> None:
        if not self._has_responded or state.attempt_number > 1 or state.outcome is None:
            return
        error = state.outcome.exception()
        seconds = round(self._deadline_seconds - (state.seconds_since_start or 0.0))
        cause = (
            "does not respond"
            if isinstance(error, ConnectionError)
            else f"is busy ({getattr(error, 'status_code', '')})"
        )
        stderr.print(f"OpenSearch {cause}; trying again for {seconds} s.", style="yellow", markup=False)
