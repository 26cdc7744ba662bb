"""OpenSearch bodies of lists, of lookups by id or name, and of the entities between the ends of a path."""

from collections.abc import Mapping, Sequence
from typing import get_args

from api.errors import NotFoundError
from api.parameters import MAX_ID_LENGTH
from api.search import query_builder
from api.search.query import ParsedQuery
from schema.document_ids import EDGES, ENTITY, MAX_PREFIX_LENGTH, MOVED, POPULARITY_PIVOT
from schema.edge_documents import EDGE_PAGE_SIZE
from schema.entity_kinds import NARROWER, EdgeName, type_noun
from schema.json_types import JsonObject
from schema.text import fold

CARD: JsonObject = {"_source": False, "stored_fields": "_none_", "docvalue_fields": ["card", "sources"]}
GUIDANCE_FIELDS = ("ancestors", "troubles")  # of whom an answer is for
CARD_AND_ARRAYS = {
    "docvalue_fields": ["hit", "card", "sources"],
    "_source": [*get_args(EdgeName), "inherits_from", "inherited", *GUIDANCE_FIELDS],
}
MAX_NAMED = 5  # entities that one text may name
POPULARITY = {"field": "popularity", "saturation": {"pivot": POPULARITY_PIVOT}}  # the only part of the score
MAX_RESULT_WINDOW = 100_000  # of OpenSearch; no type has as many entities
SHORTEST_BEGINNING = 5  # letters of the beginning of a longer word: "softwar" is not near "soft palate"
BEGUN, BEGUN_NAME = 2.0, 8.0  # for the nearest names: all that was typed begins a word, or the name ("diab")
MAX_END_PAGES = 2  # of each edge name of an end: the 200 strongest edges
MAX_HITS = 10_000  # of a search that reads all it finds
INTERMEDIATE_TYPES = ("limitation", "workrelatedfunction", "ability")  # most paths lead through one of a few hundred
MAX_INTERMEDIATE_PAGES = 2_000  # 754 in the graph of this project; each takes about 20 kB of memory
STEP_MEMBERS = ("target", "weight", "basis", "sources", "target_total")  # of an edge on a path
NARROWER_CONDITION = {"term": {"kind": NARROWER}}
NARROWER_FACTOR = 0.4  # of the score, where the nearest names are looked for: "low-vison" is similar to many names
NEAREST = 5  # names that an error suggests
MAX_EDGE_NAMES = 50  # more than there are
# The filter parameters of each type, and the field that each matches.
FILTERS = {
    "solution": {"setting": "settings"},
    "disability": {"grouping": "groupings", "kind": "kind"},
    "limitation": {"grouping": "groupings"},
}


def moved_body(*retired: str) -> JsonObject:
    """The replacements of retired ids."""
    ids = list(dict.fromkeys(form for id_ in retired for form in (id_, fold(id_))))
    return {"size": len(ids), "query": {"bool": {"filter": [{"term": {"doc": MOVED}}, {"ids": {"values": ids}}]}}}


def batch_body(ids: Sequence[str]) -> JsonObject:
    """The cards of entities by any form of their full ids, and these forms."""
    filters = [{"term": {"doc": ENTITY}}, {"terms": {"ids": list(ids)}}]
    fields = {"_source": ["ids"], "docvalue_fields": CARD["docvalue_fields"]}
    return {"size": len(ids), **fields, "query": {"bool": {"filter": filters}}}


def named_body(query: ParsedQuery, *types: str) -> JsonObject:
    """The entities that a text names as a whole, with the arrays of each; limited to these types, if any."""
    return query_builder.named_body(query, types, CARD_AND_ARRAYS, MAX_NAMED)


def readings_body(query: ParsedQuery, type_name: str) -> JsonObject:
    """Search for the entities of a type that a text names, with their cards."""
    fields = {"docvalue_fields": ["hit", "card", "sources"], "_source": ["inherits_from"]}
    return query_builder.named_body(query, [type_name], fields, MAX_NAMED)


