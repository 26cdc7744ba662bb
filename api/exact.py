"""One word asked for so that the engine sees beforehand what cannot be among the best hits, and passes over it. Pure.

Block by block it passes over what no clause could lift onto the page. A clause that has to look at each entity to see
that it does not fit counts as if it fitted everywhere: an exclusion does, and words that must stand side by side do.
So where common words are found, exclusions become what is left, and names that are this one word are sought among
those that begin like it.
"""

from __future__ import annotations

from typing import Any

from api import behind, goods
from api.models import TYPES
from api.prepared import LONGEST_BEGINNING, begins
from api.words import squeeze

Body = dict[str, Any]

ENDING = 3  # letters at most by which a word and its plural differ: "ladies", "lady"
WHOLE = {"name.singular": "name", "aliases.singular": "aliases"}
BY_RULES = "_with_rules"  # ends the names of analyzers that read by rules


def _left(*excluded: str) -> Body:
    """All entities of the other types; of conditions and products those that do not give way."""
    families = [name for name in goods.FAMILIES if name not in goods.EVERYBODYS]
    types = [name for name in TYPES if name not in ("disability", "product", *excluded)]
    either = (("kind", ["main"]), ("family", families), ("type", types))
    # One clause for each: of several in one, the engine may look at each entity again to see whether it has any.
    return {"bool": {"should": [{"term": {field: name}} for field, names in either for name in names]}}


# Who gives way in the tiers in which common words are found, and who is left there.
LEFT = ((list(behind.BY_NAME), _left()), ([*behind.BY_NAME, behind.VENDOR], _left("vendor")))


def exact(query: Body, word: str, *, ruled: bool) -> Body:
    """The same query for one plain word; `ruled` says whether a synonym rule acts on it."""
    key = squeeze(word)[:LONGEST_BEGINNING]
    made: Body = _exact(query, key[: max(1, len(key) - ENDING)], ruled=ruled)
    return made


def _exact(part: Any, head: str, *, ruled: bool) -> Any:  # noqa: ANN401 - any part of a query
    if isinstance(part, list):
        return [_exact(one, head, ruled=ruled) for one in part]
    if not isinstance(part, dict):
        return part
    if "match_phrase" in part and (names := _whole_names(part["match_phrase"], ruled=ruled)):
        return {"bool": {"filter": [part, begins(names, head)]}}
    made = {name: _exact(one, head, ruled=ruled) for name, one in part.items()}
    return _without_exclusions(made) if "must_not" in made else made


def _whole_names(phrase: Body, *, ruled: bool) -> str | None:
    """The field in which a phrase asks for whole names, in words that are as typed."""
    ((field, asked),) = phrase.items()
    read = ruled and isinstance(asked, dict) and asked.get("analyzer", "").endswith(BY_RULES)
    return None if read else WHOLE.get(field)


def _without_exclusions(clauses: Body) -> Body:
    """What a `bool` asks for, with those who are left in place of those who give way."""
    left = next((others for excluded, others in LEFT if excluded == clauses["must_not"]), None)
    if left is None:
        return clauses
    kept = {name: one for name, one in clauses.items() if name != "must_not"}
    given = clauses.get("filter", [])
    return kept | {"filter": [*(given if isinstance(given, list) else [given]), left]}
