"""Publishes new synonym rules: clone the live release, set the rules, verify, publish or discard.

No document is indexed again, and callers see no change before the alias moves. The control index has the history of
live rules, one document for each alias, which does not store who changed them. The `_meta` of the live release has its
rules: a change that is not in the history, because its command was killed or another program moved the alias, is added
when the history is next read.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any, Literal

from opensearchpy import OpenSearch

from indexer.release.control_index import control_document, ensure_control_index, write_control_document
from indexer.release.live_alias import failing_with_warning, published
from indexer.release.releases import Releases
from indexer.release.stored_releases import ReleaseError
from indexer.release.verify import unapplied_rules, unknown_pinned_ids, verify_clone
from indexer.synonyms.rules import Difference, difference
from schema.json_types import JsonObject
from schema.pins import Pin, pin_lines, pins_from
from schema.synonyms import SynonymRule, filter_rules, rule_lines, rules_from, rules_version

MAX_EVENTS = 100
MAX_VERSIONS = 20  # with their rules, so that undo can publish them again
MAX_REPLACED = 50
MAX_PROBLEMS = 20
MAX_VARIANTS = 12  # of an analyzed text
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
    """Events, oldest first, and the rules and pins of the latest versions."""

    events: tuple[Event, ...] = ()
    versions: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    pins: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)  # of the versions that have any

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
        version = next((version for version in self.stack[-2:-1] if version in self.versions), None)
        return (version, rules_from(self.versions[version])) if version is not None else None

    def pins_of(self, version: str) -> tuple[Pin, ...]:
        """Return the pins of a version."""
        return pins_from(self.pins.get(version, ()))

    def with_event(self, event: Event, rules: Sequence[SynonymRule], pins: Sequence[Pin] = ()) -> "History":
        """Return the history with another event; drop the oldest events and versions beyond the maximum."""
        events = (*self.events, event)[-MAX_EVENTS:]
        versions = {**self.versions, event.version: rule_lines(rules)}
        all_pins = {**self.pins, event.version: pin_lines(pins)}
        latest = [version for version in dict.fromkeys(event.version for event in events[::-1]) if version in versions]
        latest = latest[:MAX_VERSIONS]
        return History(
            events,
            {version: versions[version] for version in latest},
            {version: all_pins[version] for version in latest if all_pins.get(version)},
        )


def read_history(client: OpenSearch, alias: str) -> History:
    """Return the stored history; empty if there is none."""
    if (document := control_document(client, _key(alias))) is None:
        return History()
    stored = document.body["history"]
    return History(tuple(Event(**event) for event in stored["events"]), stored["versions"], stored.get("pins", {}))


def with_live_release(history: History, live: str | None, meta: Mapping[str, Any] | None) -> History:
    """Return the history with the rules of the live release as its last event."""
    if live is None or meta is None or history.stack[-1:] == [meta["synonyms_version"]]:
        return history
    rules, pins = rules_from(meta["rules"]), pins_from(meta.get("pins", ()))
    return history.with_event(event_of("published", live, meta, added=0, removed=0), rules, pins)


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
    stored = {
        "events": [asdict(event) for event in history.events],
        "versions": dict(history.versions),
        "pins": dict(history.pins),
    }
    write_control_document(client, _key(alias), {"history": stored})


def _key(alias: str) -> str:
    return f"rules-{alias}"


@dataclass(frozen=True, slots=True)
class LiveRelease:
    """The live release with its rules."""

    index: str
    meta: Mapping[str, Any]
    rules: tuple[SynonymRule, ...]
    pins: tuple[Pin, ...] = ()

    @property
    def version(self) -> str:
        """The version of the rules."""
        return str(self.meta["synonyms_version"])


@dataclass(frozen=True, slots=True)
class Candidate:
    """A verified clone with other rules that is not live."""

    index: str
    source: LiveRelease
    meta: Mapping[str, Any]
    rules: tuple[SynonymRule, ...]
    pins: tuple[Pin, ...]
    change: Difference


@dataclass(frozen=True, slots=True)
class RulePublisher:
    """The rules of the live release behind one alias. Callers must hold the writer lease."""

    releases: Releases

    def live(self) -> LiveRelease:
        """Return the live release. Raise ReleaseError if there is none."""
        index = self.releases.live_index()
        meta = self.releases.metadata(index)
        return LiveRelease(index, meta, rules_from(meta["rules"]), pins_from(meta.get("pins", ())))

    def candidate(self, rules: Sequence[SynonymRule], now: datetime, pins: Sequence[Pin] | None = None) -> Candidate:
        """Clone the live release with these rules and pins and verify the clone; without `pins` the live ones stay.

        Raise ReleaseError with its problems.
        """
        releases = self.releases
        releases.delete_leftovers()
        live = self.live()
        pins = live.pins if pins is None else tuple(pins)
        change = difference(live.rules, rules, live.pins, pins)
        meta = _metadata(live, rules, pins, change)
        rule_filter = {**self._rule_filter(live.index), "synonyms": filter_rules(rules)}
        index = releases.clone(live.index, meta, {"rules": rule_filter}, now)
        try:
            problems = verify_clone(releases.client, index, meta)
            problems += unapplied_rules(releases.client, index, change.added)
            problems += unknown_pinned_ids(releases.client, index, change.added_pins)
            if self._rule_filter(index) != rule_filter:
                problems.append(f"{index} does not have these rules")
        except BaseException:
            releases.discard(index)
            raise
        if problems:
            releases.discard(index)
            raise ReleaseError("The rules do not work in OpenSearch:\n" + "\n".join(problems[:MAX_PROBLEMS]))
        return Candidate(index, live, meta, tuple(rules), pins, change)

    def _rule_filter(self, index: str) -> JsonObject:
        """Return the token filter of the rules of an index."""
        settings = self.releases.client.indices.get_settings(index=index, name="index.analysis.filter.rules.*")
        rule_filter: JsonObject = settings[index]["settings"]["index"]["analysis"]["filter"]["rules"]
        return rule_filter

    def publish(self, candidate: Candidate, what: EventKind, now: datetime) -> str:
        """Stamp the candidate, move the alias, add an event to the history, prune; return the index."""
        history = self.history()
        self.releases.stamp(candidate.index, candidate.meta, now)
        self.releases.publish(candidate.index)
        with published(candidate.index):
            live = self.live()
            counts = {"added": len(candidate.change.all_added), "removed": len(candidate.change.all_removed)}
            event = event_of(what, live.index, live.meta, **counts)
            with failing_with_warning("The rules are live. Their event was not stored: the next command adds it."):
                changed = history.with_event(event, candidate.rules, candidate.pins)
                write_history(self.releases.client, self.releases.index_alias, changed)
            self.releases.prune_after_publication([candidate.source.index])
        return candidate.index

    def discard(self, candidate: Candidate) -> None:
        """Delete the candidate, unless it is live."""
        self.releases.discard_unless_live(candidate.index)

    def analyze(self, text: str, rules: Sequence[SynonymRule] | None = None) -> list[str]:
        """Return the variants of a text, each as stems, that OpenSearch derives with these rules, or without any."""
        client, index = self.releases.client, self.live().index
        analysis = client.indices.get_settings(index=index)[index]["settings"]["index"]["analysis"]
        analyzer = analysis["analyzer"]["words" if rules is None else "words_with_rules"]
        rule_filter = {**analysis["filter"]["rules"], "synonyms": filter_rules(rules or ())}
        body = {
            "tokenizer": analyzer["tokenizer"],
            "char_filter": analyzer["char_filter"],
            "filter": [rule_filter if name == "rules" else name for name in analyzer["filter"]],
            "text": text,
        }
        return token_paths(client.indices.analyze(index=index, body=body)["tokens"])

    def history(self) -> History:
        """Return the history, with the live rules even if their publication was not stored."""
        live = self.live()
        return with_live_release(read_history(self.releases.client, self.releases.index_alias), live.index, live.meta)


def token_paths(tokens: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return every path through a token graph, up to MAX_VARIANTS."""
    by_start: defaultdict[int, list[tuple[str, int]]] = defaultdict(list)
    for token in tokens:
        end = token["position"] + token.get("positionLength", 1)
        by_start[token["position"]].append((token["token"], end))
    starts = sorted(by_start)
    paths: list[str] = []
    stack: list[tuple[int, tuple[str, ...]]] = [(starts[0], ())] if starts else []
    while stack and len(paths) < MAX_VARIANTS:
        position, words = stack.pop()
        start = next((start for start in starts if start >= position), None)  # a stop word may leave a gap
        if start is None:
            paths.append(" ".join(words))
            continue
        stack += [(end, (*words, word)) for word, end in reversed(by_start[start])]
    return list(dict.fromkeys(paths))


