"""Is a freshly filled or cloned index what was meant? Asked of the engine, before anything is published."""

from __future__ import annotations

import hashlib
from base64 import b64decode
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from opensearchpy.helpers import scan

from indexer.export import LISTING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from opensearchpy import OpenSearch

    from indexer.graph import Graph
    from indexer.synonyms import Rule
    from indexer.vocabulary import Vocabulary

BATCH = 1000
BETWEEN_TEXTS = 100  # tokens of two texts of a list lie so far apart


@dataclass(frozen=True, slots=True)
class Expected:
    """What must be true: entities per type, edges per name (inverses included), and ids with the names they go by."""

    types: Mapping[str, int]
    edges: Mapping[str, int]
    golden: Mapping[str, str]
    inverses: Mapping[str, str]


def expected(graph: Graph, vocabulary: Vocabulary) -> Expected:
    """Count the graph; the golden ids are the best connected entity of each type."""
    best: dict[str, str] = {}
    for node, entity in graph.nodes.items():
        known = best.get(entity.type)
        if known is None or (graph.degree(node), node) > (graph.degree(known), known):
            best[entity.type] = node
    edges: Counter[str] = Counter()
    for by_name in graph.edges.values():
        for name, found in by_name.items():
            edges[name] += len(found)
    return Expected(
        types=Counter(entity.type for entity in graph.nodes.values()),
        edges=edges,
        golden={node: graph.nodes[node].name for node in best.values()},
        inverses=vocabulary.inverses,
    )


def expected_of(client: OpenSearch, index: str, inverses: Mapping[str, str]) -> Expected:
    """What a stamped index says of itself: its counts, and the names of the entities that it gives as examples."""
    meta = client.indices.get_mapping(index=index)[index]["mappings"]["_meta"]
    ids = sorted(set(meta["examples"].values()))
    found = client.mget(index=index, body={"ids": ids}, params={"_source_includes": "name"})["docs"] if ids else []
    return Expected(
        types=meta["counts"]["types"],
        edges=meta["counts"]["edges"],
        golden={one["_id"]: one.get("_source", {}).get("name", "") for one in found},
        inverses=inverses,
    )


def verify(client: OpenSearch, index: str, expected: Expected) -> list[str]:
    """Every way in which the index differs from what was meant; empty when it is right."""
    return [
        *_counts(client, index, expected),
        *_records(client, index, expected),
        *_edges(client, index, expected),
        *_golden(client, index, expected),
        *_export(client, index),
    ]


def verify_copy(client: OpenSearch, index: str, meta: Mapping[str, Any]) -> list[str]:
    """Every way in which a clone of a release differs from what its `_meta` says; empty when it is right.

    A clone has the very files of its source, so edges are not counted again.
    """
    ids = sorted(set(meta["examples"].values()))
    found = client.mget(index=index, body={"ids": ids}, params={"_source_includes": "name"})["docs"] if ids else []
    missing = [f"{one['_id']} does not answer" for one in found if not one.get("found")]
    golden = {one["_id"]: one["_source"]["name"] for one in found if one.get("found")}
    expected = Expected(meta["counts"]["types"], {}, golden, {})
    records = _records(client, index, expected)
    return [*_counts(client, index, expected), *records, *missing, *_golden(client, index, expected)]


def unread(client: OpenSearch, index: str, rules: Sequence[Rule]) -> list[str]:
    """Rules that the index does not read as they say, each with the term that fails."""
    problems = []
    for rule in rules:
        wanted = set().union(*_tokens(client, index, "words", rule.read_as))
        for term, read in zip(rule.given, _tokens(client, index, "words_with_rules", rule.given), strict=True):
            if not wanted <= read:
                problems.append(f"{rule.file}:{rule.line}: the engine does not read {term!r} as {rule.text!r} says")
    return problems


