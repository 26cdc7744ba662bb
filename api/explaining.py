"""Why a solution or a condition is in an answer, in words, and what a caller should know of the whole. Pure."""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING, Any

from api.ranking import OCCUPATION

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from api.ranking import Ranked, Ranking, Seed, SeedData

Body = dict[str, Any]
MOST_NAMED = 3
TRIED_FIRST = 1.0
BASES = ("source", "editorial", "inherited", "derived")  # the firmest ground counts
# What an entity is to the one that uses its lists: one, several.
RELATIONS = {
    "narrower": ("which is a kind of", "which are kinds of"),
    "broader": ("which covers", "which cover"),
    "akin": ("which limits much the same abilities as", "which limit much the same abilities as"),
}


def recommendation(place: int, one: Ranked) -> Body:
    """One ranked solution with its chain, but for its card and its products."""
    bases = ["inherited" if _borrowed(seed, row) else row["basis"] for seed, row in one.serves]
    basis = next((basis for basis in BASES if basis in bases), "derived")
    return {
        "rank": place,
        "score": one.score,
        "score_parts": one.parts,
        "basis": basis,
        "answers": [{"entity": need.card, "weight": need.share, "seed": seed} for need, seed in one.answers],
        "why": why(one),
    }


def why(one: Ranked) -> str:
    """Where it is listed for each seed, what the editors say of it, and what a job has to do with it."""
    listed = " and ".join(_listed(seed, row) for seed, row in one.serves)
    first = list(dict.fromkeys(name for seed, row in one.serves for name in _tried_first(seed, row)))
    job = next((need for need, _ in one.answers if need.job), None)
    return "".join(
        (
            f"{one.name}: {listed}.",
            f" Our editors would try it early for {names(first)}." if first else "",
            f" The job leans on {job.job}, which {job.card['name']} can limit." if job else "",
            " It is made for one kind of work or body." if not one.parts["fit"] else "",
        )
    )


def _tried_first(seed: Seed, row: Mapping[str, Any]) -> Iterator[str]:
    """For what the editors would try it first: the condition, and those of its needs."""
    if row["whole"] >= TRIED_FIRST:
        yield seed.data.needs.get("chosen_for") or seed.data.needs["card"]["name"]
    yield from (seed.needs[need].card["name"] for need, strength in row["first"].items() if strength >= TRIED_FIRST)


def _borrowed(seed: Seed, row: Mapping[str, Any]) -> bool:
    """Whether a solution is from the lists of relatives; one that has none for work may be named for school itself."""
    speaking = seed.data.needs["card"]["id"]
    return bool(seed.data.inherits) and (bool(row["from"]) or speaking != seed.data.card["id"])


def _listed(seed: Seed, row: Mapping[str, Any]) -> str:
    needs = sorted((seed.needs[need] for need in row["under"]), key=lambda need: (-need.share, need.card["name"]))
    own = seed.data.card["name"]
    if _borrowed(seed, row):
        whence = set(row["from"]) or {relative["id"] for relative in seed.data.inherits}
        relatives = [one for one in seed.data.inherits if one["id"] in whence]
        return _inherited(own, relatives, [need.card["name"] for need in needs])
    listed = [need.card["name"] for need in needs if need.card["id"] not in row["usual"]]
    usual = [need.card["name"] for need in needs if need.card["id"] in row["usual"]]
    headings = [need for need in listed if need != own]
    heading = f" under {names(headings)}" if headings else ""
    told = [f"{_stated(row, own)}{heading}"] if listed else []
    there = " at school" if row.get("named") else ""
    return " and ".join([*told, *([f"usual{there} for {names(usual)}, which {own} can bring"] if usual else [])])


def _stated(row: Mapping[str, Any], own: str) -> str:
    if not row.get("named"):
        return f"listed for {own}"
    return f"named for {own} at school{' by our editors' if row['basis'] == 'editorial' else ''}"


