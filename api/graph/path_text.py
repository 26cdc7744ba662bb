"""Describes a path as steps and one sentence, and explains why two entities have none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from api.problems import ambiguity_warnings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from api.graph.paths import Neighborhood, Path
    from api.graph.resolve import ResolvedEntity
    from schema.json_types import JsonObject
    from schema.vocabulary import Vocabulary

HIERARCHY = ("broader", "narrower")  # both ends have the same type, which the sentence names only once
# A condition that editors place under another one need not be a kind of it: the other's accommodations come nearest.
EDITORIAL_VERBS = {"broader": "is placed under", "narrower": "is placed above"}
MAX_STEPS = "four"


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
    return f"No path of up to {MAX_STEPS} relations connects {names[0]} and {names[1]}.{caveat}"


def entity_warnings(parameter: str, entity: ResolvedEntity) -> list[JsonObject]:
    """Return a warning if the text names other entities equally well."""
    return ambiguity_warnings(parameter, entity.text, entity.card, entity.alternatives)
