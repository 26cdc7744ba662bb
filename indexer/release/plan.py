"""The plan of one release: index body, the jobs that build its documents, expected counts and metadata."""

import copy
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

import orjson

from indexer.content.rows import Content, Entity
from indexer.documents.builder import DocumentBuilder, count_documents, guide_documents, redirect_documents
from indexer.documents.facts import source_line
from indexer.documents.search_fields import hidden_names
from indexer.export.documents import count_export_documents, export_documents
from indexer.graph.build import body_part_keys, build_graph
from indexer.graph.model import Graph
from indexer.release.bulk import EncodedDocument, encode
from indexer.release.changes import Fingerprints
from indexer.release.verify import Expected, best_connected
from schema.json_types import JsonObject
from schema.pins import Pin, pin_lines
from schema.synonyms import SynonymRule, filter_rules, rule_lines, rules_version
from schema.vocabulary import Vocabulary

ENTITIES_PER_JOB = 25  # few, because a hub's documents take a hundred times as long as those of most entities
DOCUMENTS_VERSION = 46  # raise it when `build_documents` returns something else for the same graph


class DocumentBatch(NamedTuple):
    """The encoded documents of one job and their fingerprints."""

    documents: list[EncodedDocument]
    fingerprints: Fingerprints


@dataclass(frozen=True, slots=True)
class BuildJobs:
    """The jobs that build all documents of a graph: some entities each; the last and longest has the export files."""

    graph: Graph
    vocabulary: Vocabulary
    entities: Sequence[Entity]
    builder: DocumentBuilder

    @staticmethod
    def from_graph(graph: Graph, vocabulary: Vocabulary) -> "BuildJobs":
        """Compute once what all jobs share."""
        return BuildJobs(graph, vocabulary, tuple(graph.nodes.values()), DocumentBuilder.from_graph(graph, vocabulary))

    def __len__(self) -> int:
        return 1 - (-len(self.entities) // ENTITIES_PER_JOB)

    @property
    def document_count(self) -> int:
        """The number of documents of all jobs, computed without building them."""
        return count_documents(self.graph) + count_export_documents(self.graph, self.vocabulary)

    def documents(self) -> Iterator[tuple[str, JsonObject]]:
        """Yield the documents of all jobs as (`_id`, body)."""
        for number in range(len(self)):
            yield from self.job_documents(number)

    def job_documents(self, number: int) -> Iterator[tuple[str, JsonObject]]:
        """Yield the documents of one job."""
        start = number * ENTITIES_PER_JOB
        if start >= len(self.entities):
            yield from redirect_documents(self.graph)
            yield from guide_documents(self.graph)
            yield from export_documents(self.graph, self.vocabulary)
        for entity in self.entities[start : start + ENTITIES_PER_JOB]:
            yield from self.builder.entity_documents(entity)

    def batch(self, number: int, base_digests: Mapping[str, str]) -> DocumentBatch:
        """Encode the documents of one job, without lines for those that the base release has."""
        batch = DocumentBatch([], Fingerprints(frozenset(self.vocabulary.forward)))
        for key, body in self.job_documents(number):
            batch.fingerprints.add_document(body)
            batch.documents.append(encode(key, body, base_digests))
        return batch


@dataclass(frozen=True, slots=True)
class ReleasePlan:
    """What a build needs: the index body, the documents, what must be true of them, and the `_meta`."""

    body: Mapping[str, Any]
    documents: Iterable[tuple[str, JsonObject]]
    expected: Expected
    meta: Mapping[str, Any]

    @property
    def shards(self) -> int:
        """The number of primary shards of the index."""
        return int(self.body["settings"]["index"]["number_of_shards"])


@dataclass(frozen=True, slots=True)
class Versions:
    """What a release is built from; a build is needed exactly if one differs from that of the live release."""

    data_version: str
    synonyms_version: str
    form: str

    @staticmethod
    def from_inputs(
        content_version: str,
        rules: Sequence[SynonymRule],
        body: Mapping[str, Any],
        stale: str = "",
        pins: Sequence[Pin] = (),
    ) -> "Versions":
        """Return the versions of a build from these inputs. `stale` is a digest of the findings that are stale."""
        extra = [stale] if stale else []
        return Versions(content_version, rules_version(rules, pins), mapping_fingerprint(body, *extra))

    def matches(self, meta: Mapping[str, Any] | None) -> bool:
        """Return whether the live release, given by its `_meta`, has the same versions."""
        return meta is not None and all(meta.get(name) == version for name, version in asdict(self).items())


def mapping_fingerprint(body: Mapping[str, Any], *extra: str) -> str:
    """Return a fingerprint of how documents are built and indexed, and of `extra`."""
    seed = orjson.dumps([DOCUMENTS_VERSION, body, *extra], option=orjson.OPT_SORT_KEYS)
    return hashlib.sha256(seed).hexdigest()[:12]


def make_plan(
    content: Content,
    vocabulary: Vocabulary,
    body: Mapping[str, Any],
    rules: Sequence[SynonymRule],
    stale: str = "",
    pins: Sequence[Pin] = (),
) -> tuple[ReleasePlan, BuildJobs]:
    """Return the plan and the jobs that build its documents."""
    graph = build_graph(content, vocabulary)
    expected = Expected.from_graph(graph, vocabulary)
    meta = {
        **asdict(Versions.from_inputs(content.version, rules, body, stale, pins)),
        "documents_version": DOCUMENTS_VERSION,
        "shape": mapping_fingerprint(body),
        "counts": {"types": dict(expected.types), "edges": dict(expected.edges)},
        "sources": [source_line(source) for source in graph.sources.values()],
        "core_sources": [source.id for source in graph.sources.values() if source.core],
        "groupings": [grouping.slug for grouping in graph.grouping_table],
        "sides": graph.guidance.side_facts(),
        "side_words": graph.guidance.side_words(),
        "body_parts": body_part_keys(graph.body_part_table),
        "hidden_names": hidden_names(graph),
        "examples": examples(graph),
        "rules": rule_lines(rules),
        "pins": pin_lines(pins),
    }
    jobs = BuildJobs.from_graph(graph, vocabulary)
    return ReleasePlan(with_rules(body, rules), jobs.documents(), expected, meta), jobs


def placement(shards: int, replicas: str) -> JsonObject:
    """Return index settings for the shards and a number of replicas, or a range that follows the number of nodes."""
    minimum, is_range, _ = replicas.partition("-")
    return {
        "number_of_shards": shards,
        "number_of_replicas": int(minimum),
        "auto_expand_replicas": replicas if is_range else "false",
    }


def with_placement(plan: ReleasePlan, index_settings: Mapping[str, Any]) -> ReleasePlan:
    """Return the plan with other shards and replicas; its versions stay the same."""
    settings = {**plan.body["settings"], "index": {**plan.body["settings"]["index"], **index_settings}}
    return replace(plan, body={**plan.body, "settings": settings})


def with_rules(body: Mapping[str, Any], rules: Sequence[SynonymRule]) -> JsonObject:
    """Return the index body with the operator's rules in its synonym filter."""
    index = copy.deepcopy(dict(body))
    index["settings"]["analysis"]["filter"]["rules"]["synonyms"] = filter_rules(rules)
    return index


def examples(graph: Graph) -> dict[str, str]:
    """Return for each edge name the best connected entity that has such edges."""
    return best_connected(graph, ((name, node) for node, by_name in graph.edges.items() for name in by_name))
