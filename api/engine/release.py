"""Releases: their metadata, which one the alias points at, and the responses from them as typed values."""

import asyncio
import base64
import contextvars
import logging
import math
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from types import MappingProxyType
from typing import Any, NamedTuple, cast

import orjson

from api.errors import DeadlineError, EngineUnavailableError, InternalError, NoReleaseError
from schema.edge_documents import NestedEdge
from schema.json_types import JsonObject
from schema.pins import Pin, pins_from
from schema.release_names import format_of_index
from schema.synonyms import SynonymMatcher, rules_from

ReadMappings = Callable[[str, Mapping[str, str]], Awaitable[Mapping[str, Any]]]  # of an index or alias, and filters


log = logging.getLogger("akg.engine")
NOTHING: Mapping[str, Any] = MappingProxyType({})
COMPLETE = {"filter_path": "*.mappings._meta.complete"}  # of mappings: 0.1 instead of 120 kB
NO_RELEASE = "No data has been published yet. This is on our side; please try again later."


class Side(NamedTuple):
    """A side of a need. `label` completes "troubled by …"; sides that exclude each other have the same `axis`."""

    label: str
    axis: str


class NamedSide(NamedTuple):
    """A side of a need that words name."""

    need: str
    side: str


@dataclass(frozen=True, slots=True)
class Release:
    """The metadata in the `_meta` of a release's index."""

    index: str
    data_version: str
    synonyms_version: str
    released: str
    counts: Mapping[str, Mapping[str, int]]
    sources: Mapping[str, Mapping[str, Any]]
    core_sources: tuple[str, ...]
    synonyms: SynonymMatcher
    examples: Mapping[str, str]
    rules_since: Mapping[str, Any] | None = None
    groupings: tuple[str, ...] = ()
    sides: Mapping[str, Side] = field(default_factory=dict)
    side_words: Mapping[str, Sequence[NamedSide]] = field(default_factory=dict)  # by the form of what people type
    body_parts: Mapping[str, Mapping[str, int]] = field(default_factory=dict)  # by key, the places of entities
    hidden_names: Mapping[str, str] = field(default_factory=dict)  # the form of a name never shown, and what is shown
    pins: Mapping[str, Pin] = field(default_factory=dict)  # by the form of their query

    @staticmethod
    def of(index: str, meta: Mapping[str, Any]) -> "Release":
        """Parse the `_meta` of an index."""
        return Release(
            index=index,
            data_version=meta["data_version"],
            synonyms_version=meta["synonyms_version"],
            released=meta["released"],
            counts=meta["counts"],
            sources={source["id"]: source for source in meta["sources"]},
            core_sources=tuple(meta["core_sources"]),
            synonyms=SynonymMatcher(rules_from(meta["rules"])),
            examples=meta["examples"],
            rules_since=meta.get("rules_since"),
            groupings=tuple(meta["groupings"]),
            sides={name: Side(**side) for name, side in meta["sides"].items()},
            side_words=_sides_by_form(meta["side_words"]),
            body_parts=_places_by_key(meta["body_parts"]),
            hidden_names=meta["hidden_names"],
            pins={pin.form: pin for pin in pins_from(meta.get("pins", ()))},
        )

    def pin_for(self, form: str, today: date) -> Pin | None:
        """Return the pin of a query that has this form, unless it is expired."""
        pin = self.pins.get(form)
        return pin if pin and not pin.is_expired(today) else None

    def expired_pins(self, today: date) -> int:
        """Return how many pins are expired."""
        return sum(pin.is_expired(today) for pin in self.pins.values())


def _sides_by_form(rows: Iterable[Mapping[str, Any]]) -> Mapping[str, Sequence[NamedSide]]:
    found: defaultdict[str, list[NamedSide]] = defaultdict(list)
    for row in rows:
        for form in row["forms"]:
            found[form].append(NamedSide(row["need"], row["side"]))
    return dict(found)


