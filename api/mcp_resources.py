"""The resources of the MCP door: every entity, the graph, and what the service says of itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp.shared.uri_template import UriTemplate

from api import results
from api.envelope import JSON, dumps
from api.models import TYPES
from api.tool_inputs import EntityArguments, NoArguments, read
from api.tool_words import INSTRUCTIONS
from api.tools import TOOLS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from api.answers import Answers
    from api.envelope import Envelope
    from api.release import Release
    from api.tool_inputs import Arguments

GRAPH, ABOUT = "akg://graph", "akg://about"
ENTITY = UriTemplate.parse("akg://entity/{type}/{id}")
MARKDOWN = "text/markdown"
LISTED: dict[str, tuple[str, str, str]] = {
    GRAPH: ("graph", "The graph: its types and edges with their numbers, as GET /graph describes them.", JSON),
    ABOUT: ("about", "What this is and is not, the notice, and every source with its attribution sentence.", MARKDOWN),
}
ENTITY_SAYS = "The record of one entity, as get_entity gives it. The id is the key or the slug."


async def read_resource(uri: str, answers: Answers, envelope: Envelope) -> tuple[str, str] | None:
    """Media type and text of a resource; None where there is no such address.

    Raises ServiceErrors: NotFoundError for an entity that is not there, EngineAwayError, DeadlineError.
    """
    if uri == ABOUT:
        return MARKDOWN, about(await answers.ready(), envelope.notice["url"])
    if uri == GRAPH:
        return JSON, await _answered("describe_graph", NoArguments(), answers, envelope)
    named = ENTITY.match(uri)
    if named is None or named["type"] not in TYPES:
        return None
    arguments = read(EntityArguments, {"type": named["type"], "id": named["id"]})
    return JSON, await _answered("get_entity", arguments, answers, envelope)


async def _answered(tool: str, arguments: Arguments, answers: Answers, envelope: Envelope) -> str:
    return dumps(envelope.sealed(await TOOLS[tool].ask(answers, arguments))).decode()


def about(release: Release, url: str) -> str:
    """What `akg://about` says: provenance, notice, attribution."""
    lines = [f"- **{one['title']}** ({one['licence']}). {one['attribution']}".rstrip() for one in _ordered(release)]
    return "\n".join(
        (
            f"# {results.SERVICE} {results.VERSION}",
            "",
            f"Data version {release.data_version}, synonym rules {release.synonyms_version}, built {release.released}.",
            "",
            INSTRUCTIONS,
            f"Where to find advice: {url}",
            "",
            "## Sources",
            "",
            *lines,
            "",
        )
    )


def _ordered(release: Release) -> list[Mapping[str, Any]]:
    """The sources that carry the graph, then the others by title."""
    core = [release.sources[name] for name in release.core_sources]
    others = [source for name, source in release.sources.items() if name not in release.core_sources]
    return [*core, *sorted(others, key=lambda one: str(one["title"]))]
