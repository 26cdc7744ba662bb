"""Required columns, references and minimum constraints of each table.

`datapackage.json` may add constraints and override those here, but it cannot drop them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from indexer.content.csv_table import Table
from indexer.content.datapackage_schema import Column, Constraints
from schema.entity_kinds import (
    BASES,
    COURSES,
    ENTITY_TYPES,
    MAIN,
    NARROWER,
    NEED_TYPES,
    OCCURS,
    PRODUCT_FAMILIES,
    SETTINGS,
    SEVERITIES,
)
from schema.market_rules import MARKET_RULES, MARKET_STATUSES, MARKET_TYPES

SLUG = r"[a-z0-9]+(-[a-z0-9]+)*"
# Columns that every entity table may have; all others are facts of its type.
ENTITY_COLUMNS = ("slug", "name", "short", "plain", "long", "url", "sources")  # only imports bring `long`
SETTING = f"({'|'.join(SETTINGS)})"
UNKNOWN_DATE = "unknown"  # of a publication
KEY_COLUMNS = {"occupation": "code", "ability": "code"}
# The types that a column may name, unless it has the name of its only type.
REFERENCE_TYPES: Mapping[str, tuple[str, ...]] = {
    "function": ("workrelatedfunction",),
    "related": ("occupation",),
    "via": NEED_TYPES,
    "need": NEED_TYPES,
    "entity": ("disability", "limitation"),
    "broader": ("disability", "limitation"),
}


@dataclass(frozen=True, slots=True)
class TableSpec:
    """One table. `required` columns must exist and never be empty.

    `references` maps a column to the entity types it may name. A column of one type holds that type's bare key,
    a column of several holds `type:key`. `list_references` are columns of several ids in one cell, always `type:key`.
    `kind` is a fact of all entities of the table, if a type has two tables.
    """

    noun: str
    required: tuple[str, ...]
    type: str = ""
    references: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    list_references: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    optional: bool = False
    kind: str = ""

    @property
    def key(self) -> tuple[str, ...]:
        """The unique columns if the data package names no primary key."""
        return (key_column(self.type),) if self.type else tuple(self.references) or self.required[:1]

    def full_ids(self, table: Table, column: str) -> Sequence[str]:
        """Return the cells of a column, references as full ids; empty cells stay empty."""
        types, cells = self.references.get(column, ()), table.column(column)
        return [f"{types[0]}:{cell}" if cell else "" for cell in cells] if len(types) == 1 else cells


def key_column(type_name: str) -> str:
    """Return the column that holds the key in the ids of this type."""
    return KEY_COLUMNS.get(type_name, "slug")


def _entity_table(type_name: str, *columns: str, kind: str = "", optional: bool = False) -> TableSpec:
    required = tuple(dict.fromkeys((key_column(type_name), "slug", "name", *columns, "sources")))
    return TableSpec(type_name, required, type_name, kind=kind, optional=optional)


def _relation_table(
    noun: str, ends: Sequence[str], *columns: str, optional: bool = False, **types: tuple[str, ...]
) -> TableSpec:
    """Return a table that relates entities; `types` has those of its columns that differ from REFERENCE_TYPES."""
    references = {end: types.get(end) or REFERENCE_TYPES.get(end, (end,)) for end in ends}
    return TableSpec(noun, (*references, *columns, "sources"), references=references, optional=optional)


WORDED_TYPES = ("disability", *NEED_TYPES, "solution")  # what people describe in their own words
TABLE_SPECS: Mapping[str, TableSpec] = {
    "sources": TableSpec("source", ("id", "title", "licence")),
    "disabilities": _entity_table("disability", kind=MAIN),
    "narrower_conditions": _entity_table("disability", kind=NARROWER, optional=True),
    "limitations": _entity_table("limitation"),
    "workrelatedfunctions": _entity_table("workrelatedfunction"),
    "solutions": _entity_table("solution", "settings"),
    "products": _entity_table("product", "family"),
    "vendors": _entity_table("vendor"),
    "occupations": _entity_table("occupation"),
    "abilities": _entity_table("ability"),
    "aliases": _relation_table("alias", ("entity",), "text", "kind", entity=ENTITY_TYPES),
    "condition_names": _relation_table("alias", ("disability",), "text", "kind", optional=True),
    "occupation_titles": _relation_table("title", ("occupation",), "title"),
    "disability_limitations": _relation_table("has_limitation relation", ("disability", "limitation")),
    "disability_functions": _relation_table("affects relation", ("disability", "function")),
    "recommendations": _relation_table("recommendation", ("disability", "via", "solution")),
    "solution_products": _relation_table("implemented_by relation", ("solution", "product"), "basis"),
    "product_vendors": _relation_table("sold_by relation", ("product", "vendor")),
    "occupation_abilities": _relation_table("rating", ("occupation", "ability"), "importance", "level"),
    "related_occupations": _relation_table("related_occupation relation", ("occupation", "related"), "tier", "rank"),
    "limitation_abilities": _relation_table(
        "limits relation", ("limitation", "ability"), "strength", "basis", optional=True
    ),
    "main_needs": _relation_table("main need", ("disability", "need"), optional=True),
    "first_choices": _relation_table(
        "first choice", ("need", "solution"), "strength", optional=True, need=("disability", *NEED_TYPES)
    ),
    "made_for": TableSpec(
        "made_for row", ("solution", "made_for", "sources"), references={"solution": ("solution",)}, optional=True
    ),
    "broader": _relation_table("broader relation", ("entity", "broader"), "basis"),
    "school_recommendations": _relation_table("school recommendation", ("entity", "solution"), "basis", optional=True),
    "groupings": TableSpec("grouping", ("slug", "scheme", "name", "sources"), optional=True),
    "grouping_members": TableSpec(
        "membership",
        ("grouping", "entity", "basis", "sources"),
        references={"entity": REFERENCE_TYPES["entity"]},
        optional=True,
    ),
    "condition_broader": _relation_table(
        "broader relation", ("disability", "broader"), "basis", optional=True, broader=("disability",)
    ),
    "body_parts": TableSpec(
        "body_parts row",
        ("words", "kind", "entities", "basis", "sources"),
        list_references={"entities": WORDED_TYPES},
        optional=True,
    ),
    "wordings": _relation_table("wording", ("entity",), "words", optional=True, entity=WORDED_TYPES),
    "co_occurring_conditions": TableSpec(
        "pair",
        ("condition", "other", "source_title", "source_url", "as_of", "read"),
        references={"condition": ("disability",), "other": ("disability",)},
        optional=True,
    ),
    "need_sides": TableSpec(
        "side of a need",
        ("need", "side", "label", "basis", "sources"),
        references={"need": NEED_TYPES},
        optional=True,
    ),
    "solution_sides": TableSpec(
        "side of a solution",
        ("solution", "need", "basis", "sources"),
        references={"solution": ("solution",), "need": NEED_TYPES},
        optional=True,
    ),
    "condition_sides": TableSpec(
        "side of a condition",
        ("disability", "need", "side", "occurs", "basis", "sources"),
        references={"disability": ("disability",), "need": NEED_TYPES},
        optional=True,
    ),
    "not_for": TableSpec(
        "exclusion",
        ("solution", "concerns", "reason", "basis", "sources"),
        references={"solution": ("solution",)},
        optional=True,
    ),
    "cautions": TableSpec(
        "caution",
        ("concerns", "severity", "text", "source_title", "source_url", "as_of", "read"),
        references={"solution": ("solution",)},
        optional=True,
    ),
    "job_rules": TableSpec(
        "rule of a job",
        ("occupations", "concerns", "text", "source_title", "source_url", "as_of", "read"),
        list_references={"concerns": ("disability", *NEED_TYPES)},
        optional=True,
    ),
    "guides": TableSpec("guide", ("id", "title", "kind", "country", "text", "checked"), optional=True),
    "guide_names": TableSpec("name of a guide", ("guide", "name"), optional=True),
    "guide_wordings": TableSpec("wording of a guide", ("guide", "words"), optional=True),
    "guide_links": TableSpec("link of a guide", ("guide", "title", "publisher", "url"), optional=True),
    "guide_entities": TableSpec(
        "entity of a guide", ("guide", "entity"), references={"entity": ENTITY_TYPES}, optional=True
    ),
    "redirects": TableSpec("redirect", ("old", "new")),
    "market": TableSpec(
        "finding",
        ("entity", "status", "checked", "rule", "address", "evidence"),
        references={"entity": MARKET_TYPES},
        optional=True,
    ),
}


class LinkTable(NamedTuple):
    """A table whose rows are edges: the edge type and the columns of its two ends."""

    edge: str
    source: str
    target: str


LINK_TABLES = {
    "disability_limitations": LinkTable("has_limitation", "disability", "limitation"),
    "disability_functions": LinkTable("affects", "disability", "function"),
    "solution_products": LinkTable("implemented_by", "solution", "product"),
    "product_vendors": LinkTable("sold_by", "product", "vendor"),
    "limitation_abilities": LinkTable("limits", "limitation", "ability"),
    "broader": LinkTable("broader", "entity", "broader"),
    "condition_broader": LinkTable("broader", "disability", "broader"),
}


class AliasTable(NamedTuple):
    """A table of aliases: the column that names the entity, and the column of the text."""

    entity: str
    text: str


ALIAS_TABLES = {
    "aliases": AliasTable("entity", "text"),
    "condition_names": AliasTable("disability", "text"),
    "occupation_titles": AliasTable("occupation", "title"),
}

# Minimum constraints by column name. The types always apply: `rows` converts by them.
ENFORCED_COLUMNS: Mapping[str, Column] = {
    "slug": Column(name="slug", constraints=Constraints(unique=True, pattern=SLUG, max_length=80)),
    "short": Column(name="short", constraints=Constraints(max_length=200)),
    "url": Column(name="url", format="uri"),
    "page": Column(name="page", format="uri"),
    "source_url": Column(name="source_url", format="uri", constraints=Constraints(pattern="https://.+")),
    "words": Column(name="words", type="list"),
    "entities": Column(name="entities", type="list"),
    "opposites": Column(name="opposites", type="list"),
    "serves": Column(name="serves", type="list"),
    "worsens": Column(name="worsens", type="list"),
    "occupations": Column(name="occupations", type="list"),
    "concerns": Column(name="concerns", type="list"),
    "side": Column(name="side", constraints=Constraints(pattern=SLUG)),
    "occurs": Column(name="occurs", constraints=Constraints(enum=OCCURS)),
    "severity": Column(name="severity", constraints=Constraints(enum=SEVERITIES)),
    "reason": Column(name="reason", constraints=Constraints(max_length=200)),
    "settings": Column(name="settings", constraints=Constraints(pattern=rf"{SETTING}(\|{SETTING})*")),
    "retrieved": Column(name="retrieved", type="date"),
    "checked": Column(name="checked", type="date"),
    "address": Column(name="address", format="uri"),
    "evidence": Column(name="evidence", format="uri"),
    "rule": Column(name="rule", constraints=Constraints(enum=tuple(MARKET_RULES))),
    "status": Column(name="status", constraints=Constraints(enum=MARKET_STATUSES)),
    "importance": Column(name="importance", type="number", constraints=Constraints(minimum=1, maximum=5)),
    "level": Column(name="level", type="number", constraints=Constraints(minimum=0, maximum=7)),
    "rank": Column(name="rank", type="integer", constraints=Constraints(minimum=1)),
    "strength": Column(name="strength", type="number", constraints=Constraints(exclusive_minimum=0, maximum=1)),
    "weight": Column(name="weight", type="number", constraints=Constraints(exclusive_minimum=0, maximum=1)),
    # The weight of an implemented_by edge depends on these four (`graph.FAMILY_WEIGHT`).
    "family": Column(name="family", constraints=Constraints(enum=PRODUCT_FAMILIES)),
    "course": Column(name="course", constraints=Constraints(enum=COURSES)),
    "basis": Column(name="basis", constraints=Constraints(enum=tuple(name for name in BASES if name != "inherited"))),
}


def with_enforced_constraints(column: Column, spec: TableSpec | None) -> Column:
    """Return the column of the data package with the constraints that the program requires."""
    if spec is None:
        return column
    constraints = column.constraints
    changes: dict[str, object] = {}
    if column.name in spec.required and not constraints.required:
        changes["required"] = True
    if column.name in spec.references or column.name in spec.list_references:
        changes["pattern"] = None  # the reference check says more than a pattern
    if enforced := ENFORCED_COLUMNS.get(column.name):
        unset = enforced.constraints.model_fields_set - constraints.model_fields_set
        changes |= {name: getattr(enforced.constraints, name) for name in unset}
        format_ = column.format if "format" in column.model_fields_set else enforced.format
        column = column.model_copy(update={"type": enforced.type, "format": format_})
    return column.model_copy(update={"constraints": constraints.model_copy(update=changes)}) if changes else column
