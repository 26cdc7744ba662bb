"""The parts of a question, and the fields of a form, as links that remove them or change what they were read as."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from api.explorer.view_models import Link
from api.recommend.seeds import SEED_FIELDS

RECOMMEND = "/explore/recommend"
SEARCH = "/explore/search"
ROLES = {"disability": "condition", "work_function": "work-related function", "side": "need"}
# Words that say nothing without the next ones: "as a" in "what helps me as a cashier with arthritis".
INTRODUCTION = re.compile(r"\b(?:(?:i am|i['’]m|for|as)\s+)?(?:an?|the|my)\s+$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ReadPart:
    """A part of a request for a page: its words, role, name, and the links that remove or change it.

    A field of a form has a name and no words.
    """

    text: str
    role: str
    name: str
    url: str
    remove_url: str
    changes: Sequence[Link]


def recommend_parts(reading: Mapping[str, Any], values: Mapping[str, Any]) -> list[ReadPart]:
    """Return the parts for the page of recommendations. Its links send the other parts as fields of the form.

    `values` are the other fields of the form, which stay.
    """
    kept = {name: value for name, value in values.items() if name != "question"}
    parts = reading["parts"]
    shown = []
    for place, part in enumerate(parts):
        others = [one for index, one in enumerate(parts) if index != place]
        changes = [
            Link(card["name"], _recommend_url([*others, {**part, "entity": card, "role": card["type"]}], kept))
            for card in part["alternatives"]
            if card["type"] in SEED_FIELDS
        ]
        shown.append(_part(part, _recommend_url(others, kept), changes))
    return shown


def field_parts(seeds: Sequence[Mapping[str, Any]], values: Mapping[str, Any]) -> list[ReadPart]:
    """Return the seeds that fields of the form name, and what is left out, each with the link that removes it."""
    shown = []
    for seed in seeds:
        field, card = seed["field"], seed["entity"]
        texts = _texts(values.get(field, ()))
        if seed["given"] in texts:
            rest = {**values, field: [text for text in texts if text != seed["given"]]}
            shown.append(ReadPart("", ROLES.get(field, field), card["name"], card["url"], _form_url(rest), ()))
    left_out = _texts(values.get("exclude", ()))
    for text in left_out:
        rest = {**values, "exclude": [other for other in left_out if other != text]}
        name = text.removeprefix("solution:").replace("-", " ")
        shown.append(ReadPart("", "left out", name, "", _form_url(rest), ()))
    return shown


def leave_out_url(values: Mapping[str, Any], solution: str) -> str:
    """Return the same page of recommendations without this solution."""
    return _form_url({**values, "exclude": [*_texts(values.get("exclude", ())), solution]})


def search_parts(reading: Mapping[str, Any], query: str) -> list[ReadPart]:
    """Return the parts for the search page. Its links search without the words, or for another meaning of them."""
    shown = []
    for part in reading["parts"]:
        before = INTRODUCTION.sub("", query[: part["start"]])
        rest = " ".join(f"{before} {query[part['end'] :]}".split())
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
    return _form_url(call["body"]) if call else ""


def _form_url(values: Mapping[str, Any]) -> str:
    encoded = urlencode(values, doseq=True)
    return f"{RECOMMEND}?{encoded}" if encoded else RECOMMEND


def _texts(value: Any) -> list[Any]:  # noqa: ANN401 - a value of a form, or several
    return list(value) if isinstance(value, list | tuple) else [value]


def _recommend_url(parts: Sequence[Mapping[str, Any]], kept: Mapping[str, Any]) -> str:
    values: dict[str, Any] = {name: _texts(value) for name, value in kept.items()}
    if guides := [part["text"] for part in parts if part["role"] == "guide"]:
        values["question"] = " ".join(guides)  # a guide, above all one for a crisis, has no field
    for part in parts:
        entity = part["entity"]
        if part["role"] == "setting":
            values.setdefault("setting", [part["setting"]])
        elif part["role"] == "side":
            values.setdefault(SEED_FIELDS[entity["type"]], []).append(part["text"])
        elif entity and entity["type"] in SEED_FIELDS:
            values.setdefault(SEED_FIELDS[entity["type"]], []).append(entity["id"])
    return _form_url(values)


def _search_url(query: str) -> str:
    return f"{SEARCH}?{urlencode({'query': query})}" if query.strip() else SEARCH
