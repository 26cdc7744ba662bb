"""Fixtures of all tests: the small world of `tests/data/world`, the OpenAPI document, and a real OpenSearch.

Every node of a test run lives under one folder. A guard process, in a separate session, holds the other end of a
pipe to pytest: when pytest ends, even by `kill -9`, the pipe closes and the guard stops the nodes that still run.

A fixture imports the service and the node itself, because tests of single modules start in half the time without them.
"""

from __future__ import annotations

import gc
import itertools
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.project import CONTENT, MAPPINGS, ROOT, WORLD

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

    import httpx
    from opensearchpy import OpenSearch

    from indexer.content.datapackage_schema import Package
    from indexer.content.rows import Content
    from indexer.graph.model import Graph
    from schema.vocabulary import Vocabulary
    from tests.support.fixture_graphs import WatchedService
    from tests.support.operator_session import OperatorSession

GUARD = """
import sys
from pathlib import Path
from akg.node import stop
sys.stdin.read()
for root in Path(sys.argv[1]).iterdir():
    stop(root)
"""
_numbers = itertools.count(1)

gc.disable()  # until all tests are collected: imports make objects that stay, and take a fifth longer with it

# The shared node runs for minutes, so the optimizing compiler of the JVM pays off. Other nodes run for seconds and
# would spend half of their start on it.
SHARED_NODE_ENVIRONMENT = dict(os.environ)
os.environ.setdefault("OPENSEARCH_JAVA_OPTS", "-XX:TieredStopAtLevel=1")


def pytest_collection_finish() -> None:
    """Keep what was imported out of garbage collection, which takes a tenth of the time of short tests.

    Hypothesis asks the collector who refers to its random generator, and the collector does not look into frozen
    objects. So Hypothesis makes its generator before them, with an example of no meaning.
    """
    if "hypothesis" in sys.modules:
        import hypothesis

        hypothesis.find(hypothesis.strategies.none(), lambda _: True)
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session")
def guarded_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of all nodes; nodes in it are stopped when the tests end."""
    folder = tmp_path_factory.mktemp("nodes")
    command = [sys.executable, "-c", GUARD, str(folder)]
    with subprocess.Popen(  # noqa: S603  this Python, on a temporary folder
        command, stdin=subprocess.PIPE, cwd=ROOT, start_new_session=True
    ) as guard:
        yield folder
        # Leaving the block closes the pipe and waits for the guard.
    assert guard.returncode == 0


@pytest.fixture(scope="session")
def engine_cache() -> Path:
    """The cache of this user, so that a test run downloads at most once."""
    from akg.node import default_cache

    return default_cache()


@pytest.fixture(scope="session")
def node_url(guarded_folder: Path, engine_cache: Path) -> Iterator[str]:
    """The URL of a node that all tests share; each test creates its own indices."""
    from akg.node import start, stop

    root = guarded_folder / "shared"
    yield start(root, cache=engine_cache, http_port=0, environ=SHARED_NODE_ENVIRONMENT).url
    stop(root)


@pytest.fixture
def node_root(guarded_folder: Path) -> Iterator[Path]:
    """The folder of a node for a single test. Its name has a space, as the folders of users may."""
    from akg.node import stop

    root = guarded_folder / f"node {next(_numbers)}"
    yield root
    stop(root)


@pytest.fixture(scope="session")
def client(node_url: str) -> Iterator[OpenSearch]:
    """A client of the shared node, to inspect its indices."""
    from opensearchpy import OpenSearch

    with OpenSearch(hosts=[node_url], timeout=60) as opened:
        yield opened


@pytest.fixture(scope="session")
async def service(node_url: str, client: OpenSearch) -> AsyncIterator[httpx.AsyncClient]:
    from tests.support.fixture_graphs import publish, serving

    publish(client, "akg-world", WORLD)
    async with serving(node_url, "akg-world") as opened:
        yield opened


@pytest.fixture(scope="module")
async def watched(node_url: str, client: OpenSearch) -> AsyncIterator[WatchedService]:
    """A service over a separate test world, whose requests to OpenSearch are counted."""
    from tests.support.fixture_graphs import WatchedService, counting_proxy, publish, serving

    publish(client, "akg-watched", WORLD)
    async with counting_proxy(node_url) as (address, calls), serving(address, "akg-watched") as opened:
        yield WatchedService(opened, calls)
    client.indices.delete(index="akg-watched-*")


@pytest.fixture(scope="session")
def address(node_url: str, service: httpx.AsyncClient) -> Iterator[str]:
    """The URL of a service on a port, over the world that `service` has published."""
    from tests.support.fixture_graphs import listening

    assert service
    with listening(node_url, "akg-world") as base:
        yield base


@pytest.fixture(scope="module")
def operator(tmp_path_factory: pytest.TempPathFactory, client: OpenSearch, node_url: str) -> Iterator[OperatorSession]:
    """An operator session on one release of the fixture graph, with a separate alias."""
    from tests.support.operator_session import open_session

    yield open_session(tmp_path_factory.mktemp("operator"), client, node_url, "akg-operator")
    client.indices.delete(index="akg-operator-*")


@pytest.fixture(scope="session")
async def real_service(node_url: str, client: OpenSearch, shipped_content: Content) -> AsyncIterator[httpx.AsyncClient]:
    from tests.support.fixture_graphs import plan_of_content, publish_plan, serving

    publish_plan(client, "akg-real", plan_of_content(shipped_content))
    async with serving(node_url, "akg-real") as opened:
        yield opened


__all__ = ["address", "client", "engine_cache", "guarded_folder", "node_root", "node_url", "real_service", "service"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test that uses a node."""
    for item in items:
        if "engine_cache" in getattr(item, "fixturenames", ()):
            item.add_marker("engine")


