"""Builds the OpenSearch query of a search request: fields and boosts per match tier.

Search has tiers. Each tier's boost is a multiple of STEP, far above what BM25, kind and popularity can add
inside a tier, so a hit of a higher tier always comes first. STEP is a power of two because scores are 32-bit floats:
at 15 × 512 they still tell apart differences of 0.0005.
"""

from collections.abc import Container, Mapping, Sequence

from api.engine.entity_clauses import (
    GENERAL_PRODUCTS,
    exclude_general_products,
    exclude_narrower,
    name_prefix_clause,
    narrower_only,
    with_document_prior,
)
from api.search import demotion, type_hints
from api.search.query import ParsedQuery, SearchRequest
from schema.document_ids import MAX_PREFIX_LENGTH, NAME_END, NAME_START, WITH_RULES
from schema.json_types import JsonObject

STEP = 512.0
ID, NAME, ALIAS, NAME_FORM, ALIAS_FORM, SYNONYM = "id", "name", "alias", "nameform", "aliasform", "synonym"
PHRASE, SCOPED, WORDS, PREFIX = "phrase", "scoped", "words", "prefix"
NAMED, EVERYWHERE, MENTION, MOST, DESCRIPTION = "named", "everywhere", "mention", "most", "description"
TIERS = (
    ID, NAME, ALIAS, NAME_FORM, ALIAS_FORM, SYNONYM, PHRASE, SCOPED, WORDS, PREFIX, NAMED, EVERYWHERE, MENTION, MOST,
    DESCRIPTION,
)  # fmt: skip  # best first
NO_CORRECTION_NEEDED = frozenset(TIERS[: TIERS.index(PREFIX)])
INFORMATIVE = frozenset(TIERS[: TIERS.index(MOST)])  # a part of the query is a name, or some text has all of it
ALL_WORDS = frozenset(TIERS[: TIERS.index(NAMED)])  # the names have every word of the query
WHOLE = frozenset(TIERS[: TIERS.index(PHRASE)])  # the whole query is a name
MOST_WORDS = "2<67%"  # up to two words all must match; "flashing lights headache office" may miss one in three
DESCRIPTION_WORDS = "2<75%"  # summaries are longer, so chance agrees more often
PER_WORD = 48.0  # a longer mention says more: "shaky hands" before "mouse" in "mouse for shaky hands"
LONGEST_BOOST = 4  # words; more would reach the next tier
KEYWORD_BOOST = 4.0  # a word; "patient lift for nurses": the solution of that name comes before lifting patients
SENTENCE_TYPES = ("disability", "limitation", "workrelatedfunction")  # what people tell of in sentences
SPELLED = 100.0  # "braille": names that hold the word, in the plural or not, come before "brailler"
ENDED = 48.0  # "stutterer": a name that is the whole query but for an ending comes before one that holds it
IN_NAME = 48.0  # "anxiety": Apps for Anxiety comes before Mathematics, also called "math anxiety"
MOST_PHRASE_WORDS = 8  # words; in phrases the readings of rules multiply
MEANT = ("disability", "limitation", "workrelatedfunction", "solution")  # what people live with, and what helps
FACETS = 20  # more than there are types
BEGINS = 300.0  # a name that begins with what was typed comes before one that holds it further on
TOGETHER = 150.0  # words side by side as typed; above any difference of kinds, below a name that begins with them
IN_FRONT = 100.0  # besides, where the name begins with them
SHORTEST_SPAN, MOST_SPANNED = 2, 6  # letters of the beginning, and words in all, that are looked for side by side
SPANNED = 50  # words that are tried for each of them
FINISHED_FUZZINESS = "AUTO:5,9"  # one typo from five letters on: "asl" is not a typo of "ask"
SHORTEST_PREFIX = 3  # letters that the longest word must have for a search by beginnings
# What is shown of a hit, and nothing else: reading `_id` would unpack what is stored beside it, for each hit.
SHOWN: JsonObject = {"_source": False, "stored_fields": "_none_", "docvalue_fields": ["card", "alias_list", "sources"]}


