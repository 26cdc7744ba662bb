"""History of the live synonym rules, one document for each alias; it does not store who changed them.

The `_meta` of the live release has its rules: a change that is not in the history, because its command was killed or
another program moved the alias, is added when the history is next read.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from opensearchpy import NotFoundError

from indexer.release.control_index import CONTROL_INDEX, ensure_control_index
from schema.synonyms import rule_lines, rules_from

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from opensearchpy import OpenSearch

    from schema.synonyms import SynonymRule

MAX_EVENTS = 100
MAX_VERSIONS = 20  # with their rules, so that undo can publish them again

EventKind = Literal["apply", "undo", "published"]


@dataclass(frozen=True, slots=True)
class Event:
    """Rules that went live: when (UTC), by which command, and in which release."""

    at: str
    what: EventKind
    version: str
    index: str
    data_version: str
    added: int
    removed: int


@dataclass(frozen=True, slots=True)
class History:
    """Events, oldest first, and the rules of the latest versions."""

    events: tuple[Event, ...] = ()
    versions: Mapping[str, Sequence[Mapping[str, Any]]] | None = None

    @property
    def stack(self) -> list[str]:
        """The versions that undo goes back through, the live one last; an undo pops what it undid."""
        stack: list[str] = []
        for event in self.events:
            if event.what == "undo" and event.version in stack:
                del stack[len(stack) - stack[::-1].index(event.version) :]
            elif stack[-1:] != [event.version]:
                stack.append(event.version)
        return stack

    def before(self) -> tuple[str, tuple[SynonymRule, ...]] | None:
        """Return version and rules before the live ones; None if the history does not have them."""
        versions = self.versions or {}
        version = next((version for version in self.stack[-2:-1] if version in versions), None)
        return (version, rules_from(versions[version])) if version is not None else None

    def with_event(self, event: Event, rules: Sequence[SynonymRule]) -> History:
        """Return the history with another event; drop the oldest events and versions beyond the maximum."""
        events = (*self.events, event)[-MAX_EVENTS:]
        versions = {**(self.versions or {}), event.version: rule_lines(rules)}
        latest = [version for version in dict.fromkeys(event.version for event in events[::-1]) if version in versions]
        return History(events, {version: versions[version] for version in latest[:MAX_VERSIONS]})


def read_history(client: OpenSearch, alias: str) -> History:
    """Return the stored history; empty if there is none."""
    try:
        stored = client.get(index=CONTROL_INDEX, id=_key(alias))["_source"]["history"]
    except NotFoundError:
        return History()
    return History(tuple(Event(**event) for event in stored["events"]), stored["versions"])


def with_live_release(history: History, live: str | None, meta: Mapping[str, Any] | None) -> History:
    """Return the history with the rules of the live release as its last event."""
    if live is None or meta is None or history.stack[-1:] == [meta["synonyms_version"]]:
        return history
    rules = rules_from(meta["rules"])
    return history.with_event(event_of("published", live, meta, added=0, removed=0), rules)


def event_of(what: EventKind, index: str, meta: Mapping[str, Any], *, added: int, removed: int) -> Event:
    """Return the event of the publication of a release."""
    return Event(
        at=meta["released"],
        what=what,
        version=meta["synonyms_version"],
        index=index,
        data_version=meta["data_version"],
        added=added,
        removed=removed,
    )


def write_history(client: OpenSearch, alias: str, history: History) -> None:
    """Replace the stored history. The caller must hold the writer lease."""
    ensure_control_index(client)
    stored = {"events": [asdict(event) for event in history.events], "versions": dict(history.versions or {})}
    client.index(index=CONTROL_INDEX, id=_key(alias), body={"history": stored})


def _key(alias: str) -> str:
    return f"rules-{alias}"
