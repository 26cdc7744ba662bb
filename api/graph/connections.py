"""Finds and describes the paths between two entities.

It takes at most three requests to OpenSearch, whatever the size of the graph. The first resolves both ends and reads
their adjacency. The second reads entities between them, unless there are enough short paths already. The third reads
the cards of the entities on the chosen paths.
"""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from api.engine.release import EngineResponse, Release
from api.engine.search_engine import SearchEngine
from api.graph import query_bodies
from api.graph.paths import Neighborhood, Path, PathEndpoints, select_paths
from api.graph.resolve import EntityReference, ResolvedEntity, resolve_entities
from api.result import ServiceResult, ambiguity_warnings, single_page
from schema.json_types import JsonObject
from schema.vocabulary import Vocabulary

ENOUGH_SHORT_PATHS = 20  # with as many paths of up to two steps, longer ones are not searched; also the largest limit
MAX_INNER_ENTITIES = 100  # read between the ends for paths of three steps, and as many for four
HIERARCHY = ("broader", "narrower")  # both ends have the same type, which the sentence names only once
# A condition that editors place under another one need not be a kind of it: the other's accommodations come nearest.
EDITORIAL_VERBS = {"broader": "is placed under", "narrower": "is placed above"}


@dataclass(frozen=True, slots=True)
class ConnectionsRequest:
    """A request for paths between two entities, each named by id, key, slug, name or alias."""

    start: EntityReference
    end: EntityReference
    limit: int

    @classmethod
    def parse(cls, start: str, end: str, limit: int) -> "ConnectionsRequest":
        """Parse the texts that name the two ends."""
        return cls(EntityReference.parse(start), EntityReference.parse(end), limit)


async def get_connections(engine: SearchEngine, vocabulary: Vocabulary, request: ConnectionsRequest) -> ServiceResult:
    """Return short paths between two entities, the most informative first."""
    references = {"from": request.start, "to": request.end}
    entities, release = await resolve_entities(engine, references)
    start, end = entities["from"], entities["to"]
    neighborhoods = await _read_neighborhoods(engine, (start, end), release)
    differ = len(neighborhoods) == len(entities)
    paths = await _find_paths(engine, vocabulary.inverses, neighborhoods, release) if differ else []
    chosen = [
        path if path.nodes[0] == start.card["id"] else path.reverse(vocabulary.inverses)
        for path in select_paths(paths, request.limit)
    ]
    inner_cards, sources = await _inner_cards(engine, chosen, release)
    card_by_id = inner_cards | {entity.card["id"]: entity.card for entity in (start, end)}
    results = [describe_path(path, card_by_id, vocabulary) for path in chosen]
    body: JsonObject = {
        **{
            name: {"given": entity.text, "entity": entity.card, "matched_by": entity.matched_by}
            for name, entity in entities.items()
        },
        "results": results,
        "reason": None if results else no_path_reason(start, end, neighborhoods),
        **single_page(len(paths), request.limit),
    }
    ambiguities = [
        ambiguity_warnings(name, entity.text, entity.card, entity.alternatives) for name, entity in entities.items()
    ]
    if warnings := list(chain.from_iterable(ambiguities)):
        body["warnings"] = warnings
    sources += [source for path in chosen for step in path.steps for source in step.sources]
    return ServiceResult(body, release, [*start.sources, *end.sources, *sources])


async def _read_neighborhoods(
    engine: SearchEngine, ends: Sequence[ResolvedEntity], release: Release
) -> dict[str, Neighborhood]:
    """Return the neighborhood of each end; a condition that inherits costs one more request."""
    neighborhoods = {entity.card["id"]: Neighborhood.unpack(entity.adjacency) for entity in ends}
    parents = dict.fromkeys(parent for neighborhood in neighborhoods.values() for parent in neighborhood.parents)
    if not parents:
        return neighborhoods
    response = await engine.search(query_bodies.adjacency_body(*parents), of=release)
    by_parent = _neighborhoods(response)
    return {
        node: neighborhood.inherit([by_parent[parent] for parent in neighborhood.parents if parent in by_parent])
        for node, neighborhood in neighborhoods.items()
    }