def search_body(request: SearchRequest) -> JsonObject:
    """Search in all tiers at once, with the number of hits per type."""
    ranked: JsonObject = {"must": {"dis_max": {"queries": _tiers(request.query, synonyms=request.expands_synonyms)}}}
    if request.setting:  # all but solutions stay: what a person lives with is the same in every setting
        no_solution = {"bool": {"must_not": {"term": {"type": "solution"}}}}
        ranked["filter"] = [{"bool": {"should": [{"term": {"settings": request.setting}}, no_solution]}}]
    body: JsonObject = {
        "from": request.offset,
        "size": request.limit,
        **SHOWN,
        "track_total_hits": True,
        "query": with_document_prior(ranked),
        "sort": ["_score", {"position": "asc"}],
    }
    if request.facets:
        body["aggs"] = {"types": {"terms": {"field": "type", "size": FACETS}}}
    if request.scope:
        body["post_filter"] = {"terms": {"type": list(request.scope)}}  # after the facets: they count every type
    return body


def whole_name_query(query: ParsedQuery) -> JsonObject:
    """Match only the entities that the whole query names, ranked as a search ranks them."""
    clauses = [clause["constant_score"] for clause in _tiers(query, synonyms=True) if "constant_score" in clause]
    whole = [{"constant_score": clause} for clause in clauses if clause["_name"].partition("-")[0] in WHOLE]
    return with_document_prior({"must": {"dis_max": {"queries": whole}}})


def _tiers(query: ParsedQuery, *, synonyms: bool) -> list[JsonObject]:
    ruled = WITH_RULES if synonyms else ""
    ruled_phrases = ruled if len(query.words) <= MOST_PHRASE_WORDS else ""
    ladder, equal = _ladder(query, ruled, ruled_phrases), {*WHOLE, PREFIX}
    if not query.keywords or query.is_id:  # stop words alone: "the" is in two thousand names
        ladder = {name: clauses for name, clauses in ladder.items() if name in WHOLE}
    elif query.is_single_word:
        ladder, equal = _of_one_word(ladder), {*equal, WORDS}
    better = {PHRASE: _better_phrase(query.text, ruled_phrases)}
    tiers = [_tier(name, ladder[name], better.get(name, []), equal) for name in TIERS if ladder.get(name)]
    # "app to remember medication" asks for a thing
    keyword_sets = {} if query.type_hint or query.is_id else query.keyword_sets
    beside = [*demotion.narrower_name_clauses(query.text, _boost), *demotion.demoted_clauses(ladder, _boost, equal)]
    mentions = {} if query.is_id else query.mentions
    return [*tiers, *beside, *_mentions(mentions), *_keyword_combinations(keyword_sets)]


def _ladder(query: ParsedQuery, ruled: str, ruled_phrases: str) -> dict[str, list[JsonObject]]:
    """What each tier looks for; what tells its hits apart comes first. The suffixes say whether rules apply."""
    words, phrased = f"words{ruled}", f"words{ruled_phrases}"
    text, hint, meant = query.text, query.type_hint, " ".join(query.keywords)
    has_beginning = max(map(len, query.words), default=0) >= SHORTEST_PREFIX  # "CP" begins CPR, "a b c" everything
    some = " ".join(hint.keywords) if hint else meant  # "ability to hear": what is left says what is meant
    whole = {"query": f"{NAME_START} {text} {NAME_END}", "analyzer": "singular_with_rules"}
    by_rules: list[JsonObject] = [{"match_phrase": {f"{names}.singular": whole}} for names in ("name", "aliases")]
    return {
        ID: [{"term": {"ids": query.id_text}}],
        NAME: [exclude_narrower(exclude_general_products({"term": {"name.key": text}}))],
        ALIAS: [{"term": {"aliases.key": text}}, exclude_narrower({"term": {"name.key": text}})],
        # after the aliases: "CART" is no plural of "Carts"
        NAME_FORM: [exclude_narrower(exclude_general_products({"match_phrase": {"name.singular": text}}))],
        ALIAS_FORM: [
            {"match_phrase": {"aliases.singular": text}},
            {"term": {"short_forms": text}},
            exclude_narrower({"match_phrase": {"name.singular": text}}),
        ],
        SYNONYM: by_rules if ruled_phrases else [],
        PHRASE: [{"match_phrase": {"names": {"query": text, "analyzer": phrased}}}],
        WORDS: _either_reading("names", meant, words, {"operator": "and"}),
        SCOPED: type_hints.clauses(hint, phrased),
        PREFIX: [{"match": {"names.prefix": {"query": text, "operator": "and"}}}] if has_beginning else [],
        EVERYWHERE: _either_reading("everything", meant, words, {"operator": "and"}),
        MOST: _either_reading("names", some, words, {"minimum_should_match": MOST_WORDS}),
        DESCRIPTION: _either_reading("everything", some, words, {"minimum_should_match": DESCRIPTION_WORDS}),
    }


