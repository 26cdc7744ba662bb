"""Fixtures of the contract tests: the shipped content and its graph instead of the test world."""

import pytest

from api.graph.listings import Listings
from indexer.content.rows import Content
from indexer.documents.builder import build_documents
from indexer.graph.model import Graph
from schema.vocabulary import Vocabulary
from tests.support.listings import listings_of
from tests.support.written_documents import Written


@pytest.fixture(scope="session")
def content(shipped_content: Content) -> Content:
    return shipped_content


@pytest.fixture(scope="session")
def graph(shipped_graph: Graph) -> Graph:
    return shipped_graph


@pytest.fixture(scope="session")
def written(graph: Graph, vocabulary: Vocabulary) -> Written:
    return dict(build_documents(graph, vocabulary))


@pytest.fixture(scope="session")
def listings(written: Written) -> Listings:
    """What the service reads of all conditions, needs and solutions."""
    return listings_of(written.values())
