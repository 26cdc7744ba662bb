"""Verifies a filled or cloned index against the graph before it is published, and a published release; reads only."""

import hashlib
from base64 import b64decode
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson
from opensearchpy import OpenSearch, TransportError
from opensearchpy.helpers import scan

from indexer.graph.model import Graph
from indexer.release.bulk import TIMEOUT_SECONDS, encode, read_digests
from indexer.release.stored_releases import StoredReleases
from schema import text
from schema.document_ids import DIGESTS, EDGES, EXPORT, chunk_id
from schema.exact_keys import NAME, name_form
from schema.json_types import JsonObject
from schema.pins import Pin, pins_from
from schema.synonyms import SynonymRule, rules_from, rules_version
from schema.vocabulary import Vocabulary

SCROLL_SIZE = 1000
NAME_FIELDS = ("names", "demoted_names")  # an entity has one of them
UNREADABLE = 503  # the status of an error that a response has for one of several documents
CLOSED = "index.verified_before_close"  # a setting that only closed indices have
DOCUMENTS_SIZE = 200  # of a page of whole documents; the largest have some hundred kilobytes
MAX_LISTED = 20  # documents of one kind of problem
POSITION_GAP = 100  # between the tokens of two texts in one `_analyze` request


@dataclass(frozen=True, slots=True)
class Expected:
    """Entities per type, edges per name (inverses included), and the names by which searches must find some ids."""

    types: Mapping[str, int]
    edges: Mapping[str, int]
    golden: Mapping[str, str]
    inverses: Mapping[str, str]

    @staticmethod
    def from_graph(graph: Graph, vocabulary: Vocabulary) -> "Expected":
        """Count the graph; searches must find the best connected entity of each type."""
        best = best_connected(graph, ((entity.type, node) for node, entity in graph.nodes.items()))
        edges: Counter[str] = Counter()
        for by_name in graph.edges.values():
            edges.update({name: len(targets) for name, targets in by_name.items()})
        return Expected(
            types=Counter(entity.type for entity in graph.nodes.values()),
            edges=edges,
            golden={node: graph.nodes[node].name for node in best.values()},
            inverses=vocabulary.forward,
        )

    @staticmethod
    def from_index(client: OpenSearch, index: str, inverses: Mapping[str, str]) -> "Expected":
        """Return what the `_meta` of an index says; searches must find the entities of its examples."""
        meta = client.indices.get_mapping(index=index)[index]["mappings"]["_meta"]
        return Expected(meta["counts"]["types"], meta["counts"]["edges"], _example_names(client, index, meta), inverses)


