"""A graph becomes the files that callers download, enough to build the release again. Pure.

The files are documents of the release like all others: published, rolled back and deleted with it
(docs/decisions/0011 says why).

* `export/<file>/<number>`: a piece of a file, packed (`indexer.packing`)
* `export`: which files there are, with their sums and the sizes of their pieces
"""

from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING, Any

import orjson

from indexer.datapackage import PACKAGE, TITLE, described
from indexer.export_tables import CSV, export_tables
from indexer.packing import Packer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from indexer.graph import Graph
    from indexer.vocabulary import Vocabulary

Document = dict[str, Any]
LISTING = "export"
JSON = "application/json"
PRINTED = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE


def export_documents(graph: Graph, vocabulary: Vocabulary) -> Iterator[tuple[str, Document]]:
    """All pieces of all tables, then the description of the data, then the listing; (`_id`, body) each."""
    tables = export_tables(graph, vocabulary)
    listing: list[Document] = []
    sums = {}
    for table in tables:
        packer = Packer()
        yield from _pieces(table.file, packer, table.parts())
        sums[table.file] = packer.plain if table.media_type == CSV else packer.packed
        listing.append(_listed(table.file, table.media_type, table.title, len(table.rows), packer))
    packer = Packer()
    package = orjson.dumps(described(graph, tables, sums), option=PRINTED)
    yield from _pieces(PACKAGE, packer, [package])
    yield LISTING, {"doc": "export", "files": [_listed(PACKAGE, JSON, TITLE, None, packer), *listing]}


def count_export_documents(graph: Graph, vocabulary: Vocabulary) -> int:
    """How many documents `export_documents` will yield."""
    return sum(table.pieces for table in export_tables(graph, vocabulary)) + 2


def _pieces(file: str, packer: Packer, parts: Iterable[bytes]) -> Iterator[tuple[str, Document]]:
    for number, piece in enumerate(packer.pieces(parts)):
        yield f"{LISTING}/{file}/{number}", {"doc": "export", "piece": b64encode(piece).decode()}


def _listed(file: str, media_type: str, title: str, rows: int | None, packer: Packer) -> Document:
    (size, digest), (packed_size, packed_digest) = packer.plain, packer.packed
    return {
        "name": file,
        "media_type": media_type,
        "title": title,
        "rows": rows,
        "plain": {"bytes": size, "sha256": digest},
        "packed": {"bytes": packed_size, "sha256": packed_digest},
        "pieces": packer.sizes,
    }
