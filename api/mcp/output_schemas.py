"""Output schemas of the MCP tools: the members of each result, and the card of an entity once.

They hold for brief and full results. A client reads all of them before its first call, so they are short: the OpenAPI
document describes every member of a full result.
"""

from collections.abc import Set as AbstractSet

from schema.json_types import JsonObject

STRING: JsonObject = {"type": "string"}
INTEGER: JsonObject = {"type": "integer"}
OBJECT: JsonObject = {"type": "object"}
OBJECT_OR_NULL: JsonObject = {"type": ["object", "null"]}
LIST: JsonObject = {"type": "array"}
CARD: JsonObject = {"$ref": "#/$defs/Card"}
CARDS: JsonObject = {"type": "array", "items": CARD}
CARD_SCHEMA: JsonObject = {
    "type": "object",
    "properties": {"id": STRING, "name": STRING, "summary": STRING},
    "required": ["id", "name"],
}
BLOCKS: JsonObject = {
    "provenance": {"type": "object", "required": ["data_version", "sources"]},
    "notice": {"type": "object", "required": ["text"]},
}
OMITTED: JsonObject = {"type": "object", "additionalProperties": INTEGER}  # list → items left out
PAGE: JsonObject = {"results": CARDS, "total": INTEGER, "limit": INTEGER, "offset": INTEGER, "warnings": LIST}
OPTIONAL = frozenset(("warnings", "corrected", "inherited_from", "groupings", "omitted"))


def _schema(members: JsonObject, optional: AbstractSet[str] = OPTIONAL) -> JsonObject:
    properties = {**members, **BLOCKS}
    uses_cards = any(schema in (CARD, CARDS) for schema in properties.values())
    return {
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name not in optional],
        **({"$defs": {"Card": CARD_SCHEMA}} if uses_cards else {}),
    }


def _shortened(optional: AbstractSet[str] = OPTIONAL, **members: JsonObject) -> JsonObject:
    """Return the schema of a result that has a brief form."""
    return _schema({**members, "omitted": OMITTED}, optional)


OUTPUT_SCHEMAS: dict[str, JsonObject] = {
    "search_accommodations": _shortened(
        **PAGE, query=STRING, synonyms=LIST, did_you_mean=LIST, corrected=OBJECT_OR_NULL, facets=OBJECT
    ),
    "recommend_accommodations": _shortened(
        **PAGE, seeds=LIST, left_out=LIST, cautions=LIST, coverage=LIST, products=CARDS
    ),
    "get_entity": _shortened(
        **CARD_SCHEMA["properties"],
        type=STRING,
        summaries=OBJECT,
        aliases=LIST,
        attributes=OBJECT,
        external_ids=OBJECT,
        groupings=LIST,
        inherits=CARDS,
        edges=LIST,
        accommodation_ideas=LIST,
        warnings=LIST,
    ),
    "get_related": _shortened(**PAGE, entity=CARD, edge=STRING),
    "related_conditions": _shortened(**PAGE, entity=CARD, inherited_from=OBJECT_OR_NULL),
    "connections": _shortened(**{**PAGE, "results": LIST, "from": OBJECT, "to": OBJECT}),
    "list_entities": _shortened(OPTIONAL | {"facets"}, **PAGE, facets=OBJECT),
    "describe_graph": _schema({"types": LIST, "edges": LIST, "totals": OBJECT}),
    "search": _schema({"results": {"type": "array", "items": OBJECT}}),
    "fetch": _schema({"id": STRING, "title": STRING, "text": STRING, "url": STRING, "metadata": OBJECT}),
}
