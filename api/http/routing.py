"""Routing: paths below a fixed path are never taken for an entity type, and the methods of a path."""

from collections.abc import Iterable, Sequence

from fastapi.routing import APIRoute
from starlette.routing import BaseRoute, Match
from starlette.types import Scope

METHODS = ("GET", "HEAD", "POST", "OPTIONS")
# First segments of paths that are not lists of entities, in the API and below /explore.
FIXED_SEGMENTS = frozenset(
    (
        *(
            "healthz",
            "readyz",
            "search",
            "suggest",
            "recommend",
            "related_conditions",
            "connections",
            "graph",
            "guides",
        ),
        *("export", "usage", "mcp", "explore", "docs", "static", "release", "reference", "compare"),
    )
)


class EntityRoute(APIRoute):
    """A route whose path parameter `type`, if it has one, matches neither the name of another path nor of a file."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Return Match.NONE for `/search/x` and `/sitemap.xml`, so that they are unknown paths, not unknown types."""
        match, child_scope = super().matches(scope)
        type_ = child_scope.get("path_params", {}).get("type", "")
        return (Match.NONE, {}) if is_fixed(type_) else (match, child_scope)


def has_route(routes: Sequence[BaseRoute], scope: Scope) -> bool:
    """Return whether a route serves the path with the method of a request."""
    return any(route.matches(scope)[0] is Match.FULL for route in routes)


def is_fixed(segment: str) -> bool:
    """Return whether a segment of a path is the name of another path or of a file, and no entity type."""
    return "." in segment or segment.casefold() in FIXED_SEGMENTS


def allowed_methods(methods: Iterable[str]) -> list[str]:
    """Return the methods that clients may use on a path whose routes have these; HEAD is GET without the body."""
    allowed = {*methods, "OPTIONS", *(["HEAD"] if "GET" in methods else [])}
    return [method for method in METHODS if method in allowed]
