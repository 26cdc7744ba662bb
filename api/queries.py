"""Request → OpenSearch body. Pure; here fields and boosts are chosen, but for what the build has worked out ahead.

Search is a ladder of tiers. Each tier's boost is a multiple of STEP, far above what BM25, kind and popularity can add
inside a tier, so a hit of a higher tier always comes first. STEP is a power of two because scores are 32-bit floats:
at 15 × 512 they still tell apart differences of 0.0005.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from api import asking, behind, goods, narrower, scoping
from api.prepared import LONGEST_BEGINNING, ahead, begins
from api.words import WORD, parts, squeeze

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

Body = dict[str, Any]

STEP = 512.0
ID, NAME, ALIAS, NAME_FORM, ALIAS_FORM, SYNONYM = "id", "name", "alias", "nameform", "aliasform", "synonym"
PHRASE, SCOPED, WORDS, PREFIX = "phrase", "scoped", "words", "prefix"
NAMED, EVERYWHERE, MENTION, MOST, DESCRIPTION = "named", "everywhere", "mention", "most", "description"
TIERS = (
    ID, NAME, ALIAS, NAME_FORM, ALIAS_FORM, SYNONYM, PHRASE, SCOPED, WORDS, PREFIX, NAMED, EVERYWHERE, MENTION, MOST,
    DESCRIPTION,
)  # fmt: skip  # best first
STRONG = frozenset(TIERS[: TIERS.index(PREFIX)])  # with one of these no spelling help is needed
TELLING = frozenset(TIERS[: TIERS.index(MOST)])  # something that was typed is a name, or all of it is spoken of
COVERING = frozenset(TIERS[: TIERS.index(NAMED)])  # one name accounts for every word that was typed
WHOLE = frozenset(TIERS[: TIERS.index(PHRASE)])  # the whole query is a name
MOST_WORDS = "2<67%"  # up to two words all must match; "flashing lights headache office" may miss one in three
DESCRIPTION_WORDS = "2<75%"  # summaries are longer, so chance agrees more often
PER_WORD = 48.0  # a longer mention says more: "shaky hands" before "mouse" in "mouse for shaky hands"
LONGEST_BOOST = 4  # words; more would reach the next tier
PER_GIST = 4.0  # a word; "patient lift for nurses": the solution of that name comes before lifting patients
GISTED = ("disability", "limitation", "workrelatedfunction")  # what people tell of in sentences
SPELLED = 100.0  # "braille": names that hold the word, in the plural or not, come before "brailler"
ENDED = 48.0  # "stutterer": a name that is the whole query but for an ending comes before one that holds it
IN_NAME = 48.0  # "anxiety": Apps for Anxiety comes before Mathematics, also called "math anxiety"
MOST_RULE_WORDS = 14  # words; beyond it rules could add up to more than the engine's 1,024 clauses
MOST_PHRASE_WORDS = 8  # words; in phrases the readings of rules multiply
LONGEST = 500  # characters of a query; the longest name has 131
MEANT = ("disability", "limitation", "workrelatedfunction", "solution")  # what people live with, and what helps
FACETS = 20  # more than there are types
BEGINS = 300.0  # a name that begins with what was typed comes before one that holds it further on
TOGETHER = 150.0  # words side by side as typed; above any difference of kinds, below a name that begins with them
IN_FRONT = 100.0  # besides, where the name begins with them
SHORTEST_SPAN, MOST_SPANNED = 2, 6  # letters of the beginning, and words in all, that are looked for side by side
SPANNED = 50  # words that are tried for each of them
FINISHED_SLIPS = "AUTO:5,9"  # one slip from five letters on: "asl" is no slip of "ask"
SHORTEST_PREFIX = 3  # letters that the longest word must have for a search by beginnings
SHORTEST_BEGINNING = 5  # letters of the beginning of a longer word: "softwar" is not near "soft palate"
BEGUN, BEGUN_NAME = 2.0, 8.0  # for the nearest names: all that was typed begins a word, or the name ("diab")
BEGIN, END = "qqbegin", "qqend"  # what the index puts around each whole name
# What is shown of a hit, and nothing else: reading `_id` would unpack what is stored beside it, for each hit.
SHOWN: Body = {"_source": False, "stored_fields": "_none_", "docvalue_fields": ["card", "alias_list", "sources"]}


@dataclass(frozen=True, slots=True)
class Search:
    """What a caller asks of search."""

    query: str
    scope: tuple[str, ...] = ()
    limit: int = 20
    offset: int = 0
    synonyms: bool = True
    spelling: bool = True
    facets: bool = field(default=True, kw_only=True)
    setting: str | None = field(default=None, kw_only=True)


def search_body(ask: Search) -> Body:
    """Search in all tiers at once, with the number of hits per type."""
    text = looked_at(ask.query)
    body: Body = {
        "from": ask.offset,
        "size": ask.limit,
        **SHOWN,
        "track_total_hits": True,
        "query": _ranked(text, synonyms=rules_apply(ask), setting=ask.setting),
        "sort": ["_score", {"position": "asc"}],
    }
    if ask.facets:
        body["aggs"] = {"types": {"terms": {"field": "type", "size": FACETS}}}
    if ask.scope:
        body["post_filter"] = {"terms": {"type": list(ask.scope)}}  # after the facets: they count every type
    return body


def _used_in(setting: str) -> Body:
    """Solutions used in the setting, and everything that is no solution: what a person lives with is the same there."""
    elsewhere = {"bool": {"must_not": {"term": {"type": "solution"}}}}
    return {"bool": {"should": [{"term": {"settings": setting}}, elsewhere]}}


def looked_at(query: str) -> str:
    """The part of a query that is searched."""
    return asking.bounded(query[:LONGEST])


def one_word(text: str) -> bool:
    """Whether this is a single plain word."""
    return text.isascii() and WORD.fullmatch(text.strip()) is not None


def rules_apply(ask: Search) -> bool:
    """Whether synonym rules take part: on unless the caller or the length of the query turns them off."""
    return ask.synonyms and len(WORD.findall(looked_at(ask.query))) <= MOST_RULE_WORDS


def _ranked(text: str, *, synonyms: bool, setting: str | None) -> Body:
    used = {"filter": [_used_in(setting)]} if setting else {}
    return ahead({"must": {"dis_max": {"queries": _tiers(text, synonyms=synonyms)}}, **used})


def _tiers(text: str, *, synonyms: bool) -> list[Body]:
    hint, code, meant = asking.hint(text), asking.is_code(text), asking.content_words(text)
    every = _every(text, synonyms=synonyms)
    ladder, equal = _ladder(text, meant, hint, every, synonyms=synonyms), {PREFIX}
    if not meant or code:  # stop words alone: "the" is in two thousand names
        ladder = {name: clauses for name, clauses in ladder.items() if name in WHOLE}
    elif one_word(text):
        ladder, equal = _of_one_word(ladder), {PREFIX, WORDS}
    better = {PHRASE: _better_phrase(text, every)}
    tiers = [_tier(name, ladder[name], better.get(name, []), equal) for name in TIERS if ladder.get(name)]
    told = {} if hint or code else asking.gists(text)  # "app to remember medication" asks for a thing
    beside = [*narrower.clauses(text, _boost), *behind.clauses(ladder, _boost, equal)]
    mentioned = {} if code else asking.mentions(text)
    return [*tiers, *beside, *_mentions(mentioned), *_gists(told)]


def _every(text: str, *, synonyms: bool) -> Body:
    """All words, side by side. Of very many, rules leave phrases alone."""
    phrased = synonyms and len(WORD.findall(text)) <= MOST_PHRASE_WORDS
    return {"query": text, "analyzer": "words_with_rules" if phrased else "words"}


def _ladder(text: str, meant: str, hint: asking.Hint | None, every: Body, *, synonyms: bool) -> dict[str, list[Body]]:
    """What each tier looks for; what tells its hits apart comes first."""
    words, phrased = "words_with_rules" if synonyms else "words", every["analyzer"]
    some = asking.content_words(hint.rest) if hint else meant  # "ability to hear": what is left says what is meant
    whole = {"query": f"{BEGIN} {text} {END}", "analyzer": "singular_with_rules"}
    by_rules: list[Body] = [{"match_phrase": {f"{names}.singular": whole}} for names in ("name", "aliases")]
    return {
        ID: [{"term": {"ids": text.strip()}}],
        NAME: [narrower.others(goods.made_for_it({"term": {"name.key": text}}))],
        ALIAS: [{"term": {"aliases.key": text}}, narrower.others({"term": {"name.key": text}})],
        # after the aliases: "CART" is no plural of "Carts"
        NAME_FORM: [narrower.others(goods.made_for_it({"match_phrase": {"name.singular": text}}))],
        ALIAS_FORM: [
            {"match_phrase": {"aliases.singular": text}},
            {"term": {"short_forms": text}},
            narrower.others({"match_phrase": {"name.singular": text}}),
        ],
        SYNONYM: by_rules if phrased == "words_with_rules" else [],
        PHRASE: [{"match_phrase": {"names": every}}],
        WORDS: _either_reading("names", meant, words, {"operator": "and"}),
        SCOPED: scoping.clauses(hint, phrased),
        PREFIX: [{"match": {"names.prefix": {"query": text, "operator": "and"}}}] if _long_enough(text) else [],
        EVERYWHERE: _either_reading("everything", meant, words, {"operator": "and"}),
        MOST: _either_reading("names", some, words, {"minimum_should_match": MOST_WORDS}),
        DESCRIPTION: _either_reading("everything", some, words, {"minimum_should_match": DESCRIPTION_WORDS}),
    }


def _of_one_word(ladder: Mapping[str, list[Body]]) -> dict[str, list[Body]]:
    """Without what would find the same again, or what may be left out of what a rule reads one word as."""
    return {name: clauses for name, clauses in ladder.items() if name not in (MOST, DESCRIPTION)}


def _better_phrase(text: str, every: Body) -> list[Body]:
    """What makes one phrase better than another: it stands in the name, as it is spelled, or is all of a name."""
    ruled = "_with_rules" if every["analyzer"] == "words_with_rules" else ""
    marked = {"query": f"{BEGIN} {text} {END}", "analyzer": f"words{ruled}"}
    ended: list[Body] = [{"match_phrase": {f"{field}.whole": marked}} for field in ("name", "aliases")]
    spelled = {"match_phrase": {"names.singular": {"query": text, "analyzer": f"singular{ruled}"}}}
    as_typed = [_worth(SPELLED, spelled), _worth(ENDED, {"bool": {"should": ended}})]
    return [_worth(IN_NAME, {"match_phrase": {"name": every}}), {"dis_max": {"queries": as_typed}}]


def _worth(boost: float, query: Body) -> Body:
    return {"constant_score": {"filter": query, "boost": boost}}


def _either_reading(field: str, meant: str, words: str, share: Body) -> list[Body]:
    """The words as rules read them, or as they stand: a rule makes "blood sugar" one, whose words may not be apart."""
    readings = dict.fromkeys((words, "words"))
    return [{"match": {field: {"query": meant, "analyzer": one, **share}}} for one in readings]


def tiers_of(hit: Mapping[str, Any]) -> set[str]:
    """The tiers that a hit matched in."""
    return set(map(_tier_of, hit["matched_queries"]))


@lru_cache(maxsize=256)  # there are some dozens of clauses
def _tier_of(clause: str) -> str:
    return clause.partition("-")[0]


def _long_enough(text: str) -> bool:
    """Whether beginnings are worth looking at: "CP" begins CPR, and "a b c" begins everything."""
    return max(map(len, WORD.findall(text)), default=0) >= SHORTEST_PREFIX


def _boost(tier: str) -> float:
    return (len(TIERS) - TIERS.index(tier)) * STEP


def _mentions(mentioned: dict[int, list[str]]) -> list[Body]:
    """Names that stand inside the query, the longer before the shorter; of several words they say more than of one."""
    clauses = []
    for length, runs in mentioned.items():
        tier = NAMED if length > 1 else MENTION
        name = f"{tier}-{length}"  # the engine keeps one query of a name
        boost = _boost(tier) + PER_WORD * min(length, LONGEST_BOOST)
        clauses.append({"constant_score": {"filter": _named_in(length, runs), "boost": boost, "_name": name}})
    return clauses


def _named_in(length: int, runs: list[str]) -> Body:
    either = [{"terms": {field: runs}} for field in ("name.key", "aliases.key", "hidden")]
    named: Body = {"bool": {"should": either, "minimum_should_match": 1}}
    if length == 1:  # single words are names of too many goods and firms: "drops things", "mood swings"
        named["bool"]["filter"] = {"terms": {"type": list(MEANT)}}
    else:  # "hard to focus in open office" does not ask for OpenOffice
        named["bool"]["must_not"] = goods.NOT_MADE_FOR_IT
    return named


def _gists(told: dict[int, list[str]]) -> list[Body]:
    """Other names whose telling words all stand in the query, in any order: "numb hands" in "hands go numb"."""
    clauses = []
    for size, some in told.items():
        either: list[Body] = [{"match": {"aliases.gist": words}} for words in some]
        meant: Body = {"bool": {"must": {"bool": {"should": either}}, "filter": [{"terms": {"type": list(GISTED)}}]}}
        boost = _boost(NAMED) + PER_GIST * size
        clauses.append({"constant_score": {"filter": meant, "boost": boost, "_name": f"{NAMED}-gist{size}"}})
    return clauses


def _tier(name: str, either: list[Body], better: list[Body], equal: Container[str]) -> Body:
    filtered: Body = either[0] if len(either) == 1 else {"bool": {"should": either}}
    if name in WHOLE:  # equals among themselves: the better connected entity comes first
        return {"constant_score": {"filter": filtered, "boost": _boost(name), "_name": name}}
    kept = behind.others(name, filtered)
    fixed: Body = {"constant_score": {"filter": kept, "boost": _boost(name), "_name": name}}
    return fixed if name in equal else {"bool": {"must": [fixed], "should": [either[0], *better]}}


def suggest_body(text: str, scope: tuple[str, ...], limit: int) -> Body:
    """Type-ahead: the last word is a beginning, the words before it are finished and may hold a slip each.

    A space after the last word finishes it too.
    """
    *finished, last = parts(looked_at(text)) or (text,)
    key = squeeze(text)
    better = _beginnings(key)
    must: list[Body] = []
    if text[-1:].isspace():
        finished.append(last)
    else:
        must.append({"match": {"names.prefix": last[:LONGEST_BEGINNING]}})
        better += _side_by_side(finished, last)
    if finished:
        done = {"query": " ".join(finished), "operator": "and", "fuzziness": FINISHED_SLIPS, "analyzer": "plain"}
        must.append(
            {"bool": {"should": [{"match": {"names.prefix": {**done, "fuzziness": 0}}}, {"match": {"names": done}}]}}
        )
    if finished and finished != [last]:  # "e-ma" begins "email", which has no word "e"
        begun = [begins(field, key) for field in ("name", "aliases")]
        must = [{"bool": {"should": [{"bool": {"filter": must}}, *begun], "minimum_should_match": 1}}]
    if scope:
        must.append({"terms": {"type": list(scope)}})
    return {
        "size": limit,
        **SHOWN,
        "track_total_hits": True,
        "query": ahead({"filter": must, "should": better}),
        "sort": ["_score", {"position": "asc"}],
    }


def _beginnings(key: str) -> list[Body]:
    """Names that begin with the key, by field; a narrower condition's whole name counts like those of others."""
    found = [_worth(BEGINS, narrower.only({"term": {"name.key": key}}))]
    for names, boost in (("name", BEGINS), ("aliases", BEGINS * 0.8)):
        begun = begins(names, key)
        found += [_worth(boost, narrower.others(begun)), _worth(boost * narrower.BEGINS, narrower.only(begun))]
    return found