@pytest.fixture(scope="session")
def mappings() -> Path:
    return MAPPINGS


@pytest.fixture(scope="session")
def vocabulary(mappings: Path) -> Vocabulary:
    from schema.vocabulary import read_vocabulary

    return read_vocabulary(mappings)


@pytest.fixture(scope="session")
def package() -> Package:
    from indexer.content.loader import read_package

    return read_package(WORLD)


@pytest.fixture(scope="session")
def content(vocabulary: Vocabulary) -> Content:
    from indexer.content.loader import load_content

    return load_content(WORLD, vocabulary)


@pytest.fixture(scope="session")
def graph(content: Content, vocabulary: Vocabulary) -> Graph:
    from indexer.graph.build import build_graph

    return build_graph(content, vocabulary)


@pytest.fixture(scope="session")
def shipped_content(vocabulary: Vocabulary) -> Content:
    from indexer.content.loader import load_content

    return load_content(CONTENT, vocabulary)


@pytest.fixture(scope="session")
def shipped_graph(shipped_content: Content, vocabulary: Vocabulary) -> Graph:
    from indexer.graph.build import build_graph

    return build_graph(shipped_content, vocabulary)


@pytest.fixture(scope="session")
def written(graph: Graph, vocabulary: Vocabulary) -> dict[str, dict[str, Any]]:
    from indexer.documents.builder import build_documents

    return dict(build_documents(graph, vocabulary))


@pytest.fixture(scope="session")
def files(graph: Graph, vocabulary: Vocabulary) -> dict[str, bytes]:
    """The files of an export of the test world, without compression."""
    from tests.support.exported_files import unpacked_files

    return unpacked_files(graph, vocabulary)


@pytest.fixture(scope="session")
async def document() -> dict[str, Any]:
    from api.app import create_app
    from api.settings import Settings
    from tests.support.asgi_clients import client_of

    async with client_of(create_app(Settings())) as opened:
        response = await opened.get("/openapi.json")
    assert response.headers["content-type"] == "application/json"
    return dict(response.json())
