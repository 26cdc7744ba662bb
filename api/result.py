"""The result of one service call, before the envelope: its body with page links and warnings, or its problems."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from api.engine.release import Release
from api.errors import InvalidError
from api.parameters import MAX_ID_LENGTH
from api.request_text import MAX_UNKNOWN, shorten_name
from schema.json_types import JsonObject
from schema.text import nearest

MAX_ALTERNATIVES = 5
OTHER_MATCHES = "other matches: "  # the explorer links the ids that follow


@dataclass(frozen=True, slots=True)
class ServiceResult:
    """A body without provenance and notice, the release it comes from, and the ids of its sources.

    `empty_search` is set for a search that found nothing.
    """

    body: JsonObject
    release: Release
    sources: Sequence[str] = ()
    empty_search: "EmptySearch | None" = None


@dataclass(frozen=True, slots=True)
class EmptySearch:
    """What may be counted of a search that found nothing: the number of its words, and the types it was limited to."""

    words: int
    scope: tuple[str, ...]


def page_links(path: str, params: Sequence[tuple[str, str]], total: int, limit: int, offset: int) -> JsonObject:
    """Return the totals and relative links of one page of a list. `params` are those of the request, without offset."""

    def link(to: int) -> str:
        return f"{path}?{urlencode([*params, ('offset', str(to))])}"

    return {
        "total": total,
        "limit": limit,
        "offset": offset,
        "next": link(offset + limit) if offset + limit < total else None,
        "prev": link(max(0, min(offset, total) - limit)) if offset > 0 else None,
    }


def single_page(total: int, limit: int) -> JsonObject:
    """Return the totals of a list that has a single page of at most `limit` items."""
    return {"total": total, "limit": limit, "offset": 0, "next": None, "prev": None}


def problem(
    location: Sequence[str | int], message: str, kind: str, value: str | JsonObject, context: Mapping[str, Any]
) -> JsonObject:
    """Return a problem in FastAPI's format."""
    return {"loc": list(location), "msg": message, "type": kind, "input": value, "ctx": context}


def not_found_problem(
    location: Sequence[str | int], message: str, kind: str, text: str, candidates: Iterable[Mapping[str, Any]]
) -> JsonObject:
    """Return the problem of a text that names no entity. `candidates` are the cards of those it may mean."""
    nearest = [{key: card[key] for key in ("id", "slug", "name")} for card in candidates]
    return problem(location, message, kind, text, {"nearest": nearest})


def list_nearest(names: Iterable[str]) -> str:
    """Return the nearest names as an error lists them, or a hint to search if there are none."""
    return ", ".join(names) or "none, try other words with GET /search"


def unknown_value_error(
    what: str, location: tuple[str, ...], value: str, valid: Iterable[str], counts: Mapping[str, int] | None = None
) -> InvalidError:
    """Return the 422 for a value that is not valid. It lists the valid ones, the nearest in `ctx.nearest`.

    With `counts`, the valid values are the edges of one entity, each with its number.
    """
    names = list(valid)
    listed = ", ".join(f"{name} ({counts[name]:,})" for name in names) if counts else ", ".join(names)
    context: JsonObject = {"valid": names, "nearest": nearest(value[:MAX_ID_LENGTH], names)}
    if counts is not None:
        context["counts"] = counts
    message = f"unknown {what} {value[:MAX_ID_LENGTH]!r}; {'this entity has' if counts else 'valid'}: {listed}"
    return InvalidError([problem(location, message, f"unknown_{what}", value, context)])


def request_warning(parameter: str, message: str, nearest: str | None = None) -> JsonObject:
    """Return a warning of a 200 response."""
    return {"parameter": parameter, "message": message, "nearest": nearest}


def unknown_name_warnings(what: str, names: Iterable[str], valid: Iterable[str]) -> list[JsonObject]:
    """Return the warnings about parameters or fields that do not exist: one for each of the first, one for the rest."""
    listed, valid_names = list(names), list(valid)
    warnings = [_unknown_name_warning(what, name, valid_names) for name in listed[:MAX_UNKNOWN]]
    if more := len(listed[MAX_UNKNOWN:]):
        warnings.append(request_warning("…", f"and {more:,} more unknown {what}s were ignored"))
    return warnings


def _unknown_name_warning(what: str, name: str, valid: Sequence[str]) -> JsonObject:
    shown = shorten_name(name)
    near = nearest(shown, valid)
    hint = f"; did you mean {near!r}?" if near else f"; valid: {', '.join(valid) or 'none'}"
    return request_warning(shown, f"unknown {what} {shown!r} was ignored{hint}", near)


def unused_parameter_warning(name: str, overriding: str) -> JsonObject:
    """Return the warning about a parameter that has no effect together with another one."""
    return request_warning(name, f"{name!r} has no effect beside {overriding!r}")


def unused_without_warning(name: str, required: str) -> JsonObject:
    """Return the warning about a parameter that has an effect only together with another one."""
    return request_warning(name, f"{name!r} has no effect without {required!r}", required)


def ambiguity_warnings(
    parameter: str, text: str, chosen: Mapping[str, Any], alternatives: Sequence[Mapping[str, Any]], hint: str = ""
) -> list[JsonObject]:
    """Return a warning if a text names other entities besides the chosen one."""
    if not alternatives:
        return []
    listed = ", ".join(card["id"] for card in alternatives[:MAX_ALTERNATIVES])
    more = " and more" if len(alternatives) > MAX_ALTERNATIVES else ""
    message = f"{text!r} was interpreted as {chosen['id']}; {OTHER_MATCHES}{listed}{more}{hint}"
    return [request_warning(parameter, message, alternatives[0]["id"])]
