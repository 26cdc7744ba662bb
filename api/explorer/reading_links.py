"""The parts of a question as links that remove them, or change what they were read as."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from api.explorer.view_models import Link
from api.recommend.seeds import SEED_FIELDS

RECOMMEND = "/explore/recommend"
SEARCH = "/explore/search"
ROLES = {"work_function": "work-related function", "side": "need"}


@dataclass(frozen=True, slots=True)
class ReadPart:
    """A part of a question for a page: its words, role, name, and the links that remove or change it."""

    text: str
    role: str
    name: str
    url: str
    remove_url: str
    changes: Sequence[Link]


def recommend_parts(reading: Mapping[str, Any]) -> list[ReadPart]:
    """Return the parts for the page of recommendations. Its links send the other parts as fields of the form."""
    parts = reading["parts"]
    shown = []
    for place, part in enumerate(parts):
        others = [one for index, one in enumerate(parts) if index != place]
        changes = [
            Link(card["name"], _recommend_url([*others, {**part, "entity": card, "role": card["type"]}]))
            for card in part["alternatives"]
            if card["type"] in SEED_FIELDS
        ]
        shown.append(_part(part, _recommend_url(others), changes))
    return shown


def search_parts(reading: Mapping[str, Any], query: str) -> list[ReadPart]:
    """Return the parts for the search page. Its links search without the words, or for another meaning of them."""
    shown = []
    for part in reading["parts"]:
        rest = " ".join(f"{query[: part['start']]} {query[part['end'] :]}".split())
        changes = [
            Link(card["name"], _search_url(f"{query[: part['start']]}{card['name']}{query[part['end'] :]}"))
            for card in part["alternatives"]
        ]
        shown.append(_part(part, _search_url(rest), changes))
    return shown


def _part(part: Mapping[str, Any], remove_url: str, changes: Sequence[Link]) -> ReadPart:
    entity = part["entity"]
    name = entity["name"] if entity else ""
    name = f"{name} ({part['side']})" if part["side"] else name
    role = ROLES.get(part["role"], part["role"])
    return ReadPart(part["text"], role, name, entity["url"] if entity else "", remove_url, changes)


def recommend_url(call: Mapping[str, Any] | None) -> str:
    """Return the page that answers a request for recommendations; an empty string without one."""
    return f"{RECOMMEND}?{urlencode(call['body'], doseq=True)}" if call else ""


def _recommend_url(parts: Sequence[Mapping[str, Any]]) -> str:
    values: dict[str, list[str]] = {}
    for part in parts:
        entity = part["entity"]
        if part["role"] == "setting":
            values.setdefault("setting", [part["setting"]])
        elif part["role"] == "side":
            values.setdefault(SEED_FIELDS[entity["type"]], []).append(part["text"])
        elif entity and entity["type"] in SEED_FIELDS:
            values.setdefault(SEED_FIELDS[entity["type"]], []).append(entity["id"])
    return f"{RECOMMEND}?{urlencode(values, doseq=True)}" if values else RECOMMEND


def _search_url(query: str) -> str:
    return f"{SEARCH}?{urlencode({'query': query})}" if query.strip() else SEARCH
