"""Ranks the first hits of a search by an explicit table.

The score of a hit is that of its best match plus what is added: docs/reference/search-ranking.md has the tables.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from api.engine.release import Hit
from api.search.features import GOOD, Feature, decode
from api.search.names import HitNames, ParsedName, has_phrase, parse_name, same_stem
from api.search.query import HALF, ParsedQuery, QueryVariant
from api.search.ranking_table import BY_RULE, MAX_WORDS, POINTS, WHOLE_NAMES
from api.search.words.lexicon import TypeHint
from schema.entity_kinds import NEED_TYPES
from schema.exact_keys import name_form
from schema.json_types import JsonObject
from schema.text import singularize
from schema.word_forms import base_form

THING_TYPES = frozenset(("solution", "product"))
FOR_NEED = Feature.NEED | Feature.FIRST_CHOICE | Feature.PART_OF_NEED | Feature.RELATED
NEED_AND_CONDITION_TYPES = frozenset(("disability", *NEED_TYPES))


class MatchedName(NamedTuple):
    """The best match of a hit: its row in the table, the name that matched, and the variant of the query, if any."""

    kind: str
    text: str = ""
    variant: QueryVariant | None = None


@dataclass(frozen=True, slots=True)
class RankedHit:
    """A hit with its best match and the parts of its score."""

    payload: Mapping[str, Any]
    features: int
    match: MatchedName
    parts: Mapping[str, float]
    is_good: bool

    @property
    def card(self) -> JsonObject:
        """The card of the entity."""
        card: JsonObject = self.payload["card"]
        return card

    @property
    def score(self) -> float:
        """The sum of its parts."""
        return sum(self.parts.values())


Matcher = Callable[[ParsedQuery, HitNames], MatchedName]


def rank_hit(query: ParsedQuery, hit: Hit) -> RankedHit:
    """Return a hit with its match and score."""
    features, fit = decode(hit.score)
    payload = hit.payload
    names = HitNames(payload)
    match = _match_of_hit(query, features, names, payload)
    displayed = names.displayed
    name = parse_name(match.text) if match.text else displayed
    words = _words(query, match.kind)
    shared = max(map(name.shared, words))
    parts = {match.kind: POINTS[match.kind], "prior": payload["prior"]}
    if match.kind == "body_part":
        parts["order"] = POINTS["order"] * _place_in_row(query, payload["card"]["id"])
    elif match.kind not in WHOLE_NAMES:
        parts["word"] = POINTS["word"] * _covered(query, match, shared)
        if payload["card"]["type"] in NEED_AND_CONDITION_TYPES and len(query.keywords) < len(query.tokens):
            parts["sentence"] = POINTS["sentence"]
            if query.says_inability:
                parts["inability"] = POINTS["inability"]
        if match.kind == "scoped" and query.type_hint:
            parts |= _beside_type(query.type_hint, name, displayed, payload)
        if features & Feature.FIRST_CHOICE and match.kind != "first_choice":
            parts["put_first"] = POINTS["put_first"]
        if not name.words.isdisjoint(query.topic if match.kind == "scoped" else query.keywords):
            parts["as_typed"] = POINTS["as_typed"]
        # "Gets sick" is nearer to "getting sick" than to "sick headache"; the word for a type is no part of a name.
        # A name without a keyword has no more of the query by an "and".
        covered = shared if match.kind == "scoped" or not shared else max(shared, name.shared(query.stems))
        parts["coverage"] = round(POINTS["coverage"] * covered / max(covered, len(name.stems), 1), 1)
    if shared and name == displayed:
        parts["in_name"] = POINTS["in_name"]
    parts["fit"] = round(POINTS["fit"] * fit, 2)
    return RankedHit(payload, features, match, parts, hit.score >= GOOD)


def _place_in_row(query: ParsedQuery, id_: str) -> int:
    """Return the place of a hit among what a body part, event or sign in the query can bring, from 0."""
    return min((places[id_] for places in query.body_parts.values() if id_ in places), default=0)


def _match_of_hit(query: ParsedQuery, features: int, names: HitNames, payload: Mapping[str, Any]) -> MatchedName:
    """Return the best match, with what the hit says of its names and of the sides that it serves."""
    match = best_match(query, features, names)
    if POINTS["thing"] > POINTS[match.kind] and (thing := _thing_before_for(query, features, names, payload)):
        return thing
    if POINTS["side"] > POINTS[match.kind] and features & Feature.BODY_PART and named_sides(query, payload):
        return MatchedName("side")
    if match.kind == "alias" and match.text in payload.get("titles", ()):
        return match._replace(kind="title")
    if match.kind == "name" and payload.get("mainstream"):
        return match._replace(kind="product_name")
    return match


def _thing_before_for(
    query: ParsedQuery, features: int, names: HitNames, payload: Mapping[str, Any]
) -> MatchedName | None:
    """Return the first name of a solution or product that has the words before "for", if it is usual for a need."""
    if query.type_hint or payload["card"]["type"] not in THING_TYPES or not features & FOR_NEED:
        return None
    for variant in query.variants:
        thing = variant.thing_stems
        if thing and (
            name := next((one for one in names.with_similar_words(thing) if one.shared(thing) == len(thing)), None)
        ):
            return MatchedName("thing", name.text, variant)
    return None


def named_sides(query: ParsedQuery, payload: Mapping[str, Any]) -> list[str]:
    """Return the labels of the sides that a need has or a solution serves, and that the query names."""
    id_, is_need = payload["card"]["id"], payload["card"]["type"] in NEED_TYPES
    named = {one.side for sides in query.sides.values() for one in sides if not is_need or one.need == id_}
    return [label for side, label in payload.get("sides", {}).items() if side in named]


def _beside_type(
    hint: TypeHint, name: ParsedName, display_name: ParsedName, payload: Mapping[str, Any]
) -> dict[str, float]:
    is_whole = name.form == name_form(hint.remainder)
    is_thing = "solution" in hint.types and has_phrase(display_name.stems, tuple(map(singularize, hint.phrase)))
    is_no_thing = "product" in hint.types and payload.get("is_no_product", False)
    return {
        "whole_rest": POINTS["whole_rest"] * is_whole,
        "type_word": POINTS["type_word"] * is_thing,
        "no_thing": POINTS["no_thing"] * is_no_thing,
    }


def _words(query: ParsedQuery, kind: str) -> list[tuple[str, ...]]:
    """Return the stems of the keywords, and of each variant by rules; beside a type hint those of the rest."""
    if kind == "scoped" and query.type_hint:
        return [tuple(map(singularize, query.type_hint.keywords))]
    variants = query.variants if kind in BY_RULE else query.variants[:1]
    return [variant.keyword_stems for variant in variants]


def _covered(query: ParsedQuery, match: MatchedName, shared: int) -> int:
    """Return how many keywords a hit answers; a need or a side that the query names counts as one."""
    if match.kind in {"need", "first_choice", "side", "thing"}:
        shared += 1
    return min(shared, len(query.keywords), MAX_WORDS)


def best_match(query: ParsedQuery, features: int, names: HitNames) -> MatchedName:
    """Return the best match of a hit by its features and names; the first name is the displayed one."""
    best = MatchedName("prefix")
    for feature, most, match in MATCHERS:
        if features & feature and POINTS[most] > POINTS[best.kind]:
            best = max(best, match(query, names), key=lambda found: POINTS[found.kind])
    return best


def _id(query: ParsedQuery, names: HitNames) -> MatchedName:
    displayed = names.displayed
    return MatchedName("name", displayed.text) if displayed.key == query.key else MatchedName("id", query.trimmed)


def _whole_name(query: ParsedQuery, names: HitNames) -> MatchedName:
    """Return the name that the query is: to the letter, up to punctuation, up to endings, or by a rule."""
    displayed, same_form = names.displayed, names.with_form({query.form})
    other_senses = [name for name in same_form if name != displayed and _is_other_sense(query, name)]
    meant = [name for name in same_form if name not in other_senses]
    for matching, kinds in (
        ([name for name in meant if name.key == query.key], ("name", "alias")),
        (meant, ("name_form", "alias_form")),
    ):
        if matching:
            best = next((name for name in matching if name.folded == query.folded.strip()), matching[0])
            is_name = displayed in matching
            return MatchedName(kinds[0], displayed.text) if is_name else MatchedName(kinds[1], best.text)
    for variant in query.variants[1:]:
        if by_rule := names.with_form({variant.form}):
            return MatchedName("synonym", by_rule[0].text, variant)
    if other_senses:
        return MatchedName("common_word", other_senses[0].text)
    return MatchedName("alias")  # a name that is never shown


def _is_other_sense(query: ParsedQuery, name: ParsedName) -> bool:
    """Return whether a name is an abbreviation that is a common word, which the query has not in capitals."""
    return query.is_case_sensitive and name.is_common_abbreviation and query.capitals.isdisjoint(name.tokens)


def _has_other_sense(words: Sequence[str], others: Iterable[ParsedName], name: ParsedName) -> bool:
    """Return whether a name has the words only as abbreviations in another sense: "sad", HIV/AIDS."""
    return any(_has_in_capitals(other, words) for other in others) and _has_in_capitals(name, words)


def _has_in_capitals(name: ParsedName, words: Sequence[str]) -> bool:
    return all(any(same_stem(word, capital) for capital in name.capitals) for word in words)


def _phrase(query: ParsedQuery, names: HitNames) -> MatchedName:
    similar = names.with_similar_words(query.keywords)
    text = next((name.text for name in similar if has_phrase(name.stems, query.stems)), "")
    return MatchedName("phrase", text) if text else _all_words(query, names)


def _demoted_words(query: ParsedQuery, names: HitNames) -> MatchedName:
    found = _all_words(query, names, "demoted")
    return found if found.text else _closest_name("demoted")(query, names)


def _all_words(query: ParsedQuery, names: HitNames, kind: str = "all_words") -> MatchedName:
    """Return the first name with all keywords that is not a word in another sense."""
    words = query.variants[0].keyword_stems
    similar = names.with_similar_words(words)
    matching = [name for name in similar if name.shared(words) == len(words)]
    others = [name for name in similar if _is_other_sense(query, name)]
    if clear := [name for name in matching if not _has_other_sense(words, others, name)]:
        return MatchedName(kind, clear[0].text)
    return MatchedName("common_word", others[0].text) if matching else MatchedName("words_apart")


def _mention(query: ParsedQuery, names: HitNames) -> MatchedName:
    """Return the longest name of the entity that is in the query, as typed or else by a rule."""

    def words(name: ParsedName) -> tuple[str, ...]:
        forms = name.forms if query.is_case_sensitive else {*name.forms, name.form}
        return max((query.mentions.get(form, ()) for form in forms), key=len, default=())

    if mentioned := [name for name in names.with_form(query.mentions) if words(name)]:
        # "ADHD" was typed, not "AD/HD".
        best = max(mentioned, key=lambda name: (len(words(name)), has_phrase(query.stems, name.stems)))
        is_all = set(query.keywords).issubset(words(best))
        return MatchedName("keyword_name" if is_all else "mention", best.text)
    if by_rule := names.with_form(query.rule_mentions):
        is_half = query.keyword_share(by_rule[0].form) >= HALF
        return MatchedName("rule_mention" if is_half else "rule_part", by_rule[0].text)
    return MatchedName("mention")  # a part of a name, or one that is never shown


def _keywords(query: ParsedQuery, names: HitNames) -> MatchedName:
    bases = set(map(base_form, query.tokens))
    matching = (name.text for name in names.parsed() if len(name.keywords) > 1 and name.keywords <= bases)
    return MatchedName("keywords", next(matching, ""))


def _by_rule(query: ParsedQuery, names: HitNames) -> MatchedName:
    for variant in query.variants[1:]:
        words = variant.keyword_stems
        for name in names.with_similar_words(words):
            if name.shared(words) == len(words):
                return MatchedName("words_by_rule", name.text, variant)
    return MatchedName("words_apart")


def _closest_name(kind: str) -> Matcher:
    """Return a matcher that names the name with most of the query."""

    def match(query: ParsedQuery, names: HitNames) -> MatchedName:
        (words,) = _words(query, kind)
        similar = names.with_similar_words(words) or [names.displayed]
        return MatchedName(kind, max(similar, key=lambda name: (name.shared(words), -len(name.stems))).text)

    return match


# The matcher of each feature, with the most that it can find; a feature that cannot improve a match is skipped.
MATCHERS: tuple[tuple[Feature, str, Matcher], ...] = (
    (Feature.PINNED, "pinned", lambda _, names: MatchedName("pinned", names.displayed.text)),
    (Feature.ID, "id", _id),
    (Feature.NAME, "name", _whole_name),
    (Feature.NARROWER, "broader", lambda *_: MatchedName("broader")),
    (Feature.MENTION, "keyword_name", _mention),
    (Feature.PHRASE, "phrase", _phrase),
    (Feature.SCOPED, "scoped", _closest_name("scoped")),
    (Feature.ALL_WORDS, "all_words", _all_words),
    (Feature.KEYWORDS, "keywords", _keywords),
    (Feature.RELATED, "related", _closest_name("related")),
    (Feature.ALL_BY_RULE, "words_by_rule", _by_rule),
    (Feature.BODY_PART, "body_part", lambda *_: MatchedName("body_part")),
    (Feature.DEMOTED_NAMES, "demoted", _demoted_words),
    (Feature.FIRST_CHOICE, "first_choice", _closest_name("first_choice")),
    (Feature.NEED, "need", _closest_name("need")),
    (Feature.PART_OF_NEED, "part_of_need", _closest_name("part_of_need")),
    (Feature.DESCRIPTION, "description", lambda *_: MatchedName("description")),
    (Feature.MOST_WORDS, "most_words", _closest_name("most_words")),
    (Feature.MOST_OF_RELATED, "most_related", _closest_name("most_related")),
)
