"""Filters and order of an entity's edges, as a query on the pages of the inverse edges, and for merged lists in memory.

Filtered and sorted lists are read from the other end: each target has one page with the inverse edge to this entity, so
that names, paging and totals are those of one query, whatever the size of the list.
"""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from api.graph.query_bodies import MAX_HITS, card_page
from schema.document_ids import EDGES, WITH_RULES
from schema.edge_documents import EDGE_FACTS, sort_name
from schema.entity_kinds import Basis, TypeName
from schema.json_types import JsonObject
from schema.text import to_american

SortOrder = Literal["weight", "name"]
FACTS = [f"edges.{name}" for name in ("weight", "basis", "sources", *EDGE_FACTS)]


@dataclass(frozen=True, slots=True)
class EdgeFilters:
    """Which edges of a list to return, all conditions together, and in which order."""

    target_type: TypeName | None = None
    min_weight: float | None = None
    basis: Basis | None = None
    source: str | None = None
    query: str | None = None
    sort: SortOrder = "weight"

    def __bool__(self) -> bool:
        return self != ANY_EDGE

    def body(self, entity: str, inverse: str, limit: int, offset: int) -> JsonObject:
        """One page of the edges that lead to an entity over the inverse edge, with the facts of each."""
        nested = [{"term": {"edges.target": entity}}, *self._nested_clauses()]
        return {
            **card_page(limit, offset),
            "query": {
                "bool": {
                    "filter": [
                        *self._page_clauses(inverse),
                        {
                            "nested": {
                                "path": "edges",
                                "query": {"bool": {"filter": nested}},
                                "inner_hits": {"size": 1, "_source": FACTS},
                            }
                        },
                    ]
                }
            },
            "sort": [*self._weight_order(entity), {"sort_name": "asc"}],
        }

    def _nested_clauses(self) -> list[JsonObject]:
        clauses: list[JsonObject] = []
        if self.min_weight is not None:
            clauses.append({"range": {"edges.weight": {"gte": self.min_weight}}})
        if self.basis is not None:
            clauses.append({"term": {"edges.basis": self.basis}})
        if self.source is not None:
            either = [{"term": {f"edges.{name}": self.source}} for name in ("sources", "school_sources")]
            clauses.append({"bool": {"should": either}})
        return clauses

    def _page_clauses(self, inverse: str) -> list[JsonObject]:
        clauses: list[JsonObject] = [{"term": {"doc": EDGES}}, {"term": {"edge": inverse}}]
        if self.target_type is not None:
            clauses.append({"term": {"entity_type": self.target_type}})
        if self.query is not None:
            clauses.append(_words_clause(self.query))
        return clauses

    def _weight_order(self, entity: str) -> list[JsonObject]:
        if self.sort == "name":
            return []
        to_entity = {"path": "edges", "filter": {"term": {"edges.target": entity}}}
        return [{"edges.weight": {"order": "desc", "nested": to_entity}}]

    def select(self, edges: Iterable[Mapping[str, Any]], targets: Container[str] | None) -> list[Mapping[str, Any]]:
        """Return the edges of a merged list that match; `targets` are those that match the words, if there are any."""
        selected = [
            edge
            for edge in edges
            if (targets is None or edge["target"] in targets)
            and (self.target_type is None or edge["target_type"] == self.target_type)
            and (self.min_weight is None or edge["weight"] >= self.min_weight)
            and (self.basis is None or edge["basis"] == self.basis)
            and (self.source is None or self.source in (*edge["sources"], *edge.get("school_sources", ())))
        ]
        if self.sort == "name":
            selected.sort(key=lambda edge: sort_name(edge["target_name"], edge["target"]))  # none is a condition
        return selected


ANY_EDGE = EdgeFilters()


def _words_clause(query: str) -> JsonObject:
    return {
        "match": {"entity_names": {"query": to_american(query), "operator": "and", "analyzer": f"words{WITH_RULES}"}}
    }


def words_body(entities: Sequence[str], inverse: str, query: str) -> JsonObject:
    """The entities with these words in a name that have the inverse edge to any of `entities`."""
    leads_to = {"nested": {"path": "edges", "query": {"terms": {"edges.target": list(entities)}}}}
    filters = [{"term": {"doc": EDGES}}, {"term": {"edge": inverse}}, _words_clause(query), leads_to]
    return {
        "size": MAX_HITS,
        "_source": False,
        "docvalue_fields": ["entity"],
        "query": {"bool": {"filter": filters}},
    }
