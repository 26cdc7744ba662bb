"""The small content world of `tests/data/world`, read once: as rows, as a graph, as documents."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from indexer.documents import documents
from indexer.graph import build_graph
from indexer.sources import package_of, read
from indexer.vocabulary import read_vocabulary

if TYPE_CHECKING:
    from indexer.graph import Graph
    from indexer.rows import Content
    from indexer.schema import Package
    from indexer.vocabulary import Vocabulary

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def mappings() -> Path:
    return ROOT / "mappings"


@pytest.fixture(scope="session")
def vocabulary(mappings: Path) -> Vocabulary:
    return read_vocabulary(mappings)


@pytest.fixture(scope="session")
def package() -> Package:
    """What the data package of the world says of its tables."""
    return package_of(ROOT / "tests" / "data" / "world")


@pytest.fixture(scope="session")
def content(vocabulary: Vocabulary) -> Content:
    return read(ROOT / "tests" / "data" / "world", vocabulary)


@pytest.fixture(scope="session")
def graph(content: Content, vocabulary: Vocabulary) -> Graph:
    return build_graph(content, vocabulary)


@pytest.fixture(scope="session")
def written(graph: Graph, vocabulary: Vocabulary) -> dict[str, dict[str, Any]]:
    """Every document of the world by its `_id`."""
    return dict(documents(graph, vocabulary))