async def _find_paths(
    engine: SearchEngine, inverses: Mapping[str, str], neighborhoods: Mapping[str, Neighborhood], release: Release
) -> list[Path]:
    """Return all paths within reach of at most one request.

    The search starts at the end with fewer neighbors, so both directions find the same paths.
    """
    (start, near), (end, far) = sorted(neighborhoods.items(), key=lambda item: (len(item[1].steps), item[0]))
    endpoints = PathEndpoints(start, end, near.steps, far.steps, inverses)
    short = endpoints.short_paths()
    if len(short) >= ENOUGH_SHORT_PATHS or not near.steps or not far.steps:
        return short
    near_ids, far_ids = list(near.steps), list(far.steps)
    shared, bridging = await engine.search_all(
        [
            query_bodies.shared_neighbors_body(near_ids, far_ids, (start, end), MAX_INNER_ENTITIES),
            query_bodies.bridging_entities_body(near_ids, far_ids, (start, end), MAX_INNER_ENTITIES),
        ],
        of=release,
    )
    near_or_far = near.steps.keys() | far.steps.keys()
    return [*short, *endpoints.long_paths(_neighborhoods(shared, far.steps), _neighborhoods(bridging, near_or_far))]


def _neighborhoods(response: EngineResponse, targets: Container[str] | None = None) -> dict[str, Neighborhood]:
    return {hit.card["id"]: Neighborhood.unpack(hit.adjacency, targets) for hit in response.hits}


async def _inner_cards(
    engine: SearchEngine, paths: Sequence[Path], release: Release
) -> tuple[dict[str, JsonObject], list[str]]:
    """Return the cards of the entities between the ends by id, and the ids of their sources."""
    nodes = dict.fromkeys(node for path in paths for node in path.nodes[1:-1])
    if not nodes:
        return {}, []
    response = await engine.search(query_bodies.cards_body(*nodes), of=release)
    return {card["id"]: card for card in response.cards}, response.sources


def describe_path(path: Path, card_by_id: Mapping[str, JsonObject], vocabulary: Vocabulary) -> JsonObject:
    """Return one result: the sentence, and each step with the cards of its ends, its weight, basis and sources."""
    steps = [
        {
            "from": card_by_id[path.nodes[index]],
            "edge": step.edge,
            "label": vocabulary.edges[step.edge].label,
            "direction": vocabulary.edges[step.edge].direction,
            "to": card_by_id[path.nodes[index + 1]],
            "weight": step.weight,
            "basis": step.basis,
            "sources": list(step.sources),
        }
        for index, step in enumerate(path.steps)
    ]
    return {"score": path.score, "length": len(steps), "why": _sentence(steps, vocabulary), "steps": steps}


def _sentence(steps: Sequence[JsonObject], vocabulary: Vocabulary) -> str:
    """Return the path in words: "The condition A can bring the limitation B, which is helped by …"."""
    parts = [f"The {_typed_name(steps[0]['from'], vocabulary)}"]
    for index, step in enumerate(steps):
        name = step["to"]["name"] if step["edge"] in HIERARCHY else f"the {_typed_name(step['to'], vocabulary)}"
        parts.append(f"{', which' if index else ''} {_verb_phrase(step)} {name}")
    return f"{''.join(parts)}."


def _verb_phrase(step: JsonObject) -> str:
    is_editorial = step["basis"] == "editorial" and step["from"]["type"] == "disability"
    label: str = step["label"]
    return EDITORIAL_VERBS.get(step["edge"], label) if is_editorial else label


def _typed_name(card: Mapping[str, Any], vocabulary: Vocabulary) -> str:
    return f"{vocabulary.types[card['type']].label.lower()} {card['name']}"


def no_path_reason(start: ResolvedEntity, end: ResolvedEntity, neighborhoods: Mapping[str, Neighborhood]) -> str:
    """Return why there is no path between two entities."""
    names = [entity.card["name"] for entity in (start, end)]
    if start.card["id"] == end.card["id"]:
        return f"Both are the same entity, {names[0]}."
    isolated = [entity.card["name"] for entity in (start, end) if not neighborhoods[entity.card["id"]].steps]
    if isolated:
        return f"{isolated[0]} has no relations in this release."
    is_complete = all(neighborhood.is_complete for neighborhood in neighborhoods.values())
    caveat = "" if is_complete else " Of hubs, only the strongest relations of each name were followed."
    return f"No path of up to four relations connects {names[0]} and {names[1]}.{caveat}"
