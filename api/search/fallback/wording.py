"""What a query says in other words: entities and guides that share several of its words, where few hits were found.

The field `wording` holds all that content tables say of an entity as people would: its names, phrases, sides and texts.
Sharing words is weak evidence, so these hits are loose ones, in the order of their BM25.
"""

from dataclasses import replace

from api.engine.release import EngineResponse, Hit
from api.search.query import ParsedQuery, SearchRequest
from api.search.query_builder import HIT, RANKED, restrictions
from api.search.ranking import MatchedName, RankedHit
from api.search.ranking_table import BY_NAME, POINTS
from api.search.results import ENOUGH_GOOD, MIN_SHARED, UNLIKELY, NamedInQuery, SearchResults, enough
from schema.json_types import JsonObject
from schema.text import content_tokens, tokens
from schema.word_forms import base_form

WORDING = "wording"
MAX_SHARED = 24  # words of a query that are looked for
MIN_SCORE = 3.5  # of BM25: two common words are chance
MIN_OF_BEST = 0.6  # of the best BM25
MAX_GUIDES = 2
# Words that any sentence may share with any text.
SMALL_WORDS = frozenset(
    (
        "again", "although", "another", "away", "back", "but", "each", "either", "else", "even", "ever", "few", "here",
        "instead", "just", "less", "least", "maybe", "more", "most", "neither", "now", "okay", "once", "one", "ones",
        "only", "other", "others", "own", "per", "please", "quite", "same", "say", "says", "said", "since", "still",
        "such", "tell", "tells", "though", "thanks", "through", "today", "told", "until", "while", "yes", "yet",
    )
)  # fmt: skip
GUIDE_ID = "guide.id"


def wording_body(request: SearchRequest, found: SearchResults) -> JsonObject | None:
    """Return the search for what shares words with a query; None for too few words."""
    words = _words(request.query, found)
    if len(words) < MIN_SHARED:
        return None
    limits = restrictions(request)
    if request.scope:
        of_scope = [{"terms": {"type": list(request.scope)}}, {"exists": {"field": GUIDE_ID}}]
        filters = [limits["filter"]] if "filter" in limits else []
        limits = {**limits, "filter": [*filters, {"bool": {"should": of_scope}}]}
    clauses = [{"match": {WORDING: {"query": word, "_name": word}}} for word in words]
    return {
        "size": 2 * ENOUGH_GOOD,
        **HIT,
        "docvalue_fields": [*HIT["docvalue_fields"], GUIDE_ID],
        "track_total_hits": False,
        "min_score": MIN_SCORE,
        "query": {"bool": {"should": clauses, "minimum_should_match": MIN_SHARED, **limits}},
    }


def _words(query: ParsedQuery, found: SearchResults) -> list[str]:
    """Return the words that say what a query is about, one of each base form, without those that it does not mean."""
    meant = {word for hit in found.head if hit.match.kind in BY_NAME for word in tokens(hit.match.text)}
    unmeant = {word for hit in found.head if hit.match.kind == "not_meant" for word in tokens(hit.match.text)}
    unmeant = unmeant - meant | SMALL_WORDS
    words = {base_form(word): word for word in reversed(content_tokens(query.tokens)) if word not in unmeant}
    return list(words.values())[::-1][:MAX_SHARED]


def is_poor(found: SearchResults) -> bool:
    """Return whether there is room for hits that only share words."""
    return found.total <= RANKED and sum(hit.is_good for hit in found.head) < ENOUGH_GOOD


def with_wording_hits(query: ParsedQuery, response: EngineResponse, found: SearchResults) -> SearchResults:
    """Return few good hits with loose ones and those of `wording_body` for a query, by score; and guides."""
    if not is_poor(found):
        return found
    request = found.request
    unlikely = {hit.card["id"] for hit in found.head if hit.match.kind in UNLIKELY}
    words, named = _words(query, found), NamedInQuery.of(found.head)
    others = set(query.tokens).difference(words)  # not looked for, so any hit may have them
    ranked = [
        _ranked(query, hit)
        for hit in response.hits
        if "hit" in hit.fields and not named.is_coincidence({*hit.clauses, *others}, query.keywords, name_counts=1)
    ]
    least = MIN_OF_BEST * max((one.score for one in ranked), default=0.0)
    shared = [
        one
        for one in ranked
        if one.score >= least and one.card["id"] not in unlikely and not named.is_other_condition(one)
    ]
    once: dict[str, RankedHit] = {}
    for hit in sorted([*found.listed, *shared], key=lambda hit: -hit.score):
        once.setdefault(hit.card["id"], hit)
    shown = [hit for place, hit in enumerate(once.values()) if place < enough(query) or hit.is_good or request.loose]
    guides = [hit.fields[GUIDE_ID][0] for hit in response.hits[:ENOUGH_GOOD] if GUIDE_ID in hit.fields]
    return replace(found.with_list(shown), guides=guides[:MAX_GUIDES])


def _ranked(query: ParsedQuery, hit: Hit) -> RankedHit:
    words = ", ".join(word for word in query.tokens if word in hit.clauses)
    parts = {WORDING: round(POINTS[WORDING] * hit.score, 2)}
    return RankedHit(hit.payload, 0, MatchedName(WORDING, words), parts, is_good=False)
