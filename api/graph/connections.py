"""Finds and describes the paths between two entities.

It takes at most three requests to OpenSearch, whatever the size of the graph. The first resolves both ends and reads
the arrays of their neighbors. The second reads their strongest edges and, unless there are enough short paths already,
the entities between them. The third reads the edges between these. Limitations, functions and abilities, through which
most paths lead, are cached.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from api.engine.release import EngineResponse, Hit, Release
from api.engine.search_engine import SearchEngine
from api.graph import query_bodies
from api.graph.catalogue import Catalogue
from api.graph.edges import edge_card, edges_by_entity
from api.graph.guidance import Subject, reasons_for
from api.graph.listings import Condition
from api.graph.paths import (
    EDGE_NAMES,
    MAX_CANDIDATES,
    MAX_EDGES,
    Candidate,
    Intermediate,
    Links,
    Neighborhood,
    Pair,
    Path,
    PathEndpoints,
    PathStep,
    best_steps,
    select_paths,
    stated_links,
)
from api.graph.products import SourcedCard
from api.graph.resolve import EntityReference, ResolvedEntity, resolve_entities
from api.result import ServiceResult, ambiguity_warnings, single_page
from schema.entity_kinds import CONDITION, NEED_TYPES
from schema.json_types import JsonObject
from schema.vocabulary import Vocabulary

SOLUTIONS = "solution:"  # begins their ids
ENOUGH_SHORT_PATHS = 20  # with as many paths of up to two steps, longer ones are not searched; also the largest limit
MAX_INNER_ENTITIES = 200  # read between the ends for paths of three steps, and as many for four
HIERARCHY = ("broader", "narrower")  # both ends have the same type, which the sentence names only once
# Of solutions that recommendations leave out.
LISTED_LABELS = {"recommends": "is listed with", "recommended_for": "is listed for"}
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


async def get_connections(
    engine: SearchEngine, catalogue: Catalogue, vocabulary: Vocabulary, request: ConnectionsRequest
) -> ServiceResult:
    """Return short paths between two entities, the most informative first."""
    references = {"from": request.start, "to": request.end}
    entities, release = await resolve_entities(engine, references)
    start, end = entities["from"], entities["to"]
    differ = start.card["id"] != end.card["id"]
    between = await _read_between(engine, catalogue, (start, end), release) if differ else Between({}, {}, {}, {})
    paths, cards, total = (
        await _find_paths(engine, catalogue, vocabulary.inverses, between, release) if differ else ([], {}, 0)
    )
    chosen = [
        path if path.nodes[0] == start.card["id"] else path.reverse(vocabulary.inverses)
        for path in select_paths(paths, request.limit)
    ]
    card_by_id = {entity.card["id"]: entity.card for entity in (start, end)}
    sources = [source for path in chosen for step in path.steps for source in step.sources]
    for node in dict.fromkeys(node for path in chosen for node in path.nodes[1:-1]):
        card_by_id[node], card_sources = cards[node] if node in cards else _neighbor_card(node, between)
        sources += card_sources
    reasons = await _reasons_against(catalogue, (start, end), chosen, release)
    results = [describe_path(path, card_by_id, vocabulary, reasons) for path in chosen]
    body: JsonObject = {
        **{
            name: {"given": entity.text, "entity": entity.card, "matched_by": entity.matched_by}
            for name, entity in entities.items()
        },
        "results": results,
        "reason": None if results else no_path_reason(start, end, between.neighborhoods),
        **single_page(total, request.limit),
    }
    ambiguities = [
        ambiguity_warnings(name, entity.text, entity.card, entity.alternatives) for name, entity in entities.items()
    ]
    if warnings := list(chain.from_iterable(ambiguities)):
        body["warnings"] = warnings
    return ServiceResult(body, release, [*start.sources, *end.sources, *sources])


async def _reasons_against(
    catalogue: Catalogue, ends: Iterable[ResolvedEntity], paths: Iterable[Path], release: Release
) -> Mapping[str, str]:
    """Return whose recommendations leave out solutions on the paths, and why, by id."""
    subjects = [Subject.parse(end.card, end.document) for end in ends if end.card["type"] in {CONDITION, *NEED_TYPES}]
    ids = [node for path in paths for node in path.nodes if node.startswith(SOLUTIONS)]
    if not subjects or not ids:
        return {}
    solutions = await catalogue.solutions(ids, release)
    reasons: dict[str, str] = {}
    for subject in subjects:
        for id_, reason in reasons_for(subject, solutions, release.sides).items():
            text = f"Recommendations for {subject.name} leave {solutions[id_].card['name']} out: {reason}"
            reasons.setdefault(id_, text)
    return reasons


@dataclass(frozen=True, slots=True)
class Between:
    """The neighborhoods of both ends, and the links of the entities that may be between them.

    `shared` may be neighbors of one end with an edge to neighbors of the other, `bridging` entities may have edges to
    both. `intermediates` are those that are cached.
    """

    neighborhoods: Mapping[str, Neighborhood]
    shared: Mapping[str, Links]
    bridging: Mapping[str, Links]
    intermediates: Mapping[str, Intermediate]


def _neighbor_card(node: str, between: Between) -> SourcedCard:
    """Return the card of a neighbor of an end."""
    edge = next(ends.edges[node] for ends in between.neighborhoods.values() if node in ends.edges)
    return SourcedCard(edge_card(edge), edge["target_sources"])


async def _read_between(
    engine: SearchEngine, catalogue: Catalogue, ends: Sequence[ResolvedEntity], release: Release
) -> Between:
    """Read the neighborhoods of both ends and, unless these have enough in common, the entities between them."""
    parents = {end.card["id"]: end.document.get("inherits_from", ()) for end in ends}
    conditions = await catalogue.conditions(chain.from_iterable(parents.values()), release)
    linked = {end.card["id"]: _linked(end, [conditions[parent] for parent in parents[end.card["id"]]]) for end in ends}
    (start, near), (end, far) = linked.items()
    bodies = [query_bodies.end_pages_body([start, end])]
    cached: Mapping[str, Intermediate] = {}
    if near and far and len(near & far) < ENOUGH_SHORT_PATHS:
        cached = await catalogue.intermediates(release)
        small, large = sorted((sorted(near), sorted(far)), key=len)
        known = (start, end, *cached)
        bodies.append(query_bodies.shared_neighbors_body(small, large, known, MAX_INNER_ENTITIES))
        bodies.append(query_bodies.bridging_entities_body(small, large, known, MAX_INNER_ENTITIES))
    pages, *inner = await engine.search_all(bodies, of=release)
    edges = edges_by_entity(pages)
    totals: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for hit in pages.hits:
        totals[hit.document["entity"]][hit.document["edge"]] = hit.document["total"]
    neighborhoods = {
        node: Neighborhood.parse(edges.get(node, {}), totals[node]).inherit(conditions[p] for p in parents[node])
        for node in linked
    }
    shared, bridging = (map(_links_by_entity, inner)) if inner else ({}, {})
    links = {node: intermediate.links for node, intermediate in cached.items() if node not in linked}
    return Between(neighborhoods, shared | links, bridging | links, cached)


def _links_by_entity(response: EngineResponse) -> dict[str, Links]:
    return {hit.fields["entity"][0]: stated_links(hit.fields) for hit in response.hits}


def _linked(end: ResolvedEntity, parents: Iterable[Condition]) -> set[str]:
    """Return the neighbors of an end: the strongest of each edge name, and what it inherits."""
    arrays = [end.document[name] for name in EDGE_NAMES if name in end.document]
    arrays += [[edge["target"] for edge in parent.edges.get("recommends", ())] for parent in parents]
    return {target for targets in arrays for target in targets[:MAX_EDGES]}


async def _find_paths(
    engine: SearchEngine, catalogue: Catalogue, inverses: Mapping[str, str], between: Between, release: Release
) -> tuple[list[Path], Mapping[str, SourcedCard], int]:
    """Return the best paths, the cards of the entities in their middles, and the number of all paths.

    Only the weights of the most promising paths are read: the arrays tell that the others exist. The search starts at
    the end with fewer neighbors, so both directions find the same paths.
    """
    (start, near), (end, far) = sorted(between.neighborhoods.items(), key=lambda item: (len(item[1].steps), item[0]))
    endpoints = PathEndpoints(start, end, near.steps, far.steps, inverses)
    short = endpoints.short_paths()
    shared = {node: links for node, links in between.shared.items() if node in near.steps}
    candidates = endpoints.candidates(shared, between.bridging)
    total = len(short) + len(candidates)
    if not candidates:
        return short, {}, total
    promising = candidates[:MAX_CANDIDATES]
    middles = {candidate.middle for candidate in promising if candidate.middle}
    steps = await _read_inner_steps(engine, between.intermediates, inverses, promising, release)
    cards = await catalogue.cards(middles - near.edges.keys() - far.edges.keys(), release)
    return [*short, *endpoints.long_paths(promising, steps)], cards, total


async def _read_inner_steps(
    engine: SearchEngine,
    cached: Mapping[str, Intermediate],
    inverses: Mapping[str, str],
    candidates: Iterable[Candidate],
    release: Release,
) -> Mapping[Pair, PathStep]:
    """Return the best step of each pair of inner entities: some are cached, the others are read from pages."""
    pairs = sorted({pair for candidate in candidates for pair in candidate.pairs})
    others = [pair for pair in pairs if cached.keys().isdisjoint(pair)]
    response = await engine.search(query_bodies.inner_edges_body(others), of=release) if others else None
    steps = page_steps(response.hits) if response else {}
    for first, second in pairs:
        known = cached[first].steps.get(second) if first in cached else None
        if not known and second in cached and (back := cached[second].steps.get(first)):
            known = back.reverse(inverses)
        if known:
            steps[first, second] = known
    return steps


def page_steps(pages: Iterable[Hit]) -> dict[Pair, PathStep]:
    """Return the best step of each pair of entities, from the hits of `inner_edges_body`."""
    steps: list[tuple[Pair, PathStep]] = []
    for hit in pages:
        (node,), (name,), (total,) = (hit.fields[field] for field in ("entity", "edge", "total"))
        steps += [((node, edge["target"]), PathStep.parse(name, edge, int(total))) for edge in hit.nested]
    return best_steps(steps)


def describe_path(
    path: Path, card_by_id: Mapping[str, JsonObject], vocabulary: Vocabulary, reasons: Mapping[str, str]
) -> JsonObject:
    """Return one result: the sentence, and each step with the cards of its ends, its weight, basis and sources.

    `reasons` are sentences on solutions that recommendations for an end leave out, by id: these are only listed.
    """
    steps = [
        {
            "from": card_by_id[path.nodes[index]],
            "edge": step.edge,
            "label": _label(step.edge, path.nodes[index : index + 2], vocabulary, reasons),
            "direction": vocabulary.edges[step.edge].direction,
            "to": card_by_id[path.nodes[index + 1]],
            "weight": step.weight,
            "basis": step.basis,
            "sources": list(step.sources),
        }
        for index, step in enumerate(path.steps)
    ]
    wrong = [node for node in path.nodes if node in reasons]
    warnings = "".join(f" {reasons[node]}" for node in wrong)
    why = f"{_sentence(steps, vocabulary)}{warnings}"
    return {"score": path.score, "length": len(steps), "why": why, "steps": steps}


def _label(edge: str, nodes: Iterable[str], vocabulary: Vocabulary, reasons: Mapping[str, str]) -> str:
    """Return an edge in words; it is not said that what recommendations leave out helps."""
    is_wrong = edge in LISTED_LABELS and not reasons.keys().isdisjoint(nodes)
    return LISTED_LABELS[edge] if is_wrong else vocabulary.edges[edge].label


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
