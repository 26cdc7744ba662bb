"""Paths through the graph → what callers read: steps with their ends, and one sentence for the whole. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from api.naming import also_called

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from api.paths import Around, Path
    from api.places import Place
    from api.vocabulary import Vocabulary

Body = dict[str, Any]
HIERARCHY = ("broader", "narrower")  # join entities of one type, which need not be said again
# What the editors put under the condition whose accommodations come nearest need not be a kind of it.
NEAREST = {"broader": "stands under", "narrower": "stands above"}
LONGEST = "four"  # steps


def connection(path: Path, cards: Mapping[str, Body], vocabulary: Vocabulary) -> Body:
    """One path with everything a reader needs to check it."""
    steps = [
        {
            "from": cards[path.nodes[place]],
            "edge": link.edge,
            "label": vocabulary.edges[link.edge].label,
            "direction": vocabulary.edges[link.edge].direction,
            "to": cards[path.nodes[place + 1]],
            "weight": link.weight,
            "basis": link.basis,
            "sources": list(link.sources),
        }
        for place, link in enumerate(path.links)
    ]
    return {"score": path.score, "length": len(steps), "why": _sentence(steps, vocabulary), "steps": steps}


def _sentence(steps: Sequence[Body], vocabulary: Vocabulary) -> str:
    """The whole path in words: "The condition A can bring the limitation B, which is helped by …"."""
    parts = [f"The {_named(steps[0]['from'], vocabulary)}"]
    for place, step in enumerate(steps):
        name = step["to"]["name"] if step["edge"] in HIERARCHY else f"the {_named(step['to'], vocabulary)}"
        parts.append(f"{', which' if place else ''} {_does(step)} {name}")
    return f"{''.join(parts)}."


def _does(step: Body) -> str:
    nearest = step["basis"] == "editorial" and step["from"]["type"] == "disability"
    label: str = step["label"]
    return NEAREST.get(step["edge"], label) if nearest else label


def _named(card: Mapping[str, Any], vocabulary: Vocabulary) -> str:
    return f"{vocabulary.nouns[card['type']]} {card['name']}"


def why_none(start: Place, end: Place, around: Mapping[str, Around]) -> str:
    """Why there is nothing to show between two entities."""
    names = [place.card["name"] for place in (start, end)]
    if start.card["id"] == end.card["id"]:
        return f"Both are the same entity, {names[0]}."
    alone = [place.card["name"] for place in (start, end) if not around[place.card["id"]].links]
    if alone:
        return f"{alone[0]} is joined to nothing in this release."
    all_read = all(one.whole for one in around.values())
    reach = "" if all_read else " Of the relations of hubs, only the strongest of each name were followed."
    return f"No chain of up to {LONGEST} relations joins {names[0]} and {names[1]}.{reach}"


def namesakes(parameter: str, place: Place) -> list[Body]:
    """A warning where other entities are called so just as well."""
    return also_called(parameter, place.given, place.card, place.namesakes)
