"""`datapackage.json` of an export: what each file holds, in the words of the Data Package standard. Pure."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from indexer.export_tables import CSV, GZIP

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from indexer.export_tables import Table
    from indexer.graph import Graph
    from indexer.rows import Source

Described = dict[str, Any]
PACKAGE = "datapackage.json"
TITLE = "What this release holds: files, columns, counts, sources and their terms"
SAYS = (
    "The whole graph of one release: conditions, limitations, work-related functions, accommodations, products, "
    "vendors, occupations and abilities, and how they are related. Each fact names its sources, and each source its "
    "terms and the sentence to show with it. For information only: this is not legal, medical or HR advice."
)
DIALECT = {"delimiter": ",", "lineTerminator": "\n", "quoteChar": '"', "doubleQuote": True, "header": True}


def described(graph: Graph, tables: Sequence[Table], sums: Mapping[str, tuple[int, str]]) -> Described:
    """The package. `sums` are the size and the SHA-256 of each file as it is sent."""
    edges = Counter(row.name for table in tables if table.file == "edges.csv" for row in table.rows)
    return {
        "profile": "data-package",
        "name": "accommodation-knowledge-graph",
        "title": "Accommodation Knowledge Graph",
        "description": SAYS,
        "version": graph.version,
        "licenses": _licences(graph.sources.values()),
        "sources": [_source(source) for source in graph.sources.values()],
        "counts": {"types": dict(Counter(one.type for one in graph.nodes.values())), "edges": dict(edges)},
        "resources": [_resource(table, *sums[table.file]) for table in tables],
    }


def _licences(sources: Any) -> list[Described]:  # noqa: ANN401
    found: dict[str, list[str]] = {}
    for source in sources:
        found.setdefault(source.licence, []).append(source.id)
    return [
        {"name": re.sub(r"[^A-Za-z0-9._-]+", "-", licence).strip("-"), "title": licence, "applies_to": ids}
        for licence, ids in found.items()
    ]


def _source(source: Source) -> Described:
    path = {"path": source.url} if source.url else {}
    more = {"licence": source.licence, "attribution": source.attribution}
    return {"id": source.id, "title": source.title, **path, **more}


def _resource(table: Table, size: int, digest: str) -> Described:
    form = (
        {"format": "csv", "mediatype": CSV, "dialect": DIALECT}
        if table.media_type == CSV
        else {"format": "ndjson", "mediatype": GZIP, "compression": "gz"}
    )
    fields = [{"name": name, "type": kind, "description": says} for name, kind, says in table.columns]
    keys: Described = {"primaryKey": list(table.key)} if table.key else {}
    if table.refers:
        keys["foreignKeys"] = [
            {"fields": [column], "reference": {"resource": _name(file), "fields": [other]}}
            for column, (file, other) in table.refers.items()
        ]
    return {
        "name": _name(table.file),
        "path": table.file,
        "title": table.title,
        **form,
        "encoding": "utf-8",
        "bytes": size,
        "hash": f"sha256:{digest}",
        "rows": len(table.rows),
        "schema": {"fields": fields, **keys},
    }


def _name(file: str) -> str:
    """A name without dots: `entities-csv`."""
    return file.removesuffix(".gz").replace(".", "-")
