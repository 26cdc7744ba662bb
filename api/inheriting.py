"""What a narrower condition takes from the main conditions above it, marked `inherited`. Pure.

Where several speak for it, their lists become one: each entity once, with its greatest weight, best first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from api.vocabulary import Vocabulary

Body = dict[str, Any]
Heirloom = tuple[Mapping[str, Any], Mapping[str, Any]]
FIRST = 10  # edges of each name inside a record, as the indexer writes them


def merged(lists: Iterable[tuple[Mapping[str, Any], Sequence[Mapping[str, Any]]]]) -> list[Body]:
    """Edge items of several owners, given as (card, items): each says from whom it is inherited."""
    found: dict[str, Body] = {}
    for owner, items in lists:
        for item in items:
            known = found.get(item["id"])
            best = item if known is None or item["weight"] > known["weight"] else known
            whence = [*(known["inherited_from"] if known else ()), owner["id"]]
            sources = list(dict.fromkeys([*(known["sources"] if known else ()), *item["sources"]]))
            found[item["id"]] = {**best, "basis": "inherited", "sources": sources, "inherited_from": whence}
    return sorted(found.values(), key=lambda one: (-one["weight"], one["name"].casefold(), one["id"]))


def completed(record: Mapping[str, Any], left: Sequence[Heirloom], vocabulary: Vocabulary) -> Body:
    """The record of a narrower condition with what its speakers hand down, given as (card, heirlooms)."""
    lists: dict[str, list[tuple[Mapping[str, Any], Sequence[Mapping[str, Any]]]]] = {}
    groups: dict[str, Body] = {}
    for owner, one in left:
        for group in one["edges"]:
            groups.setdefault(group["name"], group)
            lists.setdefault(group["name"], []).append((owner, group["items"]))
    inherited = [
        {
            **groups[name],
            "total": record["inherits"]["totals"][name],
            "items": merged(found)[:FIRST],
            "url": f"{record['url']}/neighbors?edge={name}",
        }
        for name, found in lists.items()
    ]
    edges = sorted([*inherited, *record["edges"]], key=lambda group: list(vocabulary.edges).index(group["name"]))
    sources = {source["id"]: source for said in (record, *(one for _, one in left)) for source in said["sources"]}
    return {
        **record,
        "accommodation_ideas": _ideas(left),
        "edges": edges,
        "sources": list(sources.values()),
    }


def _ideas(left: Sequence[Heirloom]) -> list[Body]:
    """One idea for each heading; its solutions are the first ones of every speaker that has it."""
    found: dict[str, Body] = {}
    for owner, one in left:
        for idea in one["ideas"]:
            known = found.get(idea["heading"]["id"])
            if known is None:
                found[idea["heading"]["id"]] = {**idea, "inherited_from": [owner["id"]]}
                continue
            solutions = {card["id"]: card for card in (*known["solutions"], *idea["solutions"])}
            ranked = sorted(solutions.values(), key=lambda card: (-card["weight"], card["name"].casefold()))
            known |= {
                "solutions": ranked[: len(idea["solutions"])],
                "total": max(known["total"], idea["total"]),
                "inherited_from": [*known["inherited_from"], owner["id"]],
            }
    return list(found.values())
