"""The downloadable files of a release as index documents, enough to build the release again.

They are published, rolled back and deleted with the release (docs/decisions/0001 says why).

* `export/<file>/<number>`: a chunk of a file, which is one gzip member
* `export`: the list of files with their digests and the sizes of their chunks

`datapackage.json` describes the other files as the Data Package standard requires; `attributions.txt` has the sentence
to show with the facts of each source.
"""

import re
from base64 import b64encode
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

import orjson

from indexer.content.datapackage_schema import ATTRIBUTIONS, PACKAGE
from indexer.content.rows import Source
from indexer.export.gzip_file import ChunkedGzipFile, Digest
from indexer.export.tables import CSV, GZIP, Table, export_tables
from indexer.graph.model import Graph
from schema.document_ids import EXPORT, chunk_id
from schema.json_types import JsonObject
from schema.notice import NOTICE
from schema.release_names import FORMAT_VERSION
from schema.vocabulary import Vocabulary

TITLE = "What this release contains: files, columns, counts, sources and their terms"
NAME = "Accommodation Knowledge Graph"
ATTRIBUTIONS_TITLE = "The sources with their licences, and the sentence to show with the facts of each"
DESCRIPTION = (
    "The whole graph of one release: conditions, limitations, work-related functions, accommodations, products, "
    "vendors, occupations and abilities, and how they are related. Each fact names its sources, and each source its "
    f"terms and the sentence to show with it. {NOTICE}"
)
CSV_DIALECT = {"delimiter": ",", "lineTerminator": "\n", "quoteChar": '"', "doubleQuote": True, "header": True}
JSON, TEXT = "application/json", "text/plain"
JSON_OPTIONS = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE


def export_documents(graph: Graph, vocabulary: Vocabulary) -> Iterator[tuple[str, JsonObject]]:
    """Yield the chunks of all tables, those of the package, then the list of files, as (`_id`, body)."""
    tables = export_tables(graph, vocabulary)
    files: list[JsonObject] = []
    digests: dict[str, Digest] = {}
    for table in tables:
        file = ChunkedGzipFile()
        yield from _chunks(table.file, file, table.chunks())
        digests[table.file] = file.plain if table.media_type == CSV else file.gzip
        files.append(_file_json(table.file, table.media_type, table.title, len(table.rows), file))
    file = ChunkedGzipFile()
    yield from _chunks(ATTRIBUTIONS, file, [attributions(graph).encode()])
    files.append(_file_json(ATTRIBUTIONS, TEXT, ATTRIBUTIONS_TITLE, None, file))
    digests[ATTRIBUTIONS] = file.plain
    file = ChunkedGzipFile()
    package = orjson.dumps(package_json(graph, tables, digests), option=JSON_OPTIONS)
    yield from _chunks(PACKAGE, file, [package])
    yield EXPORT, {"doc": EXPORT, "files": [_file_json(PACKAGE, JSON, TITLE, None, file), *files]}


def count_export_documents(graph: Graph, vocabulary: Vocabulary) -> int:
    """Return how many documents `export_documents` yields."""
    return sum(table.chunk_count for table in export_tables(graph, vocabulary)) + 3


def _chunks(name: str, file: ChunkedGzipFile, parts: Iterable[bytes]) -> Iterator[tuple[str, JsonObject]]:
    for number, chunk in enumerate(file.chunks(parts)):
        yield chunk_id(name, number), {"doc": EXPORT, "chunk": b64encode(chunk).decode()}


def _file_json(name: str, media_type: str, title: str, rows: int | None, file: ChunkedGzipFile) -> JsonObject:
    return {
        "name": name,
        "media_type": media_type,
        "title": title,
        "rows": rows,
        "plain": file.plain.as_json(),
        "gzip": file.gzip.as_json(),
        "chunk_sizes": file.chunk_sizes,
    }


def package_json(graph: Graph, tables: Sequence[Table], digests: Mapping[str, Digest]) -> JsonObject:
    """Return the package. `digests` are those of each file as it is sent."""
    edges = Counter(row.name for table in tables if table.file == "edges.csv" for row in table.rows)
    sources = [_source(source) for source in graph.sources.values()]
    return {
        "profile": "data-package",
        "name": "accommodation-knowledge-graph",
        "title": NAME,
        "description": DESCRIPTION,
        "version": graph.version,
        "format": FORMAT_VERSION,
        "licenses": _licences(graph.sources.values()),
        "sources": sources,
        "provenance": {"service": NAME, "data_version": graph.version, "sources": sources},
        "notice": {"text": NOTICE, "kind": "informational"},
        "counts": {"types": dict(Counter(entity.type for entity in graph.nodes.values())), "edges": dict(edges)},
        "resources": [
            *(_resource(table, digests[table.file]) for table in tables),
            {
                **_file_resource(ATTRIBUTIONS, ATTRIBUTIONS_TITLE, digests[ATTRIBUTIONS]),
                "format": "txt",
                "mediatype": TEXT,
            },
        ],
    }


def attributions(graph: Graph) -> str:
    """Return a text with the licence and the attribution of each source."""
    intro = f"{NAME}, data version {graph.version}\n\nShow the sentence of each source whose facts you show.\n"
    return "\n".join([intro, *map(_attribution, graph.sources.values())])


def _attribution(source: Source) -> str:
    address = f": {source.licence_url}" if source.licence_url else ""
    lines = (f"{source.id}: {source.title}", source.url, f"Licence: {source.licence}{address}", source.attribution)
    return "".join(f"{line}\n" for line in lines if line)


def _licences(sources: Iterable[Source]) -> list[JsonObject]:
    by_licence: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for source in sources:
        by_licence[source.licence, source.licence_url].append(source.id)
    return [
        {
            "name": re.sub(r"[^A-Za-z0-9._-]+", "-", licence).strip("-"),
            "title": licence,
            **({"path": url} if url else {}),
            "applies_to": ids,
        }
        for (licence, url), ids in by_licence.items()
    ]


def _source(source: Source) -> JsonObject:
    path = {"path": source.url} if source.url else {}
    licence_url = {"licence_url": source.licence_url} if source.licence_url else {}
    terms = {"licence": source.licence, **licence_url, "attribution": source.attribution}
    return {"id": source.id, "title": source.title, **path, **terms}


def _resource(table: Table, digest: Digest) -> JsonObject:
    file_format: JsonObject = (
        {"format": "csv", "mediatype": CSV, "dialect": CSV_DIALECT}
        if table.media_type == CSV
        else {"format": "ndjson", "mediatype": GZIP, "compression": "gz"}
    )
    keys: JsonObject = {"primaryKey": list(table.key)} if table.key else {}
    if table.foreign_keys:
        keys["foreignKeys"] = [
            {"fields": [column], "reference": {"resource": _resource_name(file), "fields": [target]}}
            for column, (file, target) in table.foreign_keys.items()
        ]
    return {
        **_file_resource(table.file, table.title, digest),
        **file_format,
        "rows": len(table.rows),
        "schema": {"fields": [column._asdict() for column in table.columns], **keys},
    }


def _file_resource(file: str, title: str, digest: Digest) -> JsonObject:
    return {
        "name": _resource_name(file),
        "path": file,
        "title": title,
        "encoding": "utf-8",
        "bytes": digest.bytes,
        "hash": f"sha256:{digest.sha256}",
    }


def _resource_name(file: str) -> str:
    """Return the name of a file without dots: `entities-csv`."""
    return file.removesuffix(".gz").replace(".", "-")
