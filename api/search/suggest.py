"""Completes a query while it is typed: the last word is a prefix, the words before it may have typos."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rapidfuzz.distance import OSA

from api.engine.release import EngineResponse
from api.search.names import ParsedName, all_names, parse_name
from api.search.query import ParsedQuery
from api.search.query_builder import HIT, WORD_BEGINNINGS
from schema.document_ids import MAX_PREFIX_LENGTH
from schema.exact_keys import NAME, name_form
from schema.json_types import JsonObject
from schema.spelling_variants import british
from schema.text import singularize

MAX_RANKED = 60  # names that are ranked
MIN_TYPO_LETTERS = 5
# One typo from five letters on, two from nine on: "asl" is not a typo of "ask".
FUZZINESS = "AUTO:5,9"
WHOLE_NAME = 800.0  # what was typed is the name or an alias, but for plural endings: "wheelchair"
BEGINS_NAME, BEGINS_ALIAS = 900.0, 350.0  # "cashi" begins the name Cashiers, and "cashier stool", an alias
WHOLE_WORD = 200.0  # the last word is complete: "arm" is a word of "arm supports", and begins "army"
IN_ORDER = 100.0  # the words follow each other in the name


def suggest_body(query: ParsedQuery, scope: Sequence[str]) -> JsonObject:
    """Return the search for names that complete the query. A space after the last word completes it too."""
    *finished, last = query.tokens or (query.text,)
    beginnings = dict.fromkeys(one[:MAX_PREFIX_LENGTH] for one in (last, *query.typed_last[-1:]))
    if query.text[-1:].isspace():
        finished.append(last)
        words: list[JsonObject] = []
    else:
        words = [{"multi_match": {"query": " ".join(beginnings), "fields": list(WORD_BEGINNINGS)}}]
    if finished:
        done = {"query": " ".join(finished), "operator": "and"}
        fuzzy = {**done, "fuzziness": FUZZINESS}
        words.append({"bool": {"should": [{"match": {"spelling.words": done}}, {"match": {"spelling": fuzzy}}]}})
    letters = query.key[:MAX_PREFIX_LENGTH]
    begun = {"term": {"spelling.names": letters}}
    filters: list[JsonObject] = [{"bool": {"should": [{"bool": {"filter": words}}, begun]}}]
    if scope:
        filters.append({"terms": {"type": list(scope)}})
    better = [
        {"constant_score": {"filter": {"term": {"keys": NAME + query.form}}, "boost": WHOLE_NAME}},
        {"constant_score": {"filter": {"term": {"display_name": letters}}, "boost": BEGINS_NAME - BEGINS_ALIAS}},
        {"constant_score": {"filter": begun, "boost": BEGINS_ALIAS}},
        {"rank_feature": {"field": "standing", "linear": {}}},
    ]
    return {
        "size": MAX_RANKED,
        **HIT,
        "track_total_hits": True,
        "query": {"bool": {"filter": filters, "should": better}},
    }


class Completion(NamedTuple):
    """A suggestion as responses show it, and the sources of the entity."""

    result: JsonObject
    sources: Sequence[str]


class TypedWords(NamedTuple):
    """The words of a beginning, the last one perhaps half typed, and what is compared with each name."""

    words: tuple[str, ...]
    letters: str
    form: str
    last_stem: str | None

    @classmethod
    def of(cls, words: tuple[str, ...]) -> "TypedWords":
        """Return what is compared for these words."""
        return cls(words, "".join(words), name_form(words), singularize(words[-1]) if words else None)


def completions(query: ParsedQuery, response: EngineResponse, limit: int) -> list[Completion]:
    """Return the best completions, each with the name that completes the query."""
    typed, as_written = TypedWords.of(query.tokens), TypedWords.of(query.typed_last)
    found = [_completion(typed, as_written, hit.payload) for hit in response.hits]
    return sorted(found, key=lambda completion: -completion.result["score"])[:limit]


def ids_by_type(shown: Sequence[Completion]) -> list[JsonObject]:
    """Return the ids of the completions of each type, in order."""
    groups: dict[str, list[str]] = {}
    for completion in shown:
        groups.setdefault(completion.result["type"], []).append(completion.result["id"])
    return [{"type": type_name, "ids": ids} for type_name, ids in groups.items()]


def _completion(typed: TypedWords, as_written: TypedWords, payload: JsonObject) -> Completion:
    """Return an entity with the name that completes what was typed; `as_written` is in British spelling if it was."""
    card = payload["card"]
    names = [parse_name(text) for text in all_names(payload)]
    written = [name.tokens for name in names]
    if not any(word.startswith(typed.words[-1:]) for words in written for word in words):
        typed = as_written
        written = [_in_british_spelling(words, typed.words[-1:]) for words in written]
    begins = [BEGINS_NAME, *[BEGINS_ALIAS] * (len(names) - 1)]
    scores = [_closeness(typed, *one) for one in zip(names, written, begins, strict=True)]
    best = max(range(len(names)), key=lambda place: (scores[place], -place))
    name, text = card["name"], names[best].text
    is_beginning = "".join(written[best]).startswith(typed.letters)
    how = "begins with what you typed" if is_beginning else "has words that begin with what you typed"
    subject = name if text == name else f"‘{text}’, another name of {name},"
    match = {"kind": "prefix", "text": text, "field": "aliases" if best else "name", "why": f"{subject} {how}."}
    score = round(scores[best] + payload["standing"], 2)
    return Completion({**card, "score": score, "match": match}, payload["sources"])


def _in_british_spelling(words: Iterable[str], beginning: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words of a name, those that begin so in British spelling."""
    first_letters = {"e", *(word[:1] for word in beginning)}  # "oedema" is "edema"

    def written(word: str) -> str:
        spellings = british(word) if word[:1] in first_letters else ()
        return next((spelling for spelling in spellings if spelling.startswith(beginning)), word)

    return tuple(map(written, words))


def _closeness(typed: TypedWords, name: ParsedName, words: Sequence[str], begins: float) -> float:
    """Return how well a name completes what was typed; `words` are its words as they are written."""
    score = begins if "".join(words).startswith(typed.letters) else 0.0
    score += WHOLE_NAME if name.form == typed.form else 0.0
    score += WHOLE_WORD if typed.last_stem in name.stems else 0.0
    return score + (IN_ORDER if _in_order(typed.words, words) else 0.0)


def _in_order(typed: Sequence[str], words: Sequence[str]) -> bool:
    """Return whether a name has the words side by side, the last one as a beginning, each with a typo at most."""
    *finished, last = typed or ("",)
    starts = range(len(words) - len(finished))
    return any(
        words[start + len(finished)].startswith(last) and all(map(_is_near, finished, words[start:]))
        for start in starts
    )


def _is_near(typed: str, word: str) -> bool:
    return typed == word or (len(typed) >= MIN_TYPO_LETTERS and OSA.distance(typed, word, score_cutoff=1) <= 1)