def _metadata(live: LiveRelease, rules: Sequence[SynonymRule], pins: Sequence[Pin], change: Difference) -> JsonObject:
    version = rules_version(rules, pins)
    # Versions that an operator replaced, up to the live one: a build from older files must not publish them again.
    replaced = dict.fromkeys([*live.meta.get("replaced", ()), live.version])
    return {
        **live.meta,
        "rules": rule_lines(rules),
        "pins": pin_lines(pins),
        "synonyms_version": version,
        "replaced": [old for old in replaced if old != version][-MAX_REPLACED:],
        "rules_since": _rules_since(live.meta, change),
    }


def _rules_since(meta: Mapping[str, Any], change: Difference) -> JsonObject:
    """Return how the rules differ from those of the release before."""
    return {
        "synonyms_version": meta["synonyms_version"],
        "released": meta["released"],
        "added": [line.text for line in change.all_added],
        "removed": [line.text for line in change.all_removed],
    }


def effective_rules(
    rules: Sequence[SynonymRule], meta: Mapping[str, Any] | None, pins: Sequence[Pin] = ()
) -> tuple[SynonymRule, ...]:
    """Return the rules of a build: those of the files, or the live ones if the files have undone or replaced rules."""
    return rules_from(meta["rules"]) if meta is not None and is_replaced(meta, rules, pins) else tuple(rules)


