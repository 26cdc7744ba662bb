"""What to try when the first hits are poor: corrections of the query, beginnings of words, or fewer words.

The first request of a fallback collects evidence: proposals of the phrase suggester, names that are near, and how many
entities have each word. It also searches for what fewer words find, as far as that is known without the evidence. A
second request searches for corrections, or for still fewer words of a long query.
"""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import takewhile

from api.engine.release import EngineResponse
from api.search.fallback import spelling
from api.search.fallback.spelling import MAX_OFFERED, Correction
from api.search.fallback.wording import WORDING, is_poor, with_wording_hits, wording_body
from api.search.hit_order import rank_hits
from api.search.names import all_names, parse_name
from api.search.query import ParsedQuery, SearchRequest
from api.search.query_builder import prefix_body
from api.search.ranking_table import NAMED, STRONG, WHOLE_NAMES
from api.search.results import ENOUGH_GOOD, SearchResults, select
from schema.english_words import Dictionary
from schema.json_types import JsonObject

MIN_FOUND = 3  # hits; with fewer, words are left out
MAX_REDUCED, MAX_ALONE = 4, 4  # queries with fewer words, and words alone, that are tried
MAX_SPECULATED = 5  # keywords of a query from which each is left out before it is known which one is rare
MAX_SUBSETS = 3  # keywords of a query of which all parts are searched for
MAX_KEYWORDS_OF_ONE = 4  # of a query that one word alone may stand for: five say more than "pulled"
MAX_ABBREVIATION = 3  # letters; a longer word is not corrected into an abbreviation
LONG_WORD = 6  # letters; a shorter word is corrected only into a whole name
BEGINNINGS = "beginnings"
COUNT = "count "  # begins the names of the searches that count a word
LOOSE_KINDS = frozenset(("description", "most_words", "most_related"))

CorrectionResults = Sequence[tuple[Correction, SearchResults]]
LazyResults = Callable[[], SearchResults]  # most are not needed once a better one is known


def fewer_words_to_try(found: SearchResults) -> list[ParsedQuery]:
    """Return queries without one word, and for few keywords single words: then nothing else can be tried later."""
    words = list(dict.fromkeys(found.request.query.keywords))
    if not (_is_short_of_hits(found) and 1 < len(words) <= MAX_SPECULATED):
        return []
    without_one = [[word for word in words if word != left_out] for left_out in words]
    return _queries([*without_one, *([word] for word in words if len(words) <= MAX_SUBSETS)])


def _is_short_of_hits(found: SearchResults) -> bool:
    """Return whether words may be left out: few hits were found, no guide answers the query, and all of it is meant.

    Without its first words, "never had epilepsy" is epilepsy.
    """
    is_negated = any(hit.match.kind == "not_meant" for hit in found.head)
    return found.total < MIN_FOUND and not found.request.query.guide_names and not is_negated


def fallback_requests(found: SearchResults, queries: Iterable[ParsedQuery]) -> list[SearchRequest]:
    """Return the first request with other queries."""
    return [
        replace(found.request, query=query).with_release(found.release)
        for query in {query.text: query for query in queries}.values()
    ]


def lazy_results(
    tried: Iterable[SearchRequest],
    responses: Iterable[EngineResponse],
    guided: Callable[[SearchRequest], SearchRequest],
) -> dict[str, LazyResults]:
    """Return functions that rank what each request found, by the text of its query.

    `guided` adds the names of guides, which may answer a query, too.
    """

    def ranked(request: SearchRequest, response: EngineResponse) -> SearchResults:
        return select(guided(request), response)

    pairs = zip(tried, responses, strict=True)
    return {request.query.text: cache(partial(ranked, request, response)) for request, response in pairs}


def _queries(word_lists: Iterable[Sequence[str]]) -> list[ParsedQuery]:
    return [ParsedQuery.parse(text) for text in dict.fromkeys(map(" ".join, word_lists))]


def evidence_bodies(found: SearchResults, dictionary: Dictionary) -> dict[str, JsonObject]:
    """Return the searches of the first request, by name; none if the hits are as good as they can be."""
    request, query = found.request, found.request.query
    if not may_need_more(found, dictionary):
        return {}
    bodies: dict[str, JsonObject | None] = {**filling_bodies(request, found)}
    has_unknown = _has_unknown_word(found, dictionary)
    if request.spelling and spelling.is_correctable(query):
        if has_unknown:
            bodies["suggester"] = spelling.spelling_body(query)
        if has_unknown or (not found.total and len(query.tokens) > 1):
            bodies["near names"] = spelling.near_names_body(query)
            bodies["far names"] = spelling.far_names_body(query) if not found.total else None
    is_unknown = bool(bodies.get("near names")) and not found.total
    if (_is_short_of_hits(found) and len(query.keywords) > 1) or is_unknown:
        bodies |= {COUNT + word: spelling.word_count_body(word) for word in dict.fromkeys(query.tokens)}
    return {name: body for name, body in bodies.items() if body}


