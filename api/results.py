"""OpenSearch answers → the models of `api.models`, as plain dicts. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import orjson

from api import reading, rules, spelling
from api.narrower import unshown
from api.queries import (
    COVERING,
    NAME,
    NAME_FORM,
    NAMED,
    PHRASE,
    SCOPED,
    STRONG,
    TELLING,
    TIERS,
    WHOLE,
    Search,
    rules_apply,
    tiers_of,
)
from api.spelling import Correct, Fix, merged, name_fixes, same_beginnings, word_fixes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from api.release import Answer, Release
    from api.vocabulary import Vocabulary

SERVICE = "Accommodation Knowledge Graph"
VERSION = "0.1.0"
NOTICE = (
    "For information only. This is not legal, medical or HR advice. Each person and each job is different: "
    "talk with the person, and with someone qualified, before you decide."
)
TOP_PRODUCTS = 20
ABBREVIATION = 3  # letters of one that a longer word is not corrected into
LONG_WORD = 6  # letters; a shorter word is corrected only into a whole name

Body = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer without provenance and notice, the release it came from and the sources it rests on."""

    body: Body
    release: Release
    sources: Sequence[str] = ()


def card(hit: Mapping[str, Any]) -> Body:
    """The ready card of a hit."""
    found: Body = orjson.loads(hit["fields"]["card"][0])
    return found


def cards(answer: Answer) -> list[Body]:
    """The ready cards of all hits."""
    return [card(hit) for hit in answer.body["hits"]["hits"]]


def hit_sources(answer: Answer) -> list[str]:
    """Ids of the sources that the hits rest on."""
    return [source for hit in answer.body["hits"]["hits"] for source in hit["fields"].get("sources", ())]


def provenance(release: Release | None, sources: Iterable[str]) -> Body:
    """Which service, release and sources an answer rests on: the graph's core sources, then the answer's own."""
    shown: list[Any] = []
    if release is not None:
        wanted = dict.fromkeys([*release.core_sources, *sources])
        shown = [release.sources[source] for source in wanted if source in release.sources]
    return {
        "service": SERVICE,
        "version": VERSION,
        "data_version": release.data_version if release else None,
        "synonyms_version": release.synonyms_version if release else None,
        "released": release.released if release else None,
        "sources": shown,
    }


def notice(url: str) -> Body:
    """What this information is not."""
    return {"text": NOTICE, "kind": "informational", "url": url}


def page(path: str, params: Sequence[tuple[str, str]], total: int, limit: int, offset: int) -> Body:
    """Totals and relative links of one page of a list. `params` are the call's own, without offset."""

    def link(to: int) -> str:
        return f"{path}?{urlencode([*params, ('offset', str(to))])}"

    return {
        "total": total,
        "limit": limit,
        "offset": offset,
        "next": link(offset + limit) if offset + limit < total else None,
        "prev": link(max(0, min(offset, total) - limit)) if offset > 0 else None,
    }


def unpaged(total: int, limit: int) -> Body:
    """Totals of an answer that has one page only: `limit` cuts it, nothing goes on from there."""
    return {"total": total, "limit": limit, "offset": 0, "next": None, "prev": None}


def hits(ask: Search, answer: Answer) -> list[Body]:
    """Search hits as cards with score and reason."""
    acting = rules.Acting(ask.query, answer.release.rules if rules_apply(ask) else ())
    return [_hit(ask, found, acting) for found in answer.body["hits"]["hits"]]


def _hit(ask: Search, found: Mapping[str, Any], acting: Sequence[Mapping[str, Any]]) -> Body:
    shown = card(found)
    aliases = found["fields"].get("alias_list", ())
    why = reading.match(ask.query, tiers_of(found), shown, aliases, acting, unshown=unshown(found, TIERS))
    return {**shown, "score": round(points(found), 4), "match": why}


def points(hit: Mapping[str, Any]) -> float:
    """The score of a hit. Where hits are sorted, it is the first value of that: to be told it again costs a search."""
    score: float = hit["sort"][0] if "sort" in hit else hit["_score"]
    return score


def corrected_hits(query: str, fix: str, found: Sequence[Body]) -> list[Body]:
    """Hits of a corrected query: each says that it is there by a spelling fix."""

    def why(hit: Body) -> str:
        said: str = hit["match"]["why"]
        return f"No name matched ‘{query.strip()}’ as written; these are results for ‘{fix}’. {said}"

    return [{**hit, "match": {**hit["match"], "kind": "spelling", "why": why(hit)}} for hit in found]


def readings(ask: Search, answer: Answer, found: Sequence[Body]) -> list[Body]:
    """How the words were read: as another name of an entity, by a synonym rule, or as a type that was asked for.

    A type word that moved none of the hits, found none, or is a part of a name that was typed is not told of.
    """
    shown = answer.body["hits"]["hits"]
    moved = bool(shown) and (ask.offset or any(SCOPED in tiers_of(hit) for hit in shown))
    scoped = moved and not whole(answer)
    every = answer.release.rules if rules_apply(ask) else ()
    return [
        *reading.alias_readings(ask.query, found),
        *rules.rule_readings(ask.query, every, found),
        *(reading.scope_readings(ask.query) if scoped else ()),
    ]


