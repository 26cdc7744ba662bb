"""Converts an O*NET release to the tables of its import, and merges these into the content.

The tables have the columns of those of the content with the same name, without slugs and sources, which the merge adds.
The import's occupations, ratings, titles and related occupations replace those of the content. Editorial data of an
occupation or ability stays: slug, aliases, the summary of an ability, what limits it. An occupation that the release
neither rates nor relates to another is omitted, as the graph would have no edge for it.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, pstdev

from indexer.content.csv_table import read_table
from indexer.content.problems import fold, slugify
from indexer.content.rows import Alias, Content, Entity, MergedContent, Rating, RelatedOccupation, Source
from indexer.graph.build import group_of
from indexer.onet.reader import OnetRelease, Rows
from schema.text import join_names

RatingsByAbility = Mapping[str, tuple[float, float]]  # (importance, level)


MAX_SLUG_LENGTH = 80
GROUPS = {"1": "cognitive", "2": "psychomotor", "3": "physical", "4": "sensory"}  # by the digit after 1.A.
REPLACED_TYPES = ("occupation", "ability")
LEADING_ABILITIES = 3  # those of the greatest importance
MIN_DISTINCTIVE_IMPORTANCE = 2.5
KIND = "onet"
LICENCE = {"licence": "CC BY 4.0", "licence_url": "https://creativecommons.org/licenses/by/4.0/"}
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "occupations.csv": ("code", "name", "job_zone", "long"),
    "abilities.csv": ("code", "name", "long"),
    "occupation_titles.csv": ("occupation", "title"),
    "occupation_abilities.csv": ("occupation", "ability", "importance", "level"),
    "related_occupations.csv": ("occupation", "related", "tier", "rank"),
}


def merge_onet(content: Content, tables: "OnetTables") -> MergedContent:
    """Replace the O*NET tables of the content by those of the import."""
    source = tables.source["id"]
    ratings = tuple(
        Rating(f"occupation:{code}", f"ability:{ability}", float(importance), float(level), (source,))
        for code, ability, importance, level in tables.ratings
    )
    abilities = tuple(_abilities(content, tables, source))
    occupations = _occupations(content, tables, ratings, {ability.id: ability.name for ability in abilities})
    other_entities = (entity for entity in content.entities if entity.type not in REPLACED_TYPES)
    entities = (*other_entities, *occupations, *abilities)
    names = {entity.id: entity.name for entity in entities}
    merged = replace(
        content,
        entities=entities,
        aliases=tuple(_aliases(content, tables, source, names)),
        ratings=ratings,
        related_occupations=tuple(
            RelatedOccupation(f"occupation:{code}", f"occupation:{related}", tier, int(rank), (source,))
            for code, related, tier, rank in tables.related
        ),
        redirects={old: new for old, new in content.redirects.items() if old not in names and new in names},
    )
    merged = replace(merged, sources=_sources(merged, tables))
    return MergedContent(merged, tuple(_notes(content, merged, tables)))


def _occupations(
    content: Content, tables: "OnetTables", ratings: Iterable[Rating], ability_names: Mapping[str, str]
) -> Iterator[Entity]:
    existing = {entity.id: entity for entity in content.entities if entity.type == "occupation"}
    old_ratings, new_ratings = _ratings_by_occupation(content.ratings), _ratings_by_occupation(ratings)
    importances = {
        code: {ability: importance for ability, (importance, _) in rated.items()} for code, rated in new_ratings.items()
    }
    summaries = OccupationSummaries(importances, ability_names)
    slugs = Counter(entity.slug for entity in existing.values())
    connected = _connected_occupations(tables)
    for code, name, zone, description in tables.occupations:
        key = f"occupation:{code}"
        if key not in connected:
            continue
        entity = existing.get(key) or Entity(key, "occupation", _free_slug(name, code, slugs), name, "", "", "", ())
        # An editor's summary may depend on the old facts, so it stays only if they have not changed.
        old_facts = (entity.facts.get("job_zone", ""), old_ratings.get(key, {}))
        is_unchanged = key in existing and old_facts == (zone, new_ratings.get(key, {}))
        facts = {**entity.facts, "job_zone": zone}
        yield entity._replace(
            name=name,
            short=entity.short if is_unchanged else summaries.summary(key, name, zone),
            long=description,
            sources=(tables.source["id"],),
            facts={fact: value for fact, value in facts.items() if value},
        )


def _connected_occupations(tables: "OnetTables") -> set[str]:
    """Return the occupations that are rated, related to another, a detail of another, or have details."""
    occupations = {f"occupation:{code}" for code, *_ in tables.occupations}
    connected = {f"occupation:{code}" for code, *_ in tables.ratings}
    connected |= {f"occupation:{code}" for row in tables.related for code in row[:2]}
    details = {occupation for occupation in occupations if group_of(occupation) in occupations}
    return occupations & (connected | details | {group_of(occupation) for occupation in details})


def _ratings_by_occupation(ratings: Iterable[Rating]) -> Mapping[str, RatingsByAbility]:
    by_occupation: defaultdict[str, dict[str, tuple[float, float]]] = defaultdict(dict)
    for rating in ratings:
        by_occupation[rating.occupation][rating.ability] = (rating.importance, rating.level)
    return by_occupation


def _abilities(content: Content, tables: "OnetTables", source: str) -> Iterator[Entity]:
    """Yield the abilities of the import, then those that only the content has and its relations may need."""
    existing = {entity.id: entity for entity in content.entities if entity.type == "ability"}
    slugs = Counter(entity.slug for entity in existing.values())
    for code, name, description in tables.abilities:
        ability = existing.pop(f"ability:{code}", None)
        if ability:
            yield ability._replace(name=name, long=description, sources=(source,))
        else:
            short = f"{name}, an ability for which O*NET rates occupations."
            facts = {"group": GROUPS[code[4]]} if code[4] in GROUPS else {}
            slug = _free_slug(name, code, slugs)
            yield Entity(f"ability:{code}", "ability", slug, name, short, description, "", (source,), facts)
    yield from existing.values()


def _free_slug(name: str, code: str, slugs: Counter[str]) -> str:
    slug = slugify(name)[:MAX_SLUG_LENGTH].strip("-") or slugify(code)
    if slugs[slug]:
        suffix = f"-{slugify(code)}"
        slug = f"{slug[: MAX_SLUG_LENGTH - len(suffix)].strip('-')}{suffix}"
    slugs[slug] += 1
    return slug


def _aliases(content: Content, tables: "OnetTables", source: str, names: Mapping[str, str]) -> Iterator[Alias]:
    """Yield the editors' aliases, then the titles of the import, each name of an entity once."""
    editorial = (
        alias for alias in content.aliases if not (alias.kind == "title" and alias.entity.startswith("occupation:"))
    )
    titles = (Alias(f"occupation:{code}", title, "title", (source,)) for code, title in tables.titles)
    seen = {(entity, fold(name)) for entity, name in names.items()}
    for alias in (*editorial, *titles):
        if alias.entity in names and (key := (alias.entity, fold(alias.text))) not in seen:
            seen.add(key)
            yield alias


