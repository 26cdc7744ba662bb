"""The service's client of OpenSearch: TLS and authentication, JSON, connections to one or several nodes."""

from collections.abc import Sequence
from typing import Any, cast

import orjson
from opensearchpy import AIOHttpConnection, AsyncOpenSearch
from opensearchpy.connection_pool import EmptyConnectionPool
from opensearchpy.exceptions import SerializationError
from opensearchpy.serializer import JSONSerializer

from api.settings import Settings

TOO_MANY_REQUESTS = 429
UNAVAILABLE_STATUSES = frozenset({TOO_MANY_REQUESTS, 502, 503, 504})  # OpenSearch may be able to respond a moment later


class FastSerializer(JSONSerializer):
    """Serializer that uses orjson, which is three times as fast as `json` on entity records."""

    def loads(self, s: str | bytes) -> Any:  # noqa: ANN401 - whatever JSON holds
        """Parse a response body."""
        try:
            return orjson.loads(s)
        except ValueError as error:
            raise SerializationError(str(error)) from error

    def dumps(self, data: Any) -> Any:  # noqa: ANN401 - whatever JSON holds
        """Serialize a request body; those of `_bulk` and `_msearch` are text already."""
        return data if isinstance(data, str | bytes) else orjson.dumps(data).decode()


def authentication(settings: Settings) -> dict[str, Any]:
    """Return the client's options for TLS, a password, a client certificate, or several of these."""
    files = {
        "ca_certs": settings.opensearch_ca_file,
        "client_cert": settings.opensearch_client_cert,
        "client_key": settings.opensearch_client_key,
    }
    options: dict[str, Any] = {name: str(path) for name, path in files.items() if path is not None}
    if settings.opensearch_user:
        options["http_auth"] = (settings.opensearch_user, settings.opensearch_password.get_secret_value())
    return options


def create_client(settings: Settings, urls: Sequence[str], connections: int, seconds: float) -> AsyncOpenSearch:
    """Return a client of the configured cluster; `seconds` limit one request, which the client never retries."""
    return AsyncOpenSearch(
        hosts=list(urls),
        **authentication(settings),
        serializer=FastSerializer(),
        maxsize=connections,
        dead_timeout=1,  # seconds without requests for a node that failed, doubled each time it fails again …
        timeout_cutoff=5,  # … up to five times, to 32 seconds
        max_retries=0,  # the client would retry at once and ignore the deadline; `api.engine.search_engine` retries
        retry_on_timeout=True,  # it does not, but so a timeout marks the node as dead
        timeout=seconds,
    )


async def close_client(client: AsyncOpenSearch) -> None:
    """Close all connections; `client.close` leaves out those to nodes that are marked as dead."""
    for connection in cast("list[AIOHttpConnection]", client.transport.seed_connections):
        await connection.close()
    await client.close()


def has_alternative(client: AsyncOpenSearch) -> bool:
    """Return whether there are several nodes, and one that has not failed since it last responded.

    The live connections of the pool are no evidence: the pool returns a failed node to them when its pause is over,
    and may select it for the very next request.
    """
    nodes, pool = client.transport.hosts, client.transport.connection_pool
    return len(nodes) > 1 and (isinstance(pool, EmptyConnectionPool) or len(pool.dead_count) < len(nodes))
