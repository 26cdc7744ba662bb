"""MCP resources: every entity, the graph, and a description of the service."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp.shared.uri_template import UriTemplate

from api.about import SERVICE_NAME, VERSION
from api.http.envelope import JSON, dumps
from api.mcp.arguments import EntityArguments, NoArguments, parse_arguments
from api.mcp.descriptions import INSTRUCTIONS
from api.mcp.tools import TOOLS
from schema.entity_kinds import ENTITY_TYPES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from api.engine.release import Release
    from api.http.envelope import Envelope
    from api.mcp.arguments import Arguments
    from api.service import GraphService

GRAPH, ABOUT = "akg://graph", "akg://about"
ENTITY = UriTemplate.parse("akg://entity/{type}/{id}")
MARKDOWN = "text/markdown"
FIXED_RESOURCES: dict[str, tuple[str, str, str]] = {
    GRAPH: ("graph", "The graph: its types and edges with their numbers, as GET /graph describes them.", JSON),
    ABOUT: ("about", "What this is and is not, the notice, and every source with its attribution sentence.", MARKDOWN),
}
ENTITY_DESCRIPTION = "The record of one entity, as get_entity returns it. The id is the key or the slug."


async def read_resource(uri: str, service: GraphService, envelope: Envelope) -> tuple[str, str] | None:
    """Return media type and text of a resource; None if there is none at this URI.

    Raise NotFoundError, EngineUnavailableError or DeadlineError.
    """
    if uri == ABOUT:
        return MARKDOWN, about(await service.ready(), envelope.notice["url"])
    if uri == GRAPH:
        return JSON, await _tool_result("describe_graph", NoArguments(), service, envelope)
    match = ENTITY.match(uri)
    if match is None or match["type"] not in ENTITY_TYPES:
        return None
    arguments = parse_arguments(EntityArguments, {"type": match["type"], "id": match["id"]})
    return JSON, await _tool_result("get_entity", arguments, service, envelope)


async def _tool_result(tool: str, arguments: Arguments, service: GraphService, envelope: Envelope) -> str:
    return dumps(envelope.wrap_result(await TOOLS[tool].run(service, arguments))).decode()


def about(release: Release, url: str) -> str:
    """Return the text of `akg://about`: provenance, notice, attribution."""
    sources = "\n".join(
        f"- **{source['title']}** ({source['licence']}). {source['attribution']}".rstrip()
        for source in _ordered(release)
    )
    return f"""\
# {SERVICE_NAME} {VERSION}

Data version {release.data_version}, synonym rules {release.synonyms_version}, built {release.released}.

{INSTRUCTIONS}
Where to find advice: {url}

## Sources

{sources}
"""


def _ordered(release: Release) -> list[Mapping[str, Any]]:
    """Return the core sources, then the others by title."""
    core = [release.sources[name] for name in release.core_sources]
    others = [source for name, source in release.sources.items() if name not in release.core_sources]
    return [*core, *sorted(others, key=lambda source: str(source["title"]))]
