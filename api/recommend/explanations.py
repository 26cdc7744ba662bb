"""Explains in words why a solution or condition is a result, and warns about results that are empty or incomplete."""

from collections import Counter, defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from itertools import chain
from typing import Any

from api.graph.listings import ListOwner
from api.recommend.ranking import OCCUPATION, Need, RankedSolution, Ranking, Seed, SeedData
from api.recommend.seed_needs import SolutionRow
from api.result import request_warning
from schema.entity_kinds import Basis
from schema.json_types import JsonObject
from schema.text import join_names

Answered = tuple[str, str]  # the seed and the need that a solution answers for it

_join = partial(join_names, limit=3)
FIRST_CHOICE_STRENGTH = 1.0
NOT_RATED = (
    "No source rates which abilities {names} requires, so a job alone leads to no need here. "
    "Add what is hard for the person: a condition, a limitation or a work-related function."
)
BASES_BY_CERTAINTY: tuple[Basis, ...] = ("source", "editorial", "inherited", "derived")
BASIS_LABELS: Mapping[Basis, str] = {
    "source": "listed by a source for this {entity}",
    "editorial": "the editors' choice",
    "inherited": "listed for a {relation} {entity}",
    "derived": "derived from what is listed for its needs",
}
# The relation of a parent to the entity that inherits its lists: singular, plural.
RELATIONS = {
    "narrower": ("which is a kind of", "which are kinds of"),
    "broader": ("which covers", "which cover"),
    "similar": ("which limits much the same abilities as", "which limit much the same abilities as"),
}


def describe_solution(position: int, solution: RankedSolution, *, outside_setting: bool = False) -> JsonObject:
    """Return a ranked solution with its reasons, without its card and products."""
    bases = ["inherited" if _is_inherited(seed, row) else row["basis"] for seed, row in solution.serves]
    basis: Basis = next((basis for basis in BASES_BY_CERTAINTY if basis in bases), "derived")
    return {
        "rank": position,
        "score": solution.score,
        "score_parts": solution.parts,
        "basis": basis,
        "basis_label": _basis_label(basis, solution),
        "answers": [
            {"entity": need.card, "weight": need.share, "seed": seed.field, "seed_id": seed.card["id"]}
            for need, seed in solution.answers
        ],
        "why": explain_solution(solution),
        "outside_setting": outside_setting,
    }


def _basis_label(basis: Basis, solution: RankedSolution) -> str:
    """Return in a few words how a solution became a result."""
    seeds = [seed.data for seed, _ in solution.serves]
    relations = {owner.relation for seed in seeds for owner in seed.inherits}
    relation = relations.pop() if len(relations) == 1 else "related"
    entity = "condition" if any(seed.field == "disability" for seed in seeds) else "need"
    return BASIS_LABELS[basis].format(entity=entity, relation=relation)


def explain_solution(solution: RankedSolution) -> str:
    """Return where a solution is listed for each seed, whether editors prefer it, and how the job matters."""
    listings = " and ".join(_listing(seed, row) for seed, row in solution.serves)
    first = list(dict.fromkeys(name for seed, row in solution.serves for name in _first_choice_for(seed, row)))
    job_need = next((need for need, _ in solution.answers if need.job), None)
    return "".join(
        (
            f"{solution.name}: {listings}.",
            f" Our editors would try it early for {_join(first)}." if first else "",
            f" The job requires {job_need.job}, which {job_need.card['name']} can limit." if job_need else "",
            " It is made for particular jobs or bodies." if not solution.parts["fit"] else "",
            f" It is made for {audience}." if (audience := _audience(solution)) else "",
        )
    )


def _audience(solution: RankedSolution) -> str:
    """Return the conditions and needs that a solution serves and is made for, and the job; empty if there are none."""
    cards = [card for seed, _ in solution.serves for card in (seed.data.card, *(n.card for n in seed.needs.values()))]
    names = list(dict.fromkeys(card["name"] for card in cards if card["id"] in solution.made_for))
    if any(id_.startswith(f"{OCCUPATION}:") for id_ in solution.made_for):
        names.append("this job")
    return _join(names) if names else ""


