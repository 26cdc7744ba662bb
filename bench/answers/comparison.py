"""Differences between two bodies of the same request.

Every difference has a class, such as `neighbors: order`. Items of lists are matched by id: an item in only one of both
lists is a difference of ids, and the order is compared among the items in both.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

Body = Mapping[str, Any]

# Scores are rounded to six digits: a difference of one in the last digit is equal, whatever its floating-point error.
TOLERANCE = 1.001e-6
IGNORED = frozenset({"provenance", "notice", "released"})
PAGING = frozenset({"results", "limit", "offset", "next", "prev"})
ABSENT = "(absent)"
NEIGHBOR_RANKING = ("weight", "importance", "level", "tier", "rank", "main", "first_choice")


class Difference(NamedTuple):
    """Two values that differ: their class, the item or field they belong to, and both values."""

    kind: str
    item: str
    before: Any
    after: Any


class Listing(NamedTuple):
    """How the items of one list are compared.

    `ranking` names the fields that two items in different order must share to be a tie; `nested` and `skipped` fields
    are not compared as values.
    """

    kind: str
    key: Callable[[Any], str]
    keys: str = "ids"
    fact: str = ""
    ranking: Sequence[str] = ()
    skipped: frozenset[str] = frozenset()


def _id(item: Body) -> str:
    return str(item["id"])


def _heading(idea: Body) -> str:
    heading = idea.get("heading") or {}
    return str(heading.get("id") or heading.get("name"))


EDGES = Listing("record: edge", lambda edge: str(edge["name"]), keys="names", skipped=frozenset({"items"}))
EDGE_ITEMS = Listing("record: edge item", _id, fact="fact ", ranking=NEIGHBOR_RANKING)
IDEAS = Listing("record: idea", _heading, keys="headings", skipped=frozenset({"heading", "solutions"}))
IDEA_SOLUTIONS = Listing("record: idea solution", _id, ranking=("weight",))
NEIGHBORS = Listing("neighbors:", _id, fact="fact ", ranking=NEIGHBOR_RANKING)
RELATED = Listing("related:", _id, ranking=("score",))
# `rank` is the position, which the order covers.
RECOMMENDED = Listing("recommend:", _id, ranking=("score",), skipped=frozenset({"rank"}))
ENTITIES = Listing("entities:", str)


def same(before: Any, after: Any) -> bool:  # noqa: ANN401 - any JSON value
    """Return whether two JSON values are equal, apart from ignored fields and differences within the tolerance."""
    if before == after:
        return True
    if isinstance(before, int | float) and isinstance(after, int | float):
        return abs(before - after) <= TOLERANCE
    if isinstance(before, list) and isinstance(after, list):
        return len(before) == len(after) and all(map(same, before, after))
    if isinstance(before, dict) and isinstance(after, dict):
        names = (before.keys() | after.keys()) - IGNORED
        return all(name in before and name in after and same(before[name], after[name]) for name in names)
    return False


def compare_fields(prefix: str, item: str, before: Body, after: Body, skipped: Collection[str]) -> Iterator[Difference]:
    """Yield the differing fields of two objects."""
    for name in dict.fromkeys((*before, *after)):
        values = before.get(name, ABSENT), after.get(name, ABSENT)
        if name not in skipped and name not in IGNORED and not same(*values):
            yield Difference(f"{prefix}{name}", item, *values)


def keyed(items: Sequence[Any], key: Callable[[Any], str]) -> dict[str, Any]:
    """Return items by key. Repeated keys are numbered, so that no item is lost."""
    found: dict[str, Any] = {}
    for item in items:
        name, number = key(item), 1
        while (unique := name if number == 1 else f"{name} #{number}") in found:
            number += 1
        found[unique] = item
    return found


def compare_lists(listing: Listing, before: Sequence[Any], after: Sequence[Any]) -> Iterator[Difference]:
    """Yield the items in only one list, the positions whose items differ, and the differing fields of shared items."""
    old, new = keyed(before, listing.key), keyed(after, listing.key)
    yield from (Difference(f"{listing.kind} {listing.keys}", name, name, None) for name in old if name not in new)
    yield from (Difference(f"{listing.kind} {listing.keys}", name, None, name) for name in new if name not in old)
    in_both = [name for name in old if name in new], [name for name in new if name in old]
    for position, (first, second) in enumerate(zip(*in_both, strict=True), 1):
        if first != second:
            tied = all(_tied(items[first], items[second], listing.ranking) for items in (old, new))
            yield Difference(f"{listing.kind} order{' of ties' * tied}", f"position {position}", first, second)
    if listing is not ENTITIES:
        prefix = f"{listing.kind} {listing.fact}"
        for name in in_both[0]:
            yield from compare_fields(prefix, name, old[name], new[name], listing.skipped | {"id"})


def _tied(first: Body, second: Body, ranking: Sequence[str]) -> bool:
    ranked = [name for name in ranking if first.get(name) is not None or second.get(name) is not None]
    return bool(ranked) and all(same(first.get(name), second.get(name)) for name in ranked)


def _compare_nested(
    outer: Listing, inner: Listing, field: str, before: Sequence[Body], after: Sequence[Body]
) -> Iterator[Difference]:
    """Yield the differences of two lists of objects, and those of the list in a field of each object."""
    yield from compare_lists(outer, before, after)
    old, new = keyed(before, outer.key), keyed(after, outer.key)
    for name in old:
        if name in new:
            for difference in compare_lists(inner, old[name].get(field) or (), new[name].get(field) or ()):
                yield difference._replace(item=f"{name} {difference.item}")


def compare_records(before: Body, after: Body) -> Iterator[Difference]:
    """Yield the differences of two records; their sources are compared as sets of ids."""
    lists = frozenset({"edges", "accommodation_ideas", "sources"})
    yield from compare_fields("record: ", "", before, after, lists)
    yield from _compare_nested(EDGES, EDGE_ITEMS, "items", before.get("edges") or (), after.get("edges") or ())
    ideas = [body.get("accommodation_ideas") or () for body in (before, after)]
    yield from _compare_nested(IDEAS, IDEA_SOLUTIONS, "solutions", *ideas)
    sources = [sorted({source["id"] for source in body.get("sources") or ()}) for body in (before, after)]
    if sources[0] != sources[1]:
        yield Difference("record: sources", "", *sources)


def compare_pages(listing: Listing, before: Body, after: Body) -> Iterator[Difference]:
    """Yield the differences of two pages of results: those of the page itself, then those of its items."""
    yield from compare_fields(f"{listing.kind} page ", "", before, after, PAGING)
    yield from compare_lists(listing, before["results"], after["results"])
