"""Requests of the commands that are sent again, and those that are not."""

from collections.abc import Sequence
from typing import Any

import pytest
from opensearchpy import ConnectionError, ConnectionTimeout, OpenSearch, TransportError  # noqa: A004 - of the client
from opensearchpy.connection import Connection
from opensearchpy.exceptions import NotFoundError, RequestError, SSLError
from urllib3.exceptions import NewConnectionError

from akg.retrying import RetryingTransport, is_idempotent, may_repeat

BUSY = TransportError(429, "circuit_breaking_exception", {})
LOST = ConnectionError("N/A", "closed", OSError())
UNSENT = ConnectionError("N/A", "refused", NewConnectionError(None, "refused"))  # type: ignore[arg-type]  # no pool
DISK_FULL = TransportError(429, "cluster_block_exception", {})


class Scripted(Connection):
    """Connection that raises the errors of a script in order, then responds; counts the requests."""

    script: Sequence[Exception] = ()
    requests = 0

    def perform_request(self, *_: object, **__: object) -> tuple[int, dict[str, str], str]:  # noqa: D102 - overrides
        number = Scripted.requests
        Scripted.requests += 1
        if number < len(Scripted.script):
            raise Scripted.script[number]
        return 200, {"content-type": "application/json"}, '{"acknowledged": true, "count": 7}'


def client_after(*script: Exception, nodes: int = 1, deadline_seconds: float = 60) -> OpenSearch:
    Scripted.script, Scripted.requests = script, 0
    return OpenSearch(
        [f"http://node-{number}" for number in range(nodes)],
        connection_class=Scripted,
        transport_class=RetryingTransport,
        deadline_seconds=deadline_seconds,
        pause_seconds=0.001,
    )


@pytest.mark.parametrize(
    ("method", "path", "params", "expected"),
    [
        ("GET", "/_cluster/health", {}, True),
        ("HEAD", "/x/_doc/1", {}, True),
        ("POST", "/x/_search", {}, True),
        ("POST", "/_search/scroll", {}, False),
        ("POST", "/x/_refresh", {}, True),
        ("POST", "/_aliases", {}, False),
        ("POST", "/x/_doc", {}, False),
        ("PUT", "/x/_clone/y", {}, False),
        ("PUT", "/x", {}, False),
        ("PUT", "/x/_settings", {}, True),
        ("PUT", "/x/_mapping", {}, True),
        ("PUT", "/x/_doc/1", {}, True),
        ("PUT", "/x/_doc/1", {"op_type": "create"}, False),
        ("PUT", "/x/_doc/1", {"if_seq_no": 4}, False),
        ("PUT", "/_snapshot/akg", {}, True),
        ("PUT", "/_snapshot/akg/one", {}, False),
        ("DELETE", "/x", {"ignore_unavailable": "true"}, True),
        ("DELETE", "/x/_doc/1", {}, False),
    ],
)
def test_idempotent_requests(method: str, path: str, params: dict[str, Any], expected: bool) -> None:  # noqa: FBT001 - of the table
    assert is_idempotent(method, path, params) is expected


@pytest.mark.parametrize(
    ("error", "if_idempotent", "otherwise"),
    [
        (BUSY, True, True),
        (DISK_FULL, False, False),
        (TransportError(502, "", {}), True, False),
        (TransportError(503, "", {}), True, False),
        (TransportError(504, "", {}), True, False),
        (TransportError(500, "", {}), False, False),
        (LOST, True, False),
        (ConnectionTimeout("TIMEOUT", "", OSError()), True, False),
        (UNSENT, True, True),
        (SSLError("N/A", "", OSError()), False, False),
        (NotFoundError(404, "", {}), False, False),
        (RequestError(400, "", {}), False, False),
        (TransportError(409, "", {}), False, False),
        (TransportError(403, "cluster_block_exception", {}), False, False),
    ],
)
def test_errors_after_which_a_request_is_repeated(error: Exception, *, if_idempotent: bool, otherwise: bool) -> None:
    assert may_repeat(error, idempotent=True, bulk=False) is if_idempotent
    assert may_repeat(error, idempotent=False, bulk=False) is otherwise


def test_a_read_succeeds_after_errors_and_says_that_it_waits(capsys: pytest.CaptureFixture[str]) -> None:
    assert client_after(BUSY, LOST, TransportError(503, "", {})).count(index="x")["count"] == 7
    assert Scripted.requests == 4
    assert capsys.readouterr().err == "OpenSearch is busy (429); trying again for 60 s.\n"


def test_a_lost_response_to_a_move_of_the_alias_is_raised() -> None:
    client = client_after(LOST)
    with pytest.raises(ConnectionError):
        client.indices.update_aliases(body={"actions": []})
    assert Scripted.requests == 1


def test_a_bulk_request_raises_429_for_its_own_retries() -> None:
    client = client_after(TransportError(503, "", {}), BUSY)
    with pytest.raises(TransportError, match="429"):
        client.bulk(index="x", body='{"index":{"_id":"1"}}\n{}\n')
    assert Scripted.requests == 2


def test_raises_the_last_error_at_the_deadline() -> None:
    client = client_after(*[BUSY] * 10_000, deadline_seconds=0.1)
    with pytest.raises(TransportError, match="429"):
        client.count(index="x")
    assert 1 < Scripted.requests < 10_000


def test_tries_each_node_once_while_none_has_responded() -> None:
    client = client_after(*[UNSENT] * 10, nodes=3)
    with pytest.raises(ConnectionError):
        client.info()
    assert Scripted.requests == 3
    assert client_after(UNSENT, nodes=2).info()["acknowledged"] is True


def test_keeps_the_parameters_of_a_repeated_request() -> None:
    client = client_after(BUSY)
    params = {"request_timeout": 5, "ignore": 408}
    assert client.cluster.health(params=params)["count"] == 7
