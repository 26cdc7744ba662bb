"""Resolves the seeds of a request, each by id, key, slug, name or alias."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from api.engine.release import Hit, Release
from api.engine.search_engine import SearchEngine
from api.graph.guidance import is_acute
from api.graph.resolve import MATCHED_BY, named_in_order, other_readings
from api.models import SEEDS, RecommendRequest
from api.request_text import shorten
from api.search import query_builder
from api.search.query import ParsedQuery
from schema.entity_kinds import NEED_TYPES
from schema.json_types import JsonObject
from schema.text import fold

SEED_TYPES = {field: "workrelatedfunction" if field == "work_function" else field for field in SEEDS}
SEED_FIELDS = {type_name: field for field, type_name in SEED_TYPES.items()}
MAX_GIVEN_BYTES = 200  # of a text that names a seed; the longest name has 131
MAX_SEEDS = 10  # entities of one type that share a name
SEED_FIELDS_READ = ("inherits_from", "first_choices", "main_needs", "ancestors", "attributes", "troubles", "cautions")


class SeedText(NamedTuple):
    """A text that names a seed, and its field; for a part of a question, its words and how these match."""

    field: str
    query: ParsedQuery
    given: str = ""
    matched_by: str = ""


@dataclass(frozen=True, slots=True)
class RecommendQuery:
    """A request for recommendations with its texts parsed: seeds, what is excluded, and the question."""

    request: RecommendRequest
    seeds: Sequence[SeedText]
    exclude: Sequence[ParsedQuery] = ()
    question: ParsedQuery | None = None

    @classmethod
    def parse(cls, request: RecommendRequest) -> "RecommendQuery":
        """Parse the texts that are not blank."""
        seeds = [
            SeedText(field, ParsedQuery.parse(text.strip()))
            for field in SEED_TYPES
            for text in getattr(request, field)
            if text.strip()
        ]
        excluded = [ParsedQuery.parse(text.strip()) for text in request.exclude if text.strip()]
        question = (request.question or "").strip()
        return cls(request, seeds, excluded, ParsedQuery.parse(question) if question else None)


def seed_body(type_name: str, query: ParsedQuery) -> JsonObject:
    """The entities of a type that a seed names by id, key, slug, code, name or alias, or by a form of a name."""
    fields = {"_source": [*SEED_FIELDS_READ], "docvalue_fields": ["hit", "card", "sources"]}
    return query_builder.named_body(query, [type_name], fields, MAX_SEEDS, by_side=type_name in NEED_TYPES)


@dataclass(frozen=True, slots=True)
class ResolvedSeed:
    """The entity that the text `given` names in a field: how it matched, what else and which side it names."""

    field: str
    matched_by: str
    card: JsonObject
    hit: Hit
    alternatives: Sequence[Mapping[str, Any]] = ()
    side: str | None = None
    given: str = ""

    @property
    def parents(self) -> Sequence[str]:
        """The conditions whose lists a condition inherits."""
        parents: Sequence[str] = self.hit.document.get("inherits_from", ())
        return parents

    @property
    def is_acute(self) -> bool:
        """Whether this is a condition that comes suddenly and needs medical help at once."""
        return is_acute(self.hit.document)

    @property
    def list_owners(self) -> Sequence[str]:
        """The ids of the entities whose lists are read: its parents, else its own."""
        return self.parents or [self.card["id"]]


async def resolve_seeds(
    engine: SearchEngine, texts: Sequence[SeedText]
) -> tuple[list[ResolvedSeed], list[SeedText], Release]:
    """Return the seeds that the texts name, and the texts that name none."""
    release = await engine.known_release()
    texts = [text._replace(query=text.query.with_release(release)) for text in texts]
    responses = await engine.search_all([seed_body(SEED_TYPES[text.field], text.query) for text in texts])
    found = [_resolve_text(one, response.hits) for one, response in zip(texts, responses, strict=True)]
    unknown = [text for text, seed in zip(texts, found, strict=True) if seed is None]
    return [seed for seed in found if seed], unknown, responses[0].release


def _resolve_text(text: SeedText, hits: Sequence[Hit]) -> ResolvedSeed | None:
    seed = resolve_seed(text.field, hits, text.query)
    if seed is None or not text.given:
        return seed
    return replace(seed, given=text.given, matched_by=text.matched_by, alternatives=())  # the reading has these


def in_order(seeds: Iterable[ResolvedSeed]) -> list[ResolvedSeed]:
    """Return each seed once, in an order that does not depend on that of the request."""
    once = {(seed.field, seed.card["id"], seed.side): seed for seed in seeds}
    fields = list(SEED_TYPES)
    return sorted(once.values(), key=lambda seed: (fields.index(seed.field), seed.card["id"], seed.side or ""))


def resolve_seed(field: str, hits: Sequence[Hit], query: ParsedQuery) -> ResolvedSeed | None:
    """Return the best hit that the query names, and the others that it names; None if there is none.

    Among equals, a condition with lists of its own comes first.
    """
    pairs = named_in_order(query, hits)
    if not pairs:
        return None
    best, hit = pairs[0]
    kind = best.match.kind
    others = [one.card for one, _ in other_readings(pairs)]
    is_slug = (
        kind in {"id", "name"}
        and query.folded_id not in (fold(best.card["id"]), fold(best.card["name"]))
        and query.folded_id.endswith(best.card["slug"])
    )
    side = next((one.side for one in query.sides.get(query.form, ()) if one.need == best.card["id"]), None)
    return ResolvedSeed(
        field,
        "slug" if is_slug else MATCHED_BY[kind],
        best.card,
        hit,
        others,
        side,
        shorten(query.raw, MAX_GIVEN_BYTES),
    )
