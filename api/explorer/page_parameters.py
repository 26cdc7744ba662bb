"""Query parameters of the pages. They have the bounds of the API; empty filters count as absent."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from pydantic import BaseModel, Field, model_validator

from api.explorer.list_address import ListAddress
from api.explorer.view_models import query_params
from api.graph.edge_filters import EdgeFilters
from api.parameters import (
    MAX_QUERY_LENGTH,
    EdgeSource,
    Grouping,
    Inherited,
    LinkEdges,
    LinkedTo,
    MinWeight,
    Offset,
    SearchOffset,
    TypeNames,
)
from schema.entity_kinds import Basis, ConditionKind, Matching, SettingName, TypeName

QueryTexts = list[Annotated[str, Field(max_length=MAX_QUERY_LENGTH)]]
QueryText = Annotated[str | None, Field(max_length=MAX_QUERY_LENGTH)]


class PageParameters(BaseModel):
    """Query parameters of a page. Empty filters count as absent: a form submits all of its fields."""

    @model_validator(mode="before")
    @classmethod
    def drop_empty(cls, values: Mapping[str, object]) -> dict[str, object]:
        """Return the parameters that have a value; of repeated ones, the values that are not empty.

        `offset` stays: no form submits it.
        """
        filled = {
            name: [item for item in value if not _is_empty(item)] if isinstance(value, list) else value
            for name, value in values.items()
        }
        return {name: value for name, value in filled.items() if name == "offset" or not _is_empty(value)}


def _is_empty(value: object) -> bool:
    return not value.strip() if isinstance(value, str) else value in (None, [])


class SearchPageParameters(PageParameters):
    """Query parameters of the search page."""

    query: QueryText = None
    scope: TypeNames | None = None
    setting: SettingName | None = None
    offset: SearchOffset = 0
    spelling: str = "on"
    matching: Matching = "strict"


class RelationPageParameters(PageParameters):
    """Query parameters of the pages that list neighbors: filters of edges."""

    offset: Offset = 0
    target_type: TypeName | None = None
    min_weight: MinWeight | None = None
    basis: Basis | None = None
    source: EdgeSource | None = None
    query: QueryText = None
    sort: Literal["weight", "name"] = "weight"

    @property
    def filters(self) -> EdgeFilters:
        """The filters and the order of the list."""
        return EdgeFilters(**self.model_dump(exclude={"offset"}))


class ListPageParameters(PageParameters):
    """Query parameters of the pages that list the entities of a type."""

    offset: Offset = 0
    setting: SettingName | None = None
    grouping: Grouping = None
    kind: ConditionKind | None = None
    linked_to: LinkedTo = None
    edge: LinkEdges = None
    inherited: Inherited = True

    def address(self, type_name: str, available: Sequence[str]) -> ListAddress:
        """Return the address of the list with the filters that its type has. One edge name applies to all links."""
        texts, edges = self.linked_to or [], self.edge or []
        names = edges if len(edges) == len(texts) else [*edges, ""][:1] * len(texts)
        filters = query_params([(name, getattr(self, name)) for name in available])
        if texts and not self.inherited:
            filters = (*filters, ("inherited", "false"))
        return ListAddress(f"/explore/{type_name}", filters, tuple(zip(texts, names, strict=True)))