def _sources(content: Content, tables: "OnetTables") -> tuple[Source, ...]:
    """Return the sources of the content without unused O*NET releases, and that of the import."""
    tables_of_rows = (content.entities, content.aliases, content.links, content.recommendations)
    used = {source for rows in tables_of_rows for row in rows for source in row.sources}
    terms: dict[str, str] = {**LICENCE, **tables.source}  # imports of version 0.1.0 have no licence_url
    imported = Source(**terms, core=True)
    others = (source for source in content.sources if source.id != imported.id)
    return (*(source for source in others if source.id in used or not source.id.startswith("onet-")), imported)


def _notes(content: Content, merged: Content, tables: "OnetTables") -> Iterator[str]:
    old, new = ([entity.id for entity in rows.entities if entity.type == "occupation"] for rows in (content, merged))
    released = [f"occupation:{code}" for code, *_ in tables.occupations]
    yield from _note("occupations without ratings and relations, omitted", released, new)
    yield from _note("occupations that the content does not have, added", new, old)
    yield from _note("occupations of the content that this release does not have, omitted", old, new)
    if lost := [old_id for old_id in content.redirects if old_id not in merged.redirects]:
        yield f"redirects to omitted entities, omitted: {', '.join(lost)}"


def _note(text: str, ids: Iterable[str], known: Iterable[str]) -> Iterator[str]:
    known = set(known)
    if missing := [entity for entity in ids if entity not in known]:
        yield f"{text}: {len(missing)}, such as {missing[0]}"


