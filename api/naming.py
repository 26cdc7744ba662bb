"""How callers name things: forms of ids, how a seed was understood, the 422 for an unknown name. Pure."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from api.errors import InvalidError, NotFoundError
from api.inflated import inflated
from api.queries import NAME_FORM, whole_id
from api.seed_queries import HEIR, SEED
from api.words import squeeze

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from api.models import RecommendRequest

Body = dict[str, Any]
LONGEST_ID = 200  # characters; the longest real id has 95
SEED_TYPES = {
    "disability": "disability",
    "limitation": "limitation",
    "work_function": "workrelatedfunction",
    "occupation": "occupation",
}
FIELDS = {type_name: field for field, type_name in SEED_TYPES.items()}
CARD_FIELDS = ("id", "type", "slug", "name", "summary", "url", "settings", "market_verification")
MATCHED_BY = ("id", "slug", "name", "alias")
MOST_NAMESAKES = 5
ALSO_CALLED = "also called so: "  # pages read the ids behind it


def owner_of(type_name: str, given: str) -> str:
    """The full id that a form stands for, if it is a key or a slug that equals the key; the type in lower case."""
    if len(given) > LONGEST_ID:
        raise NotFoundError(f"There is no {type_name} with an id of {len(given)} characters.", suggestions=[])
    head = f"{type_name}:"
    return head + whole_id(type_name, given)[len(head) :]


@dataclass(frozen=True, slots=True)
class Understood:
    """What a seed was understood to be: how (one of MATCHED_BY), and the others that are called so.

    `own` is the answer that is kept for it, where there is one, else its needs.
    """

    matched_by: str
    own: Mapping[str, Any]
    hit: Mapping[str, Any]
    namesakes: Sequence[Mapping[str, Any]]

    @property
    def card(self) -> Mapping[str, Any]:
        """Its card."""
        found: Mapping[str, Any] = self.own["card"]
        return found

    @property
    def kept(self) -> Mapping[str, Any] | None:
        """What `api.telling` told of it alone when the release was made."""
        return self.own.get("told")

    @property
    def needs(self) -> Mapping[str, Any]:
        """Its needs."""
        return self.own if self.kept is None else needs_of(self.hit)


def best_seed(hits: Iterable[Mapping[str, Any]], text: str) -> Understood | None:
    """The hit whose name the text is, the first among equals; None if no hit has that name."""
    named = [(hit, _own(hit)) for hit in hits if set(hit["matched_queries"]) - {HEIR}]
    found = [(*_matched_by(hit["matched_queries"], own["card"], text), own, hit) for hit, own in named]
    if not found:
        return None
    # among equals a condition with lists of its own comes first
    ranked = sorted(found, key=lambda one: (one[1], MATCHED_BY.index(one[0]), "heir_of" in one[2]))
    matched, form, own, hit = ranked[0]
    alike = [other["card"] for how, loose, other, _ in ranked[1:] if (how, loose) == (matched, form)]
    return Understood(matched, own, hit, alike)


def seed_namesakes(field: str, given: str, found: Understood) -> list[Body]:
    """A warning that others are called so too, if there are any."""
    return also_called(field, given, found.card, found.namesakes, ". Give an id to choose.")


def also_called(
    parameter: str, given: str, taken: Mapping[str, Any], others: Sequence[Mapping[str, Any]], end: str = ""
) -> list[Body]:
    """A warning that a text names other entities than the one it was taken for, if it does."""
    if not others:
        return []
    named = ", ".join(card["id"] for card in others[:MOST_NAMESAKES])
    more = " and more" if len(others) > MOST_NAMESAKES else ""
    message = f"{given!r} was taken for {taken['id']}; {ALSO_CALLED}{named}{more}{end}"
    return [{"parameter": parameter, "message": message, "nearest": others[0]["id"]}]


def unnamed(loc: Sequence[str], what: str, kind: str, given: str, nearest: Iterable[Mapping[str, Any]]) -> Body:
    """The problem of a text that names nothing it may name, with the entities that were perhaps meant."""
    return {
        "loc": list(loc),
        "msg": what,
        "type": kind,
        "input": given,
        "ctx": {"nearest": [{key: card[key] for key in ("id", "slug", "name")} for card in nearest]},
    }


def listed(names: Iterable[str]) -> str:
    """The nearest names as an error lists them, or how to look for others where none is near."""
    return ", ".join(names) or "none, look for it by other words with GET /search"


def _own(hit: Mapping[str, Any]) -> Mapping[str, Any]:
    """What is read first of a hit: the answer that is kept for it, which is small, or its needs."""
    kept = hit["fields"].get("answer")
    found: Mapping[str, Any] = inflated(kept[0]) if kept else needs_of(hit)
    return found


def needs_of(hit: Mapping[str, Any]) -> Mapping[str, Any]:
    """The needs that a hit holds."""
    needs: Mapping[str, Any] = inflated(hit["fields"]["needs"][0])
    return needs


def _matched_by(ways: Collection[str], card: Mapping[str, Any], text: str) -> tuple[str, bool]:
    """One of MATCHED_BY, and whether only a form of a name was given ("memory losses")."""
    if SEED not in ways:
        return ("name" if NAME_FORM in ways else "alias"), True
    folded = text.casefold()
    if folded in (card["id"].casefold(), card["id"].partition(":")[2].casefold()):
        return ("id" if ":" in text or card["slug"].casefold() != folded else "slug"), False
    if folded in (card["slug"], f"{card['type']}:{card['slug']}"):
        return "slug", False
    return ("name" if squeeze(card["name"]) == squeeze(text) else "alias"), False


def unknown(
    what: str, loc: tuple[str, ...], given: str, valid: Iterable[str], counts: Mapping[str, int] | None = None
) -> InvalidError:
    """The 422 for a name that is not among the valid ones: it lists them, the nearest in `ctx.nearest`.

    With `counts` the valid names are what one entity has, and how many of each.
    """
    names = list(valid)
    near = difflib.get_close_matches(given[:LONGEST_ID], names, n=1, cutoff=0.4)
    listed = ", ".join(f"{name} ({counts[name]:,})" for name in names) if counts else ", ".join(names)
    context: Body = {"valid": names, "nearest": near[0] if near else None}
    if counts is not None:
        context["counts"] = counts
    owner = "this entity has" if counts else "valid"
    problem = {
        "loc": list(loc),
        "msg": f"unknown {what} {given[:LONGEST_ID]!r}; {owner}: {listed}",
        "type": f"unknown_{what}",
        "input": given,
        "ctx": context,
    }
    return InvalidError([problem])


def no_seed(ask: RecommendRequest) -> InvalidError:
    """The 422 for a request that names nothing, with the fields that were perhaps meant."""
    near = [warning["nearest"] for warning in unknown_fields(ask) if warning["nearest"]]
    hint = f"; did you mean {', '.join(near)}?" if near else ""
    problem = {
        "loc": ["body"],
        "msg": f"give at least one of {', '.join(SEED_TYPES)}{hint}",
        "type": "no_seed",
        "input": None,
        "ctx": {"fields": list(SEED_TYPES), "nearest": near},
    }
    return InvalidError([problem])


def unknown_fields(ask: RecommendRequest) -> list[Body]:
    """Fields of the body that had no effect, each with the nearest one that would have."""
    return [ignored("field", name, [*SEED_TYPES, "setting", "limit"]) for name in ask.model_extra or {}]


def ignored(what: str, name: str, known: Iterable[str]) -> Body:
    """One warning about a parameter or field that does not exist."""
    names = list(known)
    shown = name[:LONGEST_ID]
    near = difflib.get_close_matches(shown, names, n=1, cutoff=0.5)
    hint = f"; did you mean {near[0]!r}?" if near else f"; this call knows: {', '.join(names) or 'none'}"
    message = f"unknown {what} {shown!r} was ignored{hint}"
    return {"parameter": shown, "message": message, "nearest": near[0] if near else None}


def idle(name: str, beside: str) -> Body:
    """One warning about a parameter that another one leaves without effect."""
    return {"parameter": name, "message": f"{name!r} has no effect beside {beside!r}", "nearest": None}