def _first_choice_for(seed: Seed, row: SolutionRow) -> Iterator[str]:
    """Yield the names of the condition and of its needs for which editors would try the solution first."""
    if row["whole"] >= FIRST_CHOICE_STRENGTH:
        yield seed.data.needs.get("chosen_for") or seed.data.needs["card"]["name"]
    for need, strength in row["first"].items():
        if strength >= FIRST_CHOICE_STRENGTH:
            yield seed.needs[need].card["name"]


def _is_inherited(seed: Seed, row: SolutionRow) -> bool:
    """Return whether a row comes from the lists of others. An inheriting seed may have first choices of its own."""
    return bool(seed.data.inherits) and bool(row["from"])


def _listing(seed: Seed, row: SolutionRow) -> str:
    needs = seed.by_weight(row["under"])
    name = seed.data.card["name"]
    if _is_inherited(seed, row):
        parent_ids = set(row["from"]) or {parent.id for parent in seed.data.inherits}
        parents = [parent for parent in seed.data.inherits if parent.id in parent_ids]
        return _inherited_listing(name, parents, [need.card["name"] for need in needs])
    if row.get("chosen"):
        return f"named for {name} by our editors"
    listed = [need.card["name"] for need in needs if need.card["id"] not in row["usual"]]
    usual = [need.card["name"] for need in needs if need.card["id"] in row["usual"]]
    headings = [heading for heading in listed if heading != name]
    phrases = []
    if listed:
        phrases.append(f"{_statement(row, name)}{f' under {_join(headings)}' if headings else ''}")
    if usual:
        where = " at school" if row.get("named") else ""
        phrases.append(f"usual{where} for {_join(usual)}, which {name} can bring")
    return " and ".join(phrases)


def _statement(row: SolutionRow, name: str) -> str:
    if not row.get("named"):
        return f"listed for {name}"
    return f"named for {name} at school{' by our editors' if row['basis'] == 'editorial' else ''}"


def _inherited_listing(name: str, parents: Sequence[ListOwner], headings: Sequence[str]) -> str:
    by_relation: dict[str, dict[str, None]] = {}
    for parent in parents:
        by_relation.setdefault(parent.relation, {})[parent.name] = None
    phrases = [
        f"{_join(list(names))}, {RELATIONS[relation][len(names) > 1]} {name}" for relation, names in by_relation.items()
    ]
    under = "" if set(headings) <= {parent.name for parent in parents} else f", under {_join(headings)}"
    return f"listed for {', and for '.join(phrases)}{under}"


def coverage(ranking: Ranking, shown: Sequence[RankedSolution]) -> list[JsonObject]:
    """Return the needs of each seed, by weight: how many solutions answer them for it, and where these stand.

    A need that is a seed itself has one line, with the solutions of all seeds.
    """
    seed_ids = {seed.data.card["id"] for seed in ranking.seeds if seed.data.card["id"] in seed.needs}
    counts = Counter(chain.from_iterable(_answered_needs(one, seed_ids) for one in ranking.solutions))
    places: defaultdict[Answered, list[int]] = defaultdict(list)
    for place, solution in enumerate(shown, start=1):
        for answered in _answered_needs(solution, seed_ids):
            places[answered].append(place)
    once = {key: (seed, need) for seed in ranking.seeds for need, key in _own_needs(seed, seed_ids, counts)}
    return [
        {
            "entity": need.card,
            "weight": need.share,
            "seed": seed.data.field,
            "seed_id": seed.data.card["id"],
            "solutions": counts[key],
            "places": places[key],
            "job": need.job or None,
        }
        for key, (seed, need) in once.items()
    ]