def _side_by_side(finished: Sequence[str], last: str) -> list[Body]:
    """Names in which the words stand as typed, slips and all: "scren rea" goes on as "screen reader"."""
    if not 0 < len(finished) < MOST_SPANNED or len(last) < SHORTEST_SPAN:
        return []
    beginning = {"prefix": {"spelling": {"value": last, "rewrite": f"top_terms_{SPANNED}"}}}
    slipped = [
        {"fuzzy": {"spelling": {"value": word, "fuzziness": FINISHED_SLIPS, "rewrite": f"top_terms_{SPANNED}"}}}
        for word in finished
    ]
    spans = [{"span_multi": {"match": one}} for one in (*slipped, beginning)]
    near: Body = {"span_near": {"clauses": spans, "slop": 0, "in_order": True}}
    at_first = {"span_first": {"match": near, "end": len(spans)}}  # the name is the first that is kept
    return [_worth(TOGETHER, near), _worth(IN_FRONT, at_first)]


def whole_id(type_name: str, given: str) -> str:
    """The id with its type before it, in upper or lower case as it was given."""
    head = f"{type_name}:"
    return given if given[: len(head)].casefold() == head else head + given


def entity_body(type_name: str, given: str) -> Body:
    """Find the record of an entity by any form of its id; in older releases it is a part of the entity's document."""
    whole = whole_id(type_name, given)
    apart = {"bool": {"filter": [{"term": {"doc": "record"}}, {"term": {"owner": whole}}]}}
    forms = [{"term": {"type": type_name}}, {"terms": {"ids": [given, whole]}}]
    inside = {"bool": {"filter": [{"term": {"doc": "entity"}}, *forms]}}
    return {"size": 1, "query": {"bool": {"should": [apart, inside]}}, "sort": [{"doc": "desc"}]}


