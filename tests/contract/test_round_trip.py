"""The shipped content, exported and read again, is the same release to the byte."""

from __future__ import annotations

import gzip
from base64 import b64decode
from typing import TYPE_CHECKING

from indexer.checks import in_tables
from indexer.documents import documents
from indexer.export import export_documents
from indexer.exported import content_tables
from indexer.graph import build_graph
from indexer.sources import content_of, package_of, read
from indexer.vocabulary import read_vocabulary
from tests.contract.project import CONTENT, MAPPINGS

if TYPE_CHECKING:
    from indexer.graph import Graph
    from indexer.vocabulary import Vocabulary


def files_of(graph: Graph, vocabulary: Vocabulary) -> dict[str, bytes]:
    """What `akg export` writes, without the forms that say the same in lines."""
    made = dict(export_documents(graph, vocabulary))
    return {
        file["name"]: gzip.decompress(
            b"".join(
                b64decode(made[f"export/{file['name']}/{number}"]["piece"]) for number in range(len(file["pieces"]))
            )
        )
        for file in made["export"]["files"]
        if not file["name"].endswith(".gz")
    }


def test_the_export_of_the_shipped_content_gives_the_same_release() -> None:
    vocabulary, package = read_vocabulary(MAPPINGS), package_of(CONTENT)
    graph = build_graph(read(CONTENT, vocabulary), vocabulary)
    files = files_of(graph, vocabulary)
    found = content_tables(files, package, vocabulary)
    assert [*found.problems, *in_tables(package, found.tables, vocabulary)] == []
    again = build_graph(content_of(found.tables, graph.version), vocabulary)
    repeated = dict(documents(again, vocabulary))
    for key, body in documents(graph, vocabulary):
        assert repeated.pop(key) == body, key
    assert repeated == {}