def best_connected(graph: Graph, candidates: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the best connected node of each group, passed as (group, node)."""
    best: dict[str, str] = {}
    for group, node in candidates:
        best[group] = max(best.get(group, node), node, key=lambda candidate: (graph.degree(candidate), candidate))
    return best


def verify(client: OpenSearch, index: str, expected: Expected) -> list[str]:
    """Return every difference between the index and what is expected."""
    return [
        *_counts(client, index, expected),
        *_edges(client, index, expected),
        *_golden(client, index, expected),
        *_export(client, index),
    ]


def verify_clone(client: OpenSearch, index: str, meta: Mapping[str, Any]) -> list[str]:
    """Return every difference between a clone and its `_meta`. It shares the files of its source: skip the edges."""
    expected = Expected(meta["counts"]["types"], {}, _example_names(client, index, meta), {})
    return [
        *_counts(client, index, expected),
        *_golden(client, index, expected),
    ]


def _example_names(client: OpenSearch, index: str, meta: Mapping[str, Any]) -> dict[str, str]:
    """Return the names of the example entities of a release; an empty string for a missing one."""
    ids = sorted(set(meta["examples"].values()))
    if not ids:
        return {}
    docs = _documents(client, index, ids, {"_source_includes": "card"})
    return {doc["_id"]: orjson.loads(doc["_source"]["card"])["name"] if doc["found"] else "" for doc in docs}


def _documents(
    client: OpenSearch, index: str, ids: Sequence[str], params: Mapping[str, str]
) -> Sequence[Mapping[str, Any]]:
    """Return the documents of these ids. Raise TransportError if one could not be read: it may still be there."""
    docs: Sequence[Mapping[str, Any]] = client.mget(index=index, body={"ids": ids}, params=params)["docs"]
    for error in (doc["error"] for doc in docs if "error" in doc):
        raise TransportError(UNREADABLE, error["type"], error)
    return docs


def unapplied_rules(client: OpenSearch, index: str, rules: Sequence[SynonymRule]) -> list[str]:
    """Return the rules that the index does not apply as written, each with the term that fails."""
    problems = []
    for rule in rules:
        replacements = set().union(*_tokens(client, index, "words", rule.replacements))
        for term, tokens in zip(rule.terms, _tokens(client, index, "words_with_rules", rule.terms), strict=True):
            if not replacements <= tokens:
                problems.append(f"{rule.file}:{rule.line}: OpenSearch does not apply {rule.text!r} to {term!r}")
    return problems


def unknown_pinned_ids(client: OpenSearch, index: str, pins: Sequence[Pin]) -> list[str]:
    """Return the ids of pins that the index does not have."""
    ids = list(dict.fromkeys(id_ for pin in pins for id_ in (pin.first, *pin.left_out) if id_))
    if not ids:
        return []
    found = client.mget(index=index, body={"ids": ids}, _source=False)["docs"]
    missing = {document["_id"] for document in found if not document["found"]}
    return [
        f"{pin.file}:{pin.line}: the live release has no entity {id_!r}"
        for pin in pins
        for id_ in (pin.first, *pin.left_out)
        if id_ in missing
    ]


def _tokens(client: OpenSearch, index: str, analyzer: str, texts: Sequence[str]) -> list[set[str]]:
    """Return the tokens of each text from one request: positions have a gap between the texts of a list."""
    by_text: list[set[str]] = []
    last = -POSITION_GAP
    for token in client.indices.analyze(index=index, body={"analyzer": analyzer, "text": list(texts)})["tokens"]:
        if token["position"] - last >= POSITION_GAP:
            by_text.append(set())
        last = token["position"]
        by_text[-1].add(token["token"])
    return by_text


def _counts(client: OpenSearch, index: str, expected: Expected) -> Iterator[str]:
    body = {"size": 0, "track_total_hits": True, "aggs": {"types": {"terms": {"field": "type", "size": 50}}}}
    response = client.search(index=index, body=body, params={"allow_partial_search_results": "false"})
    if response["timed_out"] or response["_shards"]["failed"]:
        yield f"shards are incomplete: {response['_shards']}"
    counts = {bucket["key"]: bucket["doc_count"] for bucket in response["aggregations"]["types"]["buckets"]}
    for name, count in expected.types.items():
        if counts.get(name, 0) != count:
            yield f"{name}: {counts.get(name, 0)} entities in the index, {count} in the graph"


def _edges(client: OpenSearch, index: str, expected: Expected) -> Iterator[str]:
    """Check that both ends have each edge: sums of hashes need constant memory at any size."""
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
            yield f"{name}: some edges have no inverse {inverse}"


def _pages(client: OpenSearch, index: str) -> Iterator[tuple[str, str, Iterable[str]]]:
    """Yield source, name and targets of every page of edges, as the nested edges of its stored source have them."""
    body = {"query": {"term": {"doc": EDGES}}, "_source": ["entity", "edge", "edges.target"]}
    for hit in scan(client, index=index, query=body, size=SCROLL_SIZE):
        page = hit["_source"]
        yield page["entity"], page["edge"], [edge["target"] for edge in page["edges"]]


def _golden(client: OpenSearch, index: str, expected: Expected) -> Iterator[str]:
    """Check that the names of these entities match them, even if others have the same name."""
    for node, name in expected.golden.items():
        if not client.exists(index=index, id=node):
            yield f"{node} is missing"
            continue
        body = {"size": 1, "_source": False, "query": _name_query(node, name)}
        params = {"allow_partial_search_results": "false"}
        if not client.search(index=index, body=body, params=params)["hits"]["hits"]:
            yield f"{node} is not found by its name {name!r}"


def _name_query(node: str, name: str) -> JsonObject:
    """Return the query for one entity by exact key and by analyzed name; by neither if a name has no words: "+++"."""
    words = text.tokens(name)
    phrase = {"query": text.to_american(name), "type": "phrase", "zero_terms_query": "all", "fields": NAME_FIELDS}
    by_name = [{"term": {"keys": NAME + name_form(words)}}, {"multi_match": phrase}] if words else []
    return {"bool": {"filter": [{"ids": {"values": [node]}}, {"term": {"type": node.partition(":")[0]}}, *by_name]}}


def _export(client: OpenSearch, index: str) -> Iterator[str]:
    """Check the digest of each downloadable file."""
    for file in client.get(index=index, id=EXPORT)["_source"]["files"]:
        ids = [chunk_id(file["name"], number) for number in range(len(file["chunk_sizes"]))]
        docs = _documents(client, index, ids, {})
        chunks = (b64decode(doc.get("_source", {}).get("chunk", "")) for doc in docs)
        if hashlib.sha256(b"".join(chunks)).hexdigest() != file["gzip"]["sha256"]:
            yield f"the export file {file['name']} is incomplete"


def release_problems(
    releases: StoredReleases, index: str, inverses: Mapping[str, str], on_documents: Callable[[int, int], object]
) -> list[str]:
    """Return every difference between a complete release and what its build stored about it.

    `inverses` has the inverse names of edges. `on_documents` gets the number of documents that are read, and of all.
    """
    client = releases.client
    if client.indices.get_settings(index=index, name=CLOSED):
        return [f"{index} is closed"]
    if client.cluster.health(index=index)["status"] == "red":
        return [f"{index} lacks primary shards, so some documents are missing"]
    meta = releases.metadata(index)
    rules, pins = rules_from(meta["rules"]), pins_from(meta.get("pins", ()))
    problems = verify(client, index, Expected.from_index(client, index, inverses))
    problems += unapplied_rules(client, index, rules)
    problems += unknown_pinned_ids(client, index, pins)
    if (version := rules_version(rules, pins)) != meta["synonyms_version"]:
        problems.append(f"the rules have version {version} instead of {meta['synonyms_version']}")
    digests = read_digests(releases.stored_documents(index, DIGESTS))
    if not digests:
        return [*problems, f"{index} was built by an older version, which stored no digests of its documents"]
    return [*problems, *_document_problems(client, index, digests, on_documents)]


def _document_problems(
    client: OpenSearch, index: str, digests: Mapping[str, str], on_documents: Callable[[int, int], object]
) -> Iterator[str]:
    """Yield the documents that differ from what was built; the first MAX_LISTED of a kind, then their number."""
    missing, changed, unknown = set(digests), [], []
    query: JsonObject = {"query": {"match_all": {}}}
    hits = scan(client, index=index, query=query, size=DOCUMENTS_SIZE, request_timeout=TIMEOUT_SECONDS)
    for number, hit in enumerate(hits, start=1):
        key = hit["_id"]
        missing.discard(key)
        if key not in digests:
            unknown.append(key)
        elif digests[key] and encode(key, hit["_source"], {}).digest != digests[key]:  # digests have none themselves
            changed.append(key)
        on_documents(number, len(digests))
    for what, keys in (("missing", sorted(missing)), ("changed", changed), ("not part of the release", unknown)):
        yield from (f"document {key} is {what}" for key in keys[:MAX_LISTED])
        if len(keys) > MAX_LISTED:
            yield f"{len(keys) - MAX_LISTED:,} more documents are {what}"