def nearest_body(type_name: str, given: str, size: int = 5) -> Body:
    """The entities whose names are nearest to what was given, for "did you mean" in an error."""
    spoken = looked_at(" ".join(given.replace("-", " ").split()))
    beginnings = " ".join(word[: max(SHORTEST_BEGINNING, len(word) * 2 // 3)] for word in spoken.split())
    either: list[Body] = [
        {"match": {"names": {"query": spoken, "fuzziness": "AUTO", "analyzer": "plain", "boost": 2}}},
        {"match": {"names.prefix": {"query": spoken, "boost": BEGUN}}},
        {"match": {"names.prefix": beginnings}},  # "bookkeepers" is far from "bookkeeping", its beginning is not
    ]
    if len(key := squeeze(spoken)) >= SHORTEST_PREFIX:
        either.append({"constant_score": {"filter": begins("name", key), "boost": BEGUN_NAME}})
    return {
        "size": size,
        **SHOWN,
        "query": {"bool": {"must": [narrower.behind(either)], "filter": [{"term": {"type": type_name}}]}},
    }


def pages_body(owner: str, edge: str, first: int, last: int) -> Body:
    """Edge pages by any form of their owner's id."""
    wanted = [{"term": {"owner": owner}}, {"term": {"edge": edge}}, {"range": {"number": {"gte": first, "lte": last}}}]
    return {"size": last - first + 1, "query": {"bool": {"filter": wanted}}, "sort": [{"number": "asc"}]}