def _places_by_key(rows: Iterable[Mapping[str, Any]]) -> Mapping[str, Mapping[str, int]]:
    """Return what each body part, event or sign can bring, with the place of each entity in its row, from 0."""
    found: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for row in rows:
        for place, entity in enumerate(row["entities"]):
            for key in row["keys"]:
                found[key][entity] = place
    return dict(found)


def missing_release_message(alias: str, format_version: int, indices: Iterable[str]) -> str:
    """Return why there is no release of this format, from the names of complete indices."""
    formats = {found for index in indices if (found := format_of_index(alias, index)) is not None}
    if not formats or format_version in formats:
        return NO_RELEASE
    others = ", ".join(map(str, sorted(formats)))
    return (
        f"This service reads releases of format {format_version}, and OpenSearch has only releases of format {others}. "
        "`akg index build` of the same version publishes one, and leaves the others as they are."
    )


class LiveRelease:
    """The live release of an alias. `read_mappings` returns mappings by index; `clock` returns seconds.

    A release is confirmed if OpenSearch named it as live within the last `check_seconds`.
    """

    def __init__(
        self, read_mappings: ReadMappings, alias: str, check_seconds: float, clock: Callable[[], float]
    ) -> None:
        self._read_mappings = read_mappings
        self._alias = alias
        self._check_seconds = check_seconds
        self._clock = clock
        self._checked_at = 0.0
        self._confirmed_at = -math.inf
        self._check: asyncio.Task[None] | None = None
        self.releases: dict[str, Release] = {}  # the live one and the one before, by index
        self.release: Release | None = None

    def close(self) -> None:
        """Cancel a check that is still running."""
        if self._check is not None:
            self._check.cancel()

    async def refresh(self) -> Release:
        """Read from OpenSearch which release is live."""
        started_at = self._clock()
        mappings = await self._read_mappings(self._alias, COMPLETE)
        self._checked_at = self._clock()
        if len(mappings) != 1:
            log.error("the alias points at %d indices", len(mappings))
            raise NoReleaseError(NO_RELEASE)
        return await self._confirm(next(iter(mappings)), started_at)

    def confirmed(self) -> Release | None:
        """Return the live release if it is confirmed."""
        if self._clock() - self._confirmed_at >= self._check_seconds:
            return None
        self._check_later(self._check_seconds / 2)  # before the confirmation expires
        return self.release

    def unconfirm(self) -> None:
        """Forget the confirmation: an unreachable node cannot confirm the live release."""
        self._confirmed_at = -math.inf

    async def release_of(self, index: str, started_at: float) -> Release:
        """Return the release of an index to which the alias led a request that started at `started_at`."""
        if index not in self.releases:
            return await self._confirm(index, started_at)
        if self.release and index == self.release.index:
            self._confirmed_at = max(started_at, self._confirmed_at)
        elif started_at > self._confirmed_at:
            self.unconfirm()  # another release went live, perhaps by a rollback
        self._check_later(self._check_seconds)
        return self.releases[index]

    async def _confirm(self, index: str, started_at: float) -> Release:
        """Set the live release. Its metadata is read once: a release never changes."""
        if index not in self.releases:
            mappings = await self._read_mappings(index, {})
            meta = mappings[index]["mappings"].get("_meta", {})
            if not meta.get("complete"):
                log.error("the live index is not marked as complete")
                raise NoReleaseError(NO_RELEASE)
            previous = {self.release.index: self.release} if self.release else {}
            self.releases = {**previous, index: Release.of(index, meta)}
        self.release = self.releases[index]
        self._confirmed_at = started_at
        return self.release

    def _check_later(self, seconds: float) -> None:
        """Refresh in the background if the last check was more than `seconds` ago."""
        running = self._check is not None and not self._check.done()
        if not running and self._clock() - self._checked_at > seconds:
            self._checked_at = self._clock()
            no_deadline = contextvars.Context()  # without the deadline of the current request
            self._check = asyncio.create_task(self._refresh_and_log(), context=no_deadline)

    async def _refresh_and_log(self) -> None:
        try:
            await self.refresh()
        except (EngineUnavailableError, DeadlineError, InternalError) as error:
            log.warning("cannot read which release is live: %s", type(error).__name__)


