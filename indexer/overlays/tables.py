"""The tables of an overlay, their columns, and what the templates say about them.

An overlay has the entity, alias and edge tables of the content, without the columns that are the same in every row of
it: `sources`, which is its own, and `basis`, which is `source`. Three further tables have its source, its changes of
names and texts, and what it hides. Conditions and limitations share `aliases` and `broader`.
"""

from collections.abc import Mapping

from indexer.content.datapackage_schema import Column, Constraints, Package, Resource, TableSchema
from indexer.content.table_specs import ENFORCED_COLUMNS, TABLE_SPECS, TableSpec, with_enforced_constraints
from schema.entity_kinds import ENTITY_TYPES

SOURCE, CHANGES, HIDDEN = "source", "changes", "hidden"
SET_BY_PROGRAM = frozenset(("sources", "basis", "core"))  # columns
CHANGED_FIELDS = ("name", "short", "plain")

# The tables of the content that an overlay may have, and what a row says. Abilities are O*NET's alone.
TABLES: Mapping[str, str] = {
    "solutions": "An accommodation that your organization offers.",
    "products": "A product or device. `family` is assistive, ergonomic, protective or mainstream.",
    "vendors": "A seller, a service, or an office of yours that lends or installs.",
    "disabilities": "A condition.",
    "narrower_conditions": "A kind of a condition. It needs a row in broader.csv.",
    "limitations": "A limitation.",
    "workrelatedfunctions": "A work-related function.",
    "occupations": "A job of your own. Its code has the form of O*NET codes; those that begin with 99 are free.",
    "aliases": "Another name of an entity of the graph or of this folder. People find the entity by it.",
    "solution_products": "A product that implements an accommodation. `reason` completes “because …”.",
    "product_vendors": "A vendor that sells or lends a product.",
    "recommendations": "An accommodation for a condition; `via` is the limitation or function that it helps with.",
    "school_recommendations": "An accommodation at school for a condition or limitation. `page` may state it.",
    "disability_limitations": "A limitation that a condition can bring.",
    "disability_functions": "A work-related function that a condition can affect.",
    "broader": "A condition or limitation, and a broader one.",
    "limitation_abilities": "An ability that a limitation reduces. `strength` is from 0.25 to 1.",
    "occupation_abilities": "How important an ability is for a job (1 to 5), and at which level (0 to 7).",
    "related_occupations": "Two similar jobs. `tier` is primary-short, primary-long or supplemental; rank 1 is first.",
}
OWN_TABLES: Mapping[str, str] = {
    SOURCE: "Who states all this: exactly one row. Every row of the other tables carries this source.",
    CHANGES: "Another name, summary (`short`) or text (`plain`) of an entity of the graph. Empty cells change nothing.",
    HIDDEN: "An entity of the graph to leave out, with its edges. `narrower`: true leaves out its narrower conditions.",
}
ID = Column(name="id", constraints=Constraints(required=True, unique=True))
OWN_COLUMNS = {
    CHANGES: (ID, Column(name="name"), ENFORCED_COLUMNS["short"], Column(name="plain")),
    HIDDEN: (ID, Column(name="narrower", type="boolean"), Column(name="reason")),
}
SPECS: Mapping[str, TableSpec] = {
    **{stem: TABLE_SPECS[stem] for stem in TABLES},
    SOURCE: TABLE_SPECS["sources"],
    CHANGES: TableSpec("change", ("id",), references={"id": ENTITY_TYPES}),
    HIDDEN: TableSpec("row", ("id",), references={"id": ENTITY_TYPES}),
}


def overlay_package(package: Package) -> Package:
    """Return the tables of an overlay on content that `package` describes, in the order of the templates."""
    described = {resource.stem: resource for resource in package.resources}
    resources = [_own_table(stem, described) for stem in OWN_TABLES]
    resources += [_without_set_columns(described[stem]) for stem in TABLES if stem in described]
    return package.model_copy(update={"resources": tuple(resources)})


def required_columns(resource: Resource) -> list[str]:
    """Return the columns without which a table has no meaning."""
    spec = SPECS[resource.stem]
    return [column.name for column in resource.table.columns if is_required(column, spec)]


def is_required(column: Column, spec: TableSpec) -> bool:
    """Return whether every row has a value in this column."""
    return column.constraints.required or column.name in spec.required


def _own_table(stem: str, described: Mapping[str, Resource]) -> Resource:
    if stem == SOURCE:
        columns = _columns(described["sources"])
        schema = TableSchema(columns=tuple(with_enforced_constraints(column, SPECS[SOURCE]) for column in columns))
    else:
        schema = TableSchema(columns=OWN_COLUMNS[stem])
    return Resource(name=stem, path=f"{stem}.csv", table=schema)


def _without_set_columns(resource: Resource) -> Resource:
    schema = TableSchema(columns=_columns(resource), primary_key=resource.table.primary_key)
    return resource.model_copy(update={"table": schema})  # without foreign keys: those of the tables cover them


def _columns(resource: Resource) -> tuple[Column, ...]:
    return tuple(column for column in resource.table.columns if column.name not in SET_BY_PROGRAM)
