"""Removes entities from the content, with every row that mentions one."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import NamedTuple, TypeVar

from indexer.content.guidance_rows import Caution, Guidance
from indexer.content.rows import BodyPart, Content
from schema.entity_kinds import CONDITION, JOBS, NARROWER

Row = TypeVar("Row", bound=NamedTuple)


def without_entities(content: Content, hidden: AbstractSet[str]) -> Content:
    """Return the content without these entities, and without the rows that mention one of them."""
    if not hidden:
        return content

    def rest(rows: Iterable[Row], *columns: str) -> tuple[Row, ...]:
        return tuple(row for row in rows if not any(getattr(row, column) in hidden for column in columns))

    guides = content.guides
    return replace(
        content,
        entities=rest(content.entities, "id"),
        aliases=rest(content.aliases, "entity"),
        links=rest(content.links, "source", "target"),
        recommendations=rest(content.recommendations, "disability", "via", "solution"),
        ratings=rest(content.ratings, "occupation", "ability"),
        related_occupations=rest(content.related_occupations, "occupation", "related"),
        redirects={old: new for old, new in content.redirects.items() if new not in hidden},
        school=rest(content.school, "entity", "solution"),
        members=rest(content.members, "entity"),
        findings=rest(content.findings, "entity"),
        main_needs=rest(content.main_needs, "disability", "need"),
        first_choices=rest(content.first_choices, "need", "solution"),
        made_for=rest(content.made_for, "solution", "audience"),
        body_parts=tuple(_body_parts(content.body_parts, hidden)),
        wordings=rest(content.wordings, "entity"),
        co_occurrences=rest(content.co_occurrences, "condition", "other"),
        guidance=_guidance(content.guidance, hidden),
        guides=replace(guides, entities=rest(guides.entities, "entity")),
    )


def _body_parts(rows: Iterable[BodyPart], hidden: AbstractSet[str]) -> Iterator[BodyPart]:
    for row in rows:
        if entities := _others(row.entities, hidden):
            yield row._replace(entities=entities)


def _guidance(guidance: Guidance, hidden: AbstractSet[str]) -> Guidance:
    return Guidance(
        need_sides=tuple(row for row in guidance.need_sides if row.need not in hidden),
        solution_sides=tuple(row for row in guidance.solution_sides if hidden.isdisjoint((row.solution, row.need))),
        condition_sides=tuple(row for row in guidance.condition_sides if hidden.isdisjoint((row.disability, row.need))),
        exclusions=tuple(
            row._replace(concerns=concerns)
            for row in guidance.exclusions
            if row.solution not in hidden and (concerns := _others(row.concerns, hidden))
        ),
        cautions=tuple(_cautions(guidance.cautions, hidden)),
        job_rules=tuple(
            row._replace(concerns=concerns) for row in guidance.job_rules if (concerns := _others(row.concerns, hidden))
        ),
    )


def _cautions(rows: Iterable[Caution], hidden: AbstractSet[str]) -> Iterator[Caution]:
    """Yield the cautions for what is left; one for conditions in some jobs never becomes one for all in these jobs."""
    for row in rows:
        concerns = _others(row.concerns, hidden)
        is_wider = any(map(_is_job, concerns)) and all(map(_is_job, concerns)) != all(map(_is_job, row.concerns))
        if row.solution not in hidden and concerns and not is_wider:
            yield row._replace(concerns=concerns)


def _is_job(concerned: str) -> bool:
    return concerned.startswith(JOBS)


def _others(ids: Sequence[str], hidden: AbstractSet[str]) -> tuple[str, ...]:
    return tuple(id_ for id_ in ids if id_ not in hidden)


def narrower_of(content: Content) -> dict[str, list[str]]:
    """Return the conditions directly below each condition."""
    below: defaultdict[str, list[str]] = defaultdict(list)
    for link in content.links:
        if link.edge == "broader":
            below[link.target].append(link.source)
    return below


def descendants(below: dict[str, list[str]], ids: Iterable[str]) -> set[str]:
    """Return these conditions and all that are below them."""
    reached, level = set(ids), list(ids)
    while level:
        level = [entity for broader in level for entity in below.get(broader, ()) if entity not in reached]
        reached.update(level)
    return reached


def orphans(content: Content) -> list[str]:
    """Return the narrower conditions below no main condition: they would inherit nothing."""
    conditions = [entity for entity in content.entities if entity.type == CONDITION]
    narrower = [entity.id for entity in conditions if entity.facts.get("kind") == NARROWER]
    main = {entity.id for entity in conditions} - set(narrower)
    reached = descendants(narrower_of(content), main)
    return [entity for entity in narrower if entity not in reached]