class Hit(NamedTuple):
    """A hit. What the request does not include is empty. A tuple is made in half the time of a dataclass.

    `clauses` are the names of the clauses that matched, `fields` the values of each field; `document` is the source,
    `nested` are the nested edges that matched.
    """

    id: str = ""
    score: float = 0.0
    clauses: Sequence[str] = ()
    fields: Mapping[str, Sequence[str]] = NOTHING
    document: Mapping[str, Any] = NOTHING
    nested: Sequence[NestedEdge] = ()

    @classmethod
    def parse(cls, hit: Mapping[str, Any]) -> "Hit":
        """Parse a hit. Sorted hits have the score as first sort value: `track_scores` would cost another search."""
        score = hit["sort"][0] if "sort" in hit else hit["_score"]
        clauses, fields = hit.get("matched_queries", ()), hit.get("fields", NOTHING)
        inner = hit["inner_hits"]["edges"]["hits"]["hits"] if "inner_hits" in hit else ()
        nested = tuple(one["_source"] if "_source" in one else _nested_edge(one["fields"]) for one in inner)
        return cls(hit.get("_id", ""), score, clauses, fields, hit.get("_source", NOTHING), nested)

    @property
    def payload(self) -> JsonObject:
        """What a search reads of an entity: its card, aliases, sources and prior, from one binary doc value."""
        payload: JsonObject = orjson.loads(base64.b64decode(f"{self.fields['hit'][0]}=="))  # sent without padding
        return payload

    @property
    def card(self) -> JsonObject:
        """The card of the entity."""
        card: JsonObject = orjson.loads(self.fields["card"][0])
        return card

    @property
    def sources(self) -> Sequence[str]:
        """The ids of the entity's sources."""
        return self.fields.get("sources", ())


def _nested_edge(fields: Mapping[str, Sequence[Any]]) -> NestedEdge:
    """Return the members of a nested edge from its doc values; weights have four digits, which floats keep."""
    edge: dict[str, Any] = {name.removeprefix("edges."): values[0] for name, values in fields.items()}
    edge["weight"] = round(edge["weight"], 4)
    edge["sources"] = fields.get("edges.sources", ())
    return cast("NestedEdge", edge)


@dataclass(frozen=True, slots=True)
class EngineResponse:
    """A response and the release it is from.

    `count` is the number of all hits, if the request counts them. `buckets` has the number of documents by aggregation
    and key. `suggestions` are the texts of all suggesters, best first.
    """

    release: Release
    hits: Sequence[Hit] = ()
    count: int | None = None
    buckets: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    suggestions: Sequence[str] = ()

    @classmethod
    def parse(cls, body: Mapping[str, Any], release: Release) -> "EngineResponse":
        """Parse the body of a response."""
        hits, suggesters = body["hits"], body.get("suggest", {}).values()
        return cls(
            release,
            [Hit.parse(hit) for hit in hits["hits"]],
            hits["total"]["value"] if "total" in hits else None,
            {
                name: {bucket["key"]: bucket["doc_count"] for bucket in aggregation["buckets"]}
                for name, aggregation in body.get("aggregations", {}).items()
            },
            [option["text"] for entries in suggesters for entry in entries for option in entry["options"]],
        )

    @property
    def total(self) -> int:
        """The number of all hits, not only of the page."""
        if self.count is None:
            raise ValueError("the request did not count its hits")
        return self.count

    @property
    def cards(self) -> list[JsonObject]:
        """The cards of all hits."""
        return [hit.card for hit in self.hits]

    @property
    def sources(self) -> list[str]:
        """The ids of the sources of all hits."""
        return [source for hit in self.hits for source in hit.sources]
