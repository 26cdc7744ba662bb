"""Ranks the hits of a query together: what one hit matches shows what the query means by words that others match.

"Blind" in "color blind", a common word that is also an abbreviation ("SAD"), the second job that is called "driver",
and a condition that the query negates are ranked lower than by themselves.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from api.engine.release import Hit
from api.search.names import HitNames, has_phrase, parse_name
from api.search.query import ParsedQuery
from api.search.ranking import NEED_AND_CONDITION_TYPES, MatchedName, RankedHit, rank_hit
from api.search.ranking_table import BY_NAME, NAMED, POINTS, WHOLE_NAMES
from api.search.reading.unmeant import NamedEntity, may_have_unmeant, unmeant_ids
from schema.entity_kinds import CONDITION, WORK
from schema.exact_keys import SIGN
from schema.setting_words import WORK_WORDS
from schema.text import name_parts

HAS_ALL_WORDS = frozenset(("all_words", "phrase", "thing"))
OF_NEED = frozenset(("first_choice", "need", "part_of_need", "related", "most_related", "description"))
BY_CONTENT = OF_NEED | {"side"}
OF_PART = frozenset(("mention", "rule_mention", "rule_part"))  # a part of the query is a name


def rank_hits(query: ParsedQuery, hits: Iterable[Hit], setting: str | None = None) -> list[RankedHit]:
    """Return the hits in the order of their scores; equal ones keep the order of OpenSearch.

    `setting` is what the request says, whatever the words of the query.
    """
    hits = list(hits)
    ranked = [rank_hit(query, hit) for hit in hits]
    if _means_abbreviation(query, ranked):
        query = query.ignoring_case()
        ranked = [rank_hit(query, hit) for hit in hits]
    ranked = _with_unmeant_last(query, _with_broader_below(ranked))
    longest = {parse_name(hit.match.text).tokens for hit in ranked if hit.match.kind in {"mention", "keyword_name"}}
    longer = [*longest, *(query.mentions[form] for form in query.body_parts_by_form)]  # "blind spots"
    signs = _signs(query)
    apart = [_demoted_if_part(query, hit, longer, signs) if hit.match.kind in OF_PART else hit for hit in ranked]
    if query.is_guide and all(name.is_idiom or name.is_crisis for name in query.guide_names):
        apart = [hit if _is_about(query, hit) else _unlikely(hit) for hit in apart]
    if _is_named_thing(ranked):
        apart = [_without_coincidence(query, hit, longest) for hit in apart]
    found = list(_with_one_job(query, _with_other_kinds_below(query, apart)))
    if not (setting or query.setting) and _is_about_work(query, found):
        found = list(map(_at_work, found))
    return sorted(found, key=lambda hit: -hit.score)


def _is_about_work(query: ParsedQuery, hits: Iterable[RankedHit]) -> bool:
    """Return whether a query without a setting names a job or has a word of work: "warehouse worker with a cough"."""
    if not WORK_WORDS.isdisjoint(query.tokens):
        return True
    return any(hit.match.kind in BY_NAME and hit.card["type"] == "occupation" for hit in hits)


def _at_work(hit: RankedHit) -> RankedHit:
    """Return a solution that is only for school or tests, and has no name of the query, as an unlikely hit."""
    if hit.match.kind in BY_CONTENT and WORK not in hit.card.get("settings", (WORK,)):
        return _unlikely(hit, "elsewhere")
    return hit


def _is_named_thing(hits: Iterable[RankedHit]) -> bool:
    """Return whether all keywords are the name of something that is not a job: "service animal at work"."""
    return any(hit.match.kind == "keyword_name" and hit.card["type"] != "occupation" for hit in hits)


def _without_coincidence(query: ParsedQuery, hit: RankedHit, names: Iterable[Sequence[str]]) -> RankedHit:
    """Return a hit of a query that is a name as a loose one, if it only shares words with it.

    "Service animal" asks for no service as Animal Lift Tables, and for no job as Animal Services Officer.
    """
    hint = query.type_hint
    is_no_hint = hint and any(len(name) > len(hint.phrase) and has_phrase(name, hint.phrase) for name in names)
    if (hit.match.kind == "scoped" and is_no_hint) or (
        hit.match.kind in {"all_words", "related"} and hit.card["type"] == "occupation"
    ):
        return _unlikely(hit)
    return hit


def _with_other_kinds_below(query: ParsedQuery, hits: Sequence[RankedHit]) -> list[RankedHit]:
    """Return the hits; those that only have all keywords are lower if the query means another kind of entity.

    "Can't lift heavy boxes" means the need, not Proper Lifting Techniques, "headset for hearing aid users" the headset,
    and "teacher with ms" a job and a condition, not the "MS SPED Teacher".
    """
    asks_for_need = query.says_inability and any(
        hit.match.kind in NAMED and hit.card["type"] in NEED_AND_CONDITION_TYPES for hit in hits
    )
    asks_for_thing = any(variant.thing_stems for variant in query.variants) and any(
        hit.match.kind in HAS_ALL_WORDS and hit.card["type"] == "solution" for hit in hits
    )
    others = {*(("solution",) if asks_for_need else ()), *(NEED_AND_CONDITION_TYPES if asks_for_thing else ())}
    if _names_job_with_need(query, hits):
        others |= {"solution", "product", "occupation"}
    return [
        _demoted(hit, "other_kind") if hit.match.kind == "all_words" and hit.card["type"] in others else hit
        for hit in hits
    ]


def _names_job_with_need(query: ParsedQuery, hits: Iterable[RankedHit]) -> bool:
    """Return whether all keywords of a query name a job and a need or condition: "teacher with ms"."""
    mentioned = [hit for hit in hits if hit.match.kind == "mention"]
    words = {word for hit in mentioned for form in _forms_in(query, hit) for word in query.mentions[form]}
    types = {hit.card["type"] for hit in mentioned}
    return "occupation" in types and not types.isdisjoint(NEED_AND_CONDITION_TYPES) and words.issuperset(query.keywords)


def _with_one_job(query: ParsedQuery, hits: Sequence[RankedHit]) -> Iterator[RankedHit]:
    """Yield the hits; of the jobs that a word of the query names, all but the first lower: six are called "driver".

    The first has most words of the title in its display name. Those with fewer are not meant: "truck driver" may be a
    title of operators of forklifts.
    """
    if not any(map(_is_named_job, hits)):
        yield from hits
        return
    named: dict[str, float] = {}  # the share of the first
    hits = sorted(map(_with_title, hits), key=lambda hit: (not _is_named_job(hit), *_job_order(hit)))
    has_need = any(hit.match.kind in NAMED and _is_need_or_thing(hit) for hit in hits)
    for hit in hits:
        is_job = _is_named_job(hit)
        form = parse_name(hit.match.text).form
        if is_job and not has_need and form in query.last_words and form not in query.job_forms:
            yield replace(_demoted(hit, "part_of_name"), is_good=False)  # "screen cleaner"
            continue
        if is_job and form in named:
            has_title = _title_share(hit) >= named[form]
            yield _demoted(hit, "other_job") if has_title else _unlikely(hit)
            continue
        yield hit
        if is_job:
            named[form] = _title_share(hit)


def _job_order(hit: RankedHit) -> tuple[float, bool, float]:
    """Order jobs by the title in their display names, then aliases before titles that people report for many jobs."""
    return -hit.parts.get("in_name", 0.0), hit.match.text in hit.payload.get("titles", ()), -hit.score


def _is_named_job(hit: RankedHit) -> bool:
    """Return whether a part of the query is a title of the job."""
    return hit.match.kind == "mention" and hit.card["type"] == "occupation"


def _with_title(hit: RankedHit) -> RankedHit:
    """Return a job with points for the words of its title in the query that its display name has.

    Display names are plural, so that a title as typed is no better: "cashier" means Cashiers.
    """
    if not _is_named_job(hit):
        return hit
    is_title = parse_name(hit.card["name"]).form == parse_name(hit.match.text).form
    points = POINTS["in_name"] * (1 if is_title else _title_share(hit) / 2)
    parts = {name: one for name, one in hit.parts.items() if name != "as_typed"} | {"in_name": round(points, 1)}
    return replace(hit, parts=parts)


def _title_share(hit: RankedHit) -> float:
    """Return the share of the words of a job's title in the query that its display name has."""
    title = parse_name(hit.match.text).stems
    return parse_name(hit.card["name"]).shared(title) / max(1, len(title))


