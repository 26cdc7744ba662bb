"""New synonym rules for the live release: clone it, give the clone the rules, verify, publish or throw away.

Nothing is indexed again and nothing that readers see changes before the alias moves, in one step.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from indexer.history import caught_up, event_of, read_history, write_history
from indexer.release import ReleaseError
from indexer.synonyms import difference, rule_lines, rules_from, rules_version
from indexer.verify import unread, verify_copy

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from indexer.history import History, What
    from indexer.release import Releases
    from indexer.synonyms import Difference, Rule

MOST_REPLACED = 50
UNREAD_SHOWN = 20
MOST_READINGS = 12  # of one text that are shown


@dataclass(frozen=True, slots=True)
class Live:
    """The live release with its rules."""

    index: str
    meta: Mapping[str, Any]
    rules: tuple[Rule, ...]

    @property
    def version(self) -> str:
        """Of the rules."""
        return str(self.meta["synonyms_version"])


@dataclass(frozen=True, slots=True)
class Candidate:
    """A verified clone with other rules that nobody sees yet."""

    index: str
    source: Live
    meta: Mapping[str, Any]
    rules: tuple[Rule, ...]
    change: Difference


@dataclass(frozen=True, slots=True)
class Workbench:
    """The rules of the live release behind one alias. Callers hold the writer lease."""

    desk: Releases

    def live(self) -> Live:
        """The live release; ReleaseError where there is none."""
        index = self.desk.live_index()
        meta = self.desk.meta_of(index)
        return Live(index, meta, rules_from(meta["rules"]))

    def candidate(self, rules: Sequence[Rule], now: datetime) -> Candidate:
        """Clone the live release with these rules and verify the clone; ReleaseError says what is wrong with it."""
        self.desk.clear_remains()
        live = self.live()
        change = difference(live.rules, rules)
        meta = _meta(live, rules, change)
        index = self.desk.clone(live.index, meta, self._filters(live.index, rules), now)
        try:
            client = self.desk.client
            problems = [*verify_copy(client, index, meta), *unread(client, index, change.added)]
            if self._filters(index) != self._filters(live.index, rules):
                problems.append(f"{index} does not have these rules")
        except BaseException:
            self.desk.discard(index)
            raise
        if problems:
            self.desk.discard(index)
            raise ReleaseError("The rules do not work in the engine:\n" + "\n".join(problems[:UNREAD_SHOWN]))
        return Candidate(index, live, meta, tuple(rules), change)

    def _filters(self, index: str, rules: Sequence[Rule] | None = None) -> dict[str, Any]:
        """The filter of the rules: as an index has it, or with other rules in it."""
        settings = self.desk.client.indices.get_settings(index=index, name="index.analysis.filter.rules.*")
        known = settings[index]["settings"]["index"]["analysis"]["filter"]["rules"]
        return {"rules": known if rules is None else {**known, "synonyms": [rule.text for rule in rules]}}

    def publish(self, candidate: Candidate, what: What, now: datetime) -> str:
        """Stamp the candidate, move the alias, write the change down, prune; return the index."""
        history = self.history()
        self.desk.stamp(candidate.index, candidate.meta, now)
        self.desk.publish(candidate.index)
        live = self.live()
        counts = {"added": len(candidate.change.added), "removed": len(candidate.change.removed)}
        event = event_of(what, live.index, live.meta, **counts)
        write_history(self.desk.client, self.desk.alias, history.with_event(event, candidate.rules))
        self.desk.prune()
        return candidate.index

    def discard(self, candidate: Candidate) -> None:
        """Throw the candidate away, unless it went live."""
        if candidate.index not in self.desk.live_indices():
            self.desk.discard(candidate.index)

    def read(self, text: str, rules: Sequence[Rule] | None = None) -> list[str]:
        """The ways in which the engine reads words with these rules, or without any: each a run of stems."""
        index = self.live().index
        known = self.desk.client.indices.get_settings(index=index)[index]["settings"]["index"]["analysis"]
        analyzer = known["analyzer"]["words" if rules is None else "words_with_rules"]
        mine = {**known["filter"]["rules"], "synonyms": [rule.text for rule in rules or ()]}
        chain = {
            "tokenizer": analyzer["tokenizer"],
            "char_filter": analyzer["char_filter"],
            "filter": [mine if name == "rules" else name for name in analyzer["filter"]],
        }
        body = {**chain, "text": text}
        return readings(self.desk.client.indices.analyze(index=index, body=body)["tokens"])

    def history(self) -> History:
        """Which rules were live when, the live ones included even where nobody wrote them down."""
        live = self.live()
        return caught_up(read_history(self.desk.client, self.desk.alias), live.index, live.meta)


def readings(tokens: Sequence[Mapping[str, Any]]) -> list[str]:
    """Every way through a graph of tokens, up to MOST_READINGS of them."""
    leads: defaultdict[int, list[tuple[str, int]]] = defaultdict(list)
    for token in tokens:
        leads[token["position"]].append((token["token"], token["position"] + token.get("positionLength", 1)))
    places = sorted(leads)
    found: list[str] = []
    waiting: list[tuple[int, tuple[str, ...]]] = [(places[0], ())] if places else []
    while waiting and len(found) < MOST_READINGS:
        place, said = waiting.pop()
        following = next((one for one in places if one >= place), None)  # a stop word may leave a gap
        if following is None:
            found.append(" ".join(said))
            continue
        waiting += [(end, (*said, word)) for word, end in reversed(leads[following])]
    return list(dict.fromkeys(found))


def _meta(live: Live, rules: Sequence[Rule], change: Difference) -> dict[str, Any]:
    """What the clone says of itself: everything its source does, but for the rules."""
    version = rules_version(rules)
    return {
        **live.meta,
        "rules": rule_lines(rules),
        "synonyms_version": version,
        "replaced": _replaced(live.meta, version),
        "rules_since": _since(live.meta, change),
    }


def _replaced(meta: Mapping[str, Any], version: str) -> list[str]:
    """Versions that were taken off by hand, up to the live one: a build from older files must not bring them back."""
    known = dict.fromkeys([*meta.get("replaced", ()), meta["synonyms_version"]])
    return [one for one in known if one != version][-MOST_REPLACED:]


def _since(meta: Mapping[str, Any], change: Difference) -> dict[str, Any]:
    """How the rules differ from those of the release before."""
    return {
        "synonyms_version": meta["synonyms_version"],
        "released": meta["released"],
        "added": [rule.text for rule in change.added],
        "removed": [rule.text for rule in change.removed],
    }


def carried(rules: Sequence[Rule], meta: Mapping[str, Any] | None) -> tuple[Rule, ...]:
    """The rules that a build takes: those of the files, unless the files hold what was undone or replaced by hand."""
    if meta is not None and rules_version(rules) in meta.get("replaced", ()):
        return rules_from(meta["rules"])
    return tuple(rules)


def following(meta: Mapping[str, Any] | None, rules: Sequence[Rule]) -> dict[str, Any]:
    """What a build adds to its `_meta` about the rules of the release that was live before it."""
    if meta is None:
        return {"replaced": [], "rules_since": None}
    version = rules_version(rules)
    replaced = [one for one in meta.get("replaced", ()) if one != version]
    return {"replaced": replaced, "rules_since": _since(meta, difference(rules_from(meta["rules"]), rules))}
