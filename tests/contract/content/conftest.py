"""Fixtures of the contract tests: the shipped content and its graph instead of the test world."""

import pytest

from api.graph.listings import Listings
from indexer.content.loader import load_content
from indexer.content.rows import Content
from indexer.documents.builder import build_documents
from indexer.graph.build import build_graph
from indexer.graph.model import Graph
from schema.vocabulary import Vocabulary
from tests.support.listings import listings_of
from tests.support.project import CONTENT
from tests.support.written_documents import Written


@pytest.fixture(scope="session")
def content(vocabulary: Vocabulary) -> Content:
    return load_content(CONTENT, vocabulary)


@pytest.fixture(scope="session")
def graph(content: Content, vocabulary: Vocabulary) -> Graph:
    return build_graph(content, vocabulary)


@pytest.fixture(scope="session")
def written(graph: Graph, vocabulary: Vocabulary) -> Written:
    return dict(build_documents(graph, vocabulary))


@pytest.fixture(scope="session")
def listings(written: Written) -> Listings:
    """What the service reads of all conditions, needs and solutions."""
    return listings_of(written.values())
