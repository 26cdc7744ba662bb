"""Builds the OpenSearch queries of a search: one clause for each feature, and the page, total and facets of the hits.

A hit's score tells which clauses matched (`api.search.features`), so that no clause has a name or a script. What is
excluded is in `restrictions`: solutions for other settings or for the other side of a need, and what an operator hides.
"""

from collections.abc import Mapping, Sequence

from api.search.features import GOOD, PRIOR_SCALE, Feature, bm25_boost
from api.search.query import HALF, ParsedQuery, SearchRequest
from api.search.words.lexicon import TypeHint, reads_joined
from schema.document_ids import ENTITY
from schema.entity_kinds import WORK, SettingName
from schema.exact_keys import (
    FIRST_CHOICES,
    JOB,
    MENTION,
    NAME,
    NARROWER,
    NEED,
    OPPOSED,
    SIDE,
    code_key,
    id_key,
    keyword_key,
    name_form,
)
from schema.json_types import JsonObject
from schema.text import name_key, tokens

AS_TYPED_FIT = 2.0  # of FIT_LIMIT: names as typed come before those by rules ("doctor", by a rule also "physician")
RANKED = 40  # hits that are ranked; the others keep the order of OpenSearch, which has the same features
MAX_NAMED = 200  # entities that parts of a query name; nearly all queries name fewer than ten
MOST_WORDS = "2<67%"  # up to two words all must match; "flashing lights headache office" may miss one in three
MOST_RELATED_WORDS = "2<75%"  # there are more words to match by chance
MAX_PHRASE_WORDS = 8  # a longer query is no phrase of a name
MAX_ALL_WORDS = 16  # keywords; the longest name has as many words, so that none has all of more
MAX_LOOSE_WORDS = 12  # keywords of which a name or description must have most: of more, the longest ones
ONE_NAME = 50  # words apart; names are kept 100 apart, so no two words may come from two names
FACETS = 20  # more than there are types
WORD_BEGINNINGS = ("spelling.words", "british")  # what is half typed cannot be folded: "haem" begins "haemophilia"
MIN_PREFIX_LETTERS = 3  # of the longest word, for a search by beginnings: "CP" begins CPR, "a b c" everything
NOTHING: JsonObject = {"terms": {"keys": []}}
# What is read of a hit, and nothing else: reading `_id` would unpack what is stored beside it, for each hit.
HIT: JsonObject = {"_source": False, "stored_fields": "_none_", "docvalue_fields": ["hit"]}


def search_body(request: SearchRequest, *, first: int = 0, size: int = RANKED, good_only: bool = False) -> JsonObject:
    """Return the search for the hits from `first`, with their exact total.

    The number of hits by type is that of the good ones, or of all if loose ones are shown; a list of good hits and the
    loose ones that follow them is short enough to be counted by `select`.
    """
    body: JsonObject = {
        "from": first,
        "size": size,
        **HIT,
        "track_total_hits": True,
        "query": search_query(request),
    }
    if request.facets and (request.loose or good_only):
        body["aggs"] = {"types": {"terms": {"field": "type", "size": FACETS}}}
    if request.scope:
        body["post_filter"] = {"terms": {"type": list(request.scope)}}  # after the facets: they count every type
    if good_only:
        body["min_score"] = GOOD
    return body


def search_query(request: SearchRequest) -> JsonObject:
    """Match what has any feature of the query; the prior decides among hits with the same features."""
    clauses = feature_clauses(request.query, request.meant_setting)
    either = {"should": list(clauses), "minimum_should_match": 1, **restrictions(request)}
    prior = {"rank_feature": {"field": "standing", "boost": PRIOR_SCALE, "linear": {}}}
    return {"bool": {"must": {"bool": either}, "should": prior}}


def restrictions(request: SearchRequest) -> JsonObject:
    """Leave out solutions that are not for the setting or for the side that is meant, and what the operator hides."""
    members: JsonObject = {}
    if setting := request.meant_setting:
        members["filter"] = _setting_filter(request, setting)
    excluded = [_opposed(request.query)] if request.query.sides else []
    if request.left_out:
        excluded.append(_left_out(request))
    if excluded:
        members["must_not"] = excluded if len(excluded) > 1 else excluded[0]
    return members


def _left_out(request: SearchRequest) -> JsonObject:
    """Match what the operator leaves out for the query."""
    return _terms([id_key(id_) for id_ in request.left_out])


def _opposed(query: ParsedQuery) -> JsonObject:
    """Match solutions that are wrong for a side that the query names, unless they serve another or have this name."""
    wanted = [_terms([SIDE + form for form in query.sides]), *_whole_clauses(query).values()]
    return {"bool": {"filter": _terms([OPPOSED + form for form in query.sides]), "must_not": wanted}}


def _count_terms(query: ParsedQuery) -> int:
    """Return how many terms a text query may have, with those that synonym rules add."""
    return len(query.tokens) + sum(len(tokens(term)) for match in query.rules for term in match.rule.replacements)


