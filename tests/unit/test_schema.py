"""What `datapackage.json` may say, how its own faults are told, and that its limits hold."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import orjson
import pytest

from indexer.checks import PACKAGE, examine
from indexer.shapes import LINKS, NARROWER, SHAPES, key_column
from indexer.vocabulary import read_vocabulary

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT = Path(__file__).parents[2]
VOCABULARY = read_vocabulary(ROOT / "mappings")
WORLD = {path.name: path.read_bytes() for path in sorted((ROOT / "tests" / "data" / "world").iterdir())}


def told(files: Mapping[str, bytes]) -> list[str]:
    return [str(problem).removeprefix("world/") for problem in sorted(examine("world", files, VOCABULARY).problems)]


def package(**changes: object) -> bytes:
    return orjson.dumps(orjson.loads(WORLD[PACKAGE]) | changes)


def described_with(path: str, **schema: object) -> bytes:
    resources = orjson.loads(WORLD[PACKAGE])["resources"]
    for resource in resources:
        if resource["path"] == path:
            resource["schema"] |= schema
    return package(resources=resources)


OLD, NEW = {"name": "old"}, {"name": "new"}
PACKAGES = {
    "no JSON": (b'{"version": "1",\n "resources": [\n}', ":3: invalid JSON: expected value at line 3 column 1"),
    "not UTF-8": (b'{"version": "\xe9"}', ":1: invalid JSON: invalid unicode code point at line 1 column 14"),
    "empty": (b"", ":1: invalid JSON: EOF while parsing a value at line 1 column 0"),
    "a list": (b"[]", ":1: input should be an object"),
    "no version": (package(version=None), ":1: version: input should be a valid string"),
    "no tables": (package(resources=[]), ":1: resources: tuple should have at least 1 item after validation, not 0"),
    "path outside": (
        package(resources=[{"name": "a", "path": "../a.csv", "schema": {"fields": [OLD]}}]),
        ":1: resources.0.path: string should match pattern '^[A-Za-z0-9_-]+\\.csv$'",
    ),
    "table twice": (
        package(resources=[{"name": name, "path": "a.csv", "schema": {"fields": [OLD]}} for name in ("a", "b")]),
        ":1: table 'a.csv' is described twice",
    ),
    "field twice": (
        described_with("redirects.csv", fields=[OLD, OLD, NEW]),
        ":1: redirects.csv: field 'old' is described twice",
    ),
    "field not described": (
        described_with("redirects.csv", fields=[OLD]),
        ":1: redirects.csv: field 'new' is not described, and the program needs it",
    ),
    "key of no field": (
        described_with("redirects.csv", primaryKey="odl"),
        ":1: redirects.csv: primaryKey names unknown field 'odl'; nearest: 'old'",
    ),
    "reference to no table": (
        described_with(
            "redirects.csv", foreignKeys=[{"fields": "new", "reference": {"resource": "product", "fields": "slug"}}]
        ),
        ":1: redirects.csv: foreignKey names unknown table 'product'; nearest: 'products'",
    ),
    "reference to no field": (
        described_with(
            "redirects.csv", foreignKeys=[{"fields": "new", "reference": {"resource": "products", "fields": "slag"}}]
        ),
        ":1: redirects.csv: foreignKey names unknown field 'slag' of products; nearest: 'slug'",
    ),
    "bad pattern": (
        described_with("redirects.csv", fields=[{"name": "old", "constraints": {"pattern": "("}}, NEW]),
        ":1: resources.29.schema.fields.0.constraints.pattern: input should be a valid regular expression",
    ),
}


@pytest.mark.parametrize(("data", "problem"), PACKAGES.values(), ids=list(PACKAGES))
def test_a_bad_data_package_is_told_and_not_raised(data: bytes, problem: str) -> None:
    assert PACKAGE + problem in told(WORLD | {PACKAGE: data})


def test_without_a_data_package_that_alone_is_told() -> None:
    world = {name: data for name, data in WORLD.items() if name != PACKAGE}
    assert told(world) == ["datapackage.json:1: missing; it says which tables and columns there are"]


def test_the_limits_of_the_data_package_hold_for_tables_that_the_program_does_not_know() -> None:
    resources = orjson.loads(WORLD[PACKAGE])["resources"]
    fields = [
        {"name": "product", "constraints": {"required": True}},
        {"name": "stars", "type": "integer", "constraints": {"exclusiveMaximum": 6}},
        {"name": "note", "constraints": {"minLength": 3}},
        {"name": "colours", "type": "list", "constraints": {"enum": ["red", "blue"]}},
    ]
    keys = [{"fields": ["product"], "reference": {"resource": "products", "fields": ["slug"]}}]
    resources.append({"name": "tests", "path": "tests.csv", "schema": {"fields": fields, "foreignKeys": keys}})
    table = b"product,stars,note,colours\nhushband,6,no,red|bleu\n,5,,\n"
    assert told(WORLD | {PACKAGE: package(resources=resources), "tests.csv": table}) == [
        "tests.csv:2: 'colours' is 'bleu'; nearest: 'blue'",
        "tests.csv:2: 'note' has 2 characters; at least 3",
        "tests.csv:2: 'stars' is 6; less than 6",
        "tests.csv:2: unknown product 'hushband'; nearest: 'hushband-headset'",
        "tests.csv:3: 'product' is empty",
    ]


def test_tables_of_the_program_are_those_of_the_vocabulary() -> None:
    types = orjson.loads((ROOT / "mappings" / "vocabulary.json").read_bytes())["types"]
    assert {row["table"]: (row["name"], row["key"]) for row in types} == {
        stem: (shape.type, key_column(shape.type))
        for stem, shape in SHAPES.items()
        if shape.type and shape.kind != NARROWER
    }
    for stem, (edge, source, target) in LINKS.items():
        sources, targets = SHAPES[stem].refers[source], SHAPES[stem].refers[target]
        unstated = {"broader": "occupation", "condition_broader": "limitation occupation"}.get(stem, "").split()
        pairs = [pair for pair in VOCABULARY.edges[edge].pairs if pair[0] not in unstated]
        assert {pair[0] for pair in pairs} == set(sources)
        assert {pair[1] for pair in pairs} == set(targets)
