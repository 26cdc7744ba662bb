"""Write a small world as the tables of a content folder."""

import csv
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from indexer.content.rows import Content, Entity
from indexer.content.table_specs import LINK_TABLES, TABLE_SPECS
from indexer.imports.export_tables import TABLE_OF_TYPE
from schema.entity_kinds import NARROWER
from tests.support.fixture_graphs import CHECKOUT

Row = dict[str, Any]
BARE = {"disability", "solution", "occupation", "ability", "related"}  # columns of entities of one type
SHIPPED = CHECKOUT / "content" / "datapackage.json"
ENDS = {"has_limitation": "disability_limitations", "affects": "disability_functions", "broader": "condition_broader"}
TABLES = {**{edge: stem for stem, (edge, _, _) in reversed(LINK_TABLES.items())}, **ENDS}


def write_tables(content: Content, folder: Path) -> None:
    """Write every table of the shipped data package; tables without rows are empty."""
    folder.mkdir(parents=True)
    package = orjson.loads(SHIPPED.read_bytes())
    rows: defaultdict[str, list[Row]] = defaultdict(list)
    for stem, row in _rows(content):
        rows[stem].append(row)
    for resource in package["resources"]:
        columns = [one["name"] for one in resource["schema"]["fields"]]
        with (folder / resource["path"]).open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, columns, restval="", extrasaction="ignore", lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows[resource["path"].removesuffix(".csv")])
    (folder / "datapackage.json").write_bytes(orjson.dumps(package, option=orjson.OPT_INDENT_2))


def _rows(content: Content) -> Iterator[tuple[str, Row]]:
    for one in content.sources:
        yield "sources", {name: getattr(one, name) for name in one.__slots__} | {"core": str(one.core).lower()}
    for entity in content.entities:
        yield _entity(entity)
    for alias in content.aliases:
        if alias.entity.startswith("occupation:"):
            yield "occupation_titles", {**_row(alias), "occupation": _key_of(alias.entity), "title": alias.text}
        else:
            yield "aliases", _row(alias)
    for link in content.links:
        stem = TABLES[link.edge]
        _, source, target = LINK_TABLES[stem]
        ends = {source: _key(stem, source, link.source), target: _key(stem, target, link.target)}
        yield stem, {**_row(link), **ends, "strength": "" if link.weight is None else link.weight}
    for stem, rows in (
        ("recommendations", content.recommendations),
        ("occupation_abilities", content.ratings),
        ("related_occupations", content.related_occupations),
    ):
        for row in rows:
            yield stem, _row(row)


def _row(row: NamedTuple) -> Row:
    """Return the columns of a row; columns of a single entity type hold the key without the type."""
    fields: Row = {name: _key_of(value) if name in BARE else value for name, value in row._asdict().items()}
    return {**fields, "sources": _joined(fields["sources"])}


def _entity(entity: Entity) -> tuple[str, Row]:
    narrower = entity.facts.get("kind") == NARROWER and entity.type == "disability"
    stem = "narrower_conditions" if narrower else TABLE_OF_TYPE[entity.type]
    facts = {
        name: value for name, value in entity.facts.items() if not (entity.type == "disability" and name == "kind")
    }
    key = {"code": _key_of(entity.id)} if entity.type in ("occupation", "ability") else {}
    common = {"slug": entity.slug, "name": entity.name, "short": entity.short, "sources": _joined(entity.sources)}
    plain = {"plain": entity.plain} if entity.plain else {}
    return stem, {**key, **common, **plain, **facts}


def _key(stem: str, column: str, node: str) -> str:
    """Return the key for a column of one entity type, the id for a column of several types."""
    return _key_of(node) if len(TABLE_SPECS[stem].references[column]) == 1 else node


def _key_of(node: str) -> str:
    return node.partition(":")[2]


def _joined(sources: tuple[str, ...]) -> str:
    return "|".join(sources)
