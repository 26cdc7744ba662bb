"""Models of `datapackage.json`: the parts of Data Package and Table Schema that the content uses.

Keys that are not named here (titles, descriptions, licences) are for readers and ignored.
"""

import re
from typing import Annotated, Literal

from pydantic import AliasGenerator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, ValidationError
from pydantic.alias_generators import to_camel

from indexer.content.problems import NearestMatch, Problem

PACKAGE, ATTRIBUTIONS = "datapackage.json", "attributions.txt"
SEPARATOR = "|"


def _as_list(value: object) -> object:
    return [value] if isinstance(value, str) else value


def _as_texts(value: object) -> object:
    return [str(item) for item in value] if isinstance(value, list) else value


Names = Annotated[tuple[str, ...], BeforeValidator(_as_list)]
SingleName = Annotated[tuple[str], BeforeValidator(_as_list)]
Texts = Annotated[tuple[str, ...], BeforeValidator(_as_texts)]
FileName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]+\.csv$")]


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, alias_generator=AliasGenerator(to_camel), populate_by_name=True)


class Constraints(_Model):
    """Constraints on every cell of a column."""

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


class Column(_Model):
    """A field of a table: its name, type and constraints."""

    name: str
    type: Literal["string", "integer", "number", "date", "boolean", "year", "list", "any"] = "string"
    format: str = "default"
    constraints: Constraints = Constraints()


class Reference(_Model):
    """The column that a foreign key refers to; an empty resource is the table itself."""

    resource: str = ""
    fields_: SingleName = Field(alias="fields")


class ForeignKey(_Model):
    """A column whose every value must be in a column of another table."""

    fields_: SingleName = Field(alias="fields")
    reference: Reference


class TableSchema(_Model):
    """The columns of one table."""

    columns: tuple[Column, ...] = Field(alias="fields", min_length=1)
    primary_key: Names = ()
    foreign_keys: tuple[ForeignKey, ...] = ()


class Resource(_Model):
    """One table: a file beside `datapackage.json`."""

    name: str
    path: FileName
    table: TableSchema = Field(alias="schema")

    @property
    def stem(self) -> str:
        """The file name without `.csv`, by which the program knows the table."""
        return self.path.removesuffix(".csv")


class Package(_Model):
    """All tables, and the version that the editors give them."""

    version: Annotated[str, StringConstraints(min_length=1)]
    resources: tuple[Resource, ...] = Field(min_length=1)


def parse_package(file: str, data: bytes) -> tuple[Package | None, list[Problem]]:
    """Parse `datapackage.json`; if it is invalid, the package is None and the problems say why."""
    try:
        package = Package.model_validate_json(data)
    except ValidationError as error:
        details = error.errors(include_url=False, include_context=False, include_input=False)
        return None, [_problem(file, ".".join(map(str, detail["loc"])), detail["msg"]) for detail in details]
    problems = [Problem(file, 1, message) for message in (*_duplicates(package), *_dangling_keys(package))]
    return (None if problems else package), problems


def _problem(file: str, location: str, error: str) -> Problem:
    line = re.search(r" at line (\d+)", error)
    message = f"{error[0].lower()}{error[1:]}"
    return Problem(file, max(1, int(line[1])) if line else 1, f"{location}: {message}" if location else message)


def _duplicates(package: Package) -> list[str]:
    paths = [resource.path for resource in package.resources]
    messages = [f"table {path!r} is described twice" for path in dict.fromkeys(paths) if paths.count(path) > 1]
    for resource in package.resources:
        names = [column.name for column in resource.table.columns]
        repeated = [name for name in dict.fromkeys(names) if names.count(name) > 1]
        messages += [f"{resource.path}: field {name!r} is described twice" for name in repeated]
    return messages


def _dangling_keys(package: Package) -> list[str]:
    """Return a message for each key that names a table or field that is not described."""
    fields = {resource.name: [column.name for column in resource.table.columns] for resource in package.resources}
    messages = []
    for resource in package.resources:
        own_fields = fields[resource.name]
        keys = [("primaryKey", key) for key in resource.table.primary_key]
        keys += [("foreignKey", foreign.fields_[0]) for foreign in resource.table.foreign_keys]
        for kind, key in keys:
            if key not in own_fields:
                hint = NearestMatch(own_fields).hint(key)
                messages.append(f"{resource.path}: {kind} names unknown field {key!r}{hint}")
        for foreign in resource.table.foreign_keys:
            (field,), table = foreign.reference.fields_, foreign.reference.resource or resource.name
            if table not in fields:
                hint = NearestMatch(fields).hint(table)
                messages.append(f"{resource.path}: foreignKey names unknown table {table!r}{hint}")
            elif field not in fields[table]:
                hint = NearestMatch(fields[table]).hint(field)
                messages.append(f"{resource.path}: foreignKey names unknown field {field!r} of {table}{hint}")
    return messages
