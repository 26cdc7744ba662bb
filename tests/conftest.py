"""The small content world of `tests/data/world`, read once, and the engine that tests share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from indexer.content.loader import load_content, read_package
from indexer.documents.builder import build_documents
from indexer.graph.build import build_graph
from schema.vocabulary import read_vocabulary
from tests.support.engine_fixtures import (
    address,
    client,
    engine_cache,
    guarded_folder,
    node_root,
    node_url,
    real_service,
    service,
)

if TYPE_CHECKING:
    from indexer.content.datapackage_schema import Package
    from indexer.content.rows import Content
    from indexer.graph.model import Graph
    from schema.vocabulary import Vocabulary

__all__ = ["address", "client", "engine_cache", "guarded_folder", "node_root", "node_url", "real_service", "service"]

ROOT = Path(__file__).parents[1]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test that uses a node."""
    for item in items:
        if "engine_cache" in getattr(item, "fixturenames", ()):
            item.add_marker("engine")


@pytest.fixture(scope="session")
def mappings() -> Path:
    return ROOT / "mappings"


@pytest.fixture(scope="session")
def vocabulary(mappings: Path) -> Vocabulary:
    return read_vocabulary(mappings)


@pytest.fixture(scope="session")
def package() -> Package:
    """What the data package of the world says of its tables."""
    return read_package(ROOT / "tests" / "data" / "world")


@pytest.fixture(scope="session")
def content(vocabulary: Vocabulary) -> Content:
    return load_content(ROOT / "tests" / "data" / "world", vocabulary)


@pytest.fixture(scope="session")
def graph(content: Content, vocabulary: Vocabulary) -> Graph:
    return build_graph(content, vocabulary)


@pytest.fixture(scope="session")
def written(graph: Graph, vocabulary: Vocabulary) -> dict[str, dict[str, Any]]:
    """Every document of the world by its `_id`."""
    return dict(build_documents(graph, vocabulary))
