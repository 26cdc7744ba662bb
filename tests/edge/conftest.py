"""Fixtures of the edge: one in front of a service over the small fixture graph."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.support.edge import Edge, edge
from tests.support.fixture_graphs import listening


@pytest.fixture(scope="session")
def direct(node_url: str, service: httpx.AsyncClient) -> Iterator[str]:
    """Start a service that trusts one proxy and has no limit, and return its URL."""
    assert service  # publishes the fixture graph
    with listening(node_url, "akg-world", usage_months=0, rate_limit=0, trusted_proxies=1, deadline_seconds=20) as url:
        yield url


@pytest.fixture(scope="session")
def front(direct: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Edge]:
    """Start an edge in front of that service, without a limit."""
    with edge(direct, tmp_path_factory.mktemp("edge")) as found:
        yield found


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """Return the folder of the output of edges that a test starts."""
    return tmp_path