def effective_pins(
    rules: Sequence[SynonymRule], meta: Mapping[str, Any] | None, pins: Sequence[Pin]
) -> tuple[Pin, ...]:
    """Return the pins of a build, chosen as its rules are."""
    return pins_from(meta.get("pins", ())) if meta is not None and is_replaced(meta, rules, pins) else tuple(pins)


def is_replaced(meta: Mapping[str, Any], rules: Sequence[SynonymRule], pins: Sequence[Pin]) -> bool:
    """Return whether an operator has undone or replaced these rules and pins."""
    return rules_version(rules, pins) in meta.get("replaced", ())


def rules_metadata(
    meta: Mapping[str, Any] | None, rules: Sequence[SynonymRule], pins: Sequence[Pin] = ()
) -> JsonObject:
    """Return what a build adds to its `_meta` about the rules of the release that was live before it."""
    if meta is None:
        return {"replaced": [], "rules_since": None}
    version = rules_version(rules, pins)
    replaced = [old for old in meta.get("replaced", ()) if old != version]
    return {"replaced": replaced, "rules_since": _rules_since(meta, live_difference(meta, rules, pins))}


def live_difference(meta: Mapping[str, Any], rules: Sequence[SynonymRule], pins: Sequence[Pin]) -> Difference:
    """Return how rules and pins differ from those of a release, given by its `_meta`."""
    return difference(rules_from(meta["rules"]), rules, pins_from(meta.get("pins", ())), pins)
