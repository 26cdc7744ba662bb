"""What `datapackage.json` may say about the tables: Data Package and Table Schema, as far as content uses them. Pure.

Keys that are not named here (titles, descriptions, licences) are for readers and pass unread.
"""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AliasGenerator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, ValidationError
from pydantic.alias_generators import to_camel

from indexer.problems import Nearest, Problem

SEPARATOR = "|"


def _listed(value: object) -> object:
    return [value] if isinstance(value, str) else value


def _texts(value: object) -> object:
    return [str(item) for item in value] if isinstance(value, list) else value


Names = Annotated[tuple[str, ...], BeforeValidator(_listed)]
OneName = Annotated[tuple[str], BeforeValidator(_listed)]
Texts = Annotated[tuple[str, ...], BeforeValidator(_texts)]
FileName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]+\.csv$")]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, alias_generator=AliasGenerator(to_camel), populate_by_name=True)


class Constraints(_Part):
    """What every cell of a column must keep."""

    required: bool = False
    unique: bool = False
    pattern: re.Pattern[str] | None = None
    enum: Texts = ()
    minimum: float | None = None
    maximum: float | None = None
    exclusive_minimum: float | None = None
    exclusive_maximum: float | None = None
    min_length: int = 0
    max_length: int | None = None


class Column(_Part):
    """A field of a table: its name, type and constraints."""

    name: str
    type: Literal["string", "integer", "number", "date", "boolean", "year", "list", "any"] = "string"
    format: str = "default"
    constraints: Constraints = Constraints()


class Reference(_Part):
    """The column that a foreign key points at; an empty resource is the table itself."""

    resource: str = ""
    fields_: OneName = Field(alias="fields")


class ForeignKey(_Part):
    """A column whose every value stands in a column of another table."""

    fields_: OneName = Field(alias="fields")
    reference: Reference


class TableSchema(_Part):
    """The columns of one table."""

    columns: tuple[Column, ...] = Field(alias="fields", min_length=1)
    primary_key: Names = ()
    foreign_keys: tuple[ForeignKey, ...] = ()


class Resource(_Part):
    """One table: a file beside `datapackage.json`."""

    name: str
    path: FileName
    table: TableSchema = Field(alias="schema")

    @property
    def stem(self) -> str:
        """The name by which the program knows the table."""
        return self.path.removesuffix(".csv")


class Package(_Part):
    """All tables, and the version that editors give to them together."""

    version: Annotated[str, StringConstraints(min_length=1)]
    resources: tuple[Resource, ...] = Field(min_length=1)


def read_package(file: str, data: bytes) -> tuple[Package | None, list[Problem]]:
    """Read `datapackage.json`; the package is None when it cannot be used, and then the problems say why."""
    try:
        package = Package.model_validate_json(data)
    except ValidationError as error:
        details = error.errors(include_url=False, include_context=False, include_input=False)
        return None, [_problem(file, ".".join(map(str, detail["loc"])), detail["msg"]) for detail in details]
    problems = [Problem(file, 1, what) for what in (*_twice(package), *_loose_ends(package))]
    return (None if problems else package), problems


def _problem(file: str, place: str, message: str) -> Problem:
    line = re.search(r" at line (\d+)", message)
    what = f"{message[0].lower()}{message[1:]}"
    return Problem(file, max(1, int(line[1])) if line else 1, f"{place}: {what}" if place else what)


def _twice(package: Package) -> list[str]:
    paths = [resource.path for resource in package.resources]
    found = [f"table {path!r} is described twice" for path in dict.fromkeys(paths) if paths.count(path) > 1]
    for resource in package.resources:
        names = [column.name for column in resource.table.columns]
        twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
        found += [f"{resource.path}: field {name!r} is described twice" for name in twice]
    return found


def _loose_ends(package: Package) -> list[str]:
    """Keys that name a table or column that is not described."""
    columns = {resource.name: [column.name for column in resource.table.columns] for resource in package.resources}
    found = []
    for resource in package.resources:
        own = columns[resource.name]
        keys = [("primaryKey", key) for key in resource.table.primary_key]
        keys += [("foreignKey", foreign.fields_[0]) for foreign in resource.table.foreign_keys]
        for kind, key in keys:
            if key not in own:
                found.append(f"{resource.path}: {kind} names unknown field {key!r}{Nearest(own).hint(key)}")
        for foreign in resource.table.foreign_keys:
            (target,), other = foreign.reference.fields_, foreign.reference.resource or resource.name
            if other not in columns:
                found.append(f"{resource.path}: foreignKey names unknown table {other!r}{Nearest(columns).hint(other)}")
            elif target not in columns[other]:
                hint = Nearest(columns[other]).hint(target)
                found.append(f"{resource.path}: foreignKey names unknown field {target!r} of {other}{hint}")
    return found
