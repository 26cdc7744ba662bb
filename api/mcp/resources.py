"""Resources of the MCP server: the graph, what the service is, guides, and records of entities."""

from collections.abc import Mapping
from typing import Any

import mcp_types as types
from mcp.shared.uri_template import UriTemplate

from api import about
from api.engine.release import Release
from api.http.envelope import JSON, Envelope, dumps
from api.mcp.arguments import Arguments, EntityArguments, NoArguments, parse_arguments
from api.mcp.descriptions import INSTRUCTIONS
from api.mcp.tools import TOOLS
from api.service import GraphService
from schema.entity_kinds import ENTITY_TYPES
from schema.json_types import JsonObject

GRAPH, ABOUT = "akg://graph", "akg://about"
ENTITY_SCHEME = "akg://entity"
GUIDE_PREFIX = "akg://guides/"
ENTITY = UriTemplate.parse(f"{ENTITY_SCHEME}/{{type}}/{{id}}")
MARKDOWN = "text/markdown"
FIXED_RESOURCES: dict[str, tuple[str, str, str]] = {
    GRAPH: ("graph", "The graph: its types and edges with their numbers, as GET /graph describes them.", JSON),
    ABOUT: ("about", "What this is and is not, the notice, and every source with its attribution sentence.", MARKDOWN),
}


async def read_resource(uri: str, service: GraphService, envelope: Envelope) -> tuple[str, str, JsonObject] | None:
    """Return media type, text and wrapped body of a resource; None if there is none at this URI.

    Raise NotFoundError, EngineUnavailableError or DeadlineError.
    """
    if uri == ABOUT:
        release = await service.ready()
        return MARKDOWN, about_text(release, envelope.notice["url"]), envelope.wrap_body({}, release, release.sources)
    if uri == GRAPH:
        return await _tool_result("describe_graph", NoArguments(), service, envelope)
    if uri.startswith(GUIDE_PREFIX):
        body = envelope.wrap_result(await service.guide(uri.removeprefix(GUIDE_PREFIX)))
        return JSON, dumps(body).decode(), body
    match = ENTITY.match(uri)
    if match is None or match["type"] not in ENTITY_TYPES:
        return None
    arguments = parse_arguments(EntityArguments, {"type": match["type"], "id": match["id"]})
    return await _tool_result("get_entity", arguments, service, envelope)


def guide_resource(guide: Mapping[str, Any]) -> types.Resource:
    """Return a guide as an entry of the list of resources."""
    return types.Resource(
        uri=f"{GUIDE_PREFIX}{guide['id']}",
        name=f"guide-{guide['id']}",
        title=guide["title"],
        description=guide["summary"],
        mime_type=JSON,
    )


async def _tool_result(
    tool: str, arguments: Arguments, service: GraphService, envelope: Envelope
) -> tuple[str, str, JsonObject]:
    body = envelope.wrap_result(await TOOLS[tool].run(service, arguments))
    return JSON, dumps(body).decode(), body


def about_text(release: Release, url: str) -> str:
    """Return the text of `akg://about`: provenance, notice, attribution."""
    sources = "\n".join(
        f"- **{source['title']}** ({_licence_link(source)}). {source['attribution']}".rstrip()
        for source in _ordered(release)
    )
    return f"""\
# {about.SERVICE_NAME} {about.VERSION}

Data version {release.data_version}, synonym rules {release.synonyms_version}, built {release.released}.

{INSTRUCTIONS}
Where to find advice: {url}

## Sources

{sources}
"""


def _licence_link(source: Mapping[str, Any]) -> str:
    url = source.get("licence_url")  # releases of version 0.1.0 have none
    return f"[{source['licence']}]({url})" if url else str(source["licence"])


def _ordered(release: Release) -> list[Mapping[str, Any]]:
    """Return the core sources, then the others by title."""
    core = [release.sources[name] for name in release.core_sources]
    others = [source for name, source in release.sources.items() if name not in release.core_sources]
    return [*core, *sorted(others, key=lambda source: str(source["title"]))]
