"""Which synonym rules were live when, one document for each alias; who changed them is not kept.

The live release says itself which rules it has: a change that was not written down, because its command was killed or
another program moved the alias, is noticed and added at the next look.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from opensearchpy import NotFoundError

from indexer.control import INDEX, ensure
from indexer.synonyms import rule_lines, rules_from

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from opensearchpy import OpenSearch

    from indexer.synonyms import Rule

MOST_EVENTS = 100
MOST_VERSIONS = 20  # whose rules are kept, so that undo can bring them back

What = Literal["apply", "undo", "published"]


@dataclass(frozen=True, slots=True)
class Event:
    """Rules that went live: when (UTC), by what, which, and in which release."""

    at: str
    what: What
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
        """The versions that undo goes back through, the live one last. An undo takes away what it undid."""
        found: list[str] = []
        for event in self.events:
            if event.what == "undo" and event.version in found:
                del found[len(found) - found[::-1].index(event.version) :]
            elif found[-1:] != [event.version]:
                found.append(event.version)
        return found

    def before(self) -> tuple[str, tuple[Rule, ...]] | None:
        """The version and the rules that were live before the present ones, if they are known."""
        known = self.versions or {}
        version = next((one for one in self.stack[-2:-1] if one in known), None)
        return (version, rules_from(known[version])) if version is not None else None

    def with_event(self, event: Event, rules: Sequence[Rule]) -> History:
        """The history with one more event."""
        events = (*self.events, event)[-MOST_EVENTS:]
        versions = {**(self.versions or {}), event.version: rule_lines(rules)}
        latest = dict.fromkeys(one.version for one in reversed(events))
        kept = [version for version in latest if version in versions][:MOST_VERSIONS]
        return History(events, {version: versions[version] for version in kept})


def read_history(client: OpenSearch, alias: str) -> History:
    """What was written down; empty where nothing was."""
    try:
        kept = client.get(index=INDEX, id=_key(alias))["_source"]["history"]
    except NotFoundError:
        return History()
    return History(tuple(Event(**event) for event in kept["events"]), kept["versions"])


def caught_up(history: History, live: str | None, meta: Mapping[str, Any] | None) -> History:
    """The history with the live release's rules at its end."""
    if live is None or meta is None or history.stack[-1:] == [meta["synonyms_version"]]:
        return history
    rules = rules_from(meta["rules"])
    return history.with_event(event_of("published", live, meta, added=0, removed=0), rules)


def event_of(what: What, index: str, meta: Mapping[str, Any], *, added: int, removed: int) -> Event:
    """The event of this release's going live."""
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
    """Write it down whole. Only the holder of the writer lease does."""
    ensure(client)
    kept = {"events": [asdict(event) for event in history.events], "versions": dict(history.versions or {})}
    client.index(index=INDEX, id=_key(alias), body={"history": kept})


def _key(alias: str) -> str:
    return f"rules-{alias}"