def _setting_filter(request: SearchRequest, setting: str) -> JsonObject:
    """Match what is for a setting, and all but solutions: needs are the same everywhere."""
    applicable = [{"term": {"settings": setting}}, {"bool": {"must_not": {"term": {"type": "solution"}}}}]
    if not request.setting:  # "exam chair" is a name
        applicable += _whole_clauses(request.query).values()
    return {"bool": {"should": applicable}}


def reading_body(query: ParsedQuery) -> JsonObject:
    """Return the search for all entities that a part of the query names."""
    clauses = _whole_clauses(query) | _named_clauses(query)
    either = [_scored(feature, clause) for feature, clause in clauses.items() if clause != NOTHING]
    prior = {"rank_feature": {"field": "standing", "boost": PRIOR_SCALE, "linear": {}}}
    return {
        "size": MAX_NAMED,
        **HIT,
        "track_total_hits": False,
        "query": {"bool": {"must": {"bool": {"should": either, "minimum_should_match": 1}}, "should": prior}},
    }


def _named_clauses(query: ParsedQuery) -> dict[Feature, JsonObject]:
    """Return the clauses for what a part of the query names."""
    names = [MENTION + form for form in (*query.mentions, *query.rule_mentions)]
    names += [JOB + form for form in dict.fromkeys((*query.job_forms, *query.last_words))]
    return {
        Feature.MENTION: _terms(names),
        Feature.BODY_PART: _terms([*query.body_parts, *(SIDE + form for form in query.sides)]),
    }


def feature_clauses(query: ParsedQuery, setting: SettingName | None = None) -> list[JsonObject]:
    """Return one clause for each feature that the query may have; the editors' first choices are those in a setting."""
    clauses = _whole_clauses(query)
    clauses[Feature.NARROWER] = _terms([NARROWER + query.form])
    fitting: dict[Feature, JsonObject] = {}
    if query.keywords and not query.is_id:  # stop words alone: "the" is in two thousand names
        clauses |= _name_clauses(query) | _mention_clauses(query, FIRST_CHOICES[setting or WORK])
        fitting = _loose_clauses(query)
        if not fitting and Feature.ALL_WORDS in clauses:
            fitting = {Feature.ALL_WORDS: clauses.pop(Feature.ALL_WORDS)}
        clauses[Feature.DESCRIPTION] = _match("description", query, {"minimum_should_match": MOST_RELATED_WORDS})
    boost = bm25_boost(_count_terms(query), len(fitting))
    return [
        *(_scored(feature, clause) for feature, clause in clauses.items() if clause != NOTHING),
        *(_with_fit(feature, clause, boost) for feature, clause in fitting.items()),
    ]


def _whole_clauses(query: ParsedQuery) -> dict[Feature, JsonObject]:
    clauses = {
        Feature.ID: _terms([id_key(query.id_text), *_codes(query)]),
        Feature.NAME: _terms([NAME + form for form in dict.fromkeys(variant.form for variant in query.variants)]),
    }
    return {Feature.PINNED: _terms([id_key(query.pinned)]), **clauses} if query.pinned else clauses


def _name_clauses(query: ParsedQuery) -> dict[Feature, JsonObject]:
    every = {"operator": "and"}
    # A single word in the name of a need says little: "tics" has the needs of "Spasm, Tic, Tremor and Blinking".
    related = Feature.RELATED if len(query.keywords) > 1 else Feature.MOST_OF_RELATED
    if len(query.keywords) > MAX_ALL_WORDS:
        return {}
    clauses = {
        Feature.ALL_WORDS: _match("names", query, every),
        related: _match("related", query, every),
        Feature.DEMOTED_NAMES: _match("demoted_names", query, every),
    }
    if query.rules:
        either = [_match(field, query, every, "words_with_rules") for field in ("names", "demoted_names")]
        clauses[Feature.ALL_BY_RULE] = {"dis_max": {"queries": either}}
    if 1 < len(query.tokens) <= MAX_PHRASE_WORDS:
        clauses[Feature.PHRASE] = {"match_phrase": {"names": query.phrase}}
    if query.type_hint and query.type_hint.keywords:
        clauses[Feature.SCOPED] = _scoped_query(query.type_hint, "words_with_rules" if query.rules else "words")
    return clauses


def _mention_clauses(query: ParsedQuery, first_choice: str) -> dict[Feature, JsonObject]:
    clauses: dict[Feature, JsonObject] = {}
    if forms := [*query.mentions, *query.rule_mentions]:
        clauses |= _named_clauses(query)
        share = {form: query.keyword_share(form) for form in forms}
        most = [form for form in forms if share[form] > HALF]
        part = [form for form in forms if share[form] <= HALF]
        clauses[Feature.FIRST_CHOICE] = _terms([first_choice + form for form in most])
        clauses[Feature.NEED] = _terms([NEED + form for form in most])
        clauses[Feature.PART_OF_NEED] = _terms([prefix + form for form in part for prefix in (first_choice, NEED)])
    if query.keyword_sets and query.type_hint is None:  # "app to remember medication" asks for a thing
        clauses[Feature.KEYWORDS] = _terms([keyword_key(words) for words in query.keyword_sets])
    return clauses