def _tokens(client: OpenSearch, index: str, analyzer: str, texts: Sequence[str]) -> list[set[str]]:
    """The tokens of each text, asked for in one call: the engine leaves a gap between the texts of a list."""
    found: list[set[str]] = []
    last = -BETWEEN_TEXTS
    for token in client.indices.analyze(index=index, body={"analyzer": analyzer, "text": list(texts)})["tokens"]:
        if token["position"] - last >= BETWEEN_TEXTS:
            found.append(set())
        last = token["position"]
        found[-1].add(token["token"])
    return found


def _counts(client: OpenSearch, index: str, expected: Expected) -> Iterator[str]:
    body = {"size": 0, "track_total_hits": True, "aggs": {"types": {"terms": {"field": "type", "size": 50}}}}
    answer = client.search(index=index, body=body, params={"allow_partial_search_results": "false"})
    if answer["timed_out"] or answer["_shards"]["failed"]:
        yield f"shards are incomplete: {answer['_shards']}"
    found = {bucket["key"]: bucket["doc_count"] for bucket in answer["aggregations"]["types"]["buckets"]}
    for name, count in expected.types.items():
        if found.get(name, 0) != count:
            yield f"{name}: {found.get(name, 0)} entities in the index, {count} in the graph"


def _records(client: OpenSearch, index: str, expected: Expected) -> Iterator[str]:
    """Each entity must have its record; in releases of earlier versions none stands apart."""
    wanted = sum(expected.types.values())
    found = client.count(index=index, body={"query": {"term": {"doc": "record"}}})["count"]
    if found not in {0, wanted}:
        yield f"{found} records in the index, {wanted} entities in the graph"


def _edges(client: OpenSearch, index: str, expected: Expected) -> Iterator[str]:
    """Each edge must be seen from both ends: sums of hashes say so in constant memory at any size."""
    counts: Counter[str] = Counter()
    sums: Counter[str] = Counter()
    forward = set(expected.inverses)
    for source, name, targets in _pages(client, index):
        for target in targets:
            counts[name] += 1
            ends = f"{source}>{target}" if name in forward else f"{target}>{source}"
            sums[name] += int.from_bytes(hashlib.blake2b(ends.encode(), digest_size=8).digest())
    for name, count in expected.edges.items():
        if counts[name] != count:
            yield f"{name}: {counts[name]} edges in the index, {count} in the graph"
    for name, inverse in expected.inverses.items():
        if counts[name] != counts[inverse] or sums[name] != sums[inverse]:
            yield f"{name}: not every edge has its inverse {inverse} at its other end"


def _pages(client: OpenSearch, index: str) -> Iterator[tuple[str, str, Iterable[str]]]:
    """Every page of edges: whose they are, their name, and where they lead."""
    body = {
        "query": {"term": {"doc": "edges"}},
        "stored_fields": "_none_",  # reading `_id` would unpack every page
        "docvalue_fields": ["of", "edge", "targets"],
    }
    for hit in scan(client, index=index, query=body, size=BATCH):
        fields = hit["fields"]
        yield fields["of"][0], fields["edge"][0], fields["targets"]


def _golden(client: OpenSearch, index: str, expected: Expected) -> Iterator[str]:
    for node, name in expected.golden.items():
        if not client.exists(index=index, id=node):
            yield f"{node} does not answer"
        kind = node.partition(":")[0]
        query = {"bool": {"must": {"match_phrase": {"name": name}}, "filter": {"term": {"type": kind}}}}
        hits = client.search(index=index, body={"size": 5, "_source": False, "query": query})["hits"]["hits"]
        if node not in {hit["_id"] for hit in hits}:
            yield f"searching {kind} for {name!r} does not find {node}"


def _export(client: OpenSearch, index: str) -> Iterator[str]:
    """Each file that is listed for download must be there, to the byte."""
    for file in client.get(index=index, id=LISTING)["_source"]["files"]:
        ids = [f"{LISTING}/{file['name']}/{number}" for number in range(len(file["pieces"]))]
        pieces = [
            one.get("_source", {}).get("piece", "") for one in client.mget(index=index, body={"ids": ids})["docs"]
        ]
        if hashlib.sha256(b"".join(map(b64decode, pieces))).hexdigest() != file["packed"]["sha256"]:
            yield f"the export {file['name']} is not whole"
