"""Content, vocabulary, index body and synonym rules become the plan of one release. Pure."""

from __future__ import annotations

import copy
import hashlib
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import orjson

from indexer.graph import build_graph
from indexer.making import Work
from indexer.records import source_line
from indexer.release import Plan
from indexer.synonyms import rule_lines, rules_version
from indexer.verify import expected

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from indexer.graph import Graph
    from indexer.rows import Content
    from indexer.synonyms import Rule
    from indexer.vocabulary import Vocabulary

DOCUMENTS_VERSION = 25  # raised whenever `documents` writes something else for the same graph
CORE_SHARE = 0.1  # a source on which this share of all edges rests is named in every answer


@dataclass(frozen=True, slots=True)
class Versions:
    """What a release is made of; a build is needed exactly when one of these differs from the live release's."""

    data_version: str
    synonyms_version: str
    form: str

    @staticmethod
    def of(content_version: str, rules: Sequence[Rule], body: Mapping[str, Any], stale: str = "") -> Versions:
        """The versions that a build from these inputs would have. `stale` tells which findings are too old."""
        return Versions(content_version, rules_version(rules), shape_of(body, *([stale] if stale else [])))

    def live_in(self, meta: Mapping[str, Any] | None) -> bool:
        """Whether the live release, by its `_meta`, already is what a build would make."""
        mine = (self.data_version, self.synonyms_version, self.form)
        return meta is not None and mine == tuple(meta.get(key) for key in ("data_version", "synonyms_version", "form"))


def shape_of(body: Mapping[str, Any], *others: str) -> str:
    """A fingerprint of how documents are written and indexed, and of whatever else counts."""
    seed = orjson.dumps([DOCUMENTS_VERSION, body, *others], option=orjson.OPT_SORT_KEYS)
    return hashlib.sha256(seed).hexdigest()[:12]


def make_plan(
    content: Content, vocabulary: Vocabulary, body: Mapping[str, Any], rules: Sequence[Rule], stale: str = ""
) -> tuple[Plan, Work]:
    """The plan, and the work of making its documents."""
    graph = build_graph(content, vocabulary)
    wanted = expected(graph, vocabulary)
    versions = Versions.of(content.version, rules, body, stale)
    meta = {
        "data_version": versions.data_version,
        "synonyms_version": versions.synonyms_version,
        "form": versions.form,
        "documents_version": DOCUMENTS_VERSION,
        "shape": shape_of(body),
        "counts": {"types": dict(wanted.types), "edges": dict(wanted.edges)},
        "sources": [source_line(source) for source in graph.sources.values()],
        "core_sources": core_sources(graph),
        "examples": examples(graph),
        "rules": rule_lines(rules),
    }
    index = with_rules(body, rules)
    work = Work.of(graph, vocabulary)
    return Plan(index, work.documents(), wanted, meta), work


def placement(shards: int, replicas: str) -> dict[str, Any]:
    """Index settings for so many shards, with a number of copies or a range that follows the number of nodes."""
    fewest, follows, _ = replicas.partition("-")
    return {
        "number_of_shards": shards,
        "number_of_replicas": int(fewest),
        "auto_expand_replicas": replicas if follows else "false",
    }


def placed(plan: Plan, where: Mapping[str, Any]) -> Plan:
    """The same plan with other shards and copies, which make no other release of it."""
    settings = {**plan.body["settings"], "index": {**plan.body["settings"]["index"], **where}}
    return replace(plan, body={**plan.body, "settings": settings})


def with_rules(body: Mapping[str, Any], rules: Sequence[Rule]) -> dict[str, Any]:
    """The index body with the operator's rules in its synonym filter."""
    index = copy.deepcopy(dict(body))
    index["settings"]["analysis"]["filter"]["rules"]["synonyms"] = [rule.text for rule in rules]
    return index


def core_sources(graph: Graph) -> list[str]:
    """The sources that carry the graph, largest first."""
    resting: Counter[str] = Counter()
    total = 0
    for by_name in graph.edges.values():
        for edges in by_name.values():
            total += len(edges)
            resting.update(source for edge in edges for source in edge.sources)
    return [source for source, count in resting.most_common() if count >= CORE_SHARE * total]


def examples(graph: Graph) -> dict[str, str]:
    """For each edge that is drawn, the best connected entity that has it."""
    best: dict[str, str] = {}
    for node, by_name in graph.edges.items():
        for name in by_name:
            known = best.get(name)
            if known is None or (graph.degree(node), node) > (graph.degree(known), known):
                best[name] = node
    return best
