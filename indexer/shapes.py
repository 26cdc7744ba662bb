"""What the program relies on in each table: columns, references, least constraints. Pure.

`datapackage.json` may ask for more than this, and its own limits win over those here; it cannot ask for less.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from indexer.market.rules import RULES
from indexer.schema import Column, Constraints

if TYPE_CHECKING:
    from collections.abc import Mapping

SLUG = r"[a-z0-9]+(-[a-z0-9]+)*"
# Columns that every entity table may have; the others are facts of its own type.
ENTITY_COLUMNS = ("slug", "name", "short", "plain", "long", "url", "sources")  # `long` comes with imports only
SETTINGS = ("work", "school", "testing")
SETTING = f"({'|'.join(SETTINGS)})"
KEY_COLUMNS = {"occupation": "code", "ability": "code"}


@dataclass(frozen=True, slots=True)
class Shape:
    """One table. `needs` are columns that are there and never empty.

    `refers` maps a column to the entity types it may name. A column of one type holds that type's bare key,
    a column of several holds `type:key`. `kind` is a fact of all its entities, where a type has two tables.
    """

    noun: str
    needs: tuple[str, ...]
    type: str = ""
    refers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    optional: bool = False
    kind: str = ""

    @property
    def key(self) -> tuple[str, ...]:
        """The columns that no two rows may share where the data package names no primary key."""
        return (key_column(self.type),) if self.type else tuple(self.refers) or self.needs[:1]


def key_column(type_name: str) -> str:
    """The column whose value makes the id of an entity of this type."""
    return KEY_COLUMNS.get(type_name, "slug")


def _entity(type_name: str, *more: str, kind: str = "", optional: bool = False) -> Shape:
    needs = tuple(dict.fromkeys((key_column(type_name), "slug", "name", *more, "sources")))
    return Shape(type_name, needs, type_name, kind=kind, optional=optional)


def _relation(noun: str, refers: Mapping[str, tuple[str, ...]], *more: str, optional: bool = False) -> Shape:
    return Shape(noun, (*refers, *more, "sources"), refers=refers, optional=optional)


TYPES = ("disability", "limitation", "workrelatedfunction", "solution", "product", "vendor", "occupation", "ability")

MAIN, NARROWER = "main", "narrower"  # conditions with lists of their own, and those that take theirs from one

SHAPES: Mapping[str, Shape] = {
    "sources": Shape("source", ("id", "title", "licence")),
    "disabilities": _entity("disability", kind=MAIN),
    "narrower_conditions": _entity("disability", "short", "plain", kind=NARROWER, optional=True),
    "limitations": _entity("limitation"),
    "workrelatedfunctions": _entity("workrelatedfunction"),
    "solutions": _entity("solution", "settings"),
    "products": _entity("product", "family"),
    "vendors": _entity("vendor"),
    "occupations": _entity("occupation"),
    "abilities": _entity("ability"),
    "aliases": _relation("alias", {"entity": TYPES}, "text", "kind"),
    "condition_names": _relation("other name", {"disability": ("disability",)}, "text", "kind", optional=True),
    "occupation_titles": _relation("title", {"occupation": ("occupation",)}, "title"),
    "disability_limitations": _relation(
        "has_limitation relation", {"disability": ("disability",), "limitation": ("limitation",)}
    ),
    "disability_functions": _relation(
        "affects relation", {"disability": ("disability",), "function": ("workrelatedfunction",)}
    ),
    "recommendations": _relation(
        "recommendation",
        {"disability": ("disability",), "via": ("limitation", "workrelatedfunction"), "solution": ("solution",)},
    ),
    "solution_products": _relation(
        "implemented_by relation", {"solution": ("solution",), "product": ("product",)}, "basis"
    ),
    "product_vendors": _relation("sold_by relation", {"product": ("product",), "vendor": ("vendor",)}),
    "occupation_abilities": _relation(
        "rating", {"occupation": ("occupation",), "ability": ("ability",)}, "importance", "level"
    ),
    "related_occupations": _relation(
        "related_occupation relation", {"occupation": ("occupation",), "related": ("occupation",)}, "tier", "rank"
    ),
    "limitation_abilities": _relation(
        "limits relation",
        {"limitation": ("limitation",), "ability": ("ability",)},
        "strength",
        "basis",
        optional=True,
    ),
    "main_needs": _relation(
        "main need",
        {"disability": ("disability",), "need": ("limitation", "workrelatedfunction")},
        optional=True,
    ),
    "first_choices": _relation(
        "first choice",
        {"need": ("disability", "limitation", "workrelatedfunction"), "solution": ("solution",)},
        "strength",
        optional=True,
    ),
    "made_for": Shape(
        "made for row", ("solution", "made_for", "sources"), refers={"solution": ("solution",)}, optional=True
    ),
    "broader": _relation(
        "broader relation",
        {"entity": ("disability", "limitation"), "broader": ("disability", "limitation")},
        "basis",
    ),
    "school_recommendations": _relation(
        "school recommendation",
        {"entity": ("disability", "limitation"), "solution": ("solution",)},
        "basis",
        optional=True,
    ),
    "groupings": Shape("grouping", ("slug", "scheme", "name", "sources"), optional=True),
    "grouping_members": Shape(
        "membership",
        ("grouping", "entity", "basis", "sources"),
        refers={"entity": ("disability", "limitation")},
        optional=True,
    ),
    "condition_broader": _relation(
        "broader relation", {"disability": ("disability",), "broader": ("disability",)}, "basis", optional=True
    ),
    "redirects": Shape("redirect", ("old", "new")),
    "market": Shape(
        "finding",
        ("entity", "status", "checked", "rule", "address", "evidence"),
        refers={"entity": ("product", "vendor")},
        optional=True,
    ),
}

# Tables that become links: edge, column it leaves from, column it leads to.
LINKS = {
    "disability_limitations": ("has_limitation", "disability", "limitation"),
    "disability_functions": ("affects", "disability", "function"),
    "solution_products": ("implemented_by", "solution", "product"),
    "product_vendors": ("sold_by", "product", "vendor"),
    "limitation_abilities": ("limits", "limitation", "ability"),
    "broader": ("broader", "entity", "broader"),
    "condition_broader": ("broader", "disability", "broader"),
}
# Tables of other names: the column that names the entity, and the one with the text.
NAMES = {
    "aliases": ("entity", "text"),
    "condition_names": ("disability", "text"),
    "occupation_titles": ("occupation", "title"),
}

# Least constraints by column name. Types here always hold: `sources.read` converts by them.
FLOORS: Mapping[str, Column] = {
    "slug": Column(name="slug", constraints=Constraints(unique=True, pattern=SLUG, max_length=80)),
    "short": Column(name="short", constraints=Constraints(max_length=200)),
    "url": Column(name="url", format="uri"),
    "page": Column(name="page", format="uri"),
    "settings": Column(name="settings", constraints=Constraints(pattern=rf"{SETTING}(\|{SETTING})*")),
    "retrieved": Column(name="retrieved", type="date"),
    "checked": Column(name="checked", type="date"),
    "address": Column(name="address", format="uri"),
    "evidence": Column(name="evidence", format="uri"),
    "rule": Column(name="rule", constraints=Constraints(enum=tuple(RULES))),
    "status": Column(
        name="status", constraints=Constraints(enum=("verified", "unverified", "unavailable", "discontinued"))
    ),
    "importance": Column(name="importance", type="number", constraints=Constraints(minimum=1, maximum=5)),
    "level": Column(name="level", type="number", constraints=Constraints(minimum=0, maximum=7)),
    "rank": Column(name="rank", type="integer", constraints=Constraints(minimum=1)),
    "strength": Column(name="strength", type="number", constraints=Constraints(exclusive_minimum=0, maximum=1)),
    "weight": Column(name="weight", type="number", constraints=Constraints(exclusive_minimum=0, maximum=1)),
    # The weight of an implemented_by edge depends on these four (`graph.FAMILY_WEIGHT`).
    "family": Column(
        name="family", constraints=Constraints(enum=("assistive", "protective", "ergonomic", "mainstream"))
    ),
    "basis": Column(name="basis", constraints=Constraints(enum=("source", "derived", "editorial"))),
}


def strictest(given: Column, shape: Shape | None) -> Column:
    """The column as the data package gives it, made no weaker than the program relies on."""
    if shape is None:
        return given
    limits = given.constraints
    changes: dict[str, object] = {}
    if given.name in shape.needs and not limits.required:
        changes["required"] = True
    if given.name in shape.refers:
        changes["pattern"] = None  # looking the reference up says more than its letters do
    floor = FLOORS.get(given.name)
    if floor:
        silent = floor.constraints.model_fields_set - limits.model_fields_set
        changes |= {name: getattr(floor.constraints, name) for name in silent}
        format_ = given.format if "format" in given.model_fields_set else floor.format
        given = given.model_copy(update={"type": floor.type, "format": format_})
    return given.model_copy(update={"constraints": limits.model_copy(update=changes)}) if changes else given