class OccupationSummaries:
    """`ratings` are importances by occupation and ability, `names` the names of abilities."""

    def __init__(self, ratings: Mapping[str, Mapping[str, float]], names: Mapping[str, str]) -> None:
        values: defaultdict[str, list[float]] = defaultdict(list)
        for rated in ratings.values():
            for ability, importance in rated.items():
                values[ability].append(importance)
        self._ratings, self._names = ratings, names
        self._means = {ability: fmean(importances) for ability, importances in values.items()}
        self._deviations = {ability: pstdev(importances) or 1.0 for ability, importances in values.items()}

    def summary(self, code: str, name: str, zone: str) -> str:
        """Return the summary of an occupation."""
        rated = self._ratings.get(code)
        if not rated:
            return _unrated(name, zone)
        leading = sorted(rated, key=lambda ability: (-rated[ability], ability))[:LEADING_ABILITIES]
        rest = [ability for ability in rated if ability not in leading]
        distinctive = [ability for ability in rest if rated[ability] >= MIN_DISTINCTIVE_IMPORTANCE]
        location = f" in job zone {zone}" if zone else ""
        names = join_names([self._names[ability].lower() for ability in leading])
        text = f"An occupation{location} that relies most on {names}"
        if distinctive:
            top = max(
                distinctive, key=lambda ability: (rated[ability] - self._means[ability]) / self._deviations[ability]
            )
            text += f", and more than most jobs on {self._names[top].lower()}"
        return f"{text}."


def _unrated(name: str, zone: str) -> str:
    if name.endswith("All Other") and not zone:
        return "A group of jobs that O*NET counts together and does not rate for abilities."
    location = f", in job zone {zone}" if zone else ""
    return f"An occupation that O*NET does not rate for abilities{location}."


@dataclass(frozen=True, slots=True)
class OnetTables:
    """The rows of an import, each with the columns of `COLUMNS`."""

    source: Mapping[str, str]
    occupations: Rows
    abilities: Rows
    titles: Rows
    ratings: Rows
    related: Rows


def source_row(release: OnetRelease, retrieved: str) -> dict[str, str]:
    """Return the source row of a release. `retrieved` is the ISO date of the import."""
    return {
        "id": f"onet-{release.number}",
        "title": f"O*NET {release.number} Database",
        "publisher": "U.S. Department of Labor, Employment and Training Administration",
        "url": "https://www.onetcenter.org/database.html",
        **LICENCE,
        "attribution": attribution(release.number),
        "retrieved": retrieved,
    }


def attribution(release: str) -> str:
    """Return the attribution that must be shown with facts of this release."""
    return (
        f"This service includes information from the O*NET {release} Database by the U.S. Department of Labor, "
        "Employment and Training Administration (USDOL/ETA). Used under the CC BY 4.0 license. O*NET® is a trademark "
        "of USDOL/ETA. Accommodation Knowledge Graph has modified all or some of this information. USDOL/ETA has not "
        "approved, endorsed, or tested these modifications."
    )


def to_tables(release: OnetRelease) -> dict[str, tuple[Sequence[str], Rows]]:
    """Return (header, rows) by file name."""
    tables = (release.occupations, release.abilities, release.titles, release.ratings, release.related)
    return {name: (header, rows) for (name, header), rows in zip(COLUMNS.items(), tables, strict=True)}


def from_tables(source: Mapping[str, str], files: Mapping[str, bytes]) -> OnetTables:
    """Parse the bytes of tables that `to_tables` returned."""
    tables = (read_table(name, files[name], columns)[0].rows(*columns) for name, columns in COLUMNS.items())
    return OnetTables(source, *map(tuple, tables))
