"""The downloadable files of a release as index documents, enough to build the release again.

They are published, rolled back and deleted with the release (docs/decisions/0011 says why).

* `export/<file>/<number>`: a chunk of a file (`schema.gzip_chunks`)
* `export`: the list of files with their digests and the sizes of their chunks
"""

from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING

import orjson

from indexer.export.datapackage import PACKAGE, TITLE, package_json
from indexer.export.tables import CSV, export_tables
from schema.codec import Packer
from schema.document_ids import EXPORT, chunk_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from indexer.graph.model import Graph
    from schema.json_types import JsonObject
    from schema.vocabulary import Vocabulary

JSON = "application/json"
JSON_OPTIONS = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE


def export_documents(graph: Graph, vocabulary: Vocabulary) -> Iterator[tuple[str, JsonObject]]:
    """Yield the chunks of all tables, those of the package, then the list of files, as (`_id`, body)."""
    tables = export_tables(graph, vocabulary)
    files: list[JsonObject] = []
    digests = {}
    for table in tables:
        packer = Packer()
        yield from _chunks(table.file, packer, table.chunks())
        digests[table.file] = packer.plain if table.media_type == CSV else packer.packed
        files.append(_file_json(table.file, table.media_type, table.title, len(table.rows), packer))
    packer = Packer()
    package = orjson.dumps(package_json(graph, tables, digests), option=JSON_OPTIONS)
    yield from _chunks(PACKAGE, packer, [package])
    yield EXPORT, {"doc": EXPORT, "files": [_file_json(PACKAGE, JSON, TITLE, None, packer), *files]}


def count_export_documents(graph: Graph, vocabulary: Vocabulary) -> int:
    """Return how many documents `export_documents` yields."""
    return sum(table.chunk_count for table in export_tables(graph, vocabulary)) + 2


def _chunks(file: str, packer: Packer, parts: Iterable[bytes]) -> Iterator[tuple[str, JsonObject]]:
    for number, chunk in enumerate(packer.pieces(parts)):
        yield chunk_id(file, number), {"doc": EXPORT, "piece": b64encode(chunk).decode()}


def _file_json(file: str, media_type: str, title: str, rows: int | None, packer: Packer) -> JsonObject:
    (size, sha256), (packed_size, packed_sha256) = packer.plain, packer.packed
    return {
        "name": file,
        "media_type": media_type,
        "title": title,
        "rows": rows,
        "plain": {"bytes": size, "sha256": sha256},
        "packed": {"bytes": packed_size, "sha256": packed_sha256},
        "pieces": packer.sizes,
    }
