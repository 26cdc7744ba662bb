"""Results as short text for MCP clients: names, ids, reasons, next calls, notice.

Each text is sufficient without the structured content and has at most MAX_TEXT characters. Long results get shorter
reasons first; then results are left out. Names and ids are never cut.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from schema.market_rules import WITHDRAWN

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Line = tuple[str, str]  # a part that is never cut, and one that may be

MAX_TEXT = 5_900  # characters
WIDTHS = (400, 260, 160, 90, 45, 0)  # characters per reason; the first width at which all results fit
READABLE = 160  # below this width a note says that reasons were shortened
FEW = 5  # names in a list on one line
ALL = 40
ALIASES = 8
SOURCES = 4
MAX_CONNECTIONS, MAX_RELATED = 20, 50  # the largest limits of the tools whose results have one page

FROM_HERE = {
    "disability": "recommend_accommodations with disability=<id>; related_conditions for similar conditions",
    "limitation": "recommend_accommodations with limitation=<id>",
    "workrelatedfunction": "recommend_accommodations with work_function=<id>",
    "solution": "get_related with edge=implemented_by for products, edge=recommended_for for what it is listed for",
    "product": "get_related with edge=sold_by for the vendor, edge=implements for its uses",
    "vendor": "get_related with edge=sells for its products",
    "occupation": "recommend_accommodations with occupation=<id> beside a condition or limitation",
    "ability": "get_related with edge=limited_by for what can limit it, edge=required_by for jobs",
}


def search_text(body: Mapping[str, Any]) -> str:
    """Return the text of a SearchPage."""
    found = body["results"]
    head = [_counted(body, f"for ‘{_cut(body['query'], 120)}’")]
    if body["corrected"]:
        head.append(f"Nothing matched as written; these are results for ‘{body['corrected']['to']}’.")
    elif not body["total"]:
        head.append(_other_words(body["synonyms"]))
    lines = [(_name(hit), f"{_matched(hit['match'])}. {hit['summary']}") for hit in found]
    tail = [_read_as(one) for one in body["synonyms"][:FEW]]
    others = [f"‘{one['query']}’ ({one['total']:,})" for one in body["did_you_mean"]]
    tail += [f"Did you mean {', '.join(others)}?"] if others and not body["corrected"] else []
    types = body["facets"]["type"]
    tail += [f"By type: {', '.join(f'{kind} {number:,}' for kind, number in types.items())}."] if types else []
    return _page(head, lines, [*tail, *_next(found)], body)


def _other_words(readings: Sequence[Mapping[str, Any]]) -> str:
    """How to ask again after nothing was found."""
    kind = next((one["from"] for one in readings if one["kind"] == "scope"), None)
    if kind:
        return f"Look for the name without ‘{kind}’, then follow an edge from it with get_related."
    return "Try other words: one subject at a time, two or three words, everyday or technical."


def _read_as(one: Mapping[str, Any]) -> str:
    what = "asks for the type" if one["kind"] == "scope" else "was read as:"
    return f"‘{one['from']}’ {what} {_cut(one['to'], 160)}."


def _matched(match: Mapping[str, Any]) -> str:
    """Why a hit is there, in few words."""
    text = _cut(match["text"], 80)
    return {
        "id": "by its id",
        "name": f"by its name ‘{text}’",
        "alias": f"also called ‘{text}’",
        "synonym": f"by a synonym rule, through ‘{text}’",
        "spelling": f"after a correction, through ‘{text}’",
        "prefix": f"the words begin words of ‘{text}’",
        "description": "by its summary and what it is joined to",
    }[match["kind"]]


def cards_text(body: Mapping[str, Any]) -> str:
    """Return the text of a CardPage."""
    lines = [(_name(one), one["summary"]) for one in body["results"]]
    return _page([_counted(body, "by name")], lines, _next(body["results"]), body)


def neighbors_text(body: Mapping[str, Any]) -> str:
    """Return the text of a NeighborPage."""
    head = [_counted(body, f"at the end of edge {body['edge']} from {_name(body['entity'])}, strongest first")]
    if not body["total"]:
        head.append("get_entity shows which edges it has.")
    lines = [(_name(one), f"{_facts(one)}. {one['summary']}") for one in body["results"]]
    return _page(head, lines, _next(body["results"]), body)


def related_text(body: Mapping[str, Any]) -> str:
    """Return the text of a RelatedPage."""
    head = [_counted(body, f"most like {_name(body['entity'])}, by the limitations both can bring")]
    most = FEW if len(body["results"]) > 1 else ALL
    lines = [
        (
            _name(one),
            f"score {one['score']:.2f}; {one['shared_total']} shared limitations: {_names(one['shared'], most)}.",
        )
        for one in body["results"]
    ]
    tail = ["The reasons in full, for one of them: the same call with other=<id>."] if len(body["results"]) > 1 else []
    return _page(head, lines, tail, {**body, "ceiling": MAX_RELATED})


def connections_text(body: Mapping[str, Any]) -> str:
    """Return the text of a ConnectionPage."""
    head = [_counted(body, f"between {_name(body['from']['entity'])} and {_name(body['to']['entity'])}")]
    head += [body["reason"]] if body["reason"] else []
    lines = [(_steps(one["length"]), _chain(one)) for one in body["results"]]
    return _page(
        head, lines, ["get_entity tells more of what stands in between."], {**body, "ceiling": MAX_CONNECTIONS}
    )


def _steps(length: int) -> str:
    return f"By {length} relations" if length > 1 else "At once"


def _chain(one: Mapping[str, Any]) -> str:
    ids = [one["steps"][0]["from"]["id"], *(step["to"]["id"] for step in one["steps"])]
    return f"{one['why']} [{' > '.join(ids)}]"


def recommend_text(body: Mapping[str, Any]) -> str:
    """Return the text of a RecommendPage."""
    seeds = [f"{seed['field']} {_name(seed['entity'])}" for seed in body["seeds"]]
    head = [_counted(body, f"recommended for {', '.join(seeds)}")]
    lines = [(_name(one), f"score {one['score']:.2f}. {_reason(one)}{_products(one)}") for one in body["results"]]
    served = [f"{one['entity']['name']} {one['solutions']}" for one in body["coverage"][: 2 * FEW]]
    tail = [f"Accommodations for each need: {', '.join(served)}."] if served else []
    return _page(head, lines, [*tail, *_next(body["results"])], body)


def _reason(one: Mapping[str, Any]) -> str:
    reason: str = one["why"].removeprefix(f"{one['name']}: ")
    return f"{reason[:1].upper()}{reason[1:]}"


def _products(one: Mapping[str, Any]) -> str:
    products = [
        f"{_name(two)}" + (f" by {two['vendor']['name']}" if two["vendor"] else "") for two in one["products"][:2]
    ]
    return f" Products: {'; '.join(products)}." if products else ""


def entity_text(body: Mapping[str, Any], most: int = MAX_TEXT) -> str:
    """Return the text of a Record."""
    head = [f"{_name(body)} is {_a(body['type'])}. {body['summaries'].get('plain') or body['summary']}"]
    names = [alias["text"] for alias in body["aliases"]]
    head += [_cut(f"Also called: {_names(names, ALIASES)}.", WIDTHS[0])] if names else []
    facts = {**body["attributes"], **body["external_ids"]}
    head += [f"Facts: {', '.join(f'{name} {value}' for name, value in facts.items())}."] if facts else []
    lines = [
        (f"{group['name']} ({group['label']}), {group['total']:,}", _linked(group["items"], group["total"]))
        for group in body["edges"]
    ]
    lines += [
        (f"Listed under {idea['heading']['name']}", _linked(idea["solutions"][:2], 2))
        for idea in body["accommodation_ideas"]
        if idea["solutions"]
    ]
    tail = ["Everything at the end of an edge: get_related with this id and the edge.", *_next([body])]
    return _page(head, lines, tail, body, numbered=False, most=most)


def graph_text(body: Mapping[str, Any]) -> str:
    """Return the text of a GraphSummary."""
    totals = body["totals"]
    head = [f"The graph has {totals['entities']:,} entities and {totals['edges']:,} relations."]
    lines = [(f"type {one['name']}, {one['total']:,}", one["description"]) for one in body["types"]]
    lines += [
        (f"edge {one['name']}, {one['total']:,}", f"{_pairs(one['pairs'])}; the other way: {one['inverse']}")
        for one in body["edges"]
        if one["direction"] == "out"
    ]
    said = [source["attribution"] for source in body["provenance"]["sources"] if source["attribution"]]
    tail = ["An id is type:key. get_related follows an edge in either direction.", *said]
    return _page(head, lines, tail, body, numbered=False)


def _pairs(pairs: Sequence[Sequence[str]]) -> str:
    return ", ".join(f"{source} → {target}" for source, target in pairs)


def _name(card: Mapping[str, Any]) -> str:
    """Name and id, and a word where it cannot be had any more."""
    status = (card.get("market_verification") or {}).get("status")
    gone = f" ({status})" if status in WITHDRAWN else ""
    return f"{card['name']} [{card['id']}]{gone}"


def _linked(items: Sequence[Mapping[str, Any]], total: int) -> str:
    shown = [_name(one) for one in items[:FEW]]
    rest = [f"and {total - len(shown):,} more"] if total > len(shown) else []
    return "; ".join([*shown, *rest])


def _names(items: Sequence[Any], most: int = FEW) -> str:
    shown = [one if isinstance(one, str) else one["name"] for one in items[:most]]
    rest = len(items) - len(shown)
    return "; ".join([*shown, *([f"and {rest} more"] if rest > 0 else [])])  # names hold commas


def _facts(one: Mapping[str, Any]) -> str:
    parts = [f"weight {one['weight']:.2f}", f"basis {one['basis']}"]
    parts += [f"{name} {one[name]}" for name in ("importance", "level", "rank") if name in one]
    parts += [one["reason"].rstrip(".")] if one.get("reason") else []
    return ", ".join(parts)


def _counted(body: Mapping[str, Any], what: str) -> str:
    shown, total, offset = len(body["results"]), body["total"], body["offset"]
    if not shown:
        return f"No results {what}." if not total else f"No results after place {offset}: there are {total:,} {what}."
    if shown == total:
        return f"{total:,} {'result' if total == 1 else 'results'} {what}."
    return f"Results {offset + 1}–{offset + shown} of {total:,} {what}."


def _next(found: Sequence[Mapping[str, Any]]) -> list[str]:
    """What to call from the types that lead the answer."""
    kinds = list(dict.fromkeys(one["type"] for one in found[:FEW]))[:2]
    return [f"From {_a(kind)}: {FROM_HERE[kind]}." for kind in kinds]


def _a(kind: str) -> str:
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"


def _page(
    head: Sequence[str],
    lines: Sequence[Line],
    tail: Iterable[str],
    body: Mapping[str, Any],
    *,
    numbered: bool = True,
    most: int = MAX_TEXT,
) -> str:
    """Head, what fits of the lines, how to go on, what had no effect, sources and notice."""
    first = body.get("offset", 0) + 1 if numbered else None
    warned = [_cut(f"Note: {one['message']}", WIDTHS[0]) for one in body.get("warnings", ())]
    ending = [*warned, *tail, _sources(body), body["notice"]["text"]]
    room = most - sum(len(one) + 1 for one in (*head, *ending)) - 200  # for the lines that say how to see more
    for width in WIDTHS:
        shown = [_line(one, width, first, place) for place, one in enumerate(lines)]
        if sum(len(one) + 1 for one in shown) <= room:
            break
    while shown and sum(len(one) + 1 for one in shown) > room:
        del shown[-max(1, len(shown) // 20) :]
    parts = (
        ["Reasons are shortened to fit; a smaller limit shows more of each."] if numbered and width < READABLE else []
    )
    return "\n".join([*head, *shown, *parts, *_more(body, len(lines), len(shown)), *ending])


def _line(line: Line, width: int, first: int | None, place: int) -> str:
    name, rest = line
    number = f"{first + place}. " if first is not None else ""
    return f"{number}{name}: {_cut(rest, width)}" if width else f"{number}{name}"


def _more(body: Mapping[str, Any], there: int, shown: int) -> list[str]:
    """How to see what this text leaves out, and what comes after it."""
    if shown < there and body.get("next"):
        return [f"{there - shown} results of this page are left out: ask with offset={body['offset'] + shown}."]
    if shown < there:
        return [f"{there - shown} lines are left out here; structuredContent has them."]
    if "total" not in body or body["offset"] + there >= body["total"] or not there:
        return []
    if body.get("next"):
        return [f"More: the same call with offset={body['offset'] + there}."]
    ceiling = body.get("ceiling", body["total"])
    if body["limit"] >= ceiling:
        return [f"These are the first {there}; no call gives more than {ceiling}."]
    return [f"More: the same call with limit={min(body['total'], 2 * body['limit'], ceiling)}."]


def _sources(body: Mapping[str, Any]) -> str:
    sources = body["provenance"]["sources"]
    titles = [f"{source['title']}, {source['licence']}" for source in sources[:SOURCES]]
    rest = [f"and {len(sources) - SOURCES} more"] if len(sources) > SOURCES else []
    return f"Sources: {'; '.join([*titles, *rest])}. Data version {body['provenance']['data_version']}."


def _cut(text: str, most: int) -> str:
    """The beginning of a text, broken neither inside an id nor inside a word."""
    if len(text) <= most:
        return text
    kept = text[: most - 1]
    if kept.rfind("[") > kept.rfind("]"):
        kept = kept[: kept.rfind("[")]
    kept = kept.rpartition(" ")[0] or kept
    return f"{kept.rstrip(' ;,:.')}…"
