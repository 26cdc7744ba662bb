"""URLs of the pages of lists, which add or remove one filter or link, and the entities that a list is linked to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from api.explorer.view_models import Params
from api.parameters import MAX_LINKS
from schema.json_types import JsonObject

MAX_LINK_FACETS = 10


@dataclass(frozen=True, slots=True)
class ListAddress:
    """The URL of the page of a list: its path, its filters, and its links.

    A link is a text that names an entity, and the name of the edge to it, or an empty name for any edge.
    """

    path: str
    filters: Params = ()
    links: tuple[tuple[str, str], ...] = ()

    @property
    def arguments(self) -> dict[str, Any]:
        """The parameters by name. An edge name that all links share is sent once."""
        edges = [edge for _, edge in self.links if edge]
        values: dict[str, Any] = dict(self.filters)
        if "inherited" in values:
            values["inherited"] = values["inherited"] == "true"
        linked = {"linked_to": [text for text, _ in self.links], "edge": edges[:1] if len(set(edges)) == 1 else edges}
        return values | {name: texts for name, texts in linked.items() if texts}

    @property
    def params(self) -> Params:
        """The query parameters."""
        arguments = self.arguments
        links = [(name, text) for name in ("linked_to", "edge") for text in arguments.get(name, ())]
        return (*self.filters, *links)

    @property
    def url(self) -> str:
        """Path and query string."""
        return f"{self.path}?{urlencode(self.params)}" if self.params else self.path

    def without_filter(self, name: str) -> "ListAddress":
        """Return the address without a filter."""
        return replace(self, filters=tuple(pair for pair in self.filters if pair[0] != name))

    def without_links(self) -> "ListAddress":
        """Return the address without links, and without `inherited`, which needs them."""
        return replace(self.without_filter("inherited"), links=())

    def without_link(self, number: int) -> "ListAddress":
        """Return the address without the link of this number from 0."""
        links = (*self.links[:number], *self.links[number + 1 :])
        return replace(self, links=links) if links else self.without_links()

    def with_link(self, id_: str, edge: str) -> "ListAddress":
        """Return the address with one more link; over any edge if the others are over any edge."""
        has_edges = any(name for _, name in self.links)
        return replace(self, links=(*self.links, (id_, edge if has_edges else "")))


@dataclass(frozen=True, slots=True)
class LinkedEntity:
    """An entity to which all listed ones are linked. `remove_url` is the list without this link."""

    card: Mapping[str, Any]
    edge_label: str  # empty for any edge
    remove_url: str


def link_facets(
    facets: Mapping[str, Sequence[JsonObject]], linked: Sequence[LinkedEntity], address: ListAddress
) -> list[JsonObject]:
    """Return the entities of the facets that the list is not limited to yet, each with the URL that adds it."""
    if len(linked) >= MAX_LINKS:
        return []
    linked_ids = {entity.card["id"] for entity in linked}
    return [
        {**line["entity"], "total": line["total"], "url": address.with_link(id_, edge).url}
        for edge, lines in facets.items()
        for line in lines
        if (id_ := line["entity"]["id"]) not in linked_ids
    ][:MAX_LINK_FACETS]