def full_id(type_name: str, text: str) -> str:
    """Return the full id of a key or id, with the type in lower case; raise NotFoundError if it is too long."""
    if len(text) > MAX_ID_LENGTH:
        raise NotFoundError(f"There is no {type_noun(type_name)} with an id of {len(text)} characters.", suggestions=[])
    prefix = f"{type_name}:"
    return prefix + (text[len(prefix) :] if text[: len(prefix)].casefold() == prefix else text)


def entity_body(type_name: str, given: str) -> JsonObject:
    """Find the document of an entity by any form of its id."""
    forms = [{"term": {"type": type_name}}, {"terms": {"ids": [given, full_id(type_name, given)]}}]
    return {"size": 1, "query": {"bool": {"filter": [{"term": {"doc": ENTITY}}, *forms]}}}


def nearest_body(name: ParsedQuery, type_name: str = "") -> JsonObject:
    """The entities, of one type or of any, whose names are nearest to a text, for "did you mean" in an error."""
    text = " ".join(name.tokens)
    beginnings = " ".join(word[: max(SHORTEST_BEGINNING, len(word) * 2 // 3)] for word in name.tokens)
    of_type = {"term": {"type": type_name}} if type_name else {"term": {"doc": ENTITY}}
    either: list[JsonObject] = [
        {"match": {"spelling": {"query": text, "fuzziness": "AUTO", "boost": 2}}},
        {"match": {"spelling.words": {"query": text, "boost": BEGUN}}},
        {"match": {"spelling.words": beginnings}},  # "bookkeepers" is far from "bookkeeping", its beginning is not
        {"constant_score": {"filter": {"term": {"spelling.names": name.key[:MAX_PREFIX_LENGTH]}}, "boost": BEGUN_NAME}},
    ]
    near = {"bool": {"should": either, "minimum_should_match": 1}}
    ranked = {"boosting": {"positive": near, "negative": NARROWER_CONDITION, "negative_boost": NARROWER_FACTOR}}
    return {"size": NEAREST, **CARD, "query": {"bool": {"must": [ranked], "filter": [of_type]}}}


def first_pages_body(owner: str) -> JsonObject:
    """The first page of each edge name of an entity, by any form of its id."""
    wanted = [{"term": {"doc": EDGES}}, {"term": {"owner": owner}}, {"term": {"page": 0}}]
    return {"size": MAX_EDGE_NAMES, "query": {"bool": {"filter": wanted}}}


def owner_pages_body(owner: str, edge: str, first: int, last: int) -> JsonObject:
    """Edge pages by any form of their owner's id."""
    wanted = [
        {"term": {"doc": EDGES}},
        {"term": {"owner": owner}},
        {"term": {"edge": edge}},
        {"range": {"page": {"gte": first, "lte": last}}},
    ]
    return {"size": last - first + 1, "query": {"bool": {"filter": wanted}}, "sort": [{"page": "asc"}]}


def end_pages_body(ids: Sequence[str]) -> JsonObject:
    """The pages with the strongest edges of the two ends of a path."""
    filters = [{"term": {"doc": EDGES}}, {"terms": {"entity": list(ids)}}, {"range": {"page": {"lt": MAX_END_PAGES}}}]
    return {"size": MAX_HITS, "query": {"bool": {"filter": filters}}, "sort": [{"page": "asc"}]}


def inner_edges_body(pairs: Sequence[tuple[str, str]]) -> JsonObject:
    """The edges between these pairs of entities: pages of the first, with their nested edges to the second."""
    to_seconds = {
        "path": "edges",
        "query": {"terms": {"edges.target": list(dict.fromkeys(second for _, second in pairs))}},
        "inner_hits": {
            "size": EDGE_PAGE_SIZE,
            "_source": False,
            "stored_fields": "_none_",
            "docvalue_fields": [f"edges.{name}" for name in STEP_MEMBERS],
        },
    }
    firsts = list(dict.fromkeys(first for first, _ in pairs))
    filters = [{"term": {"doc": EDGES}}, {"terms": {"entity": firsts}}, {"nested": to_seconds}]
    return {
        "size": MAX_HITS,
        "_source": False,
        "stored_fields": "_none_",
        "docvalue_fields": ["entity", "edge", "total"],
        "query": {"bool": {"filter": filters}},
    }


def intermediate_pages_body() -> JsonObject:
    """All pages of edges of limitations, functions and abilities, with what steps of paths need."""
    of_types = {"bool": {"should": [{"prefix": {"entity": f"{type_}:"}} for type_ in INTERMEDIATE_TYPES]}}
    return {
        "size": MAX_INTERMEDIATE_PAGES,
        "_source": ["entity", "edge", *(f"edges.{name}" for name in STEP_MEMBERS)],
        "query": {"bool": {"filter": [{"term": {"doc": EDGES}}, of_types]}},
    }


def shared_neighbors_body(near: Sequence[str], far: Sequence[str], known: Sequence[str], size: int) -> JsonObject:
    """The entities of `near` that have an edge to any of `far`, without those that are known."""
    return _inner_entities([{"ids": {"values": list(near)}}, {"terms": {"linked": list(far)}}], known, size)


def bridging_entities_body(near: Sequence[str], far: Sequence[str], known: Sequence[str], size: int) -> JsonObject:
    """The entities that have an edge to any of `near` and to any of `far`, without those that are known."""
    return _inner_entities([{"terms": {"linked": list(near)}}, {"terms": {"linked": list(far)}}], known, size)


def _inner_entities(filters: Sequence[JsonObject], known: Sequence[str], size: int) -> JsonObject:
    """Other entities than the known ones, the least connected first: if there are too many, these are enough."""
    query: JsonObject = {
        "filter": [{"term": {"doc": ENTITY}}, *filters],
        "must_not": [{"ids": {"values": list(known)}}],
        "should": [{"rank_feature": POPULARITY}],
    }
    return {
        "size": size,
        "_source": False,
        "stored_fields": "_none_",
        "docvalue_fields": ["entity", *get_args(EdgeName), "inherits_from"],
        "track_total_hits": False,
        "query": {"bool": query},
        "sort": [{"_score": "asc"}, {"type": "asc"}, {"position": "asc"}],
    }


def list_filters(type_name: str, values: Mapping[str, str | None]) -> tuple[Sequence[str], dict[str, str]]:
    """Return the filter parameters of a type, and the requested values by field."""
    fields = FILTERS.get(type_name, {})
    return tuple(fields), {field: value for name, field in fields.items() if (value := values[name])}


def list_body(type_name: str, limit: int, offset: int) -> JsonObject:
    """One page of all entities of a type, by name. A range over positions costs the same at any depth."""
    page = {"range": {"position": {"gte": offset, "lt": offset + limit}}}
    return {
        "size": limit,
        **CARD,
        "query": {"bool": {"filter": [{"term": {"doc": ENTITY}}, {"term": {"type": type_name}}, page]}},
        "sort": [{"position": "asc"}],
    }


def card_page(limit: int, offset: int) -> JsonObject:
    """The part of a body that reads one page of cards, with an exact total; beyond the result window it is empty."""
    size = max(0, min(limit, MAX_RESULT_WINDOW - offset))
    return {
        "from": min(offset, MAX_RESULT_WINDOW - size),
        "size": size,
        "_source": False,
        "docvalue_fields": ["card", "sources"],
        "track_total_hits": True,
    }


def filtered_list_body(type_name: str, limit: int, offset: int, filters: Mapping[str, str]) -> JsonObject:
    """One page of the entities that have these values, by name."""
    values = [{"term": {field: value}} for field, value in filters.items()]
    return {
        "from": min(offset, MAX_RESULT_WINDOW - limit),
        "size": limit,
        **CARD,
        "track_total_hits": True,
        "query": {"bool": {"filter": [{"term": {"doc": ENTITY}}, {"term": {"type": type_name}}, *values]}},
        "sort": [{"position": "asc"}],
    }