def _own_needs(seed: Seed, seed_ids: AbstractSet[str], counts: Mapping[Answered, int]) -> list[tuple[Need, Answered]]:
    """Return the needs of a seed that are no other seeds; without itself if only others of them have solutions."""
    id_ = seed.data.card["id"]
    own = [
        (need, _answered(id_, need.card["id"], seed_ids))
        for need in seed.by_weight(seed.needs)
        if need.card["id"] not in seed_ids - {id_}
    ]
    has_answers = any(counts[key] for _, key in own)
    return [(need, key) for need, key in own if need.card["id"] != id_ or counts[key] or not has_answers]


def _answered(seed: str, need: str, seed_ids: Container[str]) -> Answered:
    return (need if need in seed_ids else seed), need


def _answered_needs(solution: RankedSolution, seed_ids: Container[str]) -> set[Answered]:
    """Return the needs that a solution answers, each with the seed that brings it."""
    return {_answered(seed.data.card["id"], need, seed_ids) for seed, row in solution.serves for need in row["under"]}


def recommendation_warnings(data: Sequence[SeedData], ranking: Ranking, setting: str | None = None) -> list[JsonObject]:
    """Return warnings about a result that is empty, or does not take all seeds into account."""
    jobs = [seed for seed in data if seed.field == OCCUPATION]
    others = [seed for seed in data if seed.field != OCCUPATION]
    where = f" in the setting ‘{setting}’" if setting else ""
    if not ranking.solutions:
        names = _join([seed.card["name"] for seed in others or jobs])
        if not others and not any(job.needs["demands"] for job in jobs):
            return [request_warning(OCCUPATION, NOT_RATED.format(names=names))]
        message = f"No source lists accommodations for {names}{where}, or for anything related."
        return [request_warning("seeds", message)]
    warnings = []
    with_solutions = [seed for seed in others if seed.needs["solutions"]]
    if len(with_solutions) > 1 and not ranking.joint:
        message = "No solution serves all of these together. The results are the best for each of them."
        warnings.append(request_warning("seeds", message))
    if empty := [seed.card["name"] for seed in others if not seed.needs["solutions"]]:
        message = f"No source lists accommodations for {_join(empty)}{where}, so it has no effect on the results."
        warnings.append(request_warning("seeds", message))
    if jobs and not any(need.job for seed in ranking.seeds for need in seed.needs.values()):
        job = _join([job.card["name"] for job in jobs])
        message = f"No ability that {job} requires is known to be limited here, so the job does not affect the ranking."
        warnings.append(request_warning(OCCUPATION, message))
    return warnings


def explain_related(condition: Mapping[str, Any], related: Mapping[str, Any], broader: str = "") -> str:
    """Return how two conditions are related, and which limitations they share.

    `broader` is the name of the condition under which siblings are.
    """
    name, related_name, relation = condition["name"], related["name"], related.get("relation")
    limitations = [limitation["name"] for limitation in related["shared"]]
    shared = f"can both bring {_join(limitations)}" if limitations else ""
    if relation in ("co_occurring", "sibling"):
        statement = f"both come under {broader}" if relation == "sibling" else _co_occurrence(related["publication"])
        return f"{name} and {related_name} {statement}.{f' They {shared}.' if shared else ''}"
    if relation is None:
        return f"{name} and {related_name} {shared}."
    return f"{related_name} {'is a kind of' if relation == 'narrower' else 'covers'} {name}; they {shared}."


def _co_occurrence(publication: Mapping[str, Any]) -> str:
    year = f" ({publication['as_of'][:4]})" if publication["as_of"] else ""
    return f"often occur together, according to ‘{publication['title']}’{year}"


def related_warnings(
    condition: Mapping[str, Any], kinds: Sequence[str], *, is_any_similar: bool = False
) -> list[JsonObject]:
    """Return why a condition has no related ones.

    `kinds` are the conditions that it covers. `is_any_similar` is whether others share one limitation, which is not
    enough.
    """
    name = condition["name"]
    message = f"No other condition in the graph shares a limitation with {name}."
    if is_any_similar:
        message = f"No other condition in the graph shares two limitations or a main need with {name}."
    if kinds:
        message = f"{name} has no limitations of its own. It covers {_join(kinds)}; request one of these instead."
    return [request_warning("id", message)]
