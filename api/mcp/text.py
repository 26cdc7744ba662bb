"""Results as short text for MCP clients: names, ids, reasons, next calls, notice.

Each text is sufficient without the structured content and has at most MAX_TEXT characters. Long results get shorter
reasons first; then results are left out. Names and ids are never cut.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from api.mcp.question_text import guide_lines, understood_lines
from api.request_text import shorten
from schema.entity_kinds import type_noun
from schema.market_rules import WITHDRAWN
from schema.text import with_article

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
    "disability": "recommend_accommodations with disability=<id>; related_conditions for related ones",
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
    hits = body["results"]
    head = [*guide_lines(body), _counted(body, f"for ‘{cut(body['query'], 120)}’")]
    if body["corrected"]:
        head.append(f"Nothing matched as written; these are results for ‘{body['corrected']['to']}’.")
    elif not body["total"]:
        head.append(_other_words(body["synonyms"]))
    lines = [(_name(hit), f"{_matched(hit['match'])}. {hit['summary']}") for hit in hits]
    tail = [_read_as(reading) for reading in body["synonyms"][:FEW]]
    if body["ignored_words"]:
        tail.append(f"Not used, because too few entities have it: {', '.join(body['ignored_words'])}.")
    if body["less_likely"]:
        tail.append(f"{body['less_likely']['total']:,} less likely results: the same call with matching=loose.")
    others = [f"‘{suggestion['query']}’ ({suggestion['total']:,})" for suggestion in body["did_you_mean"]]
    tail += [f"Did you mean {', '.join(others)}?"] if others and not body["corrected"] else []
    types = body["facets"]["type"]
    tail += [f"By type: {', '.join(f'{kind} {number:,}' for kind, number in types.items())}."] if types else []
    return _page(head, lines, [*tail, *_next(hits)], body)


def _other_words(readings: Sequence[Mapping[str, Any]]) -> str:
    """Return what to search for instead, after a search without results."""
    kind = next((reading["from"] for reading in readings if reading["kind"] == "scope"), None)
    if kind:
        return f"Search for the name without ‘{kind}’, then follow an edge from it with get_related."
    return "Try other words: one subject at a time, two or three words, everyday or technical."


def _read_as(reading: Mapping[str, Any]) -> str:
    kinds = {"scope": "was interpreted as the type", "setting": "was interpreted as the setting"}
    verb = kinds.get(reading["kind"], "was interpreted as:")
    return f"‘{reading['from']}’ {verb} {cut(reading['to'], 160)}."


def _matched(match: Mapping[str, Any]) -> str:
    """Return why a hit matches, in few words."""
    text = cut(match["text"], 80)
    return {
        "pinned": "pinned by the operator",
        "id": "by its id",
        "name": f"by its name ‘{text}’",
        "alias": f"also called ‘{text}’",
        "synonym": f"by a synonym rule, through ‘{text}’",
        "spelling": f"after a correction, through ‘{text}’",
        "prefix": f"by beginnings of words in ‘{text}’",
        "description": "by its summary or related entities",
    }[match["kind"]]


def cards_text(body: Mapping[str, Any]) -> str:
    """Return the text of a CardPage; with `linked_to`, each entity has its links, and the page its facets."""
    lines = [(_name(card), f"{_links(card.get('links', ()))}{card['summary']}") for card in body["results"]]
    tail = [*_facets(body), *_next(body["results"])]
    return _page([_counted(body, "by name")], lines, tail, body)


def _links(links: Sequence[Mapping[str, Any]]) -> str:
    """Return the edges of an entity to those in `linked_to`, first the stated ones."""
    text = ""
    for label, is_inherited in (("Stated", False), ("Inherited", True)):
        edges = [f"{link['edge']} [{link['linked_to']}]" for link in links if link["inherited"] == is_inherited]
        text += f"{label}: {_listed(edges, len(edges))}. " if edges else ""
    return text


def _facets(body: Mapping[str, Any]) -> list[str]:
    """Return the most frequent values of each facet, without those in `linked_to`, which narrow nothing."""
    linked = {link["linked_to"] for card in body["results"] for link in card.get("links", ())}
    texts = []
    for edge, entries in body.get("facets", {}).items():
        others = [entry for entry in entries if linked and entry["entity"]["id"] not in linked]
        values = [f"{_name(entry['entity'])} {entry['total']:,}" for entry in others[:FEW]]
        while len("; ".join(values)) > WIDTHS[0]:
            values.pop()
        if values:
            texts.append(f"Facets of {edge}, to narrow the list by linked_to: {'; '.join(values)}.")
    return texts


def neighbors_text(body: Mapping[str, Any], sort: str = "weight") -> str:
    """Return the text of a NeighborPage in this order."""
    order = "by name" if sort == "name" else "strongest first"
    head = [_counted(body, f"at the end of edge {body['edge']} from {_name(body['entity'])}, {order}")]
    if not body["total"]:
        head.append("get_entity shows which edges it has.")
    lines = [(_name(card), f"{_facts(card)}. {_left_out_reason(card)}{card['summary']}") for card in body["results"]]
    return _page(head, lines, _next(body["results"]), body)


def _left_out_reason(card: Mapping[str, Any]) -> str:
    return f"Recommendations leave it out: {card['left_out']} " if card.get("left_out") else ""


def related_text(body: Mapping[str, Any]) -> str:
    """Return the text of a RelatedPage."""
    head = [_counted(body, f"related to {_name(body['entity'])}")]
    lines = []
    for card in body["results"]:
        reason = f"score {card['score']:.2f}; {card['why']}"
        if len(body["results"]) == 1 and card["shared"]:
            shared = _listed([limitation["name"] for limitation in card["shared"]], card["shared_total"], ALL)
            reason = f"{reason} Shared: {shared}."
        lines.append((_name(card), reason))
    tail = ["The reasons in full, for one of them: the same call with other=<id>."] if len(body["results"]) > 1 else []
    return _page(head, lines, tail, {**body, "ceiling": MAX_RELATED})


def connections_text(body: Mapping[str, Any]) -> str:
    """Return the text of a ConnectionPage."""
    head = [_counted(body, f"between {_name(body['from']['entity'])} and {_name(body['to']['entity'])}")]
    head += [body["reason"]] if body["reason"] else []
    lines = []
    for path in body["results"]:
        length = f"{path['length']} relations" if path["length"] > 1 else "1 relation"
        ids = [path["steps"][0]["from"]["id"], *(step["to"]["id"] for step in path["steps"])]
        lines.append((length, f"{path['why']} [{' > '.join(ids)}]"))
    tail = ["get_entity returns details of any entity on a path."]
    return _page(head, lines, tail, {**body, "ceiling": MAX_CONNECTIONS})


def recommend_text(body: Mapping[str, Any]) -> str:
    """Return the text of a RecommendPage."""
    seeds = [f"{seed['field']} {_name(seed['entity'])}" for seed in body["seeds"]]
    head = [
        *guide_lines(body),
        *([_counted(body, f"recommended for {', '.join(seeds)}")] if seeds else []),
        *understood_lines(body["reading"]),
    ]
    lines = []
    for card in body["results"]:
        reason = card["why"].removeprefix(f"{card['name']}: ")
        products = [
            _name(product) + (f" by {product['vendor']['name']}" if product["vendor"] else "")
            for product in card["products"][:2]
        ]
        ending = f" Products: {'; '.join(products)}." if products else ""
        cautions = "".join(f"Caution: {row['text']} " for row in card["cautions"])
        setting = "For other settings. " if card["outside_setting"] else ""
        lines.append(
            (_name(card), f"{setting}{cautions}score {card['score']:.2f}. {reason[:1].upper()}{reason[1:]}{ending}")
        )
    counts: dict[tuple[str, str], int] = {}
    for need in body["coverage"]:  # seeds can share needs
        key = (need["entity"]["id"], need["entity"]["name"])
        counts[key] = max(need["solutions"], counts.get(key, 0))
    needs = [f"{name} {count}" for (_, name), count in islice(counts.items(), 2 * FEW)]
    tail = [f"Accommodations for each need: {', '.join(needs)}."] if needs else []
    groups = [f"{group['entity']['name']} ({group['job']}): {', '.join(group['results'])}" for group in body["groups"]]
    tail += [f"A job alone is only a way in; choose what applies. By need: {'; '.join(groups)}."] if groups else []
    return _page([*head, *_guidance(body)], lines, [*tail, *_next(body["results"])], body)


def _guidance(body: Mapping[str, Any]) -> list[str]:
    """Return the cautions of an answer, what is left out and why, and who wrote both."""
    cautions = [f"Caution ({row['severity']}): {row['text']}" for row in body.get("cautions", ())[:FEW]]
    reasons = [f"{_name(row['entity'])}: {row['reason']}" for row in body.get("left_out", ())]
    left_out = [f"Left out as wrong here: {_listed(reasons, len(reasons), FEW)}"] if reasons else []
    contact = body["notice"].get("contact_url")
    report = [f"Report a mistake: {contact}"] if contact else []
    return [*cautions, *left_out, body["guidance_note"], *report] if cautions or reasons else []


def entity_text(body: Mapping[str, Any], max_length: int = MAX_TEXT) -> str:
    """Return the text of a Record."""
    head = [
        f"{_name(body)} is {with_article(type_noun(body['type']))}. {body['summaries'].get('plain') or body['summary']}"
    ]
    names = [alias["text"] for alias in body["aliases"]]
    head += [cut(f"Also called: {_listed(names, len(names), ALIASES)}.", WIDTHS[0])] if names else []
    facts = {**body["attributes"], **body["external_ids"]}
    head += [f"Facts: {', '.join(f'{name} {value}' for name, value in facts.items())}."] if facts else []
    head += _guidance(body)
    lines = []
    for group in body["edges"]:
        neighbors = _listed([_name(card) for card in group["items"]], group["total"])
        lines.append((f"{group['name']} ({group['label']}), {group['total']:,}", neighbors))
    for idea in body["accommodation_ideas"]:
        if idea["solutions"]:
            solutions = _listed([_name(card) for card in idea["solutions"]], len(idea["solutions"]), 2)
            lines.append((f"Listed under {idea['heading']['name']}", solutions))
    tail = ["Everything at the end of an edge: get_related with this id and the edge.", *_next([body])]
    return _page(head, lines, tail, body, numbered=False, max_length=max_length)


def graph_text(body: Mapping[str, Any]) -> str:
    """Return the text of a GraphSummary."""
    totals = body["totals"]
    head = [f"The graph has {totals['entities']:,} entities and {totals['edges']:,} relations."]
    lines = [(f"type {type_['name']}, {type_['total']:,}", type_["description"]) for type_ in body["types"]]
    for edge in body["edges"]:
        if edge["direction"] == "out":
            pairs = ", ".join(f"{source} → {target}" for source, target in edge["pairs"])
            lines.append((f"edge {edge['name']}, {edge['total']:,}", f"{pairs}; inverse: {edge['inverse']}"))
    attributions = [source["attribution"] for source in body["provenance"]["sources"] if source["attribution"]]
    tail = ["An id is type:key. get_related follows an edge in either direction.", *attributions]
    return _page(head, lines, tail, body, numbered=False)


def _name(card: Mapping[str, Any]) -> str:
    """Return name and id, and the status of a product that is no longer sold."""
    status = (card.get("market_verification") or {}).get("status")
    withdrawn = f" ({status})" if status in WITHDRAWN else ""
    return f"{card['name']} [{card['id']}]{withdrawn}"


def _listed(texts: Sequence[str], total: int, limit: int = FEW) -> str:
    """Return the first texts, and how many of `total` are left out. Names contain commas."""
    shown = texts[:limit]
    rest = [f"and {total - len(shown):,} more"] if total > len(shown) else []
    return "; ".join([*shown, *rest])


def _facts(card: Mapping[str, Any]) -> str:
    parts = [f"weight {card['weight']:.2f}", f"basis {card['basis']}"]
    parts += [f"{name} {card[name]}" for name in ("importance", "level", "rank") if name in card]
    parts += [card["reason"].rstrip(".")] if card.get("reason") else []
    return ", ".join(parts)


def _counted(body: Mapping[str, Any], subject: str) -> str:
    shown, total, offset = len(body["results"]), body["total"], body["offset"]
    if not total:
        return f"No results {subject}."
    if not shown:
        return f"No results at offset {offset}; there are {total:,} {subject}."
    if shown == total:
        return f"{total:,} {'result' if total == 1 else 'results'} {subject}."
    return f"Results {offset + 1}–{offset + shown} of {total:,} {subject}."


def _next(cards: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return what to call next from the types of the first results."""
    kinds = list(dict.fromkeys(card["type"] for card in cards[:FEW]))[:2]
    return [f"From {with_article(type_noun(kind))}: {FROM_HERE[kind]}." for kind in kinds]