def _is_need_or_thing(hit: RankedHit) -> bool:
    """Return whether a hit is a need, or a solution by a name of several words: "standing desk electrician"."""
    is_thing = hit.card["type"] == "solution" and len(parse_name(hit.match.text).tokens) > 1
    return hit.card["type"] in NEED_AND_CONDITION_TYPES or is_thing


def _means_abbreviation(query: ParsedQuery, ranked: Sequence[RankedHit]) -> bool:
    """Return whether abbreviations that are common words are meant, because no other name has the word: "pots".

    If the abbreviation was typed to the letter, "Pot Tipper" does not have the word.
    """
    words = [parse_name(hit.match.text) for hit in ranked if hit.match.kind == "common_word"]
    others = [hit for hit in ranked if hit.is_good and hit.match.kind not in {"common_word", "broader"}]
    names = [parse_name(hit.match.text or hit.card["name"]) for hit in others]
    if any(word.key == query.key for word in words):
        return not any(name.words.issuperset(query.tokens) for name in names)
    return bool(words) and not others


def _with_broader_below(ranked: Sequence[RankedHit]) -> list[RankedHit]:
    """Return the hits; a broader condition is never above the narrower one that has the name.

    That may have it but for endings ("buzzing in ears"), or only as a common word ("bed").
    """
    kinds: dict[str, str] = {}  # by name of a broader condition, the best of its narrower ones
    for hit in ranked:
        if hit.match.kind in WHOLE_NAMES or hit.match.kind == "common_word":
            kind = _kind_of_broader(hit.match)
            for name in hit.payload.get("broader", ()):
                kinds[name] = max(kind, kinds.get(name, kind), key=POINTS.__getitem__)
    return [
        _demoted(hit, kinds.get(hit.card["name"], "broader")) if hit.match.kind == "broader" else hit for hit in ranked
    ]