def completions(typed: str, answer: Answer) -> Body:
    """Type-ahead hits in order, and the same by type."""
    found = []
    for hit in answer.body["hits"]["hits"]:
        shown = card(hit)
        why = reading.completion(typed, shown["name"], hit["fields"].get("alias_list", ()))
        found.append({**shown, "score": round(points(hit), 4), "match": why})
    groups: dict[str, list[str]] = {}
    for one in found:
        groups.setdefault(one["type"], []).append(one["id"])
    return {"results": found, "groups": [{"type": kind, "ids": ids} for kind, ids in groups.items()]}


def facets(answer: Answer) -> Body:
    """Hits per type, over all types whatever the scope."""
    return {"type": {bucket["key"]: bucket["doc_count"] for bucket in answer.body["aggregations"]["types"]["buckets"]}}


def total(answer: Answer) -> int:
    """All hits, not only the page's."""
    value: int = answer.body["hits"]["total"]["value"]
    return value


def strong(answer: Answer) -> bool:
    """Whether the best hit matched well enough that no spelling help is needed."""
    return not STRONG.isdisjoint(_best_tiers(answer))


def whole(answer: Answer) -> bool:
    """Whether the query is a name of the best hit."""
    return not WHOLE.isdisjoint(_best_tiers(answer))


def named_beside(answer: Answer) -> bool:
    """Whether the best hit goes with all that stands beside a type word."""
    return SCOPED in _best_tiers(answer)


def better(fixed: Answer, asked: Answer, query: str, fix: str) -> bool:
    """Whether a fix's results should stand in place of what was asked: it is a name, or nothing as good was found.

    Only words that are none are ever fixed, so what was found by them was found by chance ("hereing aid"). A query of
    one short word ("shrek") is corrected only into a name, never into a word inside one; a first letter ("horoscope",
    "boroscope") only into what an entity is shown as, never into one of its other names. An abbreviation ("ASD") is
    offered, but not put in the place of a longer word ("asdf").
    """
    if not same_beginnings(query, fix) and _best_tiers(fixed).isdisjoint((NAME, NAME_FORM)):
        return False
    if len(fix) <= ABBREVIATION < len(query.strip()):
        return False
    if not asked.body["hits"]["hits"]:
        tiers = _best_tiers(fixed)
        if len(query.split()) > 1:
            return not TELLING.isdisjoint(tiers)
        return whole(fixed) or (len(query.strip()) >= LONG_WORD and PHRASE in tiers)
    return COVERING.isdisjoint(_best_tiers(asked)) and (
        whole(fixed) or (strong(fixed) and NAMED not in _best_tiers(asked))
    )


def _best_tiers(answer: Answer) -> set[str]:
    found = answer.body["hits"]["hits"]
    return tiers_of(found[0]) if found else set()


def fixes(query: str, said: Answer, near: Sequence[Answer], correct: Correct) -> list[Fix]:
    """Corrections to try: whole names first, then word by word. No `correct` word is changed."""
    options = [option for entry in said.body["suggest"]["fixes"] for option in entry["options"]]
    return merged([*name_fixes(query, _all_names(near), correct), *word_fixes(query, options, correct)])


def guesses(query: str, far: Answer, known: Iterable[str], correct: Correct) -> list[Fix]:
    """Names that may be meant where neither the query nor any fix of it found something; `known` words are in names."""
    kept = {word for word in known if word not in correct}
    return merged(spelling.guesses(query, _all_names([far]), correct, kept))


def _all_names(answers: Iterable[Answer]) -> list[Sequence[str]]:
    return [
        (card(hit)["name"], *hit["fields"].get("alias_list", ()))
        for answer in answers
        for hit in answer.body["hits"]["hits"]
    ]


def top_products(found: Sequence[Body]) -> list[Body]:
    """The products of all results: everyone's first before anyone's second, none twice."""
    seen: dict[str, Body] = {}
    for place in range(max((len(one["products"]) for one in found), default=0)):
        for one in found:
            if place < len(one["products"]):
                seen.setdefault(one["products"][place]["id"], one["products"][place])
    return list(seen.values())[:TOP_PRODUCTS]


def graph(vocabulary: Vocabulary, counts: Mapping[str, Mapping[str, int]], examples: Mapping[str, str]) -> Body:
    """The shape and size of the graph, with a call that works for each type and each edge that has any."""
    types = [
        {"name": name, "says": says, "total": counts["types"].get(name, 0), "example": f"/{name}?limit=5"}
        for name, says in vocabulary.types.items()
    ]
    edges = [
        {
            "name": edge.name,
            "inverse": edge.inverse,
            "label": edge.label,
            "direction": edge.direction,
            "pairs": [list(pair) for pair in edge.pairs],
            "total": counts["edges"].get(edge.name, 0),
            "example": _example(edge.name, examples.get(edge.name)),
        }
        for edge in vocabulary.edges.values()
    ]
    totals = {"entities": sum(counts["types"].values()), "edges": sum(counts["edges"].values()) // 2}
    return {"types": types, "edges": edges, "totals": totals}


def changes(document: Mapping[str, Any] | None, rules: Mapping[str, Any] | None) -> Body:
    """What a release says of the one before it; nothing where it was built before releases kept this."""
    none: Body = {"types": [], "edges": [], "totals": {"entities": 0, "edges": 0}, "entities": [], "relations": []}
    return {"since": None, **none, **(document["changes"] if document else {}), "rules": rules}


def _example(edge: str, start: str | None) -> str | None:
    if start is None:
        return None
    kind, _, key = start.partition(":")
    return f"/{kind}/{key}/neighbors?edge={edge}&limit=5"