def _page(
    head: Sequence[str],
    lines: Sequence[Line],
    tail: Iterable[str],
    body: Mapping[str, Any],
    *,
    numbered: bool = True,
    max_length: int = MAX_TEXT,
) -> str:
    """Return the head, the lines that fit, how to get the rest, warnings, `tail`, sources and notice."""
    first = body.get("offset", 0) + 1 if numbered else None
    warnings = [cut(f"Note: {warning['message']}", WIDTHS[0]) for warning in body.get("warnings", ())]
    ending = [*warnings, *tail, _sources(body), body["notice"]["text"]]
    room = max_length - sum(len(text) + 1 for text in (*head, *ending)) - 200  # for the lines that say how to see more
    for width in WIDTHS:
        shown = [_line(line, width, first, place) for place, line in enumerate(lines)]
        if sum(len(text) + 1 for text in shown) <= room:
            break
    while shown and sum(len(text) + 1 for text in shown) > room:
        del shown[-max(1, len(shown) // 20) :]
    note = "Reasons are shortened to fit; a smaller limit shows more of each."
    notes = [note] if numbered and width < READABLE else []
    return "\n".join([*head, *shown, *notes, *_more(body, len(lines), len(shown)), *ending])


def _line(line: Line, width: int, first: int | None, place: int) -> str:
    name, rest = line
    number = f"{first + place}. " if first is not None else ""
    return f"{number}{name}: {cut(rest, width)}" if width else f"{number}{name}"


def _more(body: Mapping[str, Any], count: int, shown: int) -> list[str]:
    """Return how to get the lines that this text leaves out, and the page after it."""
    if shown < count and body.get("next"):
        return [f"{count - shown} results of this page are left out: call again with offset={body['offset'] + shown}."]
    if shown < count:
        return [f"{count - shown} lines are left out here; structuredContent has them with detail=full."]
    if "total" not in body or body["offset"] + count >= body["total"] or not count:
        return []
    if body.get("next"):
        return [f"More: the same call with offset={body['offset'] + count}."]
    ceiling = body.get("ceiling", body["total"])
    if body["limit"] >= ceiling:
        return [f"These are the first {count}; one call returns at most {ceiling}."]
    return [f"More: the same call with limit={min(body['total'], 2 * body['limit'], ceiling)}."]


def _sources(body: Mapping[str, Any]) -> str:
    sources = body["provenance"]["sources"]
    titles = [f"{source['title']}, {source['licence']}" for source in sources]
    listed = _listed(titles, len(titles), SOURCES)
    return f"Sources: {listed}. Data version {body['provenance']['data_version']}."


def cut(text: str, max_length: int) -> str:
    """Return the beginning of a text, broken neither inside an id nor inside a word."""
    if len(text) <= max_length:
        return text
    start = text[: max_length - 1]
    if start.rfind("[") > start.rfind("]"):
        start = start[: start.rfind("[")]
    start = start.rpartition(" ")[0] or start
    return f"{start.rstrip(' ;,:.')}…"


def error_data(data: object, blocks: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data of a protocol error with provenance and notice. The package sends texts as data, too."""
    own = data if isinstance(data, dict) else {"detail": shorten(str(data))} if data else {}
    return {**own, **blocks}
