"""The files of an export, assembled from their documents."""

import csv
import gzip
import io
from base64 import b64decode

from indexer.content.csv_table import csv_bytes
from indexer.export.documents import export_documents
from indexer.graph.model import Graph
from schema.vocabulary import Vocabulary


def exported_files(graph: Graph, vocabulary: Vocabulary) -> dict[str, bytes]:
    bodies = dict(export_documents(graph, vocabulary))
    files = {}
    for file in bodies["export"]["files"]:
        chunks = (bodies[f"export/{file['name']}/{number}"]["chunk"] for number in range(len(file["chunk_sizes"])))
        data = b"".join(map(b64decode, chunks))
        files[file["name"]] = data if file["name"].endswith(".gz") else gzip.decompress(data)
    return files


def unpacked_files(graph: Graph, vocabulary: Vocabulary) -> dict[str, bytes]:
    """Return the files of an export without compression, and without `.gz` at the end of their names."""
    return {
        name.removesuffix(".gz"): gzip.decompress(data) if name.endswith(".gz") else data
        for name, data in exported_files(graph, vocabulary).items()
    }


def csv_rows(files: dict[str, bytes], name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(files[name].decode(), newline="")))


def without_columns(files: dict[str, bytes], name: str, *omitted: str) -> bytes:
    """Return a table without some of its columns, as older exports have it."""
    rows = [{column: cell for column, cell in row.items() if column not in omitted} for row in csv_rows(files, name)]
    return csv_bytes([list(rows[0]), *(list(row.values()) for row in rows)])