def _of_one_word(ladder: Mapping[str, list[JsonObject]]) -> dict[str, list[JsonObject]]:
    """Without what would find the same again, or what may be left out of what a rule reads one word as."""
    return {name: clauses for name, clauses in ladder.items() if name not in (MOST, DESCRIPTION)}


def _better_phrase(text: str, ruled: str) -> list[JsonObject]:
    """What makes one phrase better than another: it stands in the name, as it is spelled, or is all of a name."""
    in_name = {"match_phrase": {"name": {"query": text, "analyzer": f"words{ruled}"}}}
    marked = {"query": f"{NAME_START} {text} {NAME_END}", "analyzer": f"words{ruled}"}
    ended: list[JsonObject] = [{"match_phrase": {f"{field}.whole": marked}} for field in ("name", "aliases")]
    spelled = {"match_phrase": {"names.singular": {"query": text, "analyzer": f"singular{ruled}"}}}
    as_typed = [constant_score(SPELLED, spelled), constant_score(ENDED, {"bool": {"should": ended}})]
    return [constant_score(IN_NAME, in_name), {"dis_max": {"queries": as_typed}}]


def constant_score(boost: float, query: JsonObject) -> JsonObject:
    """Score each match with the boost, whatever its words are."""
    return {"constant_score": {"filter": query, "boost": boost}}


def _either_reading(field: str, meant: str, words: str, share: JsonObject) -> list[JsonObject]:
    """The words as rules read them, or as they stand: a rule makes "blood sugar" one, whose words may not be apart."""
    readings = dict.fromkeys((words, "words"))
    return [{"match": {field: {"query": meant, "analyzer": one, **share}}} for one in readings]


def _boost(tier: str) -> float:
    return (len(TIERS) - TIERS.index(tier)) * STEP


def _mentions(mentions: Mapping[int, Sequence[str]]) -> list[JsonObject]:
    """Names that stand inside the query, the longer before the shorter; of several words they say more than of one."""
    clauses = []
    for length, keys in mentions.items():
        either = [{"terms": {field: list(keys)}} for field in ("name.key", "aliases.key", "hidden")]
        named: JsonObject = {"should": either, "minimum_should_match": 1}
        if length == 1:  # single words are names of too many products and vendors: "drops things", "mood swings"
            named["filter"] = {"terms": {"type": list(MEANT)}}
        else:  # "hard to focus in open office" does not ask for OpenOffice
            named["must_not"] = GENERAL_PRODUCTS
        tier = NAMED if length > 1 else MENTION
        name = f"{tier}-{length}"  # the engine keeps one query of a name
        boost = _boost(tier) + PER_WORD * min(length, LONGEST_BOOST)
        clauses.append({"constant_score": {"filter": {"bool": named}, "boost": boost, "_name": name}})
    return clauses


