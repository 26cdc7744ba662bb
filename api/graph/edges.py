"""Edges on index pages, and their form in responses."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from api.engine.release import EngineResponse
from api.graph.query_bodies import MAX_HITS
from schema.document_ids import EDGES
from schema.edge_documents import EDGE_FACTS, NestedEdge
from schema.json_types import JsonObject


def edge_item(edge: Mapping[str, Any]) -> JsonObject:
    """Return an edge as responses list it: the card of its target, then the facts of the edge."""
    item = edge_card(edge) | edge_facts(edge)
    if "inherited_from" in edge:
        item["inherited_from"] = edge["inherited_from"]
    return item


def edge_card(edge: Mapping[str, Any]) -> JsonObject:
    """Return the card of the target of an edge."""
    target = edge["target"]
    type_ = edge["target_type"]
    card: JsonObject = {
        "id": target,
        "type": type_,
        "slug": edge["target_slug"],
        "name": edge["target_name"],
        "summary": edge["target_summary"],
        "url": f"/{type_}/{target.partition(':')[2]}",
    }
    if "target_settings" in edge:
        card["settings"] = edge["target_settings"]
    if "target_market" in edge:
        card["market_verification"] = edge["target_market"]
    return card


def edge_facts(edge: Mapping[str, Any]) -> JsonObject:
    """Return the weight, basis and sources of an edge, and the facts that only its kind has."""
    facts: JsonObject = {"weight": edge["weight"], "basis": edge["basis"], "sources": edge["sources"]}
    for name in EDGE_FACTS:
        if name in edge:
            facts[name] = edge[name]
    return facts


def pages_body(entities: Sequence[str], edges: Sequence[str], members: Sequence[str] = ()) -> JsonObject:
    """The pages of these edges of these entities, by full id. `members` limits what is read of each edge."""
    wanted: list[JsonObject] = [
        {"term": {"doc": EDGES}},
        {"terms": {"entity": list(entities)}},
        {"terms": {"edge": list(edges)}},
    ]
    body: JsonObject = {"size": MAX_HITS, "query": {"bool": {"filter": wanted}}, "sort": [{"page": "asc"}]}
    if members:
        body["_source"] = ["entity", "edge", *(f"edges.{name}" for name in members)]
    return body


def edges_by_entity(response: EngineResponse) -> dict[str, dict[str, list[NestedEdge]]]:
    """Return the edges on these pages by entity and name, in their order."""
    found: dict[str, dict[str, list[NestedEdge]]] = {}
    for hit in response.hits:
        page = hit.document
        edges = found.setdefault(page["entity"], {}).setdefault(page["edge"], [])
        edges += cast("Sequence[NestedEdge]", page["edges"])
    return found


def edge_sources(edges: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the sources on which these edges rest, those for school included, and those of their targets."""
    return [
        source
        for edge in edges
        for source in (*edge["sources"], *edge.get("school_sources", ()), *edge["target_sources"])
    ]
