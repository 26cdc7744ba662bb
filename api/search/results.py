"""What a search found: the ranked hits, and the cut between good and loose ones, decided once for a query."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from api.engine.release import EngineResponse, Release
from api.search.features import GOOD, Feature
from api.search.hit_order import rank_hits
from api.search.names import parse_name
from api.search.query import ParsedQuery, SearchRequest
from api.search.query_builder import RANKED
from api.search.ranking import RankedHit, rank_hit
from api.search.ranking_table import BY_NAME, STRONG
from schema.entity_kinds import CONDITION
from schema.setting_words import PLACE_WORDS
from schema.text import STOP_WORDS
from schema.word_forms import base_form

UNLIKELY = frozenset(("not_meant", "elsewhere"))
ENOUGH_GOOD = 5  # good hits; with fewer, loose ones follow them up to as many
INDIRECT = frozenset(("body_part", "other_job"))  # what the query does not name itself
MAX_WITH_INDIRECT = 10  # hits of a list after which it has no more of these
ENOUGH_BESIDE_GUIDE = 3  # good hits where a guide answers, too
MIN_SHARED = 2  # words of a loose hit; one alone says nothing


@dataclass(frozen=True, slots=True)
class SearchResults:
    """The hits of one query. `head` are the first RANKED ones, best first, whatever the page.

    `listed` are those of the head that the list has. `page` are the hits of the page. `total` and `by_type` count the
    hits of the list, `less_likely` those left out. `guides` are the ids of guides in words like those of the query.
    """

    request: SearchRequest
    release: Release
    head: Sequence[RankedHit]
    listed: Sequence[RankedHit]
    page: Sequence[RankedHit]
    total: int
    less_likely: int
    by_type: Mapping[str, int]
    guides: Sequence[str] = ()

    def with_list(self, hits: Sequence[RankedHit]) -> "SearchResults":
        """Return it with another list, which is the whole one."""
        by_type = Counter(hit.card["type"] for hit in hits)
        replaced = {hit.card["id"] for hit in self.listed} - {hit.card["id"] for hit in hits}
        less_likely = self.less_likely + len(replaced)
        found = replace(self, head=hits, listed=hits, total=len(hits), less_likely=less_likely, by_type=by_type)
        return replace(found, page=_page(self.request, hits))

    @property
    def best(self) -> str:
        """The kind of the best match, an empty string if nothing was found."""
        return self.head[0].match.kind if self.head else ""

    @property
    def is_strong(self) -> bool:
        """Whether the best hit matched so well that the query needs no correction."""
        return self.best in STRONG

    @property
    def has_only_good(self) -> bool:
        """Whether all hits that are ranked are good ones, so that there may be more of them."""
        return _has_only_good(self.head)

    @property
    def has_all_named(self) -> bool:
        """Whether no entity that a part of the query names can be beyond the head, or not for the setting."""
        if self.request.meant_setting:
            return False
        return len(self.head) < RANKED or min(hit.features for hit in self.head) < Feature.BODY_PART

    @property
    def missing(self) -> range | None:
        """Which hits of OpenSearch behind the head the page needs; None if neither these nor their counts are needed.

        The list has fewer hits of the head than OpenSearch, so later ones are at other places there.
        """
        request, listed = self.request, len(self.listed)
        first = RANKED + max(0, request.offset - listed)
        size = max(0, request.offset + request.limit - max(request.offset, listed))
        if request.loose:
            return range(first, first + size) if size and len(self.head) == RANKED < self.total else None
        return range(first, first + size) if self.has_only_good else None

    def with_missing(self, later: EngineResponse) -> "SearchResults":
        """Return it with hits of OpenSearch behind the head, which are good ones unless loose ones are shown."""
        page = [*self.page, *(rank_hit(self.request.query, hit) for hit in later.hits)]
        if self.request.loose:
            return replace(self, page=page)
        ids = {hit.card["id"] for hit in self.listed}
        left_out = [hit for hit in self.head if hit.card["id"] not in ids]
        total = later.total - len(left_out)
        types = Counter(_types(later))
        types.subtract(hit.card["type"] for hit in left_out)
        less_likely = self.less_likely + self.total - total
        return replace(self, page=page, total=total, less_likely=less_likely, by_type=+types)


def _has_only_good(ranked: Sequence[RankedHit]) -> bool:
    return sum(hit.features >= GOOD for hit in ranked) == RANKED


def _page(request: SearchRequest, hits: Sequence[RankedHit]) -> Sequence[RankedHit]:
    return hits[request.offset : request.offset + request.limit]


def select(request: SearchRequest, response: EngineResponse) -> SearchResults:
    """Return the results of a search with the first hits of OpenSearch; `missing` says what else they need."""
    ranked = rank_hits(request.query, response.hits, request.setting)
    listed = ranked if request.loose else _without_unlikely(request.query, ranked)
    total = response.total if request.loose else len(listed)
    by_type = _types(response) if request.loose else Counter(hit.card["type"] for hit in listed)
    page = _page(request, listed)
    return SearchResults(
        request, response.release, ranked, listed, page, total, max(0, response.total - total), by_type
    )


def _types(response: EngineResponse) -> Mapping[str, int]:
    """Return the number of hits by type, if they are counted."""
    return response.buckets.get("types", {})


def enough(query: ParsedQuery) -> int:
    """Return up to how many hits are filled up with loose ones."""
    return ENOUGH_BESIDE_GUIDE if query.guide_names else ENOUGH_GOOD


@dataclass(frozen=True, slots=True)
class NamedInQuery:
    """What parts of a query name: the base forms in each name of several words, and conditions with broader ones."""

    names: Sequence[AbstractSet[str]]
    conditions: AbstractSet[str]
    broader: AbstractSet[str]

    @staticmethod
    def of(hits: Iterable[RankedHit]) -> "NamedInQuery":
        """Return what the hits of a query have as a name in it."""
        named = [hit for hit in hits if hit.match.kind in BY_NAME]
        names = (parse_name(hit.match.text).tokens for hit in named)
        conditions = [hit for hit in named if hit.card["type"] == CONDITION]
        return NamedInQuery(
            [{base_form(word) for word in name if word not in STOP_WORDS} for name in names if len(name) > 1],
            {hit.card["name"] for hit in conditions},
            {name for hit in conditions for name in hit.payload.get("broader", ())},
        )

    def is_other_condition(self, hit: RankedHit) -> bool:
        """Return whether a hit is a condition that the query cannot mean by words of a text: it names another."""
        if hit.card["type"] != CONDITION or not self.conditions:
            return False
        return hit.card["name"] not in self.broader and self.conditions.isdisjoint(hit.payload.get("broader", ()))

    def is_coincidence(self, words: Iterable[str], keywords: Iterable[str], *, name_counts: int) -> bool:
        """Return whether a hit with these words has too few keywords of a query with long names.

        A whole name counts as so many words, a part of one as none: "little heater" shares nothing with "little
        person". Nor do words for places count.
        """
        if not self.names:
            return False
        of_hit = set(map(base_form, words))
        shared = of_hit.intersection(base_form(word) for word in keywords if word not in PLACE_WORDS)
        others = shared.difference(*self.names)
        return len(others) + name_counts * sum(name <= of_hit for name in self.names) < MIN_SHARED

    def is_coincidental_name(self, hit: RankedHit, keywords: Iterable[str]) -> bool:
        """Return whether a name has most keywords by chance.

        One with a whole name of the query does not, unless it is a job: "service dog" is not its trainer.
        """
        if hit.match.kind != "most_words":
            return False
        name_counts = 1 if hit.card["type"] == "occupation" else MIN_SHARED
        return self.is_coincidence(parse_name(hit.match.text).tokens, keywords, name_counts=name_counts)


def _without_unlikely(query: ParsedQuery, ranked: Sequence[RankedHit]) -> list[RankedHit]:
    """Return the good hits, and loose ones until there are enough, but none that is not meant or for elsewhere.

    If a condition is named, the description of another one is no reason: "eating disorder" is not alcoholism. Nor is a
    description beside a guide: "doctor's note".
    """
    missing = max(0, enough(query) - sum(hit.is_good for hit in ranked))
    named = NamedInQuery.of(ranked)
    likely = [
        hit
        for hit in ranked
        if not (hit.match.kind == "description" and named.is_other_condition(hit))
        and not named.is_coincidental_name(hit, query.keywords)
        and not (query.guide_names and hit.match.kind == "description")
        and hit.match.kind not in UNLIKELY
    ]
    loose = {hit.card["id"] for hit in [hit for hit in likely if not hit.is_good][:missing]}
    shown = [hit for hit in likely if hit.is_good or hit.card["id"] in loose]
    if _has_only_good(ranked):  # OpenSearch counts those behind them, too
        return shown
    first, rest = shown[:MAX_WITH_INDIRECT], shown[MAX_WITH_INDIRECT:]
    return [*first, *(hit for hit in rest if hit.match.kind not in INDIRECT)]
