"""The files of an export, assembled from their documents."""

from __future__ import annotations

import gzip
from base64 import b64decode
from typing import TYPE_CHECKING

from indexer.export.documents import export_documents

if TYPE_CHECKING:
    from indexer.graph.model import Graph
    from schema.vocabulary import Vocabulary


def exported_files(graph: Graph, vocabulary: Vocabulary) -> dict[str, bytes]:
    bodies = dict(export_documents(graph, vocabulary))
    files = {}
    for file in bodies["export"]["files"]:
        chunks = (bodies[f"export/{file['name']}/{number}"]["piece"] for number in range(len(file["pieces"])))
        data = b"".join(map(b64decode, chunks))
        files[file["name"]] = data if file["name"].endswith(".gz") else gzip.decompress(data)
    return files
