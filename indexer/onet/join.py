"""Content and an O*NET import become one content. Pure.

The import's occupations, ratings, titles and related occupations take the place of the content's. What editors gave an
occupation or ability stays: slug, other names, the sentence about an ability, what limits it. An occupation that the
release neither rates nor relates to another stays out: nothing could be said of it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from indexer.graph import group_of
from indexer.onet.wording import wording
from indexer.problems import slugified
from indexer.rows import Alias, Entity, Joined, Rating, RelatedOccupation, Source

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from indexer.onet.tables import OnetTables
    from indexer.rows import Content

LONGEST_SLUG = 80
GROUPS = {"1": "cognitive", "2": "psychomotor", "3": "physical", "4": "sensory"}  # by the digit after 1.A.
Facts = tuple[str, Mapping[str, tuple[float, float]]]  # job zone, and (importance, level) by ability


def join(content: Content, tables: OnetTables) -> Joined:
    """Put the import in place of the content's O*NET tables."""
    source = tables.source["id"]
    old = {entity.id: entity for entity in content.entities}
    ratings = tuple(
        Rating(f"occupation:{code}", f"ability:{ability}", float(importance), float(level), (source,))
        for code, ability, importance, level in tables.ratings
    )
    abilities = tuple(_abilities(content, tables, source))
    occupations = tuple(_occupations(content, tables, ratings, {one.id: one.name for one in abilities}))
    entities = _in_place(content.entities, {"occupation": occupations, "ability": abilities})
    names = {entity.id: entity.name for entity in entities}
    aliases = tuple(_aliases(content, tables, source, names))
    redirects = {one: heir for one, heir in content.redirects.items() if one not in names and heir in names}
    made = replace(
        content,
        entities=entities,
        aliases=aliases,
        ratings=ratings,
        related_occupations=tuple(
            RelatedOccupation(f"occupation:{code}", f"occupation:{other}", tier, int(rank), (source,))
            for code, other, tier, rank in tables.related
        ),
        redirects=redirects,
    )
    return Joined(replace(made, sources=_sources(made, tables)), tuple(_notes(content, tables, old, names, redirects)))


def _in_place(entities: Iterable[Entity], by_type: Mapping[str, tuple[Entity, ...]]) -> tuple[Entity, ...]:
    kept = [entity for entity in entities if entity.type not in by_type]
    return (*kept, *(entity for found in by_type.values() for entity in found))


def _occupations(
    content: Content, tables: OnetTables, ratings: Iterable[Rating], names: Mapping[str, str]
) -> Iterator[Entity]:
    old = {entity.id: entity for entity in content.entities if entity.type == "occupation"}
    before, after = _rated(content.ratings), _rated(ratings)
    sentence = wording({code: {one: pair[0] for one, pair in rated.items()} for code, rated in after.items()}, names)
    taken = Counter(entity.slug for entity in old.values())
    told_of = _told_of(tables)
    for code, name, zone, description in tables.occupations:
        key = f"occupation:{code}"
        if key not in told_of:
            continue
        known = old.get(key)
        facts: Facts = (zone, after.get(key, {}))
        # An editor's sentence may rest on the old facts, so it stays only where they have not changed.
        same = known is not None and (known.facts.get("job_zone", ""), before.get(key, {})) == facts
        short = known.short if known and same else sentence(key, name, zone)
        mine = known or Entity(key, "occupation", _free_slug(name, code, taken), name, short, "", "", ())
        told = {**mine.facts, "job_zone": zone}
        yield mine._replace(
            name=name,
            short=short,
            long=description,
            sources=(tables.source["id"],),
            facts={fact: value for fact, value in told.items() if value},
        )


def _told_of(tables: OnetTables) -> set[str]:
    """The occupations that are rated, related to another, a detail of another, or have details."""
    known = {f"occupation:{code}" for code, _, _, _ in tables.occupations}
    found = {f"occupation:{code}" for code, _, _, _ in tables.ratings}
    found |= {f"occupation:{code}" for row in tables.related for code in row[:2]}
    details = {node for node in known if group_of(node) in known}
    return known & (found | details | {group_of(node) for node in details})