def _loose_clauses(query: ParsedQuery) -> dict[Feature, JsonObject]:
    """Return clauses that match most words: none for a query of two words, where most are all, or of numbers."""
    if len(query.keywords) <= 2 or not any(map(str.isalpha, query.keywords)):  # noqa: PLR2004 - see MOST_WORDS
        return {}
    analyzer = "words_with_rules" if query.rules else "words"
    return {
        Feature.MOST_WORDS: _match("names", query, {"minimum_should_match": MOST_WORDS}, analyzer),
        Feature.MOST_OF_RELATED: _match("related", query, {"minimum_should_match": MOST_RELATED_WORDS}, analyzer),
    }


def _scoped_query(hint: TypeHint, analyzer: str) -> JsonObject:
    """Match the rest beside a type hint among entities of that type, in their names or those of their neighbors."""
    meant = " ".join(hint.keywords)
    together = {"query": meant, "analyzer": analyzer, "slop": ONE_NAME}
    near = [_terms([NAME + name_form(hint.remainder)])]
    if reads_joined(hint):
        near.append({"match_phrase": {"joined": together}})
    if hint.types == ("occupation",) and " " in meant:  # hundreds of titles: "heavy lifting" is not a ski lift operator
        near.append({"match_phrase": {"names": {**together, "analyzer": "words"}}})
    else:
        rest = {"query": meant, "analyzer": analyzer, "operator": "and"}
        near += [{"match": {field: rest}} for field in ("names", "related")]
    types: JsonObject = {"terms": {"type": list(hint.types)}}
    return {"bool": {"filter": [types, {"bool": {"should": near}}]}}


def _match(field: str, query: ParsedQuery, share: JsonObject, analyzer: str = "words") -> JsonObject:
    meant = query.type_hint.keywords if query.type_hint and "operator" not in share else query.keywords
    if len(meant) > MAX_LOOSE_WORDS and "operator" not in share:
        longest = sorted(meant, key=len, reverse=True)[:MAX_LOOSE_WORDS]
        meant = tuple(word for word in meant if word in longest)[:MAX_LOOSE_WORDS]
    return {"match": {field: {"query": " ".join(meant), "analyzer": analyzer, **share}}}


def _codes(query: ParsedQuery) -> list[str]:
    return [code_key(query.id_text)] if any(map(str.isdigit, query.key)) and name_key(query.id_text) else []


def _terms(keys: Sequence[str]) -> JsonObject:
    return {"terms": {"keys": list(keys)}}


def _scored(boost: float, query: JsonObject) -> JsonObject:
    """Score each match with the boost; keys have no other score."""
    if "terms" in query:
        return {"terms": {**query["terms"], "boost": float(boost)}}
    return {"constant_score": {"filter": query, "boost": float(boost)}}


def _with_fit(feature: Feature, query: JsonObject, boost: float) -> JsonObject:
    """Score a match with its feature and, far below it, its BM25."""
    ((field, options),) = query["match"].items()
    scaled = {"match": {field: {**options, "boost": boost}}}
    return {"bool": {"must": scaled, "should": {"match_all": {"boost": float(feature)}}}}


def prefix_body(request: SearchRequest) -> JsonObject | None:
    """Return the search for names whose words begin with the words of the query; None for too short words."""
    words = request.query.tokens
    if max(map(len, words), default=0) < MIN_PREFIX_LETTERS:
        return None
    every = {"type": "cross_fields", "operator": "and"}  # each word in any of the fields
    filters: list[JsonObject] = [{"multi_match": {"query": " ".join(words), "fields": [*WORD_BEGINNINGS], **every}}]
    if request.scope:
        filters.append({"terms": {"type": list(request.scope)}})
    if setting := request.meant_setting:
        filters.append(_setting_filter(request, setting))
    excluded = {"must_not": _left_out(request)} if request.left_out else {}
    return {"size": RANKED, **HIT, "track_total_hits": True, "query": {"bool": {"filter": filters, **excluded}}}


def named_body(
    query: ParsedQuery, types: Sequence[str], fields: Mapping[str, object], size: int, *, by_side: bool = False
) -> JsonObject:
    """Return the search for the entities that the whole query names, by id, code or any of their names.

    With `by_side`, the query may also name a side of a need: "too hot".
    """
    either = [_scored(feature, clause) for feature, clause in _whole_clauses(query).items()]
    if by_side:
        either.append(_scored(Feature.BODY_PART, _terms([SIDE + query.form])))
    either.append(_scored(AS_TYPED_FIT, _terms([NAME + query.form])))
    filters: list[JsonObject] = [{"term": {"doc": ENTITY}}]
    if types:
        filters.append({"terms": {"type": list(types)}})
    return {
        "size": size,
        **fields,
        "track_total_hits": False,
        "query": {"bool": {"filter": filters, "should": either, "minimum_should_match": 1}},
    }
