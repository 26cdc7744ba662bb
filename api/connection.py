"""How the service reaches OpenSearch: one form of client for all that asks it, and which node is asked next."""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING, Any

import orjson
from opensearchpy import AsyncOpenSearch, ConnectionPool
from opensearchpy.exceptions import SerializationError
from opensearchpy.serializer import JSONSerializer

from api.direct import DirectConnection
from api.turns import Turns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from opensearchpy import Connection

    from api.settings import Settings


class FastSerializer(JSONSerializer):
    """orjson in place of the standard library's json: three times faster on entity records."""

    def loads(self, s: str | bytes) -> Any:  # noqa: ANN401 - whatever JSON holds
        """Parse the engine's answer."""
        try:
            return orjson.loads(s)
        except ValueError as error:
            raise SerializationError(str(error)) from error

    def dumps(self, data: Any) -> Any:  # noqa: ANN401 - whatever JSON holds
        """Write a request body; bulk and msearch bodies arrive as text already."""
        return data if isinstance(data, str | bytes) else orjson.dumps(data).decode()


def access(settings: Settings) -> dict[str, Any]:
    """How a client is let in: whom to trust, and by password, certificate or both, who we are."""
    given = {
        "ca_certs": settings.opensearch_ca_file,
        "client_cert": settings.opensearch_client_cert,
        "client_key": settings.opensearch_client_key,
    }
    found: dict[str, Any] = {name: str(path) for name, path in given.items() if path is not None}
    if settings.opensearch_user:
        found["http_auth"] = (settings.opensearch_user, settings.opensearch_password.get_secret_value())
    return found


class Nodes(ConnectionPool):
    """The nodes of a cluster as the client wants them: which is next, and which failed.

    The client's own leaves one that failed alone for a minute and more, counts that by the time of day, which may be
    set, and does not close its connections at the end.
    """

    def __init__(self, connections: Sequence[tuple[Connection, Any]], **_: Any) -> None:  # noqa: ANN401 - what the client passes on
        self.connection_opts = connections
        self.connections = [connection for connection, _ in connections]
        # not all services begin with the same node
        self.turns = Turns(len(connections), random.randrange(len(connections)))  # noqa: S311 - keeps no secret

    def get_connection(self) -> Connection:
        """The node to ask."""
        found: Connection = self.connections[self.turns.next(time.monotonic())]
        return found

    def mark_dead(self, connection: Connection, now: float | None = None) -> None:
        """It did not answer."""
        self.turns.failed(self.connections.index(connection), time.monotonic() if now is None else now)

    def mark_live(self, connection: Connection) -> None:
        """It did."""
        self.turns.answered(self.connections.index(connection))


def others(client: AsyncOpenSearch) -> bool:
    """Whether there is more than one node, and one that has not failed lately."""
    pool = client.transport.connection_pool
    if isinstance(pool, Nodes):
        return pool.turns.well > 0
    return len(client.transport.hosts) > 1  # the client makes its pool at the first call


def opened(settings: Settings, urls: Sequence[str], connections: int, seconds: float) -> AsyncOpenSearch:
    """A client of the configured cluster; `seconds` bound one request, which is never tried again by itself."""
    return AsyncOpenSearch(
        hosts=list(urls),
        **access(settings),
        serializer=FastSerializer(),
        connection_class=DirectConnection,
        connection_pool_class=Nodes,
        maxsize=connections,
        max_retries=0,  # the client retries at once and without end to the deadline; ours is in `api.engine`
        retry_on_timeout=True,  # it does not, but a node that keeps silent counts as one that failed
        timeout=seconds,
    )