def _kind_of_broader(match: MatchedName) -> str:
    """Return the match of the conditions that are broader than one with this match.

    An abbreviation may be typed as a common word, or not to the letter: "panda" for PANDAS.
    """
    by_form = match.kind == "alias_form" and parse_name(match.text).is_common_abbreviation
    if by_form or match.kind == "common_word":
        return "common_word"
    return "broader_form" if match.kind in {"name_form", "alias_form"} else "broader"


def _with_unmeant_last(query: ParsedQuery, hits: Sequence[RankedHit]) -> list[RankedHit]:
    """Return the hits, those that the query names and does not mean as the loosest ones."""
    if not may_have_unmeant(query):
        return list(hits)
    mentioned = [hit for hit in hits if hit.match.kind in {"mention", "keyword_name"}]
    named = [NamedEntity(hit.card["id"], hit.card["type"], frozenset(_forms_in(query, hit))) for hit in mentioned]
    unmeant = set(unmeant_ids(query, named))
    if not unmeant:
        return list(hits)
    left_out = {hit.card["name"] for hit in mentioned if hit.card["id"] in unmeant}
    meant = {hit.card["name"] for hit in mentioned} - left_out
    words = {word for one in named if one.id in unmeant for form in one.forms for word in query.mentions[form]}
    return [
        _unlikely(hit)
        if hit.card["id"] in unmeant or _is_for(hit, left_out, meant) or _has_only(query, hit, words)
        else hit
        for hit in hits
    ]


def _is_for(hit: RankedHit, unmeant: AbstractSet[str], meant: AbstractSet[str]) -> bool:
    """Return whether a hit is found for needs that the query names and does not mean, and for no other."""
    needs = set(hit.payload.get("needs", ()))
    return hit.match.kind in OF_NEED and not needs.isdisjoint(unmeant) and needs.isdisjoint(meant)


def _has_only(query: ParsedQuery, hit: RankedHit, words: AbstractSet[str]) -> bool:
    """Return whether all words of its name in the query are those of what is not meant: "neither deaf nor blind"."""
    shared = parse_name(hit.match.text).words.intersection(query.keywords)
    return hit.match.kind in {"keywords", "all_words", "keyword_name", "demoted"} and bool(shared) and shared <= words


def _unlikely(hit: RankedHit, kind: str = "not_meant") -> RankedHit:
    """Return a hit as one that is only shown in the list of all loose ones."""
    return replace(hit, match=hit.match._replace(kind=kind), parts={kind: POINTS[kind]}, is_good=False)


def _forms_in(query: ParsedQuery, hit: RankedHit) -> Iterator[str]:
    """Yield the forms of names of a hit, and of parts of its name, that are in the query."""
    names = [*HitNames(hit.payload).with_form(query.mentions), *map(parse_name, name_parts(hit.card["name"]))]
    yield from (form for name in names for form in name.forms if form in query.mentions)


def _demoted(hit: RankedHit, kind: str) -> RankedHit:
    """Return a hit that contains a name of the query with another, lower kind of match."""
    parts = {kind: POINTS[kind], **{name: points for name, points in hit.parts.items() if name != hit.match.kind}}
    return replace(hit, match=hit.match._replace(kind=kind), parts=parts)


def _demoted_if_part(
    query: ParsedQuery, hit: RankedHit, mentions: Iterable[Sequence[str]], signs: Mapping[str, AbstractSet[str]]
) -> RankedHit:
    """Return a hit as a loose one if its name is only a part of another name in the query: "blind" in "color blind".

    Or of a sign of something else: "burn" in "feet burn". Of a name by a rule, what was typed for it counts.
    """
    name = parse_name(hit.match.text)
    rule = query.rule_mentions.get(name.form) if hit.match.kind != "mention" else None
    words = query.tokens[rule.start : rule.end] if rule else name.tokens
    is_part = any(len(words) < len(other) and has_phrase(other, words) for other in mentions)
    if hit.card["type"] in NEED_AND_CONDITION_TYPES and name.keywords:
        others = (words for key, words in signs.items() if hit.card["id"] not in query.body_parts[key])
        is_part = is_part or any(name.keywords < words for words in others)
    return replace(_demoted(hit, "part_of_name"), is_good=False) if is_part else hit


def _signs(query: ParsedQuery) -> dict[str, frozenset[str]]:
    """Return the keys of the signs in the query, with their words."""
    keys = [key for key in query.body_parts if key.startswith(SIGN)]
    return {key: frozenset(key.removeprefix(SIGN).split()) for key in keys}


def _is_about(query: ParsedQuery, hit: RankedHit) -> bool:
    """Return whether a hit of a query that is the name of a guide is what that is about, or has the words in a name."""
    if any(hit.card["id"] in name.entities for name in query.guide_names):
        return True
    if any(name.is_crisis for name in query.guide_names):  # "want to die" asks for no die setter
        return hit.match.kind in BY_NAME and hit.card["type"] == CONDITION
    return hit.is_good and hit.match.kind not in {"first_choice", "need", "part_of_need"}
