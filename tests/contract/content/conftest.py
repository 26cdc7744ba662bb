"""Fixtures of the contract tests: the shipped content and its graph instead of the test world."""

import pytest

from indexer.content.loader import load_content
from indexer.content.rows import Content
from indexer.graph.build import build_graph
from indexer.graph.model import Graph
from schema.vocabulary import Vocabulary
from tests.support.project import CONTENT


@pytest.fixture(scope="session")
def content(vocabulary: Vocabulary) -> Content:
    return load_content(CONTENT, vocabulary)


@pytest.fixture(scope="session")
def graph(content: Content, vocabulary: Vocabulary) -> Graph:
    return build_graph(content, vocabulary)
