"""Builds the graph from the content's rows: weighs edges, merges statements, and adds each edge's inverse.

Weights are in (0, 1]:

* `has_limitation`, `affects`: the share of a condition's listed solutions that are listed under this heading.
* `recommends` from a limitation or function: the share of the condition pages with this heading that list the solution.
* `recommends` from a condition: how much of the condition's needs the solution answers, as `needs.strengths` counts it,
  divided by the value of the condition's best solution.
* `recommends` that is inherited: the mean over the descendants of an entity without lists of its own.
* `implemented_by`: 1 for assistive technology, less for products that were not made for accommodation.
* `requires`: O*NET importance divided by its maximum, 5. `related_occupation`: by O*NET's rank, 1 to 20.
* `limits`: the editors' strength. All other edges: 1.

An occupation whose O*NET code has a detail (15-1299.08) is narrower than the one without (15-1299.00).

Statements about school and testing make `recommends` edges too, with the weight from `needs.School`. Where a solution
is listed for work as well, they add facts to that edge and change neither its weight nor its sources.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from indexer.content.rows import EDITORS, SIGN_KINDS, Alias, BodyPart, Content, CoOccurrence, Entity, GroupingMember
from indexer.content.wordings import Wording
from indexer.graph.composed_texts import with_composed_texts
from indexer.graph.guidance import GuidanceIndex
from indexer.graph.hierarchy import Hierarchy
from indexer.graph.model import REPORTED_TITLE, STATED, Edge, EditorialChoices, Graph, sorted_entities
from indexer.graph.needs import Listings, School, Statement, strengths
from schema.entity_kinds import WORK
from schema.exact_keys import BODY_PART, name_form, sign_key
from schema.json_types import JsonObject
from schema.text import tokens
from schema.vocabulary import Vocabulary
from schema.word_forms import content_bases

MIN_IMPORTANCE = 3.0  # O*NET importance "important"; 16,806 of 46,488 ratings reach it
MAX_IMPORTANCE = 5.0
MAX_RELATED_OCCUPATIONS = 20  # O*NET names up to 20 related occupations
MAX_SIGN_WORDS = 3  # content words of a sign, the most that a query looks up together
TITLE_WITH_ABBREVIATION = re.compile(r"([^()]+) \(([^()]+)\)")
ABBREVIATION = re.compile(r"[A-Z]{2,6}")
MIN_WEIGHT = 0.01  # a stated relation is never weightless
Named = TypeVar("Named", Alias, GroupingMember, Wording)
Strengths = Mapping[str, Mapping[str, float]]  # [condition, limitation or function][solution], from 0 to 1
FAMILY_WEIGHT = {"assistive": 1.0, "ergonomic": 0.8, "protective": 0.7, "mainstream": 0.5}


def build_graph(content: Content, vocabulary: Vocabulary) -> Graph:
    """Merge all tables into one graph in which every edge has its inverse, and every condition a text."""
    return with_composed_texts(_merge_tables(content, vocabulary))


def _merge_tables(content: Content, vocabulary: Vocabulary) -> Graph:
    nodes = {entity.id: entity for entity in content.entities}
    listings = Listings.from_rows(content.recommendations)
    modifications = (node for node, entity in nodes.items() if "modification" in entity.facts.get("kind", ""))
    school = School.from_rows(content.school, modifications)
    hierarchy, editorial = Hierarchy.from_links(content.links), EditorialChoices.from_content(content)
    strength = strengths(listings)
    stated = [*_link_edges(content, nodes, listings, editorial), *_work_edges(content, nodes)]
    with_statements = strength.keys() | {edge.source for edge in stated if edge.name in STATED}
    inherited = _inherited_edges(nodes, listings, strength, hierarchy, with_statements)
    listed = [*_listed_edges(listings, strength), *inherited]
    forward = [*stated, *_with_first_choices(_with_school(listed, school), editorial)]
    return Graph(
        nodes=nodes,
        aliases=_by_entity(_with_title_parts(content.aliases)),
        edges=_both_ends(_merged(forward), vocabulary, nodes),
        sources={source.id: source for source in content.sources},
        redirects=dict(content.redirects),
        listings=listings,
        version=content.version,
        findings={row.entity: row for row in content.findings},
        hierarchy=hierarchy,
        editorial=editorial,
        school=school,
        groupings=_by_entity(content.members),
        grouping_table=content.groupings,
        first_choices=content.first_choices,
        main_needs=content.main_needs,
        body_parts=_places(content.body_parts, lambda kind, word: not is_sign(kind, word)),
        signs=_places(content.body_parts, is_sign),
        body_part_table=content.body_parts,
        wordings=_by_entity(content.wordings),
        co_occurring=_co_occurring(content.co_occurrences, nodes),
        co_occurrence_table=content.co_occurrences,
        guidance=GuidanceIndex.of(content.guidance, hierarchy),
        guides=content.guides,
    )


def _by_entity(rows: Iterable[Named]) -> dict[str, tuple[Named, ...]]:
    """Group rows by their entity."""
    found: defaultdict[str, list[Named]] = defaultdict(list)
    for row in rows:
        found[row.entity].append(row)
    return {entity: tuple(group) for entity, group in found.items()}


def _with_title_parts(aliases: Iterable[Alias]) -> Iterator[Alias]:
    """Yield aliases, and both names in a title with an abbreviation: "Certified Nurse Aide (CNA)".

    An abbreviation that also stands for something else, such as RA, is no name of the job.
    """
    rows = list(aliases)
    known = {(alias.entity, alias.text) for alias in rows}
    others = {alias.text.upper() for alias in rows if alias.kind != REPORTED_TITLE}
    for alias in rows:
        yield alias
        names = TITLE_WITH_ABBREVIATION.fullmatch(alias.text) if alias.kind == REPORTED_TITLE else None
        if names and any(map(ABBREVIATION.fullmatch, names.groups())):
            for name in names.groups():
                if (alias.entity, name) not in known and name not in others:
                    known.add((alias.entity, name))
                    yield alias._replace(text=name)


def is_sign(kind: str, words: str) -> bool:
    """Return whether words are found in any order and form: "checks the locks", but "on edge" as it stands."""
    return kind in SIGN_KINDS and 1 < len(content_bases(tokens(words))) <= MAX_SIGN_WORDS


def body_part_keys(rows: Iterable[BodyPart]) -> list[JsonObject]:
    """Return the keys of what people type for body parts, events and signs, as a release stores them.

    `entities` are what each of them can bring, the most fitting first.
    """
    return [
        {
            "entities": list(row.entities),
            "keys": [
                sign_key(content_bases(tokens(word)))
                if is_sign(row.kind, word)
                else BODY_PART + name_form(tokens(word))
                for word in row.words
            ],
        }
        for row in rows
    ]


def _places(rows: Iterable[BodyPart], has: Callable[[str, str], bool]) -> dict[str, dict[str, int]]:
    """Return the place of each entity in the row of each of its words, of those that it is to have."""
    places: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for row in rows:
        words = [word for word in row.words if has(row.kind, word)]
        for place, entity in enumerate(row.entities):
            places[entity] |= dict.fromkeys(words, place)
    return {entity: found for entity, found in places.items() if found}


def _co_occurring(rows: Iterable[CoOccurrence], nodes: Mapping[str, Entity]) -> dict[str, tuple[CoOccurrence, ...]]:
    """Return the pairs of each condition, from both ends, by name of the other condition."""
    pairs: defaultdict[str, list[CoOccurrence]] = defaultdict(list)
    for row in rows:
        pairs[row.condition].append(row)
        pairs[row.other].append(row._replace(condition=row.other, other=row.condition))
    positions = {entity.id: position for position, entity in enumerate(sorted_entities(nodes.values()))}
    return {node: tuple(sorted(found, key=lambda pair: positions[pair.other])) for node, found in pairs.items()}


def _link_edges(
    content: Content, nodes: Mapping[str, Entity], listings: Listings, editorial: EditorialChoices
) -> Iterator[Edge]:
    """Yield the edges of the link tables."""
    for link in content.links:
        weight = link.weight
        if weight is None and link.edge in STATED and link.basis != "editorial":
            weight = listings.share(link.source, link.target)
        elif weight is None and link.edge == "implemented_by":
            weight = FAMILY_WEIGHT[nodes[link.target].facts["family"]]
        facts: dict[str, Any] = {"reason": link.reason} if link.reason else {}
        if link.edge in STATED and link.target in editorial.main_needs.get(link.source, ()):
            facts["main"] = True
        yield Edge(link.edge, link.source, link.target, _bounded(weight), link.basis, link.sources, facts)


def _inherited_edges(
    nodes: Mapping[str, Entity],
    listings: Listings,
    strength_by_condition: Strengths,
    hierarchy: Hierarchy,
    with_statements: Container[str],
) -> Iterator[Edge]:
    """Yield the edges that broad entities without lists of their own inherit from their descendants.

    Narrower conditions get none: there may be thousands, and their inheritance sources have the edges.
    """
    for node, entity in nodes.items():
        if entity.type == "limitation" and node not in listings.rates:
            descendants, weights = hierarchy.nearest_descendants(node, listings.rates), listings.rates
        elif entity.type == "disability" and node not in with_statements:
            descendants = hierarchy.nearest_descendants(node, strength_by_condition)
            weights = strength_by_condition
        else:
            continue
        yield from _mean_of_descendants(node, descendants, weights, listings)


def _mean_of_descendants(
    node: str, descendants: Sequence[str], weights: Strengths, listings: Listings
) -> Iterator[Edge]:
    for solution in dict.fromkeys(solution for descendant in descendants for solution in weights[descendant]):
        with_solution = tuple(descendant for descendant in descendants if solution in weights[descendant])
        weight = sum(weights[descendant][solution] for descendant in with_solution) / len(descendants)
        sources = dict.fromkeys(
            source for descendant in with_solution for source in listings.sources_of(descendant, solution)
        )
        yield Edge("recommends", node, solution, _bounded(weight), "inherited", tuple(sources), {"via": with_solution})


def _listed_edges(listings: Listings, strength_by_condition: Strengths) -> Iterator[Edge]:
    """Yield the `recommends` edges that sources list for conditions, limitations and functions."""
    for disability, solutions in strength_by_condition.items():
        for solution, strength in solutions.items():
            rows = listings.by_disability[disability][solution]
            headings = tuple(sorted({row.via for row in rows}))
            sourced = {row.via for row in rows if row.sources != EDITORS}
            sources = listings.sources_of(disability, solution)
            facts: dict[str, Any] = {"via": headings}
            if editorial := tuple(heading for heading in headings if heading not in sourced):
                facts["editorial_via"] = editorial
            yield Edge("recommends", disability, solution, _bounded(strength), _listed_basis(sources), sources, facts)
    for via, rates in listings.rates.items():
        for solution, rate in rates.items():
            facts = {"pages": listings.pages[via, solution]}
            sources = listings.sources_of(via, solution)
            yield Edge("recommends", via, solution, _bounded(rate), _listed_basis(sources), sources, facts)


def _listed_basis(sources: tuple[str, ...]) -> str:
    return "editorial" if sources == EDITORS else "source"


def _with_first_choices(listed: Iterable[Edge], editorial: EditorialChoices) -> Iterator[Edge]:
    """Yield the edges again; those that the editors chose first have the fact `first_choice`."""
    by_seed_and_solution = {
        (seed, choice.solution): choice.strength
        for seed, choices in editorial.first_choices_by_seed.items()
        for choice in choices
        if WORK in (choice.settings or (WORK,))
    }
    for edge in listed:
        by_seed = by_seed_and_solution.get((edge.source, edge.target))
        strength = editorial.first_choices_by_need.get((edge.source, edge.target), by_seed)
        yield edge if strength is None else edge._replace(facts={**edge.facts, "first_choice": strength})


def _with_school(listed: Iterable[Edge], school: School) -> Iterator[Edge]:
    """Add the statements for school to the edges for work, or yield edges of their own."""
    seen = set()
    for edge in listed:
        seen.add((edge.source, edge.target))
        statement = school.stated.get(edge.source, {}).get(edge.target)
        yield edge._replace(facts={**edge.facts, **_school_facts(statement)}) if statement else edge
    for entity, solutions in school.stated.items():
        for solution, statement in solutions.items():
            if (entity, solution) not in seen:
                weight = _bounded(statement.weight)
                facts = _school_facts(statement)
                yield Edge("recommends", entity, solution, weight, statement.basis, statement.sources, facts)


def _school_facts(statement: Statement) -> dict[str, Any]:
    facts = {"school_basis": statement.basis, "school_sources": statement.sources, "read_at": statement.read_at}
    return {name: value for name, value in facts.items() if value}


def _work_edges(content: Content, nodes: Mapping[str, Entity]) -> Iterator[Edge]:
    """Yield the edges of occupations: broader occupations, required abilities, related occupations."""
    for node, entity in nodes.items():
        if entity.type == "occupation" and (group := group_of(node)) in nodes:
            yield Edge("broader", node, group, 1.0, "derived", entity.sources)
    for rating in content.ratings:
        if rating.importance >= MIN_IMPORTANCE:
            facts: dict[str, Any] = {"importance": rating.importance, "level": rating.level}
            weight = _bounded(rating.importance / MAX_IMPORTANCE)
            yield Edge("requires", rating.occupation, rating.ability, weight, "source", rating.sources, facts)
    for row in content.related_occupations:
        facts = {"tier": row.tier, "rank": row.rank}
        weight = _bounded((MAX_RELATED_OCCUPATIONS + 1 - row.rank) / MAX_RELATED_OCCUPATIONS)
        yield Edge("related_occupation", row.occupation, row.related, weight, "source", row.sources, facts)


def group_of(occupation: str) -> str:
    """Return the occupation that one details, by its code: 15-1299.00 for 15-1299.08; empty if it details none."""
    head, _, detail = occupation.rpartition(".")
    return f"{head}.00" if detail != "00" else ""


def _bounded(weight: float | None) -> float:
    return 1.0 if weight is None else round(min(1.0, max(MIN_WEIGHT, weight)), 4)


def _merged(edges: Iterable[Edge]) -> Iterable[Edge]:
    """Merge several statements of one relation into its strongest edge, with the sources of all."""
    seen: dict[tuple[str, str, str], Edge] = {}
    for edge in edges:
        key = (edge.name, edge.source, edge.target)
        previous = seen.setdefault(key, edge)
        if previous is not edge:
            best = max(previous, edge, key=lambda candidate: candidate.weight)
            seen[key] = best._replace(sources=tuple(dict.fromkeys(previous.sources + edge.sources)))
    return seen.values()


def _both_ends(
    forward: Iterable[Edge], vocabulary: Vocabulary, nodes: Mapping[str, Entity]
) -> dict[str, dict[str, tuple[Edge, ...]]]:
    """Return all edges and their inverses by node and name, best first."""
    collected: defaultdict[str, defaultdict[str, list[Edge]]] = defaultdict(lambda: defaultdict(list))
    for edge in forward:
        inverse = vocabulary.edges[edge.name].inverse
        collected[edge.source][edge.name].append(edge)
        collected[edge.target][inverse].append(edge._replace(name=inverse, source=edge.target, target=edge.source))
    order = list(vocabulary.edges)
    positions = {entity.id: position for position, entity in enumerate(sorted_entities(nodes.values()))}

    def best_first(edge: Edge) -> tuple[float, int]:
        return -edge.weight, positions[edge.target]

    return {
        node: {name: tuple(sorted(by_name[name], key=best_first)) for name in sorted(by_name, key=order.index)}
        for node, by_name in collected.items()
    }