def _rated(ratings: Iterable[Rating]) -> Mapping[str, Mapping[str, tuple[float, float]]]:
    found: defaultdict[str, dict[str, tuple[float, float]]] = defaultdict(dict)
    for rating in ratings:
        found[rating.occupation][rating.ability] = (rating.importance, rating.level)
    return found


def _abilities(content: Content, tables: OnetTables, source: str) -> Iterator[Entity]:
    """Those of the import, then those that only the content has: its own relations may rest on them."""
    old = {entity.id: entity for entity in content.entities if entity.type == "ability"}
    taken = Counter(entity.slug for entity in old.values())
    for code, name, description in tables.abilities:
        known = old.pop(f"ability:{code}", None)
        if known:
            yield known._replace(name=name, long=description, sources=(source,))
        else:
            short = f"{name}, an ability for which O*NET rates occupations."
            facts = {"group": GROUPS[code[4]]} if code[4] in GROUPS else {}
            slug = _free_slug(name, code, taken)
            yield Entity(f"ability:{code}", "ability", slug, name, short, description, "", (source,), facts)
    yield from old.values()


def _free_slug(name: str, code: str, taken: Counter[str]) -> str:
    slug = slugified(name)[:LONGEST_SLUG].strip("-") or slugified(code)
    if taken[slug]:
        end = f"-{slugified(code)}"
        slug = f"{slug[: LONGEST_SLUG - len(end)].strip('-')}{end}"
    taken[slug] += 1
    return slug


def _aliases(content: Content, tables: OnetTables, source: str, names: Mapping[str, str]) -> Iterator[Alias]:
    """Editors' other names first, then the import's titles that add a name."""
    seen = {(node, _folded(name)) for node, name in names.items()}
    for alias in content.aliases:
        if alias.entity not in names or (alias.kind == "title" and alias.entity.startswith("occupation:")):
            continue
        if (key := (alias.entity, _folded(alias.text))) not in seen:
            seen.add(key)
            yield alias
    for code, title in tables.titles:
        if (key := (f"occupation:{code}", _folded(title))) not in seen:
            seen.add(key)
            yield Alias(f"occupation:{code}", title, "title", (source,))


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _sources(content: Content, tables: OnetTables) -> tuple[Source, ...]:
    """The content's sources on which something still rests, and that of the import."""
    used = {source for entity in content.entities for source in entity.sources}
    used |= {source for alias in content.aliases for source in alias.sources}
    used |= {source for link in content.links for source in link.sources}
    used |= {source for row in content.recommendations for source in row.sources}
    mine = Source(**tables.source)
    kept = [one for one in content.sources if one.id != mine.id and (one.id in used or not one.id.startswith("onet-"))]
    return (*kept, mine)


def _notes(
    content: Content,
    tables: OnetTables,
    old: Mapping[str, Entity],
    names: Mapping[str, str],
    redirects: Mapping[str, str],
) -> Iterator[str]:
    jobs = [node for node in old if node.startswith("occupation:")]
    new = [node for node in names if node.startswith("occupation:") and node not in old]
    gone = [node for node in jobs if node not in names]
    if silent := [code for code, *_ in tables.occupations if f"occupation:{code}" not in names]:
        yield f"occupations of which the release says nothing, left out: {len(silent)}, such as occupation:{silent[0]}"
    if new:
        yield f"occupations that the content does not have: {len(new)}, such as {new[0]}"
    if gone:
        yield f"occupations of the content that this release does not have, left out: {len(gone)}, such as {gone[0]}"
    if lost := [one for one in content.redirects if one not in redirects]:
        yield f"redirects that no longer lead anywhere, left out: {', '.join(lost)}"