def may_need_more(found: SearchResults, dictionary: Dictionary) -> bool:
    """Return whether anything else may be tried: not for a good hit, nor for "the" or "(a OR b) AND"."""
    return bool(found.request.query.keywords) and not _is_answered(found, dictionary)


def filling_bodies(request: SearchRequest, found: SearchResults) -> dict[str, JsonObject]:
    """Return the searches for what follows few hits, by name; `request` has the words as they were typed."""
    bodies: dict[str, JsonObject | None] = {}
    if found.total < ENOUGH_GOOD:
        bodies[BEGINNINGS] = prefix_body(request)
    if is_poor(found):
        bodies[WORDING] = wording_body(request, found)
    return {name: body for name, body in bodies.items() if body}


def _is_answered(found: SearchResults, dictionary: Dictionary) -> bool:
    """Return whether the best hit is so good that nothing else is tried.

    A word that is in no dictionary and that names have only with another ending may be a typo: "enginer" is no engine.
    """
    if not found.is_strong or found.best in WHOLE_NAMES or len(found.request.query.tokens) > 1:
        return found.is_strong
    return found.request.query.tokens[0] in dictionary or "as_typed" in found.head[0].parts


def _has_unknown_word(found: SearchResults, dictionary: Dictionary) -> bool:
    """Return whether a word may be a typo: a long one that is no common English word, nor in the name of a hit."""
    known = {word for hit in found.head for word in parse_name(hit.match.text).tokens}
    words = (word for word in found.request.query.keywords if len(word) >= spelling.MIN_LETTERS and word.isalpha())
    return any(word not in dictionary.common and word not in known for word in words)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What may be tried: corrections, and queries with fewer words, the fullest first."""

    corrections: Sequence[Correction]
    fewer_words: Sequence[ParsedQuery]

    def unsearched(self, found: Container[str]) -> list[ParsedQuery]:
        """Return the queries with fewer words that were not yet searched for."""
        return [query for query in self.fewer_words if query.text not in found]

    def results_in_order(self, found: Mapping[str, LazyResults]) -> Iterator[SearchResults]:
        """Yield what fewer words found, up to the first ones that were not yet searched for."""
        known = takewhile(lambda query: query.text in found, self.fewer_words)
        return (found[query.text]() for query in known)

    def shown(self, query: ParsedQuery, found: Mapping[str, LazyResults], hidden: Container[str]) -> CorrectionResults:
        """Return the corrections with what they found, without those that have a name that is never shown.

        The proposals of words behind such a one are further from what was meant: "epileptica", after "epileptic".
        """
        shown = []
        is_hidden = False
        for correction in self.corrections:
            has_hidden_name = spelling.has_hidden_name(query, correction, hidden)
            if not has_hidden_name and (correction.is_name or not is_hidden):
                shown.append((correction, found[correction.query.text]()))
            is_hidden = is_hidden or has_hidden_name
        return shown

    @staticmethod
    def of(found: SearchResults, responses: Mapping[str, EngineResponse], dictionary: Dictionary) -> "Evidence":
        """Read the responses to `evidence_bodies`."""
        query = found.request.query
        counts = {name.removeprefix(COUNT): one.total for name, one in responses.items() if name.startswith(COUNT)}
        corrections: list[Correction] = []
        if "near names" in responses:
            near = [all_names(hit.payload) for hit in responses["near names"].hits]
            corrections += spelling.name_corrections(query, near, dictionary)
        if "suggester" in responses:
            corrections += spelling.hidden_name_corrections(query, dictionary, found.release.hidden_names)
            corrections += spelling.word_corrections(query, responses["suggester"].suggestions, dictionary)
        if not corrections and not found.total:
            known = {word for word, count in counts.items() if count and word not in dictionary}
            corrections += spelling.weak_suggestions(query, _far_names(query, responses), dictionary, known)
        fewer_words = _fewer_words(query, counts) if _is_short_of_hits(found) else []
        return Evidence(spelling.merged(corrections), fewer_words)


def _far_names(query: ParsedQuery, responses: Mapping[str, EngineResponse]) -> list[Sequence[str]]:
    """Return the names that may be meant if nothing was found; of one word, products and vendors have too many."""
    response = responses.get("far names") or responses.get("near names")
    hits = response.hits if response else ()
    types = spelling.NEED_AND_SOLUTION_TYPES
    return [
        all_names(payload)
        for payload in (hit.payload for hit in hits)
        if len(query.tokens) > 1 or payload["card"]["type"] in types
    ]


def _fewer_words(query: ParsedQuery, counts: Mapping[str, int]) -> list[ParsedQuery]:
    """Return the query without its least known word, then without the next one too, and so on; then each known word."""
    words = [word for word in dict.fromkeys(query.keywords) if word in counts]
    by_count = sorted(words, key=counts.__getitem__)
    reduced = [[word for word in words if word not in by_count[:size]] for size in range(1, len(words) - 1)]
    alone = [[word] for word in by_count if counts[word] and len(words) <= MAX_KEYWORDS_OF_ONE]
    return _queries([*reduced[:MAX_REDUCED], *alone[:MAX_ALONE]])


def credible_corrections(found: SearchResults, tried: CorrectionResults) -> list[tuple[Correction, SearchResults]]:
    """Return the corrections that find something, the most certain first."""
    query = found.request.query
    pairs = [(correction, result) for correction, result in tried if _is_credible(correction, result)]
    pairs.sort(key=lambda pair: _certainty(query, *pair))
    corrections = [correction for correction, _ in pairs]
    whole = [
        (correction, result)
        for correction, result in pairs
        if result.best in WHOLE_NAMES or not spelling.is_partial_correction(query, correction, corrections)
    ]
    return whole[:MAX_OFFERED]


def _certainty(
    query: ParsedQuery, correction: Correction, result: SearchResults
) -> tuple[bool, bool, int, bool, float]:
    """Order corrections: whole names, the same first letters, few edits, the same sounds.

    One word is rather what people ask for: "keybaord" a keyboard and not KeyboardX, "stamer" no job called Seamer.
    """
    is_wanted = len(query.tokens) > 1 or result.head[0].card["type"] in spelling.NEED_AND_SOLUTION_TYPES
    return (
        not (result.best in WHOLE_NAMES and is_wanted),
        not spelling.same_beginnings(query, correction.query),
        spelling.edits(query, correction),
        not spelling.sounds_the_same(query, correction),
        -result.head[0].score,
    )


def _is_credible(correction: Correction, result: SearchResults) -> bool:
    """Return whether a correction finds something; names that are never shown are not offered."""
    if not result.total or (result.best in WHOLE_NAMES and not result.head[0].match.text):
        return False
    return result.best in WHOLE_NAMES or result.best == "scoped" or not correction.only_name


def choose_results(
    found: SearchResults, corrections: CorrectionResults, reduced: Iterable[SearchResults]
) -> SearchResults | None:
    """Return the result that takes the place of a poor one: of the best correction, or of as many words as possible.

    No word is left out where a correction is offered: "brian injury" is not "injury".
    """
    if corrections:
        correction, result = corrections[0]
        return result if not correction.is_weak and _replaces(result, found) else None
    by_words = None
    for result in reduced:
        if result.total > found.total and _names_a_need(result, NAMED | {"all_words"}):
            if result.best in NAMED:
                return result
            by_words = by_words or result
    return None if found.total else by_words


def _names_a_need(result: SearchResults, kinds: frozenset[str]) -> bool:
    """Return whether the words name a condition, limitation, function or solution: products are called "Things"."""
    return result.best in kinds and result.head[0].card["type"] in spelling.NEED_AND_SOLUTION_TYPES


def _replaces(corrected: SearchResults, original: SearchResults) -> bool:
    """Return whether the results of a correction replace those of the query: it is a name, or more of it matches.

    Correct words never change, so what a misspelled word found is chance ("hereing aid"). A short word alone ("shrek")
    is corrected only into a name, never into a word inside one; a first letter ("horoscope", "boroscope") only into a
    displayed name, never into an alias. An abbreviation ("ASD") is suggested, but does not replace a longer word
    ("asdf").
    """
    query, correction = original.request.query, corrected.request.query
    if not spelling.same_beginnings(query, correction) and corrected.best not in {"name", "name_form"}:
        return False
    if len(correction.text) <= MAX_ABBREVIATION < len(query.trimmed):
        return False
    if not original.total:
        if query.has_spaces:
            return corrected.best not in LOOSE_KINDS
        is_phrase = len(query.trimmed) >= LONG_WORD and corrected.best in STRONG
        return corrected.best in WHOLE_NAMES or is_phrase
    return (corrected.head[0].score, _count_named(corrected)) > (original.head[0].score, _count_named(original))


def _count_named(found: SearchResults) -> int:
    """Return how many hits the query names; a typo beside a name hides another: "tinitis driving me mad"."""
    return sum(hit.match.kind in NAMED for hit in found.head)


def filled(query: ParsedQuery, found: SearchResults, responses: Mapping[str, EngineResponse]) -> SearchResults:
    """Return few hits followed by those of the responses to `filling_bodies`; `query` has the words as typed."""
    if found.request.query.text == query.text:
        found = with_beginnings(found, responses.get(BEGINNINGS))
    return with_wording_hits(query, responses[WORDING], found) if WORDING in responses else found


def with_beginnings(found: SearchResults, begun: EngineResponse | None) -> SearchResults:
    """Return few hits followed by names that begin with the words of the query."""
    if found.total >= ENOUGH_GOOD or begun is None or not begun.hits:
        return found
    ids = {hit.card["id"] for hit in found.listed}
    ranked = rank_hits(found.request.query, begun.hits)
    return found.with_list([*found.listed, *(hit for hit in ranked if hit.card["id"] not in ids)])