def _keyword_combinations(keyword_sets: Mapping[int, Sequence[str]]) -> list[JsonObject]:
    """Match aliases whose content words are all in the query, in any order: "numb hands" in "hands go numb"."""
    clauses = []
    for size, some in keyword_sets.items():
        either: list[JsonObject] = [{"match": {"aliases.gist": words}} for words in some]
        types: list[JsonObject] = [{"terms": {"type": list(SENTENCE_TYPES)}}]
        meant: JsonObject = {"bool": {"must": {"bool": {"should": either}}, "filter": types}}
        boost = _boost(NAMED) + KEYWORD_BOOST * size
        clauses.append({"constant_score": {"filter": meant, "boost": boost, "_name": f"{NAMED}-gist{size}"}})
    return clauses


def _tier(name: str, either: list[JsonObject], better: list[JsonObject], equal: Container[str]) -> JsonObject:
    filtered: JsonObject = either[0] if len(either) == 1 else {"bool": {"should": either}}
    kept = filtered if name in WHOLE else demotion.without_demoted(name, filtered)
    fixed: JsonObject = {"constant_score": {"filter": kept, "boost": _boost(name), "_name": name}}
    if name in equal:  # among themselves: the better connected entity comes first
        return fixed
    return {"bool": {"must": [fixed], "should": [either[0], *better]}}


def suggest_body(query: ParsedQuery, scope: tuple[str, ...], limit: int) -> JsonObject:
    """Type-ahead: the last word is a prefix, the words before it are complete and may have one typo each.

    A space after the last word completes it too.
    """
    *finished, last = query.tokens or (query.text,)
    key = query.key
    better = _beginnings(key)
    must: list[JsonObject] = []
    if query.text[-1:].isspace():
        finished.append(last)
    else:
        must.append({"match": {"names.prefix": last[:MAX_PREFIX_LENGTH]}})
        better += _side_by_side(finished, last)
    if finished:
        done = {"query": " ".join(finished), "operator": "and", "fuzziness": FINISHED_FUZZINESS, "analyzer": "plain"}
        must.append(
            {"bool": {"should": [{"match": {"names.prefix": {**done, "fuzziness": 0}}}, {"match": {"names": done}}]}}
        )
    if finished and finished != [last]:  # "e-ma" begins "email", which has no word "e"
        begun = [name_prefix_clause(field, key) for field in ("name", "aliases")]
        must = [{"bool": {"should": [{"bool": {"filter": must}}, *begun], "minimum_should_match": 1}}]
    if scope:
        must.append({"terms": {"type": list(scope)}})
    return {
        "size": limit,
        **SHOWN,
        "track_total_hits": True,
        "query": with_document_prior({"filter": must, "should": better}),
        "sort": ["_score", {"position": "asc"}],
    }


def _beginnings(key: str) -> list[JsonObject]:
    """Names that begin with the key, by field; a narrower condition's whole name counts like those of others."""
    found = [constant_score(BEGINS, narrower_only({"term": {"name.key": key}}))]
    for names, boost in (("name", BEGINS), ("aliases", BEGINS * 0.8)):
        begun = name_prefix_clause(names, key)
        found += [
            constant_score(boost, exclude_narrower(begun)),
            constant_score(boost * demotion.PREFIX_FACTOR, narrower_only(begun)),
        ]
    return found


def _side_by_side(finished: Sequence[str], last: str) -> list[JsonObject]:
    """Match names that contain the words in this order, with typos: "scren rea" is completed to "screen reader"."""
    if not 0 < len(finished) < MOST_SPANNED or len(last) < SHORTEST_SPAN:
        return []
    beginning = {"prefix": {"spelling": {"value": last, "rewrite": f"top_terms_{SPANNED}"}}}
    slipped = [
        {"fuzzy": {"spelling": {"value": word, "fuzziness": FINISHED_FUZZINESS, "rewrite": f"top_terms_{SPANNED}"}}}
        for word in finished
    ]
    spans = [{"span_multi": {"match": one}} for one in (*slipped, beginning)]
    near: JsonObject = {"span_near": {"clauses": spans, "slop": 0, "in_order": True}}
    at_first = {"span_first": {"match": near, "end": len(spans)}}  # the name is the first that is kept
    return [constant_score(TOGETHER, near), constant_score(IN_FRONT, at_first)]
