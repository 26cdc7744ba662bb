"""Errors of `datapackage.json`, and the constraints that it adds."""

import orjson
import pytest

from indexer.content.datapackage_schema import PACKAGE
from tests.support.world_files import FILES, problems


def package(**changes: object) -> bytes:
    return orjson.dumps(orjson.loads(FILES[PACKAGE]) | changes)


def package_with(path: str, **schema: object) -> bytes:
    resources = orjson.loads(FILES[PACKAGE])["resources"]
    for resource in resources:
        if resource["path"] == path:
            resource["schema"] |= schema
    return package(resources=resources)


def foreign_key(field: str, resource: str, target: str) -> dict[str, object]:
    return {"fields": field, "reference": {"resource": resource, "fields": target}}


OLD, NEW = {"name": "old"}, {"name": "new"}
PACKAGES = {
    "not JSON": (b'{"version": "1",\n "resources": [\n}', ":3: invalid JSON: expected value at line 3 column 1"),
    "not UTF-8": (b'{"version": "\xe9"}', ":1: invalid JSON: invalid unicode code point at line 1 column 14"),
    "empty": (b"", ":1: invalid JSON: EOF while parsing a value at line 1 column 0"),
    "a list": (b"[]", ":1: input should be an object"),
    "no version": (package(version=None), ":1: version: input should be a valid string"),
    "no tables": (package(resources=[]), ":1: resources: tuple should have at least 1 item after validation, not 0"),
    "path outside the folder": (
        package(resources=[{"name": "a", "path": "../a.csv", "schema": {"fields": [OLD]}}]),
        ":1: resources.0.path: string should match pattern '^[A-Za-z0-9_-]+\\.csv$'",
    ),
    "duplicate table": (
        package(resources=[{"name": name, "path": "a.csv", "schema": {"fields": [OLD]}} for name in ("a", "b")]),
        ":1: table 'a.csv' is described twice",
    ),
    "duplicate field": (
        package_with("redirects.csv", fields=[OLD, OLD, NEW]),
        ":1: redirects.csv: field 'old' is described twice",
    ),
    "field not described": (
        package_with("redirects.csv", fields=[OLD]),
        ":1: redirects.csv: required field 'new' is not described",
    ),
    "key of an unknown field": (
        package_with("redirects.csv", primaryKey="odl"),
        ":1: redirects.csv: primaryKey names unknown field 'odl'; nearest: 'old'",
    ),
    "reference to an unknown table": (
        package_with("redirects.csv", foreignKeys=[foreign_key("new", "product", "slug")]),
        ":1: redirects.csv: foreignKey names unknown table 'product'; nearest: 'products'",
    ),
    "reference to an unknown field": (
        package_with("redirects.csv", foreignKeys=[foreign_key("new", "products", "slag")]),
        ":1: redirects.csv: foreignKey names unknown field 'slag' of products; nearest: 'slug'",
    ),
    "bad pattern": (
        package_with("redirects.csv", fields=[{"name": "old", "constraints": {"pattern": "("}}, NEW]),
        ":1: resources.29.schema.fields.0.constraints.pattern: input should be a valid regular expression",
    ),
}


@pytest.mark.parametrize(("data", "problem"), PACKAGES.values(), ids=list(PACKAGES))
def test_reports_an_invalid_data_package(data: bytes, problem: str) -> None:
    assert PACKAGE + problem in problems({PACKAGE: data})


def test_reports_nothing_but_a_missing_data_package() -> None:
    tables = {name: data for name, data in FILES.items() if name != PACKAGE}
    assert problems({}, tables) == ["datapackage.json:1: missing file; it describes the tables and their columns"]


def test_applies_the_constraints_of_the_data_package_to_unknown_tables() -> None:
    resources = orjson.loads(FILES[PACKAGE])["resources"]
    fields = [
        {"name": "product", "constraints": {"required": True}},
        {"name": "stars", "type": "integer", "constraints": {"exclusiveMaximum": 6}},
        {"name": "note", "constraints": {"minLength": 3}},
        {"name": "colours", "type": "list", "constraints": {"enum": ["red", "blue"]}},
    ]
    keys = [{"fields": ["product"], "reference": {"resource": "products", "fields": ["slug"]}}]
    resources.append({"name": "tests", "path": "tests.csv", "schema": {"fields": fields, "foreignKeys": keys}})
    table = b"product,stars,note,colours\nhushband,6,no,red|bleu\n,5,,\n"
    assert problems({PACKAGE: package(resources=resources), "tests.csv": table}) == [
        "tests.csv:2: 'colours' is 'bleu'; nearest: 'blue'",
        "tests.csv:2: 'note' has 2 characters; the minimum is 3",
        "tests.csv:2: 'stars' is 6; it must be less than 6",
        "tests.csv:2: unknown product 'hushband'; nearest: 'hushband-headset'",
        "tests.csv:3: 'product' is empty",
    ]