def _inherited(own: str, relatives: Sequence[Mapping[str, Any]], under: Sequence[str]) -> str:
    by_relation: dict[str, list[str]] = {}
    for one in relatives:
        known = by_relation.setdefault(one["relation"], [])
        known += [one["name"]] if one["name"] not in known else []
    told = [f"{names(few)}, {RELATIONS[relation][len(few) > 1]} {own}" for relation, few in by_relation.items()]
    headings = "" if set(under) <= {one["name"] for one in relatives} else f", under {names(under)}"
    return f"listed for {', and for '.join(told)}{headings}"


def coverage(ranking: Ranking) -> list[Body]:
    """Each need of the seeds, weightiest first within a seed, with how many of all solutions answer it."""
    answering = Counter(chain.from_iterable(map(_answered, ranking.found)))
    told: dict[str, Body] = {}
    for seed in ranking.seeds:
        for key, need in sorted(seed.needs.items(), key=lambda item: (-item[1].share, item[1].card["name"])):
            line = {"entity": need.card, "weight": need.share, "seed": seed.data.field, "solutions": answering[key]}
            told.setdefault(key, line | {"job": need.job or None})
    return list(told.values())


def _answered(one: Ranked) -> Iterable[str]:
    if len(one.serves) == 1:
        return one.serves[0][1]["under"].keys()  # type: ignore[no-any-return]
    return {need for _, row in one.serves for need in row["under"]}


def seed_warnings(data: Sequence[SeedData], ranking: Ranking, setting: str | None = None) -> list[Body]:
    """What a caller should know of an answer that is empty, or wider or narrower than was asked."""
    jobs = [seed for seed in data if seed.field == OCCUPATION]
    if len(jobs) == len(data):
        return [_about(OCCUPATION, "A job alone names no need. Give a condition, limitation or function with it.")]
    if not ranking.found:
        asked = names([seed.card["name"] for seed in data if seed.field != OCCUPATION])
        there = f" in the setting ‘{setting}’" if setting else ""
        message = f"No source that we hold lists accommodations for {asked}{there}, nor for anything near it."
        return [_about("seeds", message)]
    empty = [seed.card["name"] for seed in data if seed.field != OCCUPATION and not seed.needs["solutions"]]
    told = [
        _few(ranking),
        f"No source that we hold lists accommodations for {names(empty)}, so it narrows nothing." if empty else "",
    ]
    found = [_about("seeds", message) for message in told if message]
    if jobs and not any(need.job for seed in ranking.seeds for need in seed.needs.values()):
        job = jobs[0].card["name"]
        message = f"Nothing that {job} leans on is known to be limited here, so the job makes no need count more."
        found.append(_about(OCCUPATION, message))
    return found


def _few(ranking: Ranking) -> str:
    """Why solutions that do not serve every seed are in an answer, if any are."""
    if ranking.together == len(ranking.found):
        return ""
    if not ranking.together:
        return "No solution serves all of these together; these serve one or more of them, the best for each alike."
    joint = names([one.name for one in ranking.found[: ranking.together]], most=ranking.together)
    few = f"{joint} {'alone serves' if ranking.together == 1 else 'serve'} all of these together"
    return f"{few}; what follows serves one or more of them, the best for each alike."


def related_why(entity: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    """Why two conditions are alike, and whether one is a kind of the other."""
    own, theirs, relation = entity["name"], other["name"], other.get("relation")
    both = f"can both bring {names([one['name'] for one in other['shared']])}"
    if relation is None:
        return f"{own} and {theirs} {both}."
    return f"{theirs} {'is a kind of' if relation == 'narrower' else 'covers'} {own}; they {both}."


def related_warnings(found: Mapping[str, Any]) -> list[Body]:
    """Why a condition has no related ones, or whose they are."""
    if found["items"]:
        return []
    own, kinds = found["entity"]["name"], found["kinds"]
    covers = f"{own} has no limitations of its own. It covers {names(kinds)}; ask for one of them." if kinds else ""
    return [_about("id", covers or f"No other condition that we hold shares a limitation with {own}.")]


def _about(parameter: str, message: str) -> Body:
    return {"parameter": parameter, "message": message, "nearest": None}


def names(several: Sequence[str], most: int = MOST_NAMED) -> str:
    """Names as a sentence lists them; beyond `most`, how many more there are."""
    shown = list(several[:most])
    if len(several) > most:
        shown.append(f"{len(several) - most} more")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
